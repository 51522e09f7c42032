/* The cells of a space without plain doubles: every point it has, counted and
 * numbered.
 *
 * The order is that of nested loops, the last declared parameter fastest; a
 * child's loop runs only under the values of its parent that let it exist. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_CELLS_H
#define ALGORITHMS_CELLS_H

#include <stdint.h>

#include "study/point.h"
#include "study/space.h"

/* `space` is borrowed. */
struct cells {
    const struct space *space;
    uint64_t total;  /* points of the space; UINT64_MAX if too many to count or
                        a parameter has no step */
    uint64_t *below; /* for each parameter: points of it and its descendants */
};

void cells_init(struct cells *c, const struct space *space);
void cells_clear(struct cells *c);

/* The point of that index, index < total < UINT64_MAX. *out is initialised for
 * the space. */
void cells_point(const struct cells *c, uint64_t index, struct point *out);

/* The index of a point of the space, total < UINT64_MAX. */
uint64_t cells_index(const struct cells *c, const struct point *p);

/* As param_count and param_nth, but a double whose ends are equal has one
 * value. */
uint64_t cells_values(const struct param *p);
struct value cells_value(const struct param *p, uint64_t k);

/* Which of its parameter's values an active value is: the k of cells_value.
 * Not for plain doubles. */
uint64_t cells_rank(const struct param *p, const struct value *v);

#endif
