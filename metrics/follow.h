/* Follows everything by which one running attempt may report, and says what is
 * new: libhypertune's append-only file, the Python package's rewritten file
 * (last 100 records, truncated at each report), a pattern over printed lines,
 * a JSON-lines file of the trainer's own.
 *
 * Where it stands is a short text, the marks, that the caller stores in the
 * transaction in which it stores the reports; a follower opened with stored
 * marks goes on exactly there, so that a report counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_FOLLOW_H
#define METRICS_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "metrics/report.h"

struct follow_spec {
    const char *folder;     /* the attempt's: reports, output.metrics,
                               stdout.log are looked for in it */
    const char *metric;     /* the goal */
    const char *pattern;    /* over stdout.log; NULL = none */
    const char *lines_file; /* absolute; NULL = none */
};

struct follow;
typedef void follow_fn(void *ctx, const struct report *r);

/* ERR_INVALID if the pattern is no regular expression, or the marks are not
 * ours. marks may be NULL or "": nothing was read yet. */
int follow_open(struct follow **out, const struct follow_spec *spec,
                const char *marks, struct err *e);

/* Calls fn for what is new, at most some thousand reports or a few megabytes a
 * call. Returns whether there is more to read at once. Files that are missing,
 * half written or odd are no error: lines that are no report are skipped and
 * counted. With `last` (the process has ended) a final line without its
 * newline counts as a line if it reads as a report. */
bool follow_poll(struct follow *f, bool last, follow_fn *fn, void *ctx);

/* Valid until the next poll. */
const char *follow_marks(const struct follow *f);

/* Lines of report files, since it was opened, that were no report. */
int64_t follow_skipped(const struct follow *f);
void follow_close(struct follow *f); /* NULL is fine */

/* Checks a pattern without a follower. */
int follow_check_pattern(const char *pattern, struct err *e);

#endif
