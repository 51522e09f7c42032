/* Google's interfaces: VizierService and the jobs of Vertex AI, and AI
 * Platform Training, under /v1 and /v1beta1. The table of tables of routes.
 *
 * To add routes: write google/google_WHAT.{c,h} with a table
 * `const struct google_route google_WHAT_routes[]` that ends with {0}, and name
 * it in google.c. A handler
 *
 *     static int show(struct google_call *g, struct err *e)
 *
 * finds the stars of its pattern in g->project, g->location and g->ids (by
 * google_id as numbers), reads the body with google_body and a table of
 * fields, changes things through the engine's doors (and, after google_begin,
 * rows of store/store_google.h), and ends with google_answer, or
 * google_operations_done where Google answers with an operation. To refuse it
 * returns google_err, google_field or google_faults, or the -1 of whatever
 * failed. Who may call it is a column of the table. docs/vertex.md lists what
 * there is. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_H
#define GOOGLE_H

#include "face/call.h"
#include "google/google_call.h"

/* For the api, which hands the paths of these interfaces on. */
extern const struct face_guest google_guest;

/* Every route, for tests and lists; NULL after the last one. */
const struct google_route *google_route(size_t i);

#endif
