/* Measured tables: what training gave at each point of a grid, read several
 * times from different seeds. Searching one costs no training.
 *
 * A table is a text (bench/tables/README.md). Its axes become a space, and a
 * point of that space is a row. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_FUNCTIONS_TABLES_H
#define BENCH_FUNCTIONS_TABLES_H

#include "base/err.h"
#include "study/point.h"
#include "study/space.h"

struct table {
    size_t n_rows, n_reads; /* reads of each row */
    double unit;            /* what a 1 of the text is worth */
    int *reads;             /* n_rows times n_reads */
    double least;           /* mean of a row; less is better */
};

/* Reads the text and appends its axes to an empty space. ERR_ABSENT, ERR_IO, or
 * ERR_INVALID naming the line; both are left to be cleared in any case. */
int tables_open(struct table *t, struct space *s, const char *path,
                struct err *e);
void tables_close(struct table *t);

/* The row of a point of that space; the last parameter turns fastest. */
size_t tables_row(const struct space *s, const struct point *at);

double tables_read(const struct table *t, size_t row, size_t read);
double tables_mean(const struct table *t, size_t row);

#endif
