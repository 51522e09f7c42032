/* Beginning: PENDING trials are launched where there is a place for them: in
 * their study, on the disk and on the machine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_BEGIN_H
#define TUNER_BEGIN_H

#include "tuner/board.h"

/* Whether the state directory's disk is too full to launch anything. Warns of
 * it when it becomes so. */
bool begin_disk_is_low(struct board *b, struct live_study *s);

/* Launches what waits and may; returns how many places are left for more.
 * Fewer than none: somebody made `parallel` smaller. */
int begin_waiting(struct board *b, struct live_study *s);

/* Nothing else of the study is to be begun: those that must be alone are next.
 * They come last in their study, so that no place stands empty for them before;
 * and from then on nothing else begins until they are through. */
void begin_loner(struct board *b, struct live_study *s);

#endif
