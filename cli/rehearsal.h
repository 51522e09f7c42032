/* A rehearsal: a small study made of another, and a private service in a state
 * directory that is there for it alone. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_REHEARSAL_H
#define CLI_REHEARSAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "cli/client.h"
#include "cli/corners.h"
#include "cli/options.h"
#include "cli/service.h"
#include "cli/source.h"

struct rehearsal {
    struct client *client;
    struct service service;
    char *state; /* of its own, beside the one that o names: on the same file
                    system, and as near to the nodes of a cluster */
    char *study; /* NAME-try */
};

/* Makes the state directory, starts the service and gives it the study: the
 * source's, with the corners as its points, no trial longer than limit_ms, no
 * second attempts, and job_dir and output directory inside the state
 * directory. Faults that the service finds are printed (cli/source.h). *r is
 * to be closed, on failure too. */
int rehearsal_open(struct rehearsal *r, const struct options *o,
                   struct source *source, const struct corners *corners,
                   int64_t limit_ms, struct err *e);

/* Cancels the study, waits until nothing of it runs, ends the service and
 * removes the state directory. With `leave` it does not wait: what still ends
 * is left to end. */
void rehearsal_close(struct rehearsal *r, bool leave);

#endif
