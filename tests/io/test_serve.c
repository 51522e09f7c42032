/* A server and its clients, for real, over Unix sockets and loopback. The
 * client runs on the worker while the test's own thread serves. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/serve.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/fetch.h"
#include "io/work.h"
#include "tests/lib/suite.h"

static struct loop *loop;
static struct serve *serve;
static struct worker *worker;
static char folder[128];
static char *sock;  /* the socket's path */
static char *where; /* the same as fetch wants it */
static int port;
static struct request *kept;
static int n_gone;
static int n_asked;

static void gone(void *ctx)
{
    (void)ctx;
    kept = NULL;
    n_gone++;
}

static void answer_kept(void *ctx)
{
    (void)ctx;
    if (kept)
        request_answer(kept, 200, "text/plain", "late", 4);
    kept = NULL;
}

static void echo(struct request *r)
{
    struct text out;
    size_t n;
    const char *body = request_body(r, &n);
    const char *q = request_query(r, "q");
    const char *mark = request_header(r, "authorization");

    text_init(&out);
    text_addf(&out, "%d %s q=%s %s %zu ", (int)request_method(r),
              request_path(r), q ? q : "none", mark ? mark : "none", n);
    ck_assert_int_eq(body[n], '\0');
    text_add_bytes(&out, body, n < 100 ? n : 100);
    request_header_add(r, "X-Next-Offset", "1234567890123");
    request_header_add(r, "X-Ended", "1");
    request_answer(r, request_is_local(r) ? 200 : 203, "text/plain", out.data,
                   out.len);
    text_clear(&out);
}

static void on_request(void *ctx, struct request *r)
{
    (void)ctx;
    n_asked++;
    if (strcmp(request_path(r), "/keep") == 0) {
        kept = r;
        request_on_gone(r, gone, NULL);
    } else if (strcmp(request_path(r), "/late") == 0) {
        kept = r;
        request_on_gone(r, gone, NULL);
        loop_after(loop, 50, answer_kept, NULL);
    } else if (strcmp(request_path(r), "/nothing") == 0) {
        request_answer(r, 204, NULL, NULL, 0);
    } else {
        echo(r);
    }
}

static void setup(void)
{
    struct err e = {0};

    kept = NULL;
    n_gone = n_asked = 0;
    snprintf(folder, sizeof folder, "/tmp/hypertune-serve-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    sock = mem_format("%s/s.sock", folder);
    where = mem_format("unix:%s", sock);
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(work_open(&worker, loop, &e), 0);
    ck_assert_int_eq(serve_open(&serve, loop, on_request, NULL, &e), 0);
    ck_assert_msg(serve_unix(serve, sock, &e) == 0, "%s", e.text);
    ck_assert_msg(serve_tcp(serve, "127.0.0.1", 0, &port, &e) == 0, "%s",
                  e.text);
}

static void teardown(void)
{
    work_close(worker);
    serve_close(serve);
    loop_close(loop);
    ck_assert_int_ne(access(sock, F_OK), 0);
    rmdir(folder);
    free(sock);
    free(where);
}

static void end_loop(void *ctx)
{
    (void)ctx;
    loop_stop(loop);
}

/* Serves while client(ctx) runs on the worker. */
static void serve_while(void (*client)(void *ctx), void *ctx)
{
    worker->give(worker, client, end_loop, ctx);
    loop_run(loop, NULL, NULL);
}

static struct fetch *opened(const char *at, const char *token)
{
    struct fetch *f;
    struct err e = {0};

    ck_assert_msg(fetch_open(&f, at, token, &e) == 0, "%s", e.text);
    return f;
}

static void expect(struct fetch *f, const char *method, const char *path,
                   const char *body, const char *want)
{
    struct fetch_answer a;
    struct err e = {0};

    fetch_answer_init(&a);
    ck_assert_msg(fetch_do(f, method, path, body, body ? strlen(body) : 0,
                           "text/plain", &a, &e) == 0,
                  "%s", e.text);
    ck_assert_str_eq(text_str(&a.body), want);
    fetch_answer_clear(&a);
}

/* ---- what comes in ---- */

static void ask_all(void *ctx)
{
    static const struct {
        const char *method, *path, *body, *want;
    } rows[] = {
        {"GET", "/api/studies", NULL, "0 /api/studies q=none Bearer t0k 0 "},
        {"POST", "/api/a%20b/c:pause?q=1%262+3&x=y", "hello",
         "1 /api/a b/c:pause q=1&2 3 Bearer t0k 5 hello"},
        {"POST", "/p", NULL, "1 /p q=none Bearer t0k 0 "},
        {"DELETE", "//a///./b/?q", NULL, "2 /a/b q= Bearer t0k 0 "},
        {"PATCH", "/?q=&q=2", "{}", "3 / q= Bearer t0k 2 {}"},
        {"PUT", "/%25zz", "1", "4 /%zz q=none Bearer t0k 1 1"},
    };
    struct fetch *f = opened(ctx, "t0k");

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        expect(f, rows[i].method, rows[i].path, rows[i].body, rows[i].want);
    fetch_close(f);
}

START_TEST(a_request_arrives_decoded_once)
{
    char *tcp;

    setup();
    serve_while(ask_all, where);
    tcp = mem_format("http://127.0.0.1:%d/", port);
    serve_while(ask_all, tcp);
    free(tcp);
    ck_assert_int_eq(n_asked, 12);
    teardown();
}
END_TEST

static void ask_status(void *ctx)
{
    static const struct {
        const char *path;
        int status;
    } rows[] = {{"/a/../b", 400},    {"/a/%2e%2E", 400},  {"/a%00b", 400},
                {"/a?q=%00", 400},   {"/..", 400},        {"/nothing", 204},
                {"/a/..b/c..", 200}, {"/a%2f..%2fb", 400}};
    struct fetch *f = opened(ctx, NULL);
    struct fetch_answer a;
    struct err e;

    fetch_answer_init(&a);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(
            fetch_do(f, "GET", rows[i].path, NULL, 0, NULL, &a, &e), 0);
        ck_assert_msg(a.status == rows[i].status, "%s: %d", rows[i].path,
                      a.status);
    }
    fetch_answer_clear(&a);
    fetch_close(f);
}

START_TEST(paths_that_climb_or_hold_a_zero_byte_are_refused_unasked)
{
    setup();
    serve_while(ask_status, where);
    ck_assert_int_eq(n_asked, 2);
    teardown();
}
END_TEST

static void ask_headers(void *ctx)
{
    struct fetch *f = opened(ctx, NULL);
    struct fetch_answer a;
    struct err e;

    fetch_answer_init(&a);
    ck_assert_int_eq(fetch_do(f, "GET", "/x", NULL, 0, NULL, &a, &e), 0);
    ck_assert_int_eq(a.next_offset, 1234567890123);
    ck_assert(a.ended);
    ck_assert_int_eq(fetch_do(f, "GET", "/nothing", NULL, 0, NULL, &a, &e), 0);
    ck_assert_int_eq(a.next_offset, -1);
    ck_assert(!a.ended);
    ck_assert_uint_eq(a.body.len, 0);
    fetch_answer_clear(&a);
    fetch_close(f);
}

START_TEST(offsets_and_ends_are_read_from_the_headers)
{
    setup();
    serve_while(ask_headers, where);
    teardown();
}
END_TEST

static void ask_large(void *ctx)
{
    size_t sizes[] = {8 << 20, (8 << 20) + 1};
    int want[] = {200, 413};
    char *body = mem_new((8 << 20) + 1, 1);
    struct fetch *f = opened(ctx, NULL);
    struct fetch_answer a;
    struct err e;

    memset(body, 'x', (8 << 20) + 1);
    fetch_answer_init(&a);
    for (int i = 0; i < 2; i++) {
        /* Refused in the middle of sending, it may see only the hang-up. */
        int rc = fetch_do(f, "POST", "/x", body, sizes[i], NULL, &a, &e);

        ck_assert(rc == 0 || i == 1);
        ck_assert_int_eq(rc == 0 ? a.status : 413, want[i]);
    }
    fetch_answer_clear(&a);
    fetch_close(f);
    free(body);
}

START_TEST(eight_megabytes_of_body_are_the_most)
{
    setup();
    serve_while(ask_large, where);
    ck_assert_int_eq(n_asked, 1);
    teardown();
}
END_TEST

/* ---- raw connections ---- */

static int plug(void)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(a.sun_path, sizeof a.sun_path, "%s", sock);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void put(int fd, const char *text)
{
    ck_assert_int_eq(send(fd, text, strlen(text), MSG_NOSIGNAL),
                     (ssize_t)strlen(text));
}

/* Reads until `n` times `word` came, or the other side hung up. */
static int count(int fd, const char *word, int n)
{
    char all[8192];
    size_t len = 0;
    int found = 0;
    ssize_t got;

    while (found < n &&
           (got = recv(fd, all + len, sizeof all - 1 - len, 0)) > 0) {
        len += (size_t)got;
        all[len] = '\0';
        found = 0;
        for (const char *p = all; (p = strstr(p, word)); p++)
            found++;
    }
    return found;
}

static void pipeline(void *ctx)
{
    int fd = plug();

    (void)ctx;
    put(fd, "GET /late HTTP/1.1\r\nHost: x\r\n\r\n"
            "GET /late HTTP/1.1\r\nHost: x\r\n\r\nGET /c");
    usleep(20 * 1000);
    put(fd, " HTTP/1.1\r\nHost: x\r\n\r\n");
    ck_assert_int_eq(count(fd, "HTTP/1.1 200", 3), 3);
    close(fd);
}

START_TEST(requests_sent_ahead_are_answered_one_after_the_other)
{
    setup();
    serve_while(pipeline, NULL);
    ck_assert_int_eq(n_asked, 3);
    ck_assert_int_eq(n_gone, 0);
    teardown();
}
END_TEST

static void hang_up(void *ctx)
{
    int fd = plug();

    put(fd, "GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
    if (ctx)
        put(fd, "GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
    usleep(100 * 1000);
    close(fd);
    usleep(100 * 1000);
}

START_TEST(a_client_that_hangs_up_while_it_waits_is_noticed)
{
    setup();
    serve_while(hang_up, NULL);
    ck_assert_int_eq(n_gone, 1);
    ck_assert_ptr_null(kept);
    serve_while(hang_up, "with more sent ahead");
    ck_assert_int_eq(n_gone, 2);
    teardown();
}
END_TEST

static void leave_without_reading(void *ctx)
{
    int fd = plug();

    (void)ctx;
    for (int i = 0; i < 50; i++)
        put(fd, "GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
    close(fd);
    usleep(100 * 1000);
}

START_TEST(an_answer_to_nobody_harms_nobody)
{
    setup();
    serve_while(leave_without_reading, NULL);
    serve_while(ask_headers, where);
    teardown();
}
END_TEST

static void talk_nonsense(void *ctx)
{
    static const char *const words[] = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "\x16\x03\x01\x02\x01\r\n\r\n",
        "GET nopath HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
        "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int fd = plug();

        put(fd, words[i]);
        shutdown(fd, SHUT_WR);
        ck_assert_int_eq(count(fd, "HTTP/1.1 200", 1), 0);
        close(fd);
    }
    ask_headers(ctx);
}

START_TEST(nonsense_is_answered_or_dropped_and_serving_goes_on)
{
    setup();
    serve_while(talk_nonsense, where);
    teardown();
}
END_TEST

static void header_flood(void *ctx)
{
    struct timeval wait = {.tv_sec = 10};
    char line[1024];
    int fd = plug();

    (void)ctx;
    memset(line, 'h', sizeof line);
    memcpy(line, "A: ", 3);
    memcpy(line + sizeof line - 2, "\r\n", 2);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    put(fd, "GET / HTTP/1.1\r\n");
    for (int i = 0; i < 80; i++)
        if (send(fd, line, sizeof line, MSG_NOSIGNAL) < 0)
            break;
    ck_assert_int_eq(count(fd, "HTTP/1.1 200", 1), 0);
    close(fd);
}

START_TEST(more_than_64_kilobytes_of_headers_are_refused)
{
    setup();
    serve_while(header_flood, NULL);
    ck_assert_int_eq(n_asked, 0);
    teardown();
}
END_TEST

START_TEST(a_request_still_open_is_told_when_the_server_closes)
{
    int fd;

    setup();
    fd = plug();
    put(fd, "GET /keep HTTP/1.1\r\nHost: x\r\n\r\n");
    loop_after(loop, 200, end_loop, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_ptr_nonnull(kept);
    teardown();
    ck_assert_int_eq(n_gone, 1);
    close(fd);
}
END_TEST

/* ---- listening ---- */

START_TEST(the_socket_is_for_its_owner_alone)
{
    struct stat st;

    setup();
    ck_assert_int_eq(stat(sock, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    teardown();
}
END_TEST

START_TEST(a_dead_socket_is_replaced_and_a_live_one_or_a_file_is_not)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    struct serve *other;
    struct err e = {0};
    char *dead;
    char *file;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setup();
    dead = mem_format("%s/dead.sock", folder);
    file = mem_format("%s/file", folder);
    snprintf(a.sun_path, sizeof a.sun_path, "%s", dead);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
    close(fd);
    close(open(file, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ck_assert_int_eq(serve_open(&other, loop, on_request, NULL, &e), 0);
    ck_assert_msg(serve_unix(other, dead, &e) == 0, "%s", e.text);
    ck_assert_int_eq(serve_unix(other, sock, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(serve_unix(other, file, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(serve_tcp(other, "127.0.0.1", port, NULL, &e), -1);
    ck_assert_int_eq(serve_tcp(other, "no such host", 0, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    serve_close(other);
    unlink(file);
    free(file);
    free(dead);
    teardown();
}
END_TEST

START_TEST(a_socket_may_lie_deep_in_the_tree)
{
    char *deep;
    char *at;
    struct err e = {0};

    setup();
    deep = mem_format("%s/%0120d", folder, 7);
    at = mem_format("unix:%s/s.sock", deep);
    ck_assert_int_eq(mkdir(deep, 0700), 0);
    ck_assert_msg(serve_unix(serve, at + strlen("unix:"), &e) == 0, "%s",
                  e.text);
    serve_while(ask_headers, at);
    serve_close(serve);
    serve = NULL;
    ck_assert_int_eq(rmdir(deep), 0);
    free(at);
    free(deep);
    teardown();
}
END_TEST

SUITE("io/serve", a_request_arrives_decoded_once,
      paths_that_climb_or_hold_a_zero_byte_are_refused_unasked,
      offsets_and_ends_are_read_from_the_headers,
      eight_megabytes_of_body_are_the_most,
      requests_sent_ahead_are_answered_one_after_the_other,
      a_client_that_hangs_up_while_it_waits_is_noticed,
      an_answer_to_nobody_harms_nobody,
      nonsense_is_answered_or_dropped_and_serving_goes_on,
      more_than_64_kilobytes_of_headers_are_refused,
      a_request_still_open_is_told_when_the_server_closes,
      the_socket_is_for_its_owner_alone,
      a_dead_socket_is_replaced_and_a_live_one_or_a_file_is_not,
      a_socket_may_lie_deep_in_the_tree)
