/* The bayesian algorithm's picture of the objective: from what was told and
 * what is running to an acquisition.
 *
 * Hyper-parameters are a function of the told results alone, so that a study
 * replays. At anchors (every result up to 10, every 10th to 60, every 20th to
 * 200, then steps of a tenth) they are fitted from fixed starts, on the
 * results up to there; between anchors, up to 200 results, in a few steps from
 * the anchor's. No fit begins where an earlier ask happened to end, and a
 * study that is opened again with a thousand results needs one fit. Above
 * 1,000 results the model holds 800 of them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_MODEL_H
#define ALGORITHMS_MODEL_H

#include "algorithms/acquire.h"
#include "algorithms/gp.h"
#include "algorithms/history.h"

/* The last fits; a cache, to be zeroed at first. */
struct model_memory {
    size_t anchor, now;         /* how many results each saw; 0 = none */
    double *at_anchor, *at_now; /* hyper-parameters */
    double least;               /* of warp.h, from the anchor on */
};
void model_forget(struct model_memory *m);

struct model {
    struct gp truth;    /* what was told */
    struct gp believed; /* and what is running; unused when nothing is */
    struct gp feasible; /* unused unless some trial was infeasible */
    struct acquire acquire;
    double least;   /* of warp.h, for the results that truth has */
    size_t *ranked; /* history_ranked of all */
    size_t best;    /* the incumbent's place among the valued */
};

/* Builds it for trial `number` from at least one valued trial. -1 if the sums
 * break down; *m is cleared then. */
int model_build(struct model *m, struct model_memory *memory,
                const struct history *h, int64_t number,
                const struct trial *const *running, size_t n_running);
void model_clear(struct model *m);

#endif
