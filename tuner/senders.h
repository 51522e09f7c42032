/* Senders: whoever forwards the reports of an attempt from where it runs, and
 * how many came of each, so that what was sent twice counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_SENDERS_H
#define TUNER_SENDERS_H

#include "tuner/board.h"

struct json_t; /* jansson's */

/* Of an attempt; reports of others are passed over. */
enum { SENDERS_MOST = 64 };

/* Counts the batch (engine_hear). Returns how many of its first reports are
 * known: the others are new. */
size_t senders_hear(struct live_trial *t, const struct engine_batch *batch,
                    struct engine_heard *out);

/* The counts as a part of the attempt's marks. */
void senders_write(const struct live_trial *t, struct json_t *marks);
void senders_read(struct live_trial *t, const struct json_t *marks);

#endif
