/* Errors as HTTP answers: the one place where a code becomes a status. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_REPLY_H
#define FACE_REPLY_H

#include "base/err.h"
#include "base/fault.h"
#include "base/text.h"

/* "invalid", "absent" … as docs/api.md names them, and the HTTP status. */
const char *reply_code(enum err_code code);
int reply_status(enum err_code code);

/* Appends {"error": {…}}. With faults (f may be NULL or empty) they are listed
 * with their places, and the sentence is the first of them. */
void reply_error(struct text *out, const struct err *e, const struct faults *f);

#endif
