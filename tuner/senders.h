/* Senders: whoever forwards the reports of an attempt from where it runs, and
 * how many came of each, so that what was sent twice counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_SENDERS_H
#define TUNER_SENDERS_H

#include "tuner/board.h"

struct json_t; /* jansson's */

enum {
    SENDERS_MOST = 64
}; /* of an attempt; reports of others are passed over
    */

/* Takes what is new of the batch (engine_hear). -1: a write failed, and the
 * board is broken. */
int senders_hear(struct board *b, struct live_trial *t,
                 const struct engine_batch *batch, struct engine_heard *out);

/* The counts as a part of the attempt's marks. */
void senders_write(const struct live_trial *t, struct json_t *marks);
void senders_read(struct live_trial *t, const struct json_t *marks);

#endif
