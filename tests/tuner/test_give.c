/* Trials from elsewhere: put in, learned from, counted apart, never run. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/give.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

static struct stage g;

static void begin(void)
{
    stage_init(&g);
    stage_open(&g);
}

static void end(void)
{
    ck_assert_str_eq(g.machine->fault, "");
    stage_clear(&g);
}

#define STUDY                                                                  \
    "study: s\nmaximize: acc\nparams:\n  x: 0 .. 1\nrun: ./train\n"            \
    "parallel: 1\n"

static int give(int64_t id, const char *bytes, struct engine_given *out)
{
    struct faults faults;
    struct err e = {0};
    int rc;

    faults_init(&faults);
    rc = engine_give(g.engine, id, bytes, strlen(bytes), "imported", out,
                     &faults, &e);
    if (rc)
        ck_assert(faults.n > 0 || e.code);
    faults_clear(&faults);
    engine_turn(g.engine);
    return rc;
}

static void must_give(int64_t id, const char *bytes)
{
    struct engine_given given;

    ck_assert_int_eq(give(id, bytes, &given), 0);
}

/* The job that runs reports that value and ends. */
static void run_one(double value)
{
    struct stage_job *job = stage_running(&g, 0);

    ck_assert_ptr_nonnull(job);
    stage_report(job, "acc", value, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

START_TEST(given_trials_are_results_and_take_no_place)
{
    struct engine_given given;
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 2\n");
    ck_assert_int_eq(give(id,
                          "x,value,state\n0.5,0.75,\n0.25,,FAILED\n"
                          "0.1,,RUNNING\n",
                          &given),
                     0);
    ck_assert_int_eq(given.n, 2);
    ck_assert_int_eq(given.first, 2);
    ck_assert_int_eq(given.unfinished, 1);
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_SUCCEEDED);
    ck_assert_double_eq(stage_trial(&g, id, 2).value, 0.75);
    ck_assert_str_eq(stage_trial(&g, id, 2).point, "{\"x\": 0.5}");
    ck_assert_int_eq(stage_trial(&g, id, 3).state, TRIAL_FAILED);
    run_one(0.5);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    run_one(0.5);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(g.machine->n_jobs, 2);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 2);
    end();
}
END_TEST

START_TEST(start_points_are_all_tried_whatever_is_given)
{
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 9\n"
                                "start: [{x: 0.125}, {x: 0.625}]\n");
    must_give(id, "x,value\n0.5,1\n0.25,1\n0.75,1\n");
    run_one(0.5);
    ck_assert_str_eq(stage_trial(&g, id, 1).point, "{\"x\": 0.125}");
    ck_assert_str_eq(stage_trial(&g, id, 5).point, "{\"x\": 0.625}");
    end();
}
END_TEST

/* Every point that a study of that algorithm tries, with three given before
 * the third, and a new service after each if `restart`. */
static void points(const char *algorithm, bool restart, char *out, size_t size)
{
    char yaml[300];
    int64_t id;

    begin();
    snprintf(yaml, sizeof yaml, STUDY "trials: 12\nalgorithm: %s\n", algorithm);
    id = stage_submit(&g, yaml);
    *out = 0;
    for (int i = 0; i < 12; i++) {
        int64_t number = i < 3 ? i + 1 : i + 4;

        strncat(out, stage_trial(&g, id, number).point, size - strlen(out) - 1);
        if (i == 2)
            must_give(id, "x,value\n0.5,1\n0.25,2\n0.3,\"nan\"\n");
        run_one(0.1 * i);
        if (restart) {
            stage_close(&g);
            stage_open(&g);
            stage_pass(&g, 10);
        }
    }
    end();
}

START_TEST(a_restart_changes_no_point_where_trials_were_given)
{
    static const char *const names[] = {"bayesian", "tpe", "cma-es", "random",
                                        "quasi-random"};
    char once[2000], again[2000];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        points(names[i], false, once, sizeof once);
        points(names[i], true, again, sizeof again);
        ck_assert_str_eq(once, again);
    }
}
END_TEST

START_TEST(what_is_given_is_learned)
{
    char without[500];
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "trials: 50\n");
    must_give(id, "x,value\n0,0\n0.1,1\n0.2,2\n0.3,3\n0.4,2\n0.5,1\n0.6,0\n"
                  "0.7,-1\n0.8,-2\n0.9,-3\n1,-4\n0.25,2.5\n0.35,2.5\n");
    run_one(-1);
    snprintf(without, sizeof without, "%s", stage_trial(&g, id, 15).point);
    /* the next point is near the best one, not where a design would begin */
    ck_assert_msg(strncmp(without, "{\"x\": 0.3", 9) == 0 ||
                      strncmp(without, "{\"x\": 0.2", 9) == 0,
                  "%s", without);
    end();
}
END_TEST

START_TEST(faults_leave_the_study_as_it_was)
{
    struct engine_given given;
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 2\n");
    ck_assert_int_eq(give(id, "x,value\n0.5,1\n2,1\n", &given), -1);
    run_one(0.5);
    ck_assert_str_eq(stage_trial(&g, id, 2).detail, "");
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_RUNNING);
    end();
}
END_TEST

START_TEST(a_study_that_has_ended_takes_none)
{
    struct engine_given given;
    struct faults faults;
    struct err e = {0};
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 1\n");
    run_one(0.5);
    faults_init(&faults);
    ck_assert_int_eq(engine_give(g.engine, id, "x,value\n0.5,1\n", 14,
                                 "imported", &given, &faults, &e),
                     -1);
    ck_assert_uint_eq(faults.n, 0);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    faults_clear(&faults);
    engine_turn(g.engine);
    end();
}
END_TEST

START_TEST(a_given_trial_that_reaches_the_target_ends_the_study)
{
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 5\ntarget: 0.9\n");
    must_give(id, "x,value\n0.5,0.95\n");
    run_one(0.1);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_str_eq(stage_reason(&g, id), "target reached: trial 2 has 0.95");
    end();
}
END_TEST

START_TEST(given_trials_are_never_tried_again)
{
    int64_t id, n = -1;
    struct err e;

    begin();
    id = stage_submit(&g, STUDY "algorithm: random\ntrials: 5\n");
    must_give(id, "x,state\n0.5,FAILED\n0.25,INFEASIBLE\n");
    ck_assert_int_eq(engine_retry(g.engine, id, 2, &n, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(engine_retry(g.engine, id, 0, &n, &e), 0);
    ck_assert_int_eq(n, 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_FAILED);
    end();
}
END_TEST

SUITE_WITHIN(240, "tuner/give", given_trials_are_results_and_take_no_place,
             start_points_are_all_tried_whatever_is_given,
             a_restart_changes_no_point_where_trials_were_given,
             what_is_given_is_learned, faults_leave_the_study_as_it_was,
             a_study_that_has_ended_takes_none,
             a_given_trial_that_reaches_the_target_ends_the_study,
             given_trials_are_never_tried_again)
