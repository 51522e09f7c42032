/* What matters: how much of a study's results each parameter explains. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_IMPORTANCE_H
#define FACE_API_IMPORTANCE_H

#include "face/call.h"

call_fn api_importance;

/* Adds docs/api.md's importance of the call's study to its answer, then the
 * text `close` (a constant), which completes it; now, or, with the call kept,
 * when it has been worked out. */
int api_importance_add(struct call *c, const char *close, struct err *e);

/* Waits for what is being worked out and drops it, the desk with all that was
 * found. Nobody waits any more, or call_end_all comes after. */
void api_importance_close(struct face *face);

#endif
