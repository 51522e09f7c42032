/* Rows of the store as JSON objects. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "face/glance.h"
#include "study/codec.h"
#include "study/front.h"

/* Not by printf: lists have many, and a library that we link makes that slow.
 */
static void add_digits(struct text *out, int64_t value)
{
    char digits[24];
    char *at = digits + sizeof digits;
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;

    do
        *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--at = '-';
    text_add_bytes(out, at, (size_t)(digits + sizeof digits - at));
}

static void add_key(struct text *out, const char *name)
{
    text_add(out, ", \"");
    text_add(out, name);
    text_add(out, "\": ");
}

static void add_whole(struct text *out, const char *name, int64_t value)
{
    add_key(out, name);
    add_digits(out, value);
}

void show_text(struct text *out, const char *name, const char *text)
{
    add_key(out, name);
    quote_json(out, text ? text : "");
}

void show_trial_open(struct text *out, const struct trial_row *row)
{
    text_addf(out, "{\"number\": %" PRId64 ", \"state\": \"%s\"", row->number,
              trial_state_name(row->state));
    text_addf(out, ", \"reason\": \"%s\"", trial_reason_name(row->reason));
    show_text(out, "detail", row->detail);
    text_addf(out, ", \"params\": %s, \"value\": ", row->point);
    if (row->has_value)
        quote_number(out, row->value);
    else
        text_add(out, "null");
    if (*row->objectives)
        text_addf(out, ", \"values\": %s", row->objectives);
    add_whole(out, "step", row->step);
    add_whole(out, "attempt", row->attempt);
    show_text(out, "source", row->source);
    text_addf(out, ", \"forecast\": %s",
              *row->forecast ? row->forecast : "null");
    show_text(out, "client", row->client);
    add_whole(out, "created", row->created_ms);
    add_whole(out, "started", row->started_ms);
    add_whole(out, "ended", row->ended_ms);
    add_whole(out, "changed", row->changed);
}

void show_trial(struct text *out, const struct trial_row *row)
{
    show_trial_open(out, row);
    text_add(out, "}");
}

/* ---- a study ---- */

static void add_counts(struct text *out, const struct study_row *row)
{
    text_add(out, ", \"counts\": {");
    for (int s = 0; s < TRIAL_STATES; s++)
        text_addf(out, "%s\"%s\": %" PRId64, s ? ", " : "",
                  trial_state_name((enum trial_state)s), row->counts[s]);
    text_add(out, "}");
}

static const char *goal_name(const struct study_row *row)
{
    return row->maximize ? "maximize" : "minimize";
}

/* ---- what only the study's specification knows ---- */

enum {
    METRIC,
    ALGORITHM,
    TRIALS,
    SEED,
    PARALLEL,
    TIME_LIMIT,
    RUN,
    IMAGE,
    PARTS
};

/* The goal and the others, where there are others. */
static void add_objectives(struct text *out, const struct study *study)
{
    if (!study->n_others)
        return;
    for (size_t k = 0; k < front_objectives(study); k++) {
        text_add(out,
                 k ? ", {\"metric\": " : ", \"objectives\": [{\"metric\": ");
        quote_json(out, front_name(study, k));
        text_addf(out, ", \"goal\": \"%s\"}",
                  front_maximizes(study, k) ? "maximize" : "minimize");
    }
    text_add(out, "]");
}

/* Slow, and knows everything. */
static void decode(const struct study_row *row, struct study *out)
{
    struct faults faults;

    faults_init(&faults);
    if (codec_decode(row->spec, strlen(row->spec), row->name, out, &faults))
        study_init(out); /* of a version that we do not understand */
    faults_clear(&faults);
}

static void decode_spec(struct text *out, const struct study_row *row,
                        int in_force)
{
    struct study study;

    decode(row, &study);
    show_text(out, "metric", study.metric);
    text_addf(out, ", \"goal\": \"%s\"", goal_name(row));
    add_objectives(out, &study);
    show_text(out, "algorithm", study.algorithm);
    text_addf(out, ", \"seed\": %" PRIu64, study.seed);
    add_whole(out, "trials", study.trials);
    add_whole(out, "parallel", in_force > 0 ? in_force : study.parallel);
    add_whole(out, "time_limit_ms", study.time_limit_ms);
    text_addf(out, ", \"launches\": %s",
              study_launches(&study) ? "true" : "false");
    study_clear(&study);
}

static void decode_brief(struct text *out, const struct study_row *row)
{
    struct study study;

    decode(row, &study);
    show_text(out, "metric", study.metric);
    add_whole(out, "trials", study.trials);
    study_clear(&study);
}

static void add_raw(struct text *out, const char *name, const struct glance *g)
{
    add_key(out, name);
    text_add_bytes(out, g->value, g->n);
}

/* What is stored is JSON of our own writing: the values that we need go out as
 * they are. A text of another shape is left to the decoder. */
static bool glance_spec(const struct study_row *row, struct glance *spec)
{
    static const struct glance keys[] = {
        [METRIC] = {.key = ""},           [ALGORITHM] = {.key = "algorithm"},
        [TRIALS] = {.key = "trials"},     [SEED] = {.key = "seed"},
        [PARALLEL] = {.key = "parallel"}, [TIME_LIMIT] = {.key = "time_limit"},
        [RUN] = {.key = "run"},           [IMAGE] = {.key = "image"},
    };

    memcpy(spec, keys, sizeof keys);
    spec[METRIC].key = goal_name(row);
    glance(row->spec, spec, PARTS);
    for (int i = 0; i < TIME_LIMIT; i++)
        if (!spec[i].value)
            return false;
    return true;
}

static void add_spec(struct text *out, const struct study_row *row,
                     const struct engine *engine)
{
    int in_force = engine ? engine_parallel(engine, row->id) : 0;
    struct glance spec[PARTS];

    if (!glance_spec(row, spec) || spec[TIME_LIMIT].value) {
        decode_spec(out, row, in_force);
        return;
    }
    add_raw(out, "metric", &spec[METRIC]);
    show_text(out, "goal", goal_name(row));
    add_raw(out, "algorithm", &spec[ALGORITHM]);
    add_raw(out, "seed", &spec[SEED]);
    add_raw(out, "trials", &spec[TRIALS]);
    if (in_force > 0)
        add_whole(out, "parallel", in_force);
    else
        add_raw(out, "parallel", &spec[PARALLEL]);
    add_whole(out, "time_limit_ms", 0);
    text_addf(out, ", \"launches\": %s",
              spec[RUN].value || spec[IMAGE].value ? "true" : "false");
}

static bool add_best(void *ctx, const struct trial_row *row)
{
    show_trial(ctx, row);
    return false;
}

static void open_study(struct text *out, const struct study_row *row)
{
    text_addf(out, "{\"id\": %" PRId64 ", \"name\": ", row->id);
    quote_json(out, row->name);
    text_addf(out, ", \"state\": \"%s\"", study_state_name(row->state));
    show_text(out, "reason", row->reason);
}

void show_study_open(struct text *out, const struct study_row *row,
                     struct store *store, const struct engine *engine)
{
    open_study(out, row);
    add_spec(out, row, engine);
    add_counts(out, row);
    add_whole(out, "given", row->given);
    text_add(out, ", \"best\": ");
    if (!row->best_number ||
        store_trial_get(store, row->id, row->best_number, add_best, out, NULL))
        text_add(out, "null");
    add_whole(out, "created", row->created_ms);
    add_whole(out, "ended", row->ended_ms);
}

void show_study(struct text *out, const struct study_row *row,
                struct store *store, const struct engine *engine)
{
    show_study_open(out, row, store, engine);
    text_add(out, "}");
}

/* The states that have trials. */
static void add_brief_counts(struct text *out, const struct study_row *row)
{
    bool any = false;

    text_add(out, ", \"counts\": {");
    for (int s = 0; s < TRIAL_STATES; s++)
        if (row->counts[s]) {
            text_add(out, any ? ", \"" : "\"");
            text_add(out, trial_state_name((enum trial_state)s));
            text_add(out, "\": ");
            add_digits(out, row->counts[s]);
            any = true;
        }
    text_add(out, "}");
}

static void add_brief_best(struct text *out, const struct study_row *row)
{
    if (!row->best_number) {
        text_add(out, ", \"best\": null");
        return;
    }
    text_add(out, ", \"best\": {\"number\": ");
    add_digits(out, row->best_number);
    text_add(out, ", \"value\": ");
    quote_number(out, row->best_value);
    text_add(out, "}");
}

void show_study_brief(struct text *out, const struct study_row *row)
{
    struct glance spec[PARTS];

    text_add(out, "{\"id\": ");
    add_digits(out, row->id);
    show_text(out, "name", row->name);
    show_text(out, "state", study_state_name(row->state));
    if (glance_spec(row, spec)) {
        add_raw(out, "metric", &spec[METRIC]);
        add_raw(out, "trials", &spec[TRIALS]);
    } else {
        decode_brief(out, row);
    }
    add_brief_counts(out, row);
    add_brief_best(out, row);
    add_whole(out, "created", row->created_ms);
    text_add(out, "}");
}

/* ---- the rest ---- */

void show_event(struct text *out, const struct event_row *row)
{
    text_addf(out, "{\"id\": %" PRId64 ", \"time\": %" PRId64, row->id,
              row->time_ms);
    show_text(out, "study", row->study);
    show_text(out, "kind", row->kind);
    text_addf(out, ", \"body\": %s}", row->body);
}

void show_attempt(struct text *out, const struct attempt_row *row)
{
    text_addf(out, "{\"attempt\": %d", row->attempt);
    add_whole(out, "begun", row->begun_ms);
    add_whole(out, "ended", row->ended_ms);
    show_text(out, "outcome", row->outcome);
    show_text(out, "blame", row->blame);
    show_text(out, "node", row->node);
    show_text(out, "gpus", row->gpus);
    add_whole(out, "reports", row->reports);
    text_add(out, "}");
}

void show_report(struct text *out, const struct report_row *row)
{
    text_addf(out, "{\"attempt\": %d", row->attempt);
    show_text(out, "metric", row->metric);
    add_whole(out, "step", row->step);
    text_add(out, ", \"value\": ");
    quote_number(out, row->value);
    add_whole(out, "time", row->time_ms);
    text_add(out, "}");
}
