/* The client turns answers into values, and everything else into a sentence. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/client.h"

#include <jansson.h>

#include "tests/cli/fake.h"
#include "tests/lib/suite.h"

static const struct fake_route routes[] = {
    {SERVE_GET, "/healthz", NULL, 200, "{\"ok\": true}", false, NULL},
    {SERVE_GET, "/api/studies/a b/c", NULL, 200, "{\"name\": \"a b/c\"}", false,
     NULL},
    {SERVE_GET, "/api/studies/none", NULL, 404,
     "{\"error\": {\"code\": \"absent\", \"message\": \"no study none\"}}",
     false, NULL},
    {SERVE_POST, "/api/studies/s:resume", NULL, 409,
     "{\"error\": {\"code\": \"conflict\", \"message\": \"it has ended\"}}",
     false, NULL},
    {SERVE_POST, "/api/studies/s:pause", "\"interrupt\":true", 200,
     "{\"state\": \"PAUSED\"}", false, NULL},
    {SERVE_GET, "/api/studies/odd", NULL, 200, "<html>", false, NULL},
    {SERVE_GET, "/api/studies/big", NULL, 200,
     "{\"seed\": 18446744073709551615, \"id\": 7, \"best\": [0.5, {}]}", false,
     NULL},
    {SERVE_GET, "/api/studies/late", NULL, 503,
     "{\"error\": {\"code\": \"busy\", \"message\": \"ending\"}}", false, NULL},
    {SERVE_GET, "/api/studies/shut", NULL, 403, "", false, NULL},
    {SERVE_POST, "/api/studies", "/da ta", 400,
     "{\"error\": {\"code\": \"invalid\", \"message\": \"2 faults\","
     " \"faults\": [{\"line\": 3, \"column\": 5, \"text\": \"no\"},"
     " {\"line\": 0, \"column\": 0, \"text\": \"goal\"}]}}",
     false, NULL},
    {SERVE_GET, "/api/studies/s/trials/1/log", NULL, 200, "bytes", false, "5"},
    {SERVE_OTHER, NULL, NULL, 0, NULL, false, NULL}};

static struct fake fake;
static struct client *client;

static void set_up(const char *url)
{
    struct options o = {.text = {[OPTION_SERVER] = url}};
    struct err e;

    ck_assert_int_eq(client_open(&client, &o, &e), 0);
}

START_TEST(a_study_is_asked_for_by_any_name)
{
    json_t *answer;
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    ck_assert_int_eq(client_get(client, client_study(client, "a b/c", "%s", ""),
                                &answer, &e),
                     0);
    ck_assert_str_eq(json_string_value(json_object_get(answer, "name")),
                     "a b/c");
    json_decref(answer);
    ck_assert_int_eq(client_post(client, client_study(client, "s", ":pause"),
                                 json_pack("{s:b}", "interrupt", 1), &answer,
                                 &e),
                     0);
    json_decref(answer);
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(refusals_keep_their_code_and_sentence)
{
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    ck_assert_int_eq(
        client_get(client, client_study(client, "none", "%s", ""), NULL, &e),
        -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    ck_assert_str_eq(e.text, "no study none");
    ck_assert(!client_lost(client));
    ck_assert_int_eq(client_post(client, client_study(client, "s", ":resume"),
                                 NULL, NULL, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(
        client_get(client, client_study(client, "odd", "%s", ""), NULL, &e),
        -1);
    ck_assert_int_eq(e.code, ERR_OUTSIDE);
    ck_assert_int_eq(
        client_get(client, client_study(client, "shut", "%s", ""), NULL, &e),
        -1);
    ck_assert_int_eq(e.code, ERR_OUTSIDE);
    ck_assert_ptr_nonnull(strstr(e.text, "HYPERTUNE_TOKEN"));
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(a_seed_of_64_bits_spoils_no_other_number)
{
    json_t *answer;
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    ck_assert_int_eq(
        client_get(client, client_study(client, "big", "%s", ""), &answer, &e),
        0);
    ck_assert_int_eq(json_integer_value(json_object_get(answer, "id")), 7);
    ck_assert_double_eq(json_real_value(json_object_get(answer, "seed")),
                        18446744073709551615.0);
    ck_assert_double_eq(
        json_real_value(json_array_get(json_object_get(answer, "best"), 0)),
        0.5);
    json_decref(answer);
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(a_service_that_is_ending_counts_as_lost)
{
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    ck_assert_int_eq(
        client_get(client, client_study(client, "late", "%s", ""), NULL, &e),
        -1);
    ck_assert_int_eq(e.code, ERR_BUSY);
    ck_assert(client_lost(client));
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(faults_of_a_study_file_come_with_their_places)
{
    json_t *answer = NULL;
    struct faults faults;
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    faults_init(&faults);
    ck_assert_int_eq(client_submit(client, "x: 1", 4, "s.yaml", "/da ta",
                                   &answer, &faults, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_uint_eq(faults.n, 2);
    ck_assert_int_eq(faults.items[0].line, 3);
    ck_assert_int_eq(faults.items[0].column, 5);
    ck_assert_str_eq(faults.items[1].text, "goal");
    faults_clear(&faults);
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(logs_are_bytes_with_an_offset)
{
    struct text bytes;
    int64_t next = -1;
    bool ended = false;
    struct err e;

    fake_start(&fake, routes);
    set_up(fake.url);
    text_init(&bytes);
    ck_assert_int_eq(client_log(client,
                                client_study(client, "s", "/trials/1/log"),
                                &bytes, &next, &ended, &e),
                     0);
    ck_assert_str_eq(text_str(&bytes), "bytes");
    ck_assert_int_eq(next, 5);
    ck_assert(ended);
    text_clear(&bytes);
    client_close(client);
    fake_stop(&fake);
}
END_TEST

START_TEST(nobody_there_is_told_with_the_way_out)
{
    struct err e;

    set_up("unix:/nowhere/at/all.sock");
    ck_assert_int_eq(client_get(client, "/healthz", NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_OUTSIDE);
    ck_assert_ptr_nonnull(strstr(e.text, "hypertune serve"));
    ck_assert(client_lost(client));
    client_close(client);
}
END_TEST

SUITE("cli/client", a_study_is_asked_for_by_any_name,
      refusals_keep_their_code_and_sentence,
      a_seed_of_64_bits_spoils_no_other_number,
      a_service_that_is_ending_counts_as_lost,
      faults_of_a_study_file_come_with_their_places,
      logs_are_bytes_with_an_offset, nobody_there_is_told_with_the_way_out)
