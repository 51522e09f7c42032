/* A curve, thinned by halves. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/curve.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void curve_init(struct curve *c)
{
    *c = (struct curve){.stride = 1};
}

void curve_clear(struct curve *c)
{
    free(c->points);
    curve_init(c);
}

static void note_finite(struct curve *c, bool maximize, struct curve_point p)
{
    c->last_is_finite = isfinite(p.value);
    if (!c->last_is_finite)
        return;
    if (!c->has_finite)
        c->first = c->best = p;
    else if (maximize ? p.value > c->best.value : p.value < c->best.value)
        c->best = p;
    c->last = p;
    c->has_finite = true;
}

static void halve(struct curve *c)
{
    size_t kept = 0;

    c->stride *= 2;
    for (size_t i = 0; i < c->n_points; i++)
        if (c->points[i].index % c->stride == 0)
            c->points[kept++] = c->points[i];
    c->n_points = kept;
}

/* CURVE_MOST is even, so that the point that makes the curve halve is itself
 * a multiple of the new stride. */
enum curve_kept curve_add(struct curve *c, bool maximize, int64_t step,
                          double value)
{
    struct curve_point p = {c->n++, step, value};
    enum curve_kept kept = CURVE_KEPT;
    void *points;

    note_finite(c, maximize, p);
    if (p.index % c->stride != 0)
        return CURVE_SKIPPED;
    if (c->n_points == CURVE_MOST) {
        halve(c);
        kept = CURVE_HALVED;
    }
    points = c->points;
    mem_grow(&points, &c->cap, c->n_points + 1, sizeof *c->points);
    c->points = points;
    c->points[c->n_points++] = p;
    return kept;
}
