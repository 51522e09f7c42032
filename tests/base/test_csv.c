/* Comma-separated values are read as RFC 4180 has them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/csv.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

static int next(struct csv *c)
{
    struct err e;

    return csv_next(c, &e);
}

START_TEST(cells_are_split_at_commas_and_lines)
{
    static const char bytes[] = "\xEF\xBB\xBF"
                                "a,b\r\n\n1,\n,x y";
    struct csv c;

    csv_init(&c, bytes, sizeof bytes - 1);
    ck_assert_int_eq(next(&c), 1);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_str_eq(c.cells[0], "a");
    ck_assert_str_eq(c.cells[1], "b");
    ck_assert_int_eq(c.line, 1);
    ck_assert_int_eq(next(&c), 1);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_str_eq(c.cells[0], "1");
    ck_assert_str_eq(c.cells[1], "");
    ck_assert_int_eq(c.line, 3);
    ck_assert_int_eq(next(&c), 1);
    ck_assert_str_eq(c.cells[0], "");
    ck_assert_str_eq(c.cells[1], "x y");
    ck_assert_int_eq(next(&c), 0);
    csv_clear(&c);
}
END_TEST

START_TEST(quoted_cells_hold_commas_quotes_and_lines)
{
    static const char bytes[] = "\"a,\"\"b\"\"\nc\",\"\"\nlast\n";
    struct csv c;

    csv_init(&c, bytes, sizeof bytes - 1);
    ck_assert_int_eq(next(&c), 1);
    ck_assert_uint_eq(c.n, 2);
    ck_assert_str_eq(c.cells[0], "a,\"b\"\nc");
    ck_assert_str_eq(c.cells[1], "");
    ck_assert_int_eq(next(&c), 1);
    ck_assert_int_eq(c.line, 3);
    ck_assert_str_eq(c.cells[0], "last");
    ck_assert_int_eq(next(&c), 0);
    csv_clear(&c);
}
END_TEST

START_TEST(quotes_that_are_wrong_are_refused_with_their_line)
{
    static const char *const wrong[] = {"a\n\"b", "a\n\"b\"c\n", "a\n\"b\" ,c"};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct csv c;
        struct err e = {0};

        csv_init(&c, wrong[i], strlen(wrong[i]));
        ck_assert_int_eq(next(&c), 1);
        ck_assert_int_eq(csv_next(&c, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_ptr_nonnull(strstr(e.text, "quote"));
        ck_assert_int_eq(c.line, 2);
        csv_clear(&c);
    }
}
END_TEST

SUITE("base/csv", cells_are_split_at_commas_and_lines,
      quoted_cells_hold_commas_quotes_and_lines,
      quotes_that_are_wrong_are_refused_with_their_line)
