/* The launcher for containers of Docker or podman: each replica of a job is one
 * container, spoken of over the engine's HTTP socket.
 *
 * What it keeps of launcher.h's promise, and how: a name runs once because an
 * engine gives a container's name once, and a container that was ever begun is
 * not begun again; nothing of an ended job is left because its containers are
 * removed before its end is told. While the engine is away nothing is known,
 * and nothing is told: its jobs are looked at when it is back. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_H
#define TRIALS_CONTAINER_H

#include "base/err.h"
#include "io/loop.h"
#include "trials/launcher.h"
#include "trials/ports.h"

/* host: the engine's address as DOCKER_HOST has it (unix:///path, tcp://…), or
 * NULL: then DOCKER_HOST, else the first socket that is there of podman's and
 * Docker's, looked for when there is a job. Connects to nothing now. The loop
 * and the ports outlive the launcher. Close it by (*out)->type->close.
 * ERR_INVALID: host is no such address. */
int container_open(struct launcher **out, struct loop *l, struct ports *ports,
                   const char *host, launcher_news_fn *news, void *ctx,
                   struct err *e);

#endif
