/* Forecasts in the user's own units. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/forecast.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "algorithms/slab.h"
#include "algorithms/warp.h"

enum { QUANTILES = 64 };

/* A result as it was told and as the model sees it. */
struct pair {
    double raw, warped;
};

static int by_raw(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->raw, y = ((const struct pair *)b)->raw;

    return (x > y) - (x < y);
}

/* The distinct pairs, in order; *n counts them. Yours to free. */
static struct pair *pairs_of(const struct history *h, double least, size_t *n)
{
    size_t all = h->n_valued;
    double *raw = slab_new(all), *y = slab_new(all);
    struct pair *pairs = calloc(all ? all : 1, sizeof *pairs);

    *n = 0;
    for (size_t k = 0; k < all; k++)
        raw[k] = history_valued(h, k)->value;
    warp_results(raw, all, least, y);
    for (size_t k = 0; pairs && k < all; k++)
        pairs[k] = (struct pair){raw[k], y[k]};
    if (pairs)
        qsort(pairs, all, sizeof *pairs, by_raw);
    for (size_t k = 0; pairs && k < all; k++)
        if (*n == 0 || pairs[k].warped > pairs[*n - 1].warped)
            pairs[(*n)++] = pairs[k];
    free(raw);
    free(y);
    return pairs;
}

/* The raw value of a warped one, by the straight line through two neighbours,
 * the outermost two beyond the ends. At least two pairs. */
static double unwarp(const struct pair *pairs, size_t n, double y)
{
    size_t low = 0, high = n - 1;
    const struct pair *a, *b;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;

        if (pairs[mid].warped <= y)
            low = mid;
        else
            high = mid;
    }
    a = &pairs[low];
    b = &pairs[high];
    return a->raw +
           (y - a->warped) * (b->raw - a->raw) / (b->warped - a->warped);
}

static double improvement(const struct pair *pairs, size_t n, double mean,
                          double deviation)
{
    double best = pairs[n - 1].raw, sum = 0;

    for (int k = 0; k < QUANTILES; k++) {
        double z = gsl_cdf_ugaussian_Pinv((k + 0.5) / QUANTILES);

        sum += fmax(0, unwarp(pairs, n, mean + deviation * z) - best);
    }
    return sum / QUANTILES;
}

/* The model's mean and deviation at the point, warped. */
static void foresee(const struct gp *g, const struct history *h,
                    const struct point *p, double *mean, double *deviation)
{
    double *row = slab_new(h->encode->n);
    struct gp_batch batch;

    encode_row(h->encode, p, row);
    gp_batch_init(&batch, g, 1);
    gp_batch_set(&batch, row, 1);
    *mean = 0;
    for (size_t i = 0; i < g->n; i++)
        *mean += batch.k[i] * g->weights[i];
    *deviation = sqrt(fmax(batch.variance[0], 0));
    gp_batch_clear(&batch);
    free(row);
}

void forecast_point(const struct gp *truth, const struct history *h,
                    double least, struct suggestion *out)
{
    double mean, deviation, sign = h->study->maximize ? 1 : -1;
    size_t n;
    struct pair *pairs = pairs_of(h, least, &n);

    out->foreseen = false;
    if (pairs && n >= 2) { /* equal results foresee nothing */
        foresee(truth, h, &out->point, &mean, &deviation);
        out->mean = sign * unwarp(pairs, n, mean);
        out->low = sign * unwarp(pairs, n, mean - sign * deviation);
        out->high = sign * unwarp(pairs, n, mean + sign * deviation);
        out->improvement = improvement(pairs, n, mean, deviation);
        out->foreseen = isfinite(out->mean) && isfinite(out->low) &&
                        isfinite(out->high) && isfinite(out->improvement);
    }
    free(pairs);
}
