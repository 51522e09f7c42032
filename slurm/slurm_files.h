/* What a job's script says in the job's folder: that it has begun, and how it
 * ended. The files are on the file system that the nodes share. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_FILES_H
#define TRIALS_SLURM_FILES_H

#include <stdbool.h>
#include <stdint.h>

enum { SLURM_FILES_NODE = 128, SLURM_FILES_TEXT = 600 };

struct slurm_began {
    int64_t id; /* of the job that runs it; 0: it was kept from beginning */
    char node[SLURM_FILES_NODE];
};

struct slurm_ended {
    int exit_code; /* -1: it died of a signal */
    int signal_number;
    bool terminated; /* a SIGTERM came first, from whomever */
    int64_t ran_ms;
    char replica[64], node[SLURM_FILES_NODE];
    char refused[SLURM_FILES_TEXT]; /* why it could not run; "" if it did */
};

/* False: not (wholly) there. */
bool slurm_files_began(const char *folder, struct slurm_began *out);
bool slurm_files_ended(const char *folder, struct slurm_ended *out);

/* Keeps the attempt from ever beginning. False: it has begun (or nobody can
 * say, for the folder cannot be written). */
bool slurm_files_claim(const char *folder);

/* Of a job whose folder its nodes do not see: that sbatch is about to be
 * called, and whether it was. False: it cannot be written. */
bool slurm_files_ask(const char *folder);
bool slurm_files_asked(const char *folder);

#endif
