/* One algorithm on one problem, in pretended time: what is left to the optimum
 * after so many results. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_QUALITY_RACES_H
#define BENCH_QUALITY_RACES_H

#include "algorithms/algorithm.h"
#include "bench/functions/problem.h"

/* Runs `trials` trials, `parallel` of them at once, each for its own random
 * time. left[k] is how far the best trial by its reported value was from the
 * optimum, without noise, after k + 1 results; where the problem has noise or
 * is a table of several reads, the mean of that over 200 drawings of all of
 * them anew, at the same points: the geometric mean, but of a table, where it
 * may be nothing, the plain one. Durations and noise are drawn from the seed,
 * the same for each algorithm. Adds the processor time of all asks and tells,
 * in milliseconds. Fails where the algorithm does. */
int races_run(struct problem *p, const struct algorithm_type *type,
              uint64_t seed, size_t trials, size_t parallel, double *left,
              double *ms, struct err *e);

#endif
