/* Values print exactly for programs, and harmlessly for terminals. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/print.h"

#include <check.h>
#include <jansson.h>

#include "tests/lib/suite.h"

static json_t *json(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);

    ck_assert_ptr_nonnull(value);
    return value;
}

START_TEST(json_reads_back_as_the_same_value)
{
    json_t *value = json("{\"a\": [0.1, 1e-7, 3, \"x\\\"\\n\\u00fc\", null, "
                         "true], \"b\": {}, \"c\": [], \"d\": {\"e\": -1.5}}");
    json_t *back;
    struct text out;

    text_init(&out);
    print_json(value, 0, &out);
    ck_assert_ptr_null(strstr(text_str(&out), "0.1000"));
    back = json(text_str(&out));
    ck_assert(json_equal(value, back));
    text_clear(&out);
    json_decref(back);
    json_decref(value);
}
END_TEST

START_TEST(yaml_quotes_what_it_would_read_otherwise)
{
    json_t *value =
        json("{\"name\": \"digits\", \"word\": \"no\", \"number\": \"010\", "
             "\"colon\": \"a: b\", \"empty\": \"\", \"n\": 1, \"none\": null, "
             "\"map\": {\"x\": 0.5}, \"list\": [{\"a\": 1, \"b\": [2, 3]}, "
             "\"- c\"], \"void\": []}");
    struct text out;

    text_init(&out);
    print_yaml(value, &out);
    ck_assert_str_eq(text_str(&out), "name: digits\n"
                                     "word: \"no\"\n"
                                     "number: \"010\"\n"
                                     "colon: \"a: b\"\n"
                                     "empty: \"\"\n"
                                     "\"n\": 1\n"
                                     "none: null\n"
                                     "map:\n"
                                     "  x: 0.5\n"
                                     "list:\n"
                                     "  - a: 1\n"
                                     "    b:\n"
                                     "      - 2\n"
                                     "      - 3\n"
                                     "  - \"- c\"\n"
                                     "void: []\n");
    text_clear(&out);
    json_decref(value);
}
END_TEST

START_TEST(csv_fields_are_quoted_when_they_must_be)
{
    static const char *const rows[][2] = {{"plain", "plain"},
                                          {"", ""},
                                          {"a,b", "\"a,b\""},
                                          {"say \"x\"", "\"say \"\"x\"\"\""},
                                          {"two\nlines", "\"two\nlines\""},
                                          {" blank", "\" blank\""}};
    struct text out;

    text_init(&out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_reset(&out);
        print_csv(rows[i][0], &out);
        ck_assert_str_eq(text_str(&out), rows[i][1]);
    }
    text_clear(&out);
}
END_TEST

START_TEST(control_bytes_never_reach_the_terminal)
{
    struct text out;

    text_init(&out);
    print_safe("a\033[2Jb\nc\td\x7f\xc2\x9b ü", &out);
    ck_assert_str_eq(text_str(&out), "a?[2Jb c d?? ü");
    text_clear(&out);
}
END_TEST

START_TEST(lines_are_cut_between_characters)
{
    struct text out;

    text_init(&out);
    print_cut("üöäü", 4, &out);
    ck_assert_str_eq(text_str(&out), "üöäü");
    text_reset(&out);
    print_cut("üöäüx", 4, &out);
    ck_assert_str_eq(text_str(&out), "üöä…");
    ck_assert_uint_eq(print_width(text_str(&out)), 4);
    text_clear(&out);
}
END_TEST

START_TEST(shell_words_and_durations_are_readable)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {{-5, "0.0s"},     {400, "0.4s"},        {12999, "12s"},
                {187000, "3:07"}, {3723000, "1:02:03"}, {273600000, "3d 4h"}};
    struct text out;

    text_init(&out);
    print_shell("--lr=0.1", &out);
    text_add(&out, " ");
    print_shell("it's", &out);
    text_add(&out, " ");
    print_shell("", &out);
    ck_assert_str_eq(text_str(&out), "--lr=0.1 'it'\\''s' ''");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_reset(&out);
        print_duration(rows[i].ms, &out);
        ck_assert_str_eq(text_str(&out), rows[i].text);
    }
    text_clear(&out);
}
END_TEST

START_TEST(numbers_are_short_for_people_and_exact_for_programs)
{
    json_t *value = json("0.12345678901234568");
    struct text out;

    text_init(&out);
    print_plain(value, false, &out);
    text_add(&out, " ");
    print_plain(value, true, &out);
    ck_assert_str_eq(text_str(&out), "0.123457 0.12345678901234568");
    text_clear(&out);
    json_decref(value);
}
END_TEST

START_TEST(facts_stand_in_one_column_however_long_the_names_are)
{
    json_t *few = json("{\"lr\": 1}");
    json_t *map = json("{\"learning_rate_of_it\": 1, \"caf\u00e9\": 2}");
    int column = print_column(map);
    struct text out;

    text_init(&out);
    ck_assert_int_eq(print_column(few), PRINT_COLUMN);
    print_fact(&out, "lr", "%d", 1);
    print_fact_at(&out, column, "learning_rate_of_it", "%d", 1);
    print_fact_at(&out, column, "caf\xc3\xa9", "%d", 2);
    ck_assert_str_eq(text_str(&out), "lr           1\n"
                                     "learning_rate_of_it 1\n"
                                     "caf\xc3\xa9                2\n");
    text_clear(&out);
    json_decref(map);
    json_decref(few);
}
END_TEST

SUITE("cli/print", json_reads_back_as_the_same_value,
      yaml_quotes_what_it_would_read_otherwise,
      csv_fields_are_quoted_when_they_must_be,
      control_bytes_never_reach_the_terminal, lines_are_cut_between_characters,
      shell_words_and_durations_are_readable,
      numbers_are_short_for_people_and_exact_for_programs,
      facts_stand_in_one_column_however_long_the_names_are)
