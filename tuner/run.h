/* The one door through which every state changes: legal, stored, logged, told
 * to those who follow, counted. No other file writes a state. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_RUN_H
#define TUNER_RUN_H

#include "algorithms/algorithm.h"
#include "tuner/board.h"

/* How a trial's move came about. */
struct run_cause {
    enum trial_reason reason;
    const char *detail; /* one sentence or NULL */
    bool has_value;     /* at an end */
    double value;       /* of the goal */
    double others[TRIAL_OTHERS];
    int64_t step;
    bool quiet; /* those who follow the study are not told */
};

/* Moves the trial, whose attempt and broken may have been raised before. An
 * ended trial has been told to the mind, and is off the board: *t is gone.
 * On -1 the board is broken and the round will be undone. */
int run_move(struct board *b, struct live_trial *t, enum trial_state to,
             const struct run_cause *why);

/* Another reason for a trial that is STOPPING already. */
int run_restop(struct board *b, struct live_trial *t,
               const struct run_cause *why);

/* A new PENDING trial at the suggested point. */
int run_add(struct board *b, struct live_study *s, const struct suggestion *at,
            const char *client, struct live_trial **out);

/* The same for a trial that is put in from outside: the caller ends it by
 * run_move before anything else happens. */
int run_give(struct board *b, struct live_study *s, const struct suggestion *at,
             struct live_trial **out);

int run_study(struct board *b, struct live_study *s, enum study_state to,
              const char *reason, bool cancelled);

/* A sentence for those who follow the study. */
int run_warn(struct board *b, struct live_study *s, const char *sentence);

#endif
