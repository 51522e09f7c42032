/* The connections of a listener. evhttp does not say when one that never
 * sent a request is gone; so each is remembered by its socket, and looked after
 * now and then. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/crowd.h"

#include <ctype.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum { SWEEP_MS = 500 };

struct member {
    struct crowd *crowd;
    struct bufferevent *buffer; /* not to be touched once the socket is gone */
    struct event *named;        /* until the socket is known */
    int fd;                     /* -1 = not known yet */
    dev_t device;               /* with the inode: which socket fd was */
    ino_t inode;
    int64_t since_ms; /* the request's first byte; 0 = none yet */
    int64_t bytes;    /* of the request */
    bool foreign;     /* it begins like no request: TLS, most likely */
    struct member *prev, *next;
};

struct crowd {
    struct loop *loop;
    struct loop_watch *sweep;
    struct member *members;
    struct member **by_fd;
    size_t n, most, cap_fds;
    int64_t slow_ms;
    bool is_full;
    void (*full)(void *ctx, bool is);
    void *ctx;
};

static int64_t now(void)
{
    return clock_steady_ms(&clock_real);
}

static void member_free(struct member *m)
{
    struct crowd *c = m->crowd;

    if (m->prev)
        m->prev->next = m->next;
    else
        c->members = m->next;
    if (m->next)
        m->next->prev = m->prev;
    if (m->fd >= 0)
        c->by_fd[m->fd] = NULL;
    if (m->named)
        event_free(m->named);
    free(m);
    c->n--;
}

/* The socket is closed; its number may already be another's. */
static bool is_gone(const struct member *m)
{
    struct stat st;

    return fstat(m->fd, &st) || st.st_dev != m->device || st.st_ino != m->inode;
}

static bool is_slow(const struct member *m, int64_t now_ms)
{
    return m->since_ms &&
           now_ms - m->since_ms >
               m->crowd->slow_ms + m->bytes / CROWD_SLOW_BYTES_PER_MS;
}

static void look(struct member *m, int64_t now_ms)
{
    if (m->fd < 0)
        return;
    if (is_gone(m)) {
        member_free(m);
    } else if (m->foreign || is_slow(m, now_ms)) {
        log_write(LOG_LEVEL_INFO, m->foreign ? "no_http" : "slow_request",
                  "bytes=%lld ms=%lld", (long long)m->bytes,
                  (long long)(now_ms - m->since_ms));
        m->foreign = false;
        m->since_ms = 0;
        shutdown(m->fd, SHUT_RDWR); /* evhttp sees its end, and closes it */
    }
}

static void sweep(void *ctx)
{
    struct crowd *c = ctx;
    int64_t now_ms = now();
    struct member *next;

    for (struct member *m = c->members; m; m = next) {
        next = m->next;
        look(m, now_ms);
    }
    if (c->is_full && c->n < c->most) {
        c->is_full = false;
        c->full(c->ctx, false);
    }
}

static void on_input(struct evbuffer *in, const struct evbuffer_cb_info *info,
                     void *ctx)
{
    struct member *m = ctx;
    unsigned char first = 0;

    if (info->n_added == 0)
        return;
    if (!m->since_ms) {
        m->since_ms = now();
        evbuffer_copyout(in, &first, 1);
        m->foreign = first != '\r' && first != '\n' && !isgraph(first);
    }
    m->bytes += (int64_t)info->n_added;
}

/* The socket is set by now, and nothing was read from it yet. */
static void know(evutil_socket_t fd, short what, void *ctx)
{
    struct member *m = ctx;
    struct crowd *c = m->crowd;
    struct stat st;
    void *by_fd = c->by_fd;
    size_t had = c->cap_fds;

    (void)what;
    fd = bufferevent_getfd(m->buffer);
    if (fd < 0 || fstat(fd, &st))
        return; /* counted until the end: there was no memory for it */
    mem_grow(&by_fd, &c->cap_fds, (size_t)fd + 1, sizeof *c->by_fd);
    c->by_fd = by_fd;
    for (size_t i = had; i < c->cap_fds; i++)
        c->by_fd[i] = NULL;
    if (c->by_fd[fd])
        member_free(c->by_fd[fd]); /* its number is this one's now */
    c->by_fd[fd] = m;
    m->fd = fd;
    m->device = st.st_dev;
    m->inode = st.st_ino;
}

struct crowd *crowd_new(struct loop *l, size_t most, int64_t slow_ms,
                        void (*full)(void *ctx, bool is), void *ctx)
{
    struct crowd *c = mem_new(1, sizeof *c);

    *c = (struct crowd){
        .loop = l, .most = most, .slow_ms = slow_ms, .full = full, .ctx = ctx};
    c->sweep = loop_every(l, SWEEP_MS, sweep, c);
    return c;
}

void crowd_free(struct crowd *c)
{
    if (!c)
        return;
    for (struct member *m = c->members, *next; m; m = next) {
        next = m->next;
        if (m->named)
            event_free(m->named);
        free(m);
    }
    loop_forget(c->sweep);
    free(c->by_fd);
    free(c);
}

size_t crowd_count(const struct crowd *c)
{
    return c->n;
}

void crowd_join(struct crowd *c, struct bufferevent *b, bool at_once)
{
    struct member *m = mem_new(1, sizeof *m);

    *m = (struct member){.crowd = c, .buffer = b, .fd = -1, .next = c->members};
    if (m->next)
        m->next->prev = m;
    c->members = m;
    if (at_once)
        m->since_ms = now();
    m->named = event_new(loop_base(c->loop), -1, 0, know, m);
    if (m->named)
        event_active(m->named, EV_TIMEOUT, 0);
    evbuffer_add_cb(bufferevent_get_input(b), on_input, m);
    if (++c->n >= c->most && !c->is_full) {
        c->is_full = true;
        c->full(c->ctx, true);
    }
}

void crowd_whole(struct crowd *c, struct bufferevent *b)
{
    int fd = bufferevent_getfd(b);
    struct member *m = fd >= 0 && (size_t)fd < c->cap_fds ? c->by_fd[fd] : NULL;

    if (!m)
        return;
    m->since_ms = 0;
    m->bytes = 0;
}
