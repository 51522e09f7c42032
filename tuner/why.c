/* Why a study or a trial is as it is, in sentences. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/why.h"

#include "base/text.h"

static void why_trial(const struct live_trial *t, int64_t steady,
                      struct text *out)
{
    const char *state = trial_state_name(t->trial.state);

    text_addf(out, "trial %lld is %s", (long long)t->trial.number, state);
    if (t->trial.state == TRIAL_PENDING && t->not_before > steady)
        text_addf(out, ": attempt %d broke; the next one begins in %.0f s",
                  t->attempt, (double)(t->not_before - steady) / 1000.0);
    else if (t->trial.state == TRIAL_PENDING)
        text_add(out, ": it waits for a free place");
    else if (t->ended)
        text_add(out, ": its process has ended, its reports are being read");
    if (*t->source)
        text_addf(out, "; its point was chosen by %s", t->source);
    text_add(out, "\n");
}

static bool why_row(void *ctx, const struct trial_row *row)
{
    text_addf(ctx, "trial %lld is %s", (long long)row->number,
              trial_state_name(row->state));
    if (row->reason != REASON_NONE)
        text_addf(ctx, " (%s)", trial_reason_name(row->reason));
    if (*row->detail)
        text_addf(ctx, ": %s", row->detail);
    if (*row->source)
        text_addf(ctx, "; its point was chosen by %s", row->source);
    text_add(ctx, "\n");
    return false;
}

static bool why_study(void *ctx, const struct study_row *row)
{
    text_addf(ctx, "study %s is %s%s%s\n", row->name,
              study_state_name(row->state), *row->reason ? ": " : "",
              row->reason);
    return false;
}

static void why_places(const struct board *b, const struct live_study *s,
                       struct text *out)
{
    int parallel = board_parallel(b, s);

    if (s->state != STUDY_ACTIVE)
        return;
    if (parallel < INT32_MAX)
        text_addf(out, "%zu of %d places are taken\n", s->n_trials, parallel);
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

int why_explain(const struct board *b, int64_t study, int64_t number,
                struct text *out, struct err *e)
{
    struct live_study *s = board_study(b, study);
    struct live_trial *t = s && number ? board_trial(s, number) : NULL;

    if (t) {
        why_trial(t, board_steady(b), out);
        return 0;
    }
    if (number)
        return store_trial_get(b->parts.store, study, number, why_row, out, e);
    if (store_study_get(b->parts.store, study, why_study, out, e))
        return -1;
    if (s)
        why_places(b, s, out);
    return 0;
}
