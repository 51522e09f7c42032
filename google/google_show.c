/* Studies and trials in Vertex AI's JSON. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_show.h"

#include <inttypes.h>
#include <string.h>

#include "google/google_body.h"

/* ---- states ---- */

const char *google_show_study_state(enum study_state s)
{
    static const char *const names[STUDY_STATES] = {
        [STUDY_ACTIVE] = "ACTIVE",    [STUDY_PAUSED] = "INACTIVE",
        [STUDY_ENDING] = "COMPLETED", [STUDY_SUCCEEDED] = "COMPLETED",
        [STUDY_FAILED] = "COMPLETED", [STUDY_CANCELLED] = "INACTIVE",
    };

    return names[s];
}

const char *google_show_trial_state(const struct trial_row *row)
{
    static const char *const names[TRIAL_STATES] = {
        [TRIAL_PENDING] = "REQUESTED",     [TRIAL_LAUNCHING] = "ACTIVE",
        [TRIAL_RUNNING] = "ACTIVE",        [TRIAL_STOPPING] = "STOPPING",
        [TRIAL_SUCCEEDED] = "SUCCEEDED",   [TRIAL_STOPPED] = "INFEASIBLE",
        [TRIAL_INFEASIBLE] = "INFEASIBLE", [TRIAL_FAILED] = "INFEASIBLE",
    };

    if (row->state == TRIAL_STOPPED && row->has_value)
        return "SUCCEEDED";
    return names[row->state];
}

/* ---- a study ---- */

static bool add_study(void *ctx, const struct study_row *row)
{
    json_t *out = ctx;
    const char *state = google_show_study_state(row->state);

    json_object_set_new(out, "state", json_string(state));
    json_object_set_new(out, "createTime", google_time(row->created_ms));
    if (strcmp(state, "INACTIVE") == 0 && *row->reason)
        json_object_set_new(out, "inactiveReason", json_string(row->reason));
    return false;
}

json_t *google_show_study(struct store *s, const struct google_row *row,
                          struct err *e)
{
    json_t *out = json_object();

    json_object_set_new(out, "name",
                        json_sprintf("projects/%s/locations/%s/%s/%" PRId64,
                                     row->project, row->location, row->kind,
                                     row->study_id));
    json_object_set_new(out, "displayName", json_string(row->display_name));
    json_object_set_new(out, "studySpec", json_loads(row->body, 0, NULL));
    if (store_study_get(s, row->study_id, add_study, out, e) == 0)
        return out;
    json_decref(out);
    return NULL;
}

/* ---- a trial ---- */

json_t *google_show_point(const char *point)
{
    json_t *values = json_loads(point, 0, NULL);
    json_t *out = json_array(), *value;
    const char *name;

    json_object_foreach(values, name, value)
    {
        json_array_append_new(
            out, json_pack("{s:s, s:O}", "parameterId", name, "value", value));
    }
    json_decref(values);
    return out;
}

/* What was measured, as far as it came in by Google's interface. */
struct measured {
    json_t *each, *final;
    json_t *why;
};

static bool add_measured(void *ctx, const char *body, bool final,
                         const char *why)
{
    struct measured *m = ctx;

    if (!final) {
        json_array_append_new(m->each, json_loads(body, 0, NULL));
        return true;
    }
    m->final = *body ? json_loads(body, 0, NULL) : NULL;
    m->why = *why ? json_string(why) : NULL;
    return true;
}

static bool note_metric(void *ctx, const struct google_row *row)
{
    json_t *spec = json_loads(row->body, 0, NULL);
    json_t *metrics = json_object_get(spec, "metrics");

    *(json_t **)ctx =
        json_incref(json_object_get(json_array_get(metrics, 0), "metricId"));
    json_decref(spec);
    return false;
}

json_t *google_show_metrics(const char *metric, double value,
                            const char *objectives)
{
    json_t *map =
        objectives && *objectives ? json_loads(objectives, 0, NULL) : NULL;
    json_t *list = json_array(), *one;
    const char *name;

    if (!map)
        json_array_append_new(list, json_pack("{s:s, s:o}", "metricId", metric,
                                              "value", google_number(value)));
    json_object_foreach(map, name, one)
    {
        json_array_append_new(list,
                              json_pack("{s:s, s:o}", "metricId", name, "value",
                                        google_number(json_number_value(one))));
    }
    json_decref(map);
    return list;
}

/* Of a trial whose value came another way. */
static json_t *final_of(struct store *s, const struct trial_row *row)
{
    json_t *metric = NULL, *metrics;
    struct err e;

    if (!row->has_value || !trial_state_ended(row->state) ||
        store_google_get(s, row->study_id, note_metric, &metric, &e) || !metric)
        return NULL;
    metrics = google_show_metrics(json_string_value(metric), row->value,
                                  row->objectives);
    json_decref(metric);
    return json_pack("{s:o, s:o}", "stepCount", google_whole(row->step),
                     "metrics", metrics);
}

static bool has_final(const struct trial_row *row)
{
    return strcmp(google_show_trial_state(row), "SUCCEEDED") == 0;
}

static void add_measurements(struct store *s, const struct trial_row *row,
                             struct measured *m, json_t *out)
{
    json_t *final = NULL;

    if (has_final(row))
        final = m->final ? json_incref(m->final) : final_of(s, row);
    json_object_set_new(out, "finalMeasurement", final);
    if (json_array_size(m->each))
        json_object_set(out, "measurements", m->each);
}

static json_t *why_of(const struct trial_row *row, const struct measured *m)
{
    if (m->why)
        return json_incref(m->why);
    return *row->detail ? json_string(row->detail) : NULL;
}

json_t *google_show_row(struct store *s, const char *on,
                        const struct trial_row *row, struct err *e)
{
    struct measured m = {.each = json_array()};
    const char *state = google_show_trial_state(row);
    bool ended = trial_state_ended(row->state);
    json_t *out = NULL;

    if (store_google_measured(s, row->study_id, row->number, add_measured, &m,
                              e))
        goto done;
    out = json_object();
    json_object_set_new(out, "name",
                        json_sprintf("%s/trials/%" PRId64, on, row->number));
    json_object_set_new(out, "id", google_whole(row->number));
    json_object_set_new(out, "state", json_string(state));
    json_object_set_new(out, "parameters", google_show_point(row->point));
    add_measurements(s, row, &m, out);
    json_object_set_new(
        out, "startTime",
        google_time(row->started_ms ? row->started_ms : row->created_ms));
    if (ended)
        json_object_set_new(out, "endTime", google_time(row->ended_ms));
    if (*row->client)
        json_object_set_new(out, "clientId", json_string(row->client));
    if (strcmp(state, "INFEASIBLE") == 0)
        json_object_set_new(out, "infeasibleReason", why_of(row, &m));
done:
    json_decref(m.each);
    json_decref(m.final);
    json_decref(m.why);
    return out;
}

struct showing {
    struct store *store;
    const char *on;
    json_t *out;
    struct err *e;
};

static bool show_row(void *ctx, const struct trial_row *row)
{
    struct showing *showing = ctx;

    showing->out =
        google_show_row(showing->store, showing->on, row, showing->e);
    return false;
}

json_t *google_show_trial(struct store *s, const char *on, int64_t study,
                          int64_t number, struct err *e)
{
    struct showing showing = {.store = s, .on = on, .e = e};

    if (store_trial_get(s, study, number, show_row, &showing, e))
        return NULL;
    return showing.out;
}
