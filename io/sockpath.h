/* Unix sockets at paths longer than an address can hold. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_SOCKPATH_H
#define IO_SOCKPATH_H

#include <sys/un.h>

#include "base/err.h"

/* The same socket under a name that fits: the path itself, or one by way of
 * its opened folder. Good until sockpath_clear. */
struct sockpath {
    struct sockaddr_un address;
    int folder; /* descriptor, or -1 */
};

int sockpath_init(struct sockpath *p, const char *path, struct err *e);
void sockpath_clear(struct sockpath *p); /* may be called twice */

#endif
