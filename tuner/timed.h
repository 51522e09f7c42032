/* A worker that is timed: what suggestions cost, for /metrics. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_TIMED_H
#define TUNER_TIMED_H

#include <stdint.h>

#include "io/work.h"

struct timed;

/* Hands everything on to `inner`, which outlives it in use. NULL of NULL. */
struct timed *timed_new(struct worker *inner);
/* After the inner worker was closed; NULL is fine. */
void timed_free(struct timed *t);
/* The worker to give to others; NULL of NULL. */
struct worker *timed_worker(struct timed *t);

struct timed_counts {
    int64_t done;    /* tasks that came back */
    int64_t waiting; /* given and not back yet */
    double seconds;  /* that the tasks took on the worker, in all */
};
struct timed_counts timed_counts(const struct timed *t);

#endif
