/* Grid search: every point of a finite space once, the last parameter
 * fastest. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/cells.h"
#include "algorithms/kinds.h"

struct grid {
    const struct study *study;
    struct cells cells;
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

static void tell_grid(void *state, const struct trial *ended)
{
    (void)state;
    (void)ended;
}

static int ask_grid(const void *state, int64_t number,
                    const struct trial *const *running, size_t n_running,
                    struct suggestion *out, enum algorithm_answer *answer,
                    struct err *e)
{
    const struct grid *g = state;
    uint64_t index = (uint64_t)number - 1 - g->study->n_start;

    (void)running;
    (void)n_running;
    (void)e;
    *answer = ALGORITHM_DONE;
    if (index >= g->cells.total)
        return 0;
    cells_point(&g->cells, index, &out->point);
    kinds_source(out, "grid");
    *answer = ALGORITHM_POINT;
    return 0;
}

static void close_grid(void *state)
{
    struct grid *g = state;

    cells_clear(&g->cells);
}

const struct algorithm_type algorithm_grid = {
    .name = "grid",
    .state_size = sizeof(struct grid),
    .learns = false,
    .open = open_grid,
    .tell = tell_grid,
    .ask = ask_grid,
    .close = close_grid,
};
