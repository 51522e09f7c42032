/* Sweeping: the folders of studies that are no more are put out of the way at
 * once, and removed by and by on the worker. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_SWEEP_H
#define TUNER_SWEEP_H

#include "tuner/board.h"

/* Moves STATE/trials/NAME away, if it is there: nothing of it may be taken for
 * a later study's. */
int sweep_folder(struct board *b, const char *name, struct err *e);

/* The same, once this round is on disk. */
void sweep_when_kept(struct board *b, const char *name);

/* What the service had not removed when it ended. Once, at the start. */
void sweep_old(struct board *b);

/* The worker is closed: what is left is removed at the next start. */
void sweep_close(struct board *b);

#endif
