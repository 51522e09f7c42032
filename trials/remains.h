/* What a killed shim leaves behind. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_REMAINS_H
#define TRIALS_REMAINS_H

#include "trials/status.h"

/* Kills what is left of the job in that folder, and returns how many processes
 * there were: those in the shim's session, and those that were told to report
 * into the folder, wherever they went. The status is of this boot. */
int remains_kill(const struct status *s, const char *folder);

#endif
