/* VizierService over the service's socket: its answers, its refusals, and what
 * clients may rely on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google.h"

#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "google/google_body.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/served.h"

#define P "projects/p/locations/l"
#define V "/v1/" P

static struct served service;

static void begin(void)
{
    served_begin(&service);
}

static void end(void)
{
    served_end(&service);
}

static json_t *ask(int status, const char *method, const char *path,
                   const char *body)
{
    return served_ask(&service, status, method, path, body);
}

static void drop(json_t *answer)
{
    json_decref(answer);
}

/* A study over x; `more` are further members of its spec. Its id is 1 for the
 * first. */
static void make(const char *name, const char *more)
{
    char *body = mem_format(
        "{\"displayName\": \"%s\", \"studySpec\": {%s%s\"metrics\": "
        "[{\"metricId\": \"m\", \"goal\": \"MINIMIZE\"}], \"parameters\": "
        "[{\"parameterId\": \"x\", \"discreteValueSpec\": {\"values\": "
        "[1, 2, 3, 4, 5, 6, 7, 8, 9]}}]}}",
        name, more, *more ? ", " : "");

    drop(ask(200, "POST", V "/studies", body));
    free(body);
}

/* "1 2": the ids of the trials that the client is given. */
static const char *suggested(const char *client, int count)
{
    static char ids[200];
    char body[200];
    json_t *operation, *trials;
    size_t n = 0;

    snprintf(body, sizeof body,
             "{\"clientId\": \"%s\", \"suggestionCount\": %d}", client, count);
    operation = ask(200, "POST", V "/studies/1/trials:suggest", body);
    ck_assert(json_is_true(json_object_get(operation, "done")));
    trials = json_object_get(json_object_get(operation, "response"), "trials");
    *ids = '\0';
    for (size_t i = 0; i < json_array_size(trials); i++)
        n += (size_t)snprintf(ids + n, sizeof ids - n, "%s%s", i ? " " : "",
                              google_text(json_array_get(trials, i), "id"));
    drop(operation);
    return ids;
}

static void measure(int trial, const char *measurement)
{
    char path[100];
    char *body = mem_format("{\"measurement\": %s}", measurement);

    snprintf(path, sizeof path, V "/studies/1/trials/%d:addTrialMeasurement",
             trial);
    drop(ask(200, "POST", path, body));
    free(body);
}

/* The trial's answer to a verb. */
static json_t *act(int status, int trial, const char *verb, const char *body)
{
    char path[100];

    snprintf(path, sizeof path, V "/studies/1/trials/%d:%s", trial, verb);
    return ask(status, "POST", path, body);
}

static double final_value(const json_t *trial)
{
    const json_t *final = json_object_get(trial, "finalMeasurement");

    ck_assert_ptr_nonnull(final);
    return google_double(json_array_get(json_object_get(final, "metrics"), 0),
                         "value");
}

static double value_of_x(const json_t *trial)
{
    return google_double(
        json_array_get(json_object_get(trial, "parameters"), 0), "value");
}

static void complete(int trial, double value)
{
    char body[160];

    snprintf(body, sizeof body,
             "{\"finalMeasurement\": {\"metrics\": [{\"metricId\": \"m\", "
             "\"value\": %g}]}}",
             value);
    drop(act(200, trial, "complete", body));
}

/* ---- studies ---- */

START_TEST(either_spelling_and_numbers_of_enums_are_read)
{
    json_t *a, *b, *spec, *x;

    begin();
    a = ask(200, "POST", V "/studies",
            "{\"display_name\": \"a b\", \"study_spec\": {\"algorithm\": 3, "
            "\"metrics\": [{\"metric_id\": \"m\", \"goal\": 2}], "
            "\"observation_noise\": null, \"parameters\": [{\"parameter_id\": "
            "\"x\", \"integer_value_spec\": {\"max_value\": \"10\"}}, "
            "{\"parameterId\": \"y\", \"scale_type\": 2, "
            "\"doubleValueSpec\": {\"minValue\": \"1e-3\", \"max_value\": "
            "1}}]}}");
    b = ask(200, "GET", V "/studies/1", NULL);
    ck_assert(json_equal(a, b));
    ck_assert_str_eq(google_text(b, "name"), P "/studies/1");
    ck_assert_str_eq(google_text(b, "displayName"), "a b");
    ck_assert_str_eq(google_text(b, "state"), "ACTIVE");
    spec = json_object_get(b, "studySpec");
    ck_assert_str_eq(google_text(spec, "algorithm"), "RANDOM_SEARCH");
    ck_assert_ptr_null(json_object_get(spec, "observationNoise"));
    x = json_array_get(json_object_get(spec, "parameters"), 0);
    ck_assert_str_eq(
        google_text(json_object_get(x, "integerValueSpec"), "maxValue"), "10");
    drop(a);
    drop(b);
    end();
}
END_TEST

START_TEST(a_display_name_is_one_study_in_each_place)
{
    json_t *a;

    begin();
    make("same", "");
    make("same", "");  /* an equal one is the same */
    make("same.", ""); /* another, whose own name would be the same */
    a = ask(409, "POST", V "/studies",
            "{\"displayName\": \"same\", \"studySpec\": {\"metrics\": "
            "[{\"metricId\": \"n\"}], \"parameters\": [{\"parameterId\": "
            "\"x\", \"doubleValueSpec\": {\"maxValue\": 1}}]}}");
    ck_assert_str_eq(google_text(json_object_get(a, "error"), "status"),
                     "ALREADY_EXISTS");
    drop(a);
    a = ask(200, "GET", V "/studies", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(a, "studies")), 2);
    drop(a);
    drop(ask(404, "POST", "/v1/projects/q/locations/l/studies:lookup",
             "{\"displayName\": \"same\"}"));
    drop(ask(404, "GET", "/v1/projects/q/locations/l/studies/1", NULL));
    a = ask(200, "POST", V "/studies:lookup", "{\"displayName\": \"same\"}");
    ck_assert_str_eq(google_text(a, "name"), P "/studies/1");
    drop(a);
    end();
}
END_TEST

START_TEST(a_study_is_deleted_with_trials_that_clients_hold)
{
    begin();
    make("s", "");
    suggested("a", 2);
    drop(ask(200, "DELETE", V "/studies/1", NULL));
    drop(ask(404, "GET", V "/studies/1", NULL));
    drop(ask(404, "GET", V "/studies/1/trials/1", NULL));
    make("s", "");
    drop(ask(200, "GET", V "/studies/2", NULL));
    end();
}
END_TEST

START_TEST(a_limit_on_trials_completes_the_study)
{
    json_t *a;

    begin();
    make("s", "\"studyStoppingConfig\": {\"maxNumTrials\": 2}");
    ck_assert_str_eq(suggested("a", 5), "1 2");
    ck_assert_str_eq(suggested("b", 1), "");
    complete(1, 1);
    complete(2, 2);
    a = ask(200, "POST", V "/studies/1/trials:suggest",
            "{\"clientId\": \"a\", \"suggestionCount\": 1}");
    ck_assert_str_eq(google_text(json_object_get(a, "response"), "studyState"),
                     "COMPLETED");
    drop(a);
    end();
}
END_TEST

/* ---- clients ---- */

START_TEST(who_asks_again_is_given_what_he_holds)
{
    begin();
    make("s", "");
    ck_assert_str_eq(suggested("a", 2), "1 2");
    ck_assert_str_eq(suggested("b", 1), "3");
    ck_assert_str_eq(suggested("a", 1), "1");
    complete(1, 1);
    ck_assert_str_eq(suggested("a", 2), "2 4");
    drop(act(200, 2, "stop", "{}"));
    ck_assert_str_eq(suggested("a", 2), "4 5");
    end();
}
END_TEST

START_TEST(a_requested_point_is_next_and_takes_no_turn)
{
    json_t *a;

    begin();
    make("s", "\"algorithm\": \"GRID_SEARCH\"");
    ck_assert_str_eq(suggested("a", 1), "1");
    a = ask(200, "POST", V "/studies/1/trials",
            "{\"parameters\": [{\"parameterId\": \"x\", \"value\": 9}], "
            "\"clientId\": \"z\"}");
    ck_assert_str_eq(google_text(a, "state"), "REQUESTED");
    ck_assert_str_eq(google_text(a, "clientId"), "");
    drop(a);
    ck_assert_str_eq(suggested("b", 2), "2 3");
    a = ask(200, "GET", V "/studies/1/trials/2", NULL);
    ck_assert_double_eq(value_of_x(a), 9);
    ck_assert_str_eq(google_text(a, "state"), "ACTIVE");
    ck_assert_str_eq(google_text(a, "clientId"), "b");
    drop(a);
    a = ask(200, "GET", V "/studies/1/trials/3", NULL);
    ck_assert_double_eq(value_of_x(a), 2); /* the grid's second */
    drop(a);
    end();
}
END_TEST

START_TEST(an_ended_trial_is_put_in_with_its_measurements)
{
    json_t *a;

    begin();
    make("s", "");
    drop(ask(400, "POST", V "/studies/1/trials",
             "{\"state\": \"SUCCEEDED\", \"parameters\": [{\"parameterId\": "
             "\"x\", \"value\": 1}]}"));
    drop(ask(200, "POST", V "/studies/1/trials",
             "{\"state\": 4, \"parameters\": [{\"parameterId\": \"x\", "
             "\"value\": 1}], \"measurements\": [{\"stepCount\": 3, "
             "\"metrics\": [{\"metricId\": \"m\", \"value\": 4}]}], "
             "\"finalMeasurement\": {\"stepCount\": \"5\", \"metrics\": "
             "[{\"metricId\": \"m\"}]}}"));
    drop(ask(200, "POST", V "/studies/1/trials",
             "{\"state\": \"INFEASIBLE\", \"infeasibleReason\": \"too hot\", "
             "\"parameters\": [{\"parameterId\": \"x\", \"value\": \"2\"}]}"));
    a = ask(200, "GET", V "/studies/1/trials/1", NULL);
    ck_assert_double_eq(final_value(a), 0);
    ck_assert_uint_eq(json_array_size(json_object_get(a, "measurements")), 1);
    drop(a);
    a = ask(200, "GET", V "/studies/1/trials/2", NULL);
    ck_assert_str_eq(google_text(a, "state"), "INFEASIBLE");
    ck_assert_str_eq(google_text(a, "infeasibleReason"), "too hot");
    drop(a);
    end();
}
END_TEST

/* ---- measurements and ends ---- */

START_TEST(the_last_measurement_is_the_result)
{
    json_t *a;

    begin();
    make("s", "");
    suggested("a", 2);
    measure(1, "{\"stepCount\": 1, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 1}]}");
    measure(1, "{\"stepCount\": 2, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 3}]}");
    measure(1, "{\"stepCount\": 3, \"metrics\": [{\"metricId\": \"other\", "
               "\"value\": 0}]}");
    a = act(200, 1, "complete", NULL);
    ck_assert_double_eq(final_value(a), 3);
    ck_assert_str_eq(google_text(a, "state"), "SUCCEEDED");
    drop(a);
    drop(act(400, 2, "complete", "{}"));
    end();
}
END_TEST

START_TEST(the_best_measurement_respects_the_goal)
{
    json_t *a;

    begin();
    make("s", "\"measurementSelectionType\": \"BEST_MEASUREMENT\"");
    suggested("a", 1);
    measure(1, "{\"stepCount\": 1, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": \"NaN\"}]}");
    measure(1, "{\"stepCount\": 2, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 1}]}");
    measure(1, "{\"stepCount\": 3, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 3}]}");
    a = act(200, 1, "complete", "{}");
    ck_assert_double_eq(final_value(a), 1);
    drop(a);
    end();
}
END_TEST

START_TEST(a_stopping_trial_waits_for_its_client)
{
    json_t *a;

    begin();
    make("s", "");
    suggested("a", 2);
    a = act(200, 1, "stop", "{}");
    ck_assert_str_eq(google_text(a, "state"), "STOPPING");
    drop(a);
    drop(act(200, 1, "stop", "{}"));
    a = act(200, 1, "checkTrialEarlyStoppingState", "{}");
    ck_assert(google_bool(json_object_get(a, "response"), "shouldStop"));
    drop(a);
    measure(1, "{\"metrics\": [{\"metricId\": \"m\"}]}");
    drop(act(200, 1, "complete", "{}"));
    drop(act(200, 1, "stop", "{}"));
    drop(act(400, 1, "checkTrialEarlyStoppingState", "{}"));
    drop(act(400, 1, "addTrialMeasurement",
             "{\"measurement\": {\"metrics\": [{\"metricId\": \"m\"}]}}"));
    /* infeasible goes over a final measurement */
    a = act(200, 2, "complete",
            "{\"trialInfeasible\": true, \"finalMeasurement\": "
            "{\"metrics\": [{\"metricId\": \"m\"}]}}");
    ck_assert_str_eq(google_text(a, "state"), "INFEASIBLE");
    ck_assert_ptr_null(json_object_get(a, "finalMeasurement"));
    drop(a);
    end();
}
END_TEST

START_TEST(what_is_not_finite_is_infeasible)
{
    json_t *a;

    begin();
    make("s", "");
    suggested("a", 1);
    a = act(200, 1, "complete",
            "{\"finalMeasurement\": {\"metrics\": [{\"metricId\": \"m\", "
            "\"value\": \"-Infinity\"}]}}");
    ck_assert_str_eq(google_text(a, "state"), "INFEASIBLE");
    drop(a);
    end();
}
END_TEST

START_TEST(a_deleted_trial_is_best_no_longer)
{
    json_t *a;

    begin();
    make("s", "");
    suggested("a", 3);
    complete(1, 5);
    complete(2, 1);
    drop(ask(200, "DELETE", V "/studies/1/trials/2", NULL));
    drop(ask(200, "DELETE", V "/studies/1/trials/3", NULL));
    drop(ask(404, "DELETE", V "/studies/1/trials/3", NULL));
    a = ask(200, "POST", V "/studies/1/trials:listOptimalTrials", "{}");
    ck_assert_str_eq(
        google_text(json_array_get(json_object_get(a, "optimalTrials"), 0),
                    "id"),
        "1");
    drop(a);
    ck_assert_str_eq(suggested("a", 1), "4");
    end();
}
END_TEST

START_TEST(equal_ones_are_all_optimal)
{
    json_t *a;

    begin();
    make("s", "");
    suggested("a", 4);
    a = ask(200, "POST", V "/studies/1/trials:listOptimalTrials", "{}");
    ck_assert_uint_eq(json_object_size(a), 0);
    drop(a);
    complete(1, 2);
    complete(2, 1);
    complete(3, 1);
    a = ask(200, "POST", V "/studies/1/trials:listOptimalTrials", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(a, "optimalTrials")), 2);
    drop(a);
    end();
}
END_TEST

/* ---- operations and pages ---- */

START_TEST(an_operation_is_asked_for_again)
{
    json_t *a, *b;

    begin();
    make("s", "");
    a = ask(200, "POST", V "/studies/1/trials:suggest",
            "{\"clientId\": \"a\", \"suggestionCount\": 1}");
    ck_assert_str_eq(google_text(a, "name"), P "/studies/1/operations/1");
    b = ask(200, "GET", "/ui/" P "/studies/1/operations/1", NULL);
    ck_assert(json_equal(a, b));
    drop(b);
    b = ask(200, "POST", V "/studies/1/operations/1:wait?timeout=5s", "");
    ck_assert(json_equal(a, b));
    drop(b);
    b = ask(200, "GET", "/v1beta1/" P "/studies/1/operations/1", NULL);
    ck_assert_str_eq(google_text(json_object_get(b, "response"), "@type"),
                     "type.googleapis.com/google.cloud.aiplatform.v1beta1."
                     "SuggestTrialsResponse");
    drop(b);
    drop(a);
    a = ask(200, "GET", V "/studies/1/operations", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(a, "operations")), 1);
    drop(a);
    drop(ask(404, "GET", V "/operations/1", NULL)); /* of another parent */
    drop(ask(200, "POST", V "/studies/1/operations/1:cancel", ""));
    drop(ask(200, "DELETE", V "/studies/1/operations/1", NULL));
    drop(ask(404, "GET", V "/studies/1/operations/1", NULL));
    end();
}
END_TEST

START_TEST(a_token_is_good_for_its_own_list)
{
    char path[200];
    json_t *a;

    begin();
    make("s", "");
    make("t", "");
    suggested("a", 5);
    a = ask(200, "GET", V "/studies/1/trials?pageSize=3", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(a, "trials")), 3);
    snprintf(path, sizeof path, V "/studies/1/trials?page_token=%s",
             google_text(a, "nextPageToken"));
    drop(ask(200, "GET", path, NULL));
    snprintf(path, sizeof path, V "/studies/2/trials?pageToken=%s",
             google_text(a, "nextPageToken"));
    drop(ask(400, "GET", path, NULL));
    drop(a);
    end();
}
END_TEST

static void make_two(void)
{
    drop(ask(200, "POST", V "/studies",
             "{\"displayName\": \"two\", \"studySpec\": {\"metrics\": "
             "[{\"metricId\": \"m\", \"goal\": \"MINIMIZE\"}, "
             "{\"metricId\": \"n\"}], \"parameters\": "
             "[{\"parameterId\": \"x\", \"doubleValueSpec\": "
             "{\"maxValue\": 1}}]}}"));
}

static void complete_two(int status, int trial, double m, double n)
{
    char body[200];

    snprintf(body, sizeof body,
             "{\"finalMeasurement\": {\"metrics\": [{\"metricId\": \"n\", "
             "\"value\": %g}, {\"metricId\": \"m\", \"value\": %g}]}}",
             n, m);
    drop(act(status, trial, "complete", body));
}

START_TEST(several_metrics_are_searched_and_have_a_front)
{
    json_t *a, *front;

    begin();
    make_two();
    ck_assert_str_eq(suggested("a", 5), "1 2 3 4 5");
    drop(act(400, 1, "complete",
             "{\"finalMeasurement\": {\"metrics\": [{\"metricId\": \"m\", "
             "\"value\": 1}]}}"));
    complete_two(200, 1, 1, 5);
    complete_two(200, 2, 2, 9);
    complete_two(200, 3, 3, 6);
    measure(4, "{\"stepCount\": 1, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 7}]}");
    drop(act(400, 4, "complete", "{}")); /* n was never measured */
    measure(4, "{\"stepCount\": 2, \"metrics\": [{\"metricId\": \"m\", "
               "\"value\": 0.5}, {\"metricId\": \"n\"}]}");
    a = act(200, 4, "complete", "{}");
    ck_assert_str_eq(google_text(a, "state"), "SUCCEEDED");
    drop(a);
    drop(ask(200, "POST", V "/studies/1/trials",
             "{\"state\": \"SUCCEEDED\", \"parameters\": [{\"parameterId\": "
             "\"x\", \"value\": 0.5}], \"finalMeasurement\": {\"metrics\": "
             "[{\"metricId\": \"m\", \"value\": 1.5}, {\"metricId\": \"n\", "
             "\"value\": 8}]}}"));
    a = ask(200, "POST", V "/studies/1/trials:listOptimalTrials", "{}");
    front = json_object_get(a, "optimalTrials");
    ck_assert_uint_eq(json_array_size(front), 4);
    ck_assert_str_eq(google_text(json_array_get(front, 3), "id"), "6");
    drop(a);
    a = ask(200, "GET", "/api/studies/two/best", NULL);
    front = json_object_get(a, "trials");
    ck_assert_uint_eq(json_array_size(front), 4);
    ck_assert_int_eq(
        json_integer_value(json_object_get(json_array_get(front, 0), "number")),
        4);
    ck_assert_double_eq(
        json_number_value(json_object_get(
            json_object_get(json_array_get(front, 3), "values"), "n")),
        9);
    drop(a);
    end();
}
END_TEST

/* ---- refusals ---- */

#define SPEC(more) "{\"displayName\": \"d\", \"studySpec\": {" more "}}"
#define M "\"metrics\": [{\"metricId\": \"m\"}]"
#define X "\"parameterId\": \"x\""
#define XS(values) M ", \"parameters\": [{" X ", " values "}]"
#define GOOD XS("\"doubleValueSpec\": {\"maxValue\": 1}")
#define SUGGEST V "/studies/1/trials:suggest"
#define ADD V "/studies/1/trials/1:addTrialMeasurement"
#define END_IT V "/studies/1/trials/1:complete"

static const struct refusal {
    const char *path, *body, *word;
} refusals[] = {
    {V "/studies", "", "studySpec"},
    {V "/studies", "[]", "object"},
    {V "/studies", "{", "JSON"},
    {V "/studies", "{\"displayName\": 7}", "displayName"},
    {V "/studies", "{\"bogus\": 7}", "bogus"},
    {V "/studies", "{\"displayNam\": \"x\"}", "displayName"},
    {V "/studies", "{\"displayName\": \"a\", \"display_name\": \"b\"}",
     "displayName"},
    {V "/studies", "{\"displayName\": \"a\", \"displayName\": \"b\"}",
     "displayName"},
    {V "/studies", "{\"displayName\": \"d\", \"studySpec\": null}",
     "studySpec"},
    {V "/studies", "{\"studySpec\": {" GOOD "}}", "displayName"},
    {V "/studies", SPEC(""), "metrics"},
    {V "/studies", SPEC(M), "parameter"},
    {V "/studies", SPEC("\"metrics\": [{\"metricId\": \"a b\"}]"), "metricId"},
    {V "/studies", SPEC("\"metrics\": [{\"metricId\": \"a\", \"goal\": 3}]"),
     "MINIMIZE"},
    {V "/studies",
     SPEC("\"metrics\": [{\"metricId\": \"a\"}, {\"metricId\": \"a\"}]"),
     "twice"},
    {V "/studies", SPEC("\"algorithm\": 1, " GOOD), "GRID_SEARCH"},
    {V "/studies", SPEC("\"algorithm\": \"GRID_SEARCH\", " GOOD), "grid"},
    {V "/studies",
     SPEC("\"metrics\": [{\"metricId\": \"a\"}, {\"metricId\": \"b\"}], "
          "\"measurementSelectionType\": \"BEST_MEASUREMENT\", "
          "\"parameters\": [{" X ", \"doubleValueSpec\": {\"maxValue\": 1}}]"),
     "several objectives"},
    {V "/studies",
     SPEC("\"metrics\": [{\"metricId\": \"a\", \"safetyConfig\": {}}]"),
     "safety"},
    {V "/studies", SPEC("\"decayCurveStoppingSpec\": {}, " GOOD), "decayCurve"},
    {V "/studies",
     SPEC("\"decayCurveStoppingSpec\": {}, "
          "\"medianAutomatedStoppingSpec\": {}, " GOOD),
     "exclude"},
    {V "/studies",
     SPEC("\"studyStoppingConfig\": {\"maximumRuntimeConstraint\": "
          "{\"maxDuration\": \"5s\"}}, " GOOD),
     "maximumRuntimeConstraint"},
    {V "/studies",
     SPEC("\"studyStoppingConfig\": {\"maxDurationNoProgress\": \"5\"}, " GOOD),
     "maxDurationNoProgress"},
    {V "/studies", SPEC(XS("\"doubleValueSpec\": {\"maxValue\": \"NaN\"}")),
     "x: max"},
    {V "/studies", SPEC(XS("\"doubleValueSpec\": {\"minValue\": 5}")), "x"},
    {V "/studies", SPEC(XS("\"integerValueSpec\": {\"maxValue\": 1.5}")),
     "maxValue"},
    {V "/studies",
     SPEC(XS("\"integerValueSpec\": {\"maxValue\": 99999999999999999999}")),
     "maxValue"},
    {V "/studies",
     SPEC(XS("\"integerValueSpec\": {}, \"doubleValueSpec\": {}")), "exclude"},
    {V "/studies",
     SPEC(XS("\"doubleValueSpec\": {\"maxValue\": 1}, \"scaleType\": "
             "\"UNIT_LOG_SCALE\"")),
     "x"},
    {V "/studies", SPEC("\"transferLearningConfig\": {\"a\": 1}, " GOOD),
     "transferLearningConfig"},
    {V "/studies:lookup", "{}", "displayName"},
    {SUGGEST, "{\"clientId\": \"a\"}", "suggestion_count"},
    {SUGGEST, "{\"clientId\": \"a\", \"suggestionCount\": -1}",
     "suggestion_count"},
    {SUGGEST, "{\"clientId\": \"a\", \"suggestionCount\": 1e300}",
     "suggestionCount"},
    {SUGGEST, "{\"clientId\": \"a\", \"suggestionCount\": 100000}",
     "suggestion_count"},
    {SUGGEST, "{\"suggestionCount\": 1}", "client_id"},
    {SUGGEST,
     "{\"clientId\": \"a\", \"suggestionCount\": 1, \"contexts\": "
     "[{\"parameters\": [{\"parameterId\": \"x\", \"value\": 1}]}]}",
     "contexts"},
    {ADD, "{}", "measurement"},
    {ADD, "{\"measurement\": {}}", "metric"},
    {ADD, "{\"measurement\": {\"stepCount\": -1}}", "stepCount"},
    {ADD, "{\"measurement\": {\"metrics\": [{\"value\": 1}]}}", "metricId"},
    {ADD,
     "{\"measurement\": {\"metrics\": [{\"metricId\": \"m\", \"value\": "
     "\"much\"}]}}",
     "value"},
    {ADD, "{\"measurement\": {\"elapsedDuration\": \"5 min\"}}",
     "elapsedDuration"},
    {END_IT,
     "{\"finalMeasurement\": {\"metrics\": [{\"metricId\": \"other\"}]}}",
     "lacks the metric"},
    {END_IT, "{\"trialInfeasible\": \"yes\"}", "trialInfeasible"},
    {V "/studies/1/trials", "{}", "x"},
    {V "/studies/1/trials",
     "{\"parameters\": [{\"parameterId\": \"x\", \"value\": 1.5}]}", "x"},
    {V "/studies/1/trials",
     "{\"parameters\": [{\"parameterId\": \"x\", \"value\": [1]}]}", "value"},
    {V "/studies/1/trials",
     "{\"parameters\": [{\"parameterId\": \"x\", \"value\": 1}, "
     "{\"parameterId\": \"x\", \"value\": 1}]}",
     "twice"},
    {V "/studies/1/trials", "{\"parameters\": [{\"parameterId\": \"x\"}]}",
     "value"},
};
enum { REFUSALS = sizeof refusals / sizeof refusals[0] };

static void check_refusal(const struct refusal *r)
{
    json_t *a = ask(400, "POST", r->path, r->body);
    const json_t *error = json_object_get(a, "error");

    ck_assert_int_eq(google_int(error, "code"), 400);
    ck_assert_str_eq(google_text(error, "status"), "INVALID_ARGUMENT");
    ck_assert_msg(strstr(google_text(error, "message"), r->word),
                  "%s %s: no \"%s\" in \"%s\"", r->path, r->body, r->word,
                  google_text(error, "message"));
    ck_assert(json_is_array(json_object_get(error, "details")));
    drop(a);
}

START_TEST(each_bad_request_names_its_fault_and_changes_nothing)
{
    json_t *before, *after;

    begin();
    make("s", "");
    suggested("a", 1);
    before = ask(200, "GET", V "/studies/1/trials", NULL);
    for (size_t i = 0; i < REFUSALS; i++)
        check_refusal(&refusals[i]);
    after = ask(200, "GET", V "/studies/1/trials", NULL);
    ck_assert(json_equal(before, after));
    drop(before);
    drop(after);
    after = ask(200, "GET", V "/studies", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(after, "studies")), 1);
    drop(after);
    end();
}
END_TEST

START_TEST(what_is_not_there_is_not_found)
{
    static const char *const paths[] = {
        "/v1/",
        "/v1/projects",
        V,
        V "/studies/0",
        V "/studies/-1",
        V "/studies/1x",
        V "/studies/99999999999999999999",
        V "/studies/1/trials/9",
        V "/studies/1/trials/1/more",
        V "/studies/1/trials/1:fly",
        V "/studies/1/operations/x",
        "/v3/" P "/studies/1",
        "/v1/projects/p/locations//studies/1",
    };

    begin();
    make("s", "");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        drop(ask(404, "GET", paths[i], NULL));
    drop(ask(404, "POST", V "/studies/1/trials/9:complete", "{}"));
    drop(ask(404, "PATCH", V "/studies/1", "{}"));
    end();
}
END_TEST

/* No file may grow: it is as if the disk were full. */
static void fill_disk(bool full)
{
    struct rlimit limit = {full ? 0 : RLIM_INFINITY, RLIM_INFINITY};

    ck_assert_int_eq(prlimit(service.pid, RLIMIT_FSIZE, &limit, NULL), 0);
}

START_TEST(what_cannot_be_kept_is_refused_in_googles_shape)
{
    static const char body[] =
        "{\"displayName\": \"b\", \"studySpec\": {\"metrics\": "
        "[{\"metricId\": \"m\"}], \"parameters\": [{\"parameterId\": "
        "\"x\", \"doubleValueSpec\": {\"maxValue\": 1}}]}}";
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    json_t *got, *error;

    sigaction(SIGXFSZ, &ignore, &before); /* the service inherits it */
    begin();
    sigaction(SIGXFSZ, &before, NULL);
    make("a", "");
    fill_disk(true);
    got = ask(500, "POST", V "/studies", body);
    error = json_object_get(got, "error");
    ck_assert_int_eq(json_integer_value(json_object_get(error, "code")), 500);
    ck_assert_str_eq(google_text(error, "status"), "INTERNAL");
    ck_assert_ptr_nonnull(strstr(google_text(error, "message"), "make room"));
    ck_assert(json_is_array(json_object_get(error, "details")));
    drop(got);
    fill_disk(false);
    end();
}
END_TEST

START_TEST(who_may_end_a_study_may_not_delete_it)
{
    static const char *const ends[] = {"/studies/*", "/customJobs/*",
                                       "/hyperparameterTuningJobs/*"};
    const struct google_route *route;
    size_t found = 0;

    for (size_t i = 0; (route = google_route(i)); i++)
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            const char *at = strstr(route->pattern, ends[k]);

            if (strcmp(route->method, "DELETE") != 0 || !at ||
                strcmp(at, ends[k]) != 0)
                continue;
            ck_assert_msg(route->role == ROLE_ADMIN, "%s", route->pattern);
            found++;
        }
    ck_assert_uint_eq(found, sizeof ends / sizeof ends[0]);
}
END_TEST

START_TEST(deep_json_is_refused)
{
    enum { DEPTH = 10000 };
    static const char open[] = "{\"studySpec\": ";
    char *body = mem_new(1, sizeof open + DEPTH);

    begin();
    memcpy(body, open, sizeof open);
    memset(body + sizeof open - 1, '[', DEPTH);
    drop(ask(400, "POST", V "/studies", body));
    free(body);
    end();
}
END_TEST

SUITE_WITHIN(240, "service/google",
             either_spelling_and_numbers_of_enums_are_read,
             a_display_name_is_one_study_in_each_place,
             a_study_is_deleted_with_trials_that_clients_hold,
             a_limit_on_trials_completes_the_study,
             who_asks_again_is_given_what_he_holds,
             a_requested_point_is_next_and_takes_no_turn,
             an_ended_trial_is_put_in_with_its_measurements,
             the_last_measurement_is_the_result,
             the_best_measurement_respects_the_goal,
             a_stopping_trial_waits_for_its_client,
             what_is_not_finite_is_infeasible,
             several_metrics_are_searched_and_have_a_front,
             a_deleted_trial_is_best_no_longer, equal_ones_are_all_optimal,
             an_operation_is_asked_for_again, a_token_is_good_for_its_own_list,
             each_bad_request_names_its_fault_and_changes_nothing,
             what_is_not_there_is_not_found,
             what_cannot_be_kept_is_refused_in_googles_shape,
             who_may_end_a_study_may_not_delete_it, deep_json_is_refused)
