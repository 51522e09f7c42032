/* Google's long-running operations: most are done when they are first told of,
 * the others are asked for again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_OPERATIONS_H
#define GOOGLE_OPERATIONS_H

#include "google/google_call.h"

extern const struct google_route google_operations_routes[];

/* What an operation says besides whether it is done. Types are names of
 * Google's messages ("SuggestTrialsResponse"), or, with a dot in them, full
 * names ("google.protobuf.Empty"). json is taken. */
struct google_operation {
    const char *on; /* the resource: "projects/p/locations/l/studies/7" */
    const char *metadata_type;
    json_t *metadata; /* without genericMetadata; NULL = nothing more */
    const char *response_type; /* NULL = none yet */
    json_t *response;          /* NULL = empty */
};

/* Stores an operation that is done and answers with it. */
int google_operations_done(struct google_call *g,
                           const struct google_operation *o, struct err *e);

/* Stores one; *id is its number. Without a response it is not done yet, or, if
 * `why` is there, done with that error. */
int google_operations_begin(struct face *face, const struct google_operation *o,
                            int64_t *id, const struct err *why, struct err *e);
/* Ends it: with the response, or, where that has no type, with the error. */
int google_operations_end(struct face *face, int64_t id,
                          const struct google_operation *o,
                          const struct err *why, struct err *e);
/* The operation as it is stored, for an answer; NULL with *e. */
json_t *google_operations_show(struct face *face, const char *version,
                               const char *on, int64_t id, struct err *e);

#endif
