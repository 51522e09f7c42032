/* Leases: how long a client may hold a trial in silence before it is suspect.
 * A suspect trial is not dead. It may be given to another client too, and
 * whoever tells its result first has told it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_LEASE_H
#define TUNER_LEASE_H

#include "base/text.h"
#include "tuner/board.h"

/* Its client asked for it, or reported: the lease begins anew. */
void lease_heard(const struct board *b, struct live_trial *t);

/* Whether its client is to tell its result: it runs, or the study's own rule
 * has asked him to end it. */
bool lease_is_out(const struct live_trial *t);

/* Whether a client holds it and has been silent for longer than the lease. A
 * restart of the service begins all leases anew. */
bool lease_is_suspect(const struct board *b, const struct live_trial *t);

/* Gives the suspect trial that was silent the longest to the client, as it is;
 * NULL if there is none, or if the board is broken now. */
struct live_trial *lease_hand_on(struct board *b, struct live_study *s,
                                 const char *client);

/* Appends what there is to say of it, a sentence behind ": ", if it is
 * suspect. */
void lease_explain(const struct board *b, const struct live_trial *t,
                   struct text *out);

#endif
