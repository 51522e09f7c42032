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

/* Whether trial `number` is the first after the study's start points and there
 * are declared defaults: then the suggestion is the point of these, and of the
 * middle of what has none. */
bool kinds_default(const struct study *study, int64_t number,
                   struct suggestion *out);

/* ERR_INVALID for a study of several objectives: for algorithms that search for
 * one. */
int kinds_one_goal(const struct study *study, struct err *e);

/* Says where a suggestion came from; at most 15 letters. */
void kinds_source(struct suggestion *out, const char *source);

#endif
