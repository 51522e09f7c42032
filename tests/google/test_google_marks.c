/* Looks at a growing log give each line one time, and lose none. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_marks.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "tests/lib/suite.h"

enum { MOST = 200 };

static struct {
    struct google_part parts[MOST];
    size_t n;
} seen;

static const struct google_log log_of = {7, 1, 1, 0, 0};

static void note(void *ctx, const struct google_part *part)
{
    (void)ctx;
    ck_assert_uint_lt(seen.n, MOST);
    seen.parts[seen.n++] = *part;
}

static void look(struct google_marks *m, int fd, bool ended)
{
    seen.n = 0;
    google_marks_look(m, &log_of, fd, ended, note, NULL);
}

/* A file that is gone once it is closed. */
static int new_file(void)
{
    char path[] = "/tmp/ht-marks.XXXXXX";
    int fd = mkstemp(path);

    ck_assert_int_ge(fd, 0);
    unlink(path);
    return fd;
}

/* As if it was written then. */
static void append(int fd, const char *text, int64_t second)
{
    struct timespec times[2] = {{second, 0}, {second, 0}};

    ck_assert_int_eq(pwrite(fd, text, strlen(text), lseek(fd, 0, SEEK_END)),
                     (ssize_t)strlen(text));
    lseek(fd, 0, SEEK_END);
    ck_assert_int_eq(futimens(fd, times), 0);
}

START_TEST(what_was_added_between_two_looks_has_one_time)
{
    struct google_marks *m = google_marks_new();
    int fd = new_file();

    look(m, fd, false);
    ck_assert_uint_eq(seen.n, 0);
    append(fd, "one\ntwo\n", 100);
    look(m, fd, false);
    look(m, fd, false);
    ck_assert_uint_eq(seen.n, 1);
    append(fd, "three\n", 200);
    look(m, fd, false);
    ck_assert_uint_eq(seen.n, 2);
    ck_assert_int_eq(seen.parts[0].from, 0);
    ck_assert_int_eq(seen.parts[0].to, 8);
    ck_assert_int_eq(seen.parts[0].ms, 100000);
    ck_assert_int_eq(seen.parts[1].from, 8);
    ck_assert_int_eq(seen.parts[1].to, 14);
    ck_assert_int_eq(seen.parts[1].ms, 200000);
    close(fd);
    google_marks_free(m);
}
END_TEST

START_TEST(half_a_line_waits_for_the_rest_or_the_end)
{
    struct google_marks *m = google_marks_new();
    int fd = new_file();

    append(fd, "one\ntw", 100);
    look(m, fd, false);
    ck_assert_int_eq(seen.parts[0].to, 4);
    append(fd, "o\nthr", 200);
    look(m, fd, false);
    ck_assert_uint_eq(seen.n, 2);
    ck_assert_int_eq(seen.parts[1].to, 8);
    look(m, fd, true);
    ck_assert_uint_eq(seen.n, 3);
    ck_assert_int_eq(seen.parts[2].to, 11);
    close(fd);
    google_marks_free(m);
}
END_TEST

START_TEST(time_never_goes_back_and_nothing_is_left_out)
{
    struct google_marks *m = google_marks_new();
    int fd = new_file();

    for (int i = 0; i < 150; i++) { /* every tenth with a clock set back */
        append(fd, "line\n", i % 10 == 9 ? 1 : 1000 + i);
        look(m, fd, false);
        ck_assert_int_eq(seen.parts[0].from, 0);
        ck_assert_int_eq(seen.parts[seen.n - 1].to, 5 * (i + 1));
        for (size_t k = 1; k < seen.n; k++) {
            ck_assert_int_eq(seen.parts[k].from, seen.parts[k - 1].to);
            ck_assert_int_ge(seen.parts[k].ms, seen.parts[k - 1].ms);
        }
    }
    close(fd);
    google_marks_free(m);
}
END_TEST

START_TEST(each_replica_has_marks_of_its_own)
{
    struct google_marks *m = google_marks_new();
    struct google_log logs[] = {{7, 1, 1, 0, 0}, {7, 1, 1, 10000, 0}};
    int fds[] = {new_file(), new_file()};

    append(fds[0], "master\n", 100);
    append(fds[1], "w\n", 200);
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < 2; i++) {
            seen.n = 0;
            google_marks_look(m, &logs[i], fds[i], false, note, NULL);
            ck_assert_uint_eq(seen.n, 1);
            ck_assert_int_eq(seen.parts[0].to, i ? 2 : 7);
            ck_assert_int_eq(seen.parts[0].ms, i ? 200000 : 100000);
        }
    close(fds[0]);
    close(fds[1]);
    google_marks_free(m);
}
END_TEST

SUITE("google/google_marks", what_was_added_between_two_looks_has_one_time,
      half_a_line_waits_for_the_rest_or_the_end,
      time_never_goes_back_and_nothing_is_left_out,
      each_replica_has_marks_of_its_own)
