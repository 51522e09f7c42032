/* What the bayesian algorithm sees of a study when it is asked: its models, and
 * how promising a row is by them.
 *
 * With one objective that is the expected improvement (acquire.h); with two or
 * three, models that know nothing of each other, and the expected growth of
 * the front (expand.h); with more, one model of a weighted sum of all and the
 * worst of them, under other weights for each suggestion (Knowles, "ParEGO: A
 * Hybrid Algorithm With On-Line Landscape Approximation for Expensive
 * Multiobjective Optimization Problems", 2006). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_SIGHT_H
#define ALGORITHMS_SIGHT_H

#include "algorithms/expand.h"
#include "algorithms/model.h"

enum { SIGHT_GOOD = 5 };

struct sight {
    size_t n_models;
    struct model models[VOLUME_MOST];
    struct expand expand; /* of two or three models */

    const struct gp *gp; /* the first model's, with running trials: rows that
                            are known */
    double *theta;       /* ln lengths: what is near (gp_distance) */
    bool noisy;          /* whether any model takes results for noise */

    size_t good[SIGHT_GOOD]; /* places of trials (history_valued) to search
                                near, the best first */
    size_t n_good;
};

/* From at least one valued trial; `histories` and `memories` are one for each
 * objective of the study. `far` is for a suggestion that may lie anywhere: what
 * lies beyond the front's ends counts then. -1 if the sums break down; *s is
 * cleared then. */
int sight_build(struct sight *s, struct model_memory *memories,
                const struct history *histories, int64_t number, bool far,
                const struct trial *const *running, size_t n_running);
void sight_clear(struct sight *s);

/* As acquire_many. */
void sight_look(const struct sight *s, const double *rows, size_t n,
                double *values, double *slopes);

#endif
