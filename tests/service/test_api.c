/* The whole service over its socket: every route, every refusal, its end. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/fetch.h"
#include "service/daemon.h"
#include "tests/lib/suite.h"

enum { PATIENCE = 6000, PAUSE_MS = 10, POLL_MS = 30000 };

/* A service in a process of its own, and a client. */
static struct {
    char dir[64], socket[96];
    pid_t pid;
    struct fetch *client;
} service;

static const char driven[] = "study: driven\nminimize: loss\nparams:\n"
                             "  x: 0.0 .. 1.0\nalgorithm: random\ntrials: 5\n";

static void nap(void)
{
    nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
}

/* ---- the service ---- */

static int serve(const char *dir, const char *owner, struct err *e)
{
    char *argv[] = {(char[]){"hypertuned"},
                    (char[]){"--state"},
                    strdup(dir),
                    (char[]){"--shim"},
                    (char[]){"/bin/true"},
                    (char[]){"--log-level"},
                    (char[]){"error"},
                    (char[]){"--private-for"},
                    strdup(owner)};
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

static void start(const char *owner)
{
    struct fetch_answer a;
    struct err e;
    char where[128];
    int tries = 0;

    fflush(NULL);
    service.pid = fork();
    ck_assert_int_ge(service.pid, 0);
    if (service.pid == 0) {
        struct err why;
        int failed = serve(service.dir, owner, &why);

        if (failed)
            fprintf(stderr, "%s\n", why.text);
        exit(failed ? 4 : 0);
    }
    snprintf(where, sizeof where, "unix:%s", service.socket);
    ck_assert_int_eq(fetch_open(&service.client, where, NULL, &e), 0);
    fetch_answer_init(&a);
    while (fetch_do(service.client, "GET", "/healthz", NULL, 0, NULL, &a, &e)) {
        ck_assert_msg(++tries < PATIENCE, "%s", e.text);
        nap();
    }
    ck_assert_int_eq(a.status, 200);
    fetch_answer_clear(&a);
}

static void begin(void)
{
    snprintf(service.dir, sizeof service.dir, "/tmp/ht-api.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(service.dir));
    snprintf(service.socket, sizeof service.socket, "%s/hypertuned.sock",
             service.dir);
    start("0");
}

/* Waits for the service's end, which must be a good one. */
static void wait_end(void)
{
    int status = -1;

    ck_assert_int_eq(waitpid(service.pid, &status, 0), service.pid);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x",
                  (unsigned)status);
    ck_assert_int_ne(access(service.socket, F_OK), 0);
    fetch_close(service.client);
}

static void clean(void)
{
    char *command[] = {(char[]){"rm"}, (char[]){"-rf"}, service.dir, NULL};
    pid_t pid = fork();

    if (pid == 0) {
        execvp(command[0], command);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

static void end(void)
{
    kill(service.pid, SIGTERM);
    wait_end();
    clean();
}

/* ---- asking it ---- */

/* The answer's bytes are in *a, which the caller clears. */
static void fetch(const char *method, const char *path, const char *body,
                  struct fetch_answer *a)
{
    struct err e;

    fetch_answer_init(a);
    ck_assert_msg(fetch_do(service.client, method, path, body,
                           body ? strlen(body) : 0, "application/json", a,
                           &e) == 0,
                  "%s %s: %s", method, path, e.text);
}

/* The answer, which must have that status; to be json_decref'ed. */
static json_t *ask(int status, const char *method, const char *path,
                   const char *body)
{
    struct fetch_answer a;
    json_error_t where;
    json_t *got;

    fetch(method, path, body, &a);
    ck_assert_msg(a.status == status, "%s %s: %d %s", method, path, a.status,
                  text_str(&a.body));
    got = json_loadb(text_str(&a.body), a.body.len, JSON_REJECT_DUPLICATES,
                     &where);
    ck_assert_msg(got != NULL, "%s: %s", path, where.text);
    fetch_answer_clear(&a);
    return got;
}

static void just(const char *method, const char *path, const char *body)
{
    json_decref(ask(200, method, path, body));
}

static const json_t *member(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    ck_assert_msg(value != NULL, "no member %s", name);
    return value;
}

static json_int_t whole(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_integer(member(object, name)), "%s", name);
    return json_integer_value(member(object, name));
}

static double number(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_number(member(object, name)), "%s", name);
    return json_number_value(member(object, name));
}

static const char *text(const json_t *object, const char *name)
{
    ck_assert_msg(json_is_string(member(object, name)), "%s", name);
    return json_string_value(member(object, name));
}

static void submit_driven(void)
{
    just("POST", "/api/studies?file=driven.yaml&dir=/tmp", driven);
}

/* The numbers of the trials of a listing. */
static size_t numbers(const json_t *listing, json_int_t *out, size_t most)
{
    const json_t *trials = member(listing, "trials");
    size_t n = json_array_size(trials);

    ck_assert_uint_le(n, most);
    for (size_t i = 0; i < n; i++)
        out[i] = whole(json_array_get(trials, i), "number");
    return n;
}

/* ---- the contract ---- */

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "re");
    static char bytes[65536];
    size_t n;

    ck_assert_msg(f != NULL, "%s", path);
    n = fread(bytes, 1, sizeof bytes - 1, f);
    fclose(f);
    bytes[n] = 0;
    return bytes;
}

START_TEST(the_routes_that_are_served_are_those_of_the_contract)
{
    const char *root = getenv("HYPERTUNE_SOURCE");
    char *path = mem_format("%s/docs/api.md", root ? root : ".");
    char *doc = read_file(path);
    size_t documented = 0, served = 0;

    for (const char *at = doc; (at = strstr(at, "\n| `")); at++)
        documented += strncmp(at + 4, "GET ", 4) == 0 ||
                      strncmp(at + 4, "POST ", 5) == 0 ||
                      strncmp(at + 4, "DELETE ", 7) == 0;
    for (; api_line(served); served++) {
        const struct api_line *line = api_line(served);
        char *row = mem_format("| `%s %s` |", line->method, line->pattern);

        ck_assert_msg(strstr(doc, row) != NULL, "not in api.md: %s", row);
        free(row);
    }
    ck_assert_uint_eq(documented, served);
    free(path);
}
END_TEST

START_TEST(the_service_says_who_it_is)
{
    json_t *got;

    begin();
    got = ask(200, "GET", "/healthz", NULL);
    ck_assert(json_is_true(member(got, "ok")));
    json_decref(got);
    submit_driven();
    got = ask(200, "GET", "/api/status", NULL);
    ck_assert_int_eq(whole(got, "pid"), service.pid);
    ck_assert_str_eq(text(got, "version"), HYPERTUNE_VERSION);
    ck_assert_str_eq(text(got, "state_dir"), service.dir);
    ck_assert_int_eq(whole(got, "studies"), 1);
    json_decref(got);
    end();
}
END_TEST

static void check_new_study(const json_t *study)
{
    static const char *const counts[] = {"PENDING",    "LAUNCHING", "RUNNING",
                                         "STOPPING",   "SUCCEEDED", "STOPPED",
                                         "INFEASIBLE", "FAILED"};

    ck_assert_str_eq(text(study, "name"), "driven");
    ck_assert_str_eq(text(study, "state"), "ACTIVE");
    ck_assert_str_eq(text(study, "reason"), "");
    ck_assert_str_eq(text(study, "metric"), "loss");
    ck_assert_str_eq(text(study, "goal"), "minimize");
    ck_assert_str_eq(text(study, "algorithm"), "random");
    ck_assert_int_eq(whole(study, "seed"), 0);
    ck_assert_int_eq(whole(study, "trials"), 5);
    ck_assert_int_ge(whole(study, "parallel"), 0);
    ck_assert_int_eq(whole(study, "time_limit_ms"), 0);
    ck_assert_int_gt(whole(study, "created"), 0);
    ck_assert_int_eq(whole(study, "ended"), 0);
    ck_assert(json_is_null(member(study, "best")));
    ck_assert(json_is_false(member(study, "launches")));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        ck_assert_int_eq(whole(member(study, "counts"), counts[i]), 0);
}

START_TEST(a_study_is_submitted_shown_and_submitted_again)
{
    json_t *got;

    begin();
    got = ask(200, "POST", "/api/studies?file=driven.yaml&dir=/tmp", driven);
    ck_assert(json_is_false(member(got, "resumed")));
    check_new_study(got);
    json_decref(got);
    got = ask(200, "POST", "/api/studies?file=driven.yaml&dir=/tmp", driven);
    ck_assert(json_is_true(member(got, "resumed")));
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven", NULL);
    check_new_study(got);
    ck_assert(json_is_object(member(got, "spec")));
    ck_assert_str_eq(text(got, "source"), driven);
    ck_assert_str_eq(text(got, "base_dir"), "/tmp");
    ck_assert_ptr_nonnull(strstr(text(got, "why"), "driven is ACTIVE"));
    json_decref(got);
    just("GET", "/api/studies/last", NULL);
    just("GET", "/api/studies/id:1", NULL);
    end();
}
END_TEST

START_TEST(studies_are_listed_newest_first_in_pages)
{
    json_t *got;
    char body[sizeof driven + 16];

    begin();
    for (int i = 0; i < 5; i++) {
        snprintf(body, sizeof body, "study: s%d%s", i, strchr(driven, '\n'));
        just("POST", "/api/studies?dir=/tmp", body);
    }
    got = ask(200, "GET", "/api/studies?limit=3", NULL);
    ck_assert_uint_eq(json_array_size(member(got, "studies")), 3);
    ck_assert_str_eq(text(json_array_get(member(got, "studies"), 0), "name"),
                     "s4");
    ck_assert_int_eq(whole(got, "next"), 3);
    json_decref(got);
    got = ask(200, "GET", "/api/studies?limit=3&before=3", NULL);
    ck_assert_uint_eq(json_array_size(member(got, "studies")), 2);
    ck_assert_int_eq(whole(got, "next"), 0);
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_study_is_driven_by_ask_report_and_tell)
{
    json_t *got;
    const json_t *trial;
    double x;

    begin();
    submit_driven();
    got = ask(200, "POST", "/api/studies/driven:ask", "{\"client\": \"me\"}");
    trial = json_array_get(member(got, "trials"), 0);
    ck_assert_int_eq(whole(trial, "number"), 1);
    ck_assert_str_eq(text(trial, "state"), "RUNNING");
    ck_assert_str_eq(text(trial, "client"), "me");
    ck_assert(json_is_null(member(trial, "value")));
    x = number(member(trial, "params"), "x");
    ck_assert(x >= 0 && x <= 1);
    json_decref(got);
    just("POST", "/api/studies/driven/trials/1:report",
         "{\"metric\": \"loss\", \"value\": 0.5, \"step\": 3}");
    just("POST", "/api/studies/driven/trials/1:report",
         "{\"metric\": \"speed\", \"value\": \"inf\"}");
    for (int i = 0; i < 2; i++) { /* the second time it counts no more */
        got = ask(200, "POST", "/api/studies/driven/trials/1:report",
                  "{\"replica\": \"worker-1\", \"from\": 0, \"reports\": ["
                  "{\"metric\": \"speed\", \"value\": \"nan\"}, "
                  "{\"metric\": \"speed\", \"value\": 3, \"step\": 1}]}");
        ck_assert_int_eq(whole(got, "next"), 2);
        ck_assert(json_is_false(member(got, "stop")));
        json_decref(got);
    }
    got = ask(200, "GET", "/api/studies/driven/trials/1", NULL);
    ck_assert_uint_eq(json_array_size(member(got, "measurements")), 4);
    json_decref(got);
    got = ask(200, "POST", "/api/studies/driven/trials/1:tell", "{}");
    ck_assert_str_eq(text(got, "state"), "SUCCEEDED");
    ck_assert_double_eq(number(got, "value"), 0.5);
    ck_assert_int_eq(whole(got, "step"), 3);
    json_decref(got);

    got = ask(200, "GET", "/api/studies/id:1/trials/1", NULL);
    ck_assert_str_eq(text(got, "reason"), "value");
    ck_assert_uint_eq(json_array_size(member(got, "measurements")), 4);
    ck_assert_uint_eq(json_array_size(member(got, "attempts")), 1);
    ck_assert_ptr_nonnull(strstr(text(got, "folder"), "/trials/driven/1"));
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven", NULL);
    ck_assert_int_eq(whole(member(got, "best"), "number"), 1);
    ck_assert_int_eq(whole(member(got, "counts"), "SUCCEEDED"), 1);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/why?trial=1", NULL);
    ck_assert_ptr_nonnull(strstr(text(got, "why"), "SUCCEEDED"));
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_client_that_asks_for_several_keeps_them)
{
    json_int_t first[8], again[8];
    json_t *got;
    size_t n;

    begin();
    submit_driven();
    got = ask(200, "POST", "/api/studies/driven:ask",
              "{\"client\": \"me\", \"count\": 3}");
    n = numbers(got, first, 8);
    ck_assert_uint_eq(n, 3);
    ck_assert(first[0] != first[1] && first[1] != first[2]);
    json_decref(got);
    got = ask(200, "POST", "/api/studies/driven:ask",
              "{\"client\": \"me\", \"count\": 3}");
    ck_assert_uint_eq(numbers(got, again, 8), 3);
    ck_assert_mem_eq(first, again, 3 * sizeof first[0]);
    json_decref(got);
    got = ask(200, "POST", "/api/studies/driven:ask", "{\"count\": 4}");
    ck_assert_uint_eq(numbers(got, again, 8), 2); /* of 5 wanted ones */
    json_decref(got);
    got = ask(503, "POST", "/api/studies/driven:ask", NULL);
    ck_assert_str_eq(text(member(got, "error"), "code"), "busy");
    json_decref(got);
    end();
}
END_TEST

static void tell_trials(void)
{
    just("POST", "/api/studies/driven:ask", "{\"count\": 4}");
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 3}");
    just("POST", "/api/studies/driven/trials/2:tell", "{\"value\": 1}");
    just("POST", "/api/studies/driven/trials/3:tell",
         "{\"infeasible\": \"does not fit\"}");
}

START_TEST(trials_are_listed_by_state_by_page_and_by_change)
{
    json_int_t got_numbers[8];
    json_int_t changed;
    json_t *got;

    begin();
    submit_driven();
    tell_trials();
    got = ask(200, "GET", "/api/studies/driven/trials?state=SUCCEEDED,RUNNING",
              NULL);
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 3);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/trials?limit=3", NULL);
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 3);
    ck_assert_int_eq(whole(got, "next"), 3);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/trials?limit=3&after=3", NULL);
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 1);
    ck_assert_int_eq(got_numbers[0], 4);
    ck_assert_int_eq(whole(got, "next"), 0);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/trials?limit=0", NULL);
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 4);
    changed = whole(json_array_get(member(got, "trials"), 2), "changed");
    json_decref(got);
    just("POST", "/api/studies/driven/trials/4:tell", "{\"value\": 2}");
    {
        char path[96];

        snprintf(path, sizeof path,
                 "/api/studies/driven/trials?changed_after=%lld",
                 (long long)changed);
        got = ask(200, "GET", path, NULL);
    }
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 1);
    ck_assert_int_eq(got_numbers[0], 4);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/best?count=9", NULL);
    ck_assert_uint_eq(numbers(got, got_numbers, 8), 3);
    ck_assert_int_eq(got_numbers[0], 2);
    ck_assert_int_eq(got_numbers[1], 4);
    ck_assert_int_eq(got_numbers[2], 1);
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_brief_list_says_what_a_table_shows)
{
    const json_t *study;
    json_t *got;

    begin();
    submit_driven();
    tell_trials();
    got = ask(200, "GET", "/api/studies?brief=1", NULL);
    study = json_array_get(member(got, "studies"), 0);
    ck_assert_str_eq(text(study, "name"), "driven");
    ck_assert_str_eq(text(study, "state"), "ACTIVE");
    ck_assert_str_eq(text(study, "metric"), "loss");
    ck_assert_int_ge(whole(study, "trials"), 1);
    ck_assert_int_ge(whole(member(study, "counts"), "SUCCEEDED"), 1);
    ck_assert_ptr_null(json_object_get(member(study, "counts"), "FAILED"));
    ck_assert_int_ge(whole(member(study, "best"), "number"), 1);
    ck_assert_ptr_null(json_object_get(member(study, "best"), "params"));
    ck_assert_int_gt(whole(study, "created"), 0);
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_study_is_paused_resumed_retried_cancelled_and_deleted)
{
    json_t *got;

    begin();
    submit_driven();
    tell_trials();
    got = ask(200, "POST", "/api/studies/driven:pause", NULL);
    ck_assert_str_eq(text(got, "state"), "PAUSED");
    json_decref(got);
    got = ask(200, "POST", "/api/studies/driven:resume", "{}");
    ck_assert_str_eq(text(got, "state"), "ACTIVE");
    json_decref(got);
    json_decref(ask(409, "POST", "/api/studies/driven:retry", NULL));
    json_decref(ask(409, "DELETE", "/api/studies/driven", NULL));
    got = ask(200, "POST", "/api/studies/driven/trials/4:stop", NULL);
    ck_assert_int_eq(whole(got, "number"), 4);
    json_decref(got);
    just("POST", "/api/studies/driven:cancel", NULL);
    got = ask(200, "GET", "/api/studies/driven", NULL);
    ck_assert_str_eq(text(got, "state"), "CANCELLED");
    json_decref(got);
    json_decref(ask(409, "POST", "/api/studies/driven:ask", NULL));
    just("DELETE", "/api/studies/driven", NULL);
    json_decref(ask(404, "GET", "/api/studies/driven", NULL));
    end();
}
END_TEST

/* ---- refusals ---- */

START_TEST(a_faulty_file_is_answered_with_the_places_of_its_faults)
{
    json_t *got;
    const json_t *error, *fault;

    begin();
    got = ask(400, "POST", "/api/studies?file=x.yaml&dir=/tmp",
              "study: x\nminimize: loss\nparams:\n  x: 5 .. 1\ntrails: 3\n");
    error = member(got, "error");
    ck_assert_str_eq(text(error, "code"), "invalid");
    ck_assert_uint_ge(json_array_size(member(error, "faults")), 2);
    fault = json_array_get(member(error, "faults"), 0);
    ck_assert_int_ge(whole(fault, "line"), 4);
    ck_assert_int_ge(whole(fault, "column"), 1);
    ck_assert_str_eq(text(fault, "text"), text(error, "message"));
    json_decref(got);
    end();
}
END_TEST

START_TEST(ended_trials_are_put_in_all_or_none)
{
    static const char good[] =
        "[{\"params\": {\"x\": 0.5}, \"value\": 2},\n"
        " {\"params\": {\"x\": 0.25}, \"state\": \"INFEASIBLE\","
        " \"detail\": \"too hot\"}]";
    static const char bad[] = "x,loss\n0.5,1\n0.75,high\n";
    const json_t *fault;
    json_t *got;

    begin();
    submit_driven();
    got = ask(200, "POST", "/api/studies/driven/trials", good);
    ck_assert_int_eq(whole(got, "given"), 2);
    ck_assert_int_eq(whole(got, "first"), 1);
    ck_assert_int_eq(whole(got, "unfinished"), 0);
    json_decref(got);
    got = ask(400, "POST", "/api/studies/driven/trials", bad);
    fault = json_array_get(member(member(got, "error"), "faults"), 0);
    ck_assert_int_eq(whole(fault, "line"), 3);
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven/trials/2", NULL);
    ck_assert_str_eq(text(got, "state"), "INFEASIBLE");
    ck_assert_str_eq(text(got, "detail"), "too hot");
    ck_assert_str_eq(text(got, "source"), "imported");
    json_decref(got);
    got = ask(200, "GET", "/api/studies/driven", NULL);
    ck_assert_int_eq(whole(got, "given"), 2);
    ck_assert_int_eq(whole(member(got, "counts"), "SUCCEEDED"), 0);
    ck_assert_double_eq(number(member(got, "best"), "value"), 2);
    json_decref(got);
    just("POST", "/api/studies/driven/trials?source=told", "x,loss\n1,0.5\n");
    got = ask(200, "GET", "/api/studies/driven/trials/3", NULL);
    ck_assert_str_eq(text(got, "source"), "told");
    json_decref(got);
    end();
}
END_TEST

START_TEST(what_is_wrong_with_a_request_is_said)
{
    static const struct {
        const char *method, *path, *body;
        int status;
        const char *says;
    } rows[] = {
        {"GET", "/", NULL, 404, "nothing at /"},
        {"GET", "/api", NULL, 404, "nothing at"},
        {"GET", "/api/studies/driven/x", NULL, 404, "nothing at"},
        {"POST", "/api/studies/driven:fly", NULL, 404, "nothing at"},
        {"GET", "/api/studies/driven:pause", NULL, 405, "POST"},
        {"PATCH", "/api/studies/driven", NULL, 405, "no other method"},
        {"PUT", "/api/studies", "x", 405, "no other method"},
        {"GET", "/api/studies/nobody", NULL, 404, "nobody"},
        {"GET", "/api/studies/id:99", NULL, 404, ""},
        {"GET", "/api/studies/id:x", NULL, 404, ""},
        {"GET", "/api/studies/driven/trials/99", NULL, 404, "99"},
        {"GET", "/api/studies/driven/trials/0", NULL, 404, "trial \"0\""},
        {"GET", "/api/studies/driven/trials/one", NULL, 404, "\"one\""},
        {"GET", "/api/studies/driven/trials/1%00", NULL, 400, ""},
        {"GET", "/api/studies?limit=x", NULL, 400, "\"limit\""},
        {"GET", "/api/studies?limit=0", NULL, 400, "\"limit\""},
        {"GET", "/api/studies/driven/trials?state=DEAD", NULL, 400, "DEAD"},
        {"GET", "/api/studies/driven/trials?after=-1", NULL, 400, "\"after\""},
        {"POST", "/api/studies/driven/trials", "", 400, "no trial"},
        {"POST", "/api/studies/driven/trials?source=me", "{}", 400, "source"},
        {"POST", "/api/studies/driven/trials",
         "{\"params\": {\"x\": 2}, \"value\": 1}", 400, "x cannot be 2"},
        {"GET", "/api/studies/driven/best?count=0", NULL, 400, "\"count\""},
        {"GET", "/api/studies/driven/why?trial=77", NULL, 404, "77"},
        {"GET", "/api/studies/driven/events?wait_ms=30001", NULL, 400,
         "\"wait_ms\""},
        {"GET", "/api/studies/driven/trials/1/log?stream=x", NULL, 400,
         "stdout or stderr"},
        {"POST", "/api/studies", "study: x", 400, "\"dir\""},
        {"POST", "/api/studies?dir=here", "study: x", 400, "\"dir\""},
        {"POST", "/api/studies?dir=/tmp", "", 400, ""},
        {"POST", "/api/studies/driven:pause", "{\"interupt\": true}", 400,
         "did you mean \"interrupt\"?"},
        {"POST", "/api/studies/driven:resume", "{\"x\": 1}", 400, "\"x\""},
        {"POST", "/api/studies/driven:ask", "{\"count\": 0}", 400, "\"count\""},
        {"POST", "/api/studies/driven:retry", "{\"number\": -1}", 400,
         "\"number\""},
        {"POST", "/api/studies/driven:retry", "{\"number\": 55}", 404, "55"},
        {"POST", "/api/studies/driven/trials/1:report", "{\"metric\": \"m\"}",
         400, "\"value\""},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"metric\": \"\", \"value\": 1}", 400, "\"metric\""},
        {"POST", "/api/studies/driven/trials/1:report", "{\"reports\": []}",
         400, "\"from\""},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": 1, \"from\": 0}", 400, "a list"},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [], \"from\": 0, \"to\": 1}", 400, "\"to\""},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [], \"from\": 0, \"replica\": \"../x\"}", 400,
         "\"replica\""},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [{\"metric\": \"m\", \"value\": 1}, 5], "
         "\"from\": 0}",
         400, "reports[1]"},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [{\"metric\": \"m\"}], \"from\": 0}", 400,
         "reports[0].value"},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [{\"metric\": \"\", \"value\": 1}], \"from\": 0}", 400,
         "reports[0].metric"},
        {"POST", "/api/studies/driven/trials/1:report",
         "{\"reports\": [{\"metric\": \"m\", \"value\": 1, \"stp\": 1}], "
         "\"from\": 0}",
         400, "metric, value, step and time"},
        {"POST", "/api/studies/driven/trials/1:tell",
         "{\"value\": 1, \"infeasible\": \"x\"}", 400, "not both"},
        {"POST", "/api/studies/driven/trials/1:tell", "{\"infeasible\": \"\"}",
         400, "why"},
        {"POST", "/api/studies/driven/trials/9:stop", NULL, 404, "9"},
    };

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *got =
            ask(rows[i].status, rows[i].method, rows[i].path, rows[i].body);
        const char *said = text(member(got, "error"), "message");

        ck_assert_msg(*said && strstr(said, rows[i].says), "%s: %s",
                      rows[i].path, said);
        json_decref(got);
    }
    end();
}
END_TEST

START_TEST(a_name_that_is_taken_is_a_conflict)
{
    json_t *got;

    begin();
    submit_driven();
    got = ask(409, "POST", "/api/studies?dir=/tmp",
              "study: driven\nmaximize: gain\nparams:\n  y: 0.0 .. 2.0\n"
              "algorithm: random\ntrials: 5\n");
    ck_assert_str_eq(text(member(got, "error"), "code"), "conflict");
    json_decref(got);
    end();
}
END_TEST

/* ---- events ---- */

static json_int_t last_event(void)
{
    json_t *got =
        ask(200, "GET", "/api/studies/driven/events?limit=10000", NULL);
    const json_t *events = member(got, "events");
    size_t n = json_array_size(events);
    json_int_t id = n ? whole(json_array_get(events, n - 1), "id") : 0;

    json_decref(got);
    return id;
}

/* Sends a poll on a connection of its own, without waiting. */
static int poll_begin(json_int_t after)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char request[256];
    int n = snprintf(request, sizeof request,
                     "GET /api/studies/driven/events?after=%lld&wait_ms=%d "
                     "HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                     (long long)after, POLL_MS);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", service.socket);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    ck_assert_int_eq(write(fd, request, (size_t)n), n);
    return fd;
}

/* Reads to the end; the answer's status line, headers and body. */
static const char *poll_end(int fd)
{
    static char answer[65536];
    size_t n = 0;
    ssize_t got;

    while ((got = read(fd, answer + n, sizeof answer - 1 - n)) > 0)
        n += (size_t)got;
    answer[n] = 0;
    close(fd);
    return answer;
}

START_TEST(events_tell_what_happened_in_order)
{
    json_t *got;
    json_int_t before = 0;
    const json_t *events;
    bool seen = false;

    begin();
    submit_driven();
    tell_trials();
    got = ask(200, "GET", "/api/studies/driven/events", NULL);
    ck_assert_str_eq(text(member(got, "study"), "name"), "driven");
    events = member(got, "events");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        ck_assert_int_gt(whole(event, "id"), before);
        ck_assert_int_gt(whole(event, "time"), 0);
        before = whole(event, "id");
        seen = seen ||
               (strcmp(text(event, "kind"), "trial") == 0 &&
                strcmp(text(member(event, "body"), "to"), "SUCCEEDED") == 0 &&
                whole(member(event, "body"), "number") == 2);
    }
    ck_assert(seen);
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_poll_is_answered_when_something_happens)
{
    const char *answer;
    int fd;

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    fd = poll_begin(last_event());
    nap();
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 0.125}");
    answer = poll_end(fd);
    ck_assert_ptr_nonnull(strstr(answer, " 200 "));
    ck_assert_ptr_nonnull(strstr(answer, "0.125"));
    end();
}
END_TEST

START_TEST(a_poll_without_news_ends_when_its_time_is_up)
{
    char path[128];
    json_t *got;

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    snprintf(path, sizeof path,
             "/api/studies/driven/events?after=%lld&wait_ms=50",
             (long long)last_event());
    got = ask(200, "GET", path, NULL);
    ck_assert_uint_eq(json_array_size(member(got, "events")), 0);
    ck_assert_str_eq(text(member(got, "study"), "state"), "ACTIVE");
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_poll_of_a_study_that_is_deleted_ends)
{
    int fd;

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:pause", NULL);
    fd = poll_begin(last_event());
    nap();
    just("DELETE", "/api/studies/driven", NULL);
    ck_assert_ptr_nonnull(strstr(poll_end(fd), " 404 "));
    end();
}
END_TEST

START_TEST(clients_that_hang_up_while_they_wait_are_forgotten)
{
    json_int_t after;

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    after = last_event();
    for (int i = 0; i < 20; i++) {
        int fd = poll_begin(after);

        if (i % 2)
            nap();
        close(fd);
    }
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 1}");
    just("GET", "/healthz", NULL);
    end();
}
END_TEST

/* ---- logs ---- */

/* Writes STATE/trials/driven/1/1/NAME as a job would. */
static void write_log(const char *name, const char *bytes)
{
    static const char *const parts[] = {"trials", "driven", "1", "1"};
    char path[256];
    size_t n = (size_t)snprintf(path, sizeof path, "%s", service.dir);
    FILE *f;

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        n += (size_t)snprintf(path + n, sizeof path - n, "/%s", parts[i]);
        ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
    }
    snprintf(path + n, sizeof path - n, "/%s", name);
    if (!bytes) {
        ck_assert_int_eq(symlink("/etc/passwd", path), 0);
        return;
    }
    f = fopen(path, "we");
    ck_assert_ptr_nonnull(f);
    fputs(bytes, f);
    fclose(f);
}

static void check_log(const char *query, const char *bytes, int64_t next,
                      bool ended)
{
    char path[128];
    struct fetch_answer a;

    snprintf(path, sizeof path, "/api/studies/driven/trials/1/log?attempt=1%s",
             query);
    fetch("GET", path, NULL, &a);
    ck_assert_int_eq(a.status, 200);
    ck_assert_str_eq(text_str(&a.body), bytes);
    ck_assert_int_eq(a.next_offset, next);
    ck_assert_int_eq(a.ended, ended);
    fetch_answer_clear(&a);
}

START_TEST(a_log_is_given_in_pieces)
{
    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    check_log("", "", 0, false); /* no file is an empty one */
    write_log("stdout.log", "one\ntwo\n");
    check_log("", "one\ntwo\n", 8, false);
    check_log("&offset=4", "two\n", 8, false);
    check_log("&offset=-4&limit=3", "two", 7, false);
    check_log("&offset=-100", "one\ntwo\n", 8, false);
    check_log("&offset=100", "", 8, false);
    check_log("&stream=stderr", "", 0, false);
    just("POST", "/api/studies/driven/trials/1:tell", "{\"value\": 1}");
    check_log("&limit=3", "one", 3, false); /* more is to come */
    check_log("&offset=3", "\ntwo\n", 8, true);
    end();
}
END_TEST

START_TEST(a_log_that_is_a_link_is_not_followed)
{
    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    write_log("stdout.log", NULL);
    check_log("", "", 0, false);
    end();
}
END_TEST

/* ---- the service's own life ---- */

START_TEST(a_service_that_ends_answers_those_who_wait)
{
    const char *answer;
    int fd;

    begin();
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    fd = poll_begin(last_event());
    just("GET", "/healthz", NULL); /* the poll came before it */
    kill(service.pid, SIGTERM);
    answer = poll_end(fd);
    ck_assert_ptr_nonnull(strstr(answer, " 200 "));
    ck_assert_ptr_nonnull(strstr(answer, "\"events\": []"));
    wait_end();
    clean();
}
END_TEST

START_TEST(what_was_acknowledged_outlives_the_service)
{
    json_t *got;
    int status;

    begin();
    submit_driven();
    tell_trials();
    kill(service.pid, SIGKILL);
    waitpid(service.pid, &status, 0);
    fetch_close(service.client);
    start("0");
    got = ask(200, "GET", "/api/studies/driven", NULL);
    ck_assert_str_eq(text(got, "state"), "ACTIVE");
    ck_assert_int_eq(whole(member(got, "best"), "number"), 2);
    ck_assert_int_eq(whole(member(got, "counts"), "RUNNING"), 1);
    json_decref(got);
    end();
}
END_TEST

START_TEST(a_second_service_is_told_which_process_is_the_first)
{
    struct err e = {0};
    char pid[32];

    begin();
    ck_assert_int_eq(serve(service.dir, "0", &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    snprintf(pid, sizeof pid, "%d", (int)service.pid);
    ck_assert_msg(strstr(e.text, pid) != NULL, "%s", e.text);
    just("GET", "/healthz", NULL);
    end();
}
END_TEST

START_TEST(a_private_service_ends_after_its_owner)
{
    pid_t owner = fork();
    char pid[32];

    if (owner == 0) {
        pause();
        _exit(0);
    }
    snprintf(service.dir, sizeof service.dir, "/tmp/ht-api.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(service.dir));
    snprintf(service.socket, sizeof service.socket, "%s/hypertuned.sock",
             service.dir);
    snprintf(pid, sizeof pid, "%d", (int)owner);
    start(pid);
    submit_driven();
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    wait_end();
    clean();
}
END_TEST

START_TEST(a_state_directory_that_is_a_file_is_refused)
{
    char path[] = "/tmp/ht-file.XXXXXX";
    int fd = mkstemp(path);
    struct err e = {0};

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(serve(path, "0", &e), -1);
    ck_assert_msg(strstr(e.text, path) != NULL, "%s", e.text);
    close(fd);
    unlink(path);
}
END_TEST

SUITE_WITHIN(
    240, "service/api", the_routes_that_are_served_are_those_of_the_contract,
    the_service_says_who_it_is, a_study_is_submitted_shown_and_submitted_again,
    studies_are_listed_newest_first_in_pages,
    a_brief_list_says_what_a_table_shows,
    a_study_is_driven_by_ask_report_and_tell,
    a_client_that_asks_for_several_keeps_them,
    trials_are_listed_by_state_by_page_and_by_change,
    a_study_is_paused_resumed_retried_cancelled_and_deleted,
    a_faulty_file_is_answered_with_the_places_of_its_faults,
    ended_trials_are_put_in_all_or_none, what_is_wrong_with_a_request_is_said,
    a_name_that_is_taken_is_a_conflict, events_tell_what_happened_in_order,
    a_poll_is_answered_when_something_happens,
    a_poll_without_news_ends_when_its_time_is_up,
    a_poll_of_a_study_that_is_deleted_ends,
    clients_that_hang_up_while_they_wait_are_forgotten,
    a_log_is_given_in_pieces, a_log_that_is_a_link_is_not_followed,
    a_service_that_ends_answers_those_who_wait,
    what_was_acknowledged_outlives_the_service,
    a_second_service_is_told_which_process_is_the_first,
    a_private_service_ends_after_its_owner,
    a_state_directory_that_is_a_file_is_refused)
