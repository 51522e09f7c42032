/* The Slurm launcher on a real cluster whose controller is killed, forgets,
 * hangs, or is told to requeue. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/slurm/lib/rig.h"

START_TEST(a_controller_that_restarts_costs_nothing)
{
    setup();
    start("calm", "touch calm/up; while ! [ -e calm/go ]; do sleep 0.1; done");
    await_file("calm/up");
    wait_until(one_alive);
    cluster("kill", "controller", "TERM");
    start("later", "exit 4");
    for (int i = 0; !strstr(told[n_told - 1].text, "does not answer"); i++) {
        ck_assert_int_lt(i, 600);
        run_ms(100);
    }
    ck_assert_int_eq(last_words(), 0);
    touch("calm/go");
    wait_until(one_over); /* its own word is enough */
    ck_assert_str_eq(over()->name, "calm");
    ck_assert_int_eq(over()->exit_code, 0);
    cluster("up", "", "");
    wait_until(two_over);
    ck_assert_str_eq(over()->name, "later");
    ck_assert_int_eq(over()->exit_code, 4);
    teardown();
}
END_TEST

START_TEST(a_controller_that_lost_its_state_runs_nothing_twice)
{
    struct job_of held = {.name = "waits",
                          .lines = {"echo ran; exit 6"},
                          .options = {{"options", "--begin=now+8"}}};
    char *out;

    setup();
    start_of(&held);
    start("runs", "touch runs/up; echo ran; while ! [ -e runs/go ]; do sleep "
                  "0.1; done; exit 5");
    await_file("runs/up");
    wait_until(one_alive);
    cluster("kill", "controller", "KILL");
    ck_assert_int_eq(shell("rm -rf \"$SLURM_CLUSTER\"/state/*"), 0);
    cluster("up", "", "");
    wait_until(two_over);
    for (int i = 0; i < n_told; i++) {
        if (told[i].word == LAUNCHER_ALIVE || told[i].word == LAUNCHER_WAITING)
            continue;
        if (strcmp(told[i].name, "waits") == 0)
            ck_assert_int_eq(told[i].exit_code, 6);
        else
            ck_assert_int_eq(told[i].word, LAUNCHER_LOST);
    }
    out = read_file("waits/stdout.log");
    ck_assert_str_eq(out, "ran\n");
    free(out);
    out = read_file("runs/stdout.log");
    ck_assert_str_eq(out, "ran\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(a_job_that_is_requeued_by_force_runs_once)
{
    char *out;

    setup();
    start("forced", "echo ran; touch forced/up; exec sleep 1000");
    await_file("forced/up");
    wait_until(one_alive);
    ck_assert_int_eq(shell("id=$(squeue -h -t R -o %i) && scontrol update "
                           "jobid=$id requeue=1 && scontrol requeue $id"),
                     0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->blame, BLAME_PREEMPTED);
    for (int n = 0; in_queue("PD") > 0; n++) {
        ck_assert_int_lt(n, 300);
        run_ms(100);
    }
    ck_assert_int_eq(last_words(), 1);
    out = read_file("forced/stdout.log");
    ck_assert_str_eq(out, "ran\n");
    free(out);
    teardown();
}
END_TEST

enum { FIFTY = 50, PLACES = 12, HANGS_MS = 22000 };

static bool places_alive(void)
{
    return count(LAUNCHER_ALIVE) >= PLACES;
}

static bool places_over(void)
{
    return last_words() >= PLACES;
}

static bool fifty_over(void)
{
    return last_words() >= FIFTY;
}

static int64_t ticked, longest;

static void tick(void *ctx)
{
    int64_t now = clock_steady_ms(&clock_real);

    (void)ctx;
    if (ticked && now - ticked > longest)
        longest = now - ticked;
    ticked = now;
}

/* Its commands take ten seconds to say that nobody answers. */
START_TEST(fifty_jobs_outlast_a_controller_that_hangs)
{
    struct loop_watch *w;
    char name[NAME];

    setup();
    for (int i = 0; i < FIFTY; i++) {
        snprintf(name, sizeof name, "fifty%d", i);
        start(name, "while ! [ -e go ]; do sleep 0.2; done");
    }
    wait_until(places_alive);
    cluster("kill", "controller", "STOP");
    ticked = longest = 0;
    w = loop_every(loop, 50, tick, NULL);
    run_ms(HANGS_MS);
    ck_assert_int_eq(last_words(), 0);
    ck_assert_ptr_nonnull(strstr(told[n_told - 1].text, "does not answer"));
    touch("go");
    wait_until(places_over); /* by their own word */
    loop_forget(w);
    ck_assert_int_lt(longest, 3000);
    ck_assert_int_eq(count(LAUNCHER_ENDED), PLACES);
    cluster("kill", "controller", "CONT");
    wait_until(fifty_over);
    ck_assert_int_eq(count(LAUNCHER_ENDED), FIFTY);
    for (int i = 0; i < n_told; i++)
        ck_assert_int_eq(told[i].exit_code, 0);
    teardown();
}
END_TEST

SUITE_WITHIN(280, "slurm/controller", a_controller_that_restarts_costs_nothing,
             a_controller_that_lost_its_state_runs_nothing_twice,
             fifty_jobs_outlast_a_controller_that_hangs,
             a_job_that_is_requeued_by_force_runs_once)
