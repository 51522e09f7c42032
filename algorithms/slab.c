/* Aligned arrays of double. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/slab.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { LINE = 64 };

double *slab_grid(size_t rows, size_t cols)
{
    size_t n = 0, bytes = 0;
    double *data = NULL;

    if (!__builtin_mul_overflow(rows, cols, &n) &&
        !__builtin_mul_overflow(n, sizeof *data, &bytes) &&
        bytes <= SIZE_MAX - LINE - 1) {
        bytes = (bytes / LINE + 1) * LINE;
        data = aligned_alloc(LINE, bytes);
    }
    if (!data) {
        log_write(LOG_LEVEL_ERROR, "out_of_memory", "rows=%zu cols=%zu", rows,
                  cols);
        abort();
    }
    memset(data, 0, bytes);
    return data;
}

double *slab_new(size_t n)
{
    return slab_grid(n, 1);
}

double *slab_copy(const double *from, size_t n)
{
    double *to = slab_new(n);

    if (n)
        memcpy(to, from, n * sizeof *to);
    return to;
}
