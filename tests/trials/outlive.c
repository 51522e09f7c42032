/* Jobs outlive their service, their shim and their own end, and none of them
 * runs twice: the rest of what trials/launcher.h promises. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/trials/lib/rig.h"

/* ---- killed shims ---- */

START_TEST(a_killed_shim_takes_everything_along)
{
    setup();
    start("1", "setsid sleep 1000 & echo $! >daemon;"
               " sleep 1000 & echo $! >below; echo $$ >main;"
               " trap '' TERM HUP; sleep 1000; sleep 1000");
    wait_for(0, 1);
    pid_in("1", "main");
    kill(shim_of("1"), SIGKILL);
    wait_for(1, 1);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(!runs(pid_in("1", "main")));
    ck_assert(!runs(pid_in("1", "below")));
    ck_assert(!runs(pid_in("1", "daemon")));
    teardown();
}
END_TEST

START_TEST(a_shim_killed_while_nobody_looked_is_lost)
{
    setup();
    start("1", "sleep 1000 & echo $! >below; wait");
    wait_for(0, 1);
    pid_in("1", "below");
    launcher->type->close(launcher);
    kill(shim_of("1"), SIGKILL);
    launcher = opened();
    watch(launcher, "1");
    ck_assert_int_eq(n_ended, 0);
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(!runs(pid_in("1", "below")));
    teardown();
}
END_TEST

/* ---- once, and found again ---- */

START_TEST(a_name_started_twice_runs_once)
{
    struct launcher *other;

    setup();
    other = opened();
    start("1", "echo once; until [ -e go ]; do sleep 0.01; done; exit 7");
    start("1", "echo once; exit 8");
    start_with(other, "1", "echo once; exit 9");
    wait_for(0, 2); /* one from each launcher */
    put_script("1/go", "", 0600);
    wait_for(2, 2);
    for (int i = 2; i < 4; i++) {
        ck_assert_int_eq(told[i].word, LAUNCHER_ENDED);
        ck_assert_int_ge(told[i].exit_code, 7);
        ck_assert_int_eq(told[i].exit_code, told[2].exit_code);
    }
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    other->type->close(other);
    teardown();
}
END_TEST

START_TEST(who_starts_a_running_job_again_hears_that_it_lives)
{
    setup();
    start("1", "echo once; until [ -e go ]; do sleep 0.01; done; exit 7");
    wait_for(0, 1);
    start("1", "echo once; exit 8");
    wait_for(0, 2);
    put_script("1/go", "", 0600);
    wait_for(1, 2);
    expect_end("1", 7, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    teardown();
}
END_TEST

START_TEST(a_name_that_ended_is_not_run_again)
{
    setup();
    start("1", "echo once; exit 2");
    wait_for(1, 1);
    start("1", "echo once; exit 3");
    wait_for(2, 2);
    expect_end("1", 2, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "once\n");
    teardown();
}
END_TEST

START_TEST(a_running_job_is_found_again)
{
    setup();
    start("1", "echo up; until [ -e go ]; do sleep 0.01; done; exit 6");
    start("2", "sleep 1000");
    wait_for(0, 2);
    launcher->type->close(launcher);
    launcher = opened();
    watch(launcher, "1");
    watch(launcher, "2");
    watch(launcher, "2");
    wait_for(0, 4);
    put_script("1/go", "", 0600);
    wait_for(1, 4);
    expect_end("1", 6, 0);
    stop("2", false);
    wait_for(2, 4);
    expect_end("2", -1, SIGTERM);
    teardown();
}
END_TEST

START_TEST(an_end_that_nobody_saw_is_told_later)
{
    setup();
    start("1", "sleep 0.1; exit 6");
    wait_for(0, 1);
    launcher->type->close(launcher);
    while (runs(shim_of("1")))
        usleep(10 * 1000);
    launcher = opened();
    watch(launcher, "1");
    wait_for(1, 2);
    expect_end("1", 6, 0);
    teardown();
}
END_TEST

START_TEST(a_job_that_never_began_is_lost_and_cannot_begin_after)
{
    char *folder;

    setup();
    folder = folder_of("1");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    start("1", "echo ran >ran");
    wait_for(2, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert_int_eq(n_told, 2);
    free(folder);
    teardown();
}
END_TEST

START_TEST(a_job_of_another_boot_is_lost_and_no_stranger_is_killed)
{
    char status[256];
    struct proc p;
    pid_t stranger;
    char *folder;

    setup();
    folder = folder_of("1");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    stranger = fork();
    if (stranger == 0) {
        setsid();
        pause();
        _exit(0);
    }
    ck_assert_int_eq(proc_read(stranger, &p), 0);
    snprintf(status, sizeof status, "boot=another\nshim=%d %llu\nchild=%d 1\n",
             (int)stranger, (unsigned long long)p.start, (int)stranger);
    put_script("1/status", status, 0600);
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(runs(stranger));

    /* This boot, but the pid belongs to somebody else now. */
    free(folder);
    folder = folder_of("2");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    proc_file("/proc/sys/kernel/random/boot_id", status + 128, 40);
    status[128 + strcspn(status + 128, "\n")] = '\0';
    snprintf(told[MOST_NEWS - 1].text, sizeof told[0].text,
             "boot=%s\nshim=%d %llu\nchild=%d 1\n", status + 128, (int)stranger,
             (unsigned long long)p.start - 1, (int)stranger);
    put_script("2/status", told[MOST_NEWS - 1].text, 0600);
    watch(launcher, "2");
    wait_for(2, 0);
    ck_assert_int_eq(last_of("2")->word, LAUNCHER_LOST);
    ck_assert(runs(stranger));
    kill(stranger, SIGKILL);
    waitpid(stranger, NULL, 0);
    free(folder);
    teardown();
}
END_TEST

/* A service of its own process: starts a job, says so, and is killed. */
static void serve_until_killed(int alive)
{
    start("1", "until [ -e go ]; do sleep 0.01; done; echo done; exit 6");
    wait_for(0, 1);
    if (write(alive, "a", 1) == 1)
        for (;;)
            pause();
    _exit(1);
}

START_TEST(a_job_outlives_a_killed_service_and_is_found_again)
{
    int ends[2];
    char byte;
    pid_t service;

    setup();
    ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
    service = fork();
    if (service == 0)
        serve_until_killed(ends[1]);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    kill(service, SIGKILL);
    ck_assert_int_eq(waitpid(service, NULL, 0), service);
    watch(launcher, "1");
    wait_for(0, 1);
    put_script("1/go", "", 0600);
    wait_for(1, 1);
    expect_end("1", 6, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "done\n");
    close(ends[0]);
    close(ends[1]);
    teardown();
}
END_TEST

/* ---- where there is no pidfd ---- */

static int forbid_pidfd(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {.len = sizeof code / sizeof code[0],
                                 .filter = code};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return -1;
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static int without_pidfd(void)
{
    if (forbid_pidfd() || syscall(SYS_pidfd_open, getpid(), 0U) != -1)
        return 2;
    start("1", "sleep 1000");
    start("2", "exit 3");
    wait_for(1, 2);
    stop("1", false);
    wait_for(2, 2);
    return last_of("1")->signal_number == SIGTERM &&
                   last_of("2")->exit_code == 3
               ? 0
               : 1;
}

START_TEST(jobs_are_watched_by_polling_where_there_is_no_pidfd)
{
    int how;
    pid_t pid;

    setup();
    pid = fork();
    if (pid == 0)
        _exit(without_pidfd());
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    ck_assert(WIFEXITED(how));
    ck_assert_int_eq(WEXITSTATUS(how), 0);
    teardown();
}
END_TEST

SUITE_WITHIN(240, "trials/outlive", a_killed_shim_takes_everything_along,
             a_shim_killed_while_nobody_looked_is_lost,
             a_name_started_twice_runs_once,
             who_starts_a_running_job_again_hears_that_it_lives,
             a_name_that_ended_is_not_run_again, a_running_job_is_found_again,
             an_end_that_nobody_saw_is_told_later,
             a_job_that_never_began_is_lost_and_cannot_begin_after,
             a_job_of_another_boot_is_lost_and_no_stranger_is_killed,
             a_job_outlives_a_killed_service_and_is_found_again,
             jobs_are_watched_by_polling_where_there_is_no_pidfd)
