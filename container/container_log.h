/* What a container prints, carried into FOLDER/stdout.log and stderr.log while
 * it runs, each byte once: files that are there already are gone on with. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_LOG_H
#define TRIALS_CONTAINER_LOG_H

#include "container/container_host.h"
#include "io/loop.h"

struct container_log;

typedef void container_log_fn(void *ctx);

/* Makes both files and follows. The host outlives it; while the host is away
 * nothing is read. */
struct container_log *container_log_open(struct container_host *h,
                                         struct loop *l, const char *container,
                                         const char *folder);
void container_log_close(struct container_log *g); /* NULL is fine */

/* The host is away, or there again. */
void container_log_pause(struct container_log *g);
void container_log_go_on(struct container_log *g);

/* The container has ended: reads what is left, then calls fn, once. */
void container_log_finish(struct container_log *g, container_log_fn *fn,
                          void *ctx);

#endif
