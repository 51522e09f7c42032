/* Fitting and using the Gaussian process. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/gp.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/lbfgs.h"
#include "algorithms/matern.h"
#include "algorithms/slab.h"

#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("O3") /* the loops over pairs of rows */
#endif

/* The box of the hyper-parameters. */
static const double length_low = 0.05, length_high = 20;
static const double variance_low = 1e-2, variance_high = 1e2;
static const double noise_high = 1;
static const double jitter_low = 1e-10, jitter_high = 1e-4;

void gp_middle(const struct gp_prior *p, size_t d, size_t n_numeric,
               double *theta)
{
    for (size_t j = 0; j < d; j++)
        theta[j] = j < n_numeric ? p->length_mean : p->word_mean;
    theta[d] = 0;
    theta[d + 1] = fmax(p->noise_mean, log(p->noise_floor));
}

void gp_init(struct gp *g, size_t n, size_t d, size_t n_numeric,
             const double *x, const double *y, const double *noisier,
             const struct gp_prior *prior)
{
    *g = (struct gp){.n = n, .d = d, .n_numeric = n_numeric, .prior = *prior};
    g->x = slab_copy(x, n * d);
    g->words = slab_grid(d - n_numeric, n);
    for (size_t j = n_numeric; j < d; j++)
        for (size_t i = 0; i < n; i++)
            g->words[(j - n_numeric) * n + i] = x[i * d + j];
    g->y = slab_copy(y, n);
    g->noisier = slab_copy(noisier, n);
    g->theta = slab_new(d + 2);
    gp_middle(prior, d, n_numeric, g->theta);
}

void gp_doubt(struct gp *g, const double *variances, size_t n)
{
    free(g->unsure);
    g->unsure = slab_new(g->n);
    memcpy(g->unsure, variances, n * sizeof *variances);
}

static double unsure(const struct gp *g, size_t i)
{
    return g->unsure ? g->unsure[i] : 0;
}

void gp_clear(struct gp *g)
{
    free(g->x);
    free(g->words);
    free(g->y);
    free(g->noisier);
    free(g->unsure);
    free(g->theta);
    free(g->scaled);
    free(g->norms);
    free(g->inverse);
    free(g->factor);
    free(g->weights);
    *g = (struct gp){0};
}

/* The squared difference on a categorical axis: 1 for two words, half of that
 * for a word and none. */
static inline double differ(double a, double b)
{
    double words = ((a < 0) | (b < 0)) ? 0.5 : 1;

    return a == b ? 0 : words;
}

/* Adds weight times the squared difference of `word` and each of n others. */
static void add_differences(double word, const double *others, size_t n,
                            double weight, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] += weight * differ(word, others[i]);
}

double gp_distance(const double *theta, size_t d, size_t n_numeric,
                   const double *a, const double *b)
{
    double sum = 0;

    for (size_t j = 0; j < d; j++) {
        double gap = a[j] - b[j];

        gap = j < n_numeric ? gap * gap : differ(a[j], b[j]);
        sum += gap * exp(-2 * theta[j]);
    }
    return sum;
}

/* Numeric features of n rows from the middle, in units of the lengths, and
 * the squared lengths of the rows if norms is not NULL. */
static void scale_rows(const struct gp *g, const double *theta,
                       const double *rows, size_t n, double *scaled,
                       double *norms)
{
    size_t m = g->n_numeric;
    double *per_length = slab_new(m);

    for (size_t j = 0; j < m; j++)
        per_length[j] = exp(-theta[j]);
    for (size_t i = 0; i < n; i++) {
        double sum = 0;

        for (size_t j = 0; j < m; j++) {
            double u = (rows[i * g->d + j] - 0.5) * per_length[j];

            scaled[i * m + j] = u;
            sum += u * u;
        }
        if (norms)
            norms[i] = sum;
    }
    free(per_length);
}

/* Adds the categorical axes' part to squared distances from `row` to the
 * first n known rows. */
static void add_words(const struct gp *g, const double *theta,
                      const double *row, size_t n, double *r2)
{
    for (size_t j = g->n_numeric; j < g->d; j++)
        add_differences(row[j], g->words + (j - g->n_numeric) * g->n, n,
                        exp(-2 * theta[j]), r2);
}

/* Rounding may leave a squared distance a little below zero. (fmax would be a
 * call for each.) */
static inline double not_below_zero(double r2)
{
    return r2 > 0 ? r2 : 0;
}

/* Squared distances among the known rows, lower triangle, row-major. */
static void distances(const struct gp *g, const double *theta,
                      const double *scaled, const double *norms, double *r2)
{
    size_t n = g->n, m = g->n_numeric;

    if (m)
        cblas_dsyrk(CblasRowMajor, CblasLower, CblasNoTrans, (int)n, (int)m, -2,
                    scaled, (int)m, 0, r2, (int)n);
    for (size_t i = 0; i < n; i++) {
        double *row = r2 + i * n;

        for (size_t k = 0; k < i; k++)
            row[k] = not_below_zero(row[k] + norms[i] + norms[k]);
        row[i] = 0;
        add_words(g, theta, g->x + i * g->d, i, row);
    }
}

/* Cholesky factor in place, lower triangle of a row-major matrix, which LAPACK
 * sees as the upper one of its transpose. */
static bool factorise(double *k, size_t n)
{
    return LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', (int)n, k, (int)n) == 0;
}

static bool invert(double *k, size_t n)
{
    return LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'U', (int)n, k, (int)n) == 0;
}

static void times_inverse(const double *inverse, size_t n, const double *y,
                          double *out)
{
    cblas_dsymv(CblasRowMajor, CblasLower, (int)n, 1, inverse, (int)n, y, 1, 0,
                out, 1);
}

/* What one evaluation of the objective needs beside the gp. */
struct sums {
    double *scaled, *norms, *k, *c, *weights, *product, *ones;
};

static void sums_init(struct sums *w, const struct gp *g)
{
    w->scaled = slab_grid(g->n, g->n_numeric);
    w->norms = slab_new(g->n);
    w->k = slab_grid(g->n, g->n);
    w->c = slab_grid(g->n, g->n);
    w->weights = slab_new(g->n);
    w->product = slab_grid(g->n, g->n_numeric + 1);
    w->ones = slab_new(g->n);
    for (size_t i = 0; i < g->n; i++)
        w->ones[i] = 1;
}

static void sums_clear(struct sums *w)
{
    free(w->scaled);
    free(w->norms);
    free(w->k);
    free(w->c);
    free(w->weights);
    free(w->product);
    free(w->ones);
}

/* The negative log prior; adds its slope to the gradient. */
static double prior(const struct gp *g, const double *theta, double *gradient)
{
    double sum = 0;

    for (size_t j = 0; j < g->d + 2; j++) {
        double mean = g->prior.length_mean, sd = 1, z = 0;

        if (j == g->d) {
            mean = 0;
            sd = 2;
        } else if (j >= g->n_numeric && j < g->d) {
            mean = g->prior.word_mean;
        } else if (j == g->d + 1) {
            mean = g->prior.noise_mean;
            sd = g->prior.noise_sd;
        }
        z = (theta[j] - mean) / sd;
        sum += z * z / 2;
        gradient[j] += z / sd;
    }
    return sum;
}

/* The slope along each ln length. w->k holds M = inverse - weights weights',
 * w->c the kernel's slopes; their product W is left in w->c. For a numeric
 * axis with column X the sum over pairs of W (X_i - X_k)^2 / 2 is
 * sum_i (W 1)_i X_i^2 - X'(W X): one symmetric product for all axes. */
static void length_slopes(const struct gp *g, const double *theta,
                          struct sums *w, double *gradient)
{
    size_t n = g->n, m = g->n_numeric;
    double *sum = w->product + n * m;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k <= i; k++)
            w->c[i * n + k] *= w->k[i * n + k];
    times_inverse(w->c, n, w->ones, sum);
    if (m)
        cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)n, (int)m, 1,
                    w->c, (int)n, w->scaled, (int)m, 0, w->product, (int)m);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < m; j++) {
            double x = w->scaled[i * m + j];

            gradient[j] += x * (sum[i] * x - w->product[i * m + j]);
        }
    for (size_t j = m; j < g->d; j++) {
        const double *words = g->words + (j - m) * n;
        double slope = 0;

        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < i; k++)
                slope += w->c[i * n + k] * differ(words[i], words[k]);
        gradient[j] += slope * exp(-2 * theta[j]);
    }
}

/* The slopes along ln variance and ln noise, by the traces of M K and M; turns
 * w->k from the inverse into M. */
static void scale_slopes(const struct gp *g, const double *theta,
                         struct sums *w, double *gradient)
{
    size_t n = g->n;
    double noise = exp(theta[g->d + 1]), noisy = 0, doubt = 0;
    double fit = cblas_ddot((int)n, g->y, 1, w->weights, 1);

    for (size_t i = 0; i < n; i++) {
        double *row = w->k + i * n;

        for (size_t k = 0; k <= i; k++)
            row[k] -= w->weights[i] * w->weights[k];
        noisy += row[i] * g->noisier[i] * noise;
        doubt += row[i] * unsure(g, i);
    }
    gradient[g->d] += ((double)n - fit - noisy - doubt) / 2;
    gradient[g->d + 1] += noisy / 2;
}

static double objective(const struct gp *g, const double *theta, struct sums *w,
                        double *gradient)
{
    size_t n = g->n;
    double variance = exp(theta[g->d]), noise = exp(theta[g->d + 1]), f = 0;

    scale_rows(g, theta, g->x, n, w->scaled, w->norms);
    distances(g, theta, w->scaled, w->norms, w->k);
    for (size_t i = 0; i < n; i++) {
        double *row = w->k + i * n;

        matern_fill(row, i + 1, variance, row, w->c + i * n);
    }
    for (size_t i = 0; i < n; i++)
        w->k[i * n + i] +=
            noise * g->noisier[i] + jitter_low * variance + unsure(g, i);
    if (!factorise(w->k, n))
        return INFINITY;
    for (size_t i = 0; i < n; i++)
        f += log(w->k[i * n + i]);
    if (!invert(w->k, n))
        return INFINITY;
    times_inverse(w->k, n, g->y, w->weights);
    f += cblas_ddot((int)n, g->y, 1, w->weights, 1) / 2;
    memset(gradient, 0, (g->d + 2) * sizeof *gradient);
    scale_slopes(g, theta, w, gradient);
    length_slopes(g, theta, w, gradient);
    return f + prior(g, theta, gradient);
}

double gp_objective(const struct gp *g, const double *theta, double *gradient)
{
    struct sums w;
    double f = 0;

    sums_init(&w, g);
    f = objective(g, theta, &w, gradient);
    sums_clear(&w);
    return f;
}

static void bounds(const struct gp *g, double *low, double *high)
{
    for (size_t j = 0; j < g->d; j++) {
        low[j] = log(length_low);
        high[j] = log(length_high);
    }
    low[g->d] = log(variance_low);
    high[g->d] = log(variance_high);
    low[g->d + 1] = log(g->prior.noise_floor);
    high[g->d + 1] = log(noise_high);
}

double gp_fit(struct gp *g, const double *starts, size_t n, int most)
{
    size_t m = g->d + 2;
    double *low = slab_new(m), *high = slab_new(m), *gradient = slab_new(m);
    double best = INFINITY;
    struct sums w;

    sums_init(&w, g);
    bounds(g, low, high);
    for (size_t i = 0; i < n; i++) {
        const double *at = NULL;
        struct lbfgs l;

        lbfgs_init(&l, m, starts + i * m, low, high, most, 1e-3);
        while ((at = lbfgs_next(&l)))
            lbfgs_give(&l, objective(g, at, &w, gradient), gradient);
        if (l.f < best) {
            best = l.f;
            memcpy(g->theta, l.x, m * sizeof *l.x);
        }
        lbfgs_clear(&l);
    }
    sums_clear(&w);
    free(low);
    free(high);
    free(gradient);
    return best;
}

/* Tries one jitter (as a share of the variance) and noise. k0 is the
 * covariance without either. */
static bool try_factor(struct gp *g, const double *k0, double jitter,
                       double noise)
{
    size_t n = g->n;

    memcpy(g->factor, k0, n * n * sizeof *k0);
    for (size_t i = 0; i < n; i++)
        g->factor[i * n + i] +=
            noise * g->noisier[i] + jitter * g->variance + unsure(g, i);
    g->noise = noise;
    g->jitter = jitter * g->variance;
    return factorise(g->factor, n);
}

/* The ladder: more jitter, then more noise. */
static bool climb(struct gp *g, const double *k0)
{
    double noise = exp(g->theta[g->d + 1]), jitter = jitter_low;

    while (jitter < 2 * jitter_high) {
        if (try_factor(g, k0, jitter, noise))
            return true;
        jitter *= 10;
    }
    while (noise < 10 * noise_high) {
        if (try_factor(g, k0, jitter_high, noise))
            return true;
        noise *= M_E;
    }
    return false;
}

int gp_factor(struct gp *g)
{
    size_t n = g->n;
    double *k0 = slab_grid(n, n);
    bool good = false;

    if (!g->scaled) {
        g->scaled = slab_grid(n, g->n_numeric);
        g->norms = slab_new(n);
        g->inverse = slab_grid(n, n);
        g->factor = slab_grid(n, n);
        g->weights = slab_new(n);
    }
    g->variance = exp(g->theta[g->d]);
    scale_rows(g, g->theta, g->x, n, g->scaled, g->norms);
    distances(g, g->theta, g->scaled, g->norms, k0);
    for (size_t i = 0; i < n; i++)
        matern_fill(k0 + i * n, i + 1, g->variance, k0 + i * n, NULL);
    good = climb(g, k0);
    free(k0);
    if (!good)
        return -1;
    memcpy(g->inverse, g->factor, n * n * sizeof *g->factor);
    if (!invert(g->inverse, n))
        return -1;
    times_inverse(g->inverse, n, g->y, g->weights);
    return 0;
}

/* K w = y - N w, where N is what was added to the diagonal of K. */
bool gp_noisy(const struct gp *g)
{
    return g->noise > 1e-3 * g->variance;
}

void gp_known(const struct gp *g, double *means)
{
    for (size_t i = 0; i < g->n; i++)
        means[i] =
            g->y[i] - (g->noise * g->noisier[i] + g->jitter + unsure(g, i)) *
                          g->weights[i];
}

void gp_solve(const struct gp *g, const double *right, size_t count,
              double *out)
{
    cblas_dsymm(CblasRowMajor, CblasLeft, CblasLower, (int)g->n, (int)count, 1,
                g->inverse, (int)g->n, right, (int)count, 0, out, (int)count);
}

void gp_batch_init(struct gp_batch *b, const struct gp *g, size_t most)
{
    *b = (struct gp_batch){.gp = g, .most = most};
    b->scaled = slab_grid(most, g->n_numeric);
    b->k = slab_grid(most, g->n);
    b->c = slab_grid(most, g->n);
    b->v = slab_grid(most, g->n);
    b->variance = slab_new(most);
}

void gp_batch_clear(struct gp_batch *b)
{
    free(b->scaled);
    free(b->k);
    free(b->c);
    free(b->v);
    free(b->variance);
    *b = (struct gp_batch){0};
}

void gp_batch_set(struct gp_batch *b, const double *rows, size_t n)
{
    const struct gp *g = b->gp;
    size_t m = g->n_numeric;
    double *norms = slab_new(n);

    b->n = n;
    scale_rows(g, g->theta, rows, n, b->scaled, norms);
    if (m)
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)n, (int)g->n,
                    (int)m, -2, b->scaled, (int)m, g->scaled, (int)m, 0, b->k,
                    (int)g->n);
    else
        memset(b->k, 0, n * g->n * sizeof *b->k);
    for (size_t i = 0; i < n; i++) {
        double *k = b->k + i * g->n;

        for (size_t j = 0; j < g->n; j++)
            k[j] = m ? not_below_zero(k[j] + norms[i] + g->norms[j]) : 0;
        add_words(g, g->theta, rows + i * g->d, g->n, k);
        matern_fill(k, g->n, g->variance, k, b->c + i * g->n);
    }
    cblas_dsymm(CblasRowMajor, CblasRight, CblasLower, (int)n, (int)g->n, 1,
                g->inverse, (int)g->n, b->k, (int)g->n, 0, b->v, (int)g->n);
    for (size_t i = 0; i < n; i++)
        b->variance[i] =
            fmax(g->variance - cblas_ddot((int)g->n, b->k + i * g->n, 1,
                                          b->v + i * g->n, 1),
                 1e-12 * g->variance);
    free(norms);
}

void gp_batch_slope(const struct gp_batch *b, size_t i, const double *w,
                    double *work, double *out)
{
    const struct gp *g = b->gp;
    size_t m = g->n_numeric;
    double sum = 0;

    for (size_t k = 0; k < g->n; k++) {
        work[k] = w[k] * b->c[i * g->n + k];
        sum += work[k];
    }
    if (!m)
        return;
    cblas_dgemv(CblasRowMajor, CblasTrans, (int)g->n, (int)m, 1, g->scaled,
                (int)m, work, 1, 0, out, 1);
    for (size_t j = 0; j < m; j++)
        out[j] = (out[j] - sum * b->scaled[i * m + j]) * exp(-g->theta[j]);
}

void gp_expect(const struct gp *g, const double *rows, size_t n, double *means)
{
    struct gp_batch b;

    gp_batch_init(&b, g, n);
    gp_batch_set(&b, rows, n);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)g->n, 1, b.k,
                (int)g->n, g->weights, 1, 0, means, 1);
    gp_batch_clear(&b);
}
