/* The suites. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "algorithms/draw.h"
#include "base/mem.h"
#include "bench/functions/problem.h"

enum { SAMPLE = 512 };

static struct param *add(struct problem *p, enum param_kind kind)
{
    struct space *s = &p->study.space;
    struct param *q = NULL;

    s->params = mem_resize(s->params, s->n + 1, sizeof *s->params);
    q = &s->params[s->n];
    *q = (struct param){.kind = kind,
                        .name = mem_format("x%zu", s->n),
                        .min = -5,
                        .max = 5,
                        .int_step = 1,
                        .parent = -1};
    s->n++;
    return q;
}

static void add_words(struct param *q, size_t n)
{
    q->n_values = n;
    q->words = mem_new(n, sizeof *q->words);
    for (size_t i = 0; i < n; i++)
        q->words[i] = mem_format("w%zu", i);
}

static void chance(struct draw *d, const struct problem *p, size_t k,
                   int instance)
{
    draw_init(d, k + 100 * p->at[0].d, DRAW_RANDOM, (uint64_t)instance);
}

static void make_bbob(struct problem *p, size_t k, size_t d, int instance)
{
    bbob_init(&p->at[0], (int)k + 1, d, instance);
    snprintf(p->name, sizeof p->name, "f%zu", k + 1);
    for (size_t i = 0; i < d; i++)
        add(p, PARAM_DOUBLE);
}

/* Gives axis i `n` values that lie around the optimum and hit it; in any order
 * if they are words. */
static void fill(struct problem *p, size_t i, size_t n, bool words,
                 struct draw *c)
{
    double *t = p->table[i], gap = 8 / (double)n;
    size_t hit = draw_below(c, n);

    for (size_t k = 0; k < n; k++)
        t[k] = p->at[0].xopt[i] + ((double)k - (double)hit) * gap;
    for (size_t k = n; words && k > 1; k--) {
        size_t other = draw_below(c, k);
        double keep = t[k - 1];

        t[k - 1] = t[other];
        t[other] = keep;
    }
}

/* Of every four axes one is an integer of 8 values, one a choice of 4 words,
 * and two are reals. */
static void make_mixed(struct problem *p, size_t k, size_t d, int instance)
{
    static const int functions[] = {1, 3, 8, 10, 15, 17, 20, 21};
    struct draw c;

    bbob_init(&p->at[0], functions[k], d, instance);
    snprintf(p->name, sizeof p->name, "mixed-f%d", functions[k]);
    chance(&c, p, k, instance);
    for (size_t i = 0; i < d; i++) {
        if (i % 4 == 1) {
            struct param *q = add(p, PARAM_INTEGER);

            q->low = 0;
            q->high = 7;
            fill(p, i, 8, false, &c);
        } else if (i % 4 == 3) {
            add_words(add(p, PARAM_CATEGORICAL), 4);
            fill(p, i, 4, true, &c);
        } else {
            add(p, PARAM_DOUBLE);
        }
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* How far a function's values lie apart: half the width of their middle two
 * thirds over the box. */
static double spread(const struct bbob *b, struct draw *c)
{
    double values[SAMPLE], x[PROBLEM_AXES];

    for (size_t k = 0; k < SAMPLE; k++) {
        for (size_t i = 0; i < b->d; i++)
            x[i] = 10 * draw_unit(c) - 5;
        values[k] = bbob_value(b, x);
    }
    qsort(values, SAMPLE, sizeof *values, by_size);
    return (values[SAMPLE * 5 / 6] - values[SAMPLE / 6]) / 2;
}

/* A choice of three, each with its own function, of parameters of its own and
 * of shared ones; the optimum lies under one of them. */
static void make_conditional(struct problem *p, size_t k, size_t d,
                             int instance)
{
    static const int functions[][PROBLEM_BRANCHES] = {
        {1, 8, 10}, {2, 3, 15}, {17, 20, 6}, {14, 21, 1}, {8, 8, 8}};
    size_t own = d > 5 ? (d - 1) / 4 : 1, shared = d > 5 ? d - 1 - 3 * own : 1;
    struct draw c;

    p->n_branches = PROBLEM_BRANCHES;
    add_words(add(p, PARAM_CATEGORICAL), PROBLEM_BRANCHES);
    for (size_t i = 0; i < shared; i++)
        add(p, PARAM_DOUBLE);
    for (size_t b = 0; b < PROBLEM_BRANCHES; b++) {
        bbob_init(&p->at[b], functions[k][b], own + shared,
                  instance + 10 * (int)b);
        for (size_t i = 0; i < own; i++) {
            struct param *q = add(p, PARAM_DOUBLE);

            q->parent = 0;
            q->n_when = 1;
            q->when = mem_new(1, sizeof *q->when);
            q->when[0] = (struct value){.active = true, .choice = b};
        }
    }
    chance(&c, p, k, instance);
    for (size_t b = 0, hit = draw_below(&c, 3); b < PROBLEM_BRANCHES; b++)
        p->offset[b] =
            b == hit ? 0 : (0.02 + 0.1 * draw_unit(&c)) * spread(&p->at[b], &c);
    snprintf(p->name, sizeof p->name, "branches-%zu", k + 1);
}

/* Noise of a tenth of what values differ by. */
static void make_noisy(struct problem *p, size_t k, size_t d, int instance)
{
    static const size_t functions[] = {1, 3, 8, 10, 15, 17, 20, 21};
    struct draw c;

    make_bbob(p, functions[k] - 1, d, instance);
    chance(&c, p, k, instance);
    p->noise = 0.1 * spread(&p->at[0], &c);
    snprintf(p->name, sizeof p->name, "noisy-f%zu", functions[k]);
}

/* No result on one side of a plane that a third of the box lies behind, and
 * the optimum before. */
static void make_failing(struct problem *p, size_t k, size_t d, int instance)
{
    static const size_t functions[] = {1, 3, 8, 10, 15, 17, 20, 21};
    double values[SAMPLE], middle = 0, sign = 1;
    struct draw c;

    make_bbob(p, functions[k] - 1, d, instance);
    chance(&c, p, k, instance);
    for (size_t i = 0; i < d; i++) {
        p->normal[i] = draw_normal(&c);
        middle += p->normal[i] * p->at[0].xopt[i];
    }
    if (middle > 0)
        sign = -1;
    for (size_t i = 0; i < d; i++)
        p->normal[i] *= sign;
    for (size_t s = 0; s < SAMPLE; s++) {
        values[s] = 0;
        for (size_t i = 0; i < d; i++)
            values[s] += p->normal[i] * (10 * draw_unit(&c) - 5);
    }
    qsort(values, SAMPLE, sizeof *values, by_size);
    p->fails = true;
    p->edge = values[SAMPLE * 2 / 3];
    snprintf(p->name, sizeof p->name, "failing-f%zu", functions[k]);
}

/* A table that was measured once, in bench/tables. */
static void make_table(struct problem *p, size_t k, size_t d, int instance)
{
    static const char *const names[] = {"digits", "boosting", "svm"};
    char path[4096];
    struct err e;

    (void)d;
    (void)instance;
    snprintf(p->name, sizeof p->name, "%s", names[k]);
    snprintf(path, sizeof path, "%s/%s.txt", BENCH_TABLES, names[k]);
    p->measured = true;
    if (tables_open(&p->grid, &p->study.space, path, &e) < 0) {
        fprintf(stderr, "%s\n", e.text);
        exit(EXIT_FAILURE);
    }
    p->optimum = p->grid.least;
}

const struct problem_suite problem_suites[] = {
    {"bbob", BBOB_FUNCTIONS, make_bbob},
    {"mixed", 8, make_mixed},
    {"conditional", 5, make_conditional},
    {"noisy", 8, make_noisy},
    {"failing", 8, make_failing},
    {"tables", 3, make_table},
    {NULL, 0, NULL}};
