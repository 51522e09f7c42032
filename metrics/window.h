/* The Python package's file: rewritten at each report, with its last hundred
 * records in it, sometimes empty or half written. What is new is told by the
 * last record that was taken, not by offsets. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_WINDOW_H
#define METRICS_WINDOW_H

#include "metrics/report.h"
#include "metrics/tail.h"

struct window {
    char *path; /* absolute; owned */
    bool has_mark;
    double mark_time; /* of the last record taken, */
    uint64_t mark;    /* and the hash of its line */
    int64_t from;     /* where to begin in a file too large to be rewritten */
    struct stat seen; /* the file, when nothing was left in it */
};

void window_init(struct window *w, const char *path);
void window_clear(struct window *w);

/* New are the records after the last one taken; if that one is not in the
 * file, those with a time not before its own. Returns whether the allowance
 * ended first. */
bool window_poll(struct window *w, bool last, const char *goal,
                 struct tail_allowance *left, report_fn *fn, void *ctx);

#endif
