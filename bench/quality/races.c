/* Running an algorithm on a problem. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/quality/races.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "algorithms/draw.h"
#include "base/mem.h"
#include "bench/quality/peer.h"

enum { CHANCE = 1000003 }; /* apart from the algorithms' own streams */

struct race {
    struct problem *p;
    const struct algorithm_type *type;
    void *state;
    struct trial *trials;
    double *ends; /* when each trial ends; -1 once it has */
    size_t n;
    double clock, seen, left;
    struct draw chance;
};

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Asks for the next trial and starts it; *answer says whether there is one. */
static int start(struct race *r, enum algorithm_answer *answer, struct err *e)
{
    const struct trial **running = mem_new(r->n, sizeof *running);
    struct suggestion out = {.source = ""};
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < r->n; i++)
        if (r->ends[i] >= 0)
            running[n++] = &r->trials[i];
    point_init(&out.point, &r->p->study.space);
    rc = r->type->ask(r->state, (int64_t)r->n + 1, running, n, &out, answer, e);
    free(running);
    if (rc != 0 || *answer != ALGORITHM_POINT) {
        point_clear(&out.point);
        return rc;
    }
    r->trials[r->n] = (struct trial){.number = (int64_t)r->n + 1,
                                     .state = TRIAL_RUNNING,
                                     .point = out.point};
    r->ends[r->n++] = r->clock + exp(0.5 * draw_normal(&r->chance));
    return 0;
}

/* Ends the trial that ends next. */
static void end(struct race *r)
{
    size_t next = r->n;
    struct trial *t = NULL;
    double value = 0;

    for (size_t i = 0; i < r->n; i++)
        if (r->ends[i] >= 0 && (next == r->n || r->ends[i] < r->ends[next]))
            next = i;
    t = &r->trials[next];
    r->clock = r->ends[next];
    r->ends[next] = -1;
    value = problem_value(r->p, &t->point);
    t->has_value = !isnan(value);
    t->state = t->has_value ? TRIAL_SUCCEEDED : TRIAL_INFEASIBLE;
    t->value = problem_report(r->p, &t->point, &r->chance);
    if (t->has_value && t->value < r->seen) {
        r->seen = t->value;
        r->left = value - r->p->optimum;
    }
    r->type->tell(r->state, t);
}

/* From the first trial to the last. */
static int go(struct race *r, size_t trials, size_t parallel, double *left,
              struct err *e)
{
    size_t ended = 0;

    while (ended < trials) {
        enum algorithm_answer answer = ALGORITHM_POINT;

        while (r->n < trials && r->n - ended < parallel &&
               answer == ALGORITHM_POINT)
            if (start(r, &answer, e) != 0)
                return -1;
        if (r->n == ended)
            break; /* nothing is left to try */
        end(r);
        left[ended++] = r->left;
    }
    while (ended < trials)
        left[ended++] = r->left;
    return 0;
}

int races_run(struct problem *p, const struct algorithm_type *type,
              uint64_t seed, size_t trials, size_t parallel, double *left,
              double *ms, struct err *e)
{
    struct race r = {.p = p, .type = type, .seen = INFINITY, .left = INFINITY};
    double began = cpu_ms() + peer_ms();
    int rc = 0;

    p->study.seed = seed;
    p->study.trials = (int64_t)trials;
    p->study.parallel = (int)parallel;
    draw_init(&r.chance, seed, DRAW_RANDOM, CHANCE);
    r.state = mem_new(1, type->state_size);
    r.trials = mem_new(trials, sizeof *r.trials);
    r.ends = mem_new(trials, sizeof *r.ends);
    rc = type->open(r.state, &p->study, e);
    if (rc == 0) {
        rc = go(&r, trials, parallel, left, e);
        type->close(r.state);
    }
    free(r.state);
    for (size_t i = 0; i < r.n; i++)
        trial_clear(&r.trials[i]);
    free(r.trials);
    free(r.ends);
    *ms += cpu_ms() + peer_ms() - began;
    return rc;
}
