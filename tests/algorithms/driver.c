/* Asking and telling an algorithm, trial by trial. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/algorithms/driver.h"

#include <math.h>
#include <stdlib.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"
#include "tests/lib/suite.h"

void driver_open(struct driver *d, const char *algorithm, struct study *s)
{
    struct err e;

    *d = (struct driver){.type = algorithms_find(algorithm), .study = s};
    d->state = mem_new(1, d->type->state_size);
    ck_assert_int_eq(d->type->open(d->state, s, &e), 0);
}

void driver_close(struct driver *d)
{
    for (size_t i = 0; i < d->n_running; i++)
        trial_clear(&d->running[i]);
    d->type->close(d->state);
    free(d->state);
}

bool driver_ask(struct driver *d, struct trial *out)
{
    const struct trial *running[DRIVER_MOST];
    enum algorithm_answer answer = ALGORITHM_WAIT;
    struct suggestion s = {.source = ""};
    struct err e;

    ck_assert_uint_lt(d->n_running, DRIVER_MOST);
    for (size_t i = 0; i < d->n_running; i++)
        running[i] = &d->running[i];
    point_init(&s.point, &d->study->space);
    ck_assert_int_eq(d->type->ask(d->state, d->n + 1, running, d->n_running, &s,
                                  &answer, &e),
                     0);
    if (answer != ALGORITHM_POINT) {
        point_clear(&s.point);
        return false;
    }
    ck_assert(point_in(&s.point, &d->study->space));
    *out = (struct trial){
        .number = ++d->n, .state = TRIAL_RUNNING, .point = s.point};
    d->running[d->n_running++] = *out;
    return true;
}

void driver_tell(struct driver *d, struct trial *t, double value)
{
    size_t i = 0;

    t->has_value = !isnan(value);
    t->state = t->has_value ? TRIAL_SUCCEEDED : TRIAL_INFEASIBLE;
    t->value = t->has_value ? value : 0;
    d->type->tell(d->state, t);
    while (d->running[i].number != t->number)
        i++;
    trial_clear(t);
    for (d->n_running--; i < d->n_running; i++)
        d->running[i] = d->running[i + 1];
}

double driver_least(const char *algorithm, struct study *s, uint64_t seed,
                    int64_t n, size_t parallel, driver_value_fn *f)
{
    double best = INFINITY;
    struct driver d;
    struct draw order;
    struct trial t;

    s->seed = seed;
    driver_open(&d, algorithm, s);
    draw_init(&order, seed, DRAW_RANDOM, UINT64_MAX);
    while (d.n < n && driver_ask(&d, &t)) {
        double value = 0;

        if (d.n_running < parallel)
            continue;
        t = d.running[draw_below(&order, d.n_running)];
        value = f(&t.point);
        best = fmin(best, value);
        driver_tell(&d, &t, value);
    }
    driver_close(&d);
    return best;
}

double driver_mean(const char *algorithm, struct study *s, int64_t n,
                   driver_value_fn *f, double (*shape)(double))
{
    enum { SEEDS = 6 };
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        sum += shape(driver_least(algorithm, s, seed, n, 1, f));
    return sum / SEEDS;
}
