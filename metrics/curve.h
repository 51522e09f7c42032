/* A curve: what one attempt said of one metric, thinned so that a million
 * reports cost no more than a thousand. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_CURVE_H
#define METRICS_CURVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CURVE_MOST = 1024 }; /* kept points; beyond that every second one goes */

struct curve_point {
    int64_t index; /* how many reports of this metric came before it */
    int64_t step;
    double value;
};

/* Only finite values take part in last and best; all count in n. */
struct curve {
    int64_t n;      /* reports seen */
    int64_t stride; /* points whose index is a multiple of it are kept */
    struct curve_point *points; /* by index */
    size_t n_points, cap;
    bool has_finite;
    struct curve_point first, last, best; /* of the finite ones */
    bool last_is_finite;                  /* of all reports, the last one */
};

void curve_init(struct curve *c);
void curve_clear(struct curve *c);

enum curve_kept {
    CURVE_SKIPPED, /* counted; not one of the kept points */
    CURVE_KEPT,    /* a kept point: store it under its index */
    CURVE_HALVED   /* kept, and the stride doubled: drop stored points whose
                      index is no multiple of c->stride */
};
enum curve_kept curve_add(struct curve *c, bool maximize, int64_t step,
                          double value);

#endif
