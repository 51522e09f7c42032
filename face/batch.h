/* A batch of reports, as one who forwards them sends it: with its name and how
 * many it sent before, so that what is sent twice counts once. docs/api.md is
 * the contract. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_BATCH_H
#define FACE_BATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tuner/engine.h"

struct batch {
    struct engine_batch engine; /* points into the rest */
    struct report *reports;
    struct json_t *json; /* jansson's */
};

/* Whether the body may be a batch, and is no single report: it says "reports".
 */
bool batch_is(const char *bytes, size_t n);

/* *out must be cleared after, on failure too. ERR_INVALID names the field. */
int batch_read(struct batch *out, const char *bytes, size_t n, struct err *e);
void batch_clear(struct batch *b); /* may be called twice */

#endif
