/* A state directory has one holder, whose death frees it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/lock.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"

enum { PATH = 64 };

static void make(char top[PATH], char dir[PATH])
{
    snprintf(top, PATH, "/tmp/hypertune-lock-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(top));
    snprintf(dir, PATH, "%s/state", top);
}

static void clean(const char *top, const char *dir)
{
    char path[PATH + 8];

    snprintf(path, sizeof path, "%s/lock", dir);
    unlink(path);
    rmdir(dir);
    ck_assert_int_eq(rmdir(top), 0);
}

/* A child that takes the lock, says so, and waits to be killed. */
static pid_t hold(const char *dir)
{
    int ends[2], fd;
    struct err e;
    char word = 0;
    pid_t child;

    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        if (lock_take(dir, &fd, &e) || write(ends[1], "x", 1) != 1)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[1]);
    ck_assert_int_eq(read(ends[0], &word, 1), 1);
    close(ends[0]);
    return child;
}

START_TEST(a_second_holder_is_told_who_the_first_is)
{
    char top[PATH], dir[PATH], wanted[PATH * 2];
    struct err e = {0};
    pid_t child;
    int fd = -1;

    make(top, dir);
    child = hold(dir);
    ck_assert_int_eq(lock_take(dir, &fd, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    snprintf(wanted, sizeof wanted, "%s is in use by process %ld", dir,
             (long)child);
    ck_assert_str_eq(e.text, wanted);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    clean(top, dir);
}
END_TEST

START_TEST(kill_nine_of_the_holder_frees_it)
{
    char top[PATH], dir[PATH];
    struct err e = {0};
    pid_t child;
    int fd = -1;

    make(top, dir);
    child = hold(dir);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    ck_assert_msg(!lock_take(dir, &fd, &e), "%s", e.text);
    lock_release(fd);
    clean(top, dir);
}
END_TEST

START_TEST(it_can_be_given_back_and_taken_again)
{
    char top[PATH], dir[PATH];
    int fd = -1, again = -1;
    struct err e = {0};

    make(top, dir);
    ck_assert_int_eq(lock_take(dir, &fd, &e), 0);
    ck_assert_int_eq(lock_take(dir, &again, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    lock_release(fd);
    ck_assert_int_eq(lock_take(dir, &again, &e), 0);
    lock_release(again);
    clean(top, dir);
}
END_TEST

START_TEST(the_directory_is_made_for_its_owner_only)
{
    char top[PATH], dir[PATH];
    struct stat st;
    struct err e;
    int fd = -1;

    make(top, dir);
    ck_assert_int_eq(lock_take(dir, &fd, &e), 0);
    ck_assert_int_eq(stat(dir, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0700);
    lock_release(fd);
    clean(top, dir);
}
END_TEST

START_TEST(a_directory_that_cannot_be_used_is_named)
{
    struct err e = {0};
    int fd = -1;

    ck_assert_int_eq(lock_take("/proc/hypertune", &fd, &e), -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "/proc/hypertune"));
    ck_assert_int_eq(lock_take("/proc", &fd, &e), -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "/proc cannot be locked"));
}
END_TEST

SUITE_WITHIN(120, "store/lock", a_second_holder_is_told_who_the_first_is,
             kill_nine_of_the_holder_frees_it,
             it_can_be_given_back_and_taken_again,
             the_directory_is_made_for_its_owner_only,
             a_directory_that_cannot_be_used_is_named)
