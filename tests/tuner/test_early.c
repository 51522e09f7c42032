/* Stopping early: hopeless trials are asked to end, the others are not, and a
 * service that was ended in between decides the same. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/early.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

static struct stage g;

#define SPACE                                                                  \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "grace: 2s\n"
#define RUN SPACE "run: ./train\n"

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

static struct stage_job *job_of(int number, int attempt)
{
    char name[64];

    snprintf(name, sizeof name, "s/%d/%d", number, attempt);
    return stage_job(&g, name);
}

/* The first trial that runs reports so at n steps, and ends well. */
static void succeed(int n, double value)
{
    struct stage_job *job = stage_running(&g, 0);

    ck_assert_ptr_nonnull(job);
    for (int i = 1; i <= n; i++)
        stage_report(job, "acc", value, i);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

/* Five that succeeded; the sixth runs. */
static int64_t five(const char *more)
{
    char yaml[400];
    int64_t id;

    snprintf(yaml, sizeof yaml, RUN "trials: 20\nparallel: 1\n%s", more);
    id = stage_submit(&g, yaml);
    for (int i = 0; i < 5; i++)
        succeed(4, 0.5 + 0.01 * i);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 5);
    return id;
}

START_TEST(a_hopeless_trial_is_asked_to_end_and_keeps_what_it_measured)
{
    struct stage_trial t;
    struct stage_job *job;
    struct text why;
    struct err e;
    int64_t id;

    begin();
    id = five("stop_early: median\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    stage_pass(&g, 10);
    t = stage_trial(&g, id, 6);
    ck_assert_int_eq(t.state, TRIAL_STOPPING);
    ck_assert(job->asked_to_stop);
    ck_assert(!job->killed); /* it has its grace */
    stage_report(job, "acc", 0.2, 2);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    t = stage_trial(&g, id, 6);
    ck_assert_int_eq(t.state, TRIAL_STOPPED);
    ck_assert_int_eq(t.reason, REASON_EARLY);
    ck_assert(t.has_value && t.value == 0.2);
    ck_assert_str_eq(t.detail, "hopeless by the rule median: acc was 0.1 at "
                               "step 1, and 0.1 at best");
    text_init(&why);
    ck_assert_int_eq(engine_why(g.engine, id, 6, &why, &e), 0);
    ck_assert_ptr_nonnull(strstr(text_str(&why), "STOPPED (early): hopeless"));
    ck_assert_ptr_nonnull(strstr(text_str(&why), "ended with about 0.2"));
    text_clear(&why);
    ck_assert_ptr_nonnull(job_of(7, 1)); /* its place is another's */
    end();
}
END_TEST

START_TEST(one_that_does_not_listen_is_killed)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = five("stop_early: median\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    for (int i = 0; i < 30 && !job->killed; i++)
        stage_pass(&g, 100);
    ck_assert(job->killed);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPED);
    ck_assert_int_eq(stage_trial(&g, id, 6).reason, REASON_EARLY);
    end();
}
END_TEST

START_TEST(one_that_is_no_worse_goes_on)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = five("stop_early: median\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.52, 1); /* the median itself */
    stage_report(job, "loss", -9, 2);  /* not the goal */
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_RUNNING);
    end();
}
END_TEST

START_TEST(without_a_rule_or_before_its_step_nothing_is_stopped)
{
    static const char *const rules[] = {"", "stop_early: none\n",
                                        "stop_early: median after 3\n"};
    struct stage_job *job;
    int64_t id;

    begin();
    id = five(rules[_i]);
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    stage_report(job, "acc", 0.1, 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_RUNNING);
    stage_report(job, "acc", 0.1, 3);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state,
                     _i == 2 ? TRIAL_STOPPING : TRIAL_RUNNING);
    end();
}
END_TEST

START_TEST(what_came_in_one_go_is_judged_point_by_point)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = five("stop_early: asha after 3\n");
    job = stage_running(&g, 0);
    for (int i = 1; i <= 7; i++) /* the look is at step 3 only */
        stage_report(job, "acc", i == 3 ? 0.1 : 0.9, i);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPING);
    ck_assert_str_eq(stage_trial(&g, id, 6).detail,
                     "hopeless by the rule asha: acc was 0.1 at step 3, and "
                     "0.9 at best");
    end();
}
END_TEST

START_TEST(a_trial_that_has_ended_by_then_has_succeeded)
{
    int64_t id;

    begin();
    id = five("stop_early: median\n");
    succeed(4, 0.1);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_SUCCEEDED);
    ck_assert(stage_trial(&g, id, 6).value == 0.1);
    end();
}
END_TEST

START_TEST(another_attempt_is_not_blamed_for_the_first)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = five("stop_early: median after 2\nretries: 3\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    stage_end(&g, job, 3);
    stage_pass(&g, 3000);
    for (int i = 0; i < 50 && !job_of(6, 2); i++) {
        if (stage_running(&g, 0)) /* it has its place */
            succeed(4, 0.5);
        stage_pass(&g, 1000);
    }
    job = job_of(6, 2);
    ck_assert_ptr_nonnull(job);
    stage_report(job, "acc", 0.9, 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_RUNNING);
    stage_report(job, "acc", 0.8, 3);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_stopped_trial_may_be_tried_again)
{
    struct stage_job *job;
    struct err e;
    int64_t id, n = 0;

    begin();
    id = five("stop_early: median\n");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    stage_pass(&g, 10);
    stage_end(&g, job, 143);
    stage_pass(&g, 10);
    ck_assert_int_eq(engine_retry(g.engine, id, 6, &n, &e), 0);
    engine_turn(g.engine);
    succeed(4, 0.6); /* the seventh, which had begun */
    job = job_of(6, 2);
    ck_assert_ptr_nonnull(job);
    stage_report(job, "acc", 0.9, 1);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_RUNNING);
    end();
}
END_TEST

START_TEST(a_rule_may_be_taken_up_later)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = five("");
    job = stage_running(&g, 0);
    stage_report(job, "acc", 0.1, 1);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_RUNNING);
    ck_assert_int_eq(stage_submit(&g, RUN "trials: 20\nparallel: 1\n"
                                          "stop_early: median\n"),
                     id);
    stage_report(job, "acc", 0.1, 2);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPING);
    end();
}
END_TEST

/* ---- clients ---- */

static void has(void *ctx, int64_t number, const struct err *e)
{
    (void)e;
    *(int64_t *)ctx = number;
}

/* The number that the client is given, or 0. */
static int64_t given(int64_t id, const char *client)
{
    int64_t number = -1;
    struct err e;

    ck_assert_int_eq(engine_ask(g.engine, id, client, has, &number, &e), 0);
    for (int i = 0; i < 20 && number < 0; i++)
        stage_pass(&g, 10);
    return number;
}

static int64_t asked(int64_t id)
{
    int64_t number = given(id, "a");

    ck_assert_int_gt(number, 0);
    return number;
}

/* Five that succeeded; a client holds the sixth, which is asked to end. */
static int64_t five_told(const char *more)
{
    double good = 0.5;
    int64_t id, number = 0;
    struct err e;
    char yaml[400];

    snprintf(yaml, sizeof yaml, SPACE "stop_early: median\n%s", more);
    id = stage_submit(&g, yaml);
    for (int i = 0; i < 6; i++) {
        number = asked(id);
        ck_assert_int_eq(number, i + 1);
        ck_assert_int_eq(engine_report(g.engine, id, number, "acc",
                                       i == 5 ? 0.1 : 0.5, 1, &e),
                         0);
        if (i < 5)
            ck_assert_int_eq(engine_tell(g.engine, id, number, &good, NULL, &e),
                             0);
        engine_turn(g.engine);
    }
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPING);
    ck_assert_int_eq(stage_trial(&g, id, 6).reason, REASON_EARLY);
    return id;
}

START_TEST(a_client_is_to_end_its_trial_itself)
{
    double value = 0.3;
    bool tells_a_value = _i;
    struct err e;
    int64_t id;

    begin();
    id = five_told("trials: 20\n");
    stage_close(&g);
    stage_open(&g);
    stage_pass(&g, 100000);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPING);
    ck_assert_int_eq(
        engine_tell(g.engine, id, 6, tells_a_value ? &value : NULL, NULL, &e),
        0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_trial(&g, id, 6).state,
                     tells_a_value ? TRIAL_SUCCEEDED : TRIAL_STOPPED);
    ck_assert(stage_trial(&g, id, 6).value == (tells_a_value ? 0.3 : 0.1));
    end();
}
END_TEST

START_TEST(the_answer_to_the_batch_says_so)
{
    struct report good = {"acc", 0.5, 1, 0}, bad = {"acc", 0.1, 2, 0};
    struct engine_batch batch = {
        .sender = "master-0", .reports = &good, .n = 1};
    struct engine_heard heard;
    struct err e;
    int64_t id;

    begin();
    id = five_told("trials: 20\n");
    ck_assert_int_eq(asked(id), 7);
    ck_assert_int_eq(engine_hear(g.engine, id, 7, &batch, &heard, &e), 0);
    ck_assert(!heard.stop);
    ck_assert_int_eq(engine_tell(g.engine, id, 7, NULL, NULL, &e), 0);
    ck_assert_int_eq(asked(id), 8);
    batch.reports = &bad;
    ck_assert_int_eq(engine_hear(g.engine, id, 8, &batch, &heard, &e), 0);
    ck_assert(heard.stop);
    end();
}
END_TEST

/* As a running one is: a client that asks has forgotten it, or its worker was
 * begun anew. */
START_TEST(a_trial_that_its_client_does_not_end_is_given_out_again)
{
    int64_t id;
    struct err e;

    stage_init(&g);
    g.lease_ms = _i ? 60000 : 0;
    stage_open(&g);
    id = five_told("trials: 7\n");
    ck_assert_int_eq(asked(id), 7); /* new ones come first */
    ck_assert_int_eq(engine_tell(g.engine, id, 7, NULL, "no", &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(given(id, "b"), 0);
    ck_assert_int_eq(given(id, ""), 0);
    stage_pass(&g, 60000);
    ck_assert_int_eq(given(id, "b"), _i ? 6 : 0);
    ck_assert_int_eq(given(id, "a"), _i ? 0 : 6);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPING);
    ck_assert_int_eq(engine_tell(g.engine, id, 6, NULL, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_trial(&g, id, 6).state, TRIAL_STOPPED);
    ck_assert(stage_trial(&g, id, 6).value == 0.1);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

/* ---- restarts ---- */

/* A study whose trials measure what their number says, three at once; a new
 * service every so many steps. What became of the trials, one letter each. */
static void history(const char *rule, int every, char *out, double *foreseen)
{
    char yaml[400];
    int steps[100] = {0}, n = 0;
    int64_t id;

    begin();
    snprintf(yaml, sizeof yaml, RUN "trials: 40\nparallel: 3\n%s", rule);
    id = stage_submit(&g, yaml);
    for (int pass = 1; stage_study_state(&g, id) == STUDY_ACTIVE; pass++) {
        for (int k = 0; k < 3; k++) {
            struct stage_job *job = stage_running(&g, k);
            int number = job ? (int)strtol(job->name + 2, NULL, 10) : 0;

            if (!job)
                continue;
            ck_assert_int_lt(number, 100);
            if (job->asked_to_stop) {
                stage_end(&g, job, 143);
            } else if (steps[number] == 9) {
                stage_end(&g, job, 0);
            } else {
                int step = ++steps[number];

                stage_report(job, "acc",
                             number * 7 % 11 + 0.1 * (number * step % 5), step);
            }
        }
        if (every && pass % every == 0) {
            stage_close(&g);
            stage_open(&g);
        }
        stage_pass(&g, 20);
        ck_assert_int_lt(pass, 2000);
    }
    for (int64_t i = 1; i <= 40; i++) {
        struct stage_trial t = stage_trial(&g, id, i);

        out[n++] = t.state == TRIAL_SUCCEEDED ? '.'
                   : t.reason == REASON_EARLY ? 's'
                                              : '?';
        foreseen[i] = t.foreseen;
    }
    out[n] = '\0';
    end();
}

START_TEST(a_service_that_begins_anew_decides_the_same)
{
    static const char *const rules[] = {"stop_early: median\n",
                                        "stop_early: asha\n"};
    char whole[101], broken[101];
    double foreseen[101] = {0}, again[101] = {0};

    history(rules[_i], 0, whole, foreseen);
    ck_assert_ptr_nonnull(strchr(whole, 's'));
    ck_assert_ptr_nonnull(strchr(whole, '.'));
    ck_assert_ptr_null(strchr(whole, '?'));
    for (int every = 1; every <= 4; every += 3) {
        history(rules[_i], every, broken, again);
        ck_assert_str_eq(whole, broken);
        for (int i = 1; i <= 40; i++)
            ck_assert(foreseen[i] == again[i]);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("tuner/early");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    tcase_set_timeout(c, 240);
    tcase_add_test(c,
                   a_hopeless_trial_is_asked_to_end_and_keeps_what_it_measured);
    tcase_add_test(c, one_that_does_not_listen_is_killed);
    tcase_add_test(c, one_that_is_no_worse_goes_on);
    tcase_add_loop_test(c, without_a_rule_or_before_its_step_nothing_is_stopped,
                        0, 3);
    tcase_add_test(c, what_came_in_one_go_is_judged_point_by_point);
    tcase_add_test(c, a_trial_that_has_ended_by_then_has_succeeded);
    tcase_add_test(c, another_attempt_is_not_blamed_for_the_first);
    tcase_add_test(c, a_stopped_trial_may_be_tried_again);
    tcase_add_test(c, a_rule_may_be_taken_up_later);
    tcase_add_loop_test(c, a_client_is_to_end_its_trial_itself, 0, 2);
    tcase_add_test(c, the_answer_to_the_batch_says_so);
    tcase_add_loop_test(
        c, a_trial_that_its_client_does_not_end_is_given_out_again, 0, 2);
    tcase_add_loop_test(c, a_service_that_begins_anew_decides_the_same, 0, 2);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
