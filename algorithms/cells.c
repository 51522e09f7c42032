/* Counting and numbering the points of a finite space. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/cells.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Sums and products that stay at UINT64_MAX once they get there. */
static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t out = 0;

    return __builtin_mul_overflow(a, b, &out) ? UINT64_MAX : out;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t out = 0;

    return __builtin_add_overflow(a, b, &out) ? UINT64_MAX : out;
}

uint64_t cells_values(const struct param *p)
{
    return p->kind == PARAM_DOUBLE && p->min == p->max ? 1 : param_count(p);
}

struct value cells_value(const struct param *p, uint64_t k)
{
    if (p->kind == PARAM_DOUBLE && p->min == p->max)
        return (struct value){.active = true, .real = p->min};
    return param_nth(p, k);
}

uint64_t cells_rank(const struct param *p, const struct value *v)
{
    switch (p->kind) {
    case PARAM_INTEGER:
        return ((uint64_t)v->whole - (uint64_t)p->low) / (uint64_t)p->int_step;
    case PARAM_DOUBLE:
        if (p->min == p->max)
            return 0;
        return (uint64_t)llround((v->real - p->min) / p->step);
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        break;
    }
    return v->choice;
}

/* Whether parameter k is a child of `parent` that exists under its value. */
static bool exists(const struct param *k, size_t parent, const struct param *p,
                   const struct value *v)
{
    if (k->parent < 0 || (size_t)k->parent != parent)
        return false;
    for (size_t i = 0; i < k->n_when; i++)
        if (param_same(p, &k->when[i], v))
            return true;
    return false;
}

/* Points of the children, and theirs, that exist under value v of parameter
 * i. */
static uint64_t under(const struct cells *c, size_t i, const struct value *v)
{
    const struct space *s = c->space;
    uint64_t product = 1;

    for (size_t k = i + 1; k < s->n; k++)
        if (exists(&s->params[k], i, &s->params[i], v))
            product = times(product, c->below[k]);
    return product;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* The ranks of parameter i's values that some child names, in order, once
 * each. Yours to free. */
static uint64_t *named(const struct space *s, size_t i, size_t *n)
{
    uint64_t *ranks = NULL;
    size_t cap = 0, kept = 0;

    *n = 0;
    for (size_t k = i + 1; k < s->n; k++) {
        const struct param *child = &s->params[k];

        if (child->parent < 0 || (size_t)child->parent != i)
            continue;
        mem_grow((void **)&ranks, &cap, *n + child->n_when, sizeof *ranks);
        for (size_t w = 0; w < child->n_when; w++)
            ranks[(*n)++] = cells_rank(&s->params[i], &child->when[w]);
    }
    if (*n)
        qsort(ranks, *n, sizeof *ranks, by_size);
    for (size_t k = 0; k < *n; k++)
        if (!kept || ranks[k] != ranks[kept - 1])
            ranks[kept++] = ranks[k];
    *n = kept;
    return ranks;
}

/* Points of parameter i's values before `rank`, descendants included. Values
 * that no child names have one each. */
static uint64_t before(const struct cells *c, size_t i, const uint64_t *ranks,
                       size_t n, uint64_t rank)
{
    uint64_t sum = rank;

    for (size_t k = 0; k < n && ranks[k] < rank; k++) {
        struct value v = cells_value(&c->space->params[i], ranks[k]);

        sum = plus(sum - 1, under(c, i, &v));
    }
    return sum;
}

void cells_init(struct cells *c, const struct space *space)
{
    *c = (struct cells){space, 1, mem_new(space->n, sizeof *c->below)};
    for (size_t i = space->n; i-- > 0;) {
        uint64_t count = cells_values(&space->params[i]);
        size_t n = 0;

        c->below[i] = count;
        if (count < UINT64_MAX) {
            uint64_t *ranks = named(space, i, &n);

            c->below[i] = before(c, i, ranks, n, count);
            free(ranks);
        }
        if (space->params[i].parent < 0)
            c->total = times(c->total, c->below[i]);
    }
}

void cells_clear(struct cells *c)
{
    free(c->below);
    c->below = NULL;
}

/* How many ways there are to go on, for one choice of the parameters before
 * k: the product over those from k on whose parents are decided. `p` holds the
 * choice. */
static uint64_t rest(const struct cells *c, const struct point *p, size_t k)
{
    const struct space *s = c->space;
    uint64_t product = 1;

    for (size_t j = k; j < s->n; j++) {
        int parent = s->params[j].parent;
        bool alone = parent < 0;

        if (!alone && (size_t)parent < k && p->values[parent].active)
            alone = exists(&s->params[j], (size_t)parent, &s->params[parent],
                           &p->values[parent]);
        if (alone)
            product = times(product, c->below[j]);
    }
    return product;
}

static bool decided(const struct cells *c, const struct point *p, size_t i)
{
    const struct param *q = &c->space->params[i];

    return q->parent < 0 ||
           (p->values[q->parent].active &&
            exists(q, (size_t)q->parent, &c->space->params[q->parent],
                   &p->values[q->parent]));
}

/* The rank of parameter i in which its `at`-th point lies; *start is that
 * rank's first point. */
static uint64_t find(const struct cells *c, size_t i, uint64_t at,
                     uint64_t *start)
{
    size_t n = 0;
    uint64_t *ranks = named(c->space, i, &n);
    uint64_t low = 0, high = cells_values(&c->space->params[i]) - 1;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2 + 1;

        if (before(c, i, ranks, n, middle) <= at)
            low = middle;
        else
            high = middle - 1;
    }
    *start = before(c, i, ranks, n, low);
    free(ranks);
    return low;
}

void cells_point(const struct cells *c, uint64_t index, struct point *out)
{
    const struct space *s = c->space;

    assert(index < c->total && c->total < UINT64_MAX);
    for (size_t i = 0; i < s->n; i++)
        out->values[i].active = false;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t others = 0, start = 0, rank = 0;

        if (!decided(c, out, i))
            continue;
        others = rest(c, out, i) / c->below[i];
        rank = find(c, i, index / others, &start);
        index -= start * others;
        out->values[i] = cells_value(&s->params[i], rank);
        out->values[i].active = true;
    }
}

uint64_t cells_index(const struct cells *c, const struct point *p)
{
    const struct space *s = c->space;
    uint64_t index = 0;

    assert(c->total < UINT64_MAX);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t *ranks = NULL;
        size_t n = 0;

        if (!p->values[i].active)
            continue;
        ranks = named(s, i, &n);
        index +=
            before(c, i, ranks, n, cells_rank(&s->params[i], &p->values[i])) *
            (rest(c, p, i) / c->below[i]);
        free(ranks);
    }
    return index;
}
