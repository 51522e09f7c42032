/* Studies and their trials as jobs of Google's interfaces. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_job.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "face/glance.h"
#include "google/google_blame.h"
#include "google/google_call.h"
#include "google/google_show.h"
#include "store/store_google.h"

/* ---- reading ---- */

static bool take_google(void *ctx, const struct google_row *row)
{
    struct google_job *j = ctx;

    j->id = row->study_id;
    j->kind = mem_copy_text(row->kind);
    j->project = mem_copy_text(row->project);
    j->location = mem_copy_text(row->location);
    j->display_name = mem_copy_text(row->display_name);
    j->body = mem_copy_text(row->body);
    j->labels = mem_copy_text(row->labels);
    return false;
}

/* "{}", however many blanks are in it. */
static bool is_empty(const struct glance *map)
{
    size_t i = 1;

    if (!map->value || map->n < 2)
        return false;
    while (i < map->n && strchr(" \n", map->value[i]))
        i++;
    return map->value[i] == '}';
}

static char *text_of(const struct glance *g)
{
    json_t *text =
        g->value ? json_loadb(g->value, g->n, JSON_DECODE_ANY, NULL) : NULL;
    char *out =
        mem_copy_text(json_is_string(text) ? json_string_value(text) : "");

    json_decref(text);
    return out;
}

static bool take_study(void *ctx, const struct study_row *row)
{
    struct google_job *j = ctx;
    struct glance spec[] = {
        {.key = row->maximize ? "maximize" : "minimize"},
        {.key = "params"},
    };

    glance(row->spec, spec, 2);
    j->metric = text_of(&spec[0]);
    j->alone = is_empty(&spec[1]);
    j->study = mem_copy_text(row->name);
    j->reason = mem_copy_text(row->reason);
    j->state = row->state;
    j->maximize = row->maximize;
    j->cancelling = row->stopping != 0;
    j->created_ms = row->created_ms;
    j->ended_ms = row->ended_ms;
    return false;
}

static bool take_trial(void *ctx, const struct trial_row *row)
{
    struct google_job *j = ctx;
    struct google_job_trial *t;

    if ((j->n & (j->n - 1)) == 0) /* room for twice as many */
        j->trials =
            mem_resize(j->trials, j->n ? 2 * j->n : 1, sizeof *j->trials);
    t = &j->trials[j->n++];
    *t = (struct google_job_trial){.number = row->number,
                                   .state = row->state,
                                   .reason = row->reason,
                                   .detail = mem_copy_text(row->detail),
                                   .point = mem_copy_text(row->point),
                                   .objectives = mem_copy_text(row->objectives),
                                   .attempt = row->attempt,
                                   .has_value = row->has_value,
                                   .value = row->value,
                                   .step = row->step,
                                   .created_ms = row->created_ms,
                                   .started_ms = row->started_ms,
                                   .ended_ms = row->ended_ms};
    return true;
}

int google_job_load(struct store *s, int64_t id, struct google_job *out,
                    struct err *e)
{
    struct trial_filter all = {0};

    *out = (struct google_job){0};
    if (store_google_get(s, id, take_google, out, e) ||
        store_study_get(s, id, take_study, out, e) ||
        store_trial_list(s, id, &all, take_trial, out, e)) {
        google_job_clear(out);
        return -1;
    }
    return 0;
}

void google_job_clear(struct google_job *j)
{
    for (size_t i = 0; i < j->n; i++) {
        free(j->trials[i].detail);
        free(j->trials[i].point);
        free(j->trials[i].objectives);
    }
    free(j->trials);
    free(j->kind);
    free(j->project);
    free(j->location);
    free(j->display_name);
    free(j->body);
    free(j->labels);
    free(j->study);
    free(j->metric);
    free(j->reason);
    *j = (struct google_job){0};
}

/* ---- states ---- */

static bool is_platform(const struct google_job *j)
{
    return strcmp(j->kind, GOOGLE_JOB_PLATFORM) == 0;
}

/* What the end of the only trial makes of the job. */
static enum google_job_state end_of(const struct google_job_trial *t)
{
    if (t->state == TRIAL_SUCCEEDED || t->reason == REASON_NO_METRIC ||
        t->reason == REASON_NOT_FINITE)
        return GOOGLE_JOB_SUCCEEDED;
    if (t->state == TRIAL_STOPPED && t->reason == REASON_USER)
        return GOOGLE_JOB_CANCELLED;
    return GOOGLE_JOB_FAILED;
}

/* How far a study that goes on has come. */
static enum google_job_state progress(const struct google_job *j)
{
    enum google_job_state state = GOOGLE_JOB_QUEUED;

    for (size_t i = 0; i < j->n; i++) {
        if (j->trials[i].started_ms || trial_state_ended(j->trials[i].state))
            return GOOGLE_JOB_RUNNING;
        if (j->trials[i].attempt)
            state = GOOGLE_JOB_PENDING;
    }
    return state;
}

enum google_job_state google_job_state(const struct google_job *j)
{
    if (j->state == STUDY_CANCELLED)
        return GOOGLE_JOB_CANCELLED;
    if (j->cancelling && j->state == STUDY_ENDING)
        return GOOGLE_JOB_CANCELLING;
    if (j->alone && j->n && trial_state_ended(j->trials[0].state))
        return end_of(&j->trials[0]);
    switch (j->state) {
    case STUDY_SUCCEEDED:
        return GOOGLE_JOB_SUCCEEDED;
    case STUDY_FAILED:
        return GOOGLE_JOB_FAILED;
    case STUDY_PAUSED:
        return GOOGLE_JOB_PAUSED;
    default:
        return progress(j);
    }
}

const char *google_job_state_name(const struct google_job *j)
{
    static const struct {
        const char *vertex, *platform;
    } names[] = {
        [GOOGLE_JOB_QUEUED] = {"JOB_STATE_QUEUED", "QUEUED"},
        [GOOGLE_JOB_PENDING] = {"JOB_STATE_PENDING", "PREPARING"},
        [GOOGLE_JOB_RUNNING] = {"JOB_STATE_RUNNING", "RUNNING"},
        [GOOGLE_JOB_PAUSED] = {"JOB_STATE_PAUSED", "QUEUED"},
        [GOOGLE_JOB_CANCELLING] = {"JOB_STATE_CANCELLING", "CANCELLING"},
        [GOOGLE_JOB_SUCCEEDED] = {"JOB_STATE_SUCCEEDED", "SUCCEEDED"},
        [GOOGLE_JOB_FAILED] = {"JOB_STATE_FAILED", "FAILED"},
        [GOOGLE_JOB_CANCELLED] = {"JOB_STATE_CANCELLED", "CANCELLED"},
    };
    enum google_job_state state = google_job_state(j);

    return is_platform(j) ? names[state].platform : names[state].vertex;
}

/* ---- times ---- */

int64_t google_job_started_ms(const struct google_job *j)
{
    int64_t first = 0;

    for (size_t i = 0; i < j->n; i++) {
        int64_t started = j->trials[i].started_ms;

        if (started && (!first || started < first))
            first = started;
    }
    return first;
}

/* When it ended: an only trial may have, before its study. */
static int64_t ended_ms(const struct google_job *j)
{
    if (google_job_state(j) < GOOGLE_JOB_SUCCEEDED)
        return 0;
    if (j->ended_ms || !j->n)
        return j->ended_ms;
    return j->trials[0].ended_ms;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t updated_ms(const struct google_job *j)
{
    int64_t last = later(j->created_ms, j->ended_ms);

    for (size_t i = 0; i < j->n; i++) {
        last = later(last, j->trials[i].created_ms);
        last = later(last, j->trials[i].started_ms);
        last = later(last, j->trials[i].ended_ms);
    }
    return last;
}

int64_t google_job_stuck_ms(const struct google_job *j)
{
    enum google_job_state state = google_job_state(j);

    if (state != GOOGLE_JOB_PAUSED && state != GOOGLE_JOB_FAILED)
        return 0;
    for (size_t i = 0; i < j->n; i++)
        if (j->trials[i].state != TRIAL_PENDING &&
            !trial_state_ended(j->trials[i].state))
            return 0;
    return updated_ms(j);
}

/* ---- parts ---- */

/* Nothing is set where there is nothing to say. */
static void put(json_t *map, const char *key, json_t *value)
{
    if (value)
        json_object_set_new(map, key, value);
}

static void put_times(json_t *map, const struct google_job *j)
{
    put(map, "createTime", google_time(j->created_ms));
    put(map, "startTime", google_time(google_job_started_ms(j)));
    put(map, "endTime", google_time(ended_ms(j)));
}

static json_t *words(const char *text)
{
    return google_words(text, strlen(text));
}

static json_t *object_of(const char *text)
{
    json_t *map = *text ? json_loads(text, 0, NULL) : NULL;

    return map ? map : json_object();
}

static void put_labels(json_t *map, const struct google_job *j)
{
    json_t *labels = object_of(j->labels);

    if (json_object_size(labels))
        json_object_set(map, "labels", labels);
    json_decref(labels);
}

char *google_job_complaint(const struct google_job *j)
{
    enum google_job_state state = google_job_state(j);

    if (state == GOOGLE_JOB_CANCELLED)
        return mem_copy_text(*j->reason ? j->reason : "the job was cancelled");
    if (state == GOOGLE_JOB_PAUSED)
        return mem_copy_text(j->reason);
    if (state != GOOGLE_JOB_FAILED)
        return mem_copy_text("");
    if (j->alone && j->n)
        return google_blame(&j->trials[0], is_platform(j));
    for (size_t i = j->n; i-- > 0;)
        if (*j->trials[i].detail)
            return mem_format("%s; trial %" PRId64 ": %s", j->reason,
                              j->trials[i].number, j->trials[i].detail);
    return mem_copy_text(j->reason);
}

/* google.rpc.Status; a paused job has one too, for it may stay so. */
static json_t *error_of(const struct google_job *j)
{
    static const enum google_code codes[] = {
        [GOOGLE_JOB_PAUSED] = GOOGLE_PRECONDITION,
        [GOOGLE_JOB_FAILED] = GOOGLE_INVALID,
        [GOOGLE_JOB_CANCELLED] = GOOGLE_CANCELLED,
    };
    enum google_code code = codes[google_job_state(j)];
    json_t *error;
    char *message;

    if (!code)
        return NULL;
    message = google_job_complaint(j);
    error = json_pack("{s:i, s:o}", "code", google_grpc(code), "message",
                      words(message));
    free(message);
    return error;
}

/* ---- Vertex ---- */

static const char *trial_state(const struct google_job_trial *t)
{
    static const char *const names[] = {
        [TRIAL_PENDING] = "REQUESTED",     [TRIAL_LAUNCHING] = "ACTIVE",
        [TRIAL_RUNNING] = "ACTIVE",        [TRIAL_STOPPING] = "STOPPING",
        [TRIAL_SUCCEEDED] = "SUCCEEDED",   [TRIAL_STOPPED] = "SUCCEEDED",
        [TRIAL_INFEASIBLE] = "INFEASIBLE", [TRIAL_FAILED] = "INFEASIBLE",
    };

    if (t->state == TRIAL_STOPPED && !t->has_value)
        return "INFEASIBLE";
    return names[t->state];
}

static json_t *parameters(const struct google_job_trial *t)
{
    json_t *point = object_of(t->point), *list = json_array(), *value;
    const char *name;

    json_object_foreach(point, name, value)
    {
        json_array_append_new(
            list, json_pack("{s:s, s:O}", "parameterId", name, "value", value));
    }
    json_decref(point);
    return list;
}

/* As a Duration: whole seconds, or three digits more. */
static json_t *duration(int64_t ms)
{
    if (ms % 1000 == 0)
        return json_sprintf("%" PRId64 "s", ms / 1000);
    return json_sprintf("%" PRId64 ".%03ds", ms / 1000, (int)(ms % 1000));
}

static json_t *measurement(const struct google_job *j,
                           const struct google_job_trial *t)
{
    json_t *m = json_object();

    if (t->started_ms && t->ended_ms >= t->started_ms)
        put(m, "elapsedDuration", duration(t->ended_ms - t->started_ms));
    put(m, "stepCount", google_whole(t->step));
    put(m, "metrics", google_show_metrics(j->metric, t->value, t->objectives));
    return m;
}

static json_t *vertex_trial(const struct google_job *j,
                            const struct google_job_trial *t)
{
    json_t *map = json_object();
    const char *state = trial_state(t);

    put(map, "id", google_whole(t->number));
    put(map, "state", json_string(state));
    put(map, "parameters", parameters(t));
    if (t->has_value && trial_state_ended(t->state))
        put(map, "finalMeasurement", measurement(j, t));
    put(map, "startTime",
        google_time(t->started_ms ? t->started_ms : t->created_ms));
    if (trial_state_ended(t->state))
        put(map, "endTime", google_time(t->ended_ms));
    if (strcmp(state, "INFEASIBLE") == 0 && *t->detail)
        put(map, "infeasibleReason", words(t->detail));
    return map;
}

static json_t *say_vertex(const struct google_job *j)
{
    json_t *map = json_object(), *body = object_of(j->body);

    put(map, "name",
        json_sprintf("projects/%s/locations/%s/%s/%" PRId64, j->project,
                     j->location, j->kind, j->id));
    put(map, "displayName", json_string(j->display_name));
    json_object_update_missing(map, body);
    json_decref(body);
    if (strcmp(j->kind, GOOGLE_JOB_TUNING) == 0 && j->n) {
        json_t *trials = json_array();

        for (size_t i = 0; i < j->n; i++)
            json_array_append_new(trials, vertex_trial(j, &j->trials[i]));
        put(map, "trials", trials);
    }
    put(map, "state", json_string(google_job_state_name(j)));
    put_times(map, j);
    put(map, "updateTime", google_time(updated_ms(j)));
    put(map, "error", error_of(j));
    put_labels(map, j);
    return map;
}

/* ---- AI Platform ---- */

void google_job_etag(const struct google_job *j, char out[16])
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    uint64_t h = 14695981039346656037U ^ (uint64_t)j->id; /* FNV-1a */
    size_t n = 0;

    for (const char *c = j->labels; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211U;
    for (; n < 10; n++)
        out[n] = digits[h >> (58 - 6 * n) & 63];
    out[n++] = digits[(h & 15) << 2];
    out[n++] = '=';
    out[n] = '\0';
}

/* Everything is text there. */
static json_t *hyperparameters(const struct google_job_trial *t)
{
    json_t *point = object_of(t->point), *map = json_object(), *value;
    const char *name;
    char printed[NUMBER_TEXT];

    json_object_foreach(point, name, value)
    {
        if (json_is_string(value))
            json_object_set(map, name, value);
        else if (json_is_integer(value))
            put(map, name, google_whole(json_integer_value(value)));
        else
            put(map, name,
                json_string(number_print(json_number_value(value), printed)));
    }
    json_decref(point);
    return map;
}

static const char *output_state(const struct google_job_trial *t)
{
    static const char *const names[] = {
        [TRIAL_PENDING] = "QUEUED",      [TRIAL_LAUNCHING] = "PREPARING",
        [TRIAL_RUNNING] = "RUNNING",     [TRIAL_STOPPING] = "RUNNING",
        [TRIAL_SUCCEEDED] = "SUCCEEDED", [TRIAL_STOPPED] = "SUCCEEDED",
        [TRIAL_INFEASIBLE] = "FAILED",   [TRIAL_FAILED] = "FAILED",
    };

    return names[t->state];
}

static json_t *output_trial(const struct google_job_trial *t)
{
    json_t *map = json_object();

    put(map, "trialId", google_whole(t->number));
    put(map, "hyperparameters", hyperparameters(t));
    if (t->has_value && trial_state_ended(t->state))
        put(map, "finalMetric",
            json_pack("{s:o, s:o}", "trainingStep", google_whole(t->step),
                      "objectiveValue", google_number(t->value)));
    if (t->state == TRIAL_STOPPED)
        put(map, "isTrialStoppedEarly", json_true());
    put(map, "startTime", google_time(t->started_ms));
    if (trial_state_ended(t->state))
        put(map, "endTime", google_time(t->ended_ms));
    put(map, "state", json_string(output_state(t)));
    return map;
}

/* Best first, those without a value last, else by number. */
static int by_value(const void *a, const void *b, void *maximize)
{
    const struct google_job_trial *const *x = a, *const *y = b;
    const struct google_job_trial *s = *x, *t = *y;

    if (s->has_value != t->has_value)
        return s->has_value ? -1 : 1;
    if (s->has_value && s->value != t->value)
        return (s->value > t->value) == *(const bool *)maximize ? -1 : 1;
    return s->number < t->number ? -1 : 1;
}

static json_t *output_trials(const struct google_job *j)
{
    const struct google_job_trial **order = mem_new(j->n, sizeof *order);
    bool maximize = j->maximize;
    json_t *list = json_array();

    for (size_t i = 0; i < j->n; i++)
        order[i] = &j->trials[i];
    if (google_job_state(j) >= GOOGLE_JOB_SUCCEEDED)
        qsort_r(order, j->n, sizeof *order, by_value, &maximize);
    for (size_t i = 0; i < j->n; i++)
        json_array_append_new(list, output_trial(order[i]));
    free(order);
    return list;
}

static json_t *training_output(const struct google_job *j)
{
    json_t *map = json_object();
    int64_t done = 0;

    if (j->alone)
        return map;
    for (size_t i = 0; i < j->n; i++)
        done += j->trials[i].state == TRIAL_SUCCEEDED ||
                j->trials[i].state == TRIAL_STOPPED;
    put(map, "completedTrialCount", google_whole(done));
    if (j->n)
        put(map, "trials", output_trials(j));
    put(map, "isHyperparameterTuningJob", json_true());
    put(map, "hyperparameterMetricTag", json_string(j->metric));
    return map;
}

static json_t *say_platform(const struct google_job *j)
{
    json_t *map = json_object(), *body = object_of(j->body);
    char *message = google_job_complaint(j), etag[16];

    put(map, "jobId", json_string(j->display_name));
    json_object_update_missing(map, body);
    json_decref(body);
    put_times(map, j);
    put(map, "state", json_string(google_job_state_name(j)));
    if (*message)
        put(map, "errorMessage", words(message));
    free(message);
    put(map, "trainingOutput", training_output(j));
    put(map, "jobPosition", json_string("0"));
    put_labels(map, j);
    google_job_etag(j, etag);
    put(map, "etag", json_string(etag));
    return map;
}

json_t *google_job_say(const struct google_job *j)
{
    return is_platform(j) ? say_platform(j) : say_vertex(j);
}
