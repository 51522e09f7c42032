/* The status file is read as it stands, whole or in pieces. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/status.h"

#include <check.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static char folder[64];
static char *path;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hypertune-status-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = mem_format("%s/status", folder);
}

static void teardown(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
    free(path);
}

static void put(const char *text)
{
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(text, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(every_line_is_understood_and_unknown_ones_are_passed_over)
{
    struct status s;

    setup();
    ck_assert(!status_read(folder, &s));
    put("boot=abc\nshim=12 345\nwhat=7\nnothing\nchild=13 346\n");
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.end, STATUS_RUNNING);
    ck_assert_int_eq(s.shim, 12);
    ck_assert_uint_eq(s.child_start, 346);
    ck_assert_str_eq(s.boot, "abc");
    put("end=signal 9\nran_ms=1500\noom=1\n\n\n");
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.end, STATUS_SIGNAL);
    ck_assert_int_eq(s.number, 9);
    ck_assert_int_eq(s.ran_ms, 1500);
    ck_assert(s.oom);
    ck_assert_str_eq(s.replica, "");
    put("end=exit 3\nreplica=worker-1\nran_ms=1500\n");
    ck_assert(status_read(folder, &s));
    ck_assert_str_eq(s.replica, "worker-1");
    put("end=refused\ntext=cannot run x=y: no\n");
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.end, STATUS_REFUSED);
    ck_assert_str_eq(s.text, "cannot run x=y: no");
    teardown();
}
END_TEST

START_TEST(garbage_is_a_job_of_which_nothing_is_known)
{
    struct status s;
    char *long_line = mem_new(5000, 1);

    setup();
    memset(long_line, 'x', 4999);
    put(long_line);
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.end, STATUS_RUNNING);
    ck_assert_int_eq(s.shim, 0);
    put("shim=\nchild=x y\nend=exit\nend=\n=\n");
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.shim, 0);
    ck_assert_int_eq(s.child, 0);
    ck_assert_int_eq(s.end, STATUS_RUNNING);
    free(long_line);
    teardown();
}
END_TEST

START_TEST(a_folder_is_taken_for_lost_once)
{
    struct status s;
    struct err e;

    setup();
    ck_assert_int_eq(status_claim_lost(folder, &e), 0);
    ck_assert(status_read(folder, &s));
    ck_assert_int_eq(s.end, STATUS_LOST);
    ck_assert_int_eq(status_claim_lost(folder, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    teardown();
    ck_assert_int_eq(status_claim_lost("/no/such/folder", &e), -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
}
END_TEST

SUITE("trials/status",
      every_line_is_understood_and_unknown_ones_are_passed_over,
      garbage_is_a_job_of_which_nothing_is_known,
      a_folder_is_taken_for_lost_once)
