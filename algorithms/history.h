/* What the bayesian algorithm was told, in order, and what follows from the
 * order alone. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_HISTORY_H
#define ALGORITHMS_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "algorithms/encode.h"
#include "study/study.h"
#include "study/trial.h"

enum told_kind {
    TOLD_VALUE,      /* SUCCEEDED */
    TOLD_CUT,        /* STOPPED with a value: less sure, never the best */
    TOLD_INFEASIBLE, /* this point gives no value */
    TOLD_NOTHING     /* FAILED or STOPPED without a value */
};

struct told {
    enum told_kind kind;
    double value;  /* larger is better; of TOLD_CUT the one foreseen, if any */
    double unsure; /* its deviation, 0 unless it was foreseen */
    struct point point;
    double *row; /* what the model sees */
};

struct history {
    const struct study *study; /* borrowed, as the next */
    const struct encode *encode;
    size_t objective; /* whose values are kept: 0 is the goal */
    struct told *items;
    size_t n, cap;
    size_t *valued; /* the items of TOLD_VALUE and TOLD_CUT, in order */
    size_t n_valued, valued_cap;
    size_t n_infeasible;
};

void history_init(struct history *h, const struct study *study,
                  const struct encode *e); /* of the goal */
void history_clear(struct history *h);
void history_add(struct history *h, const struct trial *ended);

/* The valued item with that place in the order. */
const struct told *history_valued(const struct history *h, size_t k);

/* The places (of history_valued) of the first n valued items, best first; cut
 * ones after all others. Yours to free. */
size_t *history_ranked(const struct history *h, size_t n);

/* The item's row with a value on every axis: where its parameter does not
 * exist, that of the best trial in which it does, or the middle. `ranked` is
 * history_ranked of all. */
void history_latent(const struct history *h, const size_t *ranked, size_t k,
                    double *latent);

/* The side of the trust box, in 2^-8 .. 1.6: it grows with success and halves
 * after a run of failures (Eriksson et al., "Scalable Global Optimization via
 * Local Bayesian Optimization", NeurIPS 2019), replayed over the valued items
 * from number n_first on. */
double history_box(const struct history *h, size_t n_first);

/* How many axes exist at a point. */
size_t history_axes(const struct encode *e, const struct point *p);

#endif
