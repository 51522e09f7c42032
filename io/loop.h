/* The loop: waits for descriptors, timers, signals and children, and calls
 * back. The only place that waits. Everything runs on the thread that runs it.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_LOOP_H
#define IO_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct loop;
struct loop_watch; /* one timer, descriptor or signal; freed by loop_forget */

typedef void loop_fn(void *ctx);

int loop_open(struct loop **out, struct err *e);
void loop_close(struct loop *l);

/* Runs until loop_stop. After each round of callbacks `turned` is called once
 * (may be NULL): the place for work that closes a round, such as a commit. */
void loop_run(struct loop *l, loop_fn *turned, void *ctx);
void loop_stop(struct loop *l);
/* From `turned`: calls back what is ready now, without waiting. */
void loop_gather(struct loop *l);

/* fn is called once, delay_ms from now; the watch is gone after it. */
struct loop_watch *loop_after(struct loop *l, int64_t delay_ms, loop_fn *fn,
                              void *ctx);
/* fn is called every period_ms until it is forgotten. */
struct loop_watch *loop_every(struct loop *l, int64_t period_ms, loop_fn *fn,
                              void *ctx);
/* fn is called whenever fd can be read (a pidfd: once its process ended). */
struct loop_watch *loop_readable(struct loop *l, int fd, loop_fn *fn,
                                 void *ctx);
struct loop_watch *loop_signal(struct loop *l, int signal_number, loop_fn *fn,
                               void *ctx);
/* NULL is fine; the descriptor stays open. It may be forgotten in its own
 * callback or in another's: its fn is not called any more, and its memory stays
 * until the round ends. A loop_after is forgotten by itself when it is due. */
void loop_forget(struct loop_watch *w);

/* For io/serve.c: the libevent base, an event_base *. */
void *loop_base(struct loop *l);

#endif
