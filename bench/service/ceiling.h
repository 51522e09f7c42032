/* The ceiling: libevent's own HTTP server with nothing behind it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_SERVICE_CEILING_H
#define BENCH_SERVICE_CEILING_H

#include <sys/types.h>

/* A process that answers every request at the Unix socket with {}; to be
 * killed by whoever began it. */
pid_t ceiling_begin(const char *socket);

#endif
