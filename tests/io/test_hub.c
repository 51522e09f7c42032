/* Many requests at once from one loop, against a real server in it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/hub.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "io/serve.h"
#include "tests/lib/suite.h"

enum { WAIT_MS = 30000, MANY = 200 };

static struct loop *loop;
static struct serve *serve;
static struct hub *hub;
static char folder[64];
static char *path;
static int n_done, wanted;
static bool late;

/* One call's fate. */
struct fate {
    struct hub_call *call;
    int status, times;
    enum err_code code;
    struct text body, bytes;
    struct hub_call *cancels; /* when bytes come */
};

/* ---- the server ---- */

static struct request *held; /* one that is never answered, or streamed */

static void gone(void *ctx)
{
    (void)ctx;
    held = NULL;
}

static void serve_one(void *ctx, struct request *r)
{
    const char *name = request_path(r);
    size_t n;
    const char *body = request_body(r, &n);

    (void)ctx;
    if (strcmp(name, "/echo") == 0) {
        request_answer(r, 200, "text/plain", body, n);
    } else if (strcmp(name, "/hang") == 0) {
        held = r;
        request_on_gone(r, gone, NULL);
    } else if (strcmp(name, "/stream") == 0) {
        held = r;
        request_on_gone(r, gone, NULL);
        request_stream(r, 200, "text/plain", NULL, NULL);
        request_stream_add(r, "one,", 4);
    } else {
        request_answer(r, 404, "text/plain", "no such thing", 13);
    }
}

/* ---- the bench ---- */

static void done(void *ctx, const struct hub_answer *a)
{
    struct fate *f = ctx;

    f->call = NULL;
    f->times++;
    f->status = a->status;
    f->code = a->err.code;
    text_add_bytes(&f->body, a->body, a->n);
    if (++n_done >= wanted)
        loop_stop(loop);
}

static void bytes(void *ctx, const char *got, size_t n)
{
    struct fate *f = ctx;

    text_add_bytes(&f->bytes, got, n);
    hub_cancel(f->cancels);
    f->cancels = NULL;
    loop_stop(loop);
}

static void too_late(void *ctx)
{
    (void)ctx;
    late = true;
    loop_stop(loop);
}

static void run(int until)
{
    struct loop_watch *w = loop_after(loop, WAIT_MS, too_late, NULL);

    wanted = until;
    loop_run(loop, NULL, NULL);
    ck_assert_msg(!late, "it took too long");
    loop_forget(w);
}

static void setup(void)
{
    struct err e = {0};
    char *where;

    n_done = 0;
    late = false;
    snprintf(folder, sizeof folder, "/tmp/hypertune-hub-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    path = mem_format("%s/s.sock", folder);
    where = mem_format("unix:%s", path);
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(serve_open(&serve, loop, serve_one, NULL, &e), 0);
    ck_assert_int_eq(serve_unix(serve, path, &e), 0);
    ck_assert_msg(hub_open(&hub, loop, where, &e) == 0, "%s", e.text);
    free(where);
}

static void teardown(void)
{
    hub_close(hub);
    serve_close(serve);
    loop_close(loop);
    unlink(path);
    free(path);
    rmdir(folder);
}

static void send_to(struct fate *f, const char *method, const char *to,
                    const char *body, int64_t most_ms, bool streamed)
{
    struct hub_request r = {.method = method,
                            .path = to,
                            .body = body,
                            .most_ms = most_ms,
                            .bytes = streamed ? bytes : NULL,
                            .done = done,
                            .ctx = f};

    *f = (struct fate){0};
    f->call = hub_send(hub, &r);
}

static void clear(struct fate *f)
{
    text_clear(&f->body);
    text_clear(&f->bytes);
}

/* ---- the tests ---- */

START_TEST(many_are_on_their_way_at_once)
{
    static struct fate fates[MANY];
    char body[32];

    setup();
    for (int i = 0; i < MANY; i++) {
        snprintf(body, sizeof body, "number %d", i);
        send_to(&fates[i], "POST", "/echo", body, WAIT_MS, false);
    }
    ck_assert_int_eq(n_done, 0);
    run(MANY);
    for (int i = 0; i < MANY; i++) {
        snprintf(body, sizeof body, "number %d", i);
        ck_assert_int_eq(fates[i].status, 200);
        ck_assert_int_eq(fates[i].times, 1);
        ck_assert_str_eq(text_str(&fates[i].body), body);
        clear(&fates[i]);
    }
    teardown();
}
END_TEST

START_TEST(any_status_is_an_answer_and_its_body_is_collected)
{
    struct fate a, b;

    setup();
    send_to(&a, "DELETE", "/nothing", NULL, WAIT_MS, false);
    send_to(&b, "GET", "/nothing", NULL, WAIT_MS, true);
    run(2);
    ck_assert_int_eq(a.status, 404);
    ck_assert_str_eq(text_str(&a.body), "no such thing");
    ck_assert_int_eq(b.status, 404);
    ck_assert_str_eq(text_str(&b.body), "no such thing");
    ck_assert_uint_eq(b.bytes.len, 0);
    clear(&a);
    clear(&b);
    teardown();
}
END_TEST

START_TEST(an_answer_without_end_comes_in_pieces)
{
    struct fate f;

    setup();
    send_to(&f, "GET", "/stream", NULL, 0, true);
    while (f.bytes.len < 4)
        run(1);
    ck_assert_str_eq(text_str(&f.bytes), "one,");
    ck_assert_int_eq(f.times, 0);
    request_stream_add(held, "two", 3);
    request_stream_end(held);
    while (!f.times)
        run(1);
    ck_assert_str_eq(text_str(&f.bytes), "one,two");
    ck_assert_int_eq(f.status, 200);
    clear(&f);
    teardown();
}
END_TEST

START_TEST(what_takes_too_long_is_given_up)
{
    struct fate f;

    setup();
    send_to(&f, "GET", "/hang", NULL, 100, false);
    run(1);
    ck_assert_int_eq(f.status, 0);
    ck_assert_int_eq(f.code, ERR_BUSY);
    clear(&f);
    teardown();
}
END_TEST

START_TEST(what_is_cancelled_is_not_told)
{
    struct fate hung, stream, last;

    setup();
    send_to(&hung, "GET", "/hang", NULL, WAIT_MS, false);
    send_to(&stream, "GET", "/stream", NULL, 0, true);
    stream.cancels = stream.call; /* itself, in its own callback */
    while (!stream.bytes.len)
        run(1);
    hub_cancel(hung.call);
    send_to(&last, "POST", "/echo", "x", WAIT_MS, false);
    run(1);
    ck_assert_int_eq(hung.times, 0);
    ck_assert_int_eq(stream.times, 0);
    ck_assert_int_eq(last.status, 200);
    hub_cancel(NULL);
    clear(&hung);
    clear(&stream);
    clear(&last);
    teardown();
}
END_TEST

START_TEST(one_that_is_cancelled_by_another_is_not_told)
{
    struct fate hung, stream;

    setup();
    send_to(&hung, "GET", "/hang", NULL, WAIT_MS, false);
    send_to(&stream, "GET", "/stream", NULL, 0, true);
    stream.cancels = hung.call;
    while (!stream.bytes.len)
        run(1);
    ck_assert_int_eq(hung.times, 0);
    clear(&hung);
    clear(&stream);
    teardown(); /* with a stream that is still open */
}
END_TEST

START_TEST(a_server_that_hangs_up_and_one_that_is_not_there_are_told_apart)
{
    struct fate hung, absent, back;
    struct err e;

    setup();
    send_to(&hung, "GET", "/stream", NULL, 0, true);
    while (!hung.bytes.len)
        run(1);
    serve_close(serve);
    while (!hung.times)
        run(1);
    ck_assert_int_eq(hung.status, 0);
    ck_assert_int_eq(hung.code, ERR_OUTSIDE);
    send_to(&absent, "GET", "/echo", NULL, WAIT_MS, false);
    run(2);
    ck_assert_int_eq(absent.status, 0);
    ck_assert_int_eq(absent.code, ERR_ABSENT);
    ck_assert_int_eq(serve_open(&serve, loop, serve_one, NULL, &e), 0);
    ck_assert_int_eq(serve_unix(serve, path, &e), 0);
    send_to(&back, "POST", "/echo", "back", WAIT_MS, false);
    run(3);
    ck_assert_int_eq(back.status, 200);
    clear(&hung);
    clear(&absent);
    clear(&back);
    teardown();
}
END_TEST

START_TEST(a_port_is_asked_as_well_as_a_socket)
{
    struct hub *unix_hub;
    struct fate f;
    struct err e;
    char *where;
    int port = 0;

    setup();
    unix_hub = hub;
    ck_assert_int_eq(serve_tcp(serve, "127.0.0.1", 0, &port, &e), 0);
    where = mem_format("http://127.0.0.1:%d/", port);
    ck_assert_int_eq(hub_open(&hub, loop, where, &e), 0);
    send_to(&f, "POST", "/echo", "by port", WAIT_MS, false);
    run(1);
    ck_assert_str_eq(text_str(&f.body), "by port");
    clear(&f);
    hub_close(hub);
    hub = unix_hub;
    free(where);
    teardown();
}
END_TEST

START_TEST(what_is_no_server_is_refused)
{
    static const char *const bad[] = {"", "unix:", "ssh://x", "/run/s.sock"};
    struct hub *h;
    struct err e;

    setup();
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        ck_assert_int_eq(hub_open(&h, loop, bad[i], &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_ptr_null(h);
    }
    hub_close(NULL);
    teardown();
}
END_TEST

SUITE("io/hub", many_are_on_their_way_at_once,
      any_status_is_an_answer_and_its_body_is_collected,
      an_answer_without_end_comes_in_pieces, what_takes_too_long_is_given_up,
      what_is_cancelled_is_not_told,
      one_that_is_cancelled_by_another_is_not_told,
      a_server_that_hangs_up_and_one_that_is_not_there_are_told_apart,
      a_port_is_asked_as_well_as_a_socket, what_is_no_server_is_refused)
