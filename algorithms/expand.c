/* Expected hypervolume improvement, in logarithms and batches. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/expand.h"

#include <cblas.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/acquire.h"
#include "algorithms/slab.h"
#include "base/mem.h"

enum { CHUNK = 128 };

/* How much of a result lies above an edge, and how that changes. */
struct above {
    double *log;    /* of the amount that is expected, for each edge */
    double *slope;  /* of it, along the mean */
    double *spread; /* along the variance */
};

/* Between two edges of one objective. */
struct between {
    double log, slope, spread;
};

struct bench {
    struct gp_batch batches[VOLUME_MOST];
    struct above above[VOLUME_MOST];
    struct between *between; /* of each box, m of them */
    double *logs;            /* of each box */
    double *w, *work, *part;
};

static void bench_init(struct bench *w, const struct expand *x, size_t rows)
{
    size_t m = x->volume.m, most = 0;

    *w = (struct bench){0};
    for (size_t j = 0; j < m; j++) {
        gp_batch_init(&w->batches[j], x->gps[j], rows);
        w->above[j].log = slab_new(3 * x->volume.n_edges);
        w->above[j].slope = w->above[j].log + x->volume.n_edges;
        w->above[j].spread = w->above[j].slope + x->volume.n_edges;
        most = x->gps[j]->n > most ? x->gps[j]->n : most;
    }
    w->between = mem_new(x->volume.n * m, sizeof *w->between);
    w->logs = slab_new(x->volume.n);
    w->w = slab_new(most);
    w->work = slab_new(most);
    w->part = slab_new(x->gps[0]->n_numeric);
}

static void bench_clear(struct bench *w, size_t m)
{
    for (size_t j = 0; j < m; j++) {
        gp_batch_clear(&w->batches[j]);
        free(w->above[j].log);
    }
    free(w->between);
    free(w->logs);
    free(w->w);
    free(w->work);
    free(w->part);
}

/* For a result of that mean and variance. */
static void set_above(const double *edges, size_t n, double mean,
                      double variance, struct above *a)
{
    double s = sqrt(variance);

    for (size_t k = 0; k + 1 < n; k++) {
        double u = (mean - edges[k]) / s, slope = 0;

        a->log[k] = log(s) + acquire_log_improvement(u, &slope);
        a->slope[k] = slope / s;
        a->spread[k] = (1 - slope * u) / (2 * variance);
    }
    a->log[n - 1] = -INFINITY; /* above infinity */
}

/* Only the logarithm unless `slopes`. */
static struct between between(const struct above *a, size_t low, size_t high,
                              bool slopes)
{
    struct between out = {a->log[low], a->slope[low], a->spread[low]};
    double drop = a->log[high] - a->log[low], left = 0, less = 0;

    if (drop == -INFINITY)
        return out;
    left = -expm1(drop);
    if (!(left > 0))
        return (struct between){.log = -INFINITY};
    out.log += log(left);
    if (!slopes)
        return out;
    less = exp(drop);
    out.slope = (out.slope - less * a->slope[high]) / left;
    out.spread = (out.spread - less * a->spread[high]) / left;
    return out;
}

/* The value of what w->above says. w->logs become the boxes' shares of it. */
static double weigh(const struct expand *x, bool slopes, struct bench *w)
{
    const struct volume *v = &x->volume;
    double most = -INFINITY, sum = 0;

    for (size_t b = 0; b < v->n; b++) {
        const struct volume_box *box = &v->boxes[b];

        w->logs[b] = 0;
        for (size_t j = 0; j < v->m; j++) {
            struct between *at = &w->between[b * v->m + j];

            *at = between(&w->above[j], box->low[j], box->high[j], slopes);
            w->logs[b] += at->log;
        }
        most = fmax(most, w->logs[b]);
    }
    for (size_t b = 0; b < v->n; b++) {
        w->logs[b] = exp(w->logs[b] - most);
        sum += w->logs[b];
    }
    for (size_t b = 0; b < v->n; b++)
        w->logs[b] /= sum;
    return most + log(sum);
}

/* Adds what objective j has in the gradient of row i's value. */
static void add_slope(const struct expand *x, struct bench *w, size_t j,
                      size_t i, double *slope)
{
    const struct volume *v = &x->volume;
    const struct gp *g = x->gps[j];
    double by_mean = 0, by_variance = 0;

    for (size_t b = 0; b < v->n; b++) {
        if (!(w->logs[b] > 0))
            continue;
        by_mean += w->logs[b] * w->between[b * v->m + j].slope;
        by_variance += w->logs[b] * w->between[b * v->m + j].spread;
    }
    memset(w->w, 0, g->n * sizeof *w->w);
    cblas_daxpy((int)g->n, by_mean, g->weights, 1, w->w, 1);
    cblas_daxpy((int)g->n, -2 * by_variance, w->batches[j].v + i * g->n, 1,
                w->w, 1);
    gp_batch_slope(&w->batches[j], i, w->w, w->work, w->part);
    for (size_t k = 0; k < g->n_numeric; k++)
        slope[k] += w->part[k];
}

static double value_at(const struct expand *x, struct bench *w, size_t i,
                       double *slope)
{
    const struct volume *v = &x->volume;
    double value = 0;

    for (size_t j = 0; j < v->m; j++) {
        const struct gp *g = x->gps[j];
        double mean =
            cblas_ddot((int)g->n, w->batches[j].k + i * g->n, 1, g->weights, 1);

        set_above(v->edges[j], v->n_edges, mean, w->batches[j].variance[i],
                  &w->above[j]);
    }
    value = weigh(x, slope != NULL, w);
    if (!slope)
        return value;
    memset(slope, 0, x->gps[0]->n_numeric * sizeof *slope);
    for (size_t j = 0; j < v->m; j++)
        add_slope(x, w, j, i, slope);
    return value;
}

void expand_many(const struct expand *x, const double *rows, size_t n,
                 double *values, double *slopes)
{
    size_t d = x->gps[0]->d, numeric = x->gps[0]->n_numeric;
    struct bench w;

    bench_init(&w, x, n < CHUNK ? n : CHUNK);
    for (size_t i = 0; i < n; i++) {
        size_t at = i % CHUNK;

        for (size_t j = 0; at == 0 && j < x->volume.m; j++)
            gp_batch_set(&w.batches[j], rows + i * d,
                         n - i < CHUNK ? n - i : CHUNK);
        values[i] = value_at(x, &w, at, slopes ? slopes + i * numeric : NULL);
    }
    bench_clear(&w, x->volume.m);
}
