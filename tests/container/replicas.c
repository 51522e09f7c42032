/* Jobs of several containers: one's end is the others'. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>

#include "tests/container/lib/rig.h"
#include "tests/lib/suite.h"

START_TEST(the_masters_end_is_the_jobs)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1; echo over"},
        {.name = "worker-0", .script = "echo here; sleep 1000"},
        {.name = "worker-1", .script = "echo done early"},
        {.name = "ps-0",
         .script = "trap '' TERM; sleep 2; trap 'exit 0' TERM; sleep 1000"}};

    static const struct part stopped[] = {
        {.name = "master-0", .script = "sleep 1000"},
        {.name = "worker-0", .script = "trap 'exit 3' TERM; sleep 1000"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", stopped, 2, NULL, 0), 0);
    wait_for(0, 1);
    ck_assert_uint_eq(n_containers(), 2);
    stop("s/1/1", false);
    wait_for(1, 1);
    ck_assert_str_eq(expect_end("s/1/1", -1, SIGTERM)->replica, "");
    ck_assert_int_eq(start_parts("s/2/1", parts, 4, NULL, 0), 0);
    wait_for(2, 2);
    ck_assert_str_eq(expect_end("s/2/1", 0, 0)->replica, "");
    ck_assert_str_eq(file_of("s/2/1", "stdout.log"), "over\n");
    ck_assert_str_eq(file_of("s/2/1", "worker-0/stdout.log"), "here\n");
    ck_assert_str_eq(file_of("s/2/1", "worker-1/stdout.log"), "done early\n");
    teardown();
}
END_TEST

START_TEST(a_replica_that_breaks_before_the_master_breaks_the_job)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "sleep 1000"},
        {.name = "worker-0", .script = "sleep 1000"},
        {.name = "worker-1", .script = "echo oh >&2; exit 9"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", parts, 3, NULL, 0), 0);
    wait_for(1, 1);
    ck_assert_str_eq(expect_end("s/1/1", 9, 0)->replica, "worker-1");
    ck_assert_str_eq(file_of("s/1/1", "worker-1/stderr.log"), "oh\n");
    teardown();
}
END_TEST

START_TEST(a_replica_that_cannot_begin_keeps_all_from_it)
{
    static const struct part parts[] = {
        {.name = "master-0", .script = "echo x >$HYPERTUNE_REPORT_FILE"},
        {.name = "worker-0", .script = "true", .image = "localhost/none:2"}};

    setup();
    ck_assert_int_eq(start_parts("s/1/1", parts, 2, NULL, 0), 0);
    wait_for(1, 0);
    expect_hopeless("s/1/1", "localhost/none:2");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "");
    teardown();
}
END_TEST

SUITE_WITHIN(300, "container/replicas", the_masters_end_is_the_jobs,
             a_replica_that_breaks_before_the_master_breaks_the_job,
             a_replica_that_cannot_begin_keeps_all_from_it)
