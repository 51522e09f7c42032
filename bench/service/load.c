/* Clients that keep their connections, on one epoll. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/service/load.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum { MOST_SAMPLES = 4 << 20, EVENTS = 256 };

struct client {
    int fd, index;
    int64_t n; /* requests sent */
    struct text out, in;
    size_t sent;
    double began;
};

struct run {
    const struct load *load;
    struct load_result *result;
    int epoll, open;
    double end;
    float *samples; /* milliseconds */
    size_t n_samples;
};

double load_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int load_connect(const char *socket_path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", socket_path);
    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof to))
        fail(socket_path);
    return fd;
}

void load_request(struct text *out, const char *method, const char *path,
                  const char *body)
{
    text_addf(out, "%s %s HTTP/1.1\r\nHost: x\r\nContent-Length: %zu\r\n\r\n%s",
              method, path, strlen(body), body);
}

/* The body of a whole answer; NULL if more is to come. */
static const char *body_of(const struct text *in)
{
    const char *head = text_str(in);
    const char *body = strstr(head, "\r\n\r\n");
    const char *length = strcasestr(head, "\r\ncontent-length:");
    size_t n;

    if (!body || !length || length > body)
        return NULL;
    body += 4;
    n = (size_t)strtoul(length + 17, NULL, 10);
    return in->len - (size_t)(body - head) >= n ? body : NULL;
}

/* ---- one client ---- */

static void push(struct client *c)
{
    ssize_t n =
        send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);

    if (n < 0)
        fail("send");
    c->sent += (size_t)n;
}

static void leave(struct run *r, struct client *c)
{
    close(c->fd);
    c->fd = -1;
    r->open--;
}

static void next(struct run *r, struct client *c, const char *answer)
{
    double now = load_now();

    if (now >= r->end || (r->load->most && c->n >= r->load->most)) {
        leave(r, c);
        return;
    }
    text_reset(&c->out);
    r->load->make(r->load->ctx, c->index, c->n++, answer, &c->out);
    text_reset(&c->in);
    c->sent = 0;
    c->began = now;
    while (c->sent < c->out.len)
        push(c);
}

static void note(struct run *r, const struct client *c)
{
    struct load_result *o = r->result;
    const char *in = text_str(&c->in);

    o->answers++;
    if (r->n_samples < MOST_SAMPLES)
        r->samples[r->n_samples++] = (float)((load_now() - c->began) * 1000);
    if (strncmp(in, "HTTP/1.1 200", 12) == 0)
        return;
    if (!o->refused++)
        snprintf(o->why, sizeof o->why, "%.150s", body_of(&c->in));
}

static void arrived(struct run *r, struct client *c)
{
    char piece[16384];
    ssize_t n = recv(c->fd, piece, sizeof piece, 0);
    const char *body;

    if (n <= 0) {
        snprintf(r->result->why, sizeof r->result->why, "hung up");
        r->result->refused++;
        leave(r, c);
        return;
    }
    text_add_bytes(&c->in, piece, (size_t)n);
    body = body_of(&c->in);
    if (!body)
        return;
    note(r, c);
    next(r, c, body);
}

/* ---- all of them ---- */

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void turn(struct run *r)
{
    struct epoll_event events[EVENTS];
    int n = epoll_wait(r->epoll, events, EVENTS, 30000);

    if (n <= 0) {
        fprintf(stderr, "nothing came for 30 s\n");
        exit(1);
    }
    for (int i = 0; i < n; i++)
        arrived(r, events[i].data.ptr);
}

void load_run(const struct load *l, struct load_result *out)
{
    struct client *clients = mem_new((size_t)l->clients, sizeof *clients);
    struct run r = {.load = l, .result = out, .open = l->clients};
    double began = load_now();

    *out = (struct load_result){0};
    r.epoll = epoll_create1(EPOLL_CLOEXEC);
    r.samples = mem_new(MOST_SAMPLES, sizeof *r.samples);
    r.end = began + l->seconds;
    for (int i = 0; i < l->clients; i++) {
        struct epoll_event e = {.events = EPOLLIN, .data.ptr = &clients[i]};

        clients[i].index = i;
        clients[i].fd = load_connect(l->socket);
        if (epoll_ctl(r.epoll, EPOLL_CTL_ADD, clients[i].fd, &e))
            fail("epoll");
    }
    for (int i = 0; i < l->clients; i++)
        next(&r, &clients[i], "");
    while (r.open > 0)
        turn(&r);
    out->seconds = load_now() - began;
    qsort(r.samples, r.n_samples, sizeof *r.samples, by_size);
    if (r.n_samples) {
        out->p50_ms = (double)r.samples[r.n_samples / 2];
        out->p99_ms = (double)r.samples[r.n_samples * 99 / 100];
    }
    for (int i = 0; i < l->clients; i++) {
        text_clear(&clients[i].in);
        text_clear(&clients[i].out);
    }
    free(clients);
    free(r.samples);
    close(r.epoll);
}

char *load_ask(const char *socket_path, const char *method, const char *path,
               const char *body)
{
    int fd = load_connect(socket_path);
    struct text out, in;
    char piece[65536];
    const char *got = NULL;
    char *copy;
    ssize_t n = 1;

    text_init(&out);
    text_init(&in);
    load_request(&out, method, path, body);
    for (size_t at = 0; at < out.len; at += (size_t)n)
        if ((n = send(fd, out.data + at, out.len - at, MSG_NOSIGNAL)) < 0)
            fail("send");
    while (!got && (n = recv(fd, piece, sizeof piece, 0)) > 0) {
        text_add_bytes(&in, piece, (size_t)n);
        got = body_of(&in);
    }
    if (strncmp(text_str(&in), "HTTP/1.1 200", 12) != 0) {
        fprintf(stderr, "%s %s: %s\n", method, path, text_str(&in));
        exit(1);
    }
    copy = mem_copy_text(got ? got : "");
    text_clear(&out);
    text_clear(&in);
    close(fd);
    return copy;
}
