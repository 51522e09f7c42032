/* Parameters know which values they can take, and count them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/space.h"

#include <check.h>
#include <stdint.h>
#include <stdio.h>

#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

static void read_params(const char *params, struct study *s)
{
    char text[2000];

    ck_assert_int_lt(
        snprintf(text, sizeof text, "maximize: a\nparams: {%s}\n", params),
        (int)sizeof text);
    read_good(text, s);
}

START_TEST(every_value_is_counted_and_found_by_its_place)
{
    static const struct {
        const char *param;
        uint64_t count;
        double first, last;
    } rows[] = {
        {"x: 0.0 .. 0.5 step 0.05", 11, 0, 0.5},
        {"x: -1 .. 1 step 0.1", 21, -1, 1},
        {"x: int 8 .. 256", 249, 8, 256},
        {"x: int 8 .. 256 step 8", 32, 8, 256},
        {"x: int -3 .. -3", 1, -3, -3},
        {"x: [128, 16, 32.5]", 3, 16, 128},
        {"x: [adam, sgd]", 2, 0, 1},
        {"x: 3 .. 3", 1, 3, 3},
        {"x: int -9223372036854775808 .. 9223372036854775807", UINT64_MAX - 1,
         -0x1p63, 0x1p63},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct study s;
        const struct param *p;
        struct value first, last;

        read_params(rows[i].param, &s);
        p = &s.space.params[0];
        ck_assert_uint_eq(param_count(p), rows[i].count);
        first = param_nth(p, 0);
        last = param_nth(p, rows[i].count - 1);
        ck_assert(param_holds(p, &first) && param_holds(p, &last));
        ck_assert_double_eq(param_number(p, &first), rows[i].first);
        ck_assert_double_eq(param_number(p, &last), rows[i].last);
        ck_assert(param_same(p, &first, &last) == (rows[i].count == 1));
        study_clear(&s);
    }
}
END_TEST

START_TEST(steps_are_the_numbers_that_a_person_would_write)
{
    static const double want[] = {0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4};
    struct study s;

    read_params("x: 0.1 .. 0.4 step 0.05", &s);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        ck_assert_double_eq(param_nth(&s.space.params[0], i).real, want[i]);
    study_clear(&s);
}
END_TEST

START_TEST(a_range_of_reals_has_no_count_and_both_its_ends)
{
    struct study s;
    const struct param *p;
    struct value v = {.active = true};
    static const struct {
        double x;
        bool held;
    } rows[] = {{1e-4, true},   {0.1, true},          {0.05, true},
                {9e-5, false},  {0.2, false},         {0, false},
                {-1e-4, false}, {0x1p1023 * 4, false}};

    read_params("x: log 1e-4 .. 1e-1", &s);
    p = &s.space.params[0];
    ck_assert_uint_eq(param_count(p), UINT64_MAX);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        v.real = rows[i].x;
        ck_assert_msg(param_holds(p, &v) == rows[i].held, "%g", rows[i].x);
    }
    study_clear(&s);
}
END_TEST

START_TEST(parameters_are_found_by_name)
{
    struct study s;

    read_params("n: 0 .. 1, on: 0 .. 1, a-b/c.d: 0 .. 1", &s);
    ck_assert_int_eq(space_find(&s.space, "n"), 0);
    ck_assert_int_eq(space_find(&s.space, "on"), 1);
    ck_assert_int_eq(space_find(&s.space, "a-b/c.d"), 2);
    ck_assert_int_eq(space_find(&s.space, "N"), -1);
    study_clear(&s);
}
END_TEST

SUITE("study/space", every_value_is_counted_and_found_by_its_place,
      steps_are_the_numbers_that_a_person_would_write,
      a_range_of_reals_has_no_count_and_both_its_ends,
      parameters_are_found_by_name)
