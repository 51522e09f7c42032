/* Rows go out as table, CSV, JSON and YAML. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/listing.h"

#include <jansson.h>

#include "tests/cli/fake.h"
#include "tests/lib/suite.h"

static const struct listing_column columns[] = {
    {"trial", "number", listing_plain, true},
    {"state", "state", listing_plain, false},
    {"lr", "lr", listing_param, true},
    {"note", "note", listing_plain, false},
    {"ended", "ended", listing_time, false}};

static const char rows_text[] =
    "[{\"number\": 1, \"state\": \"FAILED\", \"params\": {\"lr\": 0.1234567},"
    "  \"note\": \"a, \\\"b\\\"\\nc\", \"ended\": 1000},"
    " {\"number\": 12, \"state\": \"RUNNING\", \"params\": {}, \"note\": \"\","
    "  \"ended\": 0}]";

static const struct fake_route none[] = {
    {SERVE_OTHER, NULL, NULL, 0, NULL, false, NULL}};

/* What that listing prints. Yours to free. */
static char *printed(enum format format, const char *rows)
{
    json_t *value = json_loads(rows, 0, NULL);
    struct fake fake;
    char *text;

    fake_start(&fake, none);
    fake_hear(&fake);
    listing_print(format, columns, sizeof columns / sizeof *columns, value);
    text = fake_heard(&fake);
    fake_stop(&fake);
    json_decref(value);
    return text;
}

START_TEST(a_table_is_aligned_and_short)
{
    char *text = printed(FORMAT_TABLE, rows_text);

    ck_assert_str_eq(
        text, "TRIAL  STATE          lr  NOTE      ENDED\n"
              "    1  FAILED   0.123457  a, \"b\" c  1970-01-01 00:00:01\n"
              "   12  RUNNING                      \n");
    free(text);
}
END_TEST

START_TEST(csv_is_exact_and_has_empty_fields)
{
    char *text = printed(FORMAT_CSV, rows_text);

    ck_assert_str_eq(text, "trial,state,lr,note,ended\n"
                           "1,FAILED,0.1234567,\"a, \"\"b\"\"\nc\","
                           "1970-01-01T00:00:01.000Z\n"
                           "12,RUNNING,,,\n");
    free(text);
}
END_TEST

START_TEST(json_and_yaml_have_the_rows_whole)
{
    char *text = printed(FORMAT_JSON, rows_text);
    json_t *wanted = json_loads(rows_text, 0, NULL);
    json_t *got = json_loads(text, 0, NULL);

    ck_assert(json_equal(wanted, got));
    json_decref(got);
    json_decref(wanted);
    free(text);
    text = printed(FORMAT_YAML, "[{\"number\": 1, \"params\": {\"lr\": 2}}]");
    ck_assert_str_eq(text, "- number: 1\n  params:\n    lr: 2\n");
    free(text);
}
END_TEST

START_TEST(no_rows_are_still_a_document)
{
    static const char *const wanted[] = {
        [FORMAT_TABLE] = "TRIAL  STATE  lr  NOTE  ENDED\n",
        [FORMAT_JSON] = "[]\n",
        [FORMAT_CSV] = "trial,state,lr,note,ended\n",
        [FORMAT_YAML] = "[]\n"};

    for (int f = FORMAT_TABLE; f <= FORMAT_YAML; f++) {
        char *text = printed((enum format)f, "[]");

        ck_assert_str_eq(text, wanted[f]);
        free(text);
    }
}
END_TEST

SUITE("cli/listing", a_table_is_aligned_and_short,
      csv_is_exact_and_has_empty_fields, json_and_yaml_have_the_rows_whole,
      no_rows_are_still_a_document)
