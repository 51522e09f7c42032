/* Arrays of double for the linear algebra: every one begins on a cache line,
 * so that the sums of BLAS group their terms alike in every run. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_SLAB_H
#define ALGORITHMS_SLAB_H

#include <stddef.h>

/* n zeros on a 64-byte boundary; never NULL; to be freed with free(). */
double *slab_new(size_t n);

/* The same with the n numbers of `from`. */
double *slab_copy(const double *from, size_t n);

/* rows * cols numbers; logs and aborts when that is more than memory holds. */
double *slab_grid(size_t rows, size_t cols);

#endif
