/* SuggestTrials. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_suggest.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "google/google_body.h"
#include "google/google_named.h"
#include "google/google_operations.h"
#include "google/google_show.h"

/* One call, and the questions to the engine that it became. It goes when the
 * last of them is answered; the call may have been answered before. */
struct suggesting {
    struct face *face;
    struct call *call; /* NULL once it was answered */
    const char *version;
    struct google_named study;
    char *client;
    int64_t operation; /* 0 = none is stored yet */
    struct loop_watch *patience;
    int64_t begun_ms;
    int64_t began; /* the same, steady */
    size_t open;   /* questions without an answer */
    int64_t *numbers;
    size_t n;
    struct err why; /* the first question that got none */
};

/* ---- what comes of it ---- */

static bool note_state(void *ctx, const struct study_row *row)
{
    *(enum study_state *)ctx = row->state;
    return false;
}

/* No trial for now, or for good, is an answer; that none can be made is not. */
static bool is_refusal(const struct suggesting *s, enum study_state state)
{
    if (s->n > 0 || !s->why.code || s->why.code == ERR_BUSY ||
        s->why.code == ERR_ABSENT)
        return false;
    return s->why.code != ERR_CONFLICT || !study_state_ended(state);
}

static int add_trials(const struct suggesting *s, json_t *list, struct err *e)
{
    for (size_t i = 0; i < s->n; i++) {
        json_t *trial = google_show_trial(s->face->store, s->study.on,
                                          s->study.study, s->numbers[i], e);

        if (trial)
            json_array_append_new(list, trial);
        else if (e->code != ERR_ABSENT) /* deleted meanwhile */
            return -1;
    }
    return 0;
}

static json_t *response_of(const struct suggesting *s, enum study_state state,
                           struct err *e)
{
    json_t *trials = json_array();
    json_t *out = json_object();

    if (add_trials(s, trials, e)) {
        json_decref(trials);
        json_decref(out);
        return NULL;
    }
    if (json_array_size(trials))
        json_object_set(out, "trials", trials);
    json_decref(trials);
    json_object_set_new(out, "studyState",
                        json_string(google_show_study_state(state)));
    json_object_set_new(out, "startTime", google_time(s->begun_ms));
    json_object_set_new(out, "endTime",
                        google_time(engine_now(s->face->engine)));
    return out;
}

static struct google_operation operation_of(const struct suggesting *s)
{
    return (struct google_operation){
        .on = s->study.on,
        .metadata_type = "SuggestTrialsMetadata",
        .metadata = json_pack("{s:s}", "clientId", s->client)};
}

/* Stores how it ended, as a new operation or the one that was told of. */
static int keep(struct suggesting *s, struct err *e)
{
    struct google_operation o;
    enum study_state state = STUDY_ACTIVE;
    json_t *response = NULL;

    if (store_study_get(s->face->store, s->study.study, note_state, &state,
                        e)) {
        if (e->code != ERR_ABSENT)
            return -1;
        s->why = *e; /* deleted meanwhile */
        s->n = 0;
    } else if (!is_refusal(s, state)) {
        response = response_of(s, state, e);
        if (!response)
            return -1;
    }
    o = operation_of(s);
    if (response) {
        o.response_type = "SuggestTrialsResponse";
        o.response = response;
        s->why.code = ERR_NONE;
    }
    if (!s->operation)
        return google_operations_begin(s->face, &o, &s->operation,
                                       response ? NULL : &s->why, e);
    return google_operations_end(s->face, s->operation, &o, &s->why, e);
}

/* ---- answering ---- */

/* Makes the operation, as it is stored, or *e the answer of the call. */
static void write_answer(struct suggesting *s, int rc, struct err *e)
{
    struct google_call g = {.call = s->call, .version = s->version};
    json_t *shown = NULL;

    s->call = NULL;
    if (!rc)
        shown = google_operations_show(s->face, s->version, s->study.on,
                                       s->operation, e);
    if (shown)
        google_answer(&g, shown);
    else
        google_fail(&g, e);
}

/* The trials take long: the client will ask for the operation. */
static void lose_patience(void *ctx)
{
    struct suggesting *s = ctx;
    struct call *c = s->call;
    struct google_operation o = operation_of(s);
    struct err e;

    s->patience = NULL;
    write_answer(
        s, google_operations_begin(s->face, &o, &s->operation, NULL, &e), &e);
    call_finish(c);
}

/* All questions are answered. Whether the call still waits, it is told. */
static void finish(struct suggesting *s)
{
    struct err e;
    int rc;

    if (s->face->ending)
        rc = err_set(&e, ERR_BUSY, "the service is ending");
    else
        rc = keep(s, &e);
    if (s->call)
        write_answer(s, rc, &e);
    s->face->counts.asking--;
    s->face->counts.asks++;
    s->face->counts.asked_ms += clock_steady_ms(&clock_real) - s->began;
    loop_forget(s->patience);
    free(s->client);
    free(s->numbers);
    free(s);
}

static void came(void *ctx, int64_t number, const struct err *e)
{
    struct suggesting *s = ctx;
    struct call *c;

    if (number > 0)
        s->numbers[s->n++] = number;
    else if (!s->why.code && e)
        s->why = *e;
    if (--s->open > 0)
        return;
    c = s->call;
    finish(s);
    if (c)
        call_finish(c);
}

/* Its client has gone: the trials will be there when it asks again. */
static void gone(struct call *c)
{
    struct suggesting *s = c->kept;

    s->call = NULL;
    loop_forget(s->patience);
    s->patience = NULL;
    call_finish(c);
}

/* ---- asking ---- */

static const struct google_message value_fields[] = {
    {.name = "parameterId", .kind = GOOGLE_TEXT},
    {.name = "value", .kind = GOOGLE_VALUE},
    {.kind = GOOGLE_END},
};

static const struct google_message context_fields[] = {
    {.name = "description", .kind = GOOGLE_TEXT},
    {.name = "parameters",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = value_fields},
    {.kind = GOOGLE_END},
};

static const struct google_message suggest_fields[] = {
    {.name = "parent", .kind = GOOGLE_OUTPUT},
    {.name = "suggestionCount", .kind = GOOGLE_INT32},
    {.name = "clientId", .kind = GOOGLE_TEXT},
    {.name = "contexts",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = context_fields},
    {.kind = GOOGLE_END},
};

/* A context without parameters fits anything; others would be searched in a
 * part of the space. */
static int check_contexts(struct google_call *g, const json_t *body,
                          struct err *e)
{
    const json_t *contexts = json_object_get(body, "contexts");
    size_t n = json_array_size(contexts);

    if (n && (int64_t)n != google_int(body, "suggestionCount"))
        return google_field(g, "contexts", e,
                            "as many as suggestion_count are wanted, or none");
    for (size_t i = 0; i < n; i++)
        if (json_array_size(
                json_object_get(json_array_get(contexts, i), "parameters")))
            return google_field(g, "contexts", e,
                                "contexts with parameters are not supported "
                                "by this version; leave them out");
    return 0;
}

static int check(struct google_call *g, const json_t *body, struct err *e)
{
    int64_t count = google_int(body, "suggestionCount");
    size_t n = strlen(google_text(body, "clientId"));

    if (count < 1 || count > GOOGLE_SUGGEST_MOST)
        return google_field(g, "suggestion_count", e,
                            "it must be from 1 to %d, not %lld",
                            GOOGLE_SUGGEST_MOST, (long long)count);
    if (n == 0 || n > GOOGLE_SUGGEST_CLIENT)
        return google_field(g, "client_id", e,
                            "a name of 1 to %d bytes is wanted, by which the "
                            "same client is known when it asks again",
                            GOOGLE_SUGGEST_CLIENT);
    return check_contexts(g, body, e);
}

static void ask_all(struct suggesting *s, size_t count)
{
    struct err e;

    for (size_t i = 0; i < count; i++) {
        if (!engine_ask_nth(s->face->engine, s->study.study, s->client, (int)i,
                            came, s, &e))
            continue;
        if (!s->why.code)
            s->why = e;
        s->open--;
    }
}

static int begin(struct google_call *g, const struct google_named *study,
                 const json_t *body, struct err *e)
{
    size_t count = (size_t)google_int(body, "suggestionCount");
    struct face *face = g->call->face;
    struct suggesting *s;

    if (google_begin(g, e))
        return -1;
    s = mem_new(1, sizeof *s);
    s->face = face;
    s->call = g->call;
    s->version = g->version;
    s->study = *study;
    s->client = mem_copy_text(google_text(body, "clientId"));
    s->begun_ms = engine_now(face->engine);
    s->began = clock_steady_ms(&clock_real);
    face->counts.asking++;
    s->numbers = mem_new(count, sizeof *s->numbers);
    s->open = count + 1; /* ours: nothing ends before all are asked */
    call_keep(g->call, s, NULL, gone);
    s->patience =
        loop_after(face->loop, GOOGLE_SUGGEST_WAIT_MS, lose_patience, s);
    ask_all(s, count);
    if (--s->open == 0) { /* refused at once, every one */
        g->call->later = false;
        finish(s);
    }
    return 0;
}

static int suggest(struct google_call *g, struct err *e)
{
    struct google_named study;
    json_t *body = google_body(g, suggest_fields, e);
    int rc = -1;

    if (body && google_named_study(g, &study, e) == 0 && check(g, body, e) == 0)
        rc = begin(g, &study, body, e);
    json_decref(body);
    return rc;
}

const struct google_route google_suggest_routes[] = {
    {"POST", "projects/*/locations/*/studies/*/trials:suggest",
     "gives trials to a client", suggest, ROLE_SUBMITTER},
    {0},
};
