/* The policy: what becomes of a trial whose attempt broke, by what was to
 * blame. One table; docs/failures.md says the same to people. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_POLICY_H
#define TUNER_POLICY_H

#include "study/trial.h"
#include "trials/launcher.h"

enum policy_class {
    POLICY_OWN,        /* its own exit or signal */
    POLICY_MEMORY,     /* killed for want of memory */
    POLICY_NODE,       /* its machine failed, or is avoided */
    POLICY_TIME_LIMIT, /* of the launcher */
    POLICY_PREEMPTED,
    POLICY_LOST,     /* nobody can say how it ended */
    POLICY_PERSON,   /* ended by somebody, behind our back */
    POLICY_REFUSED,  /* could not be started */
    POLICY_HOPELESS, /* nor could any other trial of its study */
    POLICY_CLASSES
};

enum {
    POLICY_RETRIES = -1, /* as often as the study's `retries` says */
    POLICY_ALONE = -2,   /* once, alone, if others ran beside it */
    POLICY_ALWAYS = -3   /* once a person has resumed the study */
};

struct policy {
    const char *name; /* as it is stored with the attempt */
    const char *says; /* to a person; NULL: exit or signal say it */
    int again;        /* further attempts in a row that did not count, or one
                         of the words above */
    bool counts;      /* an attempt that broke so counts against `retries` */
    bool alike;       /* many such ends in a row pause the study, however long
                         they ran */
    enum trial_state ends; /* what it is if there is no further attempt */
    enum trial_reason reason;
};

const struct policy *policy_of(enum policy_class c);

/* Whose class stands at the name; false if none does. */
bool policy_read(const char *name, enum policy_class *out);

/* Of ENDED, LOST, REFUSED and HOPELESS; an end that went well has none. */
enum policy_class policy_class_of(const struct launcher_news *end);

/* Whether an attempt that ended so is one of those in a row that do not count,
 * of which there may be only so many. */
bool policy_is_strike(enum policy_class c);

#endif
