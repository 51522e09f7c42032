/* How promising a row is for two or three objectives: the logarithm of the
 * expected growth of what the front dominates (expected hypervolume
 * improvement: Emmerich, "Single- and Multiobjective Evolutionary Optimization
 * Assisted by Gaussian Random Field Metamodels", 2005), in closed form: each
 * box of volume.h gives the product, over objectives that are independent, of
 * the growth expected between its edges (Yang, Emmerich, Deutz, Back,
 * "Efficient Computation of Expected Hypervolume Improvement Using Box
 * Decomposition Algorithms", 2019). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_EXPAND_H
#define ALGORITHMS_EXPAND_H

#include "algorithms/gp.h"
#include "algorithms/volume.h"

struct expand {
    const struct gp *gps[VOLUME_MOST]; /* factorised; one for each objective,
                                          with axes alike */
    struct volume volume;              /* in their units */
};

/* As acquire_many: the value at each of n rows, and, unless `slopes` is NULL,
 * its gradient over the numeric features. */
void expand_many(const struct expand *x, const double *rows, size_t n,
                 double *values, double *slopes);

#endif
