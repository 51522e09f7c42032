/* Where the acquisition is highest: many candidates, a few climbs in step, and
 * a sweep over what cannot be climbed. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_SEEK_H
#define ALGORITHMS_SEEK_H

#include <stddef.h>
#include <stdint.h>

#include "algorithms/encode.h"
#include "algorithms/sight.h"

/* What to look for, where. All is borrowed. Rows are latent (encode.h). */
struct seek {
    const struct encode *encode;
    const struct sight *sight;
    const double *low, *high; /* a box within 0..1 for each numeric axis */
    const double *best;       /* the best trials' rows, the best first */
    size_t n_best;            /* at least 1 */
    size_t n_candidates;
    uint64_t seed, number; /* whose chance it is */
};

/* Rows in falling order of their value. */
struct seek_found {
    double *rows; /* n rows of encode->n */
    double *values;
    size_t n;
};

/* The highest places found, at least one, each what a real point gives. */
void seek_run(const struct seek *s, struct seek_found *out);
void seek_clear(struct seek_found *f);

#endif
