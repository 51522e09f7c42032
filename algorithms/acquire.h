/* How promising a row is: the logarithm of the expected improvement, with its
 * gradient (Ament et al., "Unexpected Improvements to Expected Improvement for
 * Bayesian Optimization", NeurIPS 2023), averaged over imagined results of the
 * trials that run (Snoek, Larochelle, Adams, "Practical Bayesian Optimization
 * of Machine Learning Algorithms", 2012), times the chance that the point
 * gives a result at all. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_ACQUIRE_H
#define ALGORITHMS_ACQUIRE_H

#include <stddef.h>

#include "algorithms/gp.h"

/* ln h(u) for h(u) = phi(u) + u Phi(u), good from -1e150 to 1e150; *slope is
 * its derivative. */
double acquire_log_improvement(double u, double *slope);

struct acquire {
    const struct gp *gp; /* factorised; running trials are among its rows */
    size_t n_fantasies;  /* at least 1; 1 when nothing runs */
    double *weights;     /* gp->n rows: inverse times results, by fantasy */
    double *best;        /* n_fantasies: what is to be improved on */
    const struct gp *feasible; /* of labels 1 or 0 less `share`; NULL when
                                  every trial gave a result */
    double share;              /* of trials that gave a result */
};

/* Begins with no fantasy of anything: weights of gp, and `best`. */
void acquire_init(struct acquire *a, const struct gp *g, double best);

/* For rows q_first.. of gp that are running trials with believed results
 * standing in gp->y: draws `n` sets of results for them, `normals` being n
 * times (gp->n - q_first) numbers from N(0, 1), from `truth`, the same process
 * without those rows, factorised. */
void acquire_fantasise(struct acquire *a, const struct gp *truth,
                       size_t q_first, size_t n, const double *normals);

void acquire_clear(struct acquire *a);

/* The value at each of n rows of gp->d features, and, unless `slopes` is NULL,
 * its gradient over the numeric features (n rows of gp->n_numeric). */
void acquire_many(const struct acquire *a, const double *rows, size_t n,
                  double *values, double *slopes);

/* The part of acquire_many that a->feasible says, not NULL: added to values and
 * slopes. */
void acquire_chance(const struct acquire *a, const double *rows, size_t n,
                    double *values, double *slopes);

#endif
