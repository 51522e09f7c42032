/* What a client of Google's interfaces sends, read by the rules of proto3 JSON
 * through tables of fields, and said back in one spelling.
 *
 * Fields may be in lowerCamelCase or snake_case, enums be names or numbers,
 * 64-bit integers text or numbers, doubles numbers or text; null is absent.
 * What comes out has lowerCamelCase, names of enums, int64 as text and doubles
 * as numbers (the three that JSON lacks as "NaN", "Infinity", "-Infinity"). An
 * unknown field, a wrong type and two members of a oneof are refused, and the
 * field is named. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_BODY_H
#define GOOGLE_BODY_H

#include "google/google_call.h"

enum google_kind {
    GOOGLE_END, /* of a table */
    GOOGLE_TEXT,
    GOOGLE_BOOL,
    GOOGLE_INT32,
    GOOGLE_INT64,
    GOOGLE_DOUBLE,
    GOOGLE_ENUM,     /* names: its names by number */
    GOOGLE_MESSAGE,  /* message: its table */
    GOOGLE_TIME,     /* RFC 3339 */
    GOOGLE_DURATION, /* "3.5s" */
    GOOGLE_VALUE,    /* any number, text or truth */
    GOOGLE_ANY,      /* any JSON, as it is */
    GOOGLE_MAP,      /* of texts to texts */
    GOOGLE_OUTPUT,   /* the server's to fill: passed over */
    GOOGLE_REFUSED   /* why: the sentence; what says nothing is passed over */
};

struct google_message {
    const char *name;
    enum google_kind kind;
    bool many;                            /* a list of them */
    int oneof;                            /* those of one number exclude each
                                             other; 0 = none */
    const struct google_message *message; /* of MESSAGE: ends with GOOGLE_END */
    const char *const *names;             /* of ENUM: by number, "" for a hole;
                                             ends with NULL */
    const char *why;
};

/* Reads the request's body; no bytes at all are an empty message. Returns the
 * message, to be freed by json_decref, or NULL with *e. */
json_t *google_body(struct google_call *g, const struct google_message *m,
                    struct err *e);
/* The same of a value; `path` is where it lies, "" at the top. */
json_t *google_body_of(struct google_call *g, const struct google_message *m,
                       const json_t *value, const char *path, struct err *e);

/* ---- reading what came out; absent is "", 0, false, NULL ---- */

const char *google_text(const json_t *m, const char *name);
int64_t google_int(const json_t *m, const char *name);
double google_double(const json_t *m, const char *name);
bool google_bool(const json_t *m, const char *name);
/* Of a VALUE or double: false if it is no number. */
bool google_double_of(const json_t *value, double *out);
/* "3.5s" in nanoseconds; 0 if absent. */
int64_t google_nanos(const json_t *m, const char *name);
/* A time in wall-clock milliseconds; 0 if absent. */
int64_t google_wall(const json_t *m, const char *name);

#endif
