/* Scores of runs, kept to be compared: the logarithm of what was left to the
 * optimum as a share of what random search leaves. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_QUALITY_SCORES_H
#define BENCH_QUALITY_SCORES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

enum { SCORES_BUDGETS = 6 };
extern const size_t scores_budgets[SCORES_BUDGETS]; /* results seen */

/* One run. */
struct score {
    char algorithm[24], suite[16], problem[32];
    int d, instance, seed, trials, parallel;
    double at[SCORES_BUDGETS]; /* nan beyond the end of the run */
    double ms;                 /* processor time of one suggestion */
};

struct scores {
    struct score *items;
    size_t n, cap;
};

void scores_add(struct scores *s, const struct score *one);
void scores_clear(struct scores *s);

/* Whether there is a score of that run: all but its figures are the same. */
bool scores_have(const struct scores *s, const struct score *run);

/* Appends one score to an open file: a line of JSON, by one write. */
int scores_append(int fd, const struct score *one, struct err *e);

/* Adds what such lines say; other lines, as the last of a run that was cut
 * off, are passed over. */
void scores_read(struct scores *s, FILE *in);

/* Means over problems, with 95 % intervals: runs of each problem are drawn
 * again. One run of each gives no interval. */
void scores_table(const struct scores *s);

/* The same for the differences of runs that both have: mine less theirs, which
 * are all of one algorithm. */
void scores_compare(const struct scores *mine, const struct scores *theirs);

/* Mean for each problem after the largest budget; with theirs mean difference
 * and the share of runs that are better than their partners. */
void scores_by_problem(const struct scores *mine, const struct scores *theirs);

#endif
