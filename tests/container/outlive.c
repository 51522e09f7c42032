/* Containers outlive the service that started them, and nothing runs twice: the
 * rest of what trials/launcher.h promises. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/container/lib/rig.h"
#include "tests/lib/suite.h"

START_TEST(jobs_are_found_again_and_their_output_is_gone_on_with)
{
    setup();
    start("s/1/1", "echo one; until [ -e ${HYPERTUNE_REPORT_FILE%/*}/go ];"
                   " do sleep 0.05; done; echo two; exit 6");
    start("s/2/1", "echo begin; sleep 0.5; echo end; exit 7");
    wait_word("s/1/1", "stdout.log", "one");
    wait_word("s/2/1", "stdout.log", "begin");
    close_launcher();
    usleep(900 * 1000); /* the second ends while nobody looks */
    open_launcher();
    watch("s/1/1");
    watch("s/1/1");
    watch("s/2/1");
    wait_for(1, 4);
    expect_end("s/2/1", 7, 0);
    ck_assert_str_eq(file_of("s/2/1", "stdout.log"), "begin\nend\n");
    make_file("s/1/1", "go");
    wait_for(2, 4);
    expect_end("s/1/1", 6, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "one\ntwo\n");
    teardown();
}
END_TEST

START_TEST(a_name_that_is_started_again_runs_once)
{
    static const char script[] =
        "echo x >>$HYPERTUNE_REPORT_FILE; sleep 1; exit 8";

    setup();
    start("s/1/1", script);
    wait_for(0, 1);
    start("s/1/1", script); /* known */
    wait_for(0, 2);
    close_launcher();
    open_launcher();
    start("s/1/1", script); /* found */
    wait_for(1, 3);
    expect_end("s/1/1", 8, 0);
    start("s/1/1", script); /* ended, and that is known */
    wait_for(2, 3);
    expect_end("s/1/1", 8, 0);
    ck_assert_str_eq(file_of("s/1/1", "reports"), "x\n");
    teardown();
}
END_TEST

START_TEST(jobs_given_up_at_any_moment_of_their_start_run_once)
{
    static const char script[] = "echo x >>$HYPERTUNE_REPORT_FILE; sleep 0.5";
    char name[16];

    setup();
    for (int i = 0; i < 8; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        start(name, script);
        run_ms(i * 40);
        close_launcher();
        open_launcher();
        start(name, script);
        wait_for(i + 1, 0);
        expect_end(name, 0, 0);
        ck_assert_str_eq(file_of(name, "reports"), "x\n");
    }
    teardown();
}
END_TEST

START_TEST(a_job_that_never_began_or_was_removed_is_lost)
{
    setup();
    make_folders("s/1/1");
    watch("s/1/1");
    wait_for(1, 0);
    expect("s/1/1", LAUNCHER_LOST, 0, 0);
    start("s/2/1", "echo ready; sleep 1000");
    wait_word("s/2/1", "stdout.log", "ready");
    close_launcher();
    by_hand("DELETE", "s/2/1", "master-0", "?force=1");
    open_launcher();
    watch("s/2/1");
    wait_for(2, 0);
    ck_assert_int_eq(expect("s/2/1", LAUNCHER_LOST, 0, 0)->blame, BLAME_PERSON);
    teardown();
}
END_TEST

START_TEST(forgetting_ends_nothing)
{
    setup();
    start("s/1/1", "echo ready; sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    close_launcher();
    ck_assert_uint_eq(n_containers(), 1);
    open_launcher();
    watch("s/1/1");
    stop("s/1/1", false);
    wait_for(1, 0);
    expect_end("s/1/1", -1, SIGTERM);
    teardown();
}
END_TEST

SUITE_WITHIN(300, "container/outlive",
             jobs_are_found_again_and_their_output_is_gone_on_with,
             a_name_that_is_started_again_runs_once,
             jobs_given_up_at_any_moment_of_their_start_run_once,
             a_job_that_never_began_or_was_removed_is_lost,
             forgetting_ends_nothing)
