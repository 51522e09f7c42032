/* Giving: trials that were run elsewhere are put into a study with their
 * results. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_GIVE_H
#define TUNER_GIVE_H

#include "study/given.h"
#include "tuner/board.h"

/* All of them, or on -1 none: the round is undone then. source is "imported"
 * or "told". *first is the number of the first; the others follow it. */
int give_trials(struct board *b, struct live_study *s,
                const struct given *given, const char *source, int64_t *first,
                struct err *e);

#endif
