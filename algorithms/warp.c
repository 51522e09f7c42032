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

/* Onto 0..1, halves first so that no difference overflows. */
static void squeeze(const double *raw, size_t n, double *out)
{
    double low = INFINITY, high = -INFINITY;

    for (size_t i = 0; i < n; i++) {
        low = fmin(low, raw[i] / 2);
        high = fmax(high, raw[i] / 2);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = high > low ? (raw[i] / 2 - low) / (high - low) : 0;
}

/* The root mean square distance from the median of what is at least
 * `least`. */
static double spread(const double *y, size_t n, double median, double least)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < n; i++) {
        if (y[i] < least)
            continue;
        sum += (y[i] - median) * (y[i] - median);
        count++;
    }
    return sqrt(sum / (double)count);
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

/* Values below the median become normal quantiles of their rank, as wide as
 * the upper half is. */
static void rank_lower_half(double *y, size_t n)
{
    double *sorted = slab_copy(y, n), median = 0, width = 0, under = 0;
    size_t distinct = 0;

    qsort(sorted, n, sizeof *sorted, by_value);
    median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
    width = spread(y, n, median, median);
    if (width <= 0)
        width = spread(y, n, median, -INFINITY);
    for (size_t i = 0; i < n; i++)
        if (!distinct || sorted[i] != sorted[distinct - 1])
            sorted[distinct++] = sorted[i];
    under = (double)below(sorted, distinct, median);
    if (sorted[(size_t)under] == median)
        under += 0.5;
    for (size_t i = 0; i < n; i++) {
        double rank = (double)below(sorted, distinct, y[i]) + 0.5;

        if (y[i] < median)
            y[i] = median + width * gsl_cdf_ugaussian_Pinv(0.5 * rank / under);
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

    squeeze(raw, n, out);
    for (size_t i = 1; i < n; i++)
        equal = equal && out[i] == out[0];
    if (n == 0 || equal) {
        for (size_t i = 0; i < n; i++)
            out[i] = 0;
        return;
    }
    rank_lower_half(out, n);
    take_logs(out, n);
    standardise(out, n);
}
