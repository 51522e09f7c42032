/* The owner's token: made when a state directory is first served, kept in its
 * file `token`, which only its owner can read. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_OWNER_H
#define FACE_OWNER_H

#include "base/err.h"

/* Every token that we make begins so: searches for leaked secrets find it. */
#define OWNER_PREFIX "ht_"

enum { OWNER_LEAST = 32, OWNER_MOST = 200 }; /* characters */

/* Reads STATE/token, or makes it (mode 0600) if it is not there. Yours to
 * free. A file that holds no token of at least OWNER_LEAST printable
 * characters on its first line is ERR_IO, and is left alone. */
int owner_token(const char *state_dir, char **out, struct err *e);

#endif
