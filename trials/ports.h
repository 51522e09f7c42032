/* Ports of this machine for the replicas of jobs: free when they are given
 * out, and no two live jobs of this service have the same. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_PORTS_H
#define TRIALS_PORTS_H

#include <stddef.h>

#include "base/err.h"

struct ports;

/* Ports come from below those that the system gives to outgoing connections,
 * beginning at a place of the dice: two services seldom look at the same. */
struct ports *ports_new(void);
void ports_free(struct ports *p); /* NULL is fine */

/* n ports for that owner, who first gives back those that he has. ERR_BUSY if
 * there are not so many free ones. */
int ports_take(struct ports *p, const char *owner, size_t n, int *out,
               struct err *e);
/* An owner who has none is fine. */
void ports_give_back(struct ports *p, const char *owner);

#endif
