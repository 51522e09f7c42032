/* Results keep their order and lose their tails. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/warp.h"

#include <math.h>

#include "tests/lib/suite.h"

enum { MOST = 9 };

START_TEST(order_is_kept_and_the_scale_is_one)
{
    static const double rows[][MOST] = {
        {1, 2, 3, 4, 5, 6, 7, 8, 9},
        {5, 3, 5, 1, -1e9, 4, 4.5, 5.01, 2},
        {-1e308, 1e308, 0, 1, 2, 3, 4, 5, 6},
        {0, 0, 0, 0, 0, 0, 0, 0, 1},
        {1, 1, 1, 1, 1, 1, 1, 1, -1e300},
        {1e-320, 2e-320, 3e-320, 0, 0, 0, 1e-310, 0, 0},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double out[MOST], mean = 0, square = 0;

        warp_results(rows[r], MOST, 0, out);
        for (size_t i = 0; i < MOST; i++) {
            mean += out[i] / MOST;
            square += out[i] * out[i] / MOST;
            for (size_t k = 0; k < MOST; k++) {
                if (rows[r][i] > rows[r][k])
                    ck_assert_double_ge(out[i], out[k]);
                if (rows[r][i] == rows[r][k])
                    ck_assert(out[i] == out[k]);
            }
        }
        ck_assert_double_eq_tol(mean, 0, 1e-9);
        ck_assert_double_eq_tol(square, 1, 1e-9);
    }
}
END_TEST

START_TEST(a_disaster_teaches_hardly_more_than_a_bad_result)
{
    static const double bad[] = {1, 2, 3, 4, 5}, worse[] = {-1e200, 2, 3, 4, 5};
    double a[5], b[5];

    warp_results(bad, 5, 0, a);
    warp_results(worse, 5, 0, b);
    for (size_t i = 0; i < 5; i++)
        ck_assert_double_eq_tol(a[i], b[i], 0.3);
}
END_TEST

START_TEST(distances_near_the_best_are_kept_and_far_ones_shrink)
{
    double raw[60], out[60];

    for (int i = 0; i < 60; i++)
        raw[i] = i < 30 ? -exp(0.3 * (30 - i)) : i - 59;
    warp_results(raw, 60, 0, out);
    ck_assert_double_eq_tol((out[59] - out[58]) / (out[50] - out[49]), 1, 0.1);
    ck_assert_double_lt(out[1] - out[0], 20 * (out[59] - out[58]));
    ck_assert_double_gt(raw[1] - raw[0], 1000 * (raw[59] - raw[58]));
}
END_TEST

/* Forty results within 2 of the best, that noise made of one, and twenty of
 * the landscape. */
START_TEST(distances_within_the_noise_do_not_crowd_out_the_others)
{
    double raw[60], crowded[60], kept[60];

    for (int i = 0; i < 60; i++)
        raw[i] = i < 20 ? -40 + 2 * i : (i - 59) / 20.;
    warp_results(raw, 60, 0, crowded);
    ck_assert_double_gt(warp_results(raw, 60, 20, kept), 0);
    ck_assert_double_lt((kept[59] - kept[20]) / (kept[59] - kept[0]),
                        (crowded[59] - crowded[20]) /
                            (crowded[59] - crowded[0]) / 2);
}
END_TEST

START_TEST(equal_results_say_nothing)
{
    static const double same[] = {1e300, 1e300, 1e300}, one[] = {-4};
    double out[3] = {7, 7, 7};

    ck_assert(warp_results(same, 3, 5, out) == 0);
    for (size_t i = 0; i < 3; i++)
        ck_assert(out[i] == 0);
    warp_results(one, 1, 0, out);
    ck_assert(out[0] == 0);
}
END_TEST

SUITE("algorithms/warp", order_is_kept_and_the_scale_is_one,
      a_disaster_teaches_hardly_more_than_a_bad_result,
      distances_near_the_best_are_kept_and_far_ones_shrink,
      distances_within_the_noise_do_not_crowd_out_the_others,
      equal_results_say_nothing)
