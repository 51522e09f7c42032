/* Maximising the acquisition over a space of mixed axes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/seek.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/draw.h"
#include "algorithms/lbfgs.h"
#include "algorithms/slab.h"
#include "algorithms/sobol.h"
#include "base/mem.h"

enum {
    N_OVERALL = 3,   /* climbs begin at the best candidates, */
    N_NEAR = 5,      /* at the best of those near good trials, */
    N_STARTS = 9,    /* and at the best trial */
    N_CLIMB = 40,    /* evaluations of one climb */
    N_SWEPT = 3,     /* climbs whose discrete axes are swept */
    N_ROUNDS = 3,    /* of sweeps */
    FEW = 16,        /* values that are all tried, and never climbed */
    MANY_WORDS = 64, /* of a categorical axis, tried at one visit */
    PERTURBED = 5    /* trials near which candidates are strewn */
};

static const double apart = 0.05 * 0.05; /* squared distance of two starts */

static size_t width(const struct seek *s)
{
    return s->encode->n;
}

/* Values of n latent rows; their slopes too unless NULL. */
static void evaluate(const struct seek *s, const double *rows, size_t n,
                     double *values, double *slopes)
{
    size_t d = width(s);
    double *masked = NULL;

    if (!s->encode->conditional) {
        sight_look(s->sight, rows, n, values, slopes);
        return;
    }
    masked = slab_grid(n, d);
    for (size_t i = 0; i < n; i++)
        encode_mask(s->encode, rows + i * d, masked + i * d, NULL);
    sight_look(s->sight, masked, n, values, slopes);
    free(masked);
}

/* A row of the scrambled Sobol sequence within the box. */
static void even_row(const struct seek *s, uint64_t seed, uint64_t index,
                     double *row)
{
    const struct encode *e = s->encode;

    sobol_point(seed, index, e->n, row);
    for (size_t j = 0; j < e->n; j++) {
        if (e->axes[j].categorical)
            row[j] = floor(row[j] * (double)e->axes[j].count);
        else
            row[j] = s->low[j] + row[j] * (s->high[j] - s->low[j]);
    }
}

/* A row near one of the best trials: some axes moved, by steps of all sizes. */
static void near_row(const struct seek *s, struct draw *d, double *row)
{
    const struct encode *e = s->encode;
    size_t n_best = s->n_best < PERTURBED ? s->n_best : PERTURBED;
    double share = fmin(1, fmax(8 / (double)e->n, draw_unit(d)));

    memcpy(row, s->best + draw_below(d, n_best) * e->n, e->n * sizeof *row);
    for (size_t j = 0; j < e->n; j++) {
        double chance = draw_unit(d);
        double length = fmin(1, exp(s->sight->theta[j]));

        if (e->axes[j].categorical) {
            if (chance * (double)(e->n - e->n_numeric) < 1)
                row[j] = (double)draw_below(d, e->axes[j].count);
            continue;
        }
        if (chance < share)
            row[j] +=
                draw_normal(d) * length * pow(10, -(0.5 + 2.5 * draw_unit(d)));
        row[j] = fmin(fmax(row[j], s->low[j]), s->high[j]);
    }
}

/* All candidates, those near good trials last. Yours to free. */
static double *candidates(const struct seek *s, size_t *n_even)
{
    size_t d = width(s);
    double *rows = slab_grid(s->n_candidates, d);
    struct draw chance;
    uint64_t seed = 0;

    draw_init(&chance, s->seed, DRAW_SEARCH, s->number);
    seed = draw_bits(&chance);
    *n_even = s->n_candidates - s->n_candidates / 4;
    for (size_t i = 0; i < s->n_candidates; i++) {
        if (i < *n_even)
            even_row(s, seed, i, rows + i * d);
        else
            near_row(s, &chance, rows + i * d);
        encode_snap(s->encode, rows + i * d);
    }
    return rows;
}

static bool fresh(const struct seek *s, const struct seek_found *f,
                  const double *row)
{
    size_t d = width(s);

    for (size_t i = 0; i < f->n; i++)
        if (gp_distance(s->sight->theta, d, s->encode->n_numeric, row,
                        f->rows + i * d) < apart)
            return false;
    return true;
}

static void add(const struct seek *s, struct seek_found *f, const double *row,
                double value)
{
    size_t d = width(s);

    memcpy(f->rows + f->n * d, row, d * sizeof *row);
    f->values[f->n++] = value;
}

/* Adds the `count` best rows of first..last-1 that are far enough from all
 * that are there. Spoils their values. */
static void add_best(const struct seek *s, struct seek_found *f,
                     const double *rows, double *values, size_t first,
                     size_t last, size_t count)
{
    for (size_t looks = 0; count && looks < 64; looks++) {
        size_t best = first;

        for (size_t i = first; i < last; i++)
            if (values[i] > values[best])
                best = i;
        if (best >= last || !(values[best] > -INFINITY))
            return;
        if (fresh(s, f, rows + best * width(s))) {
            add(s, f, rows + best * width(s), values[best]);
            count--;
        }
        values[best] = -INFINITY;
    }
}

/* Which axes a climb may move: numeric ones with many values, that exist and
 * on which nothing hangs. */
static bool climbs(const struct encode_axis *a, bool active)
{
    return active && !a->categorical && !a->parent && a->count > FEW;
}

/* A climb from that row, in features over lengths. */
static void set_out(const struct seek *s, const double *row,
                    struct lbfgs *climb)
{
    const struct encode *e = s->encode;
    size_t m = e->n_numeric;
    double *z = slab_new(3 * m), *low = z + m, *high = low + m;
    double *masked = slab_new(e->n);
    bool *active = mem_new(e->n, sizeof *active);

    encode_mask(e, row, masked, active);
    for (size_t j = 0; j < m; j++) {
        double scale = exp(-s->sight->theta[j]);
        bool moves = climbs(&e->axes[j], active[j]);

        z[j] = row[j] * scale;
        low[j] = moves ? s->low[j] * scale : z[j];
        high[j] = moves ? s->high[j] * scale : z[j];
    }
    lbfgs_init(climb, m, z, low, high, N_CLIMB, 1e-6);
    free(z);
    free(masked);
    free(active);
}

/* One round: every unfinished climb is evaluated in one batch. Returns whether
 * there was any. */
static bool step_all(const struct seek *s, const struct seek_found *f,
                     struct lbfgs *climbing)
{
    size_t d = width(s), m = s->encode->n_numeric, n = 0;
    double *rows = slab_grid(f->n, d), *slopes = slab_grid(f->n, m);
    double values[N_STARTS] = {0};
    size_t which[N_STARTS] = {0};
    const double *theta = s->sight->theta;

    for (size_t i = 0; i < f->n; i++) {
        const double *z = lbfgs_next(&climbing[i]);

        if (!z)
            continue;
        memcpy(rows + n * d, f->rows + i * d, d * sizeof *rows);
        for (size_t j = 0; j < m; j++)
            rows[n * d + j] = z[j] * exp(theta[j]);
        which[n++] = i;
    }
    if (n)
        evaluate(s, rows, n, values, slopes);
    for (size_t k = 0; k < n; k++) {
        for (size_t j = 0; j < m; j++)
            slopes[k * m + j] *= -exp(theta[j]);
        lbfgs_give(&climbing[which[k]], -values[k], slopes + k * m);
    }
    free(rows);
    free(slopes);
    return n > 0;
}

static void climb_all(const struct seek *s, struct seek_found *f)
{
    struct lbfgs climbing[N_STARTS];
    size_t d = width(s), m = s->encode->n_numeric;

    for (size_t i = 0; i < f->n; i++)
        set_out(s, f->rows + i * d, &climbing[i]);
    while (step_all(s, f, climbing))
        ;
    for (size_t i = 0; i < f->n; i++) {
        double *row = f->rows + i * d;

        for (size_t j = 0; j < m; j++)
            if (isfinite(climbing[i].f))
                row[j] = fmin(
                    fmax(climbing[i].x[j] * exp(s->sight->theta[j]), 0), 1);
        encode_snap(s->encode, row);
        lbfgs_clear(&climbing[i]);
    }
    evaluate(s, f->rows, f->n, f->values, NULL);
}

/* The values to try on axis j of a row, as features; at most
 * MANY_WORDS. Few values: all of them. Many words: some. Many numbers: steps
 * of 1, 2, 4, ... to both sides. */
static size_t other_values(const struct encode_axis *a, double now,
                           struct draw *d, double *out)
{
    size_t n = 0;
    double step = 0;

    if (!a->categorical && a->count > ENCODE_FINE)
        return 0;
    if (a->count <= FEW || (a->categorical && a->count <= MANY_WORDS)) {
        for (uint64_t k = 0; k < a->count; k++) {
            struct value v = param_nth(a->p, k);

            out[n++] = encode_feature(a, &v);
        }
        return n;
    }
    if (a->categorical) {
        while (n < MANY_WORDS)
            out[n++] = (double)draw_below(d, a->count);
        return n;
    }
    step = 1 / (double)a->count;
    while (step < 0.5 && n + 2 <= MANY_WORDS) {
        out[n++] = now - step;
        out[n++] = now + step;
        step *= 2;
    }
    return n;
}

/* Tries other values on axis j of row i; keeps the best. Returns whether one
 * was better. */
static bool sweep_axis(const struct seek *s, struct seek_found *f, size_t i,
                       size_t j, struct draw *chance)
{
    size_t d = width(s), n = 0, best = 0;
    double features[MANY_WORDS], values[MANY_WORDS];
    double *row = f->rows + i * d, *rows = NULL;

    n = other_values(&s->encode->axes[j], row[j], chance, features);
    if (!n)
        return false;
    rows = slab_grid(n, d);
    for (size_t k = 0; k < n; k++) {
        memcpy(rows + k * d, row, d * sizeof *row);
        rows[k * d + j] = features[k];
        encode_snap(s->encode, rows + k * d);
    }
    evaluate(s, rows, n, values, NULL);
    for (size_t k = 1; k < n; k++)
        if (values[k] > values[best])
            best = k;
    if (values[best] > f->values[i] + 1e-9) {
        memcpy(row, rows + best * d, d * sizeof *row);
        f->values[i] = values[best];
    } else {
        n = 0;
    }
    free(rows);
    return n > 0;
}

/* Sweeps the finite axes of row i, beginning anywhere, until nothing helps.
 * `budget` bounds the axes that are visited. */
static void sweep(const struct seek *s, struct seek_found *f, size_t i,
                  struct draw *chance)
{
    size_t d = width(s), budget = s->sight->gp->n > 300 ? 32 : 128;
    bool better = true;

    for (int round = 0; better && round < N_ROUNDS; round++) {
        size_t first = draw_below(chance, d);

        better = false;
        for (size_t k = 0; k < d && budget; k++) {
            size_t j = (first + k) % d;

            if (s->encode->axes[j].count == UINT64_MAX)
                continue;
            better |= sweep_axis(s, f, i, j, chance);
            budget--;
        }
    }
}

static void sort(const struct seek *s, struct seek_found *f)
{
    size_t d = width(s);

    for (size_t i = 0; i < f->n; i++)
        for (size_t k = i; k > 0 && f->values[k] > f->values[k - 1]; k--) {
            double value = f->values[k];

            f->values[k] = f->values[k - 1];
            f->values[k - 1] = value;
            for (size_t j = 0; j < d; j++) {
                double x = f->rows[k * d + j];

                f->rows[k * d + j] = f->rows[(k - 1) * d + j];
                f->rows[(k - 1) * d + j] = x;
            }
        }
}

static void choose_starts(const struct seek *s, struct seek_found *f)
{
    size_t n_even = 0;
    double *rows = candidates(s, &n_even);
    double *values = slab_new(s->n_candidates);

    evaluate(s, rows, s->n_candidates, values, NULL);
    add_best(s, f, rows, values, 0, s->n_candidates, N_OVERALL);
    add_best(s, f, rows, values, n_even, s->n_candidates, N_NEAR);
    if (!f->n || fresh(s, f, s->best))
        add(s, f, s->best, -INFINITY);
    free(values);
    free(rows);
}

void seek_run(const struct seek *s, struct seek_found *out)
{
    struct draw chance;

    *out = (struct seek_found){.rows = slab_grid(N_STARTS, width(s)),
                               .values = slab_new(N_STARTS)};
    choose_starts(s, out);
    climb_all(s, out);
    sort(s, out);
    draw_init(&chance, s->seed, DRAW_SEARCH, ~s->number);
    for (size_t i = 0; i < out->n && i < N_SWEPT && s->encode->rounded; i++)
        sweep(s, out, i, &chance);
    sort(s, out);
}

void seek_clear(struct seek_found *f)
{
    free(f->rows);
    free(f->values);
    *f = (struct seek_found){0};
}
