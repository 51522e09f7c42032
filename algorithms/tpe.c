/* TPE: draws points that resemble the best tenth of the trials and tries the
 * one that resembles the others least. docs/algorithms/tpe.md tells it as a
 * whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/cells.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "algorithms/history.h"
#include "algorithms/kinds.h"
#include "algorithms/parzen.h"
#include "algorithms/slab.h"
#include "algorithms/untried.h"
#include "base/mem.h"

enum {
    DESIGN = 10,    /* trials before the estimators */
    MOST_GOOD = 25, /* trials that count as good */
    FRESH = 25,     /* the latest trials, which weigh most */
    CANDIDATES = 64
};

struct tpe {
    const struct study *study;
    struct encode *encode;
    struct history *history;
    struct cells cells;
    struct parzen_axes *groups; /* axes that exist together; parents first */
    size_t n_groups;
    size_t n_design;
};

/* The trials of one side, as rows. */
struct side {
    const struct point **points;
    const double **rows;
    double *weights;
    size_t n;
};

/* One group's two estimators. */
struct pair {
    struct parzen good, rest;
};

/* Whether two parameters exist under the same values of the same parent. */
static bool together(const struct space *s, size_t a, size_t b)
{
    const struct param *p = &s->params[a], *q = &s->params[b];

    if (p->parent != q->parent || p->n_when != q->n_when)
        return false;
    for (size_t i = 0; i < p->n_when; i++)
        if (!param_same(&s->params[p->parent], &p->when[i], &q->when[i]))
            return false;
    return true;
}

static struct parzen_axes *group_of(struct tpe *t, size_t param)
{
    for (size_t g = 0; g < t->n_groups; g++) {
        size_t first = t->encode->axes[t->groups[g].at[0]].param;

        if (together(&t->study->space, first, param))
            return &t->groups[g];
    }
    t->groups[t->n_groups] = (struct parzen_axes){
        t->encode, mem_new(t->encode->n, sizeof *t->groups->at), 0};
    return &t->groups[t->n_groups++];
}

/* In declared order, so that a group comes after that of its parent. */
static void make_groups(struct tpe *t)
{
    t->groups = mem_new(t->encode->n, sizeof *t->groups);
    for (size_t i = 0; i < t->study->space.n; i++) {
        int axis = t->encode->axis_of[i];
        struct parzen_axes *g = NULL;

        if (axis < 0)
            continue;
        g = group_of(t, i);
        g->at[g->n++] = (size_t)axis;
    }
}

static int open_tpe(void *state, const struct study *study, struct err *e)
{
    struct tpe *t = state;

    if (kinds_one_goal(study, e) != 0)
        return -1;
    t->study = study;
    t->encode = mem_new(1, sizeof *t->encode);
    t->history = mem_new(1, sizeof *t->history);
    encode_init(t->encode, &study->space);
    history_init(t->history, study, t->encode);
    cells_init(&t->cells, &study->space);
    make_groups(t);
    t->n_design =
        (size_t)fmin(DESIGN, fmax(4, floor((double)study->trials / 4)));
    return 0;
}

static void close_tpe(void *state)
{
    struct tpe *t = state;

    for (size_t g = 0; g < t->n_groups; g++)
        free(t->groups[g].at);
    free(t->groups);
    history_clear(t->history);
    encode_clear(t->encode);
    cells_clear(&t->cells);
    free(t->history);
    free(t->encode);
}

static void tell_tpe(void *state, const struct trial *ended)
{
    struct tpe *t = state;

    history_add(t->history, ended);
}

/* Which valued trials, by their place in the order, are good: a tenth. Those
 * that were stopped rank behind all others. Yours to free. */
static bool *find_good(const struct history *h)
{
    size_t *ranked = history_ranked(h, h->n_valued);
    bool *good = mem_new(h->n_valued, sizeof *good);
    double n = fmin(ceil(0.1 * (double)h->n_valued), MOST_GOOD);

    for (size_t i = 0; i < (size_t)n; i++)
        good[ranked[i]] = true;
    free(ranked);
    return good;
}

static void side_init(struct side *s, size_t most)
{
    s->points = mem_new(most, sizeof *s->points);
    s->rows = mem_new(most, sizeof *s->rows);
    s->weights = mem_new(most, sizeof *s->weights);
    s->n = 0;
}

static void side_clear(struct side *s)
{
    free(s->points);
    free(s->rows);
    free(s->weights);
}

static void side_add(struct side *s, const struct point *p, const double *row)
{
    s->points[s->n] = p;
    s->rows[s->n] = row;
    s->weights[s->n++] = 1;
}

/* The older a trial, the less it weighs, but for the latest. */
static void fade(struct side *s)
{
    double old = s->n > FRESH ? (double)(s->n - FRESH) : 0;

    for (size_t i = 0; (double)i < old; i++) {
        double done = old > 1 ? (double)i / (old - 1) : 0;

        s->weights[i] = 1 / (double)s->n * (1 - done) + done;
    }
}

/* Splits the told trials. Infeasible and running ones are not good. */
static void split(const struct tpe *t, const struct untried *u,
                  const double *running, struct side *good, struct side *rest)
{
    const struct history *h = t->history;
    bool *is_good = find_good(h);

    side_init(good, h->n_valued);
    side_init(rest, h->n + u->n_running);
    for (size_t k = 0; k < h->n_valued; k++) {
        const struct told *item = history_valued(h, k);

        side_add(is_good[k] ? good : rest, &item->point, item->row);
    }
    fade(rest);
    for (size_t i = 0; i < h->n; i++)
        if (h->items[i].kind == TOLD_INFEASIBLE)
            side_add(rest, &h->items[i].point, h->items[i].row);
    for (size_t i = 0; i < u->n_running; i++)
        side_add(rest, &u->running[i]->point, running + i * t->encode->n);
    free(is_good);
}

/* The estimator of a group from the trials in which it exists. */
static void estimate(struct parzen *p, const struct parzen_axes *group,
                     const struct side *s)
{
    size_t param = group->encode->axes[group->at[0]].param, n = 0;
    const double **rows = mem_new(s->n, sizeof *rows);
    double *weights = mem_new(s->n, sizeof *weights);

    for (size_t i = 0; i < s->n; i++) {
        if (!s->points[i]->values[param].active)
            continue;
        rows[n] = s->rows[i];
        weights[n++] = s->weights[i];
    }
    parzen_init(p, group, rows, weights, n);
    free(rows);
    free(weights);
}

/* Draws a point from the good estimators, parents first, with its row, and
 * says how much likelier it is there than among the rest (a logarithm). */
static double draw_one(const struct tpe *t, const struct pair *pairs,
                       struct draw *chance, double *room, double *row,
                       struct point *out)
{
    const struct space *s = &t->study->space;
    double score = 0;

    for (size_t i = 0; i < s->n; i++)
        out->values[i] = t->encode->axis_of[i] < 0
                             ? cells_value(&s->params[i], 0)
                             : (struct value){.active = true};
    point_settle(out, s);
    for (size_t g = 0; g < t->n_groups; g++) {
        const struct parzen_axes *axes = &t->groups[g];

        if (!out->values[t->encode->axes[axes->at[0]].param].active)
            continue;
        parzen_draw(&pairs[g].good, chance, row);
        for (size_t j = 0; j < axes->n; j++) {
            const struct encode_axis *a = &t->encode->axes[axes->at[j]];
            struct value *v = &out->values[a->param];

            *v = encode_value(a, row[axes->at[j]]);
            row[axes->at[j]] = encode_feature(a, v);
        }
        point_settle(out, s);
        score += parzen_log(&pairs[g].good, row, room) -
                 parzen_log(&pairs[g].rest, row, room);
    }
    return score;
}

/* The free one of some candidates with the highest score. */
static bool pick(const struct tpe *t, const struct untried *u,
                 const struct pair *pairs, struct point *out)
{
    size_t d = t->encode->n;
    double *row = slab_new(d),
           *room = slab_new(t->history->n + u->n_running + 1);
    double best = 0;
    struct draw chance;
    struct point p;
    bool found = false;

    point_init(&p, &t->study->space);
    draw_init(&chance, t->study->seed, DRAW_SEARCH, (uint64_t)u->number);
    for (int i = 0; i < CANDIDATES; i++) {
        double score = draw_one(t, pairs, &chance, room, row, &p);

        if ((found && !(score > best)) || !untried_has(u, &p))
            continue;
        found = true;
        best = score;
        memcpy(out->values, p.values, p.n * sizeof *p.values);
    }
    point_clear(&p);
    free(row);
    free(room);
    return found;
}

static void suggest(const struct tpe *t, const struct untried *u,
                    struct suggestion *out)
{
    size_t d = t->encode->n;
    double *running = slab_grid(u->n_running, d);
    struct pair *pairs = mem_new(t->n_groups, sizeof *pairs);
    struct side good, rest;

    for (size_t i = 0; i < u->n_running; i++)
        encode_row(t->encode, &u->running[i]->point, running + i * d);
    split(t, u, running, &good, &rest);
    for (size_t g = 0; g < t->n_groups; g++) {
        estimate(&pairs[g].good, &t->groups[g], &good);
        estimate(&pairs[g].rest, &t->groups[g], &rest);
    }
    kinds_source(out, "tpe");
    if (!pick(t, u, pairs, &out->point)) {
        encode_middle(t->encode, &out->point);
        untried_move(u, &out->point);
        kinds_source(out, "fallback");
    }
    for (size_t g = 0; g < t->n_groups; g++) {
        parzen_clear(&pairs[g].good);
        parzen_clear(&pairs[g].rest);
    }
    side_clear(&good);
    side_clear(&rest);
    free(pairs);
    free(running);
}

static int ask_tpe(const void *state, int64_t number,
                   const struct trial *const *running, size_t n_running,
                   struct suggestion *out, enum algorithm_answer *answer,
                   struct err *e)
{
    const struct tpe *t = state;
    size_t n = t->history->n_valued;
    bool design = n + n_running < t->n_design || 2 * n < t->n_design;
    struct untried u;

    (void)e;
    untried_init(&u, t->history, &t->cells, number, running, n_running);
    *answer = ALGORITHM_POINT;
    if (untried_none(&u))
        *answer = ALGORITHM_DONE;
    else if (kinds_default(t->study, number, out) &&
             untried_has(&u, &out->point))
        ; /* whatever start points and trials from outside have told */
    else if (design)
        untried_first(&u, out);
    else
        suggest(t, &u, out);
    untried_clear(&u);
    return 0;
}

const struct algorithm_type algorithm_tpe = {
    .name = "tpe",
    .state_size = sizeof(struct tpe),
    .learns = true,
    .open = open_tpe,
    .tell = tell_tpe,
    .ask = ask_tpe,
    .close = close_tpe,
};
