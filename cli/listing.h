/* A listing: rows of one kind, printed as a table, JSON, CSV or YAML. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"
#include "cli/options.h"

struct json_t; /* jansson's */

/* Appends the cell that `key` says of a row; `exact` is for CSV. */
typedef void listing_cell_fn(const struct json_t *row, const char *key,
                             bool exact, struct text *out);

struct listing_column {
    const char *title; /* of CSV; the table writes it in capitals */
    const char *key;
    listing_cell_fn *cell;
    bool right; /* aligned so in the table */
};

/* Ready-made cells. */
listing_cell_fn listing_plain; /* row[key] */
listing_cell_fn listing_param; /* row["params"][key] */
listing_cell_fn listing_value; /* row["values"][key] */
listing_cell_fn listing_time;  /* row[key], milliseconds, as UTC; 0 is "" */

/* JSON and YAML print the rows whole and need no columns; CSV and table need
 * them. All but the table go out row by row. */
struct listing {
    enum format format;
    const struct listing_column *columns; /* borrowed until the end */
    size_t n_columns, n_rows;
    struct text out; /* what is not printed yet */
    char **cells;    /* of the table, row after row */
    size_t n_cells, cap_cells;
};

void listing_begin(struct listing *l, enum format format,
                   const struct listing_column *columns, size_t n_columns);
void listing_row(struct listing *l, const struct json_t *row);
void listing_end(struct listing *l); /* prints the rest, and clears it */
/* In its place after a failure: what was not printed yet never is. */
void listing_drop(struct listing *l);

/* All of it: one row for each item of the array. */
void listing_print(enum format format, const struct listing_column *columns,
                   size_t n_columns, const struct json_t *rows);

#endif
