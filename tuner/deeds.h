/* Deeds: what is done in the world once the store has it on disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_DEEDS_H
#define TUNER_DEEDS_H

#include "tuner/board.h"

/* Does and forgets everything on the list; `ok`: the commit went through.
 * Without it nothing is launched or stopped, and those who wait are told. */
void deeds_do(struct board *b, bool ok);

#endif
