/* Slurm's words: what its states mean to a job, why a job waits, why sbatch
 * refused one. No processes here. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_WORDS_H
#define TRIALS_SLURM_WORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "trials/launcher.h"

enum slurm_phase {
    SLURM_WAITS,
    SLURM_RUNS,
    SLURM_ENDING, /* it ended; how is to come */
    SLURM_OVER
};

struct slurm_state {
    const char *name; /* as squeue's %T prints it */
    enum slurm_phase phase;
    enum launcher_blame blame;
    bool lost; /* nobody can say how it ended */
};

/* A state that is not known is one that runs. The word may go on behind the
 * name, as in "CANCELLED by 1000". */
const struct slurm_state *slurm_words_state(const char *word);

/* One job as squeue lists it with that option. */
#define SLURM_WORDS_FORMAT "--format=%i|%T|%r|%B|%j"
struct slurm_row {
    int64_t id; /* of an element of an array its array's */
    const struct slurm_state *state;
    const char *reason, *node, *name; /* in the line; "" if there is none */
};

/* Cuts up the line in place. False: it is no row of that format. */
bool slurm_words_row(char *line, struct slurm_row *out);

/* Appends "in Slurm's queue as job 17: others come first (Priority)". */
void slurm_words_waiting(struct text *out, int64_t id, const char *reason);

enum slurm_refusal {
    SLURM_AWAY,   /* the controller was not reached: nothing was submitted */
    SLURM_UNSURE, /* it was asked, and its answer did not come */
    SLURM_LIMIT,  /* a limit on submitted jobs: later, perhaps */
    SLURM_NONE,   /* no cluster is configured on this machine */
    SLURM_NEVER   /* not with these options */
};

/* What an error of a Slurm command means. sentence: what it said, its lines
 * joined, without the program's name in front. */
enum slurm_refusal slurm_words_refusal(const char *said, struct text *sentence);

/* "7:0" -> exit 7, "0:9" -> signal 9, as scontrol and sacct print it. False
 * if it is neither. */
bool slurm_words_exit(const char *word, int *exit_code, int *signal_number);

/* The value of KEY=VALUE in the words of `text`, copied up to the next blank;
 * false if there is none. */
bool slurm_words_value(const char *text, const char *key, char *out, size_t n);

#endif
