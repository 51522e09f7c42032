/* A mind: a study's algorithm, opened, and what it is given to think about on
 * the worker. It owns a study of its own, so that it may outlive the board's.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_MIND_H
#define TUNER_MIND_H

#include "algorithms/algorithm.h"
#include "algorithms/importance.h"
#include "base/err.h"
#include "base/text.h"

struct mind;

/* From a canonical spec (codec_write_json). ERR_INVALID if the algorithm is
 * not there or cannot search the space. */
int mind_open(struct mind **out, const char *spec, struct err *e);
void mind_close(struct mind *m); /* NULL is fine */
bool mind_learns(const struct mind *m);

/* A trial that has ended, copied; given to the algorithm with the next ask. */
void mind_hear(struct mind *m, const struct trial *ended);

/* One question, its answer, and the mind it is put to. */
struct question {
    struct mind *mind;
    int64_t number; /* the trial's */
    int64_t turn;   /* which of those that the study asked for it is, from 1 */
    struct trial *running; /* copies, by number */
    size_t n_running;
    struct suggestion out; /* point is inited by mind_answer */
    enum algorithm_answer answer;
    int failed; /* 0 or -1 with err */
    struct err err;
};
/* Tells what was heard, then asks. Runs on any thread. */
void mind_answer(struct question *q);
void question_clear(struct question *q); /* not the mind */

/* Which parameters matter, whatever the study's algorithm: its results, and
 * what was made of them. */
struct weighing {
    char *spec; /* canonical */
    struct weighing_result {
        enum trial_state state;
        double value;
        char *point; /* as JSON */
    } * results;     /* in the order of ends */
    size_t n, cap;
    struct study study;        /* from here on: of weighing_think */
    struct importance *shares; /* one for each parameter, unless failed */
    size_t n_weighed;          /* results that could be read */
    int failed;                /* 0 or -1 with err */
    struct err err;
};
void weighing_init(struct weighing *w, const char *spec);
void weighing_clear(struct weighing *w); /* may be called twice */

/* A value of a trial that SUCCEEDED or was STOPPED. */
void weighing_add(struct weighing *w, enum trial_state state, double value,
                  const char *point);

/* Weighs them, once. Runs on any thread. */
void weighing_think(struct weighing *w);

/* Appends docs/api.md's importance, the largest share first. */
void weighing_write(const struct weighing *w, struct text *out);

#endif
