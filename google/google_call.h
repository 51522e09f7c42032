/* What every function behind Google's routes works with: the names that the
 * path holds, errors in Google's shape, pages, and the answer.
 *
 * A handler reads the path's names from *g and the body by google_body.h, and
 * ends with google_answer, or returns -1 with *e. Handlers do not know each
 * other; the table of routes is in google.c, above them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_CALL_H
#define GOOGLE_CALL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fault.h"
#include "face/call.h"
#include "face/role.h"

/* What went wrong, in Google's words; the HTTP status follows from it. */
enum google_code {
    GOOGLE_OF_ERR,       /* what the struct err's code means */
    GOOGLE_INVALID,      /* 400 INVALID_ARGUMENT */
    GOOGLE_PRECONDITION, /* 400 FAILED_PRECONDITION: not in this state */
    GOOGLE_ABSENT,       /* 404 NOT_FOUND */
    GOOGLE_EXISTS,       /* 409 ALREADY_EXISTS */
    GOOGLE_ABORTED,      /* 409 ABORTED */
    GOOGLE_EXHAUSTED,    /* 429 RESOURCE_EXHAUSTED */
    GOOGLE_CANCELLED,    /* 499 CANCELLED */
    GOOGLE_INTERNAL,     /* 500 INTERNAL */
    GOOGLE_UNSUPPORTED,  /* 501 UNIMPLEMENTED */
    GOOGLE_UNAVAILABLE,  /* 503 UNAVAILABLE */
    GOOGLE_CODES
};

enum { GOOGLE_NAME = 256, GOOGLE_IDS = 3 };

struct google_call {
    struct call *call;
    const char *version; /* "v1" or "v1beta1"; constant */
    /* What the stars of the pattern stood for; "" where it has none. */
    char project[GOOGLE_NAME], location[GOOGLE_NAME];
    char ids[GOOGLE_IDS][GOOGLE_NAME]; /* the others, in order */
    size_t n_ids;
    enum google_code code;   /* of the error to come */
    char field[GOOGLE_NAME]; /* which field is at fault; "" = none */
};

/* 0: answered (or the call is kept); -1: *e says why not. */
typedef int google_fn(struct google_call *g, struct err *e);

/* One route. The pattern follows the version; each star is one segment:
 * "projects/STAR/locations/STAR/studies/STAR:verb". A pattern that begins with
 * '/' is a whole path. */
struct google_route {
    const char *method, *pattern, *sentence;
    google_fn *fn;
    enum role role;
};

/* ---- errors ---- */

/* Sets *e, and what is answered when the handler returns it. Returns -1. */
int google_err(struct google_call *g, enum google_code code, struct err *e,
               const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* INVALID_ARGUMENT because of that field ("study_spec.metrics[0].goal"), which
 * is said before the sentence. Returns -1. */
int google_field(struct google_call *g, const char *field, struct err *e,
                 const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* INVALID_ARGUMENT: all that a decoder found. Returns -1. */
int google_faults(struct google_call *g, const struct faults *f, struct err *e);
/* ERR_ABSENT for the resource that the path names. Returns -1. */
int google_absent(struct google_call *g, struct err *e);

enum google_code google_code_of(const struct err *e);
int google_grpc(enum google_code code); /* gRPC's number, for operations */
/* Makes the answer {"error": {…}}. */
void google_fail(struct google_call *g, const struct err *e);

/* ---- answers ---- */

/* The answer of the call; j is taken. */
void google_answer(struct google_call *g, json_t *j);
/* The same for a call that was kept. */
void google_write(struct call *c, json_t *j);
/* As Google's servers write times: UTC, milliseconds if there are any; NULL
 * for 0. */
json_t *google_time(int64_t wall_ms);
/* A number; what is not finite is "NaN", "Infinity" or "-Infinity". */
json_t *google_number(double x);
/* 64-bit integers are text. */
json_t *google_whole(int64_t x);
/* Whatever n bytes a program wrote, as a string. */
json_t *google_words(const char *bytes, size_t n);

/* "projects/P/locations/L", or "projects/P". */
const char *google_parent(const struct google_call *g,
                          char out[2 * GOOGLE_NAME + 32]);
/* The id of the resource of that kind ("studies") that the path's first id
 * names, which is there under the path's project and location; 0 with *e. */
int64_t google_resource(struct google_call *g, const char *kind, struct err *e);
/* ids[i] as a number from 1; 0 if it is none. */
int64_t google_id(const struct google_call *g, size_t i);

/* A query's value; the name is in lowerCamelCase and may be sent in snake_case
 * too. NULL or "" = not sent. */
const char *google_query(const struct google_call *g, const char *name);

/* Begins what changes the store: -1 if this service only looks, is ending or
 * cannot write. Rows of store_google.h are then written and kept with the
 * rest of the round. */
int google_begin(struct google_call *g, struct err *e);

/* ---- pages ---- */

struct google_page {
    int size;      /* how many at most */
    int64_t after; /* the last key of the page before; 0 = the first page */
};

/* Reads pageSize and pageToken. `list` names the list (its path and filter): a
 * token of another one is refused. size: what there is where none was asked
 * for; `most` at most. */
int google_page_read(struct google_call *g, const char *list, int size,
                     int most, struct google_page *out, struct err *e);
/* The token of the page that follows key `last`. */
json_t *google_page_token(const char *list, int64_t last);

#endif
