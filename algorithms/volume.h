/* Pareto fronts of rows of numbers, larger better in each, and the room that a
 * front leaves: in boxes that do not overlap, by sweeping from the best of the
 * last objective down (after Lacour, Klamroth, Fonseca, "A Box Decomposition
 * Algorithm to Compute the Hypervolume Indicator", 2017). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_VOLUME_H
#define ALGORITHMS_VOLUME_H

#include <stddef.h>

enum { VOLUME_MOST = 3 }; /* objectives of boxes */

/* Moves those of n rows of m numbers that no other beats to the front of
 * `rows`, in order, one of several equal ones; returns how many they are. The
 * same is done to `places`, n numbers, unless NULL. */
size_t volume_front(double *rows, size_t n, size_t m, size_t *places);

/* A box, as numbers of edges: objective j goes from edges[j][low[j]] to
 * edges[j][high[j]]. */
struct volume_box {
    size_t low[VOLUME_MOST], high[VOLUME_MOST];
};

struct volume {
    size_t m, n_edges;
    double *edges[VOLUME_MOST]; /* of each objective: the reference's, each
                                   row's of the front, infinity */
    struct volume_box *boxes;
    size_t n, cap;
};

/* The boxes of what lies above the reference and is not dominated by the n rows
 * of a front, m being 2 or 3. Rows not above the reference in all objectives
 * count for nothing. */
void volume_init(struct volume *v, const double *front, size_t n, size_t m,
                 const double *reference);
void volume_clear(struct volume *v);

/* What those n rows dominate above the reference (the hypervolume), m being 2
 * or 3. */
double volume_below(const double *front, size_t n, size_t m,
                    const double *reference);

#endif
