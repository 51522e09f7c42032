/* Bodies of requests are read strictly, and every fault names its field. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/body.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

struct all {
    struct body_bool sure;
    struct body_whole step;
    struct body_number value;
    struct body_text metric;
};

static const struct body_field fields[] = {
    {"sure", BODY_BOOL, false, offsetof(struct all, sure)},
    {"step", BODY_WHOLE, false, offsetof(struct all, step)},
    {"value", BODY_NUMBER, false, offsetof(struct all, value)},
    {"metric", BODY_TEXT, true, offsetof(struct all, metric)},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static int read(const char *text, struct all *out, struct err *e)
{
    memset(out, 0, sizeof *out);
    return body_read(text, strlen(text), fields, FIELDS, out, e);
}

START_TEST(every_kind_of_field_is_read)
{
    struct all in;
    struct err e;

    ck_assert_int_eq(read("{\"sure\": true, \"step\": 9007199254740993,"
                          " \"value\": 1e-3, \"metric\": \"\\u00e9\"}",
                          &in, &e),
                     0);
    ck_assert(in.sure.given && in.sure.value);
    ck_assert_int_eq(in.step.value, 9007199254740993);
    ck_assert_double_eq(in.value.value, 1e-3);
    ck_assert_str_eq(in.metric.value, "\xc3\xa9");
    body_clear(fields, FIELDS, &in);
    body_clear(fields, FIELDS, &in);
}
END_TEST

START_TEST(what_is_left_out_or_null_is_not_given)
{
    struct all in;
    struct err e;

    ck_assert_int_eq(read("{\"metric\": \"m\", \"step\": null}", &in, &e), 0);
    ck_assert(!in.sure.given && !in.step.given && !in.value.given);
    body_clear(fields, FIELDS, &in);
}
END_TEST

START_TEST(values_that_are_not_finite_come_as_words)
{
    struct all in;
    struct err e;

    ck_assert_int_eq(read("{\"metric\": \"m\", \"value\": \"nan\"}", &in, &e),
                     0);
    ck_assert(isnan(in.value.value));
    body_clear(fields, FIELDS, &in);
    ck_assert_int_eq(read("{\"metric\": \"m\", \"value\": \"-inf\"}", &in, &e),
                     0);
    ck_assert(isinf(in.value.value) && in.value.value < 0);
    body_clear(fields, FIELDS, &in);
}
END_TEST

START_TEST(no_body_is_an_empty_object)
{
    struct err e;

    ck_assert_int_eq(body_read("", 0, fields, 3, &(struct all){0}, &e), 0);
    ck_assert_int_eq(body_read("{}", 2, NULL, 0, NULL, &e), 0);
}
END_TEST

START_TEST(what_is_wrong_is_named)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        {"{\"metrik\": \"m\"}", "did you mean \"metric\"?"},
        {"{\"metric\": \"m\", \"colour\": 1}", "no field \"colour\""},
        {"{}", "lacks \"metric\": text"},
        {"{\"metric\": null}", "lacks \"metric\""},
        {"{\"metric\": 7}", "\"metric\" must be text"},
        {"{\"metric\": \"m\", \"value\": \"0.5\"}",
         "\"value\" must be a number"},
        {"{\"metric\": \"m\", \"value\": true}", "\"value\" must be a number"},
        {"{\"metric\": \"m\", \"step\": 1.5}",
         "\"step\" must be a whole number"},
        {"{\"metric\": \"m\", \"sure\": 1}", "\"sure\" must be true or false"},
        {"{\"metric\": \"m\", \"metric\": \"n\"}", "line 1"},
        {"{\"metric\": \"m\", \"step\": 123456789012345678901234567890}",
         "too big"},
        {"{\"metric\": \"m\", \"value\": 1e400}", "no JSON"},
        {"{\"metric\": \"a\\u0000b\"}", "no JSON"},
        {"{\"metric\": \"\xff\"}", "no JSON"},
        {"{\"metric\": \"m\"} x", "no JSON"},
        {"[1]", "must be a JSON object"},
        {"\"m\"", "must be a JSON object"},
        {"{", "no JSON"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct all in;
        struct err e = {0};

        ck_assert_int_eq(read(rows[i].body, &in, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_msg(strstr(e.text, rows[i].says), "%s: %s", rows[i].body,
                      e.text);
        body_clear(fields, FIELDS, &in);
    }
}
END_TEST

START_TEST(a_million_brackets_are_refused)
{
    size_t n = 1000000;
    char *deep = malloc(n + 1);
    struct err e;

    ck_assert_ptr_nonnull(deep);
    memset(deep, '[', n);
    deep[n] = 0;
    ck_assert_int_eq(body_read(deep, n, NULL, 0, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    free(deep);
}
END_TEST

START_TEST(numbers_of_a_query_stay_in_their_range)
{
    int64_t n = 7;
    struct err e;

    ck_assert_int_eq(body_query("limit", NULL, 1, 9, &n, &e), 0);
    ck_assert_int_eq(n, 7);
    ck_assert_int_eq(body_query("limit", "9", 1, 9, &n, &e), 0);
    ck_assert_int_eq(n, 9);
    ck_assert_int_eq(body_query("limit", "10", 1, 9, &n, &e), -1);
    ck_assert_int_eq(body_query("limit", "", 1, 9, &n, &e), -1);
    ck_assert_int_eq(body_query("limit", "2x", 1, 9, &n, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "\"limit\" must be"));
    ck_assert_int_eq(n, 9);
}
END_TEST

SUITE("face/body", every_kind_of_field_is_read,
      what_is_left_out_or_null_is_not_given,
      values_that_are_not_finite_come_as_words, no_body_is_an_empty_object,
      what_is_wrong_is_named, a_million_brackets_are_refused,
      numbers_of_a_query_stay_in_their_range)
