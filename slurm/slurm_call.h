/* The commands of Slurm as they are run: beside the loop, with a time limit,
 * in an environment made for them; and what it means when they fail. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_CALL_H
#define TRIALS_SLURM_CALL_H

#include "slurm/slurm_job.h"

enum {
    SLURM_CALL_AGAIN_MS = 1000, /* the first wait before another try */
    SLURM_CALL_UNMET = 3        /* so often no cluster: there is none */
};

/* A copy without what is the service's own or another allocation's; jobs
 * inherit it. Freed by slurm_call_environ_free. */
char **slurm_call_environ(char *const *environ_);
void slurm_call_environ_free(char **environ_);

/* argv[0] is found on the PATH. *out is NULL again when fn is called: fn sees
 * to that. */
int slurm_call_run(struct slurm *l, struct child **out, char *const *argv,
                   child_fn *fn, void *ctx, struct err *e);

/* What the command that failed said, and what it means. If the controller is
 * to blame, or no cluster is found, it is away from now on. */
enum slurm_refusal slurm_call_failed(struct slurm *l,
                                     const struct child_end *end,
                                     struct text *sentence);

/* The controller does not answer: nobody is asked for a while, twice as long
 * each time. And: it answers. */
void slurm_call_away(struct slurm *l, const char *why);
void slurm_call_back(struct slurm *l);

void slurm_call_text(char **text, const char *to); /* frees what was there */

#endif
