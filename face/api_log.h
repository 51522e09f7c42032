/* What a trial printed. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_LOG_H
#define FACE_API_LOG_H

#include "face/call.h"

call_fn api_log;

/* Those who follow get no more. */
void api_log_release(struct face *face);

#endif
