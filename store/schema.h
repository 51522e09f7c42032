/* The tables, as numbered steps from an empty file to today's. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stddef.h>

#include "base/err.h"

struct store;

/* One step. What was released is never edited: a change is a further step. */
struct schema_step {
    int number; /* 1, 2, … without gaps; PRAGMA user_version once it is done */
    const char *sql;
};

extern const struct schema_step schema_steps[];
extern const size_t schema_n_steps;

/* Refuses (and does not touch) a file that another program made, ERR_IO, or
 * that has taken more than n steps, ERR_CONFLICT. */
int schema_check(struct store *s, size_t n, struct err *e);

/* Takes the steps that the file has not taken, all of them or none. */
int schema_update(struct store *s, const struct schema_step *steps, size_t n,
                  struct err *e);

#endif
