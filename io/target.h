/* What a request asks for: the path and the query of its first line, decoded
 * once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_TARGET_H
#define IO_TARGET_H

#include <stddef.h>

#include "base/err.h"

struct target_pair {
    char *name, *value;
};

struct target {
    char *path; /* begins with '/', "//" and "/./" collapsed */
    struct target_pair *query;
    size_t n, cap;
};

/* Reads "/a?b=c" or "http://host/a?b=c". ERR_INVALID: the path climbs by "..",
 * or holds a zero byte, or is none; or the query holds a zero byte. *out is to
 * be cleared, on failure too. */
int target_read(struct target *out, const char *raw, struct err *e);
void target_clear(struct target *t); /* may be called twice */

/* Of the first pair of that name; NULL if there is none. */
const char *target_value(const struct target *t, const char *name);

/* The host of "http://host:1/a", as it is written; *n is its length. NULL if
 * raw names none. */
const char *target_host(const char *raw, size_t *n);

#endif
