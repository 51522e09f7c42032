/* The breaker of a study: many ends in a row that look alike pause it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_BREAKER_H
#define TUNER_BREAKER_H

#include "tuner/board.h"

/* A trial of the study has ended, and that looked so; look NULL: not
 * suspicious. said: what it wrote last, "" if nothing; node: where, or NULL. */
void breaker_see(struct live_study *s, const char *look, const char *said,
                 const char *node);

/* Something is about to begin: true if too many trials in a row ended alike,
 * and the study is PAUSED now. That it is asked only then lets a study that is
 * over end, and keeps one that only waits for its last trials going. */
bool breaker_trips(struct board *b, struct live_study *s);

/* Forgets the ends that were alike. */
void breaker_calm(struct live_study *s);

#endif
