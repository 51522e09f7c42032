/* Whether a trial should stop early: the median rule of Vizier.
 *
 * A trial is stopped if the best value it has reported is strictly worse than
 * the median, over the trials that succeeded, of the average of what each had
 * reported up to the same step (or the same time since its start). Golovin et
 * al., Google Vizier: A Service for Black-Box Optimization, KDD 2017, 3.2. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_STOPPING_H
#define GOOGLE_STOPPING_H

#include "store/store.h"

enum {
    GOOGLE_STOPPING_LEAST = 5,  /* with fewer others nothing is stopped */
    GOOGLE_STOPPING_MOST = 1000 /* others that are looked at: the newest */
};

struct google_stopping {
    int64_t study, number, started_ms;
    const char *metric;
    bool maximize;
    bool by_time; /* not by step */
};

/* *stop: it should. A trial that has reported nothing finite should not. */
int google_stopping_median(struct store *s, const struct google_stopping *of,
                           bool *stop, struct err *e);

#endif
