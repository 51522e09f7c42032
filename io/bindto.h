/* Sockets to listen on: made and bound, not listened on yet. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_BINDTO_H
#define IO_BINDTO_H

#include "base/err.h"

/* Each returns the descriptor (not blocking, closed on exec), or -1. */

/* Of mode 0600. A socket file that nobody answers on is replaced; ERR_CONFLICT
 * if somebody does, or if the path is no socket. */
int bindto_unix(const char *path, struct err *e);
/* An address, such as "127.0.0.1" or "::1"; port 0 lets the system choose.
 * *bound_port (may be NULL) is the port in use. */
int bindto_tcp(const char *host, int port, int *bound_port, struct err *e);

#endif
