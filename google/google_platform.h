/* AI Platform Training: projects/P/jobs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_PLATFORM_H
#define GOOGLE_PLATFORM_H

#include "google/google_call.h"

extern const struct google_route google_platform_routes[];

#endif
