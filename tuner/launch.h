/* Launching: a trial's job put together from study and point, and handed to the
 * study's launcher. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_LAUNCH_H
#define TUNER_LAUNCH_H

#include "tuner/board.h"

/* Makes the folders of the current attempt and job.json in them, and starts
 * its job. -1: it cannot be started; *e says why. */
int launch_start(const struct board *b, const struct live_trial *t,
                 struct err *e);

#endif
