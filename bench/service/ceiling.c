/* The ceilings: libevent's own HTTP server with nothing behind it, and with
 * nothing but a synced write a round. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/service/ceiling.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { MOST_WAITING = 4096, PAGE = 4096, PAGES = 1024, MOST_GATHERED = 8 };

/* Requests that wait for the write. */
static struct evhttp_request *waiting[MOST_WAITING];
static size_t n_waiting;

static void answer(struct evhttp_request *r)
{
    struct evbuffer *body = evbuffer_new();

    evbuffer_add(body, "{}", 2);
    evhttp_add_header(evhttp_request_get_output_headers(r), "Content-Type",
                      "application/json");
    evhttp_send_reply(r, 200, NULL, body);
    evbuffer_free(body);
}

static void answer_now(struct evhttp_request *r, void *ctx)
{
    (void)ctx;
    answer(r);
}

static void answer_later(struct evhttp_request *r, void *ctx)
{
    (void)ctx;
    if (n_waiting == MOST_WAITING)
        _exit(1);
    waiting[n_waiting++] = r;
}

/* One page to a file that has its length already, as SQLite's log has. */
static void keep(int fd, size_t round)
{
    static const char page[PAGE];

    if (pwrite(fd, page, PAGE, (off_t)(round % PAGES * PAGE)) != PAGE ||
        fdatasync(fd))
        _exit(1);
}

static void answer_all(struct event_base *base, const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    size_t round = 0;

    if (fd < 0 || posix_fallocate(fd, 0, (off_t)PAGES * PAGE))
        _exit(1);
    for (;;) {
        size_t before = 0;

        event_base_loop(base, EVLOOP_ONCE);
        for (int i = 0; i < MOST_GATHERED && n_waiting > before; i++) {
            before = n_waiting;
            event_base_loop(base, EVLOOP_NONBLOCK);
        }
        if (n_waiting)
            keep(fd, round++);
        for (size_t i = 0; i < n_waiting; i++)
            answer(waiting[i]);
        n_waiting = 0;
    }
}

static void serve(const char *path, const char *sync)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    struct event_base *base = event_base_new();
    struct evhttp *http = evhttp_new(base);
    struct evconnlistener *l;

    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    l = evconnlistener_new_bind(base, NULL, NULL, LEV_OPT_CLOSE_ON_FREE, 256,
                                (struct sockaddr *)&at, sizeof at);
    if (!l || !evhttp_bind_listener(http, l))
        _exit(1);
    evhttp_set_gencb(http, sync ? answer_later : answer_now, NULL);
    if (sync)
        answer_all(base, sync);
    event_base_dispatch(base);
    _exit(0);
}

pid_t ceiling_begin(const char *path, const char *sync)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(path, sync);
    }
    for (int tries = 0; access(path, F_OK) && tries < 1000; tries++)
        usleep(10000);
    return pid;
}
