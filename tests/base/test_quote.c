/* Any text can be quoted, and what is quoted reads back. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/quote.h"

#include <check.h>
#include <math.h>

#include "tests/lib/suite.h"

START_TEST(texts_are_quoted_as_json_writes_them)
{
    static const struct {
        const char *text, *quoted;
    } rows[] = {
        {"", "\"\""},
        {"plain text", "\"plain text\""},
        {"a \"word\" \\ b", "\"a \\\"word\\\" \\\\ b\""},
        {"line\nline\r\ttab", "\"line\\nline\\r\\ttab\""},
        {"\x01\x1b\x7f", "\"\\u0001\\u001b\\u007f\""},
        {"gr\u00fc\u00df \u20ac \U0001f600", "\"gr\u00fc\u00df \u20ac "
                                             "\U0001f600\""},
    };
    struct text out;

    text_init(&out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_reset(&out);
        quote_json(&out, rows[i].text);
        ck_assert_str_eq(text_str(&out), rows[i].quoted);
    }
    text_clear(&out);
}
END_TEST

START_TEST(bytes_that_are_no_utf8_are_replaced)
{
    static const struct {
        const char *text, *quoted;
    } rows[] = {
        {"a\xff"
         "b",
         "\"a\ufffdb\""},
        {"\xc3", "\"\ufffd\""},                     /* cut short */
        {"\xc0\xaf", "\"\ufffd\ufffd\""},           /* too long a form */
        {"\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""}, /* half a pair */
        {"\xf4\x90\x80\x80", "\"\ufffd\ufffd\ufffd\ufffd\""}, /* too large */
    };
    struct text out;

    text_init(&out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_reset(&out);
        quote_json(&out, rows[i].text);
        ck_assert_str_eq(text_str(&out), rows[i].quoted);
    }
    text_clear(&out);
}
END_TEST

START_TEST(numbers_that_json_lacks_stand_in_quotes)
{
    static const struct {
        double x;
        const char *quoted;
    } rows[] = {{0.1, "0.1"},
                {-3, "-3"},
                {1e300, "1e+300"},
                {INFINITY, "\"inf\""},
                {-INFINITY, "\"-inf\""},
                {NAN, "\"nan\""}};
    struct text out;

    text_init(&out);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        text_reset(&out);
        quote_number(&out, rows[i].x);
        ck_assert_str_eq(text_str(&out), rows[i].quoted);
    }
    text_clear(&out);
}
END_TEST

SUITE("base/quote", texts_are_quoted_as_json_writes_them,
      bytes_that_are_no_utf8_are_replaced,
      numbers_that_json_lacks_stand_in_quotes)
