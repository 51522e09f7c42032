/* A fake service: a child process that answers on a Unix socket what a table
 * says, and what was printed to stdout meanwhile. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_CLI_FAKE_H
#define TESTS_CLI_FAKE_H

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/loop.h"
#include "io/serve.h"

/* The first route that fits answers; one with `once` answers only once. */
struct fake_route {
    enum serve_method method;
    const char *path;
    const char *wants; /* somewhere in the body or the query "file", "dir",
                          "state", "after", "stream"; NULL = anything */
    int status;
    const char *body;
    bool once;
    const char *next_offset; /* header; with it X-Ended too */
};

struct fake {
    struct fake_route routes[16]; /* ends with a NULL path */
    char folder[32];
    char *socket, *url, *out;
    pid_t pid;
    int stdout_before;
};

static inline bool fake_fits(const struct fake_route *route, struct request *r)
{
    static const char *const names[] = {"file", "dir", "state", "after",
                                        "stream"};

    if (route->method != request_method(r) ||
        strcmp(route->path, request_path(r)) != 0)
        return false;
    if (!route->wants || strstr(request_body(r, NULL), route->wants))
        return true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *value = request_query(r, names[i]);

        if (value && strstr(value, route->wants))
            return true;
    }
    return false;
}

static inline void fake_serve(void *ctx, struct request *r)
{
    struct fake *f = ctx;

    for (struct fake_route *route = f->routes; route->path; route++) {
        const char *body = route->body;

        if (!fake_fits(route, r))
            continue;
        if (route->once)
            route->path = "/used";
        if (route->next_offset) {
            request_header_add(r, "X-Next-Offset", route->next_offset);
            request_header_add(r, "X-Ended", "1");
        }
        request_answer(r, route->status, "application/json", body,
                       strlen(body));
        return;
    }
    request_answer(r, 500, "text/plain", "no route", 8);
}

static inline void fake_child(struct fake *f, int ready)
{
    struct loop *l;
    struct serve *s;

    if (loop_open(&l, NULL) || serve_open(&s, l, fake_serve, f, NULL) ||
        serve_unix(s, f->socket, NULL) || write(ready, "!", 1) != 1)
        _exit(1);
    loop_run(l, NULL, NULL);
    _exit(0);
}

/* Copies the routes, up to one without a path. */
static inline void fake_start(struct fake *f, const struct fake_route *routes)
{
    int ready[2];
    char byte;

    *f = (struct fake){.folder = "/tmp/ht-cli.XXXXXX"};
    for (size_t i = 0; routes[i].path; i++)
        f->routes[i] = routes[i];
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    f->socket = mem_format("%s/s", f->folder);
    f->out = mem_format("%s/out", f->folder);
    f->url = mem_format("unix:%s", f->socket);
    ck_assert_int_eq(pipe(ready), 0);
    f->pid = fork();
    if (!f->pid)
        fake_child(f, ready[1]);
    ck_assert_int_eq(close(ready[1]), 0);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
}

static inline void fake_stop(struct fake *f)
{
    (void)kill(f->pid, SIGKILL);
    (void)waitpid(f->pid, NULL, 0);
    (void)unlink(f->socket);
    (void)unlink(f->out);
    (void)rmdir(f->folder);
    free(f->socket);
    free(f->out);
    free(f->url);
}

/* From here on stdout goes to a file... */
static inline void fake_hear(struct fake *f)
{
    (void)fflush(stdout);
    f->stdout_before = dup(STDOUT_FILENO);
    ck_assert_ptr_nonnull(freopen(f->out, "w", stdout));
}

/* ...and this is what it holds. Yours to free. */
static inline char *fake_heard(struct fake *f)
{
    char *text = mem_new(65536, 1);
    FILE *file;

    (void)fflush(stdout);
    (void)dup2(f->stdout_before, STDOUT_FILENO);
    (void)close(f->stdout_before);
    file = fopen(f->out, "r");
    ck_assert_ptr_nonnull(file);
    (void)!fread(text, 1, 65535, file);
    (void)fclose(file);
    return text;
}

#endif
