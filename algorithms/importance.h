/* Which parameters matter: how much of the results' variation each one causes.
 *
 * A Gaussian process is fitted to the results as the bayesian algorithm fits
 * it, whatever algorithm found them, and the Sobol indices of what it expects
 * are summed up over the whole space: Sobol, "Sensitivity Estimates for
 * Nonlinear Mathematical Models", 1993; Jansen, "Analysis of Variance Designs
 * for Model Output", 1999; Saltelli et al., "Variance Based Sensitivity
 * Analysis of Model Output", 2010. docs/algorithms/importance.md tells it as a
 * whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_IMPORTANCE_H
#define ALGORITHMS_IMPORTANCE_H

#include "base/err.h"
#include "study/study.h"
#include "study/trial.h"

enum { IMPORTANCE_LEAST = 10 }; /* results below which nothing is said */

/* Of one parameter; all are 0 for one that has a single value. */
struct importance {
    double share;     /* its part in the sum of all total indices: 0 .. 1 */
    double low, high; /* the share in four of five functions that the results
                         leave possible; low <= share <= high */
    double total;     /* of the variance, what it causes alone and together
                         with others: 0 or more, and about 1 at most */
    double first;     /* of the variance, what it causes alone: 0 .. 1 */
};

/* How many of the n ended trials have a result to learn from. */
size_t importance_results(const struct trial *ended, size_t n);

/* Fills `out`, one for each parameter of the space. The trials stand in the
 * order in which they ended. A function of its arguments alone; may run on any
 * thread, and takes well under a second. ERR_CONFLICT, with a sentence for the
 * user, where nothing can be said: too few results, equal results, results in
 * which no parameter is seen to matter. */
int importance_of(const struct study *study, const struct trial *ended,
                  size_t n, struct importance *out, struct err *e);

#endif
