/* Results as the model wants them: their order kept, their tails tamed. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_WARP_H
#define ALGORITHMS_WARP_H

#include <stddef.h>

/* Turns n finite results, larger better, into n numbers of mean 0 and variance
 * 1 in the same order: results below the median by their rank, so that a
 * disaster teaches no more than a bad result; then a logarithm of the distance
 * from the best, so that differences near the top count most (the output warp
 * of Google Vizier: Song et al., "The Vizier Gaussian Process Bandit
 * Algorithm", 2024). Equal results give zeros. */
void warp_results(const double *raw, size_t n, double *out);

#endif
