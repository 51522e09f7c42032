/* A point: one value for each parameter of a space. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_POINT_H
#define STUDY_POINT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"
#include "study/space.h"

struct point {
    struct value *values; /* one for each parameter of the space, in order */
    size_t n;
};

void point_init(struct point *p, const struct space *s); /* all inactive */
void point_clear(struct point *p);
void point_copy(struct point *out, const struct point *from); /* out is fresh */

/* Sets `active` of every child from its parents' values, parents first.
 * Values themselves are left alone. */
void point_settle(struct point *p, const struct space *s);

/* Every active value is one its parameter holds, and exactly the parameters
 * whose conditions hold are active. */
bool point_in(const struct point *p, const struct space *s);
bool point_same(const struct point *a, const struct point *b,
                const struct space *s);

/* The text of one value as it is put on a command line: an integer plain, a
 * double as the shortest text that reads back the same, a list's value as it
 * was written. Appends to out. */
void value_print(const struct param *p, const struct value *v,
                 struct text *out);

/* Reads what value_print wrote, or a person would: any spelling of a number
 * that is the same number, a word of the list as it is. A value of a DOUBLE
 * with steps is moved onto the nearest step if it is within rounding of it.
 * Returns false, and leaves *out alone, if the parameter does not hold it. */
bool value_read(const struct param *p, const char *text, struct value *out);

/* The point to try first where nothing is known: declared defaults, else the
 * middle of each range on its scale, else the first word of a list of words.
 * *out is fresh. */
void point_middle(struct point *out, const struct space *s);

/* {"name": value, ...} with the active parameters only, in the space's order:
 * numbers for DOUBLE, INTEGER and DISCRETE, strings for CATEGORICAL. Appends
 * to out. */
void point_write_json(const struct point *p, const struct space *s,
                      struct text *out);

/* Reads the same back; numbers may be strings and categorical values numbers
 * or booleans if their text is in the list. Missing, superfluous, unknown and
 * out-of-range values are ERR_INVALID and named. *out is fresh and must be
 * cleared on success only. */
int point_read_json(struct point *out, const struct space *s, const char *json,
                    struct err *e);

struct node;

/* The same from a map of a document. With `lenient`, an active parameter that
 * is missing takes its declared default if it has one. */
int point_read_node(struct point *out, const struct space *s,
                    const struct node *map, bool lenient, struct err *e);

#endif
