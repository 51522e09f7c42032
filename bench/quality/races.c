/* Running an algorithm on a problem. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/quality/races.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/draw.h"
#include "base/mem.h"
#include "bench/quality/peer.h"

enum {
    CHANCE = 1000003, /* apart from the algorithms' own streams */
    LUCK = CHANCE + 1,
    DRAWINGS = 200 /* of all the noise of a run */
};

static const double least_left = 1e-9; /* so that it has a logarithm */

struct race {
    struct problem *p;
    const struct algorithm_type *type;
    void *state;
    struct trial *trials;
    double *ends;  /* when each trial ends; -1 once it has */
    double *truth; /* by trials in the order of their ends, without noise */
    size_t *order; /* places of those trials */
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

/* Ends the trial that ends next, the nth of all. */
static void end(struct race *r, size_t nth)
{
    size_t next = r->n;
    struct trial *t = NULL;
    double value = 0;

    for (size_t i = 0; i < r->n; i++)
        if (r->ends[i] >= 0 && (next == r->n || r->ends[i] < r->ends[next]))
            next = i;
    t = &r->trials[next];
    r->order[nth] = next;
    r->clock = r->ends[next];
    r->ends[next] = -1;
    value = r->truth[nth] = problem_value(r->p, &t->point);
    t->has_value = !isnan(value);
    t->state = t->has_value ? TRIAL_SUCCEEDED : TRIAL_INFEASIBLE;
    t->value = problem_report(r->p, &t->point, &r->chance);
    if (t->has_value && t->value < r->seen) {
        r->seen = t->value;
        r->left = value - r->p->optimum;
    }
    r->type->tell(r->state, t);
}

/* What the trial that ended as the nth might report another time. */
static double again(const struct race *r, size_t nth, struct draw *chance)
{
    if (r->p->measured)
        return problem_report(r->p, &r->trials[r->order[nth]].point, chance);
    return r->truth[nth] + r->p->noise * draw_normal(chance);
}

/* Which trial reports best is luck where there is noise. So that one drawing of
 * it does not hide what the points are worth: the mean over many, of what the
 * best reported one leaves. The geometric one, but of tables, at whose best
 * point nothing is left, the plain one. */
static void even_out(const struct race *r, uint64_t seed, size_t trials,
                     double *left)
{
    bool plain = r->p->measured;
    struct draw chance;

    draw_init(&chance, seed, DRAW_RANDOM, LUCK);
    memset(left, 0, trials * sizeof *left);
    for (int i = 0; i < DRAWINGS; i++) {
        double seen = INFINITY, now = 0;

        for (size_t k = 0; k < trials; k++) {
            double reported = k < r->n ? again(r, k, &chance) : INFINITY;

            if (reported < seen) {
                seen = reported;
                now = r->truth[k] - r->p->optimum;
                now = plain ? now : log(fmax(now, least_left));
            }
            left[k] += now / DRAWINGS;
        }
    }
    for (size_t k = 0; k < trials && !plain; k++)
        left[k] = exp(left[k]);
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
        end(r, ended);
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
    r.truth = mem_new(trials, sizeof *r.truth);
    r.order = mem_new(trials, sizeof *r.order);
    rc = type->open(r.state, &p->study, e);
    if (rc == 0) {
        rc = go(&r, trials, parallel, left, e);
        type->close(r.state);
    }
    if (rc == 0 && (p->noise > 0 || p->measured))
        even_out(&r, seed, trials, left);
    free(r.state);
    for (size_t i = 0; i < r.n; i++)
        trial_clear(&r.trials[i]);
    free(r.trials);
    free(r.ends);
    free(r.truth);
    free(r.order);
    *ms += cpu_ms() + peer_ms() - began;
    return rc;
}
