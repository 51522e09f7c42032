/* Who is let in: hosts, origins, tokens and their roles, over real TCP. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/door.h"

#include <arpa/inet.h>
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/mem.h"
#include "face/role.h"
#include "io/secret.h"
#include "io/work.h"
#include "store/store_token.h"
#include "tests/lib/suite.h"

#define OWNER "ht_an-owner-s-token-of-forty-characters-or-so"
#define HOST "Host: tune.example.org:99\r\n"

enum { ANSWER = 4096 };

static struct loop *loop;
static struct worker *worker;
static struct serve *serve;
static struct store *store;
static struct door *door;
static int64_t now_ms; /* of both clocks */
static int64_t study, trial;
static int port;
static int n_let_in;

#define MUST(call)                                                             \
    do {                                                                       \
        struct err must_e = {0};                                               \
        struct err *e = &must_e;                                               \
        ck_assert_msg((call) == 0, "%s: %s", #call, e->text);                  \
    } while (0)

static int64_t pretended(void *ctx)
{
    (void)ctx;
    return now_ms;
}

static const struct clock clock = {pretended, pretended, NULL};

/* What is let in is answered with its role. */
static void let_in(void *ctx, struct request *r)
{
    const char *name = role_name((enum role)request_rank(r));

    (void)ctx;
    n_let_in++;
    request_answer(r, 200, "text/plain", name, strlen(name));
}

static void add_token(const char *name, const char *secret, const char *role,
                      int64_t expires_ms)
{
    char hash[SECRET_TEXT];

    secret_hash(secret, hash);
    MUST(store_token_add(
        store, &(struct token_row){name, hash, role, 1, expires_ms}, e));
}

static void fill_store(void)
{
    const struct study_row row = {.name = "one",
                                  .spec = "{}",
                                  .source = "",
                                  .base_dir = "/",
                                  .created_ms = 1};

    MUST(store_open(&store, ":memory:", e));
    MUST(store_begin(store, e));
    MUST(store_study_add(store, &row, &study, e));
    MUST(store_trial_add(
        store,
        &(struct trial_row){
            .study_id = study, .point = "{}", .source = "", .client = ""},
        &trial, e));
    MUST(store_trial_move(store,
                          &(struct trial_change){.study_id = study,
                                                 .number = trial,
                                                 .from = TRIAL_PENDING,
                                                 .to = TRIAL_LAUNCHING,
                                                 .detail = "",
                                                 .attempt = 1},
                          e));
    add_token("eve", "reader-secret", "reader", 0);
    add_token("bob", "submitter-secret", "submitter", 0);
    add_token("ann", "admin-secret", "admin", 0);
    add_token("old", "old-secret", "admin", 1000);
    MUST(store_commit(store, e));
}

static void setup_with(bool any_ip, const char *owner)
{
    static const char *const hosts[] = {"tune.example.org", "127.0.0.1", "::1"};
    struct door_parts parts = {.clock = &clock,
                               .owner = owner,
                               .hosts = hosts,
                               .n_hosts = 3,
                               .any_ip = any_ip,
                               .next = let_in};

    n_let_in = 0;
    now_ms = 1000000;
    fill_store();
    parts.store = store;
    door = door_new(&parts);
    MUST(loop_open(&loop, e));
    MUST(work_open(&worker, loop, e));
    MUST(serve_open(&serve, loop, door_serve, door, e));
    MUST(serve_tcp(serve, "127.0.0.1", 0, &port, e));
}

static void setup(void)
{
    setup_with(false, OWNER);
}

static void teardown(void)
{
    work_close(worker);
    serve_close(serve);
    loop_close(loop);
    door_free(door);
    store_close(store);
}

/* ---- asking ---- */

static struct {
    char *question;
    char answer[ANSWER];
} talk;

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

static void say(void *ctx)
{
    int fd = dial();
    size_t n = 0;
    ssize_t got;

    (void)ctx;
    ck_assert_int_gt(send(fd, talk.question, strlen(talk.question), 0), 0);
    while ((got = recv(fd, talk.answer + n, ANSWER - 1 - n, 0)) > 0)
        n += (size_t)got;
    talk.answer[n] = 0;
    close(fd);
}

static void said(void *ctx)
{
    (void)ctx;
    loop_stop(loop);
}

/* Sends those lines; the status of the answer. */
static int ask(const char *line, const char *host, const char *token,
               const char *more)
{
    char *login = token ? mem_format("Authorization: Bearer %s\r\n", token)
                        : mem_copy_text("");
    int status = 0;

    talk.question = mem_format("%s HTTP/1.1\r\n%s%s%sConnection: close\r\n\r\n",
                               line, host, login, more);
    worker->give(worker, say, said, NULL);
    loop_run(loop, NULL, NULL);
    free(talk.question);
    free(login);
    ck_assert_ptr_eq(strstr(talk.answer, "HTTP/1.1 "), talk.answer);
    status = (int)strtol(talk.answer + strlen("HTTP/1.1 "), NULL, 10);
    ck_assert_msg(status == 200 || strstr(talk.answer, "\"error\""), "%s",
                  talk.answer);
    return status;
}

static int get(const char *host, const char *token)
{
    return ask("GET /api/studies", host, token, "");
}

static void says(const char *word)
{
    ck_assert_msg(strstr(talk.answer, word) != NULL, "no \"%s\" in: %s", word,
                  talk.answer);
}

/* ---- hosts and origins ---- */

START_TEST(a_host_must_be_ours)
{
    static const struct {
        const char *host;
        int status;
    } rows[] = {
        {"Host: tune.example.org\r\n", 200},
        {"Host: TUNE.example.org:8470\r\n", 200},
        {"Host: localhost:1\r\n", 200},
        {"Host: 127.0.0.1:8470\r\n", 200},
        {"Host: [::1]:8470\r\n", 200},
        {"Host: [0:0:0:0:0:0:0:1]\r\n", 200},
        {"Host: evil.example\r\n", 403},
        {"Host: tune.example.org.evil.example\r\n", 403},
        {"Host: 192.0.2.7\r\n", 403},
        {"Host: localhost:8470@evil.example\r\n", 400},
        {"Host: [::1\r\n", 400},
        {"Host:\r\n", 400},
        {"", 400},
    };

    setup();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_msg(get(rows[i].host, OWNER) == rows[i].status, "%s: %s",
                      rows[i].host, talk.answer);
    ck_assert_int_eq(n_let_in, 6);
    ck_assert_int_eq(
        ask("GET http://evil.example/api/studies", HOST, OWNER, ""), 403);
    says("--allow-host evil.example");
    ck_assert_int_eq(
        ask("GET http://localhost/api/studies", "Host: evil\r\n", OWNER, ""),
        200);
    teardown();
}
END_TEST

START_TEST(any_ip_is_ours_where_we_listen_on_all)
{
    setup_with(true, OWNER);
    ck_assert_int_eq(get("Host: 192.0.2.7:8470\r\n", OWNER), 200);
    ck_assert_int_eq(get("Host: [2001:db8::1]\r\n", OWNER), 200);
    ck_assert_int_eq(get("Host: evil.example\r\n", OWNER), 403);
    teardown();
}
END_TEST

START_TEST(pages_of_other_sites_may_not_ask)
{
    setup();
    ck_assert_int_eq(ask("GET /api/studies", HOST, OWNER,
                         "Origin: https://tune.example.org:99\r\n"),
                     200);
    ck_assert_int_eq(ask("GET /api/studies", HOST, OWNER,
                         "Origin: https://tune.example.org\r\n"),
                     403);
    ck_assert_int_eq(
        ask("POST /api/studies", HOST, OWNER, "Origin: http://evil\r\n"), 403);
    says("pages of http://evil");
    ck_assert_int_eq(ask("GET /api/studies", HOST, OWNER, "Origin: null\r\n"),
                     403);
    teardown();
}
END_TEST

/* ---- tokens ---- */

START_TEST(without_a_token_only_the_health_is_told)
{
    setup();
    ck_assert_int_eq(ask("GET /healthz", "Host: any\r\n", NULL, ""), 200);
    ck_assert_int_eq(ask("GET /readyz", "", NULL, ""), 200);
    n_let_in = 0;
    ck_assert_int_eq(ask("POST /healthz", HOST, NULL, ""), 401);
    ck_assert_int_eq(get(HOST, NULL), 401);
    says("WWW-Authenticate: Bearer");
    ck_assert_int_eq(ask("GET /api/studies", HOST, NULL,
                         "Authorization: Basic b3duZXI6eA==\r\n"),
                     401);
    ck_assert_int_eq(
        ask("GET /api/studies", HOST, NULL, "Authorization: Bearer \r\n"), 401);
    ck_assert_int_eq(ask("GET /v1/projects/p/jobs", HOST, NULL, ""), 401);
    says("\"status\": \"UNAUTHENTICATED\"");
    ck_assert_int_eq(n_let_in, 0);
    teardown();
}
END_TEST

START_TEST(a_token_has_the_role_that_it_was_given)
{
    static const struct {
        const char *token, *role;
        int post;
    } rows[] = {{OWNER, "admin", 200},
                {"admin-secret", "admin", 200},
                {"submitter-secret", "submitter", 200},
                {"reader-secret", "reader", 403}};

    setup();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_int_eq(get(HOST, rows[i].token), 200);
        says(rows[i].role);
        ck_assert_int_eq(ask("POST /api/x", HOST, rows[i].token, ""),
                         rows[i].post);
    }
    says("this token is a reader's, and this wants a submitter's");
    ck_assert_int_eq(ask("DELETE /v1/x", HOST, "reader-secret", ""), 403);
    says("PERMISSION_DENIED");
    ck_assert_int_eq(ask("GET /api/studies", HOST, NULL,
                         "authorization: bearer   reader-secret\r\n"),
                     200);
    teardown();
}
END_TEST

START_TEST(a_wrong_foreign_or_expired_token_opens_nothing)
{
    static const char *const wrong[] = {"x",

                                        "reader",
                                        "htr_",
                                        "htr_1_1_1_",
                                        "htr_1_1_1_00",
                                        "htr_9999999999999999999999_1_1_00"};
    char hash[SECRET_TEXT];
    char *large = mem_new(2000, 1);

    setup();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ck_assert_int_eq(get(HOST, wrong[i]), 401);
    ck_assert_int_eq(get(HOST, OWNER "x"), 401);
    memset(large, 'a', 1999);
    ck_assert_int_eq(get(HOST, large), 401);
    secret_hash("admin-secret", hash); /* what is stored is not what is sent */
    ck_assert_int_eq(get(HOST, hash), 401);
    now_ms = 999;
    ck_assert_int_eq(get(HOST, "old-secret"), 200);
    now_ms = 1000;
    ck_assert_int_eq(get(HOST, "old-secret"), 401);
    says("old has expired");
    now_ms = 10000000; /* the wrong ones are forgotten */
    MUST(store_begin(store, e));
    MUST(store_token_delete(store, "ann", e));
    ck_assert_int_eq(get(HOST, "admin-secret"), 401);
    MUST(store_commit(store, e));
    free(large);
    teardown();
}
END_TEST

START_TEST(a_service_without_an_owners_token_lets_nobody_in)
{
    setup_with(false, NULL);
    ck_assert_int_eq(get(HOST, "admin-secret"), 401);
    ck_assert_int_eq(get(HOST, ""), 401);
    ck_assert_int_eq(n_let_in, 0);
    teardown();
}
END_TEST

START_TEST(too_many_wrong_tokens_are_put_off_and_right_ones_are_not)
{
    setup();
    for (int i = 0; i < DOOR_BAD_LOGINS; i++)
        ck_assert_int_eq(get(HOST, "guess"), 401);
    ck_assert_int_eq(get(HOST, "guess"), 429);
    says("Retry-After: 6\r\n");
    ck_assert_int_eq(get(HOST, OWNER), 200);
    now_ms += DOOR_FORGIVEN_MS;
    ck_assert_int_eq(get(HOST, "guess"), 401);
    ck_assert_int_eq(get(HOST, "guess"), 429);
    now_ms += (int64_t)DOOR_FORGIVEN_MS * DOOR_BAD_LOGINS;
    for (int i = 0; i < DOOR_BAD_LOGINS; i++)
        ck_assert_int_eq(get(HOST, "guess"), 401);
    ck_assert_int_eq(get(HOST, "guess"), 429);
    teardown();
}
END_TEST

/* ---- tokens of attempts ---- */

static void move(enum trial_state from, enum trial_state to, int attempt)
{
    MUST(store_begin(store, e));
    MUST(store_trial_move(store,
                          &(struct trial_change){.study_id = study,
                                                 .number = trial,
                                                 .from = from,
                                                 .to = to,
                                                 .detail = "",
                                                 .attempt = attempt},
                          e));
    MUST(store_commit(store, e));
}

START_TEST(an_attempts_token_does_nothing_but_report)
{
    static const char *const others[] = {
        "GET /api/studies",
        "GET /api/studies/one/trials/1:report",
        "POST /api/studies",
        "POST /api/studies/one/trials/2:report",
        "POST /api/studies/two/trials/1:report",
        "POST /api/studies/id:7/trials/1:report",
        "POST /api/studies/one/trials/1:tell",
        "POST /api/studies/one/trials/1:report/x",
        "DELETE /api/studies/one"};
    char *token;

    setup();
    token = door_report_token(door, study, trial, 1);
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, token, ""), 200);
    ck_assert_int_eq(
        ask("POST /api/studies/id:1/trials/1:report", HOST, token, ""), 200);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        ck_assert_msg(ask(others[i], HOST, token, "") == 403, "%s", others[i]);
    token[strlen(token) - 1] ^= 1;
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, token, ""), 401);
    free(token);
    teardown();
}
END_TEST

START_TEST(an_attempts_token_is_over_with_it)
{
    char *first, *second;

    setup();
    first = door_report_token(door, study, trial, 1);
    second = door_report_token(door, study, trial, 2);
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, second, ""), 401);
    move(TRIAL_LAUNCHING, TRIAL_PENDING, 1);
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, first, ""), 401);
    move(TRIAL_PENDING, TRIAL_LAUNCHING, 2);
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, first, ""), 401);
    says("attempt 1 of trial 1 is over");
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, second, ""), 200);
    move(TRIAL_LAUNCHING, TRIAL_FAILED, 2);
    ck_assert_int_eq(
        ask("POST /api/studies/one/trials/1:report", HOST, second, ""), 401);
    free(second);
    free(first);
    teardown();
}
END_TEST

SUITE("face/door", a_host_must_be_ours, any_ip_is_ours_where_we_listen_on_all,
      pages_of_other_sites_may_not_ask, without_a_token_only_the_health_is_told,
      a_token_has_the_role_that_it_was_given,
      a_wrong_foreign_or_expired_token_opens_nothing,
      a_service_without_an_owners_token_lets_nobody_in,
      too_many_wrong_tokens_are_put_off_and_right_ones_are_not,
      an_attempts_token_does_nothing_but_report,
      an_attempts_token_is_over_with_it)
