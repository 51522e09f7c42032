/* The launcher for Slurm (17 and later, by its commands): each trial is one
 * batch job, its replicas are the tasks of one srun.
 *
 * How it keeps launcher.h's promise. A job's script is written, with a name
 * that no other job has, before sbatch is called; so a job of which we heard
 * nothing is found in the queue by its name. Whoever makes FOLDER/slurm.began
 * runs the attempt, so a script that was submitted or begun twice runs once.
 * Scripts are submitted with --no-requeue: a run that lost its node comes back
 * as the next attempt, which the caller counts and can tell from the first,
 * and which finds the trial's checkpoints all the same.
 *
 * How a job ended its own script says first (FOLDER/slurm.ended), then squeue,
 * scontrol and sacct. While the controller does not answer, nobody is dead.
 *
 * FOLDER must be on a file system that the nodes share, or the job has the
 * option shared: false. Then its script makes a folder on the node and runs a
 * courier (cli/courier.h) in it, only the queue tells of its beginning and end,
 * and that it runs once is for its name to guard: what was perhaps submitted
 * and is not found is lost, and never submitted again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_H
#define TRIALS_SLURM_H

#include "io/loop.h"
#include "trials/launcher.h"

/* Runs nothing before the first job. environ_: what jobs inherit, and the
 * commands of Slurm run with, without what is the service's own (HYPERTUNE_…)
 * or another allocation's (SLURM_…); borrowed during the call. Jobs get the
 * soft limit on open files that holds now. The loop outlives the launcher. */
void slurm_open(struct launcher **out, struct loop *l, char *const *environ_,
                launcher_news_fn *news, void *ctx);

#endif
