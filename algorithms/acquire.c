/* Log expected improvement, in batches. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/acquire.h"

#include <assert.h>
#include <cblas.h>
#include <gsl/gsl_sf_erf.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/slab.h"

enum { CHUNK = 128 };

static const double label_noise = 0.005; /* of the feasibility model */
static const double least_chance = 1e-6;
static const double half_ln_2pi = 0.91893853320467274178;

static double density(double u)
{
    return exp(-u * u / 2) * (M_2_SQRTPI * M_SQRT1_2 / 2);
}

double acquire_log_improvement(double u, double *slope)
{
    double ratio = 0;

    if (u > -1) {
        double cdf = 0.5 * erfc(-u * M_SQRT1_2);
        double h = density(u) + u * cdf;

        *slope = cdf / h;
        return log(h);
    }
    if (u <= -30) { /* the asymptotic series */
        double v = 1 / (u * u);

        *slope = -u - 2 / u + 6 * v / u;
        return -u * u / 2 - half_ln_2pi - 2 * log(-u) + log1p(v * (15 * v - 3));
    }
    ratio = 1 / gsl_sf_hazard(-u); /* Phi(u) / phi(u) */
    *slope = ratio / (1 + u * ratio);
    return -u * u / 2 - half_ln_2pi + log1p(u * ratio);
}

void acquire_init(struct acquire *a, const struct gp *g, double best)
{
    *a = (struct acquire){.gp = g, .n_fantasies = 1};
    a->weights = slab_copy(g->weights, g->n);
    a->best = slab_copy(&best, 1);
}

void acquire_clear(struct acquire *a)
{
    free(a->weights);
    free(a->best);
    *a = (struct acquire){0};
}

/* The Cholesky factor of what is unknown about q rows, row-major, lower
 * triangle: their covariance given what is known. Falls back to the diagonal
 * where that is not positive enough. Yours to free. */
static double *unknown(const struct gp *truth, const double *rows, size_t q)
{
    double *s = slab_grid(q, q), *from = NULL;
    struct gp_batch b;
    size_t n = truth->n;

    gp_batch_init(&b, truth, q);
    gp_batch_set(&b, rows, q);
    for (size_t i = 0; i < q; i++)
        for (size_t k = 0; k <= i; k++) {
            double a =
                sqrt(5 * gp_distance(truth->theta, truth->d, truth->n_numeric,
                                     rows + i * truth->d, rows + k * truth->d));

            s[i * q + k] = truth->variance * (1 + a + a * a / 3) * exp(-a) -
                           cblas_ddot((int)n, b.k + i * n, 1, b.v + k * n, 1);
        }
    for (size_t i = 0; i < q; i++)
        s[i * q + i] = b.variance[i] + truth->noise + 1e-8 * truth->variance;
    from = slab_copy(s, q * q);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)q, s, (int)q) != 0) {
        memset(s, 0, q * q * sizeof *s);
        for (size_t i = 0; i < q; i++)
            s[i * q + i] = sqrt(from[i * q + i]);
    }
    free(from);
    gp_batch_clear(&b);
    return s;
}

void acquire_fantasise(struct acquire *a, const struct gp *truth,
                       size_t q_first, size_t n, const double *normals)
{
    const struct gp *g = a->gp;
    size_t q = g->n - q_first;
    double *root = unknown(truth, g->x + q_first * g->d, q);
    double *y = slab_grid(g->n, n), best = a->best[0];

    a->n_fantasies = n;
    free(a->weights);
    free(a->best);
    a->weights = slab_grid(g->n, n);
    a->best = slab_new(n);
    for (size_t s = 0; s < n; s++) {
        a->best[s] = best;
        for (size_t i = 0; i < g->n; i++) {
            double result = g->y[i];

            for (size_t k = 0; i >= q_first && k <= i - q_first; k++)
                result += root[(i - q_first) * q + k] * normals[s * q + k];
            y[i * n + s] = result;
            if (i >= q_first)
                a->best[s] = fmax(a->best[s], result);
        }
    }
    gp_solve(g, y, n, a->weights);
    free(y);
    free(root);
}

/* Where values of a chunk are made: the posterior and its work. */
struct bench {
    struct gp_batch batch;
    double *means; /* a row of n_fantasies for each */
    double *w, *work, *part;
};

static void bench_init(struct bench *w, const struct gp *g, size_t fantasies,
                       size_t rows)
{
    gp_batch_init(&w->batch, g, rows);
    w->means = slab_grid(rows, fantasies);
    w->w = slab_new(g->n);
    w->work = slab_new(g->n);
    w->part = slab_new(g->n_numeric);
}

static void bench_clear(struct bench *w)
{
    gp_batch_clear(&w->batch);
    free(w->means);
    free(w->w);
    free(w->work);
    free(w->part);
}

/* The mean over fantasies for row i of the chunk. On the way down, means
 * become the slopes along each fantasy's mean; *by_variance is that along the
 * variance. */
static double improvement(const struct acquire *a, double *means,
                          double variance, double *by_variance)
{
    size_t n = a->n_fantasies;
    double s = sqrt(variance), most = -INFINITY, sum = 0;
    double *values = slab_new(2 * n), *slopes = values + n;

    for (size_t k = 0; k < n; k++) {
        values[k] =
            acquire_log_improvement((means[k] - a->best[k]) / s, &slopes[k]);
        most = fmax(most, values[k]);
    }
    for (size_t k = 0; k < n; k++)
        sum += exp(values[k] - most);
    *by_variance = 0;
    for (size_t k = 0; k < n; k++) {
        double share = exp(values[k] - most) / sum;
        double u = (means[k] - a->best[k]) / s;

        *by_variance += share * (1 - slopes[k] * u) / (2 * variance);
        means[k] = share * slopes[k] / s;
    }
    free(values);
    return most + log(sum / (double)n) + log(s);
}

/* Adds the slope of row i's value; w->w holds the weights of the means'
 * part. */
static void add_slope(struct bench *w, size_t i, double by_variance,
                      double *slope)
{
    const struct gp_batch *b = &w->batch;
    size_t n = b->gp->n, m = b->gp->n_numeric;

    cblas_daxpy((int)n, -2 * by_variance, b->v + i * n, 1, w->w, 1);
    gp_batch_slope(b, i, w->w, w->work, w->part);
    for (size_t j = 0; j < m; j++)
        slope[j] += w->part[j];
}

static double objective_at(const struct acquire *a, size_t i, struct bench *w,
                           double *slope)
{
    size_t n = a->gp->n, s = a->n_fantasies;
    double by_variance = 0;
    double value =
        improvement(a, w->means + i * s, w->batch.variance[i], &by_variance);

    if (!slope)
        return value;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)s, 1, a->weights,
                (int)s, w->means + i * s, 1, 0, w->w, 1);
    memset(slope, 0, a->gp->n_numeric * sizeof *slope);
    add_slope(w, i, by_variance, slope);
    return value;
}

/* The logarithm of the chance that row i gives a result, not below
 * least_chance. */
static double chance_at(const struct acquire *a, size_t i, struct bench *w,
                        double *slope)
{
    const struct gp *f = a->feasible;
    double mean = a->share + cblas_ddot((int)f->n, w->batch.k + i * f->n, 1,
                                        f->weights, 1);
    double variance = w->batch.variance[i] + label_noise;
    double t = (mean - 0.5) / sqrt(variance);
    double chance = 0.5 * erfc(-t * M_SQRT1_2), by_t = 0;

    if (chance <= least_chance)
        return log(least_chance) + 1e-3 * t;
    if (!slope)
        return log(chance);
    by_t = density(t) / chance;
    memcpy(w->w, f->weights, f->n * sizeof *w->w);
    cblas_dscal((int)f->n, by_t / sqrt(variance), w->w, 1);
    add_slope(w, i, -by_t * t / (2 * variance), slope);
    return log(chance);
}

static void chunk(const struct acquire *a, const double *rows, size_t n,
                  struct bench *w, double *values, double *slopes)
{
    const struct gp *g = a->gp;
    size_t s = a->n_fantasies, m = g->n_numeric;

    gp_batch_set(&w->batch, rows, n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, (int)s,
                (int)g->n, 1, w->batch.k, (int)g->n, a->weights, (int)s, 0,
                w->means, (int)s);
    for (size_t i = 0; i < n; i++)
        values[i] = objective_at(a, i, w, slopes ? slopes + i * m : NULL);
}

void acquire_many(const struct acquire *a, const double *rows, size_t n,
                  double *values, double *slopes)
{
    size_t m = a->gp->n_numeric;
    struct bench w;

    bench_init(&w, a->gp, a->n_fantasies, n < CHUNK ? n : CHUNK);
    for (size_t i = 0; i < n; i += CHUNK) {
        size_t some = n - i < CHUNK ? n - i : CHUNK;

        chunk(a, rows + i * a->gp->d, some, &w, values + i,
              slopes ? slopes + i * m : NULL);
    }
    bench_clear(&w);
    if (a->feasible)
        acquire_chance(a, rows, n, values, slopes);
}

void acquire_chance(const struct acquire *a, const double *rows, size_t n,
                    double *values, double *slopes)
{
    const struct gp *f = a->feasible;
    size_t m = f->n_numeric;
    struct bench w;

    bench_init(&w, f, 1, n < CHUNK ? n : CHUNK);
    for (size_t i = 0; i < n; i++) {
        size_t at = i % CHUNK;

        if (at == 0)
            gp_batch_set(&w.batch, rows + i * f->d,
                         n - i < CHUNK ? n - i : CHUNK);
        values[i] += chance_at(a, at, &w, slopes ? slopes + i * m : NULL);
    }
    bench_clear(&w);
}
