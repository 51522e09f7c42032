/* The ceilings: libevent's own HTTP server with nothing behind it, and with
 * nothing but a synced write a round. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_SERVICE_CEILING_H
#define BENCH_SERVICE_CEILING_H

#include <sys/types.h>

/* A process that answers every request at the Unix socket with {}; to be
 * killed by whoever began it. With `sync`, a file that it makes, a page is
 * written to it and synced before the answers of each round of its loop: what
 * anything durable must cost on that disk. */
pid_t ceiling_begin(const char *socket, const char *sync);

#endif
