/* A whole study's trials as a file: CSV, JSON, or JSON lines. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_EXPORT_H
#define FACE_API_EXPORT_H

#include "face/call.h"

/* The answer goes out in pieces, as fast as the client takes it. */
call_fn api_export;

#endif
