/* What the engine is told of a container that it shall make: a replica of a
 * job, with the options of the study's launcher. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_SPEC_H
#define TRIALS_CONTAINER_SPEC_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "container/container_host.h"
#include "trials/launcher.h"

/* The options under `container:`; docs/launchers.md says what each is. */
struct container_options {
    const char *network; /* "host", "none" or a network's name */
    const char *user;    /* NULL = the image's */
    const char *runtime; /* NULL = the engine's own choice */
    int64_t shm_size;    /* bytes */
    bool pull;           /* an image that is missing is fetched */
    char **binds;        /* HOST:CONTAINER[:MODE], HOST absolute or a volume */
    size_t n_binds;
};

/* ERR_INVALID names the option and what it wants. *out is to be cleared on
 * success; its texts are the job's. */
int container_options_read(struct container_options *out, const struct job *job,
                           struct err *e);
void container_options_clear(struct container_options *o);

/* What is the same for all replicas of a job. */
struct container_frame {
    const struct job *job;
    const struct container_options *options;
    char *const *names; /* of the containers, by replica */
    const int *ports;   /* by replica, as `addresses` gave them out */
};

/* The body of POST /containers/create but for what depends on the engine. In a
 * network of its own, a replica is called by its container's name. */
json_t *container_spec_new(const struct container_frame *f, size_t replica);

/* Adds that, and gives the text; yours. init: with a first process that
 * reaps and hands on signals. ERR_INVALID: this engine gives no GPUs. */
char *container_spec_print(json_t *spec, const struct container_host *h,
                           bool init, int gpus, const char *gpu_ids,
                           struct err *e);

#endif
