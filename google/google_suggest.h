/* VizierService's SuggestTrials: an operation that is done at once if the
 * trials are there soon, and is asked for again if they are not. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_SUGGEST_H
#define GOOGLE_SUGGEST_H

#include "google/google_call.h"

enum {
    GOOGLE_SUGGEST_MOST = 1000,   /* trials in one call */
    GOOGLE_SUGGEST_CLIENT = 256,  /* bytes of a client's name */
    GOOGLE_SUGGEST_WAIT_MS = 2000 /* Python's client gives a call 5 s */
};

extern const struct google_route google_suggest_routes[];

#endif
