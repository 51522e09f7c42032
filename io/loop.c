/* The loop on libevent: one round waits, calls back, frees what was forgotten
 * and closes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/loop.h"

#include <assert.h>
#include <event2/event.h>
#include <event2/event_struct.h>
#include <stdlib.h>

#include "base/mem.h"

struct loop_watch {
    struct event event;
    struct loop *loop;
    loop_fn *fn;
    void *ctx;
    bool once;
    bool forgotten;
    struct loop_watch *prev, *next; /* in loop->live, or next in loop->dead */
};

struct loop {
    struct event_base *base;
    struct loop_watch *live;
    struct loop_watch *dead; /* forgotten in this round; freed at its end */
    bool stopped;
};

int loop_open(struct loop **out, struct err *e)
{
    struct event_config *config = event_config_new();
    struct event_base *base = NULL;

    *out = NULL;
    if (config) {
        /* One thread; and a timer counts from now, not from the beginning of
         * a round that may have been long. */
        event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK |
                                          EVENT_BASE_FLAG_NO_CACHE_TIME);
        base = event_base_new_with_config(config);
        event_config_free(config);
    }
    if (!base)
        return err_set(e, ERR_IO, "the system gives no event queue");
    *out = mem_new(1, sizeof **out);
    (*out)->base = base;
    return 0;
}

static void bury(struct loop *l)
{
    while (l->dead) {
        struct loop_watch *w = l->dead;

        l->dead = w->next;
        free(w);
    }
}

void loop_close(struct loop *l)
{
    if (!l)
        return;
    while (l->live)
        loop_forget(l->live);
    bury(l);
    event_base_free(l->base);
    free(l);
}

void loop_run(struct loop *l, loop_fn *turned, void *ctx)
{
    l->stopped = false;
    while (!l->stopped) {
        event_base_loop(l->base, EVLOOP_ONCE | EVLOOP_NO_EXIT_ON_EMPTY);
        bury(l);
        if (turned)
            turned(ctx);
    }
}

void loop_gather(struct loop *l)
{
    event_base_loop(l->base, EVLOOP_NONBLOCK | EVLOOP_NO_EXIT_ON_EMPTY);
    bury(l);
}

void loop_stop(struct loop *l)
{
    l->stopped = true;
}

static void fire(evutil_socket_t fd, short what, void *arg)
{
    struct loop_watch *w = arg;
    loop_fn *fn = w->fn;
    void *ctx = w->ctx;

    (void)fd;
    (void)what;
    if (w->forgotten)
        return;
    if (w->once)
        loop_forget(w);
    fn(ctx);
}

/* what: EV_…; delay_ms < 0: no timer. */
static struct loop_watch *add(struct loop *l, evutil_socket_t fd, short what,
                              int64_t delay_ms, loop_fn *fn, void *ctx)
{
    struct loop_watch *w = mem_new(1, sizeof *w);
    struct timeval delay = {.tv_sec = delay_ms / 1000,
                            .tv_usec = delay_ms % 1000 * 1000};
    int rc;

    w->loop = l;
    w->fn = fn;
    w->ctx = ctx;
    w->once = !(what & EV_PERSIST);
    w->next = l->live;
    if (l->live)
        l->live->prev = w;
    l->live = w;
    rc = event_assign(&w->event, l->base, fd, what, fire, w);
    assert(rc == 0);
    rc = event_add(&w->event, delay_ms < 0 ? NULL : &delay);
    assert(rc == 0);
    (void)rc;
    return w;
}

struct loop_watch *loop_after(struct loop *l, int64_t delay_ms, loop_fn *fn,
                              void *ctx)
{
    return add(l, -1, 0, delay_ms < 0 ? 0 : delay_ms, fn, ctx);
}

struct loop_watch *loop_every(struct loop *l, int64_t period_ms, loop_fn *fn,
                              void *ctx)
{
    assert(period_ms > 0);
    return add(l, -1, EV_PERSIST, period_ms, fn, ctx);
}

struct loop_watch *loop_readable(struct loop *l, int fd, loop_fn *fn, void *ctx)
{
    return add(l, fd, EV_READ | EV_PERSIST, -1, fn, ctx);
}

struct loop_watch *loop_signal(struct loop *l, int signal_number, loop_fn *fn,
                               void *ctx)
{
    return add(l, signal_number, EV_SIGNAL | EV_PERSIST, -1, fn, ctx);
}

void loop_forget(struct loop_watch *w)
{
    struct loop *l;

    if (!w || w->forgotten)
        return;
    l = w->loop;
    w->forgotten = true;
    event_del(&w->event);
    if (w->prev)
        w->prev->next = w->next;
    else
        l->live = w->next;
    if (w->next)
        w->next->prev = w->prev;
    w->next = l->dead;
    l->dead = w;
}

void *loop_base(struct loop *l)
{
    return l->base;
}
