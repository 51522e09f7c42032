/* The client's sentences when there is no service, and its ways out. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/fetch.h"

#include <check.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tests/lib/suite.h"

static int ask(struct fetch *f, struct err *e)
{
    struct fetch_answer a;
    int rc;

    fetch_answer_init(&a);
    rc = fetch_do(f, "GET", "/healthz", NULL, 0, NULL, &a, e);
    fetch_answer_clear(&a);
    return rc;
}

static void fails(const char *where, enum err_code code, const char *word)
{
    struct fetch *f;
    struct err e = {0};

    ck_assert_msg(fetch_open(&f, where, NULL, &e) == 0, "%s", e.text);
    ck_assert_int_eq(ask(f, &e), -1);
    ck_assert_msg(e.code == code && strstr(e.text, word), "%d %s", e.code,
                  e.text);
    fetch_close(f);
}

/* A socket that listens (or only is there), on which nobody answers. */
static int silent(const char *path, bool listening)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    if (listening)
        ck_assert_int_eq(listen(fd, 4), 0);
    return fd;
}

START_TEST(no_socket_and_nobody_listening_are_told_apart)
{
    char folder[] = "/tmp/hypertune-fetch-XXXXXX";
    struct sockaddr_in a = {.sin_family = AF_INET};
    socklen_t n = sizeof a;
    char *path;
    char *at;
    int fd;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = mem_format("%s/s.sock", folder);
    at = mem_format("unix:%s", path);
    fails(at, ERR_ABSENT, "no socket is there");
    fd = silent(path, false);
    fails(at, ERR_ABSENT, "nobody listens");
    close(fd);
    unlink(path);
    free(at);
    free(path);
    rmdir(folder);

    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, n), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&a, &n), 0);
    at = mem_format("http://127.0.0.1:%d", ntohs(a.sin_port));
    fails(at, ERR_ABSENT, "nobody listens");
    free(at);
    close(fd);
}
END_TEST

START_TEST(the_folder_of_a_long_path_may_be_made_later)
{
    char folder[] = "/tmp/hypertune-fetch-XXXXXX";
    char *deep, *at;
    struct fetch *f;
    struct err e;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    deep = mem_format("%s/%0120d", folder, 0);
    at = mem_format("unix:%s/s.sock", deep);
    ck_assert_int_eq(fetch_open(&f, at, NULL, &e), 0);
    for (int round = 0; round < 2; round++) {
        ck_assert_int_eq(ask(f, &e), -1);
        ck_assert_int_eq(e.code, ERR_ABSENT);
        ck_assert_ptr_nonnull(strstr(e.text, "no socket is there"));
        ck_assert_int_eq(mkdir(deep, 0700), round ? -1 : 0);
    }
    fetch_close(f);
    rmdir(deep);
    rmdir(folder);
    free(at);
    free(deep);
}
END_TEST

START_TEST(what_is_no_server_is_refused)
{
    static const char *const bad[] = {
        "",          "unix:",          "ftp://x",    "http://", "https://:80/",
        "http://?x", "localhost:8470", "/run/s.sock"};
    struct fetch *f = NULL;
    struct err e;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(fetch_open(&f, bad[i], NULL, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_ptr_null(f);
    }
}
END_TEST

static volatile sig_atomic_t interrupted;

static void on_alarm(int signal_number)
{
    (void)signal_number;
    interrupted = 1;
}

START_TEST(a_flag_ends_a_long_wait_and_a_limit_does_too)
{
    char folder[] = "/tmp/hypertune-fetch-XXXXXX";
    struct sigaction act = {.sa_handler = on_alarm};
    int64_t begin = clock_steady_ms(&clock_real);
    struct fetch *f;
    struct err e;
    char *path;
    char *at;
    int fd;

    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = mem_format("%s/s.sock", folder);
    at = mem_format("unix:%s", path);
    fd = silent(path, true);
    ck_assert_int_eq(fetch_open(&f, at, NULL, &e), 0);
    fetch_limit(f, 50);
    ck_assert_int_eq(ask(f, &e), -1);
    ck_assert_int_eq(e.code, ERR_OUTSIDE);
    fetch_limit(f, 0);
    sigaction(SIGALRM, &act, NULL);
    interrupted = 0;
    fetch_abort_on(f, &interrupted);
    alarm(1);
    ck_assert_int_eq(ask(f, &e), -1);
    ck_assert_int_eq(e.code, ERR_BUSY);
    ck_assert_int_eq(ask(f, &e), -1);
    ck_assert_int_eq(e.code, ERR_BUSY);
    ck_assert_int_lt(clock_steady_ms(&clock_real) - begin, 20000);
    fetch_close(f);
    close(fd);
    unlink(path);
    rmdir(folder);
    free(at);
    free(path);
}
END_TEST

START_TEST(parts_of_a_path_are_escaped)
{
    char *text = fetch_escape("a b/c?d&e=%~\xc3\xbc-_.9Z");

    ck_assert_str_eq(text, "a%20b%2Fc%3Fd%26e%3D%25~%C3%BC-_.9Z");
    free(text);
}
END_TEST

SUITE("io/fetch", no_socket_and_nobody_listening_are_told_apart,
      the_folder_of_a_long_path_may_be_made_later, what_is_no_server_is_refused,
      a_flag_ends_a_long_wait_and_a_limit_does_too, parts_of_a_path_are_escaped)
