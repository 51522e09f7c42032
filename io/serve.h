/* HTTP served on Unix sockets and TCP: every request goes to one function,
 * which answers at once or keeps the request and answers later. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_SERVE_H
#define IO_SERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "io/loop.h"

struct serve;
struct request; /* lives until request_answer, or until its client is gone */

enum serve_method {
    SERVE_GET,
    SERVE_POST,
    SERVE_DELETE,
    SERVE_PATCH,
    SERVE_OTHER /* any other, known or not: answer 405 */
};

enum {
    SERVE_MOST_HEADER_BYTES = 64 << 10,
    SERVE_MOST_BODY_BYTES = 8 << 20, /* more is answered 413 unread */
    SERVE_IDLE_S = 60, /* a connection that says nothing this long is closed;
                          one that waits for its answer is not */
    SERVE_MOST_CONNECTIONS = 10000, /* serve_limits, at the start */
    SERVE_SLOW_MS = 30000
};

/* Called on the loop for every request that passed the checks below. Never
 * called with a path that holds a NUL or a ".." (those get 400 unasked). */
typedef void serve_fn(void *ctx, struct request *r);

/* Ignores SIGPIPE for the whole process. */
int serve_open(struct serve **out, struct loop *l, serve_fn *fn, void *ctx,
               struct err *e);
/* Listens on a Unix socket of mode 0600. A socket file that nobody answers on
 * is replaced; ERR_CONFLICT if somebody does, or if the path is no socket. */
int serve_unix(struct serve *s, const char *path, struct err *e);
/* Listens on an address, such as "127.0.0.1" or "::1"; port 0 lets the system
 * choose. *bound_port (may be NULL) is the port in use. */
int serve_tcp(struct serve *s, const char *host, int port, int *bound_port,
              struct err *e);
/* TCP listeners that are opened after it speak TLS 1.2 or newer; the files are
 * PEM, and are read now. ERR_INVALID names the file and what is wrong. */
int serve_tls(struct serve *s, const char *certificate, const char *key,
              struct err *e);
/* For each TCP listener that is opened after it. More connections wait in the
 * system's queue. A request that is not whole in slow_ms, and as long again for
 * each slow_ms * 16 bytes, is hung up on (io/crowd.h). */
void serve_limits(struct serve *s, int connections, int64_t slow_ms);
/* Closes listeners (and removes their socket files) and connections; requests
 * not answered yet are freed, their `gone` called first. Not from inside a
 * serve_fn. NULL is fine. */
void serve_close(struct serve *s);

/* What is returned below is the request's, valid until it is answered. */
enum serve_method request_method(const struct request *r);
/* Decoded once, "//" and "/./" collapsed, without the query; begins with '/'.
 */
const char *request_path(const struct request *r);
/* Decoded; the first of that name; NULL if there is none. */
const char *request_query(const struct request *r, const char *name);
/* NULL if there is none; names are matched without regard to case. */
const char *request_header(const struct request *r, const char *name);
/* NUL-terminated; *n (may be NULL) is its length. Never NULL. */
const char *request_body(const struct request *r, size_t *n);
/* Whether it came over the Unix socket (whose file mode is the login). */
bool request_is_local(const struct request *r);

/* How many connections are open now at all listeners of the service that it
 * came to; closed ones are seen within half a second. */
struct request_crowd {
    size_t local, tcp; /* of the Unix socket; of TCP */
};
struct request_crowd request_crowd(const struct request *r);

/* The host that was asked for, as it was sent, with its port: of an absolute
 * target, else of the header Host. NULL if there is neither. Yours to free. */
char *request_host(const struct request *r);
/* The address of who sent it, without the port; "" on a Unix socket. */
const char *request_peer(const struct request *r);

/* What the first to look at it found out about who asks: a number of the
 * caller's, 0 until it is set. */
void request_rank_set(struct request *r, int rank);
int request_rank(const struct request *r);

/* Adds a header to the answer to come. A value with a line break is dropped. */
void request_header_add(struct request *r, const char *name, const char *value);
/* Sends the answer (bytes are copied; NULL with n = 0 is an empty body) and
 * frees r. content_type NULL sends none. */
void request_answer(struct request *r, int status, const char *content_type,
                    const char *bytes, size_t n);
/* fn is called once if the client hangs up before the answer, and r is freed
 * after it: a request that is kept over a round of the loop needs this. NULL
 * takes it back. Without it a request whose client is gone stays valid, and
 * its answer goes nowhere. */
void request_on_gone(struct request *r, void (*fn)(void *ctx), void *ctx);

/* ---- an answer in pieces, for what has no end yet ---- */

/* Sends the head of the answer (headers that were added before included); the
 * connection is closed after it. From now on the function of request_on_gone
 * is called when the client hangs up, and r is freed after it; there must be
 * one. `sent` (may be NULL) is called whenever all that was added has been
 * handed to the system. */
void request_stream(struct request *r, int status, const char *content_type,
                    void (*sent)(void *ctx), void *ctx);
/* Adds bytes, which are copied; none is fine. */
void request_stream_add(struct request *r, const char *bytes, size_t n);
/* How many bytes wait for the client: add no more to one that is slow. */
size_t request_stream_left(const struct request *r);
/* The answer is complete; frees r. */
void request_stream_end(struct request *r);

#endif
