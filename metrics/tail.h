/* The tail of a file that only grows: its whole lines, each once, in bounded
 * bites. Where it stands is an offset and the file that it is an offset in. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_TAIL_H
#define METRICS_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { TAIL_LINE = 64 * 1024 }; /* longer lines are passed over */

/* What one poll may still take. */
struct tail_allowance {
    int64_t bytes;
    int64_t reports;
};

/* A line without its end, NUL-terminated; returns how many reports it gave. */
typedef int tail_line_fn(void *ctx, const char *line, size_t n);

struct tail {
    char *path;   /* absolute; owned */
    bool returns; /* a carriage return ends a line, as progress bars do it */
    int64_t offset, inode;
    bool skipping;   /* inside a line that is too long */
    int64_t seen;    /* the size up to which nothing is left to do */
    int64_t skipped; /* lines that gave no report, and those too long */
};

/* path NULL: a tail that is never polled. */
void tail_init(struct tail *t, const char *path, bool returns);
void tail_clear(struct tail *t);

/* Returns whether the allowance ended before the file did. With `last`, a
 * final line needs no end. A file that was replaced or cut off is read again
 * from its beginning. */
bool tail_poll(struct tail *t, bool last, struct tail_allowance *left,
               tail_line_fn *fn, void *ctx);

/* Opens a plain file for reading without ever waiting; -1 if it is none. */
int tail_open_file(const char *path, struct stat *st);

#endif
