/* Who starts a study's trials, and with which options of its own. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_LAUNCHING_H
#define STUDY_LAUNCHING_H

#include "study/reading.h"

/* Settles the launcher and its options once it is known what runs, of every
 * dialect, and checks that one launcher can start all of it. */
void launching_settle(struct reading *r);

#endif
