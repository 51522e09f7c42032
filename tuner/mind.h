/* A mind: a study's algorithm, opened, and what it is given to think about on
 * the worker. It owns a study of its own, so that it may outlive the board's.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_MIND_H
#define TUNER_MIND_H

#include "algorithms/algorithm.h"
#include "base/err.h"

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

#endif
