/* HTTP on libevent's evhttp: listeners, checks before a request is handed on,
 * answers, and clients that hang up while they wait. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/serve.h"

#include <assert.h>
#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <event2/listener.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/bindto.h"
#include "io/crowd.h"
#include "io/head.h"
#include "io/plainly.h"
#include "io/target.h"
#include "io/tls.h"

enum { BACKLOG = 256, REST_MS = 100 };

/* One listening socket with an evhttp of its own, so that each request knows
 * by which it came. */
struct door {
    struct serve *serve;
    struct evhttp *http;
    struct evconnlistener *listener; /* the evhttp's */
    struct loop_watch *rest;         /* out of descriptors: opens again then */
    struct crowd *crowd;             /* its connections */
    struct tls *tls;                 /* the serve's, if this one speaks it */
    bool full;                       /* the crowd is */
    char *path;                      /* of a Unix socket, else NULL */
    struct door *next;
};

struct serve {
    struct loop *loop;
    serve_fn *fn;
    void *ctx;
    struct door *doors;
    struct request *open; /* not answered yet */
    struct tls *tls;      /* that TCP speaks; NULL = plain */
    int most;             /* connections of each TCP listener */
    int64_t slow_ms;
};

struct request {
    struct door *door;
    struct evhttp_request *http;
    struct target target;
    const char *body;
    size_t body_n;
    int rank;
    void (*gone)(void *ctx);
    void *gone_ctx;
    struct event *hangup; /* while gone is wanted */
    void (*sent)(void *ctx);
    void *sent_ctx;
    bool streams;               /* request_stream: its first part is sent */
    struct request *next, **at; /* *at is this one */
};

static const struct {
    enum evhttp_cmd_type theirs;
    enum serve_method ours;
} methods[] = {
    {EVHTTP_REQ_GET, SERVE_GET},
    {EVHTTP_REQ_POST, SERVE_POST},
    {EVHTTP_REQ_PATCH, SERVE_PATCH},
    {EVHTTP_REQ_DELETE, SERVE_DELETE},
};

/* ---- a request ---- */

static struct request *request_new(struct door *d, struct evhttp_request *http)
{
    struct request *r = mem_new(1, sizeof *r);

    r->door = d;
    r->http = http;
    r->next = d->serve->open;
    if (r->next)
        r->next->at = &r->next;
    r->at = &d->serve->open;
    d->serve->open = r;
    return r;
}

/* Takes r off the list; what evhttp holds is left alone. */
static void request_free(struct request *r)
{
    *r->at = r->next;
    if (r->next)
        r->next->at = r->at;
    if (r->hangup)
        event_free(r->hangup);
    if (r->streams && evhttp_request_get_connection(r->http))
        evhttp_connection_set_closecb(evhttp_request_get_connection(r->http),
                                      NULL, NULL);
    target_clear(&r->target);
    free(r);
}

static void read_body(struct request *r)
{
    struct evbuffer *in = evhttp_request_get_input_buffer(r->http);

    evbuffer_add(in, "", 1); /* its NUL */
    r->body = (const char *)evbuffer_pullup(in, -1);
    r->body_n = evbuffer_get_length(in) - 1;
}

static void refuse(struct request *r, const char *why)
{
    struct text body;

    text_init(&body);
    text_addf(&body,
              "{\"error\": {\"code\": \"invalid\", \"message\": \"%s\"}}", why);
    request_answer(r, 400, "application/json", body.data, body.len);
    text_clear(&body);
}

static void arrived(struct evhttp_request *http, void *ctx)
{
    struct door *d = ctx;
    struct request *r = request_new(d, http);
    const char *fault = head_fault(evhttp_request_get_input_headers(http));
    struct err e;

    crowd_whole(d->crowd, evhttp_connection_get_bufferevent(
                              evhttp_request_get_connection(http)));
    if (fault) {
        request_header_add(r, "Connection", "close");
        refuse(r, fault);
    } else if (target_read(&r->target, evhttp_request_get_uri(http), &e)) {
        refuse(r, e.text);
    } else {
        read_body(r);
        d->serve->fn(d->serve->ctx, r);
    }
}

/* ---- listening ---- */

static void rested(void *ctx)
{
    struct door *d = ctx;

    d->rest = NULL;
    if (!d->full)
        evconnlistener_enable(d->listener);
}

/* Further ones wait in the system's queue. */
static void crowded(void *ctx, bool is)
{
    struct door *d = ctx;

    d->full = is;
    if (is) {
        log_write(LOG_LEVEL_WARN, "too_many_connections", "limit=%d",
                  d->serve->most);
        evconnlistener_disable(d->listener);
    } else if (!d->rest) {
        evconnlistener_enable(d->listener);
    }
}

/* A new connection. */
static struct bufferevent *welcome(struct event_base *base, void *ctx)
{
    struct door *d = ctx;
    struct bufferevent *b =
        d->tls ? tls_accept(d->tls, base)
               : bufferevent_socket_new(base, -1, BEV_OPT_CLOSE_ON_FREE);

    if (b)
        plainly_watch(b);
    if (b)
        crowd_join(d->crowd, b, d->tls != NULL);
    return b;
}

/* Most likely out of descriptors: trying again at once would only spin. */
static void tired(struct evconnlistener *listener, void *ctx)
{
    struct serve *s = ctx;
    struct door *d = s->doors;

    log_write(LOG_LEVEL_WARN, "accept_failed", "why=\"%s\"", strerror(errno));
    while (d && d->listener != listener)
        d = d->next;
    if (d && !d->rest) {
        evconnlistener_disable(listener);
        d->rest = loop_after(s->loop, REST_MS, rested, d);
    }
}

static void door_free(struct door *d)
{
    loop_forget(d->rest);
    if (d->http)
        evhttp_free(d->http);
    crowd_free(d->crowd);
    if (d->path) {
        unlink(d->path);
        free(d->path);
    }
    free(d);
}

static void settings(struct evhttp *http)
{
    /* All, those it does not know too: what is refused is refused by us. */
    evhttp_set_allowed_methods(http, UINT16_MAX);
    evhttp_set_max_headers_size(http, SERVE_MOST_HEADER_BYTES);
    evhttp_set_max_body_size(http, SERVE_MOST_BODY_BYTES);
    /* Who is still sending reads no answer: the rest is read, and dropped. */
    evhttp_set_flags(http, EVHTTP_SERVER_LINGERING_CLOSE);
    evhttp_set_timeout(http, SERVE_IDLE_S);
    evhttp_set_default_content_type(http, NULL);
}

/* Takes fd, which is bound; path is NULL for TCP. */
static int door_open(struct serve *s, int fd, const char *path, struct err *e)
{
    struct event_base *base = loop_base(s->loop);
    struct door *d = mem_new(1, sizeof *d);

    d->serve = s;
    d->path = mem_copy_text(path);
    d->http = evhttp_new(base);
    d->listener = evconnlistener_new(
        base, NULL, s, LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC, BACKLOG,
        fd);
    if (!d->listener)
        close(fd);
    if (!d->http || !d->listener ||
        !evhttp_bind_listener(d->http, d->listener)) {
        if (d->listener)
            evconnlistener_free(d->listener);
        door_free(d);
        return err_set(e, ERR_IO, "cannot listen");
    }
    settings(d->http);
    evhttp_set_gencb(d->http, arrived, d);
    evconnlistener_set_error_cb(d->listener, tired);
    d->tls = path ? NULL : s->tls;
    d->crowd = crowd_new(s->loop, path ? SIZE_MAX : (size_t)s->most,
                         path ? CROWD_PATIENT_MS : s->slow_ms, crowded, d);
    evhttp_set_bevcb(d->http, welcome, d);
    d->next = s->doors;
    s->doors = d;
    return 0;
}

/* ---- what the header offers ---- */

int serve_open(struct serve **out, struct loop *l, serve_fn *fn, void *ctx,
               struct err *e)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    *out = NULL;
    /* A client that hangs up in the middle of an answer must not end us. */
    if (sigaction(SIGPIPE, &ignore, NULL))
        return err_errno(e, errno, "cannot ignore SIGPIPE");
    *out = mem_new(1, sizeof **out);
    **out = (struct serve){.loop = l,
                           .fn = fn,
                           .ctx = ctx,
                           .most = SERVE_MOST_CONNECTIONS,
                           .slow_ms = SERVE_SLOW_MS};
    return 0;
}

int serve_unix(struct serve *s, const char *path, struct err *e)
{
    int fd = bindto_unix(path, e);

    return fd < 0 ? -1 : door_open(s, fd, path, e);
}

int serve_tcp(struct serve *s, const char *host, int port, int *bound_port,
              struct err *e)
{
    int fd = bindto_tcp(host, port, bound_port, e);

    return fd < 0 ? -1 : door_open(s, fd, NULL, e);
}

int serve_tls(struct serve *s, const char *certificate, const char *key,
              struct err *e)
{
    struct tls *tls;

    if (tls_open(&tls, certificate, key, e))
        return -1;
    tls_close(s->tls);
    s->tls = tls;
    return 0;
}

void serve_limits(struct serve *s, int connections, int64_t slow_ms)
{
    s->most = connections;
    s->slow_ms = slow_ms;
}

static void leave(struct request *r)
{
    void (*gone)(void *ctx) = r->gone;

    r->gone = NULL;
    if (gone)
        gone(r->gone_ctx);
    request_free(r);
}

void serve_close(struct serve *s)
{
    if (!s)
        return;
    while (s->open) {
        const struct request *first = s->open;

        leave(s->open);
        assert(s->open != first); /* it is off the list */
    }
    while (s->doors) {
        struct door *d = s->doors;

        s->doors = d->next;
        door_free(d);
    }
    tls_close(s->tls);
    free(s);
}

enum serve_method request_method(const struct request *r)
{
    enum evhttp_cmd_type theirs = evhttp_request_get_command(r->http);

    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (methods[i].theirs == theirs)
            return methods[i].ours;
    return SERVE_OTHER;
}

const char *request_path(const struct request *r)
{
    return r->target.path;
}

const char *request_query(const struct request *r, const char *name)
{
    return target_value(&r->target, name);
}

const char *request_header(const struct request *r, const char *name)
{
    return evhttp_find_header(evhttp_request_get_input_headers(r->http), name);
}

const char *request_body(const struct request *r, size_t *n)
{
    if (n)
        *n = r->body_n;
    return r->body;
}

bool request_is_local(const struct request *r)
{
    return r->door->path != NULL;
}

char *request_host(const struct request *r)
{
    size_t n = 0;
    const char *host = target_host(evhttp_request_get_uri(r->http), &n);

    if (host)
        return mem_copy_bytes(host, n);
    return mem_copy_text(request_header(r, "Host"));
}

const char *request_peer(const struct request *r)
{
    struct evhttp_connection *c = evhttp_request_get_connection(r->http);
    char *address = NULL;
    ev_uint16_t port;

    if (c && !r->door->path)
        evhttp_connection_get_peer(c, &address, &port);
    return address ? address : "";
}

void request_rank_set(struct request *r, int rank)
{
    r->rank = rank;
}

int request_rank(const struct request *r)
{
    return r->rank;
}

void request_header_add(struct request *r, const char *name, const char *value)
{
    evhttp_add_header(evhttp_request_get_output_headers(r->http), name, value);
}

struct request_crowd request_crowd(const struct request *r)
{
    struct request_crowd n = {0};

    for (const struct door *d = r->door->serve->doors; d; d = d->next)
        *(d->path ? &n.local : &n.tcp) += crowd_count(d->crowd);
    return n;
}

/* Those that evhttp has no words for; NULL for all others. */
static const char *phrase(int status)
{
    return status == 429   ? "Too Many Requests"
           : status == 507 ? "Insufficient Storage"
                           : NULL;
}

void request_answer(struct request *r, int status, const char *content_type,
                    const char *bytes, size_t n)
{
    struct evhttp_request *http = r->http;
    bool bare = http->type == EVHTTP_REQ_HEAD;
    struct evbuffer *body = evbuffer_new();

    if (content_type)
        request_header_add(r, "Content-Type", content_type);
    if (http->type == EVHTTP_REQ_CONNECT)
        http->type = EVHTTP_REQ_OPTIONS; /* else it gets no length, no end */
    if (body && n > 0 && !bare)
        evbuffer_add(body, bytes, n);
    request_free(r);
    evhttp_send_reply(http, status, phrase(status), body);
    if (body)
        evbuffer_free(body);
}

/* A kept request's connection is not read by evhttp; so this may look at it. */
static void hung_up(evutil_socket_t fd, short what, void *ctx)
{
    struct request *r = ctx;
    struct evhttp_connection *connection;
    char byte;
    ssize_t n;

    if (!(what & EV_CLOSED)) {
        n = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
            return; /* its next request: waits until this one is answered */
    }
    connection = evhttp_request_get_connection(r->http);
    leave(r);
    if (connection)
        evhttp_connection_free(connection);
}

void request_on_gone(struct request *r, void (*fn)(void *ctx), void *ctx)
{
    struct evhttp_connection *c = evhttp_request_get_connection(r->http);

    r->gone = fn;
    r->gone_ctx = ctx;
    if (r->hangup)
        event_free(r->hangup);
    r->hangup = NULL;
    if (!fn || !c)
        return;
    /* Edge-triggered: what is not read must not call again and again. */
    r->hangup =
        event_new(loop_base(r->door->serve->loop),
                  bufferevent_getfd(evhttp_connection_get_bufferevent(c)),
                  EV_READ | EV_CLOSED | EV_ET | EV_PERSIST, hung_up, r);
    if (r->hangup)
        event_add(r->hangup, NULL);
}

/* ---- answers in pieces ---- */

/* The connection goes away with evhttp; the request is ours to end. */
static void stream_lost(struct evhttp_connection *connection, void *ctx)
{
    struct request *r = ctx;
    struct evhttp_request *http = r->http;

    (void)connection;
    r->streams = false; /* nothing is to be taken back */
    leave(r);
    evhttp_send_reply_end(http);
}

static void stream_sent(struct evhttp_connection *connection, void *ctx)
{
    struct request *r = ctx;

    (void)connection;
    if (r->sent)
        r->sent(r->sent_ctx);
}

void request_stream(struct request *r, int status, const char *content_type,
                    void (*sent)(void *ctx), void *ctx)
{
    struct evhttp_connection *c = evhttp_request_get_connection(r->http);

    if (content_type)
        request_header_add(r, "Content-Type", content_type);
    request_header_add(r, "Connection", "close");
    if (r->hangup)
        event_free(r->hangup);
    r->hangup = NULL;
    r->sent = sent;
    r->sent_ctx = ctx;
    r->streams = true;
    if (c) {
        evhttp_connection_set_closecb(c, stream_lost, r);
        /* nobody expects the client to say more */
        bufferevent_set_timeouts(evhttp_connection_get_bufferevent(c), NULL,
                                 NULL);
    }
    evhttp_send_reply_start(r->http, status, NULL);
}

void request_stream_add(struct request *r, const char *bytes, size_t n)
{
    struct evbuffer *piece = n ? evbuffer_new() : NULL;

    if (piece && evbuffer_add(piece, bytes, n) == 0)
        evhttp_send_reply_chunk_with_cb(r->http, piece, stream_sent, r);
    if (piece)
        evbuffer_free(piece);
}

size_t request_stream_left(const struct request *r)
{
    struct evhttp_connection *c = evhttp_request_get_connection(r->http);

    return c ? evbuffer_get_length(
                   bufferevent_get_output(evhttp_connection_get_bufferevent(c)))
             : 0;
}

void request_stream_end(struct request *r)
{
    struct evhttp_request *http = r->http;

    request_free(r);
    evhttp_send_reply_end(http);
}
