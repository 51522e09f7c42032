/* What every algorithm promises: told what has ended, it says what to try next.
 *
 * An algorithm is a function of the study (its seed within) and the ended
 * trials in the order they were told. Its state is a cache: the engine may
 * close it at any moment, open another and tell the same trials again, and the
 * same points come out. tests/algorithms/promises.c holds every algorithm to
 * this. None of these functions reads the clock, the disk or the network, and
 * none keeps a reference to what it was given except `study`, which outlives
 * the state. tell and ask of one state never run at the same time, but may run
 * on different threads one after the other. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_ALGORITHM_H
#define ALGORITHMS_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "study/study.h"
#include "study/trial.h"

enum algorithm_answer {
    ALGORITHM_POINT, /* out->point is filled */
    ALGORITHM_WAIT,  /* ask again when a running trial has ended */
    ALGORITHM_DONE   /* nothing is left to try */
};

struct suggestion {
    struct point point;     /* the caller inits and clears it */
    char source[16];        /* "start", "grid", "random", "sobol", "gp",
                               "global", "fallback" ... */
    bool foreseen;          /* whether the algorithm expects something there: */
    double mean, low, high; /* of the value, in the user's units and sign; two
                               thirds are expected from low to high */
    double improvement;     /* expected over the best so far; 0 or more */
};

struct algorithm_type {
    const char *name;  /* as a study writes it */
    size_t state_size; /* zeroed bytes, lent by the engine from open to close */
    bool learns;       /* false: told trials change nothing, and the engine
                          need not tell them */

    /* ERR_INVALID if this algorithm cannot search this space (grid over a
     * plain double): said at submission. On failure close is not called. */
    int (*open)(void *state, const struct study *study, struct err *e);

    /* An ended trial: SUCCEEDED and STOPPED with has_value (the latter perhaps
     * with what it would have ended with); INFEASIBLE and FAILED without. Never
     * fails; may be slow (it may fit). */
    void (*tell)(void *state, const struct trial *ended);

    /* The point for trial `number`, while `running` (pending, launching,
     * running, stopping; ordered by number) have no value yet. Chance is drawn
     * from (seed, number). Here trials are counted as they are asked for:
     * trials that were put in from outside are told, but not counted. -1 only
     * if nothing can be suggested at all. */
    int (*ask)(const void *state, int64_t number,
               const struct trial *const *running, size_t n_running,
               struct suggestion *out, enum algorithm_answer *answer,
               struct err *e);
    void (*close)(void *state);
};

#endif
