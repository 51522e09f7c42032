/* Looks how much memory of the GPUs is used, on a thread of its own: a driver
 * that hangs holds nobody up. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_GPU_WATCH_H
#define TRIALS_GPU_WATCH_H

#include "io/loop.h"
#include "trials/gpus.h"

struct gpu_watch;

/* *out is NULL if there is nothing to watch: no GPU of which the memory is
 * known. g is written to, on the loop only, and outlives the watch, as the loop
 * does. library: as of gpus_find. */
int gpu_watch_open(struct gpu_watch **out, struct loop *l, struct gpus *g,
                   const char *library, struct err *e);
void gpu_watch_close(struct gpu_watch *w); /* NULL is fine */

/* A look begins, unless one is under way; after it g->looked is another. */
void gpu_watch_ask(struct gpu_watch *w);

#endif
