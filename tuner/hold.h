/* Holding: what a trial has of this machine's GPUs, processors and memory from
 * its launch until its launcher says that nothing of it is left. A trial has
 * what it has as long as it is not PENDING: there is nothing to be given back
 * twice or forgotten.
 *
 * Who has waited longest comes first. What does not fit lets others pass, but
 * not for ever: once it has waited ten minutes, what becomes free is kept for
 * it.
 *
 * A GPU of which somebody else uses most of the memory is not given out: a
 * trial would fail there, and its point would be blamed. So before GPUs are
 * given out somebody looks (parts.look), unless that takes too long.
 *
 * Trials of other launchers than this machine's are no concern of this
 * file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_HOLD_H
#define TUNER_HOLD_H

#include "tuner/board.h"

enum { HOLD_PASS_MS = 600000 };

struct hold_needs {
    int gpus;
    double cpus;    /* 0 = not said */
    int64_t memory; /* bytes; 0 = not said */
};

/* Of all replicas of a trial together. */
struct hold_needs hold_needs(const struct study *s);

/* Whether the study's trials run on this machine. */
bool hold_is_here(const struct study *s);

/* ERR_INVALID if the machine has not so much at all. */
int hold_check(const struct board *b, const struct study *s, struct err *e);

/* Whether the PENDING trial can begin now. If not, it waits from now on
 * (t->since), and those who come before it have been marked dirty. */
bool hold_may_begin(struct board *b, struct live_trial *t);

/* Appends "GPU-5f… has 3 GiB of 80 GiB free, and no trial of this service uses
 * it", for each such GPU; false if there is none, or the trial wants none. */
bool hold_used(const struct board *b, const struct live_trial *t,
               struct text *out);

/* Ten times a second: those who waited for a look may begin, or for one that
 * does not end; and while somebody waits, there is another now and then. */
void hold_tick(struct board *b);

/* It begins: t->gpus is set, and who runs beside whom is noted. */
void hold_take(struct board *b, struct live_trial *t);

/* What the trial waits for, as half a sentence; nothing if for nothing here. */
void hold_why(const struct board *b, const struct live_trial *t,
              struct text *out);

/* The GPUs of the replica of that rank, out of t->gpus, with commas between
 * them. Yours; NULL if it has none. */
char *hold_gpus(const struct live_trial *t, int rank);

#endif
