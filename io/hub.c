/* HTTP from the loop, by libcurl's multi interface: libevent says when a socket
 * is ready, curl does what can be done without waiting. What comes is kept
 * until curl has returned, for nothing may be sent or cancelled inside it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/hub.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/sockpath.h"

struct hub {
    struct event_base *base;
    CURLM *multi;
    struct event *timer;
    char *where; /* as given, for sentences */
    char *url;   /* scheme and host */
    struct sockpath socket;
    bool local; /* by a Unix socket */
    struct hub_call *calls;
    bool telling; /* callbacks are being called */
};

struct hub_call {
    struct hub *hub;
    CURL *curl;
    struct curl_slist *headers;
    hub_bytes_fn *bytes;
    hub_done_fn *done;
    void *ctx;
    struct text body;
    char said[CURL_ERROR_SIZE];
    CURLcode code;
    bool finished; /* curl is through with it */
    bool too_long;
    bool gone; /* told or cancelled within callbacks; freed after them */
    struct hub_call *prev, *next;
};

/* ---- calls ---- */

static void call_free(struct hub_call *c)
{
    struct hub *h = c->hub;

    if (c->prev)
        c->prev->next = c->next;
    else
        h->calls = c->next;
    if (c->next)
        c->next->prev = c->prev;
    curl_multi_remove_handle(h->multi, c->curl);
    curl_easy_cleanup(c->curl);
    curl_slist_free_all(c->headers);
    text_clear(&c->body);
    free(c);
}

static long status_of(const struct hub_call *c)
{
    long status = 0;

    curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

static bool streams(const struct hub_call *c)
{
    return c->bytes && status_of(c) == 200;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *ctx)
{
    struct hub_call *c = ctx;

    c->too_long = !streams(c) && c->body.len + size * n > HUB_MOST_BODY;
    if (c->too_long)
        return 0;
    text_add_bytes(&c->body, bytes, size * n);
    return size * n;
}

/* One sentence for what curl could not do. */
static void explain(const struct hub_call *c, struct err *e)
{
    const char *where = c->hub->where;
    long why = 0;

    curl_easy_getinfo(c->curl, CURLINFO_OS_ERRNO, &why);
    if (c->too_long)
        err_set(e, ERR_OUTSIDE, "the answer from %s is too long", where);
    else if (c->code == CURLE_OPERATION_TIMEDOUT)
        err_set(e, ERR_BUSY, "no answer in time from %s", where);
    else if (c->code != CURLE_COULDNT_CONNECT)
        err_set(e, ERR_OUTSIDE, "no whole answer from %s: %s", where,
                c->said[0] ? c->said : curl_easy_strerror(c->code));
    else if (why == EACCES || why == EPERM)
        err_set(e, ERR_INVALID, "%s may not be used by this user: %s", where,
                strerror((int)why));
    else if (why == ENOENT || why == ENOTDIR)
        err_set(e, ERR_ABSENT, "no socket is at %s", where);
    else
        err_set(e, ERR_ABSENT, "nobody listens at %s: %s", where,
                why ? strerror((int)why) : c->said);
}

static void tell_done(struct hub_call *c)
{
    struct hub_answer answer = {.body = text_str(&c->body), .n = c->body.len};

    if (c->code == CURLE_OK)
        answer.status = (int)status_of(c);
    else
        explain(c, &answer.err);
    c->done(c->ctx, &answer);
}

static void tell_bytes(struct hub_call *c)
{
    struct text got = c->body;

    text_init(&c->body);
    c->bytes(c->ctx, got.data, got.len);
    text_clear(&got);
}

static bool has_news(const struct hub_call *c)
{
    return !c->gone && (c->finished || (c->body.len && streams(c)));
}

static void tell(struct hub_call *c)
{
    if (c->body.len && streams(c)) {
        tell_bytes(c);
    } else {
        c->gone = true;
        tell_done(c);
    }
}

static void take_ends(struct hub *h)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(h->multi, &left))) {
        struct hub_call *c = NULL;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
        c->finished = true;
        c->code = message->data.result;
    }
}

static struct hub_call *next_with_news(const struct hub *h)
{
    struct hub_call *c = h->calls;

    while (c && !has_news(c))
        c = c->next;
    return c;
}

/* A callback may send and cancel any call: begin anew after each. */
static void tell_all(struct hub *h)
{
    struct hub_call *c, *next;

    take_ends(h);
    h->telling = true;
    while ((c = next_with_news(h)))
        tell(c);
    h->telling = false;
    for (c = h->calls; c; c = next) {
        next = c->next;
        if (c->gone)
            call_free(c);
    }
}

/* ---- what curl asks of the loop ---- */

static void act(struct hub *h, curl_socket_t fd, int what)
{
    int running;

    curl_multi_socket_action(h->multi, fd, what, &running);
    tell_all(h);
}

static void on_ready(evutil_socket_t fd, short what, void *ctx)
{
    struct hub *h = ctx;

    act(h, fd,
        (what & EV_READ ? CURL_CSELECT_IN : 0) |
            (what & EV_WRITE ? CURL_CSELECT_OUT : 0));
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
    (void)fd;
    (void)what;
    act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

/* curl says what it waits for on a socket; `mine` is its watch so far. */
static int want_socket(CURL *curl, curl_socket_t fd, int what, void *ctx,
                       void *mine)
{
    struct hub *h = ctx;
    struct event *watch = mine;
    short kinds = (short)((what & CURL_POLL_IN ? EV_READ : 0) |
                          (what & CURL_POLL_OUT ? EV_WRITE : 0) | EV_PERSIST);

    (void)curl;
    if (watch)
        event_free(watch);
    watch = NULL;
    if (what != CURL_POLL_REMOVE) {
        watch = event_new(h->base, fd, kinds, on_ready, h);
        assert(watch);
        event_add(watch, NULL);
    }
    curl_multi_assign(h->multi, fd, watch);
    return 0;
}

static int want_timer(CURLM *multi, long delay_ms, void *ctx)
{
    struct hub *h = ctx;
    struct timeval delay = {.tv_sec = delay_ms / 1000,
                            .tv_usec = delay_ms % 1000 * 1000};

    (void)multi;
    if (delay_ms < 0)
        event_del(h->timer);
    else
        event_add(h->timer, &delay);
    return 0;
}

/* Jobs that are started beside it do not get the descriptor. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose,
                                 struct curl_sockaddr *at)
{
    (void)ctx;
    (void)purpose;
    return socket(at->family, at->socktype | SOCK_CLOEXEC, at->protocol);
}

/* ---- opening ---- */

static int read_where(struct hub *h, const char *where, struct err *e)
{
    size_t n = strlen(where);

    h->where = mem_copy_text(where);
    if (strncasecmp(where, "unix:", strlen("unix:")) == 0) {
        h->local = true;
        h->url = mem_copy_text("http://localhost");
        return sockpath_init(&h->socket, where + strlen("unix:"), e);
    }
    if (strncasecmp(where, "http://", strlen("http://")) != 0)
        return err_set(e, ERR_INVALID,
                       "%s is no server: write unix:/path/of.sock or "
                       "http://host:port",
                       where);
    while (n > 0 && where[n - 1] == '/')
        n--;
    h->url = mem_copy_bytes(where, n);
    return 0;
}

int hub_open(struct hub **out, struct loop *l, const char *where, struct err *e)
{
    struct hub *h = mem_new(1, sizeof *h);

    *out = NULL;
    h->socket.folder = -1;
    h->base = loop_base(l);
    if (read_where(h, where, e)) {
        hub_close(h);
        return -1;
    }
    curl_global_init(CURL_GLOBAL_NOTHING);
    h->multi = curl_multi_init();
    h->timer = event_new(h->base, -1, 0, on_timer, h);
    assert(h->multi && h->timer);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, want_socket);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, want_timer);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
    *out = h;
    return 0;
}

void hub_close(struct hub *h)
{
    if (!h)
        return;
    assert(!h->telling);
    for (struct hub_call *c = h->calls, *next; c; c = next) {
        next = c->next;
        call_free(c);
    }
    if (h->multi) {
        curl_multi_cleanup(h->multi);
        curl_global_cleanup();
    }
    if (h->timer)
        event_free(h->timer);
    sockpath_clear(&h->socket);
    free(h->where);
    free(h->url);
    free(h);
}

/* ---- sending ---- */

static void set_route(struct hub_call *c, const char *path)
{
    const struct hub *h = c->hub;
    char *url = mem_format("%s%s", h->url, path);

    curl_easy_setopt(c->curl, CURLOPT_URL, url);
    curl_easy_setopt(c->curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c->curl, CURLOPT_PROXY, "");
    curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(c->curl, CURLOPT_CONNECTTIMEOUT_MS, (long)HUB_CONNECT_MS);
    curl_easy_setopt(c->curl, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(c->curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    if (h->local)
        curl_easy_setopt(c->curl, CURLOPT_UNIX_SOCKET_PATH,
                         h->socket.address.sun_path);
    free(url);
}

static void set_body(struct hub_call *c, const struct hub_request *r)
{
    c->headers = curl_slist_append(NULL, "Expect:");
    if (r->body) {
        c->headers =
            curl_slist_append(c->headers, "Content-Type: application/json");
        curl_easy_setopt(c->curl, CURLOPT_COPYPOSTFIELDS, r->body);
    } else if (strcmp(r->method, "POST") == 0) {
        curl_easy_setopt(c->curl, CURLOPT_POSTFIELDSIZE, 0L);
        curl_easy_setopt(c->curl, CURLOPT_POSTFIELDS, "");
    }
    if (strcmp(r->method, "GET") != 0)
        curl_easy_setopt(c->curl, CURLOPT_CUSTOMREQUEST, r->method);
    curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->headers);
}

struct hub_call *hub_send(struct hub *h, const struct hub_request *r)
{
    struct hub_call *c = mem_new(1, sizeof *c);

    c->hub = h;
    c->bytes = r->bytes;
    c->done = r->done;
    c->ctx = r->ctx;
    text_init(&c->body);
    c->curl = curl_easy_init();
    assert(c->curl);
    set_route(c, r->path);
    set_body(c, r);
    curl_easy_setopt(c->curl, CURLOPT_TIMEOUT_MS, (long)r->most_ms);
    curl_easy_setopt(c->curl, CURLOPT_PRIVATE, c);
    curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
    curl_easy_setopt(c->curl, CURLOPT_ERRORBUFFER, c->said);
    c->next = h->calls;
    if (c->next)
        c->next->prev = c;
    h->calls = c;
    curl_multi_add_handle(h->multi, c->curl);
    return c;
}

void hub_cancel(struct hub_call *c)
{
    if (!c)
        return;
    if (c->hub->telling)
        c->gone = true;
    else
        call_free(c);
}
