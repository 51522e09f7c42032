/* The replicas of one job as processes below a hypertune-shim: started
 * together, signalled, waited for. Leans on libc only. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CREW_H
#define TRIALS_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "trials/cage.h"
#include "trials/roster.h"

struct crew_member {
    const struct job_replica *replica;
    struct cage cage;
    pid_t pid; /* and the number of its group; 0 = not started */
    bool ended;
    int how; /* as waitpid says, once it ended */
    int64_t ran_ms;
};

struct crew {
    struct crew_member *members; /* the first is the master */
    size_t n;
    struct timespec begin;
};

enum { CREW_TEXT = 600 };

/* Starts all of them, each in a group of its own, writing to the logs in its
 * folder, and in a cage if it has limits. The master is last: its program runs
 * only if all the others have become theirs. Returns once it has, too. -1: one
 * could not, `text` says which and why; those that have begun are left to
 * crew_end. The roster outlives the crew. crew_clear in either case. */
int crew_start(struct crew *c, const struct roster *r, char text[CREW_TEXT]);

/* To every group whose first process has not ended, which is woken if it was
 * stopped. */
void crew_signal(const struct crew *c, int signal_number);

/* Takes note of all children that ended meanwhile. */
void crew_reap(struct crew *c);
bool crew_is_over(const struct crew *c); /* every member ended */

/* Kills every child of this process, and what they leave to it, until none is
 * left. Meant for a subreaper: then nobody of the job lives after it. */
void crew_end(struct crew *c);

/* Removes the cages; after crew_end. */
void crew_clear(struct crew *c);

static inline bool crew_success(const struct crew_member *m)
{
    return m->ended && m->how == 0;
}

#endif
