/* Following a study: events, and waiting for the next. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_API_EVENTS_H
#define TUNER_API_EVENTS_H

#include "tuner/call.h"

call_fn api_events;

/* Something of the study is new: those who wait for it are answered. */
void api_events_changed(struct face *face, int64_t study);

/* Everybody who waits is answered with what there is. */
void api_events_release(struct face *face);

#endif
