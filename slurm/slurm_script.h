/* FOLDER/slurm.sh: the batch script of a job, with the options for sbatch in
 * its first lines. It is all that is needed to submit the job (again), and its
 * unique name is in it before sbatch is called. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_SCRIPT_H
#define TRIALS_SLURM_SCRIPT_H

#include "base/err.h"
#include "base/text.h"
#include "trials/launcher.h"

#define SLURM_SCRIPT_FILE "slurm.sh"

enum {
    SLURM_SCRIPT_NAME = 256, /* hypertune-STUDY-TRIAL-ATTEMPT-NONCE */
    /* Exit status of a script that came second: its attempt has been begun. */
    SLURM_SCRIPT_SECOND = 113,
    /* And of one whose node does not see the folder, where its own exit status
     * is all that is heard of it; programs that end so are said to end with 1.
     */
    SLURM_SCRIPT_NO_FOLDER = 114,  /* it cannot make one on its node */
    SLURM_SCRIPT_NO_COURIER = 115, /* there is no `hypertune` there */
    SLURM_SCRIPT_UNSENT = 116      /* what it reported did not arrive */
};

/* The words that stand for a replica's address until the job runs:
 * {host-RANK}:{port-RANK}. */
void slurm_script_address(size_t rank, char out[LAUNCHER_ADDRESS]);

/* Whether the job's options can be given to sbatch as they are. ERR_INVALID:
 * one sentence says which cannot, and what to do. */
int slurm_script_check(const struct job *job, struct err *e);

/* The script as text. name: unique for this attempt. */
void slurm_script_print(struct text *out, const struct job *job,
                        const char *name);

/* Writes the script of a job that has none, under a new unique name. */
int slurm_script_write(const struct job *job, struct err *e);

/* The words for sbatch from the script of that folder, one a line, and the
 * name among them. tasks: whether it has replicas. False: there is none. */
bool slurm_script_read(const char *folder, char name[SLURM_SCRIPT_NAME],
                       struct text *words, bool *tasks);

/* Whether its nodes do not see the folder, so that slurm.began and slurm.ended
 * never come there (option shared: false). */
bool slurm_script_is_apart(const char *folder);

#endif
