/* Time as something handed in, so that tests can pretend it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* wall: milliseconds since 1970 UTC, for people and the store. steady:
 * milliseconds that never go back, for deadlines. */
struct clock {
    int64_t (*wall_ms)(void *ctx);
    int64_t (*steady_ms)(void *ctx);
    void *ctx;
};

/* The machine's clock. */
extern const struct clock clock_real;

int64_t clock_wall_ms(const struct clock *c);
int64_t clock_steady_ms(const struct clock *c);

enum { CLOCK_TEXT = 32 };

/* "2026-11-21T10:00:00.123Z". Returns out. */
const char *clock_print(int64_t wall_ms, char out[CLOCK_TEXT]);

#endif
