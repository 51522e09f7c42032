/* Trials over the socket: asked for, reported, told, listed, put in, and their
 * logs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/service/lib/driven.h"

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

START_TEST(a_study_is_driven_by_ask_report_and_tell)
{
    json_t *got;
    const json_t *trial;
    double x;

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(a_client_that_asks_for_several_keeps_them)
{
    json_int_t first[8], again[8];
    json_t *got;
    size_t n;

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(trials_are_listed_by_state_by_page_and_by_change)
{
    json_int_t got_numbers[8];
    json_int_t changed;
    json_t *got;

    served_begin(&service);
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
    served_end(&service);
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

    served_begin(&service);
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
    served_end(&service);
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
    served_fetch(&service, "GET", path, NULL, 0, &a);
    ck_assert_int_eq(a.status, 200);
    ck_assert_str_eq(text_str(&a.body), bytes);
    ck_assert_int_eq(a.next_offset, next);
    ck_assert_int_eq(a.ended, ended);
    fetch_answer_clear(&a);
}

START_TEST(a_log_is_given_in_pieces)
{
    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(a_log_that_is_a_link_is_not_followed)
{
    served_begin(&service);
    submit_driven();
    just("POST", "/api/studies/driven:ask", NULL);
    write_log("stdout.log", NULL);
    check_log("", "", 0, false);
    served_end(&service);
}
END_TEST

SUITE_WITHIN(240, "service/api_trials",
             a_study_is_driven_by_ask_report_and_tell,
             a_client_that_asks_for_several_keeps_them,
             trials_are_listed_by_state_by_page_and_by_change,
             ended_trials_are_put_in_all_or_none, a_log_is_given_in_pieces,
             a_log_that_is_a_link_is_not_followed)
