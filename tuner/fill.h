/* Filling: free places get trials, and a study that has had enough ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_FILL_H
#define TUNER_FILL_H

#include "tuner/board.h"

/* Looks at one study once: ends it, launches what waits, asks its algorithm
 * for more. It is dirty again after if there is more to do. The study may be
 * gone from the board after (it has ended). */
void fill_study(struct board *b, struct live_study *s);

/* Whether the study has had enough whatever becomes of its trials (time,
 * target, patience); the sentence is added to *why. */
bool fill_is_over(const struct board *b, const struct live_study *s,
                  struct text *why);

/* Studies whose time is up, trials whose pause is over. */
void fill_tick(struct board *b);

/* Opens the study's algorithm only to see whether it can search the space. */
int fill_check(const char *spec, struct err *e);

/* The questions that never came back (the worker is closed). */
void fill_drop_thoughts(struct board *b);

#endif
