/* The told trials, and the box that follows from them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/slab.h"
#include "base/mem.h"
#include "study/front.h"

static const double box_first = 0.8, box_high = 1.6, box_low = 0x1p-8;
static const double box_growth = 1.15, least_gain = 1e-3;

void history_init(struct history *h, const struct study *study,
                  const struct encode *e)
{
    *h = (struct history){.study = study, .encode = e};
}

void history_clear(struct history *h)
{
    for (size_t i = 0; i < h->n; i++) {
        point_clear(&h->items[i].point);
        free(h->items[i].row);
    }
    free(h->items);
    free(h->valued);
    *h = (struct history){0};
}

static enum told_kind kind_of(const struct history *h, const struct trial *t)
{
    bool value = t->has_value && isfinite(t->value);

    for (size_t i = 0; i < h->study->n_others; i++)
        value = value && isfinite(t->others[i]);
    if (t->state == TRIAL_SUCCEEDED && value)
        return TOLD_VALUE;
    if (t->state == TRIAL_STOPPED && value)
        return TOLD_CUT;
    return t->state == TRIAL_INFEASIBLE ? TOLD_INFEASIBLE : TOLD_NOTHING;
}

void history_add(struct history *h, const struct trial *ended)
{
    struct told *t = NULL;

    mem_grow((void **)&h->items, &h->cap, h->n + 1, sizeof *h->items);
    t = &h->items[h->n];
    *t =
        (struct told){.kind = kind_of(h, ended), .row = slab_new(h->encode->n)};
    point_copy(&t->point, &ended->point);
    encode_row(h->encode, &t->point, t->row);
    h->n_infeasible += t->kind == TOLD_INFEASIBLE;
    if (t->kind == TOLD_VALUE || t->kind == TOLD_CUT) {
        t->value = front_value(h->study, ended, h->objective);
        if (t->kind == TOLD_CUT && ended->is_foreseen && h->objective == 0) {
            t->value = h->study->maximize ? ended->foreseen : -ended->foreseen;
            t->unsure = ended->unsure;
        }
        mem_grow((void **)&h->valued, &h->valued_cap, h->n_valued + 1,
                 sizeof *h->valued);
        h->valued[h->n_valued++] = h->n;
    }
    h->n++;
}

const struct told *history_valued(const struct history *h, size_t k)
{
    return &h->items[h->valued[k]];
}

struct place {
    bool cut;
    double value;
    size_t at;
};

static int by_worth(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    if (x->cut != y->cut)
        return x->cut ? 1 : -1;
    if (x->value != y->value)
        return x->value > y->value ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

size_t *history_ranked(const struct history *h, size_t n)
{
    struct place *places = mem_new(n, sizeof *places);
    size_t *out = mem_new(n, sizeof *out);

    for (size_t k = 0; k < n; k++) {
        const struct told *t = history_valued(h, k);

        places[k] = (struct place){t->kind == TOLD_CUT, t->value, k};
    }
    qsort(places, n, sizeof *places, by_worth);
    for (size_t k = 0; k < n; k++)
        out[k] = places[k].at;
    free(places);
    return out;
}

void history_latent(const struct history *h, const size_t *ranked, size_t k,
                    double *latent)
{
    const struct encode *e = h->encode;
    const struct told *t = history_valued(h, k);

    memcpy(latent, t->row, e->n * sizeof *latent);
    for (size_t j = 0; j < e->n; j++) {
        size_t param = e->axes[j].param;

        if (t->point.values[param].active)
            continue;
        latent[j] = e->axes[j].categorical ? 0 : 0.5;
        for (size_t i = 0; i < h->n_valued; i++) {
            const struct told *other = history_valued(h, ranked[i]);

            if (!other->point.values[param].active)
                continue;
            latent[j] = other->row[j];
            break;
        }
    }
}

size_t history_axes(const struct encode *e, const struct point *p)
{
    size_t n = 0;

    for (size_t j = 0; j < e->n; j++)
        n += p->values[e->axes[j].param].active;
    return n;
}

/* Puts x into the sorted first n numbers. */
static void insert(double *sorted, size_t n, double x)
{
    size_t k = n;

    for (; k > 0 && sorted[k - 1] > x; k--)
        sorted[k] = sorted[k - 1];
    sorted[k] = x;
}

double history_box(const struct history *h, size_t n_first)
{
    double *sorted = slab_new(h->n_valued + 1), side = box_first, best = 0;
    size_t failures = 0, axes = 1;

    for (size_t k = 0; k < h->n_valued; k++) {
        const struct told *t = history_valued(h, k);
        double value = t->value / 2; /* halves: no difference overflows */
        double median = k ? sorted[k / 2] : value;
        bool full = t->kind == TOLD_VALUE;
        bool gain =
            full && (k == 0 || value - best > least_gain * (best - median));

        insert(sorted, k, value);
        if (full && (k == 0 || value > best)) {
            best = value;
            axes = history_axes(h->encode, &t->point);
        }
        if (k < n_first)
            continue;
        if (gain) {
            side = fmin(box_high, side * box_growth);
            failures = 0;
        } else if (++failures >= (axes > 4 ? axes : 4)) {
            side = side / 2 < box_low ? box_first : side / 2;
            failures = 0;
        }
    }
    free(sorted);
    return side;
}
