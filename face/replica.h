/* Replicas by their names, as people and Vertex call them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_REPLICA_H
#define FACE_REPLICA_H

#include "base/err.h"
#include "study/study.h"

/* The replica's own folder below the attempt's, "worker-0", or "" of the
 * master. "worker-0", and "workerpool1-0" as Vertex has it; "master" alone will
 * do. Yours. ERR_ABSENT lists those that there are. */
int replica_find(const struct study *s, const char *name, char **out,
                 struct err *e);

#endif
