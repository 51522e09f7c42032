/* A cage keeps one replica within its memory and its share of the processors:
 * cgroups of version 2 or 1 that are made for it, or a limit of the process.
 *
 * The folders are named hypertune-SHIM-TICKS-NUMBER, after the shim that made
 * them and its start time, so that those of a killed one are found. Leans on
 * libc only, for hypertune-shim is built with it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CAGE_H
#define TRIALS_CAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { CAGE_PATH = 512 };

enum cage_how {
    CAGE_NONE,   /* not to be had here */
    CAGE_V2,     /* cgroups of version 2 */
    CAGE_V1,     /* cgroups of version 1 */
    CAGE_PROCESS /* a limit of each process: RLIMIT_DATA. Not RLIMIT_AS, for
                    programs that use GPUs reserve far more addresses than they
                    will ever fill */
};

/* Where cgroups may be made. */
struct cage_place {
    enum cage_how how;
    char folder[CAGE_PATH]; /* absolute, of V1 and V2 */
};

struct cage_places {
    struct cage_place memory, cpus;
};

struct cage {
    enum cage_how how;           /* of the memory */
    char memory[CAGE_PATH + 64]; /* the cgroup, "" = none */
    char cpus[CAGE_PATH + 64];   /* the same if both are in one */
    int64_t data;                /* RLIMIT_DATA, 0 = none */
};

/* Makes the cage of the shim's nth replica, as good as can be; bytes and cpus
 * are 0 where there is no limit. Empty if there is none at all. */
void cage_make(struct cage *c, const struct cage_places *places, pid_t shim,
               uint64_t ticks, int nth, int64_t bytes, double cpus);

/* Puts the calling process into it, on its way to becoming the replica. */
void cage_enter(const struct cage *c);

/* How many processes in it were killed for want of memory; -1 if it does not
 * say. */
long long cage_ooms(const struct cage *c);

/* The same for the cgroup in which the caller is. */
long long cage_ooms_around(void);

/* Removes the cgroups; nobody is in them any more. */
void cage_remove(struct cage *c);

/* Removes what that shim left, and (shim 0) what any shim left that is gone.
 * Only what is empty. */
void cage_sweep(const struct cage_places *places, pid_t shim, uint64_t ticks);

#endif
