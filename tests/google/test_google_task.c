/* The replicas of a job are found by their folders, and named as Google names
 * them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_task.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"

/* An attempt's folder, with logs that say whose they are. */
static int begin(char path[64])
{
    static const char *const names[] = {"worker-0", "worker-12", "ps-1",
                                        "evaluator-0"};
    int dir, fd;

    snprintf(path, 64, "/tmp/ht-task.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
    dir = open(path, O_RDONLY | O_DIRECTORY);
    ck_assert_int_ge(dir, 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char log[64];

        snprintf(log, sizeof log, "%s/stdout.log", names[i]);
        ck_assert_int_eq(mkdirat(dir, names[i], 0700), 0);
        fd = openat(dir, log, O_WRONLY | O_CREAT, 0600);
        ck_assert_int_ge(fd, 0);
        ck_assert_int_eq(write(fd, names[i], 2), 2);
        close(fd);
    }
    return dir;
}

static void end(int dir, const char *path)
{
    pid_t pid = fork();

    if (pid == 0) {
        execlp("rm", "rm", "-rf", path, NULL);
        _exit(1);
    }
    ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
    close(dir);
}

START_TEST(a_replica_has_the_name_that_its_interface_gives_it)
{
    char name[GOOGLE_TASK_NAME];

    google_task_name(true, 0, name);
    ck_assert_str_eq(name, "master-replica-0");
    google_task_name(false, 0, name);
    ck_assert_str_eq(name, "workerpool0-0");
    google_task_name(true, 20003, name);
    ck_assert_str_eq(name, "ps-replica-3");
    google_task_name(false, 30001, name);
    ck_assert_str_eq(name, "workerpool3-1");
}
END_TEST

START_TEST(folders_of_replicas_are_listed_and_no_others)
{
    static const char *const odd[] = {"worker-",   "worker-01",   "worker-x",
                                      "master-0",  "worker",      "-1",
                                      "worker--1", "worker-1000", "workers-1"};
    int found[GOOGLE_TASKS], sum = 0, dir;
    char path[64];
    size_t n;

    dir = begin(path);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        ck_assert_int_eq(mkdirat(dir, odd[i], 0700), 0);
    n = google_task_list(dir, found);
    ck_assert_uint_eq(n, 5);
    ck_assert_int_eq(found[0], 0);
    for (size_t i = 0; i < n; i++)
        sum += found[i];
    ck_assert_int_eq(sum, 10000 + 10012 + 20001 + 30000);
    end(dir, path);
}
END_TEST

START_TEST(a_replica_s_file_is_its_own_and_no_link)
{
    char path[64], byte;
    int dir = begin(path), fd;

    fd = google_task_open(dir, 20001, "stdout.log");
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(read(fd, &byte, 1), 1);
    ck_assert_int_eq(byte, 'p');
    close(fd);
    ck_assert_int_lt(google_task_open(dir, 0, "stdout.log"), 0);
    ck_assert_int_lt(google_task_open(dir, 20002, "stdout.log"), 0);
    ck_assert_int_eq(symlinkat("worker-0", dir, "worker-1"), 0);
    ck_assert_int_lt(google_task_open(dir, 10001, "stdout.log"), 0);
    ck_assert_int_eq(symlinkat("ps-1/stdout.log", dir, "stdout.log"), 0);
    ck_assert_int_lt(google_task_open(dir, 0, "stdout.log"), 0);
    ck_assert_int_eq(mkdirat(dir, "worker-0/stderr.log", 0700), 0);
    ck_assert_int_lt(google_task_open(dir, 10000, "stderr.log"), 0);
    end(dir, path);
}
END_TEST

SUITE("google/google_task", a_replica_has_the_name_that_its_interface_gives_it,
      folders_of_replicas_are_listed_and_no_others,
      a_replica_s_file_is_its_own_and_no_link)
