/* The engine: studies from submission to end on a pretended machine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/engine.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
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

#define RANDOM                                                                 \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\n"

/* Every running job reports and ends, until the study has ended. */
static void run_out(int64_t id, int most)
{
    struct stage_job *job;

    for (int i = 0; i < most && !study_state_ended(stage_study_state(&g, id));
         i++) {
        while ((job = stage_running(&g, 0))) {
            stage_report(job, "acc", 0.5, 1);
            stage_end(&g, job, 0);
        }
        stage_pass(&g, 100);
    }
}

START_TEST(a_study_runs_to_its_end_and_names_the_best)
{
    int64_t id;
    int n = 0;

    begin();
    id = stage_submit(&g, RANDOM "trials: 10\nparallel: 3\n");
    while (stage_study_state(&g, id) == STUDY_ACTIVE && n < 100) {
        struct stage_job *job = stage_running(&g, 0);

        ck_assert_ptr_nonnull(job);
        stage_report(job, "acc", ++n == 4 ? 0.9 : 0.1, 1);
        stage_end(&g, job, 0);
        stage_pass(&g, 10);
    }
    run_out(id, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 10);
    ck_assert_int_eq(g.machine->most_running, 3);
    ck_assert_int_eq(g.machine->n_jobs, 10);
    end();
}
END_TEST

START_TEST(a_free_place_is_filled_at_once)
{
    begin();
    stage_submit(&g, RANDOM "trials: 50\nparallel: 4\n");
    ck_assert_int_eq(g.machine->running, 4);
    for (int i = 0; i < 20; i++) {
        struct stage_job *job = stage_running(&g, i % 4);

        stage_report(job, "acc", 0.5, 1);
        stage_end(&g, job, 0);
        stage_pass(&g, 1);
        ck_assert_int_eq(g.machine->running, 4);
    }
    end();
}
END_TEST

START_TEST(without_parallel_there_is_a_trial_for_each_processor)
{
    begin();
    stage_submit(&g, RANDOM "trials: 50\n");
    ck_assert_int_eq(g.machine->running, 4);
    end();
}
END_TEST

START_TEST(a_job_that_reports_nothing_is_infeasible_and_says_what_it_reported)
{
    struct stage_trial t;
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 5\nparallel: 1\n");
    job = stage_running(&g, 0);
    stage_report(job, "loss", 1, 1);
    stage_report(job, "ac", 1, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    t = stage_trial(&g, id, 1);
    ck_assert_int_eq(t.state, TRIAL_INFEASIBLE);
    ck_assert_int_eq(t.reason, REASON_NO_METRIC);
    ck_assert_str_eq(t.detail, "ended well but never reported acc; it reported "
                               "loss, ac; did you mean ac?");
    end();
}
END_TEST

START_TEST(a_value_that_is_not_finite_is_infeasible)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 5\nparallel: 1\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.5, 1);
    stage_report(job, "acc", NAN, 2);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_INFEASIBLE);
    ck_assert_int_eq(stage_trial(&g, id, 1).reason, REASON_NOT_FINITE);
    end();
}
END_TEST

START_TEST(an_attempt_that_breaks_is_tried_again_as_often_as_told)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\nparallel: 1\nretries: 1\n");
    job = stage_job(&g, "s/1/1");
    stage_print(job, "stderr.log", "Traceback\nboom\n");
    stage_end(&g, job, 3);
    stage_pass(&g, 1);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_PENDING);
    ck_assert_int_eq(g.machine->running, 1); /* trial 2 took the place */
    stage_report(stage_job(&g, "s/2/1"), "acc", 1, 1);
    stage_end(&g, stage_job(&g, "s/2/1"), 0);
    stage_pass(&g, 2000);
    stage_pass(&g, 1);
    job = stage_job(&g, "s/1/2");
    ck_assert_ptr_nonnull(job);
    stage_print(job, "stderr.log", "Traceback\nboom\n");
    stage_end(&g, job, 3);
    stage_pass(&g, 1);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_FAILED);
    ck_assert_str_eq(stage_trial(&g, id, 1).detail, "exit 3: Traceback | boom");
    end();
}
END_TEST

START_TEST(three_that_end_at_once_alike_pause_the_study)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 40\nparallel: 1\n");
    for (int i = 0; i < 3; i++) {
        struct stage_job *job = stage_running(&g, 0);

        stage_print(job, "stderr.log", "no such dataset\n");
        stage_end(&g, job, 2);
        stage_pass(&g, 50);
    }
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "no such dataset"));
    ck_assert_int_eq(g.machine->running, 0);
    end();
}
END_TEST

START_TEST(a_program_that_is_not_there_pauses_the_study)
{
    int64_t id;

    begin();
    g.machine->refuse = true;
    id = stage_submit(&g, RANDOM "trials: 40\nparallel: 8\n");
    stage_pass(&g, 50);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "no such program"));
    end();
}
END_TEST

START_TEST(a_job_that_vanishes_is_tried_again_though_nobody_said_retry)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\n");
    stage_vanish(&g, stage_running(&g, 0));
    stage_pass(&g, 1);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_PENDING);
    ck_assert_int_eq(stage_trial(&g, id, 1).reason, REASON_LOST);
    stage_pass(&g, 2000);
    stage_pass(&g, 1);
    stage_report(stage_job(&g, "s/1/2"), "acc", 1, 1);
    stage_end(&g, stage_job(&g, "s/1/2"), 0);
    stage_pass(&g, 1);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_trial_over_its_limit_is_asked_then_killed_and_keeps_its_value)
{
    struct stage_trial t;
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM
                      "trials: 5\nparallel: 1\ntrial_limit: 60s\ngrace: 5s\n");
    stage_pass(&g, 1);
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.25, 1);
    stage_pass(&g, 59000);
    ck_assert(!job->asked_to_stop);
    stage_pass(&g, 2000);
    ck_assert(job->asked_to_stop && !job->killed);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPING);
    stage_pass(&g, 6000);
    ck_assert(job->killed);
    t = stage_trial(&g, id, 1);
    ck_assert_int_eq(t.state, TRIAL_STOPPED);
    ck_assert_int_eq(t.reason, REASON_DEADLINE);
    ck_assert(t.has_value && t.value == 0.25);
    end();
}
END_TEST

START_TEST(the_time_limit_of_a_study_ends_all_its_trials)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 50\nparallel: 2\ntime_limit: 1h\n"
                                 "grace: 1s\n");
    stage_report(stage_running(&g, 0), "acc", 0.5, 1);
    stage_end(&g, stage_running(&g, 0), 0);
    stage_pass(&g, 10);
    stage_pass(&g, 3600000);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ENDING);
    stage_pass(&g, 2000);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(g.machine->running, 0);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_STOPPED), 2);
    end();
}
END_TEST

START_TEST(a_target_or_want_of_progress_ends_a_study)
{
    int64_t id;
    struct stage_job *job;

    begin();
    id = stage_submit(&g, RANDOM "trials: 50\nparallel: 1\ntarget: 0.9\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.95, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(g.machine->n_jobs, 1);

    id =
        stage_submit(&g, "study: p\nmaximize: acc\nalgorithm: random\nparams:\n"
                         "  x: 0 .. 1\nrun: ./t\ntrials: 50\nparallel: 1\n"
                         "patience: 3\n");
    run_out(id, 50);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 4);
    end();
}
END_TEST

START_TEST(a_grid_ends_when_every_point_was_tried)
{
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nmaximize: acc\nalgorithm: grid\nparams:\n"
                          "  x: [1, 2, 3]\n  y: [a, b]\nrun: ./t\n"
                          "trials: 100\nparallel: 4\n");
    run_out(id, 50);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 6);
    end();
}
END_TEST

START_TEST(an_interrupted_study_goes_on_with_the_same_trials)
{
    struct engine_submitted out;
    struct faults f;
    struct err e;
    char before[500];
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 2\ngrace: 1s\n");
    snprintf(before, sizeof before, "%s", stage_trial(&g, id, 1).point);
    ck_assert_int_eq(engine_pause(g.engine, id, true, "interrupted", &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    stage_pass(&g, 10);
    stage_pass(&g, 2000); /* killed after the grace */
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_PENDING), 2);
    ck_assert_int_eq(g.machine->running, 0);
    stage_close(&g);
    stage_open(&g);

    faults_init(&f);
    ck_assert_int_eq(
        engine_submit(g.engine, RANDOM "trials: 4\nparallel: 2\ngrace: 1s\n",
                      strlen(RANDOM "trials: 4\nparallel: 2\ngrace: 1s\n"),
                      "study", g.dir, &out, &f, &e),
        0);
    ck_assert(out.resumed && out.id == id);
    engine_turn(g.engine);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/2"));
    run_out(id, 20);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_str_eq(stage_trial(&g, id, 1).point, before);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 4);
    end();
}
END_TEST

START_TEST(a_longer_budget_takes_an_ended_study_up_again)
{
    int64_t id, again;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\nparallel: 2\n");
    run_out(id, 20);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    again = stage_submit(&g, RANDOM "trials: 5\nparallel: 2\n");
    ck_assert_int_eq(again, id);
    run_out(id, 20);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 5);
    end();
}
END_TEST

START_TEST(another_study_of_the_same_name_is_refused)
{
    static const char other[] =
        "study: s\nmaximize: acc\nparams:\n  z: 0 .. 2\nrun: ./t\n";
    struct engine_submitted out;
    struct faults f;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\n");
    faults_init(&f);
    ck_assert_int_eq(engine_submit(g.engine, other, strlen(other), "study",
                                   g.dir, &out, &f, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    end();
}
END_TEST

START_TEST(a_cancelled_study_stops_what_runs)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 20\nparallel: 2\ngrace: 1s\n");
    ck_assert_int_eq(engine_delete(g.engine, id, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(engine_cancel(g.engine, id, &e), 0);
    stage_pass(&g, 10);
    stage_pass(&g, 2000);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_CANCELLED);
    ck_assert_int_eq(g.machine->running, 0);
    ck_assert_int_eq(engine_resume(g.engine, id, &e), -1);
    ck_assert_int_eq(engine_delete(g.engine, id, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(store_study_find(g.store, "s", &id, &e), -1);
    end();
}
END_TEST

START_TEST(failed_trials_can_be_tried_again)
{
    struct err e;
    int64_t id, n;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\nparallel: 1\nmax_failed: 0\n");
    stage_end(&g, stage_running(&g, 0), 1);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_int_eq(engine_retry(g.engine, id, 0, &n, &e), 0);
    ck_assert_int_eq(n, 1);
    stage_pass(&g, 10);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/2"));
    run_out(id, 20);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 2);
    end();
}
END_TEST

/* ---- trials that a person wants tried again ---- */

/* A study of two trials: the first one failed, two others succeeded. */
static int64_t done_but_for_one(const char *limits)
{
    char yaml[300];
    int64_t id;

    snprintf(yaml, sizeof yaml, RANDOM "trials: 2\nparallel: 1\n%s", limits);
    id = stage_submit(&g, yaml);
    stage_end(&g, stage_running(&g, 0), 1);
    stage_pass(&g, 10);
    run_out(id, 20);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_FAILED);
    return id;
}

static void retry(int64_t id, int64_t number, int64_t wanted)
{
    struct err e = {0};
    int64_t n;

    ck_assert_msg(engine_retry(g.engine, id, number, &n, &e) == 0, "%s",
                  e.text);
    ck_assert_int_eq(n, wanted);
    engine_turn(g.engine);
}

START_TEST(a_retried_trial_runs_though_its_study_has_all_it_wanted)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = done_but_for_one("");
    retry(id, 0, 1);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    job = stage_job(&g, "s/1/2");
    ck_assert_ptr_nonnull(job);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    ck_assert_int_eq(g.machine->running, 1); /* and no other */
    stage_report(job, "acc", 0.75, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 3);
    ck_assert_int_eq(g.machine->n_jobs, 4);
    end();
}
END_TEST

START_TEST(a_retried_trial_that_fails_again_stays_failed)
{
    int64_t id;

    begin();
    id = done_but_for_one("");
    retry(id, 1, 1);
    stage_end(&g, stage_job(&g, "s/1/2"), 1);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_FAILED);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(g.machine->n_jobs, 4);
    end();
}
END_TEST

START_TEST(a_retried_trial_has_all_its_attempts)
{
    int64_t id;

    begin();
    id = done_but_for_one("");
    retry(id, 1, 1);
    stage_vanish(&g, stage_job(&g, "s/1/2"));
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_PENDING);
    stage_pass(&g, 2000);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/3"));
    run_out(id, 20);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_retried_trial_outlives_pauses_and_restarts)
{
    struct err e;
    int64_t id;

    begin();
    id = done_but_for_one("");
    ck_assert_int_eq(engine_retry(g.engine, id, 0, NULL, &e), 0);
    ck_assert_int_eq(engine_pause(g.engine, id, true, "interrupted", &e), 0);
    engine_turn(g.engine); /* before it ever began */
    stage_close(&g);
    stage_open(&g);
    ck_assert_int_eq(engine_resume(g.engine, id, &e), 0);
    engine_turn(g.engine);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/2"));
    stage_pass(&g, 10);
    ck_assert_int_eq(engine_pause(g.engine, id, true, "interrupted", &e), 0);
    engine_turn(g.engine);
    stage_end(&g, stage_job(&g, "s/1/2"), 143);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_PENDING);
    stage_close(&g);
    stage_open(&g);
    ck_assert_int_eq(engine_resume(g.engine, id, &e), 0);
    engine_turn(g.engine);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/3"));
    run_out(id, 20);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(every_retried_trial_runs_though_too_many_fail_again)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 2\nmax_failed: 0\n");
    stage_end(&g, stage_job(&g, "s/1/1"), 1);
    stage_end(&g, stage_job(&g, "s/2/1"), 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_int_eq(stage_submit(&g, RANDOM "trials: 9\nparallel: 1\n"
                                             "max_failed: 0\n"),
                     id); /* one after the other now; the first still counts */
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    retry(id, 0, 2);
    stage_end(&g, stage_job(&g, "s/1/2"), 1);
    stage_pass(&g, 10);
    ck_assert_ptr_nonnull(stage_job(&g, "s/2/2"));
    stage_end(&g, stage_job(&g, "s/2/2"), 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_FAILED), 2);
    ck_assert_int_eq(g.machine->n_jobs, 4); /* no third trial was begun */
    end();
}
END_TEST

START_TEST(a_cancelled_trial_says_so)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 2\n");
    stage_report(stage_job(&g, "s/1/1"), "acc", 0.5, 1);
    stage_end(&g, stage_job(&g, "s/1/1"), 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(engine_cancel(g.engine, id, &e), 0);
    stage_end(&g, stage_job(&g, "s/2/1"), 143);
    stage_end(&g, stage_job(&g, "s/3/1"), 143);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_CANCELLED);
    ck_assert_str_eq(stage_trial(&g, id, 2).detail, "the study was cancelled");
    end();
}
END_TEST

START_TEST(a_stopped_trial_says_who_stopped_it)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 1\ntrial_limit: 60s\n");
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &e), 0);
    engine_turn(g.engine);
    stage_close(&g); /* the word outlives the service */
    stage_open(&g);
    stage_end(&g, stage_job(&g, "s/1/1"), 143);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPED);
    ck_assert_str_eq(stage_trial(&g, id, 1).detail, "stopped by a person");
    stage_pass(&g, 61000);
    stage_end(&g, stage_job(&g, "s/2/1"), 143);
    stage_pass(&g, 10);
    ck_assert_str_eq(stage_trial(&g, id, 2).detail,
                     "trial_limit reached; it never reported acc");
    end();
}
END_TEST

/* ---- the breaker ---- */

static void fail_alike(int times, int exit_code)
{
    for (int i = 0; i < times; i++) {
        struct stage_job *job = stage_running(&g, 0);

        ck_assert_ptr_nonnull(job);
        if (exit_code)
            stage_print(job, "stderr.log", "no such dataset\n");
        stage_end(&g, job, exit_code);
        stage_pass(&g, 50);
    }
}

START_TEST(a_study_that_is_over_ends_though_its_last_trials_failed_alike)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 3\nparallel: 1\n");
    fail_alike(3, 0);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_INFEASIBLE), 3);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "never reported acc"));
    end();
}
END_TEST

START_TEST(too_many_failures_end_a_study_before_the_breaker_pauses_it)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 40\nparallel: 1\nmax_failed: 2\n");
    fail_alike(3, 2);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_str_eq(stage_reason(&g, id),
                     "3 trials failed; 3 trials in a row ended the same way: "
                     "exit 2; the last one wrote: no such dataset");
    end();
}
END_TEST

START_TEST(the_breaker_waits_while_nothing_more_is_to_begin)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 4\n");
    fail_alike(3, 0);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    stage_report(stage_running(&g, 0), "acc", 0.5, 1);
    stage_end(&g, stage_running(&g, 0), 0);
    stage_pass(&g, 50);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 4\n");
    fail_alike(4, 2); /* four others would begin now */
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    end();
}
END_TEST

/* So many trials reach the study's limit for one. */
static void run_out_of_time(int times, bool report)
{
    for (int i = 0; i < times; i++) {
        struct stage_job *job = stage_running(&g, 0);

        ck_assert_ptr_nonnull(job);
        stage_pass(&g, 10); /* its time begins to run */
        if (report)
            stage_report(job, "acc", 0.5, 1);
        stage_pass(&g, 61000);
        stage_end(&g, job, 143);
        stage_pass(&g, 50);
    }
}

START_TEST(trials_that_reach_their_limit_without_a_report_pause_the_study)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 1\ntrial_limit: 60s\n");
    run_out_of_time(4, true);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    end();

    begin();
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 1\ntrial_limit: 60s\n");
    run_out_of_time(3, false);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_str_eq(stage_reason(&g, id),
                     "3 trials in a row ended the same way: never reported acc "
                     "before their time was up; mend it, then resume the "
                     "study");
    ck_assert_str_eq(stage_trial(&g, id, 3).detail,
                     "trial_limit reached; it never reported acc");
    end();
}
END_TEST

START_TEST(a_grid_whose_last_points_fail_alike_ends)
{
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nmaximize: acc\nalgorithm: grid\nparams:\n"
                          "  x: [1, 2, 3]\nrun: ./t\ntrials: 100\n"
                          "parallel: 1\n");
    fail_alike(3, 2);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_FAILED);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "every point"));
    end();
}
END_TEST

/* ---- studies that launch nothing ---- */

static int64_t asked;
static enum err_code asked_code;

static void take(void *ctx, int64_t number, const struct err *e)
{
    (void)ctx;
    asked = number;
    asked_code = number ? ERR_NONE : e->code;
}

static int64_t ask(int64_t id, const char *client)
{
    struct err e;

    asked = -1;
    ck_assert_msg(engine_ask(g.engine, id, client, take, NULL, &e) == 0, "%s",
                  e.text);
    engine_turn(g.engine);
    ck_assert_int_ne(asked, -1);
    return asked;
}

START_TEST(clients_ask_and_tell)
{
    double value = 0.5;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nminimize: loss\nparams:\n  x: 0 .. 1\n"
                          "trials: 4\n");
    ck_assert_int_eq(ask(id, "a"), 1);
    ck_assert_int_eq(ask(id, "b"), 2);
    ck_assert_int_eq(ask(id, "a"), 1); /* the one that it holds */
    ck_assert_int_eq(engine_tell(g.engine, id, 1, &value, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(ask(id, "a"), 3);
    ck_assert_int_eq(engine_tell(g.engine, id, 2, NULL, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_int_eq(engine_report(g.engine, id, 2, "loss", 0.25, 3, &e), 0);
    ck_assert_int_eq(engine_tell(g.engine, id, 2, NULL, NULL, &e), 0);
    ck_assert_int_eq(engine_tell(g.engine, id, 3, NULL, "too hot", &e), 0);
    ck_assert_int_eq(engine_tell(g.engine, id, 3, &value, NULL, &e), -1);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_trial(&g, id, 3).state, TRIAL_INFEASIBLE);
    ck_assert_int_eq(ask(id, ""), 4);
    ck_assert_int_eq(ask(id, ""), 0);
    ck_assert_int_eq(asked_code, ERR_BUSY);
    ck_assert_int_eq(engine_tell(g.engine, id, 4, &value, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(engine_ask(g.engine, id, "", take, NULL, &e), -1);
    end();
}
END_TEST

static bool see_values(void *ctx, const struct trial_row *row)
{
    snprintf(ctx, 60, "%s", row->objectives);
    return false;
}

START_TEST(a_trial_is_complete_once_it_has_all_objectives)
{
    double value = 0.5;
    char values[60];
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nobjectives: {loss: min, size: max}\n"
                          "params:\n  x: 0 .. 1\ntrials: 3\n");
    ck_assert_int_eq(ask(id, "a"), 1);
    ck_assert_int_eq(ask(id, "b"), 2);
    ck_assert_int_eq(engine_tell(g.engine, id, 1, &value, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(e.text, "no measurement of size"));
    ck_assert_int_eq(engine_report(g.engine, id, 1, "size", 7, 3, &e), 0);
    ck_assert_int_eq(engine_tell(g.engine, id, 1, NULL, NULL, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "no measurement of loss"));
    ck_assert_int_eq(engine_tell(g.engine, id, 1, &value, NULL, &e), 0);
    ck_assert_int_eq(engine_report(g.engine, id, 2, "size", INFINITY, 3, &e),
                     0);
    ck_assert_int_eq(engine_tell(g.engine, id, 2, &value, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_INFEASIBLE);
    ck_assert_int_eq(store_trial_get(g.store, id, 1, see_values, values, &e),
                     0);
    ck_assert_str_eq(values, "{\"loss\": 0.5, \"size\": 7}");
    ck_assert_int_eq(store_trial_get(g.store, id, 2, see_values, values, &e),
                     0);
    ck_assert_str_eq(values, "");
    stage_close(&g); /* the algorithm hears of them again */
    stage_open(&g);
    ck_assert_int_eq(ask(id, "c"), 3);
    ck_assert_int_eq(engine_report(g.engine, id, 3, "size", 9, 3, &e), 0);
    ck_assert_int_eq(engine_tell(g.engine, id, 3, &value, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_report_may_come_before_the_news_that_its_job_lives)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\n");
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_LAUNCHING);
    ck_assert_int_eq(engine_report(g.engine, id, 1, "acc", 0.25, 1, &e), 0);
    engine_turn(g.engine);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_RUNNING);
    stage_end(&g, stage_running(&g, 0), 0);
    stage_pass(&g, 10);
    ck_assert(stage_trial(&g, id, 1).value == 0.25);
    ck_assert_int_eq(engine_report(g.engine, id, 1, "acc", 0.5, 2, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    end();
}
END_TEST

START_TEST(an_asked_trial_survives_a_restart)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nminimize: loss\nparams:\n  x: 0 .. 1\n"
                          "trials: 1\n");
    ck_assert_int_eq(ask(id, "a"), 1);
    ck_assert_int_eq(engine_report(g.engine, id, 1, "loss", 0.25, 3, &e), 0);
    engine_turn(g.engine);
    stage_close(&g);
    stage_open(&g);
    ck_assert_int_eq(ask(id, "a"), 1);
    ck_assert_int_eq(engine_tell(g.engine, id, 1, NULL, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert(stage_trial(&g, id, 1).value == 0.25);
    end();
}
END_TEST

static bool count_reports(void *ctx, const struct attempt_row *row)
{
    *(int64_t *)ctx = row->reports;
    return true;
}

/* Reports i of [from, to); the value 0 is in the middle of them all. */
static void report_some(int64_t id, int from, int to)
{
    int64_t counted = 0;
    struct err e;

    for (int i = from; i < to; i++) {
        ck_assert_int_eq(
            engine_report(g.engine, id, 1, "loss", fabs(i - 700.0), i, &e), 0);
        ck_assert_int_eq(engine_report(g.engine, id, 1, "other", i, i, &e), 0);
        engine_turn(g.engine);
    }
    ck_assert_int_eq(
        store_attempt_list(g.store, id, 1, count_reports, &counted, &e), 0);
    ck_assert_int_eq(counted, (int64_t)2 * to);
}

/* While a curve is whole, after it was thinned, and where that happens. */
START_TEST(what_clients_reported_survives_restarts)
{
    static const int restarts[] = {1, 2, 800, 1024, 1025, 1300};
    int at = 0;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, "study: s\nminimize: loss\nparams:\n  x: 0 .. 1\n"
                          "selection: best\ntrials: 1\n");
    ck_assert_int_eq(ask(id, "a"), 1);
    for (size_t i = 0; i < sizeof restarts / sizeof restarts[0]; i++) {
        report_some(id, at, restarts[i]);
        at = restarts[i];
        stage_close(&g);
        stage_open(&g);
    }
    ck_assert_int_eq(engine_tell(g.engine, id, 1, NULL, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert(stage_trial(&g, id, 1).value == 0);
    end();
}
END_TEST

START_TEST(why_says_what_a_trial_waits_for)
{
    struct text why;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 5\nparallel: 1\nretries: 3\n");
    stage_end(&g, stage_running(&g, 0), 1);
    stage_pass(&g, 1);
    text_init(&why);
    ck_assert_int_eq(engine_why(g.engine, id, 1, &why, &e), 0);
    ck_assert_ptr_nonnull(strstr(text_str(&why), "attempt 1 broke"));
    ck_assert_ptr_nonnull(
        strstr(text_str(&why), "; its point was drawn at random\n"));
    text_reset(&why);
    ck_assert_int_eq(engine_why(g.engine, id, 0, &why, &e), 0);
    ck_assert_ptr_nonnull(strstr(text_str(&why), "ACTIVE"));
    ck_assert_int_eq(engine_why(g.engine, id, 99, &why, &e), -1);
    text_clear(&why);
    end();
}
END_TEST

SUITE("tuner/engine", a_study_runs_to_its_end_and_names_the_best,
      a_free_place_is_filled_at_once,
      without_parallel_there_is_a_trial_for_each_processor,
      a_job_that_reports_nothing_is_infeasible_and_says_what_it_reported,
      a_value_that_is_not_finite_is_infeasible,
      an_attempt_that_breaks_is_tried_again_as_often_as_told,
      three_that_end_at_once_alike_pause_the_study,
      a_program_that_is_not_there_pauses_the_study,
      a_job_that_vanishes_is_tried_again_though_nobody_said_retry,
      a_trial_over_its_limit_is_asked_then_killed_and_keeps_its_value,
      the_time_limit_of_a_study_ends_all_its_trials,
      a_target_or_want_of_progress_ends_a_study,
      a_grid_ends_when_every_point_was_tried,
      an_interrupted_study_goes_on_with_the_same_trials,
      a_longer_budget_takes_an_ended_study_up_again,
      another_study_of_the_same_name_is_refused,
      a_cancelled_study_stops_what_runs, failed_trials_can_be_tried_again,
      a_retried_trial_runs_though_its_study_has_all_it_wanted,
      a_retried_trial_that_fails_again_stays_failed,
      a_retried_trial_has_all_its_attempts,
      a_retried_trial_outlives_pauses_and_restarts,
      every_retried_trial_runs_though_too_many_fail_again,
      a_cancelled_trial_says_so, a_stopped_trial_says_who_stopped_it,
      a_study_that_is_over_ends_though_its_last_trials_failed_alike,
      too_many_failures_end_a_study_before_the_breaker_pauses_it,
      the_breaker_waits_while_nothing_more_is_to_begin,
      trials_that_reach_their_limit_without_a_report_pause_the_study,
      a_grid_whose_last_points_fail_alike_ends,
      a_trial_is_complete_once_it_has_all_objectives, clients_ask_and_tell,
      a_report_may_come_before_the_news_that_its_job_lives,
      an_asked_trial_survives_a_restart,
      what_clients_reported_survives_restarts, why_says_what_a_trial_waits_for)
