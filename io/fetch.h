/* HTTP asked of a service: one request at a time, waiting for its answer. For
 * the command line, never for the loop. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_FETCH_H
#define IO_FETCH_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/text.h"

struct fetch;

/* The service at `where`: "unix:/path/of.sock", "http://host:port" or
 * "https://host:port". token (may be NULL) is sent as Authorization: Bearer.
 * Both are copied. Connects to nothing yet. ERR_INVALID: `where` is none of
 * these. */
int fetch_open(struct fetch **out, const char *where, const char *token,
               struct err *e);
void fetch_close(struct fetch *f); /* NULL is fine */

struct fetch_answer {
    int status;          /* the HTTP status */
    struct text body;    /* text_clear it, or hand it in again */
    int64_t next_offset; /* header X-Next-Offset, or -1 */
    bool ended;          /* header X-Ended: 1 */
};

void fetch_answer_init(struct fetch_answer *a);
void fetch_answer_clear(struct fetch_answer *a); /* may be called twice */

/* Sends method and path ("/api/…", its parts escaped, query included) with a
 * body (NULL: none) and reads the whole answer into *out, an initialised one
 * that is emptied first. Any HTTP status is success. The connection is kept
 * for the next call.
 *
 * ERR_ABSENT: nobody is there: no socket file, or nobody listens on it or on
 * the port. ERR_BUSY: fetch_abort_on's flag ended it. ERR_OUTSIDE: all other
 * failures (no such host, hung up half-way, TLS). */
int fetch_do(struct fetch *f, const char *method, const char *path,
             const char *body, size_t n, const char *content_type,
             struct fetch_answer *out, struct err *e);

/* While *flag is not 0, a call under way ends within a second and new ones do
 * not begin. NULL takes it back. */
void fetch_abort_on(struct fetch *f, const volatile sig_atomic_t *flag);

/* Trusts the certificates in that file (PEM) in place of the system's, for
 * https. Copied; NULL takes it back. */
void fetch_trust(struct fetch *f, const char *ca_file);

/* Most milliseconds one call may take; 0, as at the start, is no limit. */
void fetch_limit(struct fetch *f, int64_t most_ms);

/* The text as one part of a path or as a value of a query: all but letters,
 * digits and "-._~" in percent form. Yours to free. */
char *fetch_escape(const char *text);

#endif
