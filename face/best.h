/* The trials that no other of their study beats, where it has several
 * objectives. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_BEST_H
#define FACE_BEST_H

#include <stdbool.h>

#include "base/text.h"
#include "store/store.h"

/* Says whether the study has several objectives. */
int best_is_front(struct store *store, int64_t study, bool *several,
                  struct err *e);

/* The trials of the front as JSON objects with commas, the best of the first
 * objective first; at most `limit` of them (0 = all). */
int best_write_front(struct text *out, struct store *store, int64_t study,
                     int64_t limit, struct err *e);

#endif
