/* Tells whoever started us how we are: one datagram to $NOTIFY_SOCKET. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un where;
static socklen_t where_n; /* 0 = nobody asked */

void notify_begin(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t n = path ? strlen(path) : 0;

    where_n = 0;
    if (n > 1 && n < sizeof where.sun_path && strchr("/@", *path)) {
        where = (struct sockaddr_un){.sun_family = AF_UNIX};
        memcpy(where.sun_path, path, n);
        if (*path == '@') /* a name that is no file */
            where.sun_path[0] = 0;
        where_n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
    }
    (void)unsetenv("NOTIFY_SOCKET");
}

void notify(const char *state)
{
    int fd;

    if (!where_n)
        return;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    (void)sendto(fd, state, strlen(state), MSG_NOSIGNAL,
                 (const struct sockaddr *)&where, where_n);
    (void)close(fd);
}
