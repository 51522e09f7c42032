/* The monotone transform of results. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/warp.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "algorithms/slab.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How many of the sorted different values are below x. */
static size_t below(const double *sorted, size_t n, double x)
{
    size_t low = 0, high = n;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From the median, 0, to the best, 1; halves first so that no difference
 * overflows. What is below the median stays for rank_lower_half. Returns the
 * root mean square of the upper half, or 1 if that has no width. */
static double squeeze(const double *raw, size_t n, double median, double best,
                      double *out)
{
    double width = best / 2 - median / 2, sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (raw[i] < median)
            continue;
        out[i] = width > 0 ? (raw[i] / 2 - median / 2) / width : 0;
        sum += out[i] * out[i];
        count++;
    }
    return sum > 0 ? sqrt(sum / (double)count) : 1;
}

/* Values below the median become normal quantiles of their rank among the
 * different values, as wide as the upper half is. */
static void rank_lower_half(const double *raw, size_t n, double *out)
{
    double *sorted = slab_copy(raw, n), a = 0, b = 0, median = 0, width = 0;
    double under = 0;
    size_t distinct = 0;

    qsort(sorted, n, sizeof *sorted, by_value);
    a = sorted[(n - 1) / 2];
    b = sorted[n / 2];
    median = a == b ? a : a / 2 + b / 2;
    width = squeeze(raw, n, median, sorted[n - 1], out);
    for (size_t i = 0; i < n; i++)
        if (!distinct || sorted[i] != sorted[distinct - 1])
            sorted[distinct++] = sorted[i];
    under = (double)below(sorted, distinct, median);
    if (sorted[(size_t)under] == median)
        under += 0.5;
    for (size_t i = 0; i < n; i++) {
        double rank = (double)below(sorted, distinct, raw[i]) + 0.5;

        if (raw[i] < median)
            out[i] = width * gsl_cdf_ugaussian_Pinv(0.5 * rank / under);
    }
    free(sorted);
}

static void take_logs(double *y, size_t n)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    for (size_t i = 0; i < n; i++)
        y[i] = 0.5 - log1p(0.5 * (high - y[i]) / (high - low)) / log(1.5);
}

static void standardise(double *y, size_t n)
{
    double mean = 0, square = 0, deviation = 0;

    for (size_t i = 0; i < n; i++)
        mean += y[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        square += (y[i] - mean) * (y[i] - mean) / (double)n;
    deviation = sqrt(square);
    for (size_t i = 0; i < n; i++)
        y[i] = deviation > 0 ? (y[i] - mean) / deviation : 0;
}

void warp_results(const double *raw, size_t n, double *out)
{
    bool equal = true;

    for (size_t i = 1; i < n; i++)
        equal = equal && raw[i] == raw[0];
    if (n == 0 || equal) {
        for (size_t i = 0; i < n; i++)
            out[i] = 0;
        return;
    }
    rank_lower_half(raw, n, out);
    take_logs(out, n);
    standardise(out, n);
}
