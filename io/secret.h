/* Secrets: made of the system's random bits, kept as hashes, compared without
 * saying by the time it takes where they differ. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_SECRET_H
#define IO_SECRET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum { SECRET_TEXT = 65 }; /* 256 bits in hex, and a NUL */

/* 256 random bits. */
int secret_make(char out[SECRET_TEXT], struct err *e);
/* SHA-256. */
void secret_hash(const char *text, char out[SECRET_TEXT]);
/* HMAC-SHA-256: whoever does not know the key cannot make it. */
void secret_sign(const char *key, const char *text, char out[SECRET_TEXT]);
/* Takes as long wherever they differ; only their lengths show. */
bool secret_same(const char *a, const char *b);

#endif
