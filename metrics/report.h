/* A report: one metric of one trial at one step, and the line it comes in.
 * docs/reports.md is the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_REPORT_H
#define METRICS_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { REPORT_METRIC = 256 }; /* longer names are cut */

struct report {
    char metric[REPORT_METRIC];
    double value;  /* may be nan or infinite: stored, never compared */
    int64_t step;  /* 0 if none was given */
    double time_s; /* the trainer's clock, seconds since 1970; 0 = unknown */
};

/* Reads one line (without its newline) as cloudml-hypertune, libhypertune and
 * their cousins write it: one JSON object with timestamp, trial, global_step,
 * checkpoint_path, and the metric under its own name, values as strings or
 * numbers. If `metric` (the goal; may be NULL) is among the keys it is the one
 * taken; otherwise the one key that is not fixed. ERR_INVALID if the line is
 * no report. */
int report_read_line(const char *line, size_t n, const char *metric,
                     struct report *out, struct err *e);

/* Valid during the call only. */
typedef void report_fn(void *ctx, const struct report *r);

/* Reads one line of a trainer's own JSON lines: one object in which every
 * number is a metric under its key, except "step", "global_step" or "epoch"
 * (the first of them that is there is the step of all) and "timestamp". Gives
 * each to fn; returns how many there were, 0 if the line is something else. */
int report_read_all(const char *line, size_t n, report_fn *fn, void *ctx);

#endif
