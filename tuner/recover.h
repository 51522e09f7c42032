/* Recovering: the board from the store, and the jobs of its trials found
 * again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_RECOVER_H
#define TUNER_RECOVER_H

#include "tuner/board.h"

/* Fills an empty board with every study that has not ended. Jobs that may run
 * are watched; those that may not have begun are started under their old
 * names, which adopts them if they did. Reads only. */
int recover_all(struct board *b, struct err *e);

/* One study, whatever its state, with its live trials. */
int recover_study(struct board *b, int64_t id, struct live_study **out,
                  struct err *e);

#endif
