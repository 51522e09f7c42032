/* The memory of a trial's processes is found by what their environment names.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/peak.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

/* A process that says "up" and waits until its input ends. */
static pid_t begin(const char *variable, int *in)
{
    int to[2], from[2];
    char up;
    pid_t pid;

    ck_assert_int_eq(pipe2(to, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(from, O_CLOEXEC), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (!pid) {
        char *argv[] = {(char[]){"sh"}, (char[]){"-c"},
                        (char[]){"echo; read x"}, NULL};
        char *environ_[] = {mem_copy_text(variable), NULL};

        dup2(to[0], 0);
        dup2(from[1], 1);
        execve("/bin/sh", argv, environ_);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    ck_assert_int_eq(read(from[0], &up, 1), 1);
    close(from[0]);
    *in = to[1];
    return pid;
}

static void end(pid_t pid, int in)
{
    close(in);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(a_process_counts_for_the_trial_that_it_names)
{
    int64_t peaks[3] = {0, 0, 0}, one;
    char *folder = mem_format("/tmp/peak-%d/trials/s-try", (int)getpid());
    char *second = mem_format("X=%s/2/1/stop", folder);
    char *twelfth = mem_format("X=%s/12/1/stop", folder);
    char *near = mem_format("X=%s2/2/1/stop", folder);
    int in[4];
    pid_t pids[4];

    pids[0] = begin(second, &in[0]);
    pids[1] = begin(twelfth, &in[1]); /* none of the three */
    pids[2] = begin(near, &in[2]);    /* another study's */
    peak_look(folder, peaks, 3);
    ck_assert_int_eq(peaks[0], 0);
    ck_assert_int_gt(peaks[1], 0);
    ck_assert_int_eq(peaks[2], 0);
    one = peaks[1];
    pids[3] = begin(second, &in[3]); /* two processes of one trial add up */
    peak_look(folder, peaks, 3);
    ck_assert_int_gt(peaks[1], one + one / 2);
    one = peaks[1];
    for (int i = 0; i < 4; i++)
        end(pids[i], in[i]);
    peak_look(folder, peaks, 3); /* what was seen stays */
    ck_assert_int_eq(peaks[1], one);
    free(folder);
    free(second);
    free(twelfth);
    free(near);
}
END_TEST

SUITE("cli/peak", a_process_counts_for_the_trial_that_it_names)
