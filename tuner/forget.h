/* Forgetting: a trial goes, with all that was known of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_FORGET_H
#define TUNER_FORGET_H

#include "tuner/board.h"

/* Everything of the trial goes; the algorithm is told all others anew. */
int forget_trial(struct board *b, int64_t study, int64_t number, struct err *e);

#endif
