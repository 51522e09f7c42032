/* VizierService's trials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_trials.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "google/google_measure.h"
#include "google/google_named.h"
#include "google/google_show.h"
#include "store/store_google.h"

enum { DUMP = JSON_COMPACT | JSON_REAL_PRECISION(17) };

#define END                                                                    \
    {                                                                          \
        .kind = GOOGLE_END                                                     \
    }

static int get(struct google_call *g, struct err *e)
{
    struct google_named trial;

    if (google_named_trial(g, &trial, e))
        return -1;
    return google_named_answer(g, &trial, e);
}

static int forget(struct google_call *g, struct err *e)
{
    struct google_named trial;

    if (google_named_trial(g, &trial, e) ||
        engine_forget(g->call->face->engine, trial.study, trial.number, e))
        return -1;
    google_answer(g, json_object());
    return 0;
}

/* ---- lists ---- */

struct listing {
    struct store *store;
    const char *on;
    json_t *out;
    struct err *e;
    int left;
    int64_t last;
    bool more, failed;
};

static bool list_row(void *ctx, const struct trial_row *row)
{
    struct listing *l = ctx;
    json_t *shown;

    l->more = l->left == 0;
    if (l->more)
        return false;
    shown = google_show_row(l->store, l->on, row, l->e);
    l->failed = !shown;
    if (!shown)
        return false;
    json_array_append_new(l->out, shown);
    l->last = row->number;
    l->left--;
    return true;
}

/* {NAME: the listed ones}; no member where there are none. */
static json_t *listed(const char *name, json_t *list)
{
    json_t *out = json_object();

    if (json_array_size(list))
        json_object_set(out, name, list);
    json_decref(list);
    return out;
}

static int list(struct google_call *g, struct err *e)
{
    struct google_named study;
    struct listing l = {.store = g->call->face->store, .on = study.on, .e = e};
    struct trial_filter f = {0};
    struct google_page page;
    char name[sizeof study.on + 16];
    json_t *out;

    if (google_named_study(g, &study, e))
        return -1;
    snprintf(name, sizeof name, "%s/trials", study.on);
    if (google_page_read(g, name, GOOGLE_TRIALS_PAGE, GOOGLE_TRIALS_PAGE, &page,
                         e))
        return -1;
    f.after = page.after;
    f.limit = page.size + 1;
    l.left = page.size;
    l.out = json_array();
    if (store_trial_list(l.store, study.study, &f, list_row, &l, e) ||
        l.failed) {
        json_decref(l.out);
        return -1;
    }
    out = listed("trials", l.out);
    if (l.more)
        json_object_set_new(out, "nextPageToken",
                            google_page_token(name, l.last));
    google_answer(g, out);
    return 0;
}

/* ---- the optimal ones ---- */

/* One trial of the front: its value of each metric, larger is better. */
struct peak {
    int64_t number;
    double *values;
};

struct front {
    struct store *store;
    const json_t *metrics;
    struct peak *peaks;
    size_t n, cap;
    struct err *e;
    bool failed;
};

static bool take_final(void *ctx, const char *body, bool final, const char *why)
{
    (void)why;
    if (final && *body)
        *(json_t **)ctx = json_loads(body, 0, NULL);
    return true;
}

/* The trial's values; NULL if it lacks one, or one is not finite. */
static double *values_of(struct front *f, const struct trial_row *row)
{
    size_t n = json_array_size(f->metrics);
    double *out = mem_new(n, sizeof *out);
    json_t *final = NULL, *told = NULL;
    bool whole = true;

    f->failed = store_google_measured(f->store, row->study_id, row->number,
                                      take_final, &final, f->e) != 0;
    if (!final) /* told another way */
        told = json_pack(
            "{s:o}", "metrics",
            google_show_metrics(
                google_text(json_array_get(f->metrics, 0), "metricId"),
                row->value, row->objectives));
    for (size_t i = 0; i < n && whole; i++) {
        const json_t *m = json_array_get(f->metrics, i);
        double x = 0;

        whole = google_measure_value(final ? final : told,
                                     google_text(m, "metricId"), &x);
        whole = whole && isfinite(x);
        out[i] = google_named_maximizes(m) ? x : -x;
    }
    json_decref(told);
    json_decref(final);
    if (whole && !f->failed)
        return out;
    free(out);
    return NULL;
}

/* Nowhere worse, and somewhere better. */
static bool dominates(const double *a, const double *b, size_t n)
{
    bool better = false;

    for (size_t i = 0; i < n; i++) {
        if (a[i] < b[i])
            return false;
        better = better || a[i] > b[i];
    }
    return better;
}

static bool add_peak(void *ctx, const struct trial_row *row)
{
    struct front *f = ctx;
    size_t n = json_array_size(f->metrics), kept = 0;
    double *values = values_of(f, row);
    void *peaks = f->peaks;

    if (!values)
        return !f->failed;
    for (size_t i = 0; i < f->n; i++)
        if (dominates(f->peaks[i].values, values, n)) {
            free(values);
            return true;
        }
    for (size_t i = 0; i < f->n; i++) {
        if (dominates(values, f->peaks[i].values, n))
            free(f->peaks[i].values);
        else
            f->peaks[kept++] = f->peaks[i];
    }
    f->n = kept;
    mem_grow(&peaks, &f->cap, f->n + 1, sizeof *f->peaks);
    f->peaks = peaks;
    f->peaks[f->n++] = (struct peak){row->number, values};
    return true;
}

/* With one metric the store knows the order. */
static bool add_tie(void *ctx, const struct trial_row *row)
{
    struct front *f = ctx;

    return add_peak(ctx, row) && f->peaks[f->n - 1].number == row->number;
}

static int find_front(struct front *f, int64_t study, struct err *e)
{
    struct trial_filter succeeded = {.states = 1U << TRIAL_SUCCEEDED};
    int rc;

    if (json_array_size(f->metrics) == 1)
        rc = store_trial_best(f->store, study, 0, add_tie, f, e);
    else
        rc = store_trial_list(f->store, study, &succeeded, add_peak, f, e);
    return rc || f->failed ? -1 : 0;
}

static int answer_front(struct google_call *g, const struct google_named *study,
                        const struct front *f, struct err *e)
{
    json_t *list = json_array();

    for (size_t i = 0; i < f->n; i++) {
        json_t *trial = google_show_trial(f->store, study->on, study->study,
                                          f->peaks[i].number, e);

        if (!trial) {
            json_decref(list);
            return -1;
        }
        json_array_append_new(list, trial);
    }
    google_answer(g, listed("optimalTrials", list));
    return 0;
}

static const struct google_message parent_fields[] = {
    {.name = "parent", .kind = GOOGLE_OUTPUT},
    END,
};

static int optimal(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, parent_fields, e), *spec;
    struct front f = {.store = g->call->face->store, .e = e};
    struct google_named study;
    int rc = -1;

    json_decref(body);
    if (!body || google_named_study(g, &study, e))
        return -1;
    spec = google_named_spec(g, study.study, e);
    if (!spec)
        return -1;
    f.metrics = json_object_get(spec, "metrics");
    if (find_front(&f, study.study, e) == 0)
        rc = answer_front(g, &study, &f, e);
    for (size_t i = 0; i < f.n; i++)
        free(f.peaks[i].values);
    free(f.peaks);
    json_decref(spec);
    return rc;
}

/* ---- creating ---- */

static const char *const states[] = {
    "STATE_UNSPECIFIED", "REQUESTED",  "ACTIVE", "STOPPING",
    "SUCCEEDED",         "INFEASIBLE", NULL};

static const struct google_message value_fields[] = {
    {.name = "parameterId", .kind = GOOGLE_TEXT},
    {.name = "value", .kind = GOOGLE_VALUE},
    END,
};

static const struct google_message trial_fields[] = {
    {.name = "name", .kind = GOOGLE_OUTPUT},
    {.name = "id", .kind = GOOGLE_OUTPUT},
    {.name = "state", .kind = GOOGLE_ENUM, .names = states},
    {.name = "parameters",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = value_fields},
    {.name = "finalMeasurement",
     .kind = GOOGLE_MESSAGE,
     .message = google_measure_fields},
    {.name = "measurements",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = google_measure_fields},
    {.name = "startTime", .kind = GOOGLE_OUTPUT},
    {.name = "endTime", .kind = GOOGLE_OUTPUT},
    {.name = "clientId", .kind = GOOGLE_OUTPUT},
    {.name = "infeasibleReason", .kind = GOOGLE_TEXT},
    {.name = "customJob", .kind = GOOGLE_OUTPUT},
    {.name = "webAccessUris", .kind = GOOGLE_OUTPUT},
    END,
};

/* {"name": value} of the parameters, as point_read_json wants them; NULL with
 * *e. */
static json_t *point_of(struct google_call *g, const json_t *body,
                        struct err *e)
{
    const json_t *list = json_object_get(body, "parameters");
    json_t *out = json_object();

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *p = json_array_get(list, i);
        const char *id = google_text(p, "parameterId");
        json_t *value = json_object_get(p, "value");

        if (*id && value && !json_object_get(out, id)) {
            json_object_set(out, id, value);
            continue;
        }
        google_field(g, "trial.parameters", e, "\"%.60s\" %s", id,
                     !*id    ? "is no parameterId"
                     : value ? "stands there twice"
                             : "has no value");
        json_decref(out);
        return NULL;
    }
    return out;
}

static int request(struct google_call *g, const struct google_named *study,
                   const json_t *point, int64_t *number, struct err *e)
{
    char *text = json_dumps(point, DUMP);
    int rc =
        engine_request(g->call->face->engine, study->study, text, number, e);

    free(text);
    return rc;
}

/* A trial that has ended elsewhere. */
static int give(struct google_call *g, const struct google_named *study,
                json_t *trial, int64_t *number, struct err *e)
{
    char *text = json_dumps(trial, DUMP);
    struct engine_given given;
    struct faults faults;
    int rc;

    faults_init(&faults);
    rc = engine_give(g->call->face->engine, study->study, text, strlen(text),
                     "told", &given, &faults, e);
    if (rc && faults.n)
        google_faults(g, &faults, e);
    *number = given.first;
    faults_clear(&faults);
    free(text);
    return rc;
}

static int keep_measured(struct google_call *g,
                         const struct google_named *study, int64_t number,
                         const json_t *body, struct err *e)
{
    const json_t *list = json_object_get(body, "measurements");
    const json_t *final = json_object_get(body, "finalMeasurement");
    struct store *s = g->call->face->store;
    char *text;
    int rc = 0;

    for (size_t i = 0; i < json_array_size(list) && !rc; i++) {
        text = json_dumps(json_array_get(list, i), DUMP);
        rc = store_google_measure(s, study->study, number, text, NULL, e);
        free(text);
    }
    if (rc)
        return rc;
    text = final ? json_dumps(final, DUMP) : mem_copy_text("");
    rc = store_google_final(s, study->study, number, text,
                            google_text(body, "infeasibleReason"), e);
    free(text);
    return rc;
}

static int check_measured(struct google_call *g, const json_t *body,
                          struct err *e)
{
    const json_t *list = json_object_get(body, "measurements");

    if (json_array_size(list) > GOOGLE_MEASURE_MOST)
        return google_field(g, "trial.measurements", e, "at most %d are taken",
                            GOOGLE_MEASURE_MOST);
    for (size_t i = 0; i < json_array_size(list); i++)
        if (google_measure_check(g, json_array_get(list, i),
                                 "trial.measurements", e))
            return -1;
    return 0;
}

/* {"metricId": value} of the study's metrics. */
static json_t *values_of_all(const json_t *spec, const json_t *final)
{
    const json_t *metrics = json_object_get(spec, "metrics");
    json_t *out = json_object();

    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *id = google_text(json_array_get(metrics, i), "metricId");
        double value = 0;

        google_measure_value(final, id, &value);
        json_object_set_new(out, id, google_number(value));
    }
    return out;
}

/* One that SUCCEEDED, as study/given.h reads it. */
static int give_well(struct google_call *g, const struct google_named *study,
                     const json_t *body, json_t *point, int64_t *number,
                     struct err *e)
{
    static const char field[] = "trial.finalMeasurement";
    const json_t *final = json_object_get(body, "finalMeasurement");
    json_t *spec = google_named_spec(g, study->study, e), *trial;
    double value;
    int rc = -1;

    if (!spec)
        return -1;
    if (!final)
        google_field(g, field, e, "a trial that SUCCEEDED has one");
    else if (google_measure_final(g, final, field, spec, &value, e) == 0) {
        trial = json_pack("{s:O, s:o, s:s}", "params", point, "value",
                          google_number(value), "step",
                          google_text(final, "stepCount"));
        if (json_array_size(json_object_get(spec, "metrics")) > 1)
            json_object_set_new(trial, "values", values_of_all(spec, final));
        if (!*google_text(final, "stepCount"))
            json_object_del(trial, "step");
        rc = give(g, study, trial, number, e);
        json_decref(trial);
    }
    json_decref(spec);
    return rc;
}

static int give_infeasible(struct google_call *g,
                           const struct google_named *study, const json_t *body,
                           json_t *point, int64_t *number, struct err *e)
{
    json_t *trial =
        json_pack("{s:O, s:s, s:s}", "params", point, "state", "INFEASIBLE",
                  "detail", google_text(body, "infeasibleReason"));
    int rc = give(g, study, trial, number, e);

    json_decref(trial);
    return rc;
}

static int put(struct google_call *g, const struct google_named *study,
               const json_t *body, json_t *point, int64_t *number,
               struct err *e)
{
    const char *state = google_text(body, "state");

    if (strcmp(state, "SUCCEEDED") == 0)
        return give_well(g, study, body, point, number, e) ||
                       keep_measured(g, study, *number, body, e)
                   ? -1
                   : 0;
    if (strcmp(state, "INFEASIBLE") == 0)
        return give_infeasible(g, study, body, point, number, e) ||
                       keep_measured(g, study, *number, body, e)
                   ? -1
                   : 0;
    return request(g, study, point, number, e);
}

static int create(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, trial_fields, e), *point = NULL;
    struct google_named study;
    int rc = -1;

    if (body && google_named_study(g, &study, e) == 0 &&
        check_measured(g, body, e) == 0)
        point = point_of(g, body, e);
    if (point)
        rc = put(g, &study, body, point, &study.number, e);
    if (!rc)
        rc = google_named_answer(g, &study, e);
    json_decref(point);
    json_decref(body);
    return rc;
}

#define TRIALS "projects/*/locations/*/studies/*/trials"

const struct google_route google_trials_routes[] = {
    {"POST", TRIALS, "puts in a point to be tried, or an ended trial", create,
     ROLE_SUBMITTER},
    {"GET", TRIALS, "lists trials", list, ROLE_READER},
    {"POST", TRIALS ":listOptimalTrials",
     "lists those that none is better than", optimal, ROLE_READER},
    {"GET", TRIALS "/*", "shows a trial", get, ROLE_READER},
    {"DELETE", TRIALS "/*", "deletes a trial", forget, ROLE_SUBMITTER},
    {0},
};
