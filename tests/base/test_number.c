/* Numbers print short and read strictly. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/number.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "tests/lib/suite.h"

START_TEST(a_double_prints_shortest_and_reads_back)
{
    static const struct {
        double x;
        const char *text;
    } rows[] = {
        {0.1, "0.1"},    {1e-7, "1e-07"},   {32, "32"},
        {-3, "-3"},      {-0.0, "0"},       {0.1 + 0.2, "0.30000000000000004"},
        {1e15, "1e+15"}, {INFINITY, "inf"}, {-INFINITY, "-inf"},
    };
    char out[NUMBER_TEXT];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_str_eq(number_print(rows[i].x, out), rows[i].text);
        ck_assert_double_eq(strtod(out, NULL), rows[i].x);
    }
    ck_assert_str_eq(number_print(NAN, out), "nan");
}
END_TEST

START_TEST(only_whole_numbers_in_decimal_are_read)
{
    static const char *const bad[] = {"",   " 1", "1 ", "0x10", "1_000",
                                      "1e", "-",  "a",  "1.2.3"};
    static const char *const bad_int[] = {
        "", "1.0", "1e3", "+", "0x1", "123456789012345678901234567890"};
    double x = 7;
    int64_t k = 7;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        ck_assert_msg(!number_read(bad[i], &x), "%s", bad[i]);
    for (size_t i = 0; i < sizeof bad_int / sizeof bad_int[0]; i++)
        ck_assert_msg(!number_read_int(bad_int[i], &k), "%s", bad_int[i]);
    ck_assert(x == 7 && k == 7);
    ck_assert(number_read("1e-4", &x) && x == 1e-4);
    ck_assert(number_read_int("010", &k) && k == 10);
}
END_TEST

SUITE("base/number", a_double_prints_shortest_and_reads_back,
      only_whole_numbers_in_decimal_are_read)
