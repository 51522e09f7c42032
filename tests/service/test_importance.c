/* What matters, asked of a whole service over its socket. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/fetch.h"
#include "service/daemon.h"
#include "tests/lib/suite.h"

enum { TRIES = 6000, PAUSE_MS = 10, MANY = 30 };

static struct {
    char dir[64];
    pid_t pid;
    struct fetch *client;
} service;

/* ---- a service in a process of its own ---- */

static int serve(bool look_only)
{
    char *owner = mem_format("%ld", (long)getppid());
    char *argv[] = {(char[]){"hypertuned"},
                    (char[]){"--state"},
                    service.dir,
                    (char[]){"--shim"},
                    (char[]){"/bin/true"},
                    (char[]){"--log-level"},
                    (char[]){"error"},
                    (char[]){"--private-for"},
                    owner,
                    (char[]){"--look-only"}};
    struct config config;
    enum config_wish wish;
    struct err e;
    int rc = config_read(&config, look_only ? 10 : 9, argv, &wish, &e);

    free(owner);
    if (!rc) {
        rc = daemon_run(&config, &e);
        config_clear(&config);
    }
    if (rc)
        fprintf(stderr, "%s\n", e.text);
    return rc ? 4 : 0;
}

static bool answers(void)
{
    struct fetch_answer a;
    struct err e;
    int rc;

    fetch_answer_init(&a);
    rc = fetch_do(service.client, "GET", "/healthz", NULL, 0, NULL, &a, &e);
    fetch_answer_clear(&a);
    return rc == 0;
}

static void start(bool look_only)
{
    char where[128];
    struct err e;
    int tries = 0;

    if (look_only)
        snprintf(where, sizeof where, "unix:%s/look-%ld.sock", service.dir,
                 (long)getpid());
    else
        snprintf(where, sizeof where, "unix:%s/hypertuned.sock", service.dir);
    fflush(NULL);
    service.pid = fork();
    ck_assert_int_ge(service.pid, 0);
    if (service.pid == 0)
        exit(serve(look_only));
    ck_assert_int_eq(fetch_open(&service.client, where, NULL, &e), 0);
    while (!answers()) {
        ck_assert_int_lt(++tries, TRIES);
        nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
    }
}

static void stop(void)
{
    int status = -1;

    kill(service.pid, SIGTERM);
    ck_assert_int_eq(waitpid(service.pid, &status, 0), service.pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
                  (unsigned)status);
    fetch_close(service.client);
}

static void begin(void)
{
    snprintf(service.dir, sizeof service.dir, "/tmp/ht-imp.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(service.dir));
    start(false);
}

static void end(void)
{
    char *command[] = {(char[]){"rm"}, (char[]){"-rf"}, service.dir, NULL};
    pid_t pid;

    stop();
    pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

/* ---- asking it ---- */

/* The bytes are in *a, which the caller clears. */
static void fetch(const char *method, const char *path, const char *body,
                  struct fetch_answer *a)
{
    struct err e;

    fetch_answer_init(a);
    ck_assert_msg(fetch_do(service.client, method, path, body,
                           body ? strlen(body) : 0, "application/json", a,
                           &e) == 0,
                  "%s %s: %s", method, path, e.text);
    ck_assert_msg(a->status == 200, "%s %s: %d %s", method, path, a->status,
                  text_str(&a->body));
}

static json_t *ask(const char *method, const char *path, const char *body)
{
    struct fetch_answer a;
    json_t *got;

    fetch(method, path, body, &a);
    got =
        json_loadb(text_str(&a.body), a.body.len, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(got);
    fetch_answer_clear(&a);
    return got;
}

static double number(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    ck_assert_msg(json_is_number(value), "%s", name);
    return json_number_value(value);
}

static const char *text(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_string(json_object_get(object, name)), "%s", name);
    return json_string_value(json_object_get(object, name));
}

static void submit(void)
{
    json_decref(ask("POST", "/api/studies?file=s.yaml&dir=/tmp",
                    "study: s\nminimize: loss\nparams:\n  none: 0.0 .. 1.0\n"
                    "  weak: 0.0 .. 1.0\n  strong: 0.0 .. 1.0\n"
                    "algorithm: quasi-random\ntrials: 100\n"));
}

/* Asks for n trials and tells how they ended. */
static void evaluate(int n)
{
    for (int i = 0; i < n; i++) {
        json_t *got = ask("POST", "/api/studies/s:ask", "{}");
        const json_t *trial = json_array_get(json_object_get(got, "trials"), 0);
        const json_t *params = json_object_get(trial, "params");
        char *path = mem_format("/api/studies/s/trials/%.0f:tell",
                                number(trial, "number"));
        char *body =
            mem_format("{\"value\": %.17g}",
                       3 * number(params, "strong") + number(params, "weak"));

        json_decref(ask("POST", path, body));
        free(path);
        free(body);
        json_decref(got);
    }
}

/* The study's importance; to be json_decref'ed. */
static json_t *weigh(void)
{
    json_t *study = ask("GET", "/api/studies/s?importance=1", NULL);
    json_t *importance = json_incref(json_object_get(study, "importance"));

    ck_assert(json_is_object(importance));
    ck_assert_str_eq(text(study, "name"), "s");
    ck_assert_ptr_nonnull(json_object_get(study, "spec"));
    json_decref(study);
    return importance;
}

/* Nine parts of ten, one of ten and nothing, in that order. */
static void check_shares(const json_t *importance, int results)
{
    static const struct {
        const char *name;
        double share;
    } want[] = {{"strong", 0.9}, {"weak", 0.1}, {"none", 0}};
    const json_t *params = json_object_get(importance, "params");

    ck_assert_str_eq(text(importance, "why"), "");
    ck_assert_int_eq((int)number(importance, "results"), results);
    ck_assert_uint_eq(json_array_size(params), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *one = json_array_get(params, i);

        ck_assert_str_eq(text(one, "name"), want[i].name);
        ck_assert_double_eq_tol(number(one, "share"), want[i].share, 0.07);
        ck_assert_double_le(number(one, "low"), number(one, "share"));
        ck_assert_double_ge(number(one, "high"), number(one, "share"));
        ck_assert_double_le(number(one, "first"), number(one, "total"));
    }
}

START_TEST(too_few_results_are_told_and_enough_are_weighed)
{
    json_t *got;

    begin();
    submit();
    evaluate(9);
    got = weigh();
    ck_assert_str_eq(text(got, "why"), "not yet: 9 results, 10 are needed");
    ck_assert_int_eq((int)number(got, "needs"), 10);
    ck_assert_uint_eq(json_array_size(json_object_get(got, "params")), 0);
    json_decref(got);
    evaluate(MANY - 9);
    got = weigh();
    check_shares(got, MANY);
    json_decref(got);
    got = ask("GET", "/api/studies/s", NULL);
    ck_assert_ptr_null(json_object_get(got, "importance"));
    json_decref(got);
    end();
}
END_TEST

START_TEST(what_was_weighed_is_kept_until_there_are_more_results)
{
    json_t *first, *again;

    begin();
    submit();
    evaluate(MANY);
    first = weigh();
    again = weigh();
    ck_assert(json_equal(first, again));
    json_decref(again);
    evaluate(1);
    again = weigh();
    ck_assert_int_eq((int)number(again, "results"), MANY + 1);
    check_shares(again, MANY + 1);
    json_decref(first);
    json_decref(again);
    end();
}
END_TEST

START_TEST(who_only_looks_is_told_the_same)
{
    json_t *first, *again;

    begin();
    submit();
    evaluate(MANY);
    first = weigh();
    stop();
    start(true);
    again = weigh();
    ck_assert(json_equal(first, again));
    json_decref(first);
    json_decref(again);
    end();
}
END_TEST

static void ask_by_another(void)
{
    struct fetch_answer a;
    struct fetch *client;
    struct err e;
    char where[128];

    snprintf(where, sizeof where, "unix:%s/hypertuned.sock", service.dir);
    fetch_answer_init(&a);
    if (fetch_open(&client, where, NULL, &e))
        return;
    fetch_do(client, "GET", "/api/studies/s?importance=1", NULL, 0, NULL, &a,
             &e);
    fetch_close(client);
    fetch_answer_clear(&a);
}

/* Asks n times without waiting for an answer; every second one who asks goes
 * before it comes. */
static void ask_and_go(int n)
{
    for (int i = 0; i < n; i++) {
        pid_t pid = fork();

        if (pid == 0) {
            ask_by_another();
            _exit(0);
        }
        if (i % 2) {
            nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
            kill(pid, SIGKILL);
        }
    }
}

START_TEST(many_who_ask_at_once_and_go_leave_the_service_well)
{
    json_t *got;

    begin();
    submit();
    evaluate(MANY);
    ask_and_go(8);
    got = weigh();
    check_shares(got, MANY);
    json_decref(got);
    evaluate(1);
    ask_and_go(4);
    end(); /* in the middle of it, perhaps */
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}
END_TEST

START_TEST(a_study_that_is_deleted_meanwhile_is_no_trouble)
{
    json_t *got;

    begin();
    submit();
    evaluate(MANY);
    ask_and_go(2);
    json_decref(ask("DELETE", "/api/studies/s", NULL));
    submit();
    evaluate(1);
    got = weigh();
    ck_assert_ptr_nonnull(strstr(text(got, "why"), "not yet: 1 result,"));
    json_decref(got);
    end();
    while (waitpid(-1, NULL, 0) > 0)
        continue;
}
END_TEST

SUITE_WITHIN(200, "service/importance",
             too_few_results_are_told_and_enough_are_weighed,
             what_was_weighed_is_kept_until_there_are_more_results,
             who_only_looks_is_told_the_same,
             many_who_ask_at_once_and_go_leave_the_service_well,
             a_study_that_is_deleted_meanwhile_is_no_trouble)
