/* The lock on a state directory: one service each. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "base/err.h"

/* Makes the directory if it is missing (mode 0700, its parents too) and takes
 * the lock of its file `lock`, which then holds our process id as a line. The
 * kernel keeps the lock, so it ends with the process, however that ends; *fd
 * is close-on-exec and no child inherits it by exec. ERR_CONFLICT naming the
 * process if another one holds it, ERR_IO if the directory cannot be used. */
int lock_take(const char *state_dir, int *fd, struct err *e);

/* Gives it back and closes fd. The file stays. */
void lock_release(int fd);

#endif
