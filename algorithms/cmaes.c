/* CMA-ES over trials that end in any order. docs/algorithms/cma-es.md tells it
 * as a whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/cells.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "algorithms/evolve.h"
#include "algorithms/history.h"
#include "algorithms/kinds.h"
#include "algorithms/slab.h"
#include "algorithms/untried.h"
#include "base/mem.h"

enum {
    RESAMPLE = 10,     /* draws for one inside the cube; then it is mirrored */
    RETRIES = 100,     /* draws for a point that is free */
    MOST_DOUBLINGS = 6 /* of the generation, by restarts */
};

static const double sigma_first = 0.2;

/* The told trials of the generation that is being filled. */
struct pool {
    size_t *items; /* of the history */
    double **rows; /* as drawn: what rounding took is filled in again */
    size_t n, n_infeasible;
};

struct cmaes {
    const struct study *study;
    struct encode *encode;
    struct history *history;
    struct cells cells;
    struct evolve *evolve; /* not initialised if the space is one point */
    struct pool pool;
    size_t restarts, flat;  /* flat: generations with the same best value */
    double best;            /* value of the last generation */
    int64_t newest, before; /* trials: the highest number told, and that at the
                               last restart */
};

static int refuse(const struct study *study, struct err *e)
{
    for (size_t i = 0; i < study->space.n; i++) {
        const struct param *p = &study->space.params[i];

        if (p->parent >= 0)
            return err_set(e, ERR_INVALID,
                           "params.%s: cma-es needs parameters that always "
                           "exist; remove the condition, or choose the "
                           "algorithm tpe or bayesian",
                           p->name);
        if (p->kind == PARAM_CATEGORICAL && p->n_values > 1)
            return err_set(e, ERR_INVALID,
                           "params.%s: cma-es searches numbers, not words; "
                           "choose the algorithm tpe or bayesian",
                           p->name);
    }
    return 0;
}

/* Makes rows for the generation of a fresh distribution. */
static void pool_init(struct pool *p, size_t lambda, size_t n)
{
    *p = (struct pool){.items = mem_new(lambda, sizeof *p->items),
                       .rows = mem_new(lambda, sizeof *p->rows)};
    for (size_t i = 0; i < lambda; i++)
        p->rows[i] = slab_new(n);
}

static void pool_clear(struct pool *p, size_t lambda)
{
    for (size_t i = 0; i < lambda; i++)
        free(p->rows[i]);
    free(p->items);
    free(p->rows);
}

/* The cell of values around x on a finite axis; *first and *last say whether
 * it is at an end. */
static void cell(const struct encode_axis *a, double x, double *low,
                 double *high, bool *first, bool *last)
{
    struct value v = encode_value(a, x);
    uint64_t k = cells_rank(a->p, &v);
    double at = encode_feature(a, &v);

    *first = k == 0;
    *last = k == a->count - 1;
    *low = 0;
    *high = 1;
    if (!*first) {
        v = param_nth(a->p, k - 1);
        *low = (encode_feature(a, &v) + at) / 2;
    }
    if (!*last) {
        v = param_nth(a->p, k + 1);
        *high = (at + encode_feature(a, &v)) / 2;
    }
}

static bool few(const struct encode_axis *a)
{
    return a->count <= ENCODE_FINE;
}

/* Keeps every value of a finite axis within reach. */
static void keep_margins(struct cmaes *c)
{
    size_t n = c->encode->n, n_few = 0;
    double alpha = 0;

    for (size_t j = 0; j < n; j++)
        n_few += few(&c->encode->axes[j]);
    alpha = 1 - pow(0.73, 1 / (double)(n_few ? n_few : 1));
    for (size_t j = 0; j < n; j++) {
        double low = 0, high = 0;
        bool first = false, last = false;

        if (!few(&c->encode->axes[j]))
            continue;
        cell(&c->encode->axes[j], c->evolve->mean[j], &low, &high, &first,
             &last);
        evolve_margin(c->evolve, j, low, high, first, last, alpha);
    }
}

/* Begins anew: around the middle, or after a restart anywhere, with twice as
 * many results to a generation. */
static void begin(struct cmaes *c)
{
    size_t n = c->encode->n, times = c->restarts;
    double *mean = slab_new(n);
    struct point middle;
    struct draw chance;

    if (times > MOST_DOUBLINGS)
        times = MOST_DOUBLINGS;
    point_init(&middle, &c->study->space);
    encode_middle(c->encode, &middle);
    encode_row(c->encode, &middle, mean);
    point_clear(&middle);
    draw_init(&chance, c->study->seed, DRAW_FIT, c->restarts);
    for (size_t j = 0; j < n && c->restarts; j++)
        mean[j] = draw_unit(&chance);
    evolve_init(c->evolve, n, evolve_lambda(n) << times, mean, sigma_first);
    pool_init(&c->pool, c->evolve->lambda, n);
    keep_margins(c);
    c->flat = 0;
    c->before = c->newest;
    free(mean);
}

static void end(struct cmaes *c)
{
    pool_clear(&c->pool, c->evolve->lambda);
    evolve_clear(c->evolve);
}

static int open_cmaes(void *state, const struct study *study, struct err *e)
{
    struct cmaes *c = state;

    if (kinds_one_goal(study, e) != 0 || refuse(study, e) != 0)
        return -1;
    c->study = study;
    c->encode = mem_new(1, sizeof *c->encode);
    c->history = mem_new(1, sizeof *c->history);
    c->evolve = mem_new(1, sizeof *c->evolve);
    encode_init(c->encode, &study->space);
    history_init(c->history, study, c->encode);
    cells_init(&c->cells, &study->space);
    if (c->encode->n)
        begin(c);
    return 0;
}

static void close_cmaes(void *state)
{
    struct cmaes *c = state;

    if (c->encode->n)
        end(c);
    history_clear(c->history);
    encode_clear(c->encode);
    cells_clear(&c->cells);
    free(c->history);
    free(c->encode);
    free(c->evolve);
}

/* A number between low and high as a draw would have been there: what was
 * rounded away, from the trial's own chance. */
static double unround(double mean, double width, double low, double high,
                      double u)
{
    double a = gsl_cdf_ugaussian_P((low - mean) / width);
    double b = gsl_cdf_ugaussian_P((high - mean) / width);

    if (!(b - a > 1e-12)) /* far from the mean: the nearer end */
        return mean < low ? low : fmin(mean, high);
    return fmin(high, fmax(low, mean + width * gsl_cdf_ugaussian_Pinv(
                                                   a + u * (b - a))));
}

/* The told row as it may have been drawn. */
static void unround_row(const struct cmaes *c, int64_t number,
                        const double *from, double *row)
{
    struct draw chance;

    draw_init(&chance, c->study->seed, DRAW_FANTASY, (uint64_t)number);
    for (size_t j = 0; j < c->encode->n; j++) {
        double low = 0, high = 0, u = draw_unit(&chance);
        bool first = false, last = false;

        row[j] = from[j];
        if (!few(&c->encode->axes[j]))
            continue;
        cell(&c->encode->axes[j], from[j], &low, &high, &first, &last);
        row[j] = unround(c->evolve->mean[j], evolve_width(c->evolve, j), low,
                         high, u);
    }
}

struct rank {
    enum told_kind kind; /* TOLD_VALUE before TOLD_CUT before INFEASIBLE */
    double value;
    size_t item;
    const double *row;
};

static int by_rank(const void *a, const void *b)
{
    const struct rank *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Whether the best value has been the same for too long. */
static bool too_flat(struct cmaes *c, double best)
{
    double most = 10 + 30 * (double)c->encode->n / (double)c->evolve->lambda;
    bool same = fabs(best / 2 - c->best / 2) <= 1e-13 * fabs(best);

    c->flat = same && c->evolve->generations > 1 ? c->flat + 1 : 0;
    c->best = best;
    return (double)c->flat >= most;
}

/* A full generation: learns it, and begins anew where that leads nowhere. */
static void turn_over(struct cmaes *c)
{
    size_t n = c->evolve->lambda;
    struct rank *ranks = mem_new(n, sizeof *ranks);
    const double **rows = mem_new(n, sizeof *rows);
    double best = 0;

    for (size_t i = 0; i < n; i++) {
        const struct told *t = &c->history->items[c->pool.items[i]];

        ranks[i] =
            (struct rank){t->kind, t->value, c->pool.items[i], c->pool.rows[i]};
    }
    qsort(ranks, n, sizeof *ranks, by_rank);
    for (size_t i = 0; i < n; i++)
        rows[i] = ranks[i].row;
    best = ranks[0].value;
    evolve_learn(c->evolve, rows);
    keep_margins(c);
    c->pool.n = c->pool.n_infeasible = 0;
    free(ranks);
    free(rows);
    if (!evolve_spent(c->evolve) && !too_flat(c, best))
        return;
    end(c);
    c->restarts++;
    begin(c);
}

static void tell_cmaes(void *state, const struct trial *ended)
{
    struct cmaes *c = state;
    const struct told *t = NULL;
    bool late = ended->number <= c->before, bad = false;

    history_add(c->history, ended);
    c->newest = ended->number > c->newest ? ended->number : c->newest;
    t = &c->history->items[c->history->n - 1];
    bad = t->kind == TOLD_INFEASIBLE;
    if (c->encode->n == 0 || late || t->kind == TOLD_NOTHING)
        return;
    /* the better half of a generation must have values */
    if (bad && c->pool.n_infeasible >= c->evolve->lambda - c->evolve->mu)
        return;
    c->pool.n_infeasible += bad;
    unround_row(c, ended->number, t->row, c->pool.rows[c->pool.n]);
    c->pool.items[c->pool.n++] = c->history->n - 1;
    if (c->pool.n == c->evolve->lambda)
        turn_over(c);
}

static bool inside(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] <= 1))
            return false;
    return true;
}

/* Back into the cube, as between two mirrors. */
static void mirror(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double r = fmod(fabs(x[i]), 2);

        x[i] = isfinite(r) ? (r > 1 ? 2 - r : r) : 0.5;
    }
}

static void draw_row(const struct cmaes *c, struct draw *chance, double *z,
                     double *x)
{
    size_t n = c->encode->n;

    for (int i = 0; i < RESAMPLE; i++) {
        for (size_t j = 0; j < n; j++)
            z[j] = draw_normal(chance);
        evolve_draw(c->evolve, z, x);
        if (inside(x, n))
            return;
    }
    mirror(x, n);
}

/* A free point of the distribution. In a space of few points it may hold none;
 * then any. */
static void suggest(const struct cmaes *c, const struct untried *u,
                    struct suggestion *out)
{
    size_t n = c->encode->n;
    double *z = slab_new(n), *x = slab_new(n);
    struct draw chance;
    bool found = false;

    draw_init(&chance, c->study->seed, DRAW_SEARCH, (uint64_t)u->number);
    for (int i = 0; i < RETRIES && !found; i++) {
        draw_row(c, &chance, z, x);
        encode_point(c->encode, x, &out->point);
        found = untried_has(u, &out->point);
    }
    kinds_source(out, found ? "cma-es" : "fallback");
    if (!found)
        untried_move(u, &out->point);
    free(z);
    free(x);
}

static int ask_cmaes(const void *state, int64_t number,
                     const struct trial *const *running, size_t n_running,
                     struct suggestion *out, enum algorithm_answer *answer,
                     struct err *e)
{
    const struct cmaes *c = state;
    struct untried u;

    (void)e;
    untried_init(&u, c->history, &c->cells, number, running, n_running);
    *answer = ALGORITHM_POINT;
    if (untried_none(&u))
        *answer = ALGORITHM_DONE;
    else if (untried_place(&u) == 0 || c->encode->n == 0)
        untried_first(&u, out);
    else
        suggest(c, &u, out);
    untried_clear(&u);
    return 0;
}

const struct algorithm_type algorithm_cmaes = {
    .name = "cma-es",
    .state_size = sizeof(struct cmaes),
    .learns = true,
    .open = open_cmaes,
    .tell = tell_cmaes,
    .ask = ask_cmaes,
    .close = close_cmaes,
};
