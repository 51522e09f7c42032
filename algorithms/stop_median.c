/* The median rule of Vizier: a trial is stopped if the best value that it has
 * measured is strictly worse than the median, over the trials that succeeded,
 * of the mean of what each had measured up to the same place (Golovin et al.,
 * "Google Vizier: A Service for Black-Box Optimization", KDD 2017, 3.2.2). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "algorithms/stop.h"
#include "base/mem.h"

enum {
    LEAST_OTHERS = 5, /* with fewer nothing is stopped */
    IN_A_ROW = 4      /* half of all are stopped: by chance so many in a row
                         once in sixteen times */
};

/* Of what was measured up to that point, but never above the best of it: sums
 * are rounded, and may overflow. */
static double mean_until(const struct stop_curve *c, const struct stop_point *p)
{
    return fmin(p->sum / (double)(p - c->points + 1), p->best);
}

static bool hopeless(const struct stop_rule *rule, const struct stop_book *b,
                     const struct stop_curve *own)
{
    const struct stop_point *last = &own->points[own->n - 1], *p = NULL;
    double *means = mem_new(b->n, sizeof *means);
    bool stop = false;
    size_t n = 0;

    (void)rule;
    for (size_t i = 0; i < b->n; i++) {
        const struct stop_curve *c = &b->curves[i];

        if (c == own || c->state != TRIAL_SUCCEEDED)
            continue;
        p = stop_until(c, last->at);
        if (p)
            means[n++] = mean_until(c, p);
    }
    stop = n >= LEAST_OTHERS && last->best < stop_middle(means, n);
    free(means);
    return stop;
}

const struct stop_type stop_median = {"median", IN_A_ROW, hopeless};
