/* What hypertune-shim is told of a job that does not fit on a command line: of
 * several replicas, or of limits. It comes in a file without a name, because
 * an environment may hold secrets and everybody may read a command line, and
 * because there is nothing to clean up after it.
 *
 * NUL-terminated words. `memory=HOW FOLDER` and `cpus=HOW FOLDER` say where
 * limits are kept (trials/cage.h). Each replica begins with `name=NAME`; then
 * follow `folder=`, `workdir=`, `bytes=N`, `processors=X`, and `argv=N` and
 * `environ=N`, with N words behind each. Both ends are of one build. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_ROSTER_H
#define TRIALS_ROSTER_H

#include <stddef.h>

#include "trials/cage.h"
#include "trials/launcher.h"

struct roster {
    struct job_replica *replicas; /* what a process of this machine needs */
    size_t n;
    struct cage_places places;
    char *bytes; /* what everything points to */
    char **words;
};

/* A descriptor of a file that holds the job, read from its beginning; yours to
 * close, and closed on exec. -1 and errno if there is none to be had. */
int roster_write(const struct job *job, const struct cage_places *places);

/* Reads it. -1 and errno: it cannot be read, or is none. roster_clear in
 * either case. */
int roster_read(struct roster *out, int fd);
void roster_clear(struct roster *r);

#endif
