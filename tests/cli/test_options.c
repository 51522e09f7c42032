/* Options are read by one table, and wrong ones are named. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

static const unsigned some =
    OPTION_SET(OPTION_FORMAT) | OPTION_SET(OPTION_COUNT) |
    OPTION_SET(OPTION_FOLLOW) | OPTION_SET(OPTION_SERVER);

static size_t count(char **argv)
{
    size_t n = 0;

    while (argv[n])
        n++;
    return n;
}

#define WORDS(...)                                                             \
    (char *[])                                                                 \
    {                                                                          \
        __VA_ARGS__, NULL                                                      \
    }

START_TEST(options_may_stand_anywhere_and_in_every_spelling)
{
    char **argv = WORDS("--format=csv", "digits", "-k3", "-f", "--server",
                        "unix:/x", "-", "--", "-k");
    struct options o;
    struct err e;

    ck_assert_int_eq(options_read(&o, "best", some, argv, count(argv), &e), 0);
    ck_assert_int_eq(o.format, FORMAT_CSV);
    ck_assert_int_eq(o.number[OPTION_COUNT], 3);
    ck_assert_ptr_nonnull(o.text[OPTION_FOLLOW]);
    ck_assert_str_eq(o.text[OPTION_SERVER], "unix:/x");
    ck_assert_ptr_null(o.text[OPTION_HELP]);
    ck_assert_uint_eq(o.n_words, 3);
    ck_assert_str_eq(o.words[0], "digits");
    ck_assert_str_eq(o.words[1], "-");
    ck_assert_str_eq(o.words[2], "-k");
    options_clear(&o);
}
END_TEST

START_TEST(wrong_options_are_named_with_a_way_out)
{
    static const struct {
        const char *word, *more, *says;
    } rows[] = {
        {"--fromat", "csv",
         "best has no option --fromat; did you mean "
         "--format?"},
        {"--frobnicate=3", NULL,
         "best has no option --frobnicate; `hypertune help best` lists them"},
        {"--json", NULL,
         "best has no option --json; did you mean --format json?"},
        {"-n", "3", "best has no option -n; did you mean --count?"},
        {"--force", NULL,
         "best has no option --force; `hypertune help best` lists them"},
        {"--trials", "9",
         "best has no option --trials; `hypertune help best` lists them"},
        {"-z", NULL, "best has no option -z; `hypertune help best` lists them"},
        {"--format", "xml",
         "--format is table, json, csv or yaml, not \"xml\""},
        {"--count", "0",
         "--count wants a whole number of at least 1, not \"0\""},
        {"--count", "three",
         "--count wants a whole number of at least 1, not \"three\""},
        {"--count", NULL, "--count wants a value: --count K"},
        {"--follow=yes", NULL, "--follow takes no value"},
        {"--attempt", "2",
         "best has no option --attempt; `hypertune help best` lists them"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *argv[] = {(char *)(uintptr_t)rows[i].word,
                        (char *)(uintptr_t)rows[i].more, NULL};
        struct options o;
        struct err e;

        ck_assert_int_eq(options_read(&o, "best", some, argv, count(argv), &e),
                         -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_str_eq(e.text, rows[i].says);
        options_clear(&o);
    }
}
END_TEST

START_TEST(keys_of_the_study_file_are_no_options)
{
    char **argv = WORDS("--parallel=4", "study.yaml");
    struct options o;
    struct err e;

    ck_assert_int_eq(options_read(&o, "run", some, argv, count(argv), &e), -1);
    ck_assert_str_eq(e.text, "run has no option --parallel; it is a key of the "
                             "study file, parallel: …");
    options_clear(&o);
}
END_TEST

START_TEST(the_help_explains_exactly_the_allowed_options)
{
    struct text out;

    text_init(&out);
    options_explain(some, &out);
    ck_assert_ptr_nonnull(strstr(text_str(&out), "-k, --count K"));
    ck_assert_ptr_nonnull(strstr(text_str(&out), "--server URL"));
    ck_assert_ptr_nonnull(strstr(text_str(&out), "-h, --help"));
    ck_assert_ptr_null(strstr(text_str(&out), "--attempt"));
    text_clear(&out);
}
END_TEST

SUITE("cli/options", options_may_stand_anywhere_and_in_every_spelling,
      wrong_options_are_named_with_a_way_out,
      keys_of_the_study_file_are_no_options,
      the_help_explains_exactly_the_allowed_options)
