/* Sobol indices of what the model expects, by swapping one coordinate at a
 * time between pairs of points. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/importance.h"

#include <cblas.h>
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/acquire.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "algorithms/history.h"
#include "algorithms/model.h"
#include "algorithms/slab.h"
#include "algorithms/sobol.h"
#include "base/mem.h"

enum {
    MOST_RESULTS = 240, /* more are thinned to so many */
    KNOTS = 64,         /* points at which functions are drawn */
    FUNCTIONS = 32,
    COLUMNS = FUNCTIONS + 1, /* what is expected, and the functions */
    TENTH = 3, /* of the sorted functions: a tenth lie beyond, either side */
    MOST_PAIRS = 1024,
    LEAST_PAIRS = 64,
    CHUNK = 256 /* rows that are looked at together */
};

static const double most_work = 1e9;   /* about one operation each */
static const double least_seen = 1e-3; /* of the results' variance */

/* The functions, and pairs of latent rows from all over the space. */
struct sums {
    const struct encode *encode;
    struct acquire drawn;
    struct gp gp;    /* the results, and what is expected at the knots */
    double *weights; /* gp.n rows of COLUMNS */
    struct gp_batch batch;
    size_t pairs;
    double *a, *b;                 /* `pairs` latent rows each */
    double *at_a, *at_b, *at_swap; /* `pairs` rows of COLUMNS */
    double *rows;                  /* CHUNK of them, as the gp sees them */
};

static bool has_result(const struct trial *t)
{
    return t->has_value && isfinite(t->value) &&
           (t->state == TRIAL_SUCCEEDED || t->state == TRIAL_STOPPED);
}

size_t importance_results(const struct trial *ended, size_t n)
{
    size_t count = 0;

    for (size_t i = 0; i < n; i++)
        count += has_result(&ended[i]);
    return count;
}

/* Tells those with a result, or so many of them evenly from the whole story. */
static void tell(struct history *h, const struct trial *ended, size_t n)
{
    size_t results = importance_results(ended, n), k = 0;
    size_t most = results < MOST_RESULTS ? results : MOST_RESULTS;

    for (size_t i = 0; i < n; i++) {
        if (!has_result(&ended[i]))
            continue;
        if ((k + 1) * most / results > k * most / results)
            history_add(h, &ended[i]);
        k++;
    }
}

static bool all_equal(const struct history *h)
{
    for (size_t k = 1; k < h->n_valued; k++)
        if (history_valued(h, k)->value != history_valued(h, 0)->value)
            return false;
    return true;
}

/* ---- the functions ---- */

/* A latent row from shares of each axis's range: every value of a list is as
 * likely as any other, and a range is even on its scale. */
static void latent_row(const struct encode *e, const double *shares,
                       double *out)
{
    for (size_t j = 0; j < e->n; j++) {
        struct value v = encode_share(e, e->axes[j].param, shares[j]);

        out[j] = encode_feature(&e->axes[j], &v);
    }
}

static uint64_t scramble_of(const struct study *study, uint64_t purpose)
{
    struct draw chance;

    draw_init(&chance, study->seed, DRAW_FANTASY, UINT64_MAX - purpose);
    return draw_bits(&chance);
}

/* What is expected at the knots joins the results, so that those can be drawn
 * there. */
static int add_knots(struct sums *s, const struct study *study,
                     const struct gp *truth)
{
    size_t d = truth->d, n = truth->n, all = n + KNOTS;
    double *x = slab_grid(all, d), *y = slab_new(all), *ones = slab_new(all);
    double *shares = slab_new(d);
    uint64_t seed = scramble_of(study, 0);
    struct gp_batch batch;

    memcpy(x, truth->x, n * d * sizeof *x);
    memcpy(y, truth->y, n * sizeof *y);
    for (size_t i = 0; i < all; i++)
        ones[i] = i < n ? truth->noisier[i] : 1;
    for (size_t i = 0; i < KNOTS; i++) {
        sobol_point(seed, i, d, shares);
        latent_row(s->encode, shares, s->rows);
        encode_mask(s->encode, s->rows, x + (n + i) * d, NULL);
    }
    gp_batch_init(&batch, truth, KNOTS);
    gp_batch_set(&batch, x + n * d, KNOTS);
    cblas_dgemv(CblasRowMajor, CblasNoTrans, KNOTS, (int)n, 1, batch.k, (int)n,
                truth->weights, 1, 0, y + n, 1);
    gp_batch_clear(&batch);
    gp_init(&s->gp, all, d, truth->n_numeric, x, y, ones, &truth->prior);
    if (truth->unsure)
        gp_doubt(&s->gp, truth->unsure, n);
    memcpy(s->gp.theta, truth->theta, (d + 2) * sizeof *s->gp.theta);
    free(x);
    free(y);
    free(ones);
    free(shares);
    return gp_factor(&s->gp);
}

static void draw_functions(struct sums *s, const struct study *study,
                           const struct gp *truth)
{
    double *normals = slab_grid(FUNCTIONS, KNOTS);
    uint64_t seed = scramble_of(study, 1);

    for (size_t k = 0; k < FUNCTIONS; k++) {
        double *at = normals + k * KNOTS;

        sobol_point(seed, k, KNOTS, at);
        for (size_t i = 0; i < KNOTS; i++)
            at[i] = gsl_cdf_ugaussian_Pinv(at[i]);
    }
    acquire_init(&s->drawn, &s->gp, 0);
    acquire_fantasise(&s->drawn, truth, truth->n, FUNCTIONS, normals);
    s->weights = slab_grid(s->gp.n, COLUMNS);
    for (size_t i = 0; i < s->gp.n; i++) {
        s->weights[i * COLUMNS] = s->gp.weights[i];
        memcpy(s->weights + i * COLUMNS + 1, s->drawn.weights + i * FUNCTIONS,
               FUNCTIONS * sizeof *s->weights);
    }
    free(normals);
}

/* As many pairs as the work allows. */
static size_t pairs_for(const struct gp *g)
{
    double n = (double)g->n;
    double each = ((double)g->d + 2) * n * (n + 200);
    size_t pairs = MOST_PAIRS;

    while (pairs > LEAST_PAIRS && (double)pairs * each > most_work)
        pairs /= 2;
    return pairs;
}

static void draw_pairs(struct sums *s, const struct study *study)
{
    size_t d = s->encode->n;
    double *shares = slab_new(2 * d);
    uint64_t seed = scramble_of(study, 2);

    s->pairs = pairs_for(&s->gp);
    s->a = slab_grid(s->pairs, d);
    s->b = slab_grid(s->pairs, d);
    for (size_t i = 0; i < s->pairs; i++) {
        sobol_point(seed, i, 2 * d, shares);
        latent_row(s->encode, shares, s->a + i * d);
        latent_row(s->encode, shares + d, s->b + i * d);
    }
    s->at_a = slab_grid(s->pairs, COLUMNS);
    s->at_b = slab_grid(s->pairs, COLUMNS);
    s->at_swap = slab_grid(s->pairs, COLUMNS);
    free(shares);
}

static int sums_init(struct sums *s, const struct study *study,
                     const struct encode *e, const struct gp *truth)
{
    *s = (struct sums){.encode = e, .rows = slab_grid(CHUNK, e->n)};
    if (add_knots(s, study, truth))
        return -1;
    draw_functions(s, study, truth);
    draw_pairs(s, study);
    gp_batch_init(&s->batch, &s->gp, CHUNK);
    return 0;
}

static void sums_clear(struct sums *s)
{
    acquire_clear(&s->drawn);
    gp_batch_clear(&s->batch);
    gp_clear(&s->gp);
    free(s->weights);
    free(s->a);
    free(s->b);
    free(s->at_a);
    free(s->at_b);
    free(s->at_swap);
    free(s->rows);
}

/* ---- the indices ---- */

/* Every function at the latent rows `from`, of which axis `swapped` (none if
 * that is d) comes from the other rows. */
static void evaluate(struct sums *s, const double *from, size_t swapped,
                     double *out)
{
    size_t d = s->encode->n;
    double *latent = slab_new(d);

    for (size_t first = 0; first < s->pairs; first += CHUNK) {
        size_t n = s->pairs - first < CHUNK ? s->pairs - first : CHUNK;

        for (size_t i = 0; i < n; i++) {
            memcpy(latent, from + (first + i) * d, d * sizeof *latent);
            if (swapped < d)
                latent[swapped] = s->b[(first + i) * d + swapped];
            encode_mask(s->encode, latent, s->rows + i * d, NULL);
        }
        gp_batch_set(&s->batch, s->rows, n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)n, COLUMNS,
                    (int)s->gp.n, 1, s->batch.k, (int)s->gp.n, s->weights,
                    COLUMNS, 0, out + first * COLUMNS, COLUMNS);
    }
    free(latent);
}

/* The variance of each function over the space. */
static void variances(const struct sums *s, double *out)
{
    double count = 2 * (double)s->pairs;

    for (size_t k = 0; k < COLUMNS; k++) {
        double mean = 0;

        for (size_t i = k; i < s->pairs * COLUMNS; i += COLUMNS)
            mean += (s->at_a[i] + s->at_b[i]) / count;
        out[k] = 0;
        for (size_t i = k; i < s->pairs * COLUMNS; i += COLUMNS) {
            double a = s->at_a[i] - mean, b = s->at_b[i] - mean;

            out[k] += (a * a + b * b) / count;
        }
    }
}

/* Half the mean square by which a function moves: Jansen's estimate of the
 * variance that the swapped coordinate causes, with all that it does together
 * with others. */
static double moved(const struct sums *s, size_t column)
{
    double sum = 0;

    for (size_t i = column; i < s->pairs * COLUMNS; i += COLUMNS) {
        double by = s->at_a[i] - s->at_swap[i];

        sum += by * by;
    }
    return sum / (2 * (double)s->pairs);
}

/* Saltelli's estimate of the variance that the swapped coordinate causes alone,
 * in what is expected: nothing at all where swapping it changes nothing. */
static double alone(const struct sums *s)
{
    double mean = 0, sum = 0;

    for (size_t i = 0; i < s->pairs * COLUMNS; i += COLUMNS)
        mean += (s->at_a[i] + s->at_b[i]) / (2 * (double)s->pairs);
    for (size_t i = 0; i < s->pairs * COLUMNS; i += COLUMNS)
        sum += (s->at_b[i] - mean) * (s->at_swap[i] - s->at_a[i]);
    return sum / (double)s->pairs;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* One axis's share in each function, from `totals`, rows of COLUMNS. */
static void share(const double *totals, size_t d, size_t axis,
                  struct importance *out)
{
    double shares[COLUMNS];

    for (size_t k = 0; k < COLUMNS; k++) {
        double sum = 0;

        for (size_t j = 0; j < d; j++)
            sum += totals[j * COLUMNS + k];
        shares[k] = sum > 0 ? totals[axis * COLUMNS + k] / sum : 0;
    }
    out->share = shares[0];
    qsort(shares + 1, FUNCTIONS, sizeof *shares, by_size);
    out->low = fmin(out->share, shares[1 + TENTH]);
    out->high = fmax(out->share, shares[FUNCTIONS - TENTH]);
}

static int sum_up(struct sums *s, struct importance *out, struct err *e)
{
    size_t d = s->encode->n;
    double *totals = slab_grid(d, COLUMNS), all[COLUMNS];

    evaluate(s, s->a, d, s->at_a);
    evaluate(s, s->b, d, s->at_b);
    variances(s, all);
    if (!(all[0] > least_seen)) {
        free(totals);
        return err_set(e, ERR_CONFLICT,
                       "the results look like noise: no parameter is seen to "
                       "matter");
    }
    for (size_t j = 0; j < d; j++) {
        struct importance *one = &out[s->encode->axes[j].param];

        evaluate(s, s->a, j, s->at_swap);
        for (size_t k = 0; k < COLUMNS; k++)
            totals[j * COLUMNS + k] = moved(s, k);
        one->total = totals[j * COLUMNS] / all[0];
        one->first = fmin(fmax(0, alone(s) / all[0]), one->total);
    }
    for (size_t j = 0; j < d; j++)
        share(totals, d, j, &out[s->encode->axes[j].param]);
    free(totals);
    return 0;
}

/* From the told results. */
static int explain(const struct history *h, struct importance *out,
                   struct err *e)
{
    struct model_memory memory = {0};
    struct model model;
    struct sums s;
    int rc = model_build(&model, &memory, h, 1, NULL, 0);

    model_forget(&memory);
    if (rc == 0) {
        rc = sums_init(&s, h->study, h->encode, &model.truth);
        if (rc == 0)
            rc = sum_up(&s, out, e);
        else
            err_set(e, ERR_CONFLICT, "no model of the results can be made");
        sums_clear(&s);
        model_clear(&model);
    } else {
        err_set(e, ERR_CONFLICT, "no model of the results can be made");
    }
    return rc;
}

int importance_of(const struct study *study, const struct trial *ended,
                  size_t n, struct importance *out, struct err *e)
{
    size_t results = importance_results(ended, n);
    struct encode encode;
    struct history history;
    int rc;

    if (results < IMPORTANCE_LEAST)
        return err_set(e, ERR_CONFLICT, "not yet: %zu result%s, %d are needed",
                       results, results == 1 ? "" : "s", IMPORTANCE_LEAST);
    memset(out, 0, study->space.n * sizeof *out);
    encode_init(&encode, &study->space);
    history_init(&history, study, &encode);
    tell(&history, ended, n);
    if (encode.n == 0)
        rc = err_set(e, ERR_CONFLICT, "no parameter has two values");
    else if (all_equal(&history))
        rc = err_set(e, ERR_CONFLICT, "all results are equal");
    else
        rc = explain(&history, out, e);
    history_clear(&history);
    encode_clear(&encode);
    return rc;
}
