/* The container engine, Docker or podman, as one that answers over HTTP or does
 * not: found, greeted, listened to, and looked for again when it went away. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_HOST_H
#define TRIALS_CONTAINER_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "io/hub.h"
#include "io/loop.h"

/* On every container of ours, so that events can be asked for by it (podman
 * wants the value too). */
#define CONTAINER_LABEL "hypertune.launcher"
#define CONTAINER_LABEL_VALUE "container"

struct container_host;

struct container_host_parts {
    struct loop *loop;
    const char *where; /* as --container-host; NULL: looked for */
    /* It answers now, or no longer: then cancel your calls. */
    void (*changed)(void *ctx);
    /* Something happened to a container of that name; action as the engine
     * calls it ("die", "kill", "destroy"). */
    void (*event)(void *ctx, const char *name, const char *action);
    /* Time to look at all containers, whatever was heard. */
    void (*look)(void *ctx);
    void *ctx;
};

/* Copies the parts. Connects to nothing. ERR_INVALID: where is no address. */
int container_host_open(struct container_host **out,
                        const struct container_host_parts *parts,
                        struct err *e);
void container_host_close(struct container_host *h); /* NULL is fine */

/* From the first true on it is looked for until it answers, and again whenever
 * it goes away; some time after false it is let go of. Cheap to repeat. */
void container_host_want(struct container_host *h, bool wanted);

/* Something began: look sooner, and then less and less often. */
void container_host_hasten(struct container_host *h);

bool container_host_there(const struct container_host *h);
/* Why it is not there; ERR_NONE while it was not asked yet. */
const struct err *container_host_trouble(const struct container_host *h);
/* It never answered in this life of ours, and was asked for a while, or cannot
 * be asked at all: no use in waiting. */
bool container_host_hopeless(const struct container_host *h);
bool container_host_is_podman(const struct container_host *h);
/* Of the engine, as 20.010 for 20.10; podman 4.3 is 4.003. */
double container_host_version(const struct container_host *h);
/* Known to be reached over TCP: its folders need not be ours. */
bool container_host_is_remote(const struct container_host *h);
/* Heard all that happened since then (steady milliseconds). */
bool container_host_heard_since(const struct container_host *h,
                                int64_t steady_ms);

/* As hub_send; r->path without the version ("/containers/json"). Only while it
 * is there. */
struct hub_call *container_host_send(struct container_host *h,
                                     const struct hub_request *r);
/* Tell it about an answer of status 0: the engine is away then. */
void container_host_lost(struct container_host *h, const struct err *why);

/* The engine's own words for what it would not do, in one line; out has room
 * for `size` bytes. */
void container_host_said(const struct hub_answer *a, char *out, size_t size);

#endif
