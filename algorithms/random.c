/* Random search: every trial a point drawn evenly from the space. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/cells.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "algorithms/kinds.h"

struct random {
    const struct study *study;
    struct encode encode;
};

static int open_random(void *state, const struct study *study, struct err *e)
{
    struct random *r = state;

    (void)e;
    r->study = study;
    encode_init(&r->encode, &study->space);
    return 0;
}

static void tell_random(void *state, const struct trial *ended)
{
    (void)state;
    (void)ended;
}

/* An even choice among a parameter's values. Counted ones are drawn as whole
 * numbers, so that each of 2^60 can come. */
static struct value choose(const struct encode *e, size_t i, struct draw *d)
{
    const struct param *p = &e->space->params[i];
    uint64_t count = cells_values(p);
    bool listed = p->kind == PARAM_DISCRETE || p->kind == PARAM_CATEGORICAL;

    if (count < UINT64_MAX && (listed || p->scale == SCALE_LINEAR))
        return cells_value(p, draw_below(d, count));
    return encode_share(e, i, draw_unit(d));
}

static int ask_random(const void *state, int64_t number,
                      const struct trial *const *running, size_t n_running,
                      struct suggestion *out, enum algorithm_answer *answer,
                      struct err *e)
{
    const struct random *r = state;
    struct draw d;

    (void)running;
    (void)n_running;
    (void)e;
    *answer = ALGORITHM_POINT;
    if (kinds_default(r->study, number, out))
        return 0;
    draw_init(&d, r->study->seed, DRAW_RANDOM, (uint64_t)number);
    for (size_t i = 0; i < r->study->space.n; i++)
        out->point.values[i] = choose(&r->encode, i, &d);
    point_settle(&out->point, &r->study->space);
    kinds_source(out, "random");
    return 0;
}

static void close_random(void *state)
{
    struct random *r = state;

    encode_clear(&r->encode);
}

const struct algorithm_type algorithm_random = {
    .name = "random",
    .state_size = sizeof(struct random),
    .learns = false,
    .open = open_random,
    .tell = tell_random,
    .ask = ask_random,
    .close = close_random,
};
