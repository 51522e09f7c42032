/* Times as Google's interfaces write them: RFC 3339 with any offset. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_TIME_H
#define GOOGLE_TIME_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* Nanoseconds since 1970 UTC: a date, or a date and a time
 * with 0 to 9 digits of a second and Z or an offset. False if it is neither,
 * or outside the years 1678 to 2261. */
bool google_time_read(const char *text, int64_t *ns);

/* "2026-11-21T10:00:00.123Z" with as few groups of three digits as say it
 * all. Appends. */
void google_time_write(int64_t ns, struct text *out);

#endif
