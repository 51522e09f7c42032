/* Google's Cloud Logging, as far as their command line needs it to print what
 * a job wrote: POST /v2/entries:list. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_LOGS_H
#define GOOGLE_LOGS_H

#include "google/google_call.h"

extern const struct google_route google_logs_routes[];

#endif
