/* The Matern-5/2 kernel over arrays of squared distances. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_MATERN_H
#define ALGORITHMS_MATERN_H

#include <stddef.h>

/* For each squared distance r2[i] >= 0, with a = sqrt(5 r2):
 *   k[i] = variance (1 + a + a^2/3) exp(-a)    the kernel
 *   c[i] = variance (5/3) (1 + a) exp(-a)      so that dk/dx = -c (x - x')
 * for distances already divided by the lengths. c may be NULL; k may be r2.
 * Exact to about 1e-15 of the variance. */
void matern_fill(const double *r2, size_t n, double variance, double *k,
                 double *c);

#endif
