/* Why a study or a trial is as it is, in sentences. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/why.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tuner/alike.h"
#include "tuner/hold.h"
#include "tuner/lease.h"
#include "tuner/nodes.h"

enum { GROUPS = 8 }; /* errors that are told apart */

/* What the algorithm expected there, against the goal's name. */
static void add_forecast(struct text *out, const char *forecast)
{
    json_t *j = *forecast ? json_loads(forecast, 0, NULL) : NULL;

    if (j)
        text_addf(out,
                  "; %.6g was expected there (from %.6g to %.6g in two cases "
                  "of three), and to better the best by %.3g",
                  json_number_value(json_object_get(j, "mean")),
                  json_number_value(json_object_get(j, "low")),
                  json_number_value(json_object_get(j, "high")),
                  json_number_value(json_object_get(j, "improvement")));
    json_decref(j);
}

/* A trial as it is stored, and as it lives, if it does. */
struct subject {
    const struct board *board;
    const struct live_trial *live;
    int64_t steady;
    struct text *out;
};

static void add_wait(const struct subject *s)
{
    const struct live_trial *t = s->live;

    if (t->trial.state == TRIAL_PENDING && t->not_before > s->steady)
        text_addf(s->out, ": attempt %d broke; the next one begins in %.0f s",
                  t->attempt, (double)(t->not_before - s->steady) / 1000.0);
    else if (t->trial.state == TRIAL_PENDING && (t->since || t->alone)) {
        text_add(s->out, ": ");
        hold_why(s->board, t, s->out);
    } else if (t->trial.state == TRIAL_PENDING)
        text_add(s->out, ": it waits for a free place");
    else if (t->waits)
        text_addf(s->out, ": it waits: %s", t->waits);
    else if (t->ended)
        text_add(s->out, ": its process has ended, its reports are being read");
    else
        lease_explain(s->board, t, s->out);
}

/* Where the point of a trial comes from, in words. */
static const char *source_words(const char *source)
{
    static const char *const words[][2] = {
        {"centre", "is the middle of the space"},
        {"default", "is made of the declared defaults"},
        {"start", "stands in the study's file"},
        {"requested", "was asked for by a client"},
        {"sobol", "is one of an even spread over the space"},
        {"gp", "was chosen by the model, near the best so far"},
        {"global", "was chosen by the model, from the whole space"},
        {"tpe", "was chosen by tpe, by what the better trials have in common"},
        {"cma-es", "was chosen by cma-es, from around the best so far"},
        {"grid", "is the next of the grid"},
        {"random", "was drawn at random"},
        {"fallback", "was drawn at random, for want of a better one"},
    };

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(words[i][0], source))
            return words[i][1];
    return NULL;
}

static bool why_trial(void *ctx, const struct trial_row *row)
{
    const struct subject *s = ctx;
    const char *words = source_words(row->source);

    text_addf(s->out, "trial %lld is %s", (long long)row->number,
              trial_state_name(row->state));
    if (s->live)
        add_wait(s);
    if (row->reason != REASON_NONE)
        text_addf(s->out, " (%s)", trial_reason_name(row->reason));
    if (*row->detail)
        text_addf(s->out, ": %s", row->detail);
    if (row->is_foreseen)
        text_addf(s->out,
                  "; by the curves of others it would have ended with about "
                  "%.6g (give or take %.2g)",
                  row->foreseen, row->unsure);
    if (row->given)
        text_add(s->out, "; it was put in from outside, with its result");
    else if (*row->source && words)
        text_addf(s->out, "; its point %s", words);
    else if (*row->source)
        text_addf(s->out, "; its point was chosen by %s", row->source);
    add_forecast(s->out, row->forecast);
    text_add(s->out, "\n");
    return false;
}

static bool why_study(void *ctx, const struct study_row *row)
{
    text_addf(ctx, "study %s is %s%s%s\n", row->name,
              study_state_name(row->state), *row->reason ? ": " : "",
              row->reason);
    return false;
}

/* What those that wait for something else than a place wait for. */
static void why_waits(const struct board *b, const struct live_study *s,
                      struct text *out)
{
    struct text why;
    struct alike waits = {0};

    for (const struct live_trial *t = s->trials; t; t = t->next) {
        text_init(&why);
        if (t->trial.state == TRIAL_PENDING && (t->since || t->alone))
            hold_why(b, t, &why);
        else if (t->waits)
            text_add(&why, t->waits);
        if (why.len) {
            char *sentence = mem_format("waits: %s", text_str(&why));

            alike_add(&waits, t->trial.number, sentence);
            free(sentence);
        }
        text_clear(&why);
    }
    alike_write(&waits, GROUPS, out);
    alike_clear(&waits);
}

static bool add_error(void *ctx, const struct trial_row *row)
{
    if (*row->detail)
        alike_add(ctx, row->number, row->detail);
    return true;
}

/* The same error of many trials is said once. */
static int why_errors(const struct board *b, int64_t study, struct text *out,
                      struct err *e)
{
    struct trial_filter broke = {
        .states = 1U << TRIAL_FAILED | 1U << TRIAL_INFEASIBLE, .own = true};
    struct alike errors = {0};
    int rc =
        store_trial_list(b->parts.store, study, &broke, add_error, &errors, e);

    if (!rc)
        alike_write(&errors, GROUPS, out);
    alike_clear(&errors);
    return rc;
}

static void why_places(const struct board *b, const struct live_study *s,
                       struct text *out)
{
    int parallel = board_parallel(b, s);
    int suspects = 0;

    if (s->state != STUDY_ACTIVE)
        return;
    if (parallel < INT32_MAX)
        text_addf(out, "%zu of %d places are taken\n", s->n_trials, parallel);
    for (const struct live_trial *t = s->trials; t; t = t->next)
        suspects += lease_is_suspect(b, t);
    if (suspects)
        text_addf(out,
                  "trials whose clients have been silent for longer than the "
                  "lease: %d\n",
                  suspects);
    if (b->disk_low)
        text_add(out, "nothing is launched: the disk of the state directory "
                      "is nearly full\n");
    if (s->thinking)
        text_add(out, "the next point is being worked out\n");
    if (s->waits)
        text_add(out, "the algorithm waits for a trial to end\n");
    if (s->exhausted)
        text_add(out, "every point of the space was tried\n");
}

/* What became of those before the one that the trial's own line is about. */
static bool add_attempt(void *ctx, const struct attempt_row *row)
{
    const struct subject *s = ctx;

    if (!*row->blame)
        return true;
    text_addf(s->out, "attempt %d ended: %s, class %s", row->attempt,
              row->outcome, row->blame);
    if (*row->node)
        text_addf(s->out, ", on %s", row->node);
    text_add(s->out, "\n");
    return true;
}

static int why_one(struct subject *s, int64_t study, int64_t number,
                   struct err *e)
{
    struct store *store = s->board->parts.store;

    if (store_trial_get(store, study, number, why_trial, s, e))
        return -1;
    return store_attempt_list(store, study, number, add_attempt, s, e);
}

int why_explain(const struct board *b, int64_t study, int64_t number,
                struct text *out, struct err *e)
{
    struct live_study *s = board_study(b, study);
    struct subject subject = {.board = b,
                              .live = s ? board_trial(s, number) : NULL,
                              .steady = board_steady(b),
                              .out = out};

    if (number)
        return why_one(&subject, study, number, e);
    if (store_study_get(b->parts.store, study, why_study, out, e))
        return -1;
    if (s)
        why_places(b, s, out);
    if (s)
        why_waits(b, s, out);
    if (s && board_launches(s))
        nodes_why(b, out);
    return why_errors(b, study, out, e);
}
