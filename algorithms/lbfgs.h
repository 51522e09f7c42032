/* L-BFGS within bounds, as a conversation: it says where it wants the function
 * known, the caller says what it is there. So many can run in step, and their
 * evaluations be one matrix product.
 *
 * Limited-memory BFGS (Nocedal 1980; Liu and Nocedal 1989) on the coordinates
 * that no bound holds, with a projected backtracking line search (Bertsekas,
 * "Projected Newton methods", 1982). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_LBFGS_H
#define ALGORITHMS_LBFGS_H

#include <stdbool.h>
#include <stddef.h>

enum { LBFGS_PAIRS = 8 };

struct lbfgs {
    size_t n;
    double *x, *g; /* the best point so far and its gradient */
    double f;      /* its value; infinite before any finite one was given */
    double *low, *high;
    double *trial, *move; /* the point asked for; the direction to it */
    double *s, *y;        /* LBFGS_PAIRS rows each: steps, gradient changes */
    double rho[LBFGS_PAIRS];
    size_t n_pairs, next_pair;
    double step, tolerance;
    int evaluations, most, backtracks;
    bool started, done;
};

/* Minimises from `start` (clipped into the bounds) in at most `most`
 * evaluations, or until the projected gradient's largest entry is below
 * `tolerance`. Everything is copied; low[i] == high[i] holds a coordinate. */
void lbfgs_init(struct lbfgs *l, size_t n, const double *start,
                const double *low, const double *high, int most,
                double tolerance);
void lbfgs_clear(struct lbfgs *l);

/* Where the function is wanted, or NULL at the end. Valid until lbfgs_give. */
const double *lbfgs_next(const struct lbfgs *l);

/* Its value and gradient there. Values that are not finite are taken as "too
 * far". */
void lbfgs_give(struct lbfgs *l, double f, const double *g);

#endif
