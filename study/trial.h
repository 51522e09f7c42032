/* A trial: one point of the space, tried, and the states it may pass through.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_TRIAL_H
#define STUDY_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "study/point.h"

/* ask -> PENDING -> LAUNCHING -> RUNNING -> SUCCEEDED | INFEASIBLE | FAILED
 *          ^            |           |
 *          +------------+-----------+   an attempt broke and another is left,
 *                                       or a person interrupted the study
 * PENDING -> STOPPED                    stopped before it began
 * PENDING -> SUCCEEDED | STOPPED | INFEASIBLE | FAILED
 *                                       put in from outside with its result
 * LAUNCHING, RUNNING -> STOPPING -> STOPPED | SUCCEEDED | INFEASIBLE | FAILED
 *                                   | PENDING (interrupted)
 * FAILED, INFEASIBLE, STOPPED -> PENDING  a person said retry              */
enum trial_state {
    TRIAL_PENDING,    /* chosen and stored; no launcher knows of it */
    TRIAL_LAUNCHING,  /* stored first, then handed to a launcher */
    TRIAL_RUNNING,    /* its process lives */
    TRIAL_STOPPING,   /* it was asked to end and has not ended yet */
    TRIAL_SUCCEEDED,  /* ended well, with a value for the goal */
    TRIAL_STOPPED,    /* ended because a rule or a person said so */
    TRIAL_INFEASIBLE, /* this point cannot give a value */
    TRIAL_FAILED,     /* broke, not by its point's fault; no attempt is left */
    TRIAL_STATES
};

/* Why a trial is in its state; stored and printed beside it. */
enum trial_reason {
    REASON_NONE,
    REASON_VALUE,       /* it reported a value for the goal and ended well */
    REASON_EARLY,       /* a stopping rule */
    REASON_USER,        /* a person */
    REASON_DEADLINE,    /* trial_limit or time_limit */
    REASON_EXIT,        /* it ended with a status other than 0 */
    REASON_SIGNAL,      /* it died of a signal */
    REASON_LOST,        /* nobody can say how it ended */
    REASON_REFUSED,     /* the launcher could not start it */
    REASON_NO_METRIC,   /* it ended well without the goal's metric */
    REASON_NOT_FINITE,  /* the goal's metric was nan or infinite */
    REASON_TOLD,        /* a client told so */
    REASON_INTERRUPTED, /* the study was paused or the service ended */
    REASONS
};

const char *trial_state_name(enum trial_state s); /* "RUNNING" */
bool trial_state_read(const char *name, enum trial_state *out);
bool trial_state_ended(enum trial_state s); /* SUCCEEDED and the three after */
const char *
trial_reason_name(enum trial_reason r); /* "no_metric"; "" for NONE */
bool trial_reason_read(const char *name, enum trial_reason *out);

/* Moves *s to next. ERR_CONFLICT if the picture above has no such arrow. */
int trial_state_move(enum trial_state *s, enum trial_state next, struct err *e);

enum { TRIAL_OTHERS = 7 }; /* objectives beside the goal, at most */

/* What an algorithm is shown of a trial, and what others keep of it. */
struct trial {
    int64_t number; /* from 1 within its study, never used again */
    enum trial_state state;
    struct point point;
    bool has_value; /* a finite value for each objective is known */
    double value;   /* of the goal, in the user's units and sign */
    int64_t step;   /* at which it was reported */
    double others[TRIAL_OTHERS]; /* values of the study's further objectives */
    bool is_foreseen;            /* STOPPED, and others' curves tell: */
    double foreseen;             /* the goal that it would have ended with, */
    double unsure;               /* give or take that (one deviation) */
};

void trial_copy(struct trial *out, const struct trial *from);
void trial_clear(struct trial *t); /* its point; the number stays */

#endif
