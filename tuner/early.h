/* Stopping early: the curves of a study, kept beside what is stored, and what
 * a stopping rule (algorithms/stop.h) makes of them. Whatever is said follows
 * from what is stored: after a restart the same is said again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_EARLY_H
#define TUNER_EARLY_H

#include "tuner/board.h"

/* A report of the trial's current attempt was stored. If it is of the goal and
 * the study's rule finds the trial hopeless now, t->hopeless says so: "hopeless
 * by the rule median: ...". -1: the board is broken. */
int early_hear(struct board *b, struct live_trial *t,
               const struct report_row *row);

/* The trial is about to be stopped: sets what it would have ended with in
 * *change, if the study has a rule and others' curves tell. */
int early_foresee(struct board *b, struct live_trial *t,
                  struct trial_change *change);

/* The trial has ended, or (PENDING) waits for another attempt. */
void early_moved(struct live_trial *t, const struct trial_change *change);

/* A trial that a client of a study without a rule of its own asks about. */
struct early_question {
    int64_t study, number;
    const char *rule, *metric;
    bool maximize;
    bool by_time; /* its places are milliseconds since the trial's start */
};

/* *stop: it should. What was reported is read again from the store. */
int early_ask(struct store *s, const struct early_question *q, bool *stop,
              struct err *e);

#endif
