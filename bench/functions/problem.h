/* Problems with known optima: functions on spaces, some with noise, some with
 * places that give no result, and measured tables. Smaller values are better.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_FUNCTIONS_PROBLEM_H
#define BENCH_FUNCTIONS_PROBLEM_H

#include "algorithms/draw.h"
#include "bench/functions/bbob.h"
#include "bench/functions/tables.h"
#include "study/study.h"

enum {
    PROBLEM_AXES = 40,   /* parameters that a problem has at most */
    PROBLEM_VALUES = 16, /* values of one that is not continuous, at most */
    PROBLEM_BRANCHES = 3 /* of a conditional problem */
};

struct problem {
    char name[32];
    struct study study; /* its space; the seed is the caller's to set */
    double optimum;
    double noise;      /* standard deviation of what is reported */
    bool measured;     /* the values are those of `grid`, and nothing */
    struct table grid; /* below counts */
    struct bbob at[PROBLEM_BRANCHES];
    size_t n_branches; /* 1 unless conditional */
    double offset[PROBLEM_BRANCHES];
    /* what stands for each value of a parameter with few */
    double table[PROBLEM_AXES][PROBLEM_VALUES];
    double normal[PROBLEM_AXES], edge; /* of the half space without results */
    bool fails;
};

/* Problem k of that suite in d parameters; d is taken as at least 2, and by
 * "conditional" as 5 at least, and "tables" knows neither it nor the
 * instance. */
struct problem_suite {
    const char *name;
    size_t n; /* problems */
    void (*make)(struct problem *p, size_t k, size_t d, int instance);
};

/* bbob, mixed, conditional, noisy, failing, tables; ends with a NULL name. */
extern const struct problem_suite problem_suites[];

void problem_init(struct problem *p, const struct problem_suite *suite,
                  size_t k, size_t d, int instance);
void problem_clear(struct problem *p);

/* The true value, without noise; nan where there is none. */
double problem_value(const struct problem *p, const struct point *at);

/* What a trial there reports: the value with noise, or one of the reads of a
 * table, drawn from `chance`; nan where there is none. */
double problem_report(const struct problem *p, const struct point *at,
                      struct draw *chance);

#endif
