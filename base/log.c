/* The log: one write(2) a line, so that lines of several processes do not mix.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"error", "warn", "info", "debug"};
static enum log_level limit = LOG_LEVEL_INFO;

void log_limit(enum log_level least_urgent)
{
    limit = least_urgent;
}

void log_write(enum log_level level, const char *event, const char *fmt, ...)
{
    char line[1200];
    va_list args;
    size_t n;

    if (level > limit)
        return;
    n = (size_t)snprintf(line, sizeof line, "level=%s event=%s ", names[level],
                         event);
    va_start(args, fmt);
    vsnprintf(line + n, sizeof line - n - 1, fmt, args);
    va_end(args);
    for (char *c = line; *c; c++) /* a line is a line, whatever it quotes */
        if (*c == '\n' || *c == '\r')
            *c = ' ';
    n = strlen(line);
    line[n] = '\n';
    if (write(STDERR_FILENO, line, n + 1) < 0)
        return; /* nobody is left to tell */
}
