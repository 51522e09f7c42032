/* Verdicts: what an attempt came to, in words, before it is known what that
 * makes of the trial. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_VERDICT_H
#define TUNER_VERDICT_H

#include "tuner/policy.h"
#include "tuner/run.h"

struct verdict {
    enum trial_state to;
    struct run_cause cause; /* its detail is not set: the next is it */
    struct text detail;
    bool broke; /* `blame` says whose fault it was */
    enum policy_class blame;
    bool gpu_memory;  /* what it was short of */
    struct text said; /* the last lines of stderr, of one that broke */
    const char *look; /* for the breaker; NULL = nothing suspicious */
    struct text look_text;
};

void verdict_init(struct verdict *v);
void verdict_clear(struct verdict *v);

/* It ended well: is there a value? A job that tunes nothing needs none. */
void verdict_value(const struct live_trial *t, struct verdict *v);
/* It was asked to end, or ended for that reason: what it has reported is kept.
 */
void verdict_stopped(const struct live_trial *t, enum trial_reason reason,
                     const char *detail, struct verdict *v);
/* It broke, as t->end says: v->to is what it is if it is not tried again. */
void verdict_broken(const struct live_trial *t, struct verdict *v);

#endif
