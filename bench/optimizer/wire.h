/* Spaces and points as a benchmark stand writes them: a list of parameters of
 * type float, int, ordinal or categorical, and a map from name to value. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_OPTIMIZER_WIRE_H
#define BENCH_OPTIMIZER_WIRE_H

#include <jansson.h>

#include "base/err.h"
#include "study/point.h"
#include "study/space.h"

struct wire {
    json_t *list; /* the space as it came; owned */
};

/* Makes *out, which is fresh, of the list. An ordinal of rising numbers is
 * DISCRETE, any other ordinal an INTEGER that counts its values. On failure
 * *out and *w are empty. */
int wire_space(struct wire *w, const json_t *list, struct space *out,
               struct err *e);
void wire_clear(struct wire *w);

/* {"name": value} of the active parameters. A new reference. */
json_t *wire_params(const struct wire *w, const struct space *s,
                    const struct point *p);

/* Reads such a map; values of parameters that do not exist are passed over.
 * *out is initialised. */
int wire_point(const struct wire *w, const struct space *s, const json_t *map,
               struct point *out, struct err *e);

#endif
