/* Shortens a socket's path by naming its folder as /proc/self/fd/N. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/sockpath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"

static int shorten(struct sockpath *p, const char *path, struct err *e)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *folder = slash ? mem_copy_bytes(path, (size_t)(slash - path) + 1)
                         : mem_copy_text(".");
    int rc = 0;

    if (strlen(name) > 64)
        rc = err_set(e, ERR_INVALID,
                     "the socket's name %s is too long (64 bytes at most)",
                     name);
    else if ((p->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
        rc = err_errno(e, errno, "cannot open the folder %s", folder);
    else
        snprintf(p->address.sun_path, sizeof p->address.sun_path,
                 "/proc/self/fd/%d/%s", p->folder, name);
    free(folder);
    return rc;
}

int sockpath_init(struct sockpath *p, const char *path, struct err *e)
{
    size_t n = strlen(path);

    *p = (struct sockpath){.folder = -1};
    p->address.sun_family = AF_UNIX;
    if (n == 0)
        return err_set(e, ERR_INVALID, "the socket's path is empty");
    if (n >= sizeof p->address.sun_path)
        return shorten(p, path, e);
    memcpy(p->address.sun_path, path, n + 1);
    return 0;
}

void sockpath_clear(struct sockpath *p)
{
    if (p->folder >= 0)
        close(p->folder);
    p->folder = -1;
}
