/* Time is handed in, and printed for people. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/clock.h"

#include <check.h>

#include "tests/lib/suite.h"

START_TEST(times_are_printed_in_utc_to_the_millisecond)
{
    static const struct {
        int64_t ms;
        const char *text;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {1, "1970-01-01T00:00:00.001Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {1795255200123, "2026-11-21T10:00:00.123Z"},
        {253402300799999, "9999-12-31T23:59:59.999Z"},
    };
    char out[CLOCK_TEXT];

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_ptr_eq(clock_print(rows[i].ms, out), out);
        ck_assert_str_eq(out, rows[i].text);
    }
}
END_TEST

START_TEST(the_real_clock_goes_forward)
{
    int64_t steady = clock_steady_ms(&clock_real);

    /* Later than these lines were written, earlier than the year 2286. */
    ck_assert_int_gt(clock_wall_ms(&clock_real), 1700000000000);
    ck_assert_int_lt(clock_wall_ms(&clock_real), 10000000000000);
    ck_assert_int_ge(clock_steady_ms(&clock_real), steady);
}
END_TEST

static int64_t pretend_wall(void *ctx)
{
    return *(int64_t *)ctx;
}

static int64_t pretend_steady(void *ctx)
{
    return *(int64_t *)ctx + 1;
}

START_TEST(a_pretended_clock_says_what_it_is_told)
{
    int64_t now = 40;
    const struct clock c = {pretend_wall, pretend_steady, &now};

    ck_assert_int_eq(clock_wall_ms(&c), 40);
    now = 50;
    ck_assert_int_eq(clock_wall_ms(&c), 50);
    ck_assert_int_eq(clock_steady_ms(&c), 51);
}
END_TEST

SUITE("base/clock", times_are_printed_in_utc_to_the_millisecond,
      the_real_clock_goes_forward, a_pretended_clock_says_what_it_is_told)
