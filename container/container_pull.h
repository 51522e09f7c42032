/* Images that are fetched, each once for all who wait for it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_PULL_H
#define TRIALS_CONTAINER_PULL_H

#include <stdbool.h>

#include "container/container_host.h"

struct container_pulls;

/* An image was fetched (said ""), or could not be: in the engine's words. */
typedef void container_pull_fn(void *ctx, const char *image, const char *said);

struct container_pulls *container_pulls_new(struct container_host *h,
                                            container_pull_fn *fn, void *ctx);
void container_pulls_free(struct container_pulls *p); /* NULL is fine */

/* fn will be called for the image; not from inside. Again is fine. */
void container_pulls_want(struct container_pulls *p, const char *image);
/* The engine is away: nothing is fetched any more, nobody is told. */
void container_pulls_away(struct container_pulls *p);

#endif
