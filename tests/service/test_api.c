/* The whole service over its socket: its routes, studies, and every refusal. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/driven.h"

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

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

/* ---- studies ---- */

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

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(studies_are_listed_newest_first_in_pages)
{
    json_t *got;

    served_begin(&service);
    for (int i = 0; i < 5; i++) {
        char *body = mem_format("study: s%d%s", i, strchr(driven, '\n'));

        just("POST", "/api/studies?dir=/tmp", body);
        free(body);
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
    served_end(&service);
}
END_TEST

START_TEST(a_brief_list_says_what_a_table_shows)
{
    const json_t *study;
    json_t *got;

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(a_study_is_paused_resumed_retried_cancelled_and_deleted)
{
    json_t *got;

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

/* ---- refusals ---- */

START_TEST(a_faulty_file_is_answered_with_the_places_of_its_faults)
{
    json_t *got;
    const json_t *error, *fault;

    served_begin(&service);
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
    served_end(&service);
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

    served_begin(&service);
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
    served_end(&service);
}
END_TEST

START_TEST(a_name_that_is_taken_is_a_conflict)
{
    json_t *got;

    served_begin(&service);
    submit_driven();
    got = ask(409, "POST", "/api/studies?dir=/tmp",
              "study: driven\nmaximize: gain\nparams:\n  y: 0.0 .. 2.0\n"
              "algorithm: random\ntrials: 5\n");
    ck_assert_str_eq(text(member(got, "error"), "code"), "conflict");
    json_decref(got);
    served_end(&service);
}
END_TEST

SUITE_WITHIN(240, "service/api",
             the_routes_that_are_served_are_those_of_the_contract,
             the_service_says_who_it_is,
             a_study_is_submitted_shown_and_submitted_again,
             studies_are_listed_newest_first_in_pages,
             a_brief_list_says_what_a_table_shows,
             a_study_is_paused_resumed_retried_cancelled_and_deleted,
             a_faulty_file_is_answered_with_the_places_of_its_faults,
             what_is_wrong_with_a_request_is_said,
             a_name_that_is_taken_is_a_conflict)
