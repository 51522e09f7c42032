/* Judging: what an end, a refusal, a deadline or a person's word makes of a
 * trial. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_JUDGE_H
#define TUNER_JUDGE_H

#include "tuner/board.h"

/* News of the trial's current attempt. */
void judge_news(struct board *b, struct live_trial *t,
                const struct launcher_news *news);

/* The trial shall end for that reason: PENDING ends at once, others are asked
 * to. One that is stopping already goes on doing so. */
int judge_stop(struct board *b, struct live_trial *t, enum trial_reason reason,
               const char *detail);
/* The same for every live trial of the study. */
int judge_stop_all(struct board *b, struct live_study *s,
                   enum trial_reason reason, const char *detail);

/* The study's rule finds the trial hopeless (t->hopeless): it is asked to end.
 * Does nothing for others, nor for one that has ended or was asked already. */
int judge_hopeless(struct board *b, struct live_trial *t);

/* Reads on where an ended job has left more reports than one round takes, and
 * judges it once all are read. Deadlines and kills are kept here too. */
void judge_tick(struct board *b);

/* Ends a trial that a client carried: with its reports (value NULL), a value,
 * or as infeasible. */
int judge_told(struct board *b, struct live_trial *t, const double *value,
               const char *infeasible, struct err *e);

#endif
