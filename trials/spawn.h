/* Starts a hypertune-shim for a job, with what it has to know. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SPAWN_H
#define TRIALS_SPAWN_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "trials/cage.h"
#include "trials/launcher.h"

struct spawn {
    char *shim_path;
    rlim_t files; /* the soft limit on open files that jobs get */
    bool looked;  /* for the places of limits */
    struct cage_places places;
    bool said_memory, said_cpus; /* that such a limit cannot be kept well */
};

/* Jobs get the soft limit on open files that holds now. */
void spawn_init(struct spawn *s, const char *shim_path);
void spawn_clear(struct spawn *s);

/* The shim writes a byte to `alive`, a descriptor, once all of the job runs.
 * Returns 0, or the errno. */
int spawn_shim(struct spawn *s, const struct job *job, int alive, pid_t *pid);

/* Where limits are kept on this machine; looked for, and cleared of what shims
 * left that are gone, when it is first asked. */
const struct cage_places *spawn_places(struct spawn *s);

#endif
