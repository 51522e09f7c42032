/* When the lines of a log were written, as far as somebody has looked: the
 * files themselves do not say. Each look at a file notes how long it is and
 * when it was last written to, and what was added since the look before bears
 * that time. So whoever reads by time, from where he was, misses nothing. What
 * is noted is forgotten with the service; lines are told twice then rather
 * than never. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_MARKS_H
#define GOOGLE_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct google_marks;

/* One file of what a trial printed. */
struct google_log {
    int64_t study, trial;
    int attempt;
    int replica; /* 0 = the master */
    int stream;  /* 0 = stdout, 1 = stderr */
};

/* Whole lines from `from` to `to` that were written by that time. */
struct google_part {
    struct google_log log;
    int64_t from, to; /* bytes */
    int64_t ms;       /* wall clock */
};

struct google_marks *google_marks_new(void);
void google_marks_free(struct google_marks *m); /* NULL is fine */

/* Looks at the open file; ended: nobody writes to it any more, so that its
 * last line is whole. Calls fn for each part, in order. */
typedef void google_marks_fn(void *ctx, const struct google_part *part);
void google_marks_look(struct google_marks *m, const struct google_log *log,
                       int fd, bool ended, google_marks_fn *fn, void *ctx);

#endif
