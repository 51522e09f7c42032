/* Which points of a space nobody has tried or is trying. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_UNTRIED_H
#define ALGORITHMS_UNTRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "algorithms/algorithm.h"
#include "algorithms/cells.h"
#include "algorithms/history.h"

/* One ask's view. What it points to is borrowed, until untried_clear. Where
 * results are noisy, only what is running counts as taken. */
struct untried {
    const struct history *history;
    const struct cells *cells;
    int64_t number; /* of the trial that is asked for */
    const struct trial *const *running;
    size_t n_running;
    bool *open;      /* of a space of few points: which are free; else NULL */
    uint64_t n_open; /* UINT64_MAX if they were not listed */
};

void untried_init(struct untried *u, const struct history *h,
                  const struct cells *c, int64_t number,
                  const struct trial *const *running, size_t n_running);
void untried_clear(struct untried *u);

/* Whether nothing is left to try. */
bool untried_none(const struct untried *u);

/* Whether the point is free. */
bool untried_has(const struct untried *u, const struct point *p);

/* Leaves p if it is free; else puts another point there: any free one of a
 * space of few points, else the first free one of some even draws. Says
 * whether it found one. */
bool untried_move(const struct untried *u, struct point *p);

/* A point to begin with: the middle for the first trial, then the scrambled
 * Sobol sequence. Fills the point and the source. The trials of the study's
 * start points come before and are not counted. */
void untried_first(const struct untried *u, struct suggestion *out);

/* The number of this trial after the start points, from 0. */
uint64_t untried_place(const struct untried *u);

#endif
