/* The lock on a state directory: one service each. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "store/disk.h"

/* The living process that the lock file names, or 0: its holder may be about
 * to write its number, over that of one that has died. */
static int64_t holder(int fd)
{
    char line[24] = "";
    ssize_t n = pread(fd, line, sizeof line - 1, 0);
    int64_t pid;

    if (n < 1 || line[n - 1] != '\n')
        return 0;
    line[n - 1] = '\0';
    if (!number_read_int(line, &pid) || pid < 1 || pid > INT32_MAX)
        return 0;
    return kill((pid_t)pid, 0) && errno == ESRCH ? 0 : pid;
}

static int refuse(const char *state_dir, int fd, int error_number,
                  struct err *e)
{
    int64_t pid;

    if (error_number != EWOULDBLOCK) {
        err_errno(e, error_number, "%s cannot be locked", state_dir);
        if (e)
            e->code = ERR_IO;
        return -1;
    }
    pid = holder(fd);
    if (!pid)
        return err_set(e, ERR_CONFLICT, "%s is in use by another process",
                       state_dir);
    return err_set(e, ERR_CONFLICT, "%s is in use by process %lld", state_dir,
                   (long long)pid);
}

/* Who holds it is for people: that it cannot be written (a full disk) takes
 * nothing from the lock. */
static void sign(int fd)
{
    char line[24];
    int n = snprintf(line, sizeof line, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) || pwrite(fd, line, (size_t)n, 0) != n)
        return;
}

static int take(const char *state_dir, int fd, struct err *e)
{
    while (flock(fd, LOCK_EX | LOCK_NB))
        if (errno != EINTR)
            return refuse(state_dir, fd, errno, e);
    sign(fd);
    return 0;
}

int lock_take(const char *state_dir, int *fd, struct err *e)
{
    char *path;
    int opened, error_number;

    if (disk_make_folder(state_dir, e))
        return -1;
    path = mem_format("%s/lock", state_dir);
    opened = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    error_number = errno;
    free(path);
    if (opened < 0)
        return refuse(state_dir, -1, error_number, e);
    if (take(state_dir, opened, e)) {
        close(opened);
        return -1;
    }
    *fd = opened;
    return 0;
}

void lock_release(int fd)
{
    int emptied = ftruncate(fd, 0); /* so that nobody is named who has gone */

    (void)emptied;
    close(fd);
}
