/* The minimiser's state between two evaluations. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/lbfgs.h"

#include <assert.h>
#include <cblas.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/slab.h"

enum { MOST_BACKTRACKS = 20 };

static double dot(const double *a, const double *b, size_t n)
{
    return cblas_ddot((int)n, a, 1, b, 1);
}

static double clip(const struct lbfgs *l, size_t i, double x)
{
    return fmin(fmax(x, l->low[i]), l->high[i]);
}

void lbfgs_init(struct lbfgs *l, size_t n, const double *start,
                const double *low, const double *high, int most,
                double tolerance)
{
    *l = (struct lbfgs){.n = n,
                        .f = INFINITY,
                        .most = most,
                        .tolerance = tolerance,
                        .done = most < 1};
    l->low = slab_copy(low, n);
    l->high = slab_copy(high, n);
    l->x = slab_copy(start, n);
    l->g = slab_new(n);
    l->trial = slab_new(n);
    l->move = slab_new(n);
    l->s = slab_grid(LBFGS_PAIRS, n);
    l->y = slab_grid(LBFGS_PAIRS, n);
    for (size_t i = 0; i < n; i++)
        l->trial[i] = l->x[i] = clip(l, i, start[i]);
}

void lbfgs_clear(struct lbfgs *l)
{
    free(l->low);
    free(l->high);
    free(l->x);
    free(l->g);
    free(l->trial);
    free(l->move);
    free(l->s);
    free(l->y);
    *l = (struct lbfgs){.done = true};
}

const double *lbfgs_next(const struct lbfgs *l)
{
    return l->done ? NULL : l->trial;
}

/* A bound holds the coordinate: it is there and the slope pushes outwards. */
static bool held(const struct lbfgs *l, size_t i)
{
    return (l->x[i] <= l->low[i] && l->g[i] >= 0) ||
           (l->x[i] >= l->high[i] && l->g[i] <= 0);
}

static void drop_held(const struct lbfgs *l, double *v)
{
    for (size_t i = 0; i < l->n; i++)
        if (held(l, i))
            v[i] = 0;
}

/* The two-loop recursion: turns a gradient into a quasi-Newton step. */
static void newton(const struct lbfgs *l, double *v)
{
    double a[LBFGS_PAIRS] = {0};
    size_t n = l->n, last = 0;

    for (size_t k = 0; k < l->n_pairs; k++) {
        size_t i = (l->next_pair + LBFGS_PAIRS - 1 - k) % LBFGS_PAIRS;

        a[i] = l->rho[i] * dot(l->s + i * n, v, n);
        cblas_daxpy((int)n, -a[i], l->y + i * n, 1, v, 1);
    }
    if (!l->n_pairs)
        return;
    last = (l->next_pair + LBFGS_PAIRS - 1) % LBFGS_PAIRS;
    cblas_dscal((int)n,
                1 / (l->rho[last] * dot(l->y + last * n, l->y + last * n, n)),
                v, 1);
    for (size_t k = l->n_pairs; k-- > 0;) {
        size_t i = (l->next_pair + LBFGS_PAIRS - 1 - k) % LBFGS_PAIRS;
        double b = l->rho[i] * dot(l->y + i * n, v, n);

        cblas_daxpy((int)n, a[i] - b, l->s + i * n, 1, v, 1);
    }
}

static void set_trial(struct lbfgs *l)
{
    for (size_t i = 0; i < l->n; i++)
        l->trial[i] = clip(l, i, l->x[i] + l->step * l->move[i]);
}

/* Chooses where to go from x, and how far at first. */
static void aim(struct lbfgs *l)
{
    double *v = l->move, slope = 0, size = 0;

    memcpy(v, l->g, l->n * sizeof *v);
    drop_held(l, v);
    size = sqrt(dot(v, v, l->n));
    newton(l, v);
    drop_held(l, v);
    slope = dot(v, l->g, l->n);
    l->step = 1;
    if (!(slope > 1e-12 * size * sqrt(dot(v, v, l->n))) || !l->n_pairs) {
        l->n_pairs = 0;
        memcpy(v, l->g, l->n * sizeof *v);
        drop_held(l, v);
        l->step = fmin(1, 1 / size);
    }
    for (size_t i = 0; i < l->n; i++)
        v[i] = -v[i];
    l->backtracks = 0;
    set_trial(l);
}

/* The largest change that one step down the slope makes within the bounds. */
static double steepness(const struct lbfgs *l)
{
    double most = 0;

    for (size_t i = 0; i < l->n; i++)
        most = fmax(most, fabs(clip(l, i, l->x[i] - l->g[i]) - l->x[i]));
    return most;
}

static void remember(struct lbfgs *l, const double *g)
{
    size_t n = l->n, k = l->next_pair;
    double *s = l->s + k * n, *y = l->y + k * n, curve = 0;

    for (size_t i = 0; i < n; i++) {
        s[i] = l->trial[i] - l->x[i];
        y[i] = s[i] == 0 ? 0 : g[i] - l->g[i]; /* a held one is no part */
    }
    curve = dot(s, y, n);
    if (!(curve > 1e-10 * dot(y, y, n)) || !isfinite(1 / curve))
        return;
    l->rho[k] = 1 / curve;
    l->next_pair = (k + 1) % LBFGS_PAIRS;
    if (l->n_pairs < LBFGS_PAIRS)
        l->n_pairs++;
}

static void accept(struct lbfgs *l, double f, const double *g)
{
    bool slow = l->started && l->f - f <= 1e-9 * fmax(1, fabs(f));

    if (l->started)
        remember(l, g);
    memcpy(l->x, l->trial, l->n * sizeof *l->x);
    memcpy(l->g, g, l->n * sizeof *l->g);
    l->f = f;
    l->started = true;
    if (slow || steepness(l) < l->tolerance)
        l->done = true;
    else
        aim(l);
}

/* Halves the step, or less or more as a parabola through what is known says;
 * gives the curvature up when that does not help, and then the search. */
static void back_off(struct lbfgs *l, double f, double slope)
{
    double factor = 0.5;

    if (isfinite(f) && f - l->f - slope > 0)
        factor = fmin(0.5, fmax(0.1, -slope / (2 * (f - l->f - slope))));
    l->step *= factor;
    if (++l->backtracks <= MOST_BACKTRACKS) {
        set_trial(l);
    } else if (l->n_pairs) {
        l->n_pairs = 0;
        aim(l);
    } else {
        l->done = true;
    }
}

void lbfgs_give(struct lbfgs *l, double f, const double *g)
{
    double slope = 0;

    assert(!l->done);
    l->evaluations++;
    if (!l->started) {
        if (isfinite(f))
            accept(l, f, g);
        else
            l->done = true;
    } else {
        for (size_t i = 0; i < l->n; i++)
            slope += l->g[i] * (l->trial[i] - l->x[i]);
        if (isfinite(f) && f <= l->f + 1e-4 * fmin(slope, 0))
            accept(l, f, g);
        else
            back_off(l, f, slope);
    }
    if (l->evaluations >= l->most)
        l->done = true;
}
