/* Asynchronous successive halving, the stopping kind: at places three times as
 * far apart as the ones before, a trial goes on only if it is in the best third
 * of all that came so far (Li et al., "A System for Massively Parallel
 * Hyperparameter Tuning", MLSys 2020). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/stop.h"

enum {
    SHARE = 3,   /* one of so many goes on */
    RUNGS = 4,   /* looks at a trial, if nobody says from where on */
    IN_A_ROW = 8 /* two thirds are stopped at each look: by chance so many in a
                    row once in twenty-five times */
};

/* The rung that the trial has reached with its last point, and not before; 0
 * if there is none. From the end of the longest trial they go down to an 81st
 * part of it; or up from `after`. */
static int64_t rung_of(const struct stop_rule *rule, const struct stop_book *b,
                       const struct stop_curve *own)
{
    int64_t last = own->points[own->n - 1].at, longest = 0, rung = 0;
    int64_t before = own->n > 1 ? own->points[own->n - 2].at : -1;

    if (rule->after > 0) {
        for (rung = rule->after; rung <= last / SHARE; rung *= SHARE)
            ;
        return rung <= last && rung > before ? rung : 0;
    }
    for (size_t i = 0; i < b->n; i++) {
        const struct stop_curve *c = &b->curves[i];

        if (c->state == TRIAL_SUCCEEDED && c->n &&
            c->points[c->n - 1].at > longest)
            longest = c->points[c->n - 1].at;
    }
    rung = longest;
    for (int i = 0; i < RUNGS; i++) {
        rung /= SHARE;
        if (rung >= 1 && rung <= last)
            return rung > before ? rung : 0;
    }
    return 0;
}

static bool hopeless(const struct stop_rule *rule, const struct stop_book *b,
                     const struct stop_curve *own)
{
    int64_t rung = rung_of(rule, b, own);
    double value = own->points[own->n - 1].value;
    size_t n = 1, better = 0;

    if (rung < 1)
        return false;
    for (size_t i = 0; i < b->n; i++) {
        const struct stop_curve *c = &b->curves[i];
        const struct stop_point *p = c == own ? NULL : stop_from(c, rung);

        if (!p)
            continue;
        n++;
        better += p->value > value;
    }
    return n >= SHARE && better >= (n + SHARE - 1) / SHARE;
}

const struct stop_type stop_asha = {"asha", IN_A_ROW, hopeless};
