/* The ceiling: libevent's own HTTP server with nothing behind it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/service/ceiling.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/listener.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void answer(struct evhttp_request *r, void *ctx)
{
    struct evbuffer *body = evbuffer_new();

    (void)ctx;
    evbuffer_add(body, "{}", 2);
    evhttp_add_header(evhttp_request_get_output_headers(r), "Content-Type",
                      "application/json");
    evhttp_send_reply(r, 200, NULL, body);
    evbuffer_free(body);
}

static void serve(const char *path)
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
    evhttp_set_gencb(http, answer, NULL);
    event_base_dispatch(base);
    _exit(0);
}

pid_t ceiling_begin(const char *path)
{
    pid_t pid = fork();

    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(path);
    }
    for (int tries = 0; access(path, F_OK) && tries < 1000; tries++)
        usleep(10000);
    return pid;
}
