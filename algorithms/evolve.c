/* The sums of CMA-ES. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/evolve.h"

#include <assert.h>
#include <cblas.h>
#include <gsl/gsl_cdf.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/slab.h"

enum { MOST_FULL = 128 }; /* axes for which covariances are learned */

static const double sigma_least = 1e-6, sigma_most = 1e3;
static const double condition_most = 1e14;

size_t evolve_lambda(size_t n)
{
    return 4 + (size_t)floor(3 * log((double)n));
}

/* The logarithmic weights of the ranks; the better half sums to 1. Returns
 * the sum of the others, below zero, and their effective number. */
static double raw_weights(struct evolve *v, double *others_eff)
{
    double good[2] = {0, 0}, bad[2] = {0, 0}; /* sums, and of squares */

    for (size_t i = 0; i < v->lambda; i++) {
        double w = log(((double)v->lambda + 1) / 2) - log((double)i + 1);
        double *sums = i < v->mu ? good : bad;

        v->weights[i] = w;
        sums[0] += w;
        sums[1] += w * w;
    }
    for (size_t i = 0; i < v->mu; i++)
        v->weights[i] /= good[0];
    v->mu_eff = good[0] * good[0] / good[1];
    *others_eff = bad[0] * bad[0] / bad[1];
    return bad[0];
}

static void set_constants(struct evolve *v)
{
    double n = (double)v->n, others_eff = 0, limit = 0;
    double sum = raw_weights(v, &others_eff), m = v->mu_eff;

    v->c_sigma = (m + 2) / (n + m + 5);
    v->d_sigma = 1 + 2 * fmax(0, sqrt((m - 1) / (n + 1)) - 1) + v->c_sigma;
    v->c_c = (4 + m / n) / (n + 4 + 2 * m / n);
    v->c_1 = 2 / ((n + 1.3) * (n + 1.3) + m);
    v->c_mu = fmin(1 - v->c_1, 2 * (m - 2 + 1 / m) / ((n + 2) * (n + 2) + m));
    if (v->separable) { /* fewer numbers to learn: Ros, Hansen, PPSN 2008 */
        v->c_1 = fmin(0.5, v->c_1 * (n + 2) / 3);
        v->c_mu = fmin(1 - v->c_1, v->c_mu * (n + 2) / 3);
    }
    v->chi = sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n));
    limit = fmin(1 + v->c_1 / v->c_mu, 1 + 2 * others_eff / (m + 2));
    limit = fmin(limit, (1 - v->c_1 - v->c_mu) / (n * v->c_mu));
    for (size_t i = v->mu; i < v->lambda; i++)
        v->weights[i] *= limit / -sum;
}

/* Forgets the shape. */
static void make_round(struct evolve *v)
{
    memset(v->covariance, 0, v->n * v->n * sizeof *v->covariance);
    memset(v->base, 0, v->n * v->n * sizeof *v->base);
    for (size_t i = 0; i < v->n; i++) {
        v->covariance[i * v->n + i] = 1;
        v->base[i * v->n + i] = 1;
        v->widths[i] = 1;
    }
}

void evolve_init(struct evolve *v, size_t n, size_t lambda, const double *mean,
                 double sigma)
{
    assert(n >= 1 && lambda >= 4);
    *v = (struct evolve){.n = n,
                         .lambda = lambda,
                         .mu = lambda / 2,
                         .separable = n > MOST_FULL,
                         .sigma = sigma};
    v->weights = slab_new(lambda);
    v->mean = slab_copy(mean, n);
    v->stretch = slab_new(n);
    v->covariance = slab_grid(n, n);
    v->base = slab_grid(n, n);
    v->widths = slab_new(n);
    v->path_sigma = slab_new(n);
    v->path_c = slab_new(n);
    for (size_t i = 0; i < n; i++)
        v->stretch[i] = 1;
    set_constants(v);
    make_round(v);
}

void evolve_clear(struct evolve *v)
{
    free(v->weights);
    free(v->mean);
    free(v->stretch);
    free(v->covariance);
    free(v->base);
    free(v->widths);
    free(v->path_sigma);
    free(v->path_c);
    *v = (struct evolve){0};
}

/* out = base * in, or its transpose. */
static void turn(const struct evolve *v, bool back, const double *in,
                 double *out)
{
    int n = (int)v->n;

    if (v->separable)
        memcpy(out, in, v->n * sizeof *out);
    else
        cblas_dgemv(CblasColMajor, back ? CblasTrans : CblasNoTrans, n, n, 1,
                    v->base, n, in, 1, 0, out, 1);
}

void evolve_draw(const struct evolve *v, const double *normals, double *x)
{
    double *z = slab_copy(normals, v->n);

    for (size_t i = 0; i < v->n; i++)
        z[i] *= v->widths[i];
    turn(v, false, z, x);
    for (size_t i = 0; i < v->n; i++)
        x[i] = v->mean[i] + v->sigma * v->stretch[i] * x[i];
    free(z);
}

double evolve_width(const struct evolve *v, size_t axis)
{
    return v->sigma * v->stretch[axis] *
           sqrt(fmax(0, v->covariance[axis * v->n + axis]));
}

/* out = C^(-1/2) y. */
static void whiten(const struct evolve *v, const double *y, double *out)
{
    double *z = slab_new(v->n);

    turn(v, true, y, z);
    for (size_t i = 0; i < v->n; i++)
        z[i] /= v->widths[i];
    turn(v, false, z, out);
    free(z);
}

/* The steps from the mean, in units of sigma, none longer than a drawn one
 * may be; and their lengths. */
static void find_steps(const struct evolve *v, const double *const *rows,
                       double *steps, double *lengths)
{
    double n = (double)v->n, most = sqrt(n) + 2 * n / (n + 2);
    double *white = slab_new(v->n);

    for (size_t k = 0; k < v->lambda; k++) {
        double *y = steps + k * v->n;

        for (size_t i = 0; i < v->n; i++)
            y[i] = (rows[k][i] - v->mean[i]) / (v->sigma * v->stretch[i]);
        whiten(v, y, white);
        lengths[k] = cblas_dnrm2((int)v->n, white, 1);
        if (lengths[k] > most) {
            cblas_dscal((int)v->n, most / lengths[k], y, 1);
            lengths[k] = most;
        }
    }
    free(white);
}

/* The mean and both paths, from the mean step. Says whether the long path may
 * count. */
static bool follow(struct evolve *v, const double *step)
{
    double *white = slab_new(v->n), length = 0, n = (double)v->n;
    double a = sqrt(v->c_sigma * (2 - v->c_sigma) * v->mu_eff);
    double b = sqrt(v->c_c * (2 - v->c_c) * v->mu_eff);
    bool calm = false;

    whiten(v, step, white);
    for (size_t i = 0; i < v->n; i++) {
        v->mean[i] += v->sigma * v->stretch[i] * step[i];
        v->path_sigma[i] = (1 - v->c_sigma) * v->path_sigma[i] + a * white[i];
    }
    v->generations++;
    length = cblas_dnrm2((int)v->n, v->path_sigma, 1);
    calm = length / sqrt(1 - pow(1 - v->c_sigma, 2 * (double)v->generations)) <
           (1.4 + 2 / (n + 1)) * v->chi;
    for (size_t i = 0; i < v->n; i++)
        v->path_c[i] = (1 - v->c_c) * v->path_c[i] + (calm ? b * step[i] : 0);
    v->sigma *= exp(fmin(1, v->c_sigma / v->d_sigma * (length / v->chi - 1)));
    free(white);
    return calm;
}

/* covariance += by * y y' */
static void add_square(struct evolve *v, double by, const double *y)
{
    if (!v->separable) {
        cblas_dsyr(CblasColMajor, CblasLower, (int)v->n, by, y, 1,
                   v->covariance, (int)v->n);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        v->covariance[i * v->n + i] += by * y[i] * y[i];
}

static void reshape(struct evolve *v, const double *steps,
                    const double *lengths, bool calm)
{
    double keep = 1 - v->c_1;

    if (!calm)
        keep += v->c_1 * v->c_c * (2 - v->c_c);
    for (size_t k = 0; k < v->lambda; k++)
        keep -= v->c_mu * v->weights[k];
    cblas_dscal((int)(v->n * v->n), keep, v->covariance, 1);
    add_square(v, v->c_1, v->path_c);
    for (size_t k = 0; k < v->lambda; k++) {
        double w = v->weights[k];

        if (w < 0)
            w *= (double)v->n / fmax(1e-12, lengths[k] * lengths[k]);
        if (w > 0 || lengths[k] > 1e-6)
            add_square(v, v->c_mu * w, steps + k * v->n);
    }
}

/* Eigenvectors and widths of the covariance. -1 if it has none that can be
 * used. */
static int decompose(struct evolve *v)
{
    size_t n = v->n;
    double most = 0;

    if (v->separable) {
        for (size_t i = 0; i < n; i++)
            v->widths[i] = v->covariance[i * n + i];
    } else {
        memcpy(v->base, v->covariance, n * n * sizeof *v->base);
        if (LAPACKE_dsyev(LAPACK_COL_MAJOR, 'V', 'L', (int)n, v->base, (int)n,
                          v->widths) != 0)
            return -1;
    }
    for (size_t i = 0; i < n; i++)
        most = fmax(most, v->widths[i]);
    if (!isfinite(most) || most <= 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        v->widths[i] = sqrt(fmax(v->widths[i], most / condition_most / 10));
    return 0;
}

void evolve_learn(struct evolve *v, const double *const *rows)
{
    double *steps = slab_grid(v->lambda, v->n);
    double *lengths = slab_new(v->lambda), *step = slab_new(v->n);
    bool calm = false;

    find_steps(v, rows, steps, lengths);
    for (size_t k = 0; k < v->mu; k++)
        cblas_daxpy((int)v->n, v->weights[k], steps + k * v->n, 1, step, 1);
    calm = follow(v, step);
    reshape(v, steps, lengths, calm);
    if (decompose(v) != 0)
        make_round(v);
    free(steps);
    free(lengths);
    free(step);
}

/* How many standard deviations lie between the middle and where the share p
 * is cut off. */
static double reach(double p)
{
    return gsl_cdf_ugaussian_Qinv(p);
}

void evolve_margin(struct evolve *v, size_t axis, double low, double high,
                   bool first, bool last, double alpha)
{
    double mean = v->mean[axis], width = evolve_width(v, axis);
    double under = gsl_cdf_ugaussian_P((low - mean) / width);
    double over = gsl_cdf_ugaussian_Q((high - mean) / width);
    double half = alpha / 2, left = 0, wide = 0;

    if (!(width > 0) || (first && last))
        return;
    if (first || last) {
        if (first && over < alpha)
            v->mean[axis] = high - reach(alpha) * width;
        else if (last && under < alpha)
            v->mean[axis] = low + reach(alpha) * width;
        return;
    }
    if (under >= half && over >= half)
        return;
    under = fmax(under, half);
    over = fmax(over, half);
    left = under + over - 2 * half; /* what the larger one has to spare */
    if (under + over > 1 - half) {
        double by = left > 0 ? (1 - half - 2 * half) / left : 0;

        under = half + (under - half) * by;
        over = half + (over - half) * by;
    }
    wide = (high - low) / (reach(under) + reach(over));
    v->mean[axis] = low + reach(under) * wide;
    v->stretch[axis] *= wide / width;
}

bool evolve_spent(const struct evolve *v)
{
    double most = 0, least = INFINITY, widest = 0;

    for (size_t i = 0; i < v->n; i++) {
        most = fmax(most, v->widths[i]);
        least = fmin(least, v->widths[i]);
        widest = fmax(widest, sqrt(fmax(0, v->covariance[i * v->n + i])));
    }
    return !(v->sigma * widest > sigma_least) || !(v->sigma < sigma_most) ||
           !(most * most < condition_most * least * least);
}
