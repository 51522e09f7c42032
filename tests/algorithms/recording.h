/* A study's events as they were recorded: what was asked, what came, how it
 * ended, in that order.
 *
 * Lines of JSON: the study file; {"made": "with what libraries"}; then for each
 * event {"ask": NUMBER, "source": S, "point": {...}} or {"tell": NUMBER,
 * "state": S, "value": X}. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ALGORITHMS_RECORDING_H
#define TESTS_ALGORITHMS_RECORDING_H

#include <stdio.h>

#include "algorithms/algorithm.h"

/* Trial i + 1. */
struct recorded {
    struct trial trial; /* as it ended; RUNNING if it never did */
    char source[16];
};

struct event {
    bool ask; /* else tell */
    size_t i;
};

struct recording {
    char *first; /* the line of the study file */
    char *made;
    struct study study;
    struct recorded *trials;
    struct event *events;
    size_t n, n_events, cap, cap_events;
};

/* Check fails if it is no recording. With `head`, reads the study only. */
void recording_read(struct recording *r, const char *path, bool head);
void recording_write(const struct recording *r, FILE *out);
void recording_clear(struct recording *r);

/* Appends an event; point and source are those of the trial it asks for, which
 * is the next (`point` is taken), state and value those it ends with. */
void recording_ask(struct recording *r, struct suggestion *s);
void recording_tell(struct recording *r, size_t i, enum trial_state state,
                    const double *value);

/* The trials that ran when event k happened: pointers into `out` of r->n;
 * returns how many. They are as `running` promises, RUNNING and without
 * value; `out` holds shallow copies, which are not to be cleared. */
size_t recording_running(const struct recording *r, size_t k,
                         struct trial *out);

#endif
