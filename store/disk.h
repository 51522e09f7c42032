/* The place on disk where the state lies. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_DISK_H
#define STORE_DISK_H

#include "base/err.h"

/* Makes the folder and those above it that are missing, mode 0700. One that is
 * there is left as it is. ERR_IO if it cannot be, or is no folder. */
int disk_make_folder(const char *path, struct err *e);

/* ERR_IO if the file at path lies, or would lie, on a network file system:
 * locks and shared memory are not to be trusted there, and SQLite needs both.
 * HYPERTUNE_ALLOW_NETWORK_DISK=1 in the environment allows it. A path that
 * cannot be looked at passes: opening it will say more. */
int disk_check_local(const char *path, struct err *e);

/* "NFS", …, or NULL if statfs's f_type is no network file system that we know.
 * Only the lower 32 bits count. */
const char *disk_network_name(unsigned long type);

#endif
