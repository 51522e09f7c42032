/* A whole study's trials as a file: CSV, JSON, or JSON lines. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_API_EXPORT_H
#define TUNER_API_EXPORT_H

#include "tuner/call.h"

/* The answer goes out in pieces, as fast as the client takes it. */
call_fn api_export;

#endif
