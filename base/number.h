/* Numbers and text: the shortest text that reads back as the same double, and
 * strict reading. Everything here assumes LC_NUMERIC "C", which the programs
 * never leave. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

enum { NUMBER_TEXT = 40 };

/* Writes the shortest decimal text (15 to 17 digits at most) that strtod reads
 * back as x; integral values below 1e15 without point or exponent; nan, inf
 * and -inf by those names. Returns out. */
const char *number_print(double x, char out[NUMBER_TEXT]);

/* The whole text must be the number (no blanks around, no hex, not empty).
 * number_read takes what strtod takes in decimal, nan and inf included;
 * "1_000" is refused. Returns false and leaves *out alone if it is not one. */
bool number_read(const char *text, double *out);
bool number_read_int(const char *text, int64_t *out);

#endif
