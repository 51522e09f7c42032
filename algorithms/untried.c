/* Finding points that nobody has tried. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/untried.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/draw.h"
#include "algorithms/kinds.h"
#include "base/mem.h"

enum {
    MOST_LISTED = 20000, /* points of a space that is looked at as a list */
    DRAWS = 64           /* for a free point of a larger one */
};

static void cross_out(struct untried *u, const struct point *p)
{
    uint64_t cell = cells_index(u->cells, p);

    if (u->open[cell])
        u->n_open--;
    u->open[cell] = false;
}

void untried_init(struct untried *u, const struct history *h,
                  const struct cells *c, int64_t number,
                  const struct trial *const *running, size_t n_running)
{
    *u = (struct untried){.history = h,
                          .cells = c,
                          .number = number,
                          .running = running,
                          .n_running = n_running,
                          .n_open = UINT64_MAX};
    if (c->total > MOST_LISTED || h->study->noisy)
        return;
    u->n_open = c->total;
    u->open = mem_new(u->n_open, sizeof *u->open);
    memset(u->open, true, u->n_open);
    for (size_t i = 0; i < h->n; i++)
        cross_out(u, &h->items[i].point);
    for (size_t i = 0; i < n_running; i++)
        cross_out(u, &running[i]->point);
}

void untried_clear(struct untried *u)
{
    free(u->open);
    u->open = NULL;
}

bool untried_none(const struct untried *u)
{
    return u->n_open == 0;
}

bool untried_has(const struct untried *u, const struct point *p)
{
    const struct history *h = u->history;
    const struct space *s = &h->study->space;

    if (u->open)
        return u->open[cells_index(u->cells, p)];
    for (size_t i = 0; i < u->n_running; i++)
        if (point_same(p, &u->running[i]->point, s))
            return false;
    for (size_t i = 0; i < h->n && !h->study->noisy; i++)
        if (point_same(p, &h->items[i].point, s))
            return false;
    return true;
}

bool untried_move(const struct untried *u, struct point *p)
{
    const struct history *h = u->history;
    struct draw chance;

    if (untried_has(u, p))
        return true;
    draw_init(&chance, h->study->seed, DRAW_ELSEWHERE, (uint64_t)u->number);
    if (u->open && u->n_open) {
        uint64_t skip = draw_below(&chance, u->n_open), cell = 0;

        while (!u->open[cell] || skip--)
            cell++;
        cells_point(u->cells, cell, p);
        return true;
    }
    for (int i = 0; i < DRAWS; i++) {
        for (size_t k = 0; k < p->n; k++)
            p->values[k] = encode_share(h->encode, k, draw_unit(&chance));
        point_settle(p, &h->study->space);
        if (untried_has(u, p))
            return true;
    }
    return false;
}

uint64_t untried_place(const struct untried *u)
{
    return (uint64_t)u->number - 1 - u->history->study->n_start;
}

void untried_first(const struct untried *u, struct suggestion *out)
{
    const struct history *h = u->history;

    encode_middle(h->encode, &out->point);
    kinds_source(out, "centre");
    if (untried_place(u) == 0 && untried_has(u, &out->point))
        return;
    kinds_sobol(h->encode, h->study->seed, untried_place(u), &out->point);
    kinds_source(out, "sobol");
    untried_move(u, &out->point);
}
