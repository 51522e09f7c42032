/* The list of algorithms, and what must be set once for all of them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/algorithms.h"

#include <cblas.h>
#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/kinds.h"

const struct algorithm_type *const algorithms[] = {&algorithm_bayes,
                                                   &algorithm_grid,
                                                   &algorithm_random,
                                                   &algorithm_quasi,
                                                   &algorithm_cmaes,
                                                   &algorithm_tpe,
                                                   NULL};

const struct algorithm_type *algorithms_find(const char *name)
{
    for (size_t i = 0; algorithms[i]; i++)
        if (strcmp(algorithms[i]->name, name) == 0)
            return algorithms[i];
    return NULL;
}

void algorithms_init(void)
{
    openblas_set_num_threads(1);
    gsl_set_error_handler_off();
}

bool kinds_default(const struct study *study, int64_t number,
                   struct suggestion *out)
{
    const struct space *s = &study->space;
    bool declared = false;
    struct point middle;

    for (size_t i = 0; i < s->n; i++)
        declared = declared || s->params[i].fallback.active;
    if (!declared || number != (int64_t)study->n_start + 1)
        return false;
    point_middle(&middle, s);
    memcpy(out->point.values, middle.values, s->n * sizeof *middle.values);
    point_clear(&middle);
    kinds_source(out, "default");
    return true;
}

int kinds_one_goal(const struct study *study, struct err *e)
{
    if (!study->n_others)
        return 0;
    return err_set(e, ERR_INVALID,
                   "algorithm: %s searches for one objective, and this study "
                   "has %zu; choose bayesian, quasi-random, random or grid",
                   study->algorithm, 1 + study->n_others);
}

void kinds_source(struct suggestion *out, const char *source)
{
    snprintf(out->source, sizeof out->source, "%s", source);
}
