/* VizierService's trials: create, get, list, delete, and the optimal ones. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_TRIALS_H
#define GOOGLE_TRIALS_H

#include "google/google_call.h"

/* Python's client reads one page only and asks for no size. */
enum { GOOGLE_TRIALS_PAGE = 10000 };

extern const struct google_route google_trials_routes[];

#endif
