/* The filters of Google's lists of jobs.
 *
 *     display_name:"digits_*" AND NOT state="JOB_STATE_FAILED"
 *     labels.team=vision (create_time>"2026-01-01T00:00:00Z" OR labels.old:*)
 *
 * Fields: display_name, job_id (jobId), state, create_time, labels.NAME.
 * Comparators: = and != everywhere, : (has; without a * it looks for the words
 * anywhere in the text), and < <= > >= of times. OR binds closer than AND, as
 * in all of Google's filters, and AND may be left out. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_FILTER_H
#define GOOGLE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum google_filter_how {
    GOOGLE_FILTER_EQUAL,
    GOOGLE_FILTER_UNEQUAL,
    GOOGLE_FILTER_HAS,
    GOOGLE_FILTER_LESS,
    GOOGLE_FILTER_LESS_EQUAL,
    GOOGLE_FILTER_MORE,
    GOOGLE_FILTER_MORE_EQUAL
};

/* One comparison, of a field as it is written. Sets *match, or returns -1 with
 * *e. */
typedef int google_filter_fn(void *ctx, const char *field,
                             enum google_filter_how how, const char *value,
                             bool *match, struct err *e);

/* The grammar alone: fn is called for every comparison of the filter, in
 * order, whatever the others say. NULL and "" match everything. */
int google_filter_walk(const char *filter, google_filter_fn *fn, void *ctx,
                       bool *match, struct err *e);

/* For such functions: a text against a value with stars, and two numbers. */
int google_filter_text(enum google_filter_how how, const char *value,
                       const char *text, bool *match, struct err *e);
bool google_filter_order(enum google_filter_how how, int64_t is,
                         int64_t wanted);

/* What is looked at; texts are never NULL. */
struct google_filter_of {
    const char *display_name;
    const char *job_id;
    const char *state; /* "JOB_STATE_RUNNING"; the prefix may be missing in
                          either */
    int64_t created_ms;
    const char *labels; /* a JSON object, or "" */
};

/* NULL and "" match everything. ERR_INVALID names what is wrong, whatever is
 * looked at. */
int google_filter_match(const char *filter, const struct google_filter_of *of,
                        bool *match, struct err *e);

#endif
