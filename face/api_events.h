/* Following a study, or all of them: events, and waiting for the next; as an
 * answer to each question, or as a stream of server-sent events. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_EVENTS_H
#define FACE_API_EVENTS_H

#include "face/call.h"

/* Of one study, and of all (a call without a study). */
call_fn api_events;

/* Something of the study is new: those who wait for it are answered. */
void api_events_changed(struct face *face, int64_t study);

/* Everybody who waits is answered with what there is, and streams end. */
void api_events_release(struct face *face);

#endif
