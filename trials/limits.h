/* Where this machine lets us keep limits of memory and processors: cgroups of
 * version 2 in a part that was left to us, else of version 1, else limits of
 * the process. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_LIMITS_H
#define TRIALS_LIMITS_H

#include <stdbool.h>

#include "trials/cage.h"

/* Looks, and tries it out. `proc` is "/proc/self", or a folder with files
 * `cgroup` and `mountinfo` like those there. With `systemd`, only what systemd
 * has marked as delegated is touched in version 2. May move this process, and
 * those beside it, one cgroup down, where a container has no other way. */
void limits_find(struct cage_places *out, const char *proc, bool systemd);

/* Whether systemd runs this machine. */
bool limits_systemd(void);

#endif
