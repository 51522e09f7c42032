/* A whole service in a process of its own, and a client of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/service/lib/served.h"

#include <check.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "service/daemon.h"

enum { PATIENCE = 6000, PAUSE_MS = 10 };

int served_run(const char *dir, pid_t owner, struct err *e)
{
    char *argv[] = {(char[]){"hypertuned"},
                    (char[]){"--state"},
                    mem_copy_text(dir),
                    (char[]){"--shim"},
                    (char[]){"/bin/true"},
                    (char[]){"--log-level"},
                    (char[]){"error"},
                    (char[]){"--private-for"},
                    mem_format("%ld", (long)owner)};
    struct config config;
    enum config_wish wish;
    int rc = config_read(&config, sizeof argv / sizeof argv[0], argv, &wish, e);

    free(argv[2]);
    free(argv[8]);
    if (rc)
        return rc;
    rc = daemon_run(&config, e);
    config_clear(&config);
    return rc;
}

static int serve(const char *dir, pid_t owner)
{
    struct err e;

    if (served_run(dir, owner, &e) == 0)
        return 0;
    fprintf(stderr, "%s\n", e.text);
    return 4;
}

struct fetch *served_client(const struct served *s)
{
    char *where = mem_format("unix:%s", s->socket);
    struct fetch *client;
    struct err e;

    ck_assert_int_eq(fetch_open(&client, where, NULL, &e), 0);
    free(where);
    return client;
}

void served_make(struct served *s)
{
    snprintf(s->dir, sizeof s->dir, "/tmp/ht-served.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(s->dir));
    snprintf(s->socket, sizeof s->socket, "%s/hypertuned.sock", s->dir);
}

void served_start(struct served *s, pid_t owner)
{
    struct fetch_answer a;
    struct err e;
    int tries = 0;

    fflush(NULL);
    s->pid = fork();
    ck_assert_int_ge(s->pid, 0);
    if (s->pid == 0)
        exit(serve(s->dir, owner));
    s->client = served_client(s);
    fetch_answer_init(&a);
    while (fetch_do(s->client, "GET", "/healthz", NULL, 0, NULL, &a, &e)) {
        ck_assert_msg(++tries < PATIENCE, "%s", e.text);
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
    }
    ck_assert_int_eq(a.status, 200);
    fetch_answer_clear(&a);
}

void served_begin(struct served *s)
{
    served_make(s);
    served_start(s, getpid()); /* it ends with us, should the test be ended */
}

void served_wait(struct served *s)
{
    char *command[] = {(char[]){"rm"}, (char[]){"-rf"}, s->dir, NULL};
    int status = -1;
    pid_t pid;

    ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
                  (unsigned)status);
    ck_assert_int_ne(access(s->socket, F_OK), 0);
    fetch_close(s->client);
    pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

void served_end(struct served *s)
{
    kill(s->pid, SIGTERM);
    served_wait(s);
}

void served_kill(struct served *s)
{
    int status;

    kill(s->pid, SIGKILL);
    ck_assert_int_eq(waitpid(s->pid, &status, 0), s->pid);
    fetch_close(s->client);
}

void served_fetch(struct served *s, const char *method, const char *path,
                  const char *body, size_t n, struct fetch_answer *a)
{
    struct err e;

    fetch_answer_init(a);
    ck_assert_msg(fetch_do(s->client, method, path, body, n, "application/json",
                           a, &e) == 0,
                  "%s %s: %s", method, path, e.text);
}

json_t *served_ask(struct served *s, int status, const char *method,
                   const char *path, const char *body)
{
    struct fetch_answer a;
    json_error_t where;
    json_t *got;

    served_fetch(s, method, path, body, body ? strlen(body) : 0, &a);
    ck_assert_msg(!status || a.status == status, "%s %s %s: %d %s", method,
                  path, body ? body : "", a.status, text_str(&a.body));
    got = json_loadb(text_str(&a.body), a.body.len, JSON_REJECT_DUPLICATES,
                     &where);
    ck_assert_msg(got != NULL, "%s: %s: %s", path, where.text,
                  text_str(&a.body));
    fetch_answer_clear(&a);
    return got;
}

int served_connect(const struct served *s)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", s->socket);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

int served_send(const struct served *s, const char *method, const char *path,
                const char *body)
{
    char *request =
        mem_format("%s %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Content-Length: %zu\r\n\r\n%s",
                   method, path, strlen(body), body);
    int fd = served_connect(s);

    ck_assert_int_gt(send(fd, request, strlen(request), 0), 0);
    free(request);
    return fd;
}

int served_status(int fd)
{
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    char piece[4096], head[16] = "";
    size_t n = 0;
    ssize_t got = 1;

    while (got > 0) {
        ck_assert_int_gt(poll(&wait, 1, PATIENCE * PAUSE_MS), 0);
        got = recv(fd, piece, sizeof piece, 0);
        for (ssize_t i = 0; i < got && n + 1 < sizeof head; i++)
            head[n++] = piece[i];
    }
    close(fd);
    ck_assert_uint_gt(n, 12);
    return (int)strtol(head + 9, NULL, 10);
}

char *served_raw(const struct served *s, const char *bytes, size_t n,
                 int wait_ms)
{
    int fd = served_connect(s);
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct text out;
    char piece[4096];
    ssize_t got = 1;

    text_init(&out);
    text_add(&out, "");
    for (size_t at = 0; at < n;) {
        ssize_t sent = send(fd, bytes + at, n - at, MSG_NOSIGNAL);

        if (sent <= 0)
            break;
        at += (size_t)sent;
    }
    while (got > 0 && poll(&wait, 1, wait_ms) > 0) {
        got = recv(fd, piece, sizeof piece, 0);
        if (got > 0)
            text_add_bytes(&out, piece, (size_t)got);
    }
    close(fd);
    return text_take(&out);
}
