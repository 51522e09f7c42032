/* The scrambled Sobol sequence: points that fill the unit cube evenly.
 *
 * Direction numbers of Joe and Kuo (2008); nested uniform scrambling (Owen,
 * "Randomly permuted (t,m,s)-nets and (t,s)-sequences", 1995) by hashing
 * (Laine and Karras 2011; Burley, "Practical Hash-based Owen Scrambling",
 * JCGT 2020). Dimensions above 256 take the same ones again, shuffled and
 * scrambled anew. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_SOBOL_H
#define ALGORITHMS_SOBOL_H

#include <stddef.h>
#include <stdint.h>

enum { SOBOL_DIMENSIONS = 256 };

/* Coordinates 0..n-1 of point `index` of the sequence of that seed: each
 * strictly between 0 and 1, with 52 bits of which the first 32 are Sobol's.
 * The sequence has 2^32 points. */
void sobol_point(uint64_t seed, uint64_t index, size_t n, double *out);

/* The unscrambled coordinate in units of 2^-32; dim < SOBOL_DIMENSIONS. */
uint32_t sobol_plain(uint32_t index, size_t dim);

#endif
