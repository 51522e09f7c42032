/* Grid search: every point of a finite space once, the last parameter fastest,
 * but for those that are tried already: as start points, as the defaults, which
 * come first, or put in from outside. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "algorithms/cells.h"
#include "algorithms/kinds.h"
#include "base/mem.h"

struct grid {
    const struct study *study;
    struct cells cells;
    uint64_t *tried; /* indices of the told points, increasing */
    size_t n, cap;
};

static int open_grid(void *state, const struct study *study, struct err *e)
{
    struct grid *g = state;
    const struct space *s = &study->space;

    for (size_t i = 0; i < s->n; i++)
        if (cells_values(&s->params[i]) == UINT64_MAX)
            return err_set(e, ERR_INVALID,
                           "params.%s: grid search needs finitely many "
                           "values; add `step` to the range or list the "
                           "values, or choose another algorithm",
                           s->params[i].name);
    g->study = study;
    cells_init(&g->cells, s);
    if (g->cells.total < UINT64_MAX)
        return 0;
    cells_clear(&g->cells);
    return err_set(e, ERR_INVALID,
                   "params: the grid has more than 2^64 points; widen the "
                   "steps or choose another algorithm");
}

/* Where index is in the tried ones, or would be. */
static size_t find(const struct grid *g, uint64_t index)
{
    size_t low = 0, high = g->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (g->tried[middle] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void tell_grid(void *state, const struct trial *ended)
{
    struct grid *g = state;
    uint64_t index = cells_index(&g->cells, &ended->point);
    size_t at = find(g, index);

    if (at < g->n && g->tried[at] == index)
        return;
    mem_grow((void **)&g->tried, &g->cap, g->n + 1, sizeof *g->tried);
    memmove(g->tried + at + 1, g->tried + at, (g->n - at) * sizeof *g->tried);
    g->tried[at] = index;
    g->n++;
}

struct grid_query {
    const struct grid *grid;
    uint64_t *running; /* indices */
    size_t n_running;
};

static bool taken(const struct grid_query *q, uint64_t index)
{
    size_t at = find(q->grid, index);

    if (at < q->grid->n && q->grid->tried[at] == index)
        return true;
    for (size_t i = 0; i < q->n_running; i++)
        if (q->running[i] == index)
            return true;
    return false;
}

/* The defaults, or the first point that is free. */
static enum algorithm_answer choose(const struct grid_query *q, int64_t number,
                                    struct suggestion *out)
{
    const struct grid *g = q->grid;
    uint64_t index = 0;

    if (kinds_default(g->study, number, out) &&
        !taken(q, cells_index(&g->cells, &out->point)))
        return ALGORITHM_POINT;
    while (index < g->cells.total && taken(q, index))
        index++;
    if (index == g->cells.total)
        return ALGORITHM_DONE;
    cells_point(&g->cells, index, &out->point);
    kinds_source(out, "grid");
    return ALGORITHM_POINT;
}

static int ask_grid(const void *state, int64_t number,
                    const struct trial *const *running, size_t n_running,
                    struct suggestion *out, enum algorithm_answer *answer,
                    struct err *e)
{
    struct grid_query q = {.grid = state, .n_running = n_running};

    (void)e;
    q.running = mem_new(n_running, sizeof *q.running);
    for (size_t i = 0; i < n_running; i++)
        q.running[i] = cells_index(&q.grid->cells, &running[i]->point);
    *answer = choose(&q, number, out);
    free(q.running);
    return 0;
}

static void close_grid(void *state)
{
    struct grid *g = state;

    cells_clear(&g->cells);
    free(g->tried);
}

const struct algorithm_type algorithm_grid = {
    .name = "grid",
    .state_size = sizeof(struct grid),
    .learns = true,
    .open = open_grid,
    .tell = tell_grid,
    .ask = ask_grid,
    .close = close_grid,
};
