/* The launcher for this machine: each job's replicas are processes under one
 * hypertune-shim, so that jobs outlive the service and are found again.
 *
 * What it keeps of launcher.h's promise, and how: a name runs once because
 * the first to make FOLDER/status runs it; nothing of an ended job is left
 * because its shim is the subreaper of all that it started. Memory and
 * processors are limited for each replica as well as this machine lets us
 * (trials/limits.h); GPUs are the caller's, who sets CUDA_VISIBLE_DEVICES. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_LOCAL_H
#define TRIALS_LOCAL_H

#include "base/err.h"
#include "io/loop.h"
#include "trials/launcher.h"
#include "trials/ports.h"

/* shim_path: the program hypertune-shim, absolute; copied. Jobs get the soft
 * limit on open files that holds now, also when it is raised later: programs
 * that use select() bear no high one. The loop and the ports outlive the
 * launcher. Close it by (*out)->type->close. ERR_ABSENT: no such program. It
 * waits for its own children by pid and lets all others be. */
int local_open(struct launcher **out, struct loop *l, struct ports *ports,
               const char *shim_path, launcher_news_fn *news, void *ctx,
               struct err *e);

#endif
