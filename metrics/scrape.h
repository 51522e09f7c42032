/* Reports out of printed lines, by a pattern of the user's. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef METRICS_SCRAPE_H
#define METRICS_SCRAPE_H

#include "metrics/report.h"

/* Of a longer line only so many bytes are looked at. */
enum { SCRAPE_LINE = 4096, SCRAPE_PATTERN = 1000 };

struct scrape;

/* pattern: a POSIX extended regular expression, at most SCRAPE_PATTERN bytes.
 * In it {value}, {metric} and {step} stand for a number, a name and a count;
 * without any of them its one group is the value, or its two are name and
 * value. docs/reports.md has examples. ERR_INVALID says what is wrong. */
int scrape_open(struct scrape **out, const char *pattern, struct err *e);
void scrape_close(struct scrape *s); /* NULL is fine */

/* Gives every match to fn, of metric `goal` where the pattern names none;
 * returns how many there were. */
int scrape_line(const struct scrape *s, const char *line, const char *goal,
                report_fn *fn, void *ctx);

#endif
