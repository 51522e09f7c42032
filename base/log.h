/* The log: one fact a line, key=value, to stderr. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level {
    LOG_LEVEL_ERROR, /* someone must act */
    LOG_LEVEL_WARN,  /* we coped */
    LOG_LEVEL_INFO,  /* a person follows along */
    LOG_LEVEL_DEBUG
};

/* What is less urgent than this is not written. INFO at the start. */
void log_limit(enum log_level least_urgent);

/* Writes `level=… event=… ` and the rest, which the caller formats as
 * key=value pairs; text with blanks stands in double quotes. */
void log_write(enum log_level level, const char *event, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
