/* Rows of the store as JSON objects. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"
#include "study/codec.h"

void show_text(struct text *out, const char *name, const char *text)
{
    text_addf(out, ", \"%s\": ", name);
    quote_json(out, text ? text : "");
}

static void add_whole(struct text *out, const char *name, int64_t value)
{
    text_addf(out, ", \"%s\": %" PRId64, name, value);
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
    add_whole(out, "step", row->step);
    add_whole(out, "attempt", row->attempt);
    show_text(out, "source", row->source);
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

/* What only the study's specification knows. */
static void add_spec(struct text *out, const struct study_row *row,
                     const struct engine *engine)
{
    struct study study;
    struct faults faults;
    int in_force = engine ? engine_parallel(engine, row->id) : 0;

    faults_init(&faults);
    if (codec_decode(row->spec, strlen(row->spec), row->name, &study,
                     &faults)) {
        faults_clear(&faults); /* of a version that we do not understand */
        study_init(&study);
    }
    show_text(out, "metric", study.metric);
    text_addf(out, ", \"goal\": \"%s\"",
              row->maximize ? "maximize" : "minimize");
    show_text(out, "algorithm", study.algorithm);
    text_addf(out, ", \"seed\": %" PRIu64, study.seed);
    add_whole(out, "trials", study.trials);
    add_whole(out, "parallel", in_force > 0 ? in_force : study.parallel);
    add_whole(out, "time_limit_ms", study.time_limit_ms);
    text_addf(out, ", \"launches\": %s", study.job.argv ? "true" : "false");
    study_clear(&study);
    faults_clear(&faults);
}

static bool add_best(void *ctx, const struct trial_row *row)
{
    show_trial(ctx, row);
    return false;
}

void show_study_open(struct text *out, const struct study_row *row,
                     struct store *store, const struct engine *engine)
{
    text_addf(out, "{\"id\": %" PRId64 ", \"name\": ", row->id);
    quote_json(out, row->name);
    text_addf(out, ", \"state\": \"%s\"", study_state_name(row->state));
    show_text(out, "reason", row->reason);
    add_spec(out, row, engine);
    add_counts(out, row);
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

/* ---- the rest ---- */

void show_event(struct text *out, const struct event_row *row)
{
    text_addf(out, "{\"id\": %" PRId64 ", \"time\": %" PRId64, row->id,
              row->time_ms);
    show_text(out, "kind", row->kind);
    text_addf(out, ", \"body\": %s}", row->body);
}

void show_attempt(struct text *out, const struct attempt_row *row)
{
    text_addf(out, "{\"attempt\": %d", row->attempt);
    add_whole(out, "begun", row->begun_ms);
    add_whole(out, "ended", row->ended_ms);
    show_text(out, "outcome", row->outcome);
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
