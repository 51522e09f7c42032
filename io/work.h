/* One background thread for slow sums. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_WORK_H
#define IO_WORK_H

#include "base/err.h"
#include "io/loop.h"

/* What gives work to a thread, so that tests can do it at once. sums runs on
 * the worker; done runs on the loop afterwards, always, in the order given. */
struct worker {
    void (*give)(struct worker *w, void (*sums)(void *task),
                 void (*done)(void *task), void *task);
};

/* A real thread whose `done`s are called from the loop. */
int work_open(struct worker **out, struct loop *l, struct err *e);
/* Waits for the task under way and calls done for those that ended, so close
 * it before what they point to; those not begun are dropped without done. Not
 * from inside a done. NULL is fine. */
void work_close(struct worker *w);

/* A worker without a thread: give calls sums and then done. For tests. */
extern struct worker work_at_once;

#endif
