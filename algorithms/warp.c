/* The monotone transform of results. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/warp.h"

#include <math.h>
#include <stdlib.h>

#include "algorithms/slab.h"
#include "base/mem.h"

/* Distances from the best count evenly up to `near` times the median's, and by
 * their logarithm beyond; two neighbours are never more than `most_gap`
 * apart. */
static const double near = 2, most_gap = 0.3;

/* A result and where it stood. */
struct ranked {
    double y;
    size_t place;
};

static int by_rank(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->y, y = ((const struct ranked *)b)->y;

    return (x < y) - (x > y);
}

/* Half of what lies between two results; halves first, so that no difference
 * overflows. */
static double gap(double better, double worse)
{
    return better / 2 - worse / 2;
}

/* From the best down: distances, shrunk. Returns up to what distance, halved,
 * they count evenly. */
static double descend(const struct ranked *r, size_t n, double least,
                      double *out)
{
    double best = r[0].y, width = gap(best, r[n / 2].y), last = 0, depth = 0;

    if (!(width > 0)) /* half of all are the best */
        width = gap(best, r[n - 1].y);
    if (width > 0)
        width = fmax(width, least / 2 / near);
    for (size_t i = 0; i < n; i++) {
        double distance =
            width > 0 ? fmin(gap(best, r[i].y) / width, 1e300) : 0;
        double now = asinh(distance / near);

        depth += fmin(now - last, most_gap);
        last = now;
        out[r[i].place] = -depth;
    }
    return near * width;
}

/* Returns the deviation that it divided by. */
static double standardise(double *y, size_t n)
{
    double mean = 0, square = 0, deviation = 0;

    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (y[i] - mean) * (y[i] - mean) / (double)n;
    deviation = sqrt(square);
    for (size_t i = 0; i < n; i++)
        y[i] = deviation > 0 ? (y[i] - mean) / deviation : 0;
    return deviation;
}

double warp_results(const double *raw, size_t n, double least, double *out)
{
    struct ranked *r = mem_new(n, sizeof *r);
    double even = 0;

    for (size_t i = 0; i < n; i++)
        r[i] = (struct ranked){raw[i], i};
    qsort(r, n, sizeof *r, by_rank);
    if (n)
        even = descend(r, n, least, out);
    even *= standardise(out, n);
    free(r);
    return even;
}
