/* Nodes: which machines trials ran on, and which of them is avoided because
 * trials break there at once that go well elsewhere. Kept in memory only: a
 * node is forgiven after an hour, by `resume`, and by a restart. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_NODES_H
#define TUNER_NODES_H

#include "tuner/board.h"

enum { NODES_AT_ONCE_MS = 10000 }; /* a job that breaks sooner breaks at once */

/* The trial's attempt ended well on its node, or lived long enough to say that
 * the node is well. */
void nodes_good(struct board *b, const struct live_trial *t);

/* The trial's attempt broke at once, by its own fault as it seems, and that
 * looked so. True if its node is to blame: then it is avoided from now on (or
 * was already), those that it broke before are tried again, and none of them
 * counts. On a failed write the board is broken. */
bool nodes_bad(struct board *b, const struct live_trial *t, const char *look);

/* "n2,n5", those that are avoided now; nothing if there are none. */
void nodes_avoided(const struct board *b, struct text *out);

/* One line for each that is avoided. */
void nodes_why(const struct board *b, struct text *out);

void nodes_forgive(struct board *b); /* all of them */
void nodes_clear(struct board *b);

#endif
