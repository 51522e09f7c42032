/* The machine's clock, and times as text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_ms(clockid_t id)
{
    struct timespec t;

    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t real_wall(void *ctx)
{
    (void)ctx;
    return read_ms(CLOCK_REALTIME);
}

static int64_t real_steady(void *ctx)
{
    (void)ctx;
    return read_ms(CLOCK_MONOTONIC);
}

const struct clock clock_real = {real_wall, real_steady, NULL};

int64_t clock_wall_ms(const struct clock *c)
{
    return c->wall_ms(c->ctx);
}

int64_t clock_steady_ms(const struct clock *c)
{
    return c->steady_ms(c->ctx);
}

const char *clock_print(int64_t wall_ms, char out[CLOCK_TEXT])
{
    time_t s = (time_t)(wall_ms / 1000);
    struct tm tm;
    char date[CLOCK_TEXT - 8];

    gmtime_r(&s, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, CLOCK_TEXT, "%s.%03dZ", date, (int)(wall_ms % 1000));
    return out;
}
