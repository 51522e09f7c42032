/* Listening: what a running trial says, by whatever way it says it, kept as
 * curves and stored so that a report counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_LISTEN_H
#define TUNER_LISTEN_H

#include "metrics/report.h"
#include "tuner/board.h"

enum {
    LISTEN_METRICS = 200
}; /* names an attempt may report; more are ignored */

/* Begins to follow the trial's current attempt: a new one, or (`stored`) one
 * that was under way, from where it was left. */
int listen_open(struct board *b, struct live_trial *t, bool stored,
                struct err *e);

/* Takes in what is new. Returns whether more is waiting. `last`: the job has
 * ended. On a failed write the board is broken. */
bool listen_poll(struct board *b, struct live_trial *t, bool last);

/* One report that came another way (HTTP). */
int listen_report(struct board *b, struct live_trial *t,
                  const struct report *r);

/* Several of them, and what is counted of their senders. */
int listen_keep(struct board *b, struct live_trial *t, const struct report *r,
                size_t n);

/* The report's metric. ERR_INVALID if it is no name of one. */
int listen_name(struct report *r, const char *metric, struct err *e);

enum listen_value {
    LISTEN_VALUE,      /* *value and *step are the trial's result */
    LISTEN_NOT_FINITE, /* the goal's metric was reported, but not as a number
                          that counts */
    LISTEN_NO_METRIC   /* it was never reported */
};
enum listen_value listen_value(const struct live_trial *t, double *value,
                               int64_t *step);

/* The same of the study's further objectives, of which there may be none. If
 * one has no value, *which is its metric. */
enum listen_value listen_others(const struct live_trial *t, double *others,
                                const char **which);

/* The same of all: the goal's value and step, and the others' values. */
enum listen_value listen_values(const struct live_trial *t, double *value,
                                double *others, int64_t *step,
                                const char **which);

/* "loss, acc": what was reported, for a person. */
void listen_names(const struct live_trial *t, struct text *out);

/* The last lines of one of the attempt's output files, at most ~300 bytes, on
 * one line; nothing if there are none. */
void listen_tail(const char *folder, const char *file, struct text *out);

#endif
