/* The engine when things go wrong around it: ends and restarts, a store that
 * cannot be written, and people who act while an algorithm thinks. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/recover.h"

#include <check.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"
#include "tuner/engine.h"

static struct stage g;

#define RANDOM                                                                 \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\n"
#define ASKED "study: s\nminimize: loss\nparams:\n  x: 0 .. 1\n"

static void begin(void)
{
    stage_init(&g);
    stage_open(&g);
}

static void begin_slow(void)
{
    stage_init(&g);
    g.slow = true;
    stage_open(&g);
}

static void restart(void)
{
    stage_close(&g);
    stage_open(&g);
    stage_pass(&g, 10);
}

static void end(void)
{
    ck_assert_str_eq(g.machine->fault, "");
    stage_clear(&g);
}

static void succeed(struct stage_job *job)
{
    ck_assert_ptr_nonnull(job);
    stage_report(job, "acc", 0.5, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

/* ---- those who wait for a trial ---- */

static int answers;
static int64_t asked;
static enum err_code asked_code;

static void take(void *ctx, int64_t number, const struct err *e)
{
    (void)ctx;
    answers++;
    asked = number;
    asked_code = number ? ERR_NONE : e->code;
}

/* Somebody asks while the algorithm has yet to think. */
static int64_t ask_slowly(const char *yaml)
{
    struct err e;
    int64_t id;

    begin_slow();
    id = stage_submit(&g, yaml);
    answers = 0;
    ck_assert_int_eq(engine_ask(g.engine, id, "a", take, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 0);
    return id;
}

static void check_refused(enum err_code code)
{
    engine_turn(g.engine);
    stage_think(&g);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 1);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(asked_code, code);
    end();
    ck_assert_int_eq(answers, 1);
}

START_TEST(who_waits_for_a_trial_gets_it_when_it_is_thought_of)
{
    ask_slowly(ASKED "trials: 2\n");
    stage_think(&g);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 1);
    ck_assert_int_eq(asked, 1);
    end();
    ck_assert_int_eq(answers, 1);
}
END_TEST

START_TEST(who_waits_for_a_trial_hears_that_the_study_was_deleted)
{
    int64_t id = ask_slowly(ASKED "trials: 2\n");
    struct err e;

    ck_assert_int_eq(engine_delete(g.engine, id, &e), 0);
    check_refused(ERR_ABSENT);
}
END_TEST

START_TEST(who_waits_for_a_trial_hears_that_the_study_was_cancelled)
{
    int64_t id = ask_slowly(ASKED "trials: 2\n");
    struct err e;

    ck_assert_int_eq(engine_cancel(g.engine, id, &e), 0);
    check_refused(ERR_ABSENT);
}
END_TEST

START_TEST(who_waits_for_a_trial_hears_that_the_study_was_paused)
{
    int64_t id = ask_slowly(ASKED "trials: 2\n");
    struct err e;

    ck_assert_int_eq(engine_pause(g.engine, id, false, "lunch", &e), 0);
    check_refused(ERR_BUSY);
}
END_TEST

START_TEST(who_waits_for_a_trial_hears_that_the_service_ends)
{
    ask_slowly(ASKED "trials: 2\n");
    stage_close(&g);
    ck_assert_int_eq(answers, 1);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(asked_code, ERR_BUSY);
    stage_clear(&g);
}
END_TEST

START_TEST(with_fewer_places_than_trials_an_asker_is_refused)
{
    struct err e;
    int64_t id;

    begin();
    answers = 0;
    id = stage_submit(&g, ASKED "trials: 9\nparallel: 2\n");
    ck_assert_int_eq(engine_ask(g.engine, id, "a", take, NULL, &e), 0);
    ck_assert_int_eq(engine_ask(g.engine, id, "b", take, NULL, &e), 0);
    engine_turn(g.engine);
    stage_submit(&g, ASKED "trials: 9\nparallel: 1\n");
    ck_assert_int_eq(engine_ask(g.engine, id, "c", take, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 3);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(asked_code, ERR_BUSY);
    end();
}
END_TEST

START_TEST(two_who_ask_in_one_round_get_two_trials)
{
    struct err e;
    int64_t id;

    begin();
    answers = 0;
    id = stage_submit(&g, ASKED "trials: 9\n");
    ck_assert_int_eq(engine_ask(g.engine, id, "", take, NULL, &e), 0);
    ck_assert_int_eq(engine_ask(g.engine, id, "", take, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 2);
    ck_assert_int_eq(asked, 2);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_RUNNING), 2);
    end();
}
END_TEST

START_TEST(a_trial_that_was_asked_for_is_not_tried_again_by_the_service)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, ASKED "trials: 2\n");
    ck_assert_int_eq(engine_ask(g.engine, id, "", take, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(engine_tell(g.engine, id, 1, NULL, "too hot", &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(engine_retry(g.engine, id, 1, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    end();
}
END_TEST

START_TEST(no_trial_is_tried_again_in_a_study_that_is_over)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 1\ntarget: 0.4\n");
    stage_pass(&g, 10);
    stage_end(&g, stage_running(&g, 0), 1);
    stage_pass(&g, 10);
    succeed(stage_job(&g, "s/2/1"));
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(engine_retry(g.engine, id, 1, NULL, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "target reached"));
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_FAILED);
    stage_submit(&g, RANDOM "trials: 9\nparallel: 1\n"); /* without it */
    ck_assert_int_eq(engine_retry(g.engine, id, 1, NULL, &e), 0);
    end();
}
END_TEST

/* ---- while the algorithm thinks ---- */

static const char learns[] =
    "study: s\nmaximize: acc\nalgorithm: bayesian\nparams:\n  x: 0 .. 1\n"
    "run: ./train\ntrials: 3\nparallel: 2\ngrace: 1s\n";

START_TEST(a_study_deleted_while_its_algorithm_thinks_is_gone)
{
    struct err e;
    int64_t id;

    begin_slow();
    id = stage_submit(&g, learns);
    ck_assert_int_eq(engine_delete(g.engine, id, &e), 0);
    engine_turn(g.engine);
    id = stage_submit(&g, learns); /* another of the same name */
    stage_think(&g);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_LAUNCHING), 1);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/1"));
    end();
}
END_TEST

START_TEST(a_study_cancelled_while_its_algorithm_thinks_ends_after)
{
    struct err e;
    int64_t id;

    begin_slow();
    id = stage_submit(&g, learns);
    ck_assert_int_eq(engine_cancel(g.engine, id, &e), 0);
    stage_pass(&g, 10);
    stage_think(&g);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_CANCELLED);
    ck_assert_int_eq(g.machine->n_jobs, 0);
    end();
}
END_TEST

START_TEST(an_answer_that_came_while_paused_is_asked_for_again)
{
    struct err e;
    int64_t id;

    begin_slow();
    id = stage_submit(&g, learns);
    ck_assert_int_eq(engine_pause(g.engine, id, false, "lunch", &e), 0);
    stage_pass(&g, 10);
    stage_think(&g);
    stage_pass(&g, 10);
    ck_assert_int_eq(g.machine->n_jobs, 0);
    ck_assert_int_eq(engine_resume(g.engine, id, &e), 0);
    stage_pass(&g, 10);
    stage_think(&g);
    stage_pass(&g, 10);
    ck_assert_int_eq(g.machine->n_jobs, 1);
    end();
}
END_TEST

START_TEST(a_service_that_ends_while_an_algorithm_thinks_thinks_again)
{
    begin_slow();
    stage_submit(&g, learns);
    restart();
    stage_think(&g);
    stage_pass(&g, 10);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/1"));
    end();
}
END_TEST

/* ---- stopping, and its reasons ---- */

START_TEST(what_a_person_stopped_does_not_come_back_after_a_restart)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 1\ngrace: 5s\n");
    stage_pass(&g, 10);
    ck_assert_int_eq(engine_pause(g.engine, id, true, "lunch", &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &e), 0);
    engine_turn(g.engine);
    restart();
    ck_assert(stage_job(&g, "s/1/1")->asked_to_stop);
    stage_end(&g, stage_job(&g, "s/1/1"), 143);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPED);
    ck_assert_int_eq(stage_trial(&g, id, 1).reason, REASON_USER);
    end();
}
END_TEST

START_TEST(a_job_deaf_to_a_stop_is_killed_after_a_restart_too)
{
    struct stage_job *job;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\ngrace: 5s\n");
    stage_pass(&g, 10);
    job = stage_running(&g, 0);
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &e), 0);
    engine_turn(g.engine);
    restart();
    ck_assert(!job->killed);
    stage_pass(&g, 6000);
    stage_pass(&g, 10);
    ck_assert(job->killed);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPED);
    end();
}
END_TEST

START_TEST(the_limit_of_a_trial_counts_on_through_a_restart)
{
    struct stage_job *job;

    begin();
    stage_submit(&g, RANDOM
                 "trials: 1\nparallel: 1\ntrial_limit: 60s\ngrace: 5s\n");
    stage_pass(&g, 10);
    job = stage_running(&g, 0);
    stage_pass(&g, 40000);
    restart();
    ck_assert(!job->asked_to_stop);
    stage_pass(&g, 20000);
    ck_assert(job->asked_to_stop);
    end();
}
END_TEST

START_TEST(a_study_that_is_ending_still_has_its_time_limit)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 2\ntarget: 0.4\n"
                                 "time_limit: 1h\ngrace: 1s\n");
    stage_pass(&g, 10);
    succeed(stage_job(&g, "s/1/1"));
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ENDING);
    restart();
    ck_assert(!stage_job(&g, "s/2/1")->asked_to_stop);
    stage_pass(&g, 3600000);
    ck_assert(stage_job(&g, "s/2/1")->asked_to_stop);
    stage_pass(&g, 2000);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_study_that_is_ending_can_be_interrupted)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM
                      "trials: 9\nparallel: 2\ntarget: 0.4\ngrace: 1s\n");
    stage_pass(&g, 10);
    succeed(stage_job(&g, "s/1/1"));
    ck_assert_int_eq(engine_pause(g.engine, id, true, "Ctrl-C", &e), 0);
    stage_pass(&g, 10);
    ck_assert(stage_job(&g, "s/2/1")->asked_to_stop);
    stage_pass(&g, 2000);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

/* ---- the breaker ---- */

START_TEST(those_on_their_way_when_a_study_pauses_do_not_count_again)
{
    struct stage_job *job;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 40\nparallel: 8\n");
    stage_pass(&g, 10);
    while ((job = stage_running(&g, 0)))
        stage_end(&g, job, 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_int_eq(g.machine->n_jobs, 8);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "3 trials in a row"));
    ck_assert_int_eq(engine_resume(g.engine, id, &e), 0);
    stage_pass(&g, 10);
    stage_end(&g, stage_running(&g, 0), 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    end();
}
END_TEST

/* ---- reports through a restart ---- */

enum { MANY = 20000 };

static void report_many(const struct stage_job *job)
{
    char path[500];
    FILE *f;

    snprintf(path, sizeof path, "%s/reports", job->folder);
    f = fopen(path, "a");
    ck_assert_ptr_nonnull(f);
    for (int i = 1; i <= MANY; i++)
        fprintf(f, "{\"acc\": %.17g, \"global_step\": %d}\n",
                i == 777 ? 0.9 : 0.1 + i * 1e-7, i);
    ck_assert_int_eq(fclose(f), 0);
}

static bool attempt_reports(void *ctx, const struct attempt_row *row)
{
    *(int64_t *)ctx += row->reports;
    return true;
}

/* Ends a job that has reported much, and the service with every tick. */
static void through_many_restarts(const char *yaml, double value)
{
    struct stage_trial t;
    int64_t id, reports = 0;
    struct err e;

    begin();
    id = stage_submit(&g, yaml);
    stage_pass(&g, 10);
    report_many(stage_running(&g, 0));
    stage_pass(&g, 10);
    restart();
    stage_end(&g, stage_running(&g, 0), 0);
    for (int i = 0; i < 20 && stage_count(&g, id, TRIAL_RUNNING); i++)
        restart();
    t = stage_trial(&g, id, 1);
    ck_assert_int_eq(t.state, TRIAL_SUCCEEDED);
    ck_assert(t.value == value);
    ck_assert_int_eq(
        store_attempt_list(g.store, id, 1, attempt_reports, &reports, &e), 0);
    ck_assert_int_eq(reports, MANY);
    end();
}

START_TEST(every_report_counts_once_and_the_last_one_last)
{
    through_many_restarts(RANDOM "trials: 1\nparallel: 1\n", 0.1 + MANY * 1e-7);
}
END_TEST

static bool same_report(void *ctx, const struct report_row *row)
{
    ck_assert(row->ordinal + 1 == row->step);
    ++*(int *)ctx;
    return true;
}

START_TEST(a_curve_is_thinned_through_a_restart_as_without)
{
    int with = 0, without = 0;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\nparallel: 2\n");
    stage_pass(&g, 10);
    report_many(stage_job(&g, "s/1/1"));
    for (int i = 0; i < 3; i++)
        restart();
    for (int i = 0; i < 10; i++)
        stage_pass(&g, 10);
    report_many(stage_job(&g, "s/2/1"));
    for (int i = 0; i < 10; i++)
        stage_pass(&g, 10);
    ck_assert_int_eq(
        store_report_list(g.store, id, 1, 1, same_report, &with, &e), 0);
    ck_assert_int_eq(
        store_report_list(g.store, id, 2, 1, same_report, &without, &e), 0);
    ck_assert_int_gt(with, 500);
    ck_assert_int_eq(with, without);
    end();
}
END_TEST

START_TEST(what_a_vanished_job_reported_is_kept_when_it_was_stopped)
{
    struct stage_trial t;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\n");
    stage_pass(&g, 10);
    report_many(stage_running(&g, 0));
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &e), 0);
    engine_turn(g.engine);
    stage_vanish(&g, stage_running(&g, 0));
    for (int i = 0; i < 20; i++)
        stage_pass(&g, 10);
    t = stage_trial(&g, id, 1);
    ck_assert_int_eq(t.state, TRIAL_STOPPED);
    ck_assert(t.has_value && t.value == 0.1 + MANY * 1e-7);
    end();
}
END_TEST

/* ---- a store that cannot be written ---- */

static sqlite3 *shell; /* somebody's, that holds the write lock */

static void lock(void)
{
    char path[400];

    snprintf(path, sizeof path, "%s/hypertune.db", g.dir);
    ck_assert_int_eq(sqlite3_open(path, &shell), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(shell, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
}

static void unlock(void)
{
    ck_assert_int_eq(sqlite3_exec(shell, "ROLLBACK", NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(shell);
}

START_TEST(a_report_that_cannot_be_stored_is_read_again)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\n");
    stage_pass(&g, 10);
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.25, 1);
    lock();
    stage_pass(&g, 10);
    unlock();
    stage_pass(&g, 1100);
    stage_pass(&g, 10);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert(stage_trial(&g, id, 1).value == 0.25);
    end();
}
END_TEST

START_TEST(a_job_whose_life_could_not_be_stored_is_seen_to_live)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nparallel: 1\n");
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_LAUNCHING);
    lock();
    stage_pass(&g, 10);
    unlock();
    stage_pass(&g, 1100);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_RUNNING);
    succeed(stage_running(&g, 0));
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(stage_job(&g, "s/1/1")->starts, 1);
    end();
}
END_TEST

static int kept, lost;

static void count_kept(void *ctx, bool ok)
{
    (void)ctx;
    kept += ok;
    lost += !ok;
}

START_TEST(who_waits_for_a_commit_that_fails_hears_of_it_once)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, ASKED "trials: 2\n");
    answers = kept = lost = 0;
    ck_assert_int_eq(engine_ask(g.engine, id, "a", take, NULL, &e), 0);
    engine_when_kept(g.engine, count_kept, NULL);
    store_rollback(g.store); /* the transaction is lost under it */
    lock();
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 1);
    ck_assert_int_eq(asked, 0);
    ck_assert_int_eq(kept, 0);
    ck_assert_int_eq(lost, 1);
    ck_assert_int_eq(engine_ask(g.engine, id, "a", take, NULL, &e), -1);
    unlock();
    stage_pass(&g, 1100);
    ck_assert_int_eq(engine_ask(g.engine, id, "a", take, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(answers, 2);
    ck_assert_int_eq(asked, 1);
    end();
}
END_TEST

/* ---- folders ---- */

static bool is_there(const char *tail)
{
    char path[500];

    snprintf(path, sizeof path, "%s/trials/%s", g.dir, tail);
    return access(path, F_OK) == 0;
}

START_TEST(the_folder_of_a_deleted_study_goes_though_the_service_ends_first)
{
    struct err e;
    int64_t id;
    char path[400];

    begin_slow();
    snprintf(path, sizeof path, "%s/trials", g.dir);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/trials/s", g.dir);
    id = stage_submit(&g, learns);
    ck_assert_int_eq(mkdir(path, 0700), 0);
    ck_assert_int_eq(engine_delete(g.engine, id, &e), 0);
    engine_turn(g.engine);
    ck_assert(!is_there("s"));
    ck_assert(is_there(".old-s-1700000000000-0"));
    restart();
    stage_think(&g);
    ck_assert(!is_there(".old-s-1700000000000-0"));
    end();
}
END_TEST

SUITE_WITHIN(120, "tuner/recover",
             who_waits_for_a_trial_gets_it_when_it_is_thought_of,
             who_waits_for_a_trial_hears_that_the_study_was_deleted,
             who_waits_for_a_trial_hears_that_the_study_was_cancelled,
             who_waits_for_a_trial_hears_that_the_study_was_paused,
             who_waits_for_a_trial_hears_that_the_service_ends,
             with_fewer_places_than_trials_an_asker_is_refused,
             two_who_ask_in_one_round_get_two_trials,
             a_trial_that_was_asked_for_is_not_tried_again_by_the_service,
             no_trial_is_tried_again_in_a_study_that_is_over,
             a_study_deleted_while_its_algorithm_thinks_is_gone,
             a_study_cancelled_while_its_algorithm_thinks_ends_after,
             an_answer_that_came_while_paused_is_asked_for_again,
             a_service_that_ends_while_an_algorithm_thinks_thinks_again,
             what_a_person_stopped_does_not_come_back_after_a_restart,
             a_job_deaf_to_a_stop_is_killed_after_a_restart_too,
             the_limit_of_a_trial_counts_on_through_a_restart,
             a_study_that_is_ending_still_has_its_time_limit,
             a_study_that_is_ending_can_be_interrupted,
             those_on_their_way_when_a_study_pauses_do_not_count_again,
             every_report_counts_once_and_the_last_one_last,
             a_curve_is_thinned_through_a_restart_as_without,
             what_a_vanished_job_reported_is_kept_when_it_was_stopped,
             a_report_that_cannot_be_stored_is_read_again,
             a_job_whose_life_could_not_be_stored_is_seen_to_live,
             who_waits_for_a_commit_that_fails_hears_of_it_once,
             the_folder_of_a_deleted_study_goes_though_the_service_ends_first)
