/* HTTP asked from the loop: many requests at once, none of them waited for.
 * One hub asks one server, over a Unix socket or TCP. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_HUB_H
#define IO_HUB_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/loop.h"

struct hub;
struct hub_call; /* one request on its way; gone once `done` was called */

struct hub_answer {
    int status; /* the HTTP status; 0: there was no whole answer, see err */
    const char *body; /* NUL-terminated, never NULL; empty if `bytes` got it */
    size_t n;
    struct err err; /* status 0: ERR_ABSENT: nobody is there (no socket, or
                       nobody listens); ERR_INVALID: we may not use the socket;
                       ERR_BUSY: no answer in time; ERR_OUTSIDE: hung up */
};

/* Called once, on the loop; the answer is valid during the call only. */
typedef void hub_done_fn(void *ctx, const struct hub_answer *answer);
/* What has come of an answer of status 200, in order, as it comes. */
typedef void hub_bytes_fn(void *ctx, const char *bytes, size_t n);

struct hub_request {
    const char *method;  /* "GET" */
    const char *path;    /* "/a?b=c", its parts escaped */
    const char *body;    /* JSON, or NULL; copied */
    int64_t most_ms;     /* for the whole answer; 0 = an answer without end */
    hub_bytes_fn *bytes; /* NULL: the body is collected for `done` */
    hub_done_fn *done;
    void *ctx;
};

enum {
    HUB_CONNECT_MS = 10000,  /* until the server takes the connection */
    HUB_MOST_BODY = 64 << 20 /* a collected body beyond it is a failure */
};

/* where: "unix:/path", "http://host:port". The loop outlives the hub. Connects
 * to nothing yet. ERR_INVALID: `where` is none of these. */
int hub_open(struct hub **out, struct loop *l, const char *where,
             struct err *e);
/* Cancels what is on its way. NULL is fine. */
void hub_close(struct hub *h);

/* Never calls back from inside; whatever goes wrong is told to `done`. The
 * connection is kept for later calls. The call is valid until `done` is called
 * or it is cancelled. */
struct hub_call *hub_send(struct hub *h, const struct hub_request *r);
/* Nothing is called any more, also when it is cancelled in a callback. NULL is
 * fine. */
void hub_cancel(struct hub_call *c);

#endif
