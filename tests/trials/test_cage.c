/* Limits of a process, and whose leftovers are removed; what needs real
 * cgroups is in caged.c. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/cage.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "trials/proc.h"

enum { MB = 1 << 20 };

/* Becomes a shell that succeeds if memory is to be had up to the limit and not
 * above it. */
static void try_memory(const struct cage *c)
{
    cage_enter(c);
    execlp("sh", "sh", "-c",
           "exec 2>/dev/null; [ \"$(ulimit -d)\" = 524288 ] &&"
           " dd if=/dev/zero of=/dev/null bs=64M count=1 &&"
           " ! dd if=/dev/zero of=/dev/null bs=600M count=1",
           (char *)NULL);
    _exit(9);
}

START_TEST(without_cgroups_each_process_is_limited)
{
    const struct cage_places places = {.memory = {.how = CAGE_PROCESS}};
    struct cage c;
    pid_t pid;
    int how;

    cage_make(&c, &places, getpid(), 1, 0, 512 * MB, 1.5);
    ck_assert_str_eq(c.memory, "");
    ck_assert_str_eq(c.cpus, "");
    ck_assert_int_eq(cage_ooms(&c), -1);
    pid = fork();
    if (pid == 0)
        try_memory(&c);
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    ck_assert_int_eq(how, 0);
    cage_remove(&c);
}
END_TEST

START_TEST(a_cgroup_that_cannot_be_made_leaves_the_process_limit)
{
    const struct cage_places places = {
        .memory = {.how = CAGE_V1, .folder = "/no/such/folder"},
        .cpus = {.how = CAGE_V2, .folder = "/no/such/folder"}};
    struct cage c;

    cage_make(&c, &places, getpid(), 1, 0, 512 * MB, 1.5);
    ck_assert_str_eq(c.memory, "");
    ck_assert_str_eq(c.cpus, "");
    ck_assert_int_eq(c.data, 512 * MB);
    cage_make(&c, &places, getpid(), 1, 0, 0, 1.5);
    ck_assert_int_eq(c.data, 0);
}
END_TEST

/* A pid that had a process, and has none. */
static pid_t gone(void)
{
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    return pid;
}

START_TEST(only_empty_folders_of_shims_that_are_gone_are_swept)
{
    char root[] = "/tmp/hypertune-cage-XXXXXX";
    struct cage_places places = {.memory = {.how = CAGE_V1}};
    char folder[6][128];
    pid_t ended = gone();
    uint64_t ticks = 0;
    bool left[6];

    ck_assert_ptr_nonnull(mkdtemp(root));
    snprintf(places.memory.folder, CAGE_PATH, "%s", root);
    ck_assert_int_eq(proc_start_time(getpid(), &ticks), 0);
    snprintf(folder[0], 128, "%s/hypertune-%d-1-0", root, (int)ended);
    snprintf(folder[1], 128, "%s/hypertune-%d-%llu-1", root, (int)getpid(),
             (unsigned long long)ticks);
    snprintf(folder[2], 128, "%s/hypertune-service", root);
    snprintf(folder[3], 128, "%s/another-%d-1-0", root, (int)ended);
    snprintf(folder[4], 128, "%s/hypertune-%d-1-1", root, (int)ended);
    snprintf(folder[5], 128, "%s/hypertune-%d-1-1/full", root, (int)ended);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(mkdir(folder[i], 0700), 0);
    cage_sweep(&places, 0, 0);
    for (int i = 0; i < 6; i++)
        left[i] = !access(folder[i], F_OK);
    ck_assert(!left[0]);
    for (int i = 1; i < 6; i++)
        ck_assert(left[i]);
    cage_sweep(&places, getpid(), ticks);
    ck_assert_int_eq(access(folder[1], F_OK), -1);
    for (int i = 5; i >= 2; i--)
        ck_assert_int_eq(rmdir(folder[i]), 0);
    ck_assert_int_eq(rmdir(root), 0);
}
END_TEST

SUITE("trials/cage", without_cgroups_each_process_is_limited,
      a_cgroup_that_cannot_be_made_leaves_the_process_limit,
      only_empty_folders_of_shims_that_are_gone_are_swept)
