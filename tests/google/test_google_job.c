/* Studies and trials are said as Google's three interfaces say jobs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_job.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

enum { MOST_TRIALS = 4 };

static struct google_job_trial trials[MOST_TRIALS];

/* 2026-01-02T03:04:05Z and so many seconds. */
static int64_t at(int64_t s)
{
    return (1767323045 + s) * 1000;
}

/* A job of which nothing is to be freed. */
static struct google_job a_job(const char *kind)
{
    return (struct google_job){.id = 7,
                               .kind = (char *)kind,
                               .project = (char *)"p",
                               .location = (char *)"l",
                               .display_name = (char *)"mine",
                               .body = (char *)"{\"jobSpec\": {}}",
                               .labels = (char *)"",
                               .study = (char *)"mine-2",
                               .metric = (char *)"loss",
                               .reason = (char *)"",
                               .state = STUDY_ACTIVE,
                               .created_ms = at(0),
                               .trials = trials};
}

static struct google_job_trial *add(struct google_job *j, enum trial_state to)
{
    struct google_job_trial *t = &trials[j->n++];

    *t = (struct google_job_trial){
        .number = (int64_t)j->n,
        .state = to,
        .detail = (char *)"",
        .point = (char *)"{\"lr\": 0.25, \"n\": 3, \"opt\": \"sgd\"}",
        .attempt = 1,
        .created_ms = at(1)};
    if (to >= TRIAL_RUNNING)
        t->started_ms = at(2);
    if (trial_state_ended(to))
        t->ended_ms = at(4);
    return t;
}

static void give(struct google_job_trial *t, double value, int64_t step)
{
    t->has_value = true;
    t->value = value;
    t->step = step;
}

/* The job, or what of it `path` names, is said like this. */
static void says(const struct google_job *j, const char *key,
                 const char *wanted)
{
    json_t *said = google_job_say(j);
    json_t *part = key ? json_object_get(said, key) : said;
    char *text =
        part ? json_dumps(part, JSON_COMPACT | JSON_ENCODE_ANY | JSON_SORT_KEYS)
             : strdup("nothing");

    ck_assert_str_eq(text, wanted);
    free(text);
    json_decref(said);
}

START_TEST(a_tuning_job_is_said_with_its_trials)
{
    struct google_job j = a_job(GOOGLE_JOB_TUNING);
    struct google_job_trial *t = add(&j, TRIAL_SUCCEEDED);

    give(t, 0.5, 12);
    add(&j, TRIAL_RUNNING);
    t = add(&j, TRIAL_INFEASIBLE);
    t->detail = (char *)"ended well but never reported loss";
    j.body = (char *)"{\"maxTrialCount\": 3, \"name\": \"not mine\"}";
    j.labels = (char *)"{\"team\": \"a\"}";
    says(&j, NULL,
         "{\"createTime\":\"2026-01-02T03:04:05.000Z\",\"displayName\":"
         "\"mine\",\"labels\":{\"team\":\"a\"},\"maxTrialCount\":3,\"name\":"
         "\"projects/p/locations/l/hyperparameterTuningJobs/7\","
         "\"startTime\":\"2026-01-02T03:04:07.000Z\",\"state\":"
         "\"JOB_STATE_RUNNING\",\"trials\":["
         "{\"endTime\":\"2026-01-02T03:04:09.000Z\",\"finalMeasurement\":{"
         "\"elapsedDuration\":\"2s\",\"metrics\":[{\"metricId\":\"loss\","
         "\"value\":0.5}],\"stepCount\":\"12\"},\"id\":\"1\",\"parameters\":["
         "{\"parameterId\":\"lr\",\"value\":0.25},{\"parameterId\":\"n\","
         "\"value\":3},{\"parameterId\":\"opt\",\"value\":\"sgd\"}],"
         "\"startTime\":\"2026-01-02T03:04:07.000Z\",\"state\":"
         "\"SUCCEEDED\"},"
         "{\"id\":\"2\",\"parameters\":[{\"parameterId\":\"lr\",\"value\":"
         "0.25},{\"parameterId\":\"n\",\"value\":3},{\"parameterId\":\"opt\","
         "\"value\":\"sgd\"}],\"startTime\":\"2026-01-02T03:04:07.000Z\","
         "\"state\":\"ACTIVE\"},"
         "{\"endTime\":\"2026-01-02T03:04:09.000Z\",\"id\":\"3\","
         "\"infeasibleReason\":\"ended well but never reported loss\","
         "\"parameters\":[{\"parameterId\":\"lr\",\"value\":0.25},"
         "{\"parameterId\":\"n\",\"value\":3},{\"parameterId\":\"opt\","
         "\"value\":\"sgd\"}],\"startTime\":\"2026-01-02T03:04:07.000Z\","
         "\"state\":\"INFEASIBLE\"}],"
         "\"updateTime\":\"2026-01-02T03:04:09.000Z\"}");
}
END_TEST

START_TEST(a_tuning_job_has_the_state_of_its_study)
{
    static const struct {
        enum study_state study;
        int trial; /* -1 = none */
        bool cancelling;
        const char *vertex, *platform;
    } rows[] = {
        {STUDY_ACTIVE, -1, false, "\"JOB_STATE_QUEUED\"", "\"QUEUED\""},
        {STUDY_ACTIVE, TRIAL_LAUNCHING, false, "\"JOB_STATE_PENDING\"",
         "\"PREPARING\""},
        {STUDY_ACTIVE, TRIAL_RUNNING, false, "\"JOB_STATE_RUNNING\"",
         "\"RUNNING\""},
        {STUDY_ACTIVE, TRIAL_FAILED, false, "\"JOB_STATE_RUNNING\"",
         "\"RUNNING\""},
        {STUDY_PAUSED, TRIAL_FAILED, false, "\"JOB_STATE_PAUSED\"",
         "\"QUEUED\""},
        {STUDY_ENDING, TRIAL_STOPPING, false, "\"JOB_STATE_RUNNING\"",
         "\"RUNNING\""},
        {STUDY_ENDING, TRIAL_STOPPING, true, "\"JOB_STATE_CANCELLING\"",
         "\"CANCELLING\""},
        {STUDY_SUCCEEDED, TRIAL_SUCCEEDED, false, "\"JOB_STATE_SUCCEEDED\"",
         "\"SUCCEEDED\""},
        {STUDY_FAILED, TRIAL_FAILED, false, "\"JOB_STATE_FAILED\"",
         "\"FAILED\""},
        {STUDY_CANCELLED, TRIAL_STOPPED, true, "\"JOB_STATE_CANCELLED\"",
         "\"CANCELLED\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct google_job j = a_job(GOOGLE_JOB_TUNING);

        j.state = rows[i].study;
        j.cancelling = rows[i].cancelling;
        if (rows[i].trial >= 0)
            add(&j, (enum trial_state)rows[i].trial);
        says(&j, "state", rows[i].vertex);
        j.kind = (char *)GOOGLE_JOB_PLATFORM;
        says(&j, "state", rows[i].platform);
    }
}
END_TEST

START_TEST(a_job_that_tunes_nothing_has_the_state_of_its_process)
{
    static const struct {
        enum trial_state state;
        enum trial_reason reason;
        const char *says;
    } rows[] = {
        {TRIAL_RUNNING, REASON_NONE, "\"JOB_STATE_RUNNING\""},
        {TRIAL_SUCCEEDED, REASON_VALUE, "\"JOB_STATE_SUCCEEDED\""},
        {TRIAL_INFEASIBLE, REASON_NO_METRIC, "\"JOB_STATE_SUCCEEDED\""},
        {TRIAL_INFEASIBLE, REASON_NOT_FINITE, "\"JOB_STATE_SUCCEEDED\""},
        {TRIAL_INFEASIBLE, REASON_SIGNAL, "\"JOB_STATE_FAILED\""},
        {TRIAL_FAILED, REASON_EXIT, "\"JOB_STATE_FAILED\""},
        {TRIAL_STOPPED, REASON_DEADLINE, "\"JOB_STATE_FAILED\""},
        {TRIAL_STOPPED, REASON_USER, "\"JOB_STATE_CANCELLED\""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct google_job j = a_job(GOOGLE_JOB_CUSTOM);
        struct google_job_trial *t = add(&j, rows[i].state);

        t->reason = rows[i].reason;
        j.alone = true;
        j.state = rows[i].state == TRIAL_RUNNING ? STUDY_ACTIVE : STUDY_FAILED;
        says(&j, "state", rows[i].says);
        says(&j, "trials", "nothing");
    }
}
END_TEST

START_TEST(a_broken_job_says_which_replica_and_why)
{
    struct google_job j = a_job(GOOGLE_JOB_CUSTOM);
    struct google_job_trial *t = add(&j, TRIAL_FAILED);

    j.alone = true;
    j.state = STUDY_FAILED;
    t->reason = REASON_EXIT;
    t->detail = (char *)"exit 3: no such \xff file";
    says(&j, "error",
         "{\"code\":3,\"message\":\"The replica workerpool0-0 exited with a "
         "non-zero status of 3. no such \xef\xbf\xbd file\"}");
    t->detail = (char *)"exit 127";
    says(&j, "error",
         "{\"code\":3,\"message\":\"The replica workerpool0-0 exited with a "
         "non-zero status of 127.\"}");
    t->detail = (char *)"worker-12: exit 1: no data";
    says(&j, "error",
         "{\"code\":3,\"message\":\"The replica workerpool1-12 exited with a "
         "non-zero status of 1. no data\"}");
    t->detail = (char *)"worker-x: exit 1";
    says(&j, "error",
         "{\"code\":3,\"message\":\"The replica workerpool0-0 ended: worker-x: "
         "exit 1\"}");
    j.kind = (char *)GOOGLE_JOB_PLATFORM;
    t->reason = REASON_SIGNAL;
    t->detail = (char *)"ps-0: signal 9 (Killed)";
    says(&j, "errorMessage", "\"The replica ps 0 ended: signal 9 (Killed)\"");
    t->detail = (char *)"signal 9 (Killed)";
    says(&j, "errorMessage",
         "\"The replica master 0 ended: signal 9 (Killed)\"");
    j.state = STUDY_CANCELLED;
    j.kind = (char *)GOOGLE_JOB_CUSTOM;
    j.reason = (char *)"cancelled by a person";
    j.alone = false;
    j.state = STUDY_PAUSED;
    says(&j, "error", "{\"code\":9,\"message\":\"cancelled by a person\"}");
    j.state = STUDY_ACTIVE;
    says(&j, "error", "nothing");
    j.state = STUDY_CANCELLED;
    says(&j, "error", "{\"code\":1,\"message\":\"cancelled by a person\"}");
}
END_TEST

START_TEST(ai_platform_lists_the_best_first_once_it_is_done)
{
    struct google_job j = a_job(GOOGLE_JOB_PLATFORM);
    json_t *said, *list;

    j.metric = (char *)"loss";
    add(&j, TRIAL_FAILED);
    give(add(&j, TRIAL_SUCCEEDED), 0.5, 1);
    give(add(&j, TRIAL_STOPPED), 0.75, 2);
    give(add(&j, TRIAL_SUCCEEDED), 0.25, 3);
    for (int done = 0; done < 2; done++)
        for (int maximize = 0; maximize < 2; maximize++) {
            static const char *const orders[] = {"1234", "1234", "4231",
                                                 "3241"};
            char order[5] = "";

            j.state = done ? STUDY_SUCCEEDED : STUDY_ACTIVE;
            j.maximize = maximize;
            said = google_job_say(&j);
            list = json_object_get(json_object_get(said, "trainingOutput"),
                                   "trials");
            for (size_t i = 0; i < 4; i++)
                order[i] = *json_string_value(
                    json_object_get(json_array_get(list, i), "trialId"));
            ck_assert_str_eq(order, orders[2 * done + maximize]);
            json_decref(said);
        }
}
END_TEST

START_TEST(ai_platform_says_hyperparameters_as_text)
{
    struct google_job j = a_job(GOOGLE_JOB_PLATFORM);

    give(add(&j, TRIAL_STOPPED), 0.5, 10);
    j.state = STUDY_SUCCEEDED;
    j.ended_ms = at(9);
    says(&j, "trainingOutput",
         "{\"completedTrialCount\":\"1\",\"hyperparameterMetricTag\":\"loss\","
         "\"isHyperparameterTuningJob\":true,\"trials\":[{\"endTime\":"
         "\"2026-01-02T03:04:09.000Z\",\"finalMetric\":{\"objectiveValue\":"
         "0.5,\"trainingStep\":\"10\"},\"hyperparameters\":{\"lr\":\"0.25\","
         "\"n\":\"3\",\"opt\":\"sgd\"},\"isTrialStoppedEarly\":true,"
         "\"startTime\":\"2026-01-02T03:04:07.000Z\",\"state\":\"SUCCEEDED\","
         "\"trialId\":\"1\"}]}");
    says(&j, "endTime", "\"2026-01-02T03:04:14.000Z\"");
    j.alone = true;
    says(&j, "trainingOutput", "{}");
}
END_TEST

START_TEST(an_etag_changes_with_the_labels)
{
    struct google_job j = a_job(GOOGLE_JOB_PLATFORM);
    char first[16], second[16];

    google_job_etag(&j, first);
    j.labels = (char *)"{\"a\": \"b\"}";
    google_job_etag(&j, second);
    ck_assert_str_ne(first, second);
    ck_assert_uint_eq(strlen(first), 12);
    ck_assert_uint_eq(strspn(first, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                    "abcdefghijklmnopqrstuvwxyz0123456789+/"),
                      11);
}
END_TEST

START_TEST(a_job_is_stuck_once_nothing_of_it_runs)
{
    struct google_job j = a_job(GOOGLE_JOB_TUNING);
    struct google_job_trial *t = add(&j, TRIAL_RUNNING);

    ck_assert_int_eq(google_job_stuck_ms(&j), 0);
    j.state = STUDY_PAUSED;
    ck_assert_int_eq(google_job_stuck_ms(&j), 0);
    t->state = TRIAL_PENDING; /* it never began */
    ck_assert_int_ne(google_job_stuck_ms(&j), 0);
    t->state = TRIAL_FAILED;
    t->ended_ms = at(9);
    ck_assert_int_eq(google_job_stuck_ms(&j), at(9));
    j.state = STUDY_ACTIVE;
    ck_assert_int_eq(google_job_stuck_ms(&j), 0);
    j.state = STUDY_FAILED;
    j.ended_ms = at(10);
    ck_assert_int_eq(google_job_stuck_ms(&j), at(10));
    j.state = STUDY_SUCCEEDED;
    ck_assert_int_eq(google_job_stuck_ms(&j), 0);
}
END_TEST

SUITE("google/google_job", a_tuning_job_is_said_with_its_trials,
      a_tuning_job_has_the_state_of_its_study,
      a_job_that_tunes_nothing_has_the_state_of_its_process,
      a_broken_job_says_which_replica_and_why,
      ai_platform_lists_the_best_first_once_it_is_done,
      ai_platform_says_hyperparameters_as_text, an_etag_changes_with_the_labels,
      a_job_is_stuck_once_nothing_of_it_runs)
