/* How jobs come to Slurm: sbatch, a few at once, and no more jobs in the queue
 * than the site takes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_SUBMIT_H
#define TRIALS_SLURM_SUBMIT_H

#include "slurm/slurm_job.h"

/* Submits held jobs, the oldest first, as far as the window allows. */
void slurm_submit_due(struct slurm *l, int64_t now);

/* No cluster was found, again and again: held jobs are refused as hopeless. */
void slurm_submit_none(struct slurm *l);

#endif
