/* VizierService's studies: create, get, list, look up, delete. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_STUDIES_H
#define GOOGLE_STUDIES_H

#include "google/google_body.h"

extern const struct google_route google_studies_routes[];

/* The fields of a ParameterSpec, which may hold others. */
extern const struct google_message google_parameter[];

#endif
