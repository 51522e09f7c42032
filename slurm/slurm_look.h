/* Looking at Slurm's queue, at most once a second for all jobs together. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_LOOK_H
#define TRIALS_SLURM_LOOK_H

#include "slurm/slurm_job.h"

/* Looks if it is time to. While the controller is away this is the probe. */
void slurm_look_due(struct slurm *l, int64_t now);

#endif
