/* Measuring, stopping and completing trials of VizierService. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_measure.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "google/google_named.h"
#include "google/google_operations.h"
#include "metrics/report.h"
#include "store/store_google.h"
#include "tuner/early.h"

enum { NANOS = 1000000, LOCAL_DUMP = JSON_COMPACT | JSON_REAL_PRECISION(17) };

#define END                                                                    \
    {                                                                          \
        .kind = GOOGLE_END                                                     \
    }

static const struct google_message metric_fields[] = {
    {.name = "metricId", .kind = GOOGLE_TEXT},
    {.name = "value", .kind = GOOGLE_DOUBLE},
    END,
};

const struct google_message google_measure_fields[] = {
    {.name = "elapsedDuration", .kind = GOOGLE_DURATION},
    {.name = "stepCount", .kind = GOOGLE_INT64},
    {.name = "metrics",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = metric_fields},
    END,
};

/* ---- measurements ---- */

bool google_measure_value(const json_t *measurement, const char *metric,
                          double *out)
{
    const json_t *metrics = json_object_get(measurement, "metrics");

    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const json_t *m = json_array_get(metrics, i);

        if (strcmp(google_text(m, "metricId"), metric) != 0)
            continue;
        *out = google_double(m, "value"); /* an absent value is 0 */
        return true;
    }
    return false;
}

static bool stands_before(const json_t *metrics, size_t i, const char *id)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(google_text(json_array_get(metrics, k), "metricId"), id) ==
            0)
            return true;
    return false;
}

int google_measure_check(struct google_call *g, const json_t *measurement,
                         const char *field, struct err *e)
{
    const json_t *metrics = json_object_get(measurement, "metrics");

    if (google_int(measurement, "stepCount") < 0)
        return google_field(g, field, e, "stepCount must be 0 or more");
    if (json_array_size(metrics) == 0)
        return google_field(g, field, e, "at least one metric is wanted");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *id = google_text(json_array_get(metrics, i), "metricId");

        if (!*id || strlen(id) >= REPORT_METRIC)
            return google_field(g, field, e,
                                "metric %zu needs a metricId of 1 to %d bytes",
                                i + 1, REPORT_METRIC - 1);
        if (stands_before(metrics, i, id))
            return google_field(g, field, e, "\"%.60s\" stands there twice",
                                id);
    }
    return 0;
}

/* The first of the studySpec's metrics that it lacks, or NULL. */
static const char *lacking(const json_t *measurement, const json_t *spec)
{
    const json_t *metrics = json_object_get(spec, "metrics");

    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *id = google_text(json_array_get(metrics, i), "metricId");
        double value;

        if (!google_measure_value(measurement, id, &value))
            return id;
    }
    return NULL;
}

int google_measure_final(struct google_call *g, const json_t *measurement,
                         const char *field, const json_t *spec, double *out,
                         struct err *e)
{
    const char *lacks;

    if (google_measure_check(g, measurement, field, e))
        return -1;
    lacks = lacking(measurement, spec);
    if (lacks)
        return google_field(
            g, field, e, "it lacks the metric \"%.60s\" of the study", lacks);
    google_measure_value(measurement, google_named_goal(spec), out);
    return 0;
}

/* ---- adding one ---- */

/* Time since the trial's start where the client does not say it: proto leaves
 * it to the server. It grows from one measurement to the next. */
static void fill_elapsed(const struct google_call *g,
                         const struct google_named *trial, int64_t last,
                         json_t *measurement)
{
    int64_t start = trial->started_ms ? trial->started_ms : trial->created_ms;
    int64_t now = (engine_now(g->call->face->engine) - start) * NANOS;

    if (json_object_get(measurement, "elapsedDuration"))
        return;
    if (now <= last)
        now = last + NANOS;
    json_object_set_new(measurement, "elapsedDuration",
                        json_sprintf("%" PRId64 ".%09" PRId64 "s",
                                     now / 1000000000, now % 1000000000));
}

/* Measurements grow by steps, and by time within a step. */
static int check_order(struct google_call *g, const struct google_named *trial,
                       json_t *measurement, struct err *e)
{
    int64_t n, step = google_int(measurement, "stepCount"), last_nanos;
    char *body;
    json_t *last;
    int rc = 0;

    if (store_google_last(g->call->face->store, trial->study, trial->number, &n,
                          &body, e))
        return -1;
    last = json_loads(body, 0, NULL);
    last_nanos = last ? google_nanos(last, "elapsedDuration") : -1;
    fill_elapsed(g, trial, last_nanos, measurement);
    if (n >= GOOGLE_MEASURE_MOST)
        rc = google_err(g, GOOGLE_EXHAUSTED, e,
                        "trial %" PRId64 " has %d measurements, and takes no "
                        "more",
                        trial->number, GOOGLE_MEASURE_MOST);
    else if (last &&
             (step < google_int(last, "stepCount") ||
              (step == google_int(last, "stepCount") &&
               google_nanos(measurement, "elapsedDuration") <= last_nanos)))
        rc = google_field(g, "measurement", e,
                          "its step %" PRId64 " and elapsed time must be "
                          "beyond those of the last one (step %" PRId64 ")",
                          step, google_int(last, "stepCount"));
    json_decref(last);
    free(body);
    return rc;
}

static int report_all(struct google_call *g, const struct google_named *trial,
                      const json_t *measurement, struct err *e)
{
    const json_t *metrics = json_object_get(measurement, "metrics");

    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const json_t *m = json_array_get(metrics, i);

        if (engine_report(g->call->face->engine, trial->study, trial->number,
                          google_text(m, "metricId"), google_double(m, "value"),
                          google_int(measurement, "stepCount"), e))
            return -1;
    }
    return 0;
}

static int keep(struct google_call *g, const struct google_named *trial,
                const json_t *measurement, struct err *e)
{
    char *body = json_dumps(measurement, LOCAL_DUMP);
    int rc = store_google_measure(g->call->face->store, trial->study,
                                  trial->number, body, NULL, e);

    free(body);
    return rc;
}

static const struct google_message add_fields[] = {
    {.name = "trialName", .kind = GOOGLE_OUTPUT},
    {.name = "measurement",
     .kind = GOOGLE_MESSAGE,
     .message = google_measure_fields},
    END,
};

static int add(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, add_fields, e);
    json_t *measurement = json_object_get(body, "measurement");
    struct google_named trial;
    int rc = -1;

    if (!body)
        return -1;
    if (!measurement)
        google_field(g, "measurement", e, "it is wanted");
    else if (google_measure_check(g, measurement, "measurement", e) ||
             google_named_trial(g, &trial, e) ||
             check_order(g, &trial, measurement, e) ||
             report_all(g, &trial, measurement, e) ||
             keep(g, &trial, measurement, e))
        rc = -1;
    else
        rc = google_named_answer(g, &trial, e);
    json_decref(body);
    return rc;
}

/* ---- completing ---- */

/* Which of the measurements is the trial's result. */
struct choosing {
    const json_t *spec;
    const char *goal;
    bool best, maximize;
    json_t *chosen;
    double value;
};

static bool choose(void *ctx, const char *body, bool final, const char *why)
{
    struct choosing *c = ctx;
    json_t *m = final ? NULL : json_loads(body, 0, NULL);
    double value;
    bool better = false;

    (void)why;
    if (m && !lacking(m, c->spec) && google_measure_value(m, c->goal, &value))
        better = !c->chosen || !c->best || !isfinite(c->value) ||
                 (c->maximize ? value > c->value : value < c->value);
    if (!better) {
        json_decref(m);
        return true;
    }
    json_decref(c->chosen);
    c->chosen = m;
    c->value = value;
    return true;
}

static int choose_final(struct google_call *g, const struct google_named *trial,
                        const json_t *spec, json_t **out, double *value,
                        struct err *e)
{
    const json_t *metrics = json_object_get(spec, "metrics");
    struct choosing c = {
        .spec = spec,
        .goal = google_named_goal(spec),
        .best = strcmp(google_text(spec, "measurementSelectionType"),
                       "BEST_MEASUREMENT") == 0,
        .maximize = google_named_maximizes(json_array_get(metrics, 0))};

    if (store_google_measured(g->call->face->store, trial->study, trial->number,
                              choose, &c, e))
        return -1;
    if (!c.chosen)
        return google_err(
            g, GOOGLE_PRECONDITION, e,
            "trial %" PRId64 " has no measurement of \"%.60s\"%s; "
            "send final_measurement, or trial_infeasible",
            trial->number, c.goal,
            json_array_size(metrics) > 1 ? " and all other metrics at once"
                                         : "");
    *out = c.chosen;
    *value = c.value;
    return 0;
}

static int end_infeasible(struct google_call *g,
                          const struct google_named *trial, const char *why,
                          struct err *e)
{
    struct face *face = g->call->face;

    if (engine_tell(face->engine, trial->study, trial->number, NULL,
                    *why ? why : "its client said so", e))
        return -1;
    return store_google_final(face->store, trial->study, trial->number, "", why,
                              e);
}

/* What the measurement says of the metrics beside the first. */
static int report_others(struct google_call *g,
                         const struct google_named *trial, const json_t *spec,
                         const json_t *final, struct err *e)
{
    const json_t *metrics = json_object_get(spec, "metrics");

    for (size_t i = 1; i < json_array_size(metrics); i++) {
        const char *id = google_text(json_array_get(metrics, i), "metricId");
        double value;

        if (google_measure_value(final, id, &value) &&
            engine_report(g->call->face->engine, trial->study, trial->number,
                          id, value, google_int(final, "stepCount"), e))
            return -1;
    }
    return 0;
}

/* Ends it with that measurement. */
static int end_measured(struct google_call *g, const struct google_named *trial,
                        const json_t *spec, const json_t *final, double value,
                        struct err *e)
{
    struct face *face = g->call->face;
    char *body;
    int rc;

    if (report_others(g, trial, spec, final, e) ||
        engine_tell(face->engine, trial->study, trial->number, &value, NULL, e))
        return -1;
    body = json_dumps(final, LOCAL_DUMP);
    rc = store_google_final(face->store, trial->study, trial->number, body, "",
                            e);
    free(body);
    return rc;
}

static int end_well(struct google_call *g, const struct google_named *trial,
                    const json_t *sent, struct err *e)
{
    json_t *spec = google_named_spec(g, trial->study, e);
    json_t *final = NULL;
    double value = 0;
    int rc = -1;

    if (!spec)
        return -1;
    if (sent) {
        final = json_deep_copy(sent);
        rc =
            google_measure_final(g, sent, "final_measurement", spec, &value, e);
    } else {
        rc = choose_final(g, trial, spec, &final, &value, e);
    }
    if (!rc && !json_object_get(final, "elapsedDuration"))
        fill_elapsed(g, trial, -1, final);
    if (!rc)
        rc = end_measured(g, trial, spec, final, value, e);
    json_decref(final);
    json_decref(spec);
    return rc;
}

static const struct google_message complete_fields[] = {
    {.name = "name", .kind = GOOGLE_OUTPUT},
    {.name = "finalMeasurement",
     .kind = GOOGLE_MESSAGE,
     .message = google_measure_fields},
    {.name = "trialInfeasible", .kind = GOOGLE_BOOL},
    {.name = "infeasibleReason", .kind = GOOGLE_TEXT},
    END,
};

/* Only what a client holds can be ended. */
static int check_held(struct google_call *g, const struct google_named *trial,
                      struct err *e)
{
    if (trial->state == TRIAL_RUNNING || trial->state == TRIAL_STOPPING)
        return 0;
    return google_err(g, GOOGLE_PRECONDITION, e,
                      "trial %" PRId64 " %s; only one that is ACTIVE or "
                      "STOPPING can be",
                      trial->number,
                      trial->state == TRIAL_PENDING
                          ? "is REQUESTED: nobody has been given it"
                          : "has ended");
}

static int complete(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, complete_fields, e);
    struct google_named trial;
    int rc = -1;

    if (!body)
        return -1;
    if (google_named_trial(g, &trial, e) || check_held(g, &trial, e))
        rc = -1;
    else if (google_bool(body, "trialInfeasible"))
        rc =
            end_infeasible(g, &trial, google_text(body, "infeasibleReason"), e);
    else
        rc = end_well(g, &trial, json_object_get(body, "finalMeasurement"), e);
    if (!rc)
        rc = google_named_answer(g, &trial, e);
    json_decref(body);
    return rc;
}

/* ---- stopping ---- */

static const struct google_message name_fields[] = {
    {.name = "name", .kind = GOOGLE_OUTPUT},
    {.name = "trialName", .kind = GOOGLE_OUTPUT},
    END,
};

static int stop(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, name_fields, e);
    struct google_named trial;

    json_decref(body);
    if (!body || google_named_trial(g, &trial, e))
        return -1;
    if (trial.state == TRIAL_RUNNING &&
        engine_should_stop(g->call->face->engine, trial.study, trial.number,
                           false, e))
        return -1;
    if (trial.state != TRIAL_SUCCEEDED && trial.state != TRIAL_STOPPED &&
        check_held(g, &trial, e))
        return -1;
    return google_named_answer(g, &trial, e);
}

/* What the study's rule says of the trial. */
static int ask_rule(struct google_call *g, const struct google_named *trial,
                    bool *should, struct err *e)
{
    json_t *spec = google_named_spec(g, trial->study, e);
    const json_t *rule = json_object_get(spec, "medianAutomatedStoppingSpec");
    struct early_question of = {
        .study = trial->study,
        .number = trial->number,
        .rule = "median",
        .metric = google_named_goal(spec),
        .maximize = google_named_maximizes(
            json_array_get(json_object_get(spec, "metrics"), 0)),
        .by_time = google_bool(rule, "useElapsedDuration")};
    int rc = 0;

    if (!spec)
        return -1;
    if (rule)
        rc = early_ask(g->call->face->store, &of, should, e);
    json_decref(spec);
    return rc;
}

static int answer_check(struct google_call *g, const struct google_named *trial,
                        bool should, struct err *e)
{
    struct google_operation o = {
        .metadata_type = "CheckTrialEarlyStoppingStateMetatdata", /* sic */
        .response_type = "CheckTrialEarlyStoppingStateResponse"};
    char on[sizeof trial->on + 48];

    snprintf(on, sizeof on, "%s/trials/%" PRId64, trial->on, trial->number);
    o.on = on;
    o.metadata = json_pack("{s:s, s:s}", "study", trial->on, "trial", on);
    o.response = json_object();
    if (should)
        json_object_set_new(o.response, "shouldStop", json_true());
    return google_operations_done(g, &o, e);
}

static int check(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, name_fields, e);
    struct google_named trial;
    bool should;

    json_decref(body);
    if (!body || google_named_trial(g, &trial, e) || check_held(g, &trial, e))
        return -1;
    should = trial.state == TRIAL_STOPPING;
    if (!should && ask_rule(g, &trial, &should, e))
        return -1;
    if (should && engine_should_stop(g->call->face->engine, trial.study,
                                     trial.number, true, e))
        return -1;
    return answer_check(g, &trial, should, e);
}

#define TRIAL "projects/*/locations/*/studies/*/trials/*"

const struct google_route google_measure_routes[] = {
    {"POST", TRIAL ":addTrialMeasurement", "takes a measurement", add,
     ROLE_SUBMITTER},
    {"POST", TRIAL ":complete", "ends a trial", complete, ROLE_SUBMITTER},
    {"POST", TRIAL ":checkTrialEarlyStoppingState",
     "says whether a trial should stop", check, ROLE_SUBMITTER},
    {"POST", TRIAL ":stop", "says that a trial should stop", stop,
     ROLE_SUBMITTER},
    {0},
};
