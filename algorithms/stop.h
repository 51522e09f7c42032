/* What every stopping rule promises: told what trials have measured so far, it
 * says whether one of them is hopeless.
 *
 * A rule is a pure function of the book: of the measurements of this trial and
 * of the others. The book is a cache of what is stored. It keeps the same
 * points of a curve whether it saw all of them or only those that metrics/
 * curve.h lets be stored, so a book that is told again says the same.
 *
 * All rules promise, and tests/algorithms/test_stop.c holds them to it: a
 * trial that is alone is never stopped, nor is one that has measured nothing
 * finite, nor one that at every place was at least as good as all others. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef ALGORITHMS_STOP_H
#define ALGORITHMS_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "study/trial.h"

enum {
    STOP_POINTS = 256, /* kept of a curve; beyond that every second one goes */
    STOP_ENDED = 1000  /* ended trials that are kept: those of the highest
                          numbers */
};

/* One measurement, and what it makes of those before it. Larger is better
 * here, whatever the goal. */
struct stop_point {
    int64_t index; /* how many came before it, kept or not */
    int64_t step;  /* as it was told */
    int64_t at;    /* its place, never falling along the curve */
    double value, best, sum;
};

struct stop_curve {
    int64_t number;         /* of the trial */
    enum trial_state state; /* RUNNING until it has ended */
    bool has_final;         /* what it ended with, if SUCCEEDED */
    double final;
    struct stop_point *points;
    size_t n, cap;
    int64_t stride; /* points whose index is a multiple of it are kept */
};

/* The curves of a study's goal, by number. */
struct stop_book {
    bool maximize;
    bool best;      /* a trial's result is its best measurement, not its last */
    bool has_steps; /* they are not all 0 */
    struct stop_curve *curves;
    size_t n, cap;
    size_t n_ended;
};

void stop_init(struct stop_book *b, bool maximize, bool best);
void stop_clear(struct stop_book *b);

/* A trial, or another attempt at it, begins: it has measured nothing. Not
 * needed before the first measurement. */
void stop_begin(struct stop_book *b, int64_t number);

/* Measurement `index` (from 0, rising; some may be left out) of a trial. Its
 * place is its step, or a time; the furthest so far where it goes back, as
 * where several replicas measure. While all steps in the book are 0, as with
 * trainers that tell none, it is `index`. Says whether the point was kept: only
 * then is there anything new to decide. One that is in the book already changes
 * nothing. */
bool stop_measure(struct stop_book *b, int64_t number, int64_t index,
                  int64_t step, double value);

/* The trial has ended. SUCCEEDED and STOPPED ones stay in the book. `value`
 * may be NULL. */
void stop_end(struct stop_book *b, int64_t number, enum trial_state state,
              const double *value);

/* What the trial would have ended with, in the user's units and sign: its last
 * measurement, and what trials that went to their end still gained from that
 * place on, in the median. False while no trial did that, or while this one
 * has measured nothing: then nobody can say. */
bool stop_foresee(const struct stop_book *b, int64_t number, double *value,
                  double *unsure);

struct stop_rule;

struct stop_type {
    const char *name; /* as a study writes it */
    int in_a_row;     /* after so many stopped ones the next is spared */
    bool (*hopeless)(const struct stop_rule *rule, const struct stop_book *b,
                     const struct stop_curve *own);
};

struct stop_rule {
    const struct stop_type *type;
    int64_t after; /* places before which nothing is stopped; 0 = the rule's
                      own caution */
};

extern const struct stop_type stop_median;
extern const struct stop_type stop_asha;

/* All rules; ends with NULL. */
extern const struct stop_type *const stops[];

/* By the name a study writes; NULL if there is none of that name. */
const struct stop_type *stop_find(const char *name);

/* Whether the trial should be stopped where it is. */
bool stop_hopeless(const struct stop_rule *rule, const struct stop_book *b,
                   int64_t number);

/* For rules: the last point of the curve at or before that place, the first at
 * or after it; NULL if there is none. */
const struct stop_point *stop_until(const struct stop_curve *c, int64_t at);
const struct stop_point *stop_from(const struct stop_curve *c, int64_t at);

/* The median of n >= 1 numbers, which are put in order. */
double stop_middle(double *x, size_t n);

#endif
