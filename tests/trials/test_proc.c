/* A process is known by its pid and its start time together. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/proc.h"

#include <check.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/lib/suite.h"

START_TEST(we_are_alive_and_nobody_started_later_has_our_pid)
{
    uint64_t start = 0;

    ck_assert_int_eq(proc_start_time(getpid(), &start), 0);
    ck_assert_uint_gt(start, 0);
    ck_assert(proc_alive(getpid(), start));
    ck_assert(!proc_alive(getpid(), start + 1));
}
END_TEST

START_TEST(a_child_that_ended_is_not_alive_even_before_it_is_waited_for)
{
    uint64_t start = 0;
    siginfo_t info;
    pid_t pid = fork();

    if (pid == 0) {
        pause();
        _exit(0);
    }
    ck_assert_int_eq(proc_start_time(pid, &start), 0);
    ck_assert(proc_alive(pid, start));
    kill(pid, SIGKILL);
    ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
    ck_assert(!proc_alive(pid, start));
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    ck_assert_int_eq(proc_start_time(pid, &start), -1);
}
END_TEST

START_TEST(all_processes_are_listed_ours_among_them)
{
    DIR *all = opendir("/proc");
    struct proc p;
    int ours = 0;

    ck_assert_ptr_nonnull(all);
    while (proc_next(all, &p)) {
        if (p.pid == getpid()) {
            ours++;
            ck_assert_int_eq(p.parent, getppid());
            ck_assert_int_eq(p.group, getpgrp());
            ck_assert_int_eq(p.session, getsid(0));
        }
    }
    closedir(all);
    ck_assert_int_eq(ours, 1);
}
END_TEST

SUITE("trials/proc", we_are_alive_and_nobody_started_later_has_our_pid,
      a_child_that_ended_is_not_alive_even_before_it_is_waited_for,
      all_processes_are_listed_ours_among_them)
