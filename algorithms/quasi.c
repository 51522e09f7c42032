/* Quasi-random search: the scrambled Sobol sequence over the space. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "algorithms/encode.h"
#include "algorithms/kinds.h"
#include "algorithms/slab.h"
#include "algorithms/sobol.h"

struct quasi {
    const struct study *study;
    struct encode encode;
};

static int open_quasi(void *state, const struct study *study, struct err *e)
{
    struct quasi *q = state;

    (void)e;
    q->study = study;
    encode_init(&q->encode, &study->space);
    return 0;
}

static void tell_quasi(void *state, const struct trial *ended)
{
    (void)state;
    (void)ended;
}

void kinds_sobol(const struct encode *e, uint64_t seed, uint64_t index,
                 struct point *out)
{
    size_t n = e->space->n;
    double *u = slab_new(n);

    sobol_point(seed, index, n, u);
    for (size_t i = 0; i < n; i++)
        out->values[i] = encode_share(e, i, u[i]);
    point_settle(out, e->space);
    free(u);
}

static int ask_quasi(const void *state, int64_t number,
                     const struct trial *const *running, size_t n_running,
                     struct suggestion *out, enum algorithm_answer *answer,
                     struct err *e)
{
    const struct quasi *q = state;

    (void)running;
    (void)n_running;
    (void)e;
    *answer = ALGORITHM_POINT;
    if (kinds_default(q->study, number, out))
        return 0;
    kinds_sobol(&q->encode, q->study->seed,
                (uint64_t)number - 1 - q->study->n_start, &out->point);
    kinds_source(out, "sobol");
    return 0;
}

static void close_quasi(void *state)
{
    struct quasi *q = state;

    encode_clear(&q->encode);
}

const struct algorithm_type algorithm_quasi = {
    .name = "quasi-random",
    .state_size = sizeof(struct quasi),
    .learns = false,
    .open = open_quasi,
    .tell = tell_quasi,
    .ask = ask_quasi,
    .close = close_quasi,
};
