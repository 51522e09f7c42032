/* Asking for trials of a study that launches nothing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_ASK_H
#define FACE_API_ASK_H

#include "face/call.h"

/* A client that asks for several holds the first under its own name and the
 * others under NAME/2, NAME/3 …, so that asking again gives the same ones. */
call_fn api_ask;

#endif
