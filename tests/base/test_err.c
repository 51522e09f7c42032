/* Errors hold one sentence, whatever is put into them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/err.h"

#include <check.h>
#include <errno.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(setting_gives_minus_one_and_the_sentence)
{
    struct err e;

    ck_assert_int_eq(err_set(&e, ERR_BUSY, "trial %d waits", 7), -1);
    ck_assert_int_eq(e.code, ERR_BUSY);
    ck_assert_str_eq(e.text, "trial 7 waits");
}
END_TEST

START_TEST(wrapping_puts_words_before_and_keeps_the_code)
{
    struct err e;

    err_set(&e, ERR_IO, "disk full");
    ck_assert_int_eq(err_wrap(&e, "study %s", "digits"), -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_str_eq(e.text, "study digits: disk full");
}
END_TEST

START_TEST(the_systems_number_becomes_a_code_and_words)
{
    static const struct {
        int number;
        enum err_code code;
    } rows[] = {
        {ENOENT, ERR_ABSENT}, {EEXIST, ERR_CONFLICT}, {EAGAIN, ERR_BUSY},
        {EBUSY, ERR_BUSY},    {EACCES, ERR_IO},       {ENOSPC, ERR_IO},
    };
    struct err e;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_eq(err_errno(&e, rows[i].number, "opening %s", "a"), -1);
        ck_assert_int_eq(e.code, rows[i].code);
        ck_assert_ptr_nonnull(strstr(e.text, "opening a: "));
        ck_assert_ptr_nonnull(strstr(e.text, strerror(rows[i].number)));
    }
}
END_TEST

START_TEST(who_wants_no_sentence_gets_the_answer_alone)
{
    ck_assert_int_eq(err_set(NULL, ERR_IO, "x"), -1);
    ck_assert_int_eq(err_wrap(NULL, "x"), -1);
    ck_assert_int_eq(err_errno(NULL, ENOENT, "x"), -1);
}
END_TEST

START_TEST(a_sentence_too_long_is_cut)
{
    char lengthy[2000];
    struct err e;

    memset(lengthy, 'a', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    err_set(&e, ERR_IO, "%s", lengthy);
    ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
    err_wrap(&e, "%s", lengthy);
    ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
    err_errno(&e, ENOENT, "%s", lengthy);
    ck_assert_uint_eq(strlen(e.text), sizeof e.text - 1);
}
END_TEST

SUITE("base/err", setting_gives_minus_one_and_the_sentence,
      wrapping_puts_words_before_and_keeps_the_code,
      the_systems_number_becomes_a_code_and_words,
      who_wants_no_sentence_gets_the_answer_alone, a_sentence_too_long_is_cut)
