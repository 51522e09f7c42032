/* Strangers on TCP: odd requests, slow ones, too many, and TLS. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/serve.h"

#include <arpa/inet.h>
#include <check.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/fetch.h"
#include "io/work.h"
#include "tests/lib/suite.h"

enum { ANSWER = 16384, SLOW_MS = 400, FEW = 3 };

static struct loop *loop;
static struct serve *serve;
static struct worker *worker;
static int port;
static int n_asked;
static _Atomic int n_gone; /* read by the client too */
static struct request *kept;

static void gone(void *ctx)
{
    (void)ctx;
    n_gone++;
    kept = NULL;
}

static void on_request(void *ctx, struct request *r)
{
    char *host = request_host(r);
    char *says = mem_format("%s host=%s from=%s", request_path(r),
                            host ? host : "none", request_peer(r));

    (void)ctx;
    n_asked++;
    ck_assert(!request_is_local(r));
    if (strcmp(request_path(r), "/keep") == 0) {
        kept = r;
        request_on_gone(r, gone, NULL);
    } else {
        request_answer(r, request_method(r) == SERVE_OTHER ? 405 : 200,
                       "text/plain", says, strlen(says));
    }
    free(says);
    free(host);
}

static void open_serve(void)
{
    struct err e = {0};

    n_asked = 0;
    n_gone = 0;
    kept = NULL;
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(work_open(&worker, loop, &e), 0);
    ck_assert_int_eq(serve_open(&serve, loop, on_request, NULL, &e), 0);
}

static void listen_now(void)
{
    struct err e = {0};

    ck_assert_msg(serve_tcp(serve, "127.0.0.1", 0, &port, &e) == 0, "%s",
                  e.text);
}

static void setup(void)
{
    open_serve();
    listen_now();
}

static void teardown(void)
{
    work_close(worker);
    serve_close(serve);
    loop_close(loop);
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

/* ---- raw connections ---- */

static int dial(void)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((uint16_t)port),
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval wait = {.tv_sec = 60};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&a, sizeof a), 0);
    return fd;
}

static void put(int fd, const char *bytes, size_t n)
{
    ck_assert_int_eq(send(fd, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* All that comes until the other side hangs up. */
static void hear(int fd, char answer[ANSWER])
{
    size_t n = 0;
    ssize_t got;

    while ((got = recv(fd, answer + n, ANSWER - 1 - n, 0)) > 0)
        n += (size_t)got;
    answer[n] = 0;
}

/* ---- odd requests ---- */

#define END "\r\nHost: x\r\nConnection: close\r\n\r\n"
#define POST "POST /p HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"

static const struct odd {
    const char *sent;
    const char *status; /* "" = hung up on without a word */
    const char *says;
} odds[] = {
    {"GET //v1/projects HTTP/1.1" END, "200", "/v1/projects host=x"},
    {"GET ///v1//projects HTTP/1.1" END, "200", "/v1/projects host=x"},
    {"GET //v1:x/projects HTTP/1.1" END, "400", "\"error\""},
    {"GET /a%00b HTTP/1.1" END, "400", "\"error\""},
    {"GET /a/%2e%2e/b HTTP/1.1" END, "400", "\"error\""},
    {"GET /a/../b HTTP/1.1" END, "400", "\"error\""},
    {"GET http://other:1/a HTTP/1.1" END, "200", "/a host=other:1"},
    {"GET http://other HTTP/1.1" END, "200", "/ host=other"},
    {"GET /a HTTP/1.0\r\n\r\n", "200", "/a host=none"},
    {"FROB /a HTTP/1.1" END, "405", "/a"},
    {"OPTIONS * HTTP/1.1" END, "400", "\"error\""},
    {"CONNECT other:80 HTTP/1.1" END, "400", "\"error\""},
    {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400", "\"error\""},
    {"\x16\x03\x01\x02\x01\x01\x01\xfc\r\n\r\n", "400", "\"error\""},
    {"GET /a HTTP/1.1\r\nno colon\r\n\r\n", "400", "\"error\""},
    {POST "Content-Length: 2\r\n\r\nab", "200", "/p"},
    {POST "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "200", "/p"},
    {POST "Transfer-Encoding: chunked\r\n\r\nzz\r\n", "413", "\"error\""},
    {POST "Content-Length: -1\r\n\r\nab", "400", "\"error\""},
    {POST "Content-Length: 2x\r\n\r\nab", "400", "\"error\""},
    {POST "Content-Length: 2\r\nContent-Length: 2\r\n\r\nab", "400",
     "more than once"},
    {POST "Content-Length: 2\r\nContent-Length: 1\r\n\r\nab", "400",
     "more than once"},
    {POST "Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
     "400", "\"error\""},
    {POST "Content-Length: +2\r\n\r\nab", "400", "no number"},
    {POST "Content-Length : 2\r\n\r\nab", "400", "holds a blank"},
    {POST ": 2\r\n\r\n", "400", "\"error\""},
    {POST "Transfer-Encoding: gzip\r\n\r\n", "400", "no other"},
    {POST "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "400", "no other"},
    {POST "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", "400",
     "no other"},
    {POST "Transfer-Encoding: Chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", "200", "/p"},
    {POST "Host: y\r\nContent-Length: 0\r\n\r\n", "400", "Host more"},
    {POST "Authorization: Bearer a\r\nauthorization: Bearer b\r\n"
          "Content-Length: 0\r\n\r\n",
     "400", "more than one header"},
    {POST "Expect: magic\r\nContent-Length: 1\r\n\r\na", "417", "100-continue"},
    {POST "Content-Length: 9\r\n\r\nhalf", "", ""},
    {POST "Transfer-Encoding: chunked\r\n\r\n5\r\nha", "", ""},
    {"GET /a HTTP/1.1\r\nHo", "", ""},
};
enum { ODDS = sizeof odds / sizeof *odds };

static void ask_oddly(void *ctx)
{
    char answer[ANSWER];

    (void)ctx;
    for (size_t i = 0; i < ODDS; i++) {
        const struct odd *o = &odds[i];
        int fd = dial();

        put(fd, o->sent, strlen(o->sent));
        shutdown(fd, SHUT_WR);
        hear(fd, answer);
        close(fd);
        if (!*o->status)
            ck_assert_msg(!*answer, "%s: %s", o->sent, answer);
        else
            ck_assert_msg(strncmp(answer + 9, o->status, 3) == 0 &&
                              strstr(answer, o->says) &&
                              !strstr(answer, "<HTML>"),
                          "%s: %s", o->sent, answer);
    }
}

START_TEST(odd_requests_are_answered_in_json_or_dropped)
{
    setup();
    serve_while(ask_oddly, NULL);
    teardown();
}
END_TEST

/* Of HEAD nothing may follow the headers: it would be taken for the head of
 * the next answer. */
static void ask_head(void *ctx)
{
    static const char sent[] = "HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n"
                               "GET /b HTTP/1.1" END;
    char answer[ANSWER];
    int fd = dial();
    const char *second;

    (void)ctx;
    put(fd, sent, strlen(sent));
    hear(fd, answer);
    close(fd);
    second = strstr(answer, "\r\n\r\n");
    ck_assert_ptr_nonnull(second);
    ck_assert_msg(strncmp(second + 4, "HTTP/1.1 200", 12) == 0, "%s", answer);
}

START_TEST(head_is_answered_by_a_head_alone)
{
    setup();
    serve_while(ask_head, NULL);
    ck_assert_int_eq(n_asked, 2);
    teardown();
}
END_TEST

/* ---- slow ones ---- */

/* One byte after the other, each well before the pause would be too long. */
static void drip(void *ctx)
{
    const char *sent = ctx;
    char answer[ANSWER];
    int64_t begun = clock_steady_ms(&clock_real);
    int fd = dial();

    for (size_t i = 0; sent[i % strlen(sent)]; i++) {
        if (send(fd, sent + (i < strlen(sent) ? i : strlen(sent) - 1), 1,
                 MSG_NOSIGNAL) < 0)
            break;
        ck_assert_int_lt(clock_steady_ms(&clock_real) - begun, 60000);
        usleep(20 * 1000);
    }
    hear(fd, answer);
    ck_assert_str_eq(answer, "");
    close(fd);
}

START_TEST(who_sends_byte_by_byte_is_hung_up_on)
{
    open_serve();
    serve_limits(serve, 100, SLOW_MS);
    listen_now();
    serve_while(drip, "GET / HTTP/1.1\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
    serve_while(drip, POST "Content-Length: 5000\r\n\r\nyyyyyyyyyyyyyyyyyyyyy");
    ck_assert_int_eq(n_asked, 0);
    teardown();
}
END_TEST

/* The beginning of TLS, on a port that speaks none: no line will ever end. */
static void greet_in_tls(void *ctx)
{
    static const char hello[] = "\x16\x03\x01\x01\x07\x01\x01\x01\x03\x03";
    char answer[ANSWER];
    int fd = dial();

    (void)ctx;
    put(fd, hello, sizeof hello - 1);
    hear(fd, answer);
    ck_assert_str_eq(answer, "");
    close(fd);
}

START_TEST(who_speaks_no_http_is_hung_up_on_at_once)
{
    open_serve();
    serve_limits(serve, 100, (int64_t)10 * 60 * 1000);
    listen_now();
    serve_while(greet_in_tls, NULL);
    ck_assert_int_eq(n_asked, 0);
    teardown();
}
END_TEST

/* Kept longer than a slow request may take, and idle between two. */
static void wait_long(void *ctx)
{
    static const char first[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
    static const char last[] = "GET /b HTTP/1.1" END;
    char answer[ANSWER];
    int fd = dial();

    (void)ctx;
    usleep(3 * SLOW_MS * 1000);
    put(fd, first, strlen(first));
    usleep(3 * SLOW_MS * 1000);
    put(fd, last, strlen(last));
    hear(fd, answer);
    ck_assert_ptr_nonnull(strstr(answer, "/a host"));
    ck_assert_ptr_nonnull(strstr(answer, "/b host"));
    close(fd);
}

START_TEST(who_says_nothing_between_two_requests_is_not_slow)
{
    open_serve();
    serve_limits(serve, 100, SLOW_MS);
    listen_now();
    serve_while(wait_long, NULL);
    ck_assert_int_eq(n_asked, 2);
    teardown();
}
END_TEST

/* ---- too many ---- */

static void crowd_in(void *ctx)
{
    static const char sent[] = "GET /late HTTP/1.1" END;
    char answer[ANSWER];
    int idle[FEW];
    int fd;

    (void)ctx;
    for (int i = 0; i < FEW; i++)
        idle[i] = dial();
    usleep(100 * 1000); /* all of them are let in */
    fd = dial();        /* the system's queue takes it */
    put(fd, sent, strlen(sent));
    usleep(100 * 1000);
    ck_assert_int_eq(recv(fd, answer, ANSWER, MSG_DONTWAIT), -1);
    close(idle[0]);
    hear(fd, answer);
    ck_assert_ptr_nonnull(strstr(answer, "/late host"));
    close(fd);
    for (int i = 1; i < FEW; i++)
        close(idle[i]);
}

START_TEST(who_comes_when_it_is_full_waits_for_a_place)
{
    open_serve();
    serve_limits(serve, FEW, 60000);
    listen_now();
    serve_while(crowd_in, NULL);
    serve_while(crowd_in, NULL); /* and places are given back */
    teardown();
}
END_TEST

/* ---- TLS ---- */

static char folder[64];
static char *certificate, *key;

static void write_key(EVP_PKEY *pair)
{
    FILE *file = fopen(key, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(
        PEM_write_PrivateKey(file, pair, NULL, NULL, 0, NULL, NULL), 1);
    ck_assert_int_eq(fclose(file), 0);
}

/* A certificate for 127.0.0.1 that signs itself. */
static void write_certificate(EVP_PKEY *pair)
{
    FILE *file = fopen(certificate, "we");
    X509 *x = X509_new();
    X509_EXTENSION *names =
        X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1");

    ck_assert_ptr_nonnull(file);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_set_version(x, 2);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, pair);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC,
                               (const unsigned char *)"here", -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    ck_assert_int_eq(X509_add_ext(x, names, -1), 1);
    ck_assert_int_gt(X509_sign(x, pair, EVP_sha256()), 0);
    ck_assert_int_eq(PEM_write_X509(file, x), 1);
    ck_assert_int_eq(fclose(file), 0);
    X509_EXTENSION_free(names);
    X509_free(x);
}

static void make_certificate(void)
{
    EVP_PKEY *pair = EVP_EC_gen("P-256");

    snprintf(folder, sizeof folder, "/tmp/ht-tls.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    certificate = mem_format("%s/c.pem", folder);
    key = mem_format("%s/k.pem", folder);
    ck_assert_ptr_nonnull(pair);
    write_key(pair);
    write_certificate(pair);
    EVP_PKEY_free(pair);
}

static void drop_certificate(void)
{
    unlink(certificate);
    unlink(key);
    rmdir(folder);
    free(certificate);
    free(key);
}

static void setup_tls(void)
{
    struct err e = {0};

    make_certificate();
    open_serve();
    serve_limits(serve, 100, SLOW_MS);
    ck_assert_msg(serve_tls(serve, certificate, key, &e) == 0, "%s", e.text);
    listen_now();
}

static void teardown_tls(void)
{
    teardown();
    drop_certificate();
}

static void ask_by_tls(void *ctx)
{
    char *where = mem_format("https://127.0.0.1:%d", port);
    char *body = mem_new(1 << 20, 1);
    struct fetch_answer a;
    struct fetch *f;
    struct err e = {0};

    (void)ctx;
    fetch_answer_init(&a);
    ck_assert_int_eq(fetch_open(&f, where, NULL, &e), 0);
    ck_assert_int_eq(fetch_do(f, "GET", "/a", NULL, 0, NULL, &a, &e), -1);
    ck_assert_int_eq(e.code, ERR_OUTSIDE); /* nobody vouches for it */
    fetch_trust(f, certificate);
    for (int i = 0; i < 3; i++) {
        ck_assert_msg(fetch_do(f, "POST", "/a", body, 1 << 20, NULL, &a, &e) ==
                          0,
                      "%s", e.text);
        ck_assert_int_eq(a.status, 200);
    }
    fetch_close(f);
    fetch_answer_clear(&a);
    free(body);
    free(where);
}

START_TEST(requests_come_by_tls)
{
    setup_tls();
    serve_while(ask_by_tls, NULL);
    ck_assert_int_eq(n_asked, 3);
    teardown_tls();
}
END_TEST

/* Plain words to the port that speaks TLS, and none at all. */
static void ask_plainly(void *ctx)
{
    static const char sent[] = "GET /a HTTP/1.1" END;
    char answer[ANSWER];
    int fd = dial();

    put(fd, sent, strlen(sent));
    hear(fd, answer);
    ck_assert_ptr_null(strstr(answer, "HTTP/1.1 200"));
    close(fd);
    fd = dial();
    hear(fd, answer); /* hung up on by and by */
    ck_assert_str_eq(answer, "");
    close(fd);
    ask_by_tls(ctx);
}

START_TEST(plain_http_and_silence_get_nothing_from_the_port_of_tls)
{
    setup_tls();
    serve_while(ask_plainly, NULL);
    ck_assert_int_eq(n_asked, 3);
    teardown_tls();
}
END_TEST

static void wait_and_leave(void *ctx)
{
    char *where = mem_format("https://127.0.0.1:%d", port);
    struct fetch_answer a;
    struct fetch *f;
    struct err e = {0};

    (void)ctx;
    fetch_answer_init(&a);
    ck_assert_int_eq(fetch_open(&f, where, NULL, &e), 0);
    fetch_trust(f, certificate);
    fetch_limit(f, 500);
    ck_assert_int_eq(fetch_do(f, "GET", "/keep", NULL, 0, NULL, &a, &e), -1);
    fetch_close(f);
    fetch_answer_clear(&a);
    free(where);
    for (int i = 0; i < 500 && !n_gone; i++)
        usleep(10 * 1000);
}

START_TEST(a_client_of_tls_that_hangs_up_while_it_waits_is_noticed)
{
    setup_tls();
    serve_while(wait_and_leave, NULL);
    ck_assert_int_eq(n_asked, 1);
    ck_assert_int_eq(n_gone, 1);
    ck_assert_ptr_null(kept);
    teardown_tls();
}
END_TEST

START_TEST(a_certificate_that_cannot_be_used_is_named)
{
    struct err e = {0};

    make_certificate();
    open_serve();
    ck_assert_int_eq(serve_tls(serve, "/nowhere/c.pem", key, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(e.text, "certificate /nowhere/c.pem"));
    ck_assert_int_eq(serve_tls(serve, key, key, &e), -1);
    ck_assert_int_eq(serve_tls(serve, certificate, certificate, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "the key "));
    ck_assert_int_eq(serve_tls(serve, certificate, key, &e), 0);
    teardown_tls();
}
END_TEST

SUITE("io/serve_tcp", odd_requests_are_answered_in_json_or_dropped,
      head_is_answered_by_a_head_alone, who_sends_byte_by_byte_is_hung_up_on,
      who_speaks_no_http_is_hung_up_on_at_once,
      who_says_nothing_between_two_requests_is_not_slow,
      who_comes_when_it_is_full_waits_for_a_place, requests_come_by_tls,
      plain_http_and_silence_get_nothing_from_the_port_of_tls,
      a_client_of_tls_that_hangs_up_while_it_waits_is_noticed,
      a_certificate_that_cannot_be_used_is_named)
