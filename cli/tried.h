/* What a corner of the space showed when it was rehearsed, and the words for
 * that. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_TRIED_H
#define CLI_TRIED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct json_t; /* jansson's */

enum tried_how {
    TRIED_NOT,        /* it never ran */
    TRIED_FINE,       /* it reported the goal, finite, and did not fail */
    TRIED_REFUSED,    /* it could not be started */
    TRIED_AT_ONCE,    /* it ended with an error before it reported anything: it
                         may not have borne its flags */
    TRIED_BROKE,      /* it failed in another way */
    TRIED_SILENT,     /* it ran, and reported nothing */
    TRIED_OTHER,      /* it reported, but not the goal */
    TRIED_NOT_FINITE, /* the goal was nan or infinite */
    TRIED_HOWS
};

struct tried {
    enum tried_how how; /* once it has ended */
    bool ended;
    int64_t reports;    /* of the goal */
    int64_t first_at;   /* wall clock of the first report of the goal; 0 */
    int64_t first_ms;   /* from the start to it; -1 = there was none */
    int64_t step_ms;    /* mean time between two; -1 = there were no two */
    int64_t ran_ms;     /* from start to end; -1 = not ended */
    bool by_itself;     /* it ended well before anybody stopped it */
    int64_t memory;     /* bytes; 0 = not seen */
    struct text value;  /* the last report of the goal, as text */
    struct text detail; /* what went wrong; empty if fine */
    struct text output; /* its last words, lines; set by the caller */
};
void tried_init(struct tried *t); /* as one that never ran */
void tried_clear(struct tried *t);

/* Reads what the service says of the trial: the object of GET …/trials/N,
 * under way or ended. */
void tried_learn(struct tried *t, const struct json_t *trial,
                 const char *metric);

/* "fine: accuracy=0.9 after 0.3s, …" or what is wrong, and its last words
 * below; ends with a newline. */
void tried_print(const struct tried *t, const char *metric, struct text *out);

/* What the study will do with it. */
struct tried_plan {
    const char *metric;
    int64_t trials;   /* STUDY_MOST_TRIALS = no limit */
    int64_t parallel; /* 0 = not known */
    int64_t limit_ms; /* the study's trial_limit; 0 = none */
};

/* The facts in sum. */
void tried_sum(const struct tried *all, size_t n, const struct tried_plan *plan,
               struct text *out);

/* How many are fine. */
size_t tried_fine(const struct tried *all, size_t n);

#endif
