/* A curve keeps first, last, best and an even thinning. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/curve.h"

#include <math.h>

#include "tests/lib/suite.h"

START_TEST(only_finite_values_are_first_last_or_best)
{
    static const double values[] = {NAN, 0.5, INFINITY, 0.9, 0.7, -INFINITY};
    struct curve c;

    curve_init(&c);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(curve_add(&c, true, INT64_C(10) * i, values[i]),
                         CURVE_KEPT);
    ck_assert_int_eq(c.n, 6);
    ck_assert(c.has_finite && !c.last_is_finite);
    ck_assert(c.first.value == 0.5 && c.first.step == 10);
    ck_assert(c.last.value == 0.7 && c.last.index == 4);
    ck_assert(c.best.value == 0.9 && c.best.step == 30);
    curve_clear(&c);
    curve_clear(&c);
}
END_TEST

START_TEST(best_follows_the_goal_and_the_earlier_of_equals)
{
    struct curve low, high;

    curve_init(&low);
    curve_init(&high);
    for (int i = 0; i < 10; i++) {
        curve_add(&low, false, i, i % 3);
        curve_add(&high, true, i, i % 3);
    }
    ck_assert(low.best.value == 0 && low.best.index == 0);
    ck_assert(high.best.value == 2 && high.best.index == 2);
    curve_clear(&low);
    curve_clear(&high);
}
END_TEST

START_TEST(a_million_points_are_thinned_evenly)
{
    struct curve c;
    int64_t halved = 0;

    curve_init(&c);
    for (int64_t i = 0; i < 1000000; i++) {
        int64_t stride = c.stride;
        enum curve_kept kept = curve_add(&c, true, i, (double)i);

        halved += kept == CURVE_HALVED;
        if ((kept == CURVE_HALVED) != (c.stride == 2 * stride) ||
            (kept == CURVE_SKIPPED) != (i % c.stride != 0))
            ck_abort_msg("at %lld: %d", (long long)i, (int)kept);
    }
    ck_assert_int_eq(c.n, 1000000);
    ck_assert_int_eq(c.stride, INT64_C(1) << halved);
    ck_assert_uint_le(c.n_points, CURVE_MOST);
    ck_assert_uint_gt(c.n_points, CURVE_MOST / 2 - 64);
    for (size_t i = 0; i < c.n_points; i++)
        ck_assert_int_eq(c.points[i].index, (int64_t)i * c.stride);
    ck_assert(c.last.value == 999999);
    curve_clear(&c);
}
END_TEST

SUITE_WITHIN(120, "metrics/curve", only_finite_values_are_first_last_or_best,
             best_follows_the_goal_and_the_earlier_of_equals,
             a_million_points_are_thinned_evenly)
