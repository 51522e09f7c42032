/* What goes wrong with requests to Google's routes: every field of each in
 * every odd way, and two clients at once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/served.h"

#define V "/v1/projects/p/locations/l"
#define STUDY V "/studies/1"
#define TRIAL STUDY "/trials/1"
#define MARK "\"@here@\""

enum { LONG = 100000 };

static struct served service;
static char *long_text; /* as JSON */

/* ---- one request in every odd way ---- */

static const struct request_body {
    const char *path, *body;
} requests[] = {
    {V "/studies",
     "{\"displayName\": \"d\", \"studySpec\": {\"metrics\": [{\"metricId\": "
     "\"m\", \"goal\": \"MINIMIZE\"}], \"parameters\": [{\"parameterId\": "
     "\"x\", \"doubleValueSpec\": {\"minValue\": 0.1, \"maxValue\": 1, "
     "\"defaultValue\": 0.5}, \"scaleType\": \"UNIT_LOG_SCALE\"}, "
     "{\"parameterId\": \"k\", \"integerValueSpec\": {\"minValue\": \"1\", "
     "\"maxValue\": \"5\"}}, {\"parameterId\": \"c\", "
     "\"categoricalValueSpec\": {\"values\": [\"a\", \"b\"]}, "
     "\"conditionalParameterSpecs\": [{\"parentCategoricalValues\": "
     "{\"values\": [\"a\"]}, \"parameterSpec\": {\"parameterId\": \"y\", "
     "\"discreteValueSpec\": {\"values\": [1, 2]}}}]}], \"algorithm\": "
     "\"RANDOM_SEARCH\", \"observationNoise\": \"LOW\", "
     "\"measurementSelectionType\": \"BEST_MEASUREMENT\", "
     "\"medianAutomatedStoppingSpec\": {\"useElapsedDuration\": true}, "
     "\"studyStoppingConfig\": {\"maxNumTrials\": 100, "
     "\"maxNumTrialsNoProgress\": 50}}}"},
    {V "/studies:lookup", "{\"displayName\": \"s\"}"},
    {STUDY "/trials:suggest",
     "{\"suggestionCount\": 1, \"clientId\": \"a\", \"contexts\": "
     "[{\"description\": \"c\"}]}"},
    {STUDY "/trials",
     "{\"parameters\": [{\"parameterId\": \"x\", \"value\": 0.5}], "
     "\"state\": \"SUCCEEDED\", \"finalMeasurement\": {\"stepCount\": \"1\", "
     "\"elapsedDuration\": \"1.5s\", \"metrics\": [{\"metricId\": \"m\", "
     "\"value\": 1}]}}"},
    {TRIAL ":addTrialMeasurement",
     "{\"measurement\": {\"stepCount\": \"1\", \"elapsedDuration\": \"1.5s\", "
     "\"metrics\": [{\"metricId\": \"m\", \"value\": 1}]}}"},
    {TRIAL ":complete",
     "{\"finalMeasurement\": {\"stepCount\": \"1\", \"elapsedDuration\": "
     "\"1.5s\", \"metrics\": [{\"metricId\": \"m\", \"value\": 1}]}, "
     "\"trialInfeasible\": false, \"infeasibleReason\": \"none\"}"},
    {STUDY "/trials:listOptimalTrials", "{}"},
    {TRIAL ":checkTrialEarlyStoppingState", "{}"},
    {V "/customJobs",
     "{\"displayName\": \"j\", \"jobSpec\": {\"workerPoolSpecs\": "
     "[{\"processSpec\": {\"command\": [\"/bin/true\"], \"args\": [\"a\"], "
     "\"env\": [{\"name\": \"N\", \"value\": \"v\"}]}, \"replicaCount\": "
     "\"1\", \"machineSpec\": {\"machineType\": \"m\"}}]}, \"labels\": "
     "{\"a\": \"b\"}}"},
    {V "/hyperparameterTuningJobs",
     "{\"displayName\": \"h\", \"maxTrialCount\": 1, \"parallelTrialCount\": "
     "1, \"maxFailedTrialCount\": 1, \"studySpec\": {\"metrics\": "
     "[{\"metricId\": \"m\"}], \"parameters\": [{\"parameterId\": \"x\", "
     "\"doubleValueSpec\": {\"minValue\": 0, \"maxValue\": 1}}]}, "
     "\"trialJobSpec\": {\"workerPoolSpecs\": [{\"processSpec\": "
     "{\"command\": [\"/bin/true\"]}, \"replicaCount\": 1}]}}"},
    {"/v1/projects/p/jobs",
     "{\"jobId\": \"j\", \"labels\": {\"a\": \"b\"}, \"trainingInput\": "
     "{\"scaleTier\": \"BASIC\", \"region\": \"r\", \"jobDir\": \"/tmp/d\", "
     "\"args\": [\"a\"], \"hyperparameters\": {\"goal\": \"MAXIMIZE\", "
     "\"maxTrials\": 1, \"params\": [{\"parameterName\": \"x\", \"type\": "
     "\"DOUBLE\", \"minValue\": 0, \"maxValue\": 1}]}}}"},
    {"/v2/entries:list",
     "{\"resourceNames\": [\"projects/p\"], \"filter\": "
     "\"resource.labels.job_id=\\\"1\\\"\", \"orderBy\": \"timestamp asc\", "
     "\"pageSize\": 5, \"pageToken\": \"\"}"},
};
enum { REQUESTS = sizeof requests / sizeof requests[0] };

/* In place of a value. */
static const char *const odd_values[] = {
    "null",
    "true",
    "-1",
    "0.5",
    "1e308",
    "99999999999999999999",
    "\"\"",
    "\"9223372036854775807\"",
    "\"\\u00e9\\n\\u001b[1m\\\"';--\"",
    "[]",
    "{}",
    "[[[{}]]]",
    "{\"@type\": 7}",
};
enum { ODD_VALUES = sizeof odd_values / sizeof odd_values[0] };

/* The body with raw text where the mark stands. */
static char *with(const json_t *body, const char *raw)
{
    char *all = json_dumps(body, JSON_COMPACT | JSON_ENCODE_ANY);
    char *at = strstr(all, MARK);
    char *out;

    ck_assert_ptr_nonnull(at);
    out = mem_format("%.*s%s%s", (int)(at - all), all, raw, at + strlen(MARK));
    free(all);
    return out;
}

/* What must hold whatever is asked: an answer in Google's shape, and no fault
 * of ours. 400 and that word, if there is one. */
static void send_one(const struct request_body *r, const char *body,
                     const char *word)
{
    struct fetch_answer a;
    json_t *got;

    served_fetch(&service, "POST", r->path, body, strlen(body), &a);
    ck_assert_msg(
        a.status < 500 &&
            (!word || (a.status == 400 && strstr(text_str(&a.body), word))),
        "%s %.3000s: %d %.1000s", r->path, body, a.status, text_str(&a.body));
    got =
        json_loadb(text_str(&a.body), a.body.len, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_msg(json_is_object(got), "%s %.3000s: %.1000s", r->path, body,
                  text_str(&a.body));
    if (a.status >= 400)
        ck_assert_int_eq(json_integer_value(json_object_get(
                             json_object_get(got, "error"), "code")),
                         a.status);
    json_decref(got);
    fetch_answer_clear(&a);
}

static void send_raw(const struct request_body *r, const json_t *body,
                     const char *raw, const char *word)
{
    char *text = with(body, raw);

    send_one(r, text, word);
    free(text);
}

/* An object that says one thing twice, or one that nobody knows. */
static void odd_objects(const struct request_body *r, const json_t *body,
                        const json_t *object)
{
    char *members = json_dumps(object, JSON_COMPACT);
    char *unknown, *twice;
    size_t n = strlen(members);

    members[n - 1] = '\0'; /* its brace */
    unknown = mem_format("%s%s\"bogusField\": 1}", members, n > 2 ? "," : "");
    send_raw(r, body, unknown, "bogusField");
    if (n > 2) {
        twice = mem_format("%s,%s}", members, members + 1);
        send_raw(r, body, twice, "");
        free(twice);
    }
    free(unknown);
    free(members);
}

static bool is_map(const char *key)
{
    return key && strcmp(key, "labels") == 0;
}

/* The mark stands where `value` stood. */
static void odd_at(const struct request_body *r, const json_t *body,
                   const json_t *value, const char *key)
{
    for (size_t i = 0; i < ODD_VALUES; i++)
        send_raw(r, body, odd_values[i], NULL);
    send_raw(r, body, long_text, NULL);
    if (json_is_object(value) && !is_map(key))
        odd_objects(r, body, value);
}

/* Every value below `at`, one after the other; `body` is the whole. */
static void walk(const struct request_body *r, const json_t *body, json_t *at)
{
    const char *key;
    void *next;
    json_t *value;
    size_t i;

    json_object_foreach_safe(at, next, key, value)
    {
        char *name = mem_copy_text(key);

        json_incref(value);
        json_object_set_new(at, name, json_string("@here@"));
        odd_at(r, body, value, name);
        json_object_set_new(at, name, value);
        walk(r, body, value);
        free(name);
    }
    json_array_foreach(at, i, value)
    {
        json_incref(value);
        json_array_set_new(at, i, json_string("@here@"));
        odd_at(r, body, value, NULL);
        json_array_set_new(at, i, value);
        walk(r, body, value);
    }
}

/* The whole body in place of a value of its own. */
static void odd_whole(const struct request_body *r, const json_t *body)
{
    json_t *mark = json_string("@here@");

    for (size_t i = 0; i < ODD_VALUES; i++)
        send_one(r, odd_values[i], NULL);
    send_one(r, "", NULL);
    odd_objects(r, mark, body);
    json_decref(mark);
}

static void just(const char *method, const char *path, const char *body)
{
    json_decref(served_ask(&service, 200, method, path, body));
}

static void make_study(void)
{
    just("POST", V "/studies",
         "{\"displayName\": \"s\", \"studySpec\": {\"algorithm\": "
         "\"RANDOM_SEARCH\", \"metrics\": [{\"metricId\": \"m\"}], "
         "\"parameters\": [{\"parameterId\": \"x\", \"doubleValueSpec\": "
         "{\"minValue\": 0, \"maxValue\": 1}}]}}");
    just("POST", STUDY "/trials:suggest",
         "{\"suggestionCount\": 1, \"clientId\": \"a\"}");
}

static void make_long_text(void)
{
    struct text t;

    text_init(&t);
    text_add(&t, "\"");
    for (int i = 0; i < LONG; i++)
        text_add(&t, "x");
    text_add(&t, "\"");
    long_text = text_take(&t);
}

START_TEST(every_field_of_googles_in_every_odd_way_does_no_harm)
{
    make_long_text();
    served_begin(&service);
    make_study();
    for (size_t i = 0; i < REQUESTS; i++) {
        json_t *body = json_loads(requests[i].body, 0, NULL);

        ck_assert_msg(body != NULL, "%s", requests[i].body);
        odd_whole(&requests[i], body);
        walk(&requests[i], body, body);
        json_decref(body);
    }
    just("GET", "/readyz", NULL);
    served_end(&service);
    free(long_text);
}
END_TEST

/* ---- two at once ---- */

START_TEST(one_of_two_who_complete_a_trial_at_once_is_told_so)
{
    static const char done[] = "{\"finalMeasurement\": {\"metrics\": "
                               "[{\"metricId\": \"m\", \"value\": 1}]}}";
    static const char suggest[] =
        "{\"suggestionCount\": 1, \"clientId\": \"a\"}";

    served_begin(&service);
    make_study();
    for (int number = 1; number <= 10; number++) {
        char *path = mem_format(STUDY "/trials/%d:complete", number);
        int one = served_send(&service, "POST", path, done);
        int two =
            served_send(&service, "POST", path, "{\"trialInfeasible\": true}");

        one = served_status(one);
        two = served_status(two);
        ck_assert_msg((one == 200 && two == 400) || (one == 400 && two == 200),
                      "%d %d", one, two);
        just("POST", STUDY "/trials:suggest", suggest);
        free(path);
    }
    served_end(&service);
}
END_TEST

START_TEST(a_study_may_be_deleted_while_trials_are_suggested)
{
    static const char suggest[] =
        "{\"suggestionCount\": 3, \"clientId\": \"%d\"}";

    served_begin(&service);
    for (int round = 1; round <= 10; round++) {
        char *study = mem_format(V "/studies/%d", round);
        char *path = mem_format("%s/trials:suggest", study);
        int asks[4], deleted;

        just("POST", V "/studies",
             "{\"displayName\": \"s\", \"studySpec\": {\"metrics\": "
             "[{\"metricId\": \"m\"}], \"parameters\": [{\"parameterId\": "
             "\"x\", \"doubleValueSpec\": {\"maxValue\": 1}}]}}");
        for (int i = 0; i < 4; i++) {
            char *body = mem_format(suggest, i);

            asks[i] = served_send(&service, "POST", path, body);
            free(body);
        }
        deleted = served_status(served_send(&service, "DELETE", study, ""));
        ck_assert_int_eq(deleted, 200);
        for (int i = 0; i < 4; i++) {
            int status = served_status(asks[i]);

            ck_assert_msg(status == 200 || status == 404, "%d", status);
        }
        json_decref(served_ask(&service, 404, "GET", study, NULL));
        free(path);
        free(study);
    }
    just("GET", "/readyz", NULL);
    served_end(&service);
}
END_TEST

SUITE_WITHIN(540, "service/google_odd",
             every_field_of_googles_in_every_odd_way_does_no_harm,
             one_of_two_who_complete_a_trial_at_once_is_told_so,
             a_study_may_be_deleted_while_trials_are_suggested)
