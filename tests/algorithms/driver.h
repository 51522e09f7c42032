/* Searches of one algorithm on one study, driven by hand in tests. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ALGORITHMS_DRIVER_H
#define TESTS_ALGORITHMS_DRIVER_H

#include "algorithms/algorithm.h"

enum { DRIVER_MOST = 64 }; /* trials that run at once */

struct driver {
    const struct algorithm_type *type;
    struct study *study; /* borrowed */
    void *state;
    int64_t n; /* trials asked */
    struct trial running[DRIVER_MOST];
    size_t n_running;
};

typedef double driver_value_fn(const struct point *p);

void driver_open(struct driver *d, const char *algorithm, struct study *s);
void driver_close(struct driver *d);

/* Asks for the next trial, which then runs; *out is the same, borrowed until
 * it is told. False if the algorithm is done. */
bool driver_ask(struct driver *d, struct trial *out);

/* Ends a running trial; a value that is nan makes it infeasible. */
void driver_tell(struct driver *d, struct trial *t, double value);

/* The least value within n trials of a seed, `parallel` at once; those told
 * are drawn from the running ones by the seed. */
double driver_least(const char *algorithm, struct study *s, uint64_t seed,
                    int64_t n, size_t parallel, driver_value_fn *f);

/* The mean of that over six seeds, one trial at a time, through `shape`. */
double driver_mean(const char *algorithm, struct study *s, int64_t n,
                   driver_value_fn *f, double (*shape)(double));

#endif
