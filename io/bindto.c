/* Sockets to listen on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/bindto.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/sockpath.h"

/* Makes way at `path` for a socket of ours. */
static int clear_way(const char *path, const struct sockpath *p, struct err *e)
{
    struct stat st;
    int fd;
    int refused;

    if (lstat(path, &st))
        return errno == ENOENT ? 0 : err_errno(e, errno, "cannot see %s", path);
    if (!S_ISSOCK(st.st_mode))
        return err_set(e, ERR_CONFLICT, "%s is there and is no socket", path);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return err_errno(e, errno, "cannot make a socket");
    refused =
        connect(fd, (const struct sockaddr *)&p->address, sizeof p->address) &&
        errno == ECONNREFUSED;
    close(fd);
    if (!refused)
        return err_set(e, ERR_CONFLICT, "somebody listens on %s", path);
    if (unlink(path) && errno != ENOENT)
        return err_errno(e, errno, "cannot replace the old socket %s", path);
    return 0;
}

/* Nobody can connect before the mode is set: that takes listen. */
static int make(const char *path, const struct sockpath *p, struct err *e)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 &&
        !bind(fd, (const struct sockaddr *)&p->address, sizeof p->address) &&
        !chmod(path, 0600))
        return fd;
    err_errno(e, errno, "cannot make the socket %s", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

static int bind_tcp(const struct addrinfo *a)
{
    int yes = 1;
    int fd =
        socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (a->ai_family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    if (!bind(fd, a->ai_addr, a->ai_addrlen))
        return fd;
    close(fd);
    return -1;
}

static int port_of(int fd)
{
    struct sockaddr_storage address;
    socklen_t n = sizeof address;
    char port[16] = "";

    if (!getsockname(fd, (struct sockaddr *)&address, &n))
        getnameinfo((struct sockaddr *)&address, n, NULL, 0, port, sizeof port,
                    NI_NUMERICSERV);
    return (int)strtol(port, NULL, 10);
}

int bindto_unix(const char *path, struct err *e)
{
    struct sockpath p;
    int fd = -1;

    if (sockpath_init(&p, path, e))
        return -1;
    if (!clear_way(path, &p, e))
        fd = make(path, &p, e);
    sockpath_clear(&p);
    return fd;
}

int bindto_tcp(const char *host, int port, int *bound_port, struct err *e)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    char service[16];
    int fd = -1;
    int rc;

    snprintf(service, sizeof service, "%d", port);
    rc = getaddrinfo(host, service, &hints, &found);
    if (rc)
        return err_set(e, ERR_INVALID, "no address %s port %d: %s", host, port,
                       gai_strerror(rc));
    for (struct addrinfo *a = found; a && fd < 0; a = a->ai_next)
        fd = bind_tcp(a);
    rc = errno;
    freeaddrinfo(found);
    if (fd < 0)
        return err_errno(e, rc, "cannot listen on %s port %d", host, port);
    if (bound_port)
        *bound_port = port_of(fd);
    return fd;
}
