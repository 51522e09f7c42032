/* Trials as rows of a listing: the columns that a study's trials have. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_ROWS_H
#define CLI_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/client.h"
#include "cli/listing.h"

struct rows {
    struct listing_column *columns;
    size_t n;
    char **names; /* titles of our own */
    size_t n_names;
};

/* Asks for the study and makes the columns: for CSV number, state, reason,
 * value, step, attempt, created, started, ended and every parameter (under
 * "params.NAME" should a parameter be called like one of these); for the table
 * fewer. */
int rows_open(struct rows *r, struct client *c, const char *study,
              enum format format, struct err *e);
void rows_close(struct rows *r); /* may be called twice */

/* Prints every trial of the study, page after page; `only` (may be NULL) are
 * names of states with commas. */
int rows_print_all(struct client *c, const char *study, enum format format,
                   const char *only, struct err *e);

/* Prints the trials of one answer, under the study's columns. */
int rows_print(struct client *c, const char *study, enum format format,
               const struct json_t *trials, struct err *e);

#endif
