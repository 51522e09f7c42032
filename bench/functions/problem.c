/* What a problem is worth at a point. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/functions/problem.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* What parameter i's value stands for on its function's axis. */
static double number_at(const struct problem *p, size_t i,
                        const struct value *v)
{
    switch (p->study.space.params[i].kind) {
    case PARAM_INTEGER:
        return p->table[i][v->whole];
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        return p->table[i][v->choice];
    case PARAM_DOUBLE:
        break;
    }
    return v->real;
}

double problem_value(const struct problem *p, const struct point *at)
{
    size_t branch = p->n_branches > 1 ? at->values[0].choice : 0, n = 0;
    double x[PROBLEM_AXES] = {0}, across = 0;

    if (p->measured)
        return tables_mean(&p->grid, tables_row(&p->study.space, at));
    for (size_t i = p->n_branches > 1 ? 1 : 0; i < at->n; i++) {
        if (!at->values[i].active)
            continue;
        x[n] = number_at(p, i, &at->values[i]);
        across += p->normal[i] * x[n];
        n++;
    }
    assert(n == p->at[branch].d);
    if (p->fails && across > p->edge)
        return NAN;
    return bbob_value(&p->at[branch], x) - p->at[branch].fopt +
           p->offset[branch];
}

double problem_report(const struct problem *p, const struct point *at,
                      struct draw *chance)
{
    if (p->measured)
        return tables_read(&p->grid, tables_row(&p->study.space, at),
                           draw_below(chance, p->grid.n_reads));
    return problem_value(p, at) + p->noise * draw_normal(chance);
}

void problem_init(struct problem *p, const struct problem_suite *suite,
                  size_t k, size_t d, int instance)
{
    memset(p, 0, sizeof *p);
    study_init(&p->study);
    p->study.maximize = false;
    p->n_branches = 1;
    suite->make(p, k, d, instance);
}

void problem_clear(struct problem *p)
{
    study_clear(&p->study);
    tables_close(&p->grid);
    for (size_t i = 0; i < PROBLEM_BRANCHES; i++)
        bbob_clear(&p->at[i]);
}
