/* The algorithms by name, for the list of them, and what they share. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_KINDS_H
#define ALGORITHMS_KINDS_H

#include "algorithms/algorithm.h"
#include "algorithms/encode.h"

extern const struct algorithm_type algorithm_bayes;
extern const struct algorithm_type algorithm_cmaes;
extern const struct algorithm_type algorithm_grid;
extern const struct algorithm_type algorithm_quasi;
extern const struct algorithm_type algorithm_random;
extern const struct algorithm_type algorithm_tpe;

/* Point `index` of the scrambled Sobol sequence over the space. *out is
 * initialised. */
void kinds_sobol(const struct encode *e, uint64_t seed, uint64_t index,
                 struct point *out);

/* Says where a suggestion came from; at most 15 letters. */
void kinds_source(struct suggestion *out, const char *source);

#endif
