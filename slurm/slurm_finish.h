/* How jobs leave Slurm: those that are to be stopped, and those of whose end
 * only Slurm can tell. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_FINISH_H
#define TRIALS_SLURM_FINISH_H

#include "slurm/slurm_job.h"

/* Cancels and asks what is due, a few at once. */
void slurm_finish_due(struct slurm *l, int64_t now);

#endif
