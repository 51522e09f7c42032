/* Comma-separated values as RFC 4180 has them: rows of cells, with the lines
 * on which they stand. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <stddef.h>

#include "base/err.h"

struct csv {
    const char *at, *end; /* what is left of the bytes, which are borrowed */
    int next_line;
    int line;     /* on which the row began, from 1 */
    char **cells; /* of the row, NUL-terminated; until the next csv_next */
    size_t n, cap;
};

/* The bytes are UTF-8 without NUL; a byte order mark is skipped. */
void csv_init(struct csv *c, const char *bytes, size_t n);
void csv_clear(struct csv *c);

/* Reads the next row that is not empty. 1: there is one; 0: there is none; -1:
 * a quote that is not closed, or text after a closed one (ERR_INVALID; c->line
 * says where). Cells may stand in quotes, and then hold commas, line breaks and
 * doubled quotes; lines end with LF or CRLF. */
int csv_next(struct csv *c, struct err *e);

#endif
