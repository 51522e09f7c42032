/* The trials that no other of their study beats, where it has several
 * objectives. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_BEST_H
#define FACE_BEST_H

#include <stdbool.h>

#include "base/text.h"
#include "store/store.h"

/* The trials of the front as JSON objects with commas, the best of the first
 * objective first; at most `limit` of them (0 = all). Nothing, and *several is
 * false, if the study has one objective. */
int best_front(struct text *out, struct store *store, int64_t study,
               int64_t limit, bool *several, struct err *e);

#endif
