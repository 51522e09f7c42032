/* Chance comes from counters. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/draw.h"

#include <math.h>
#include <stdlib.h>

#include "tests/lib/suite.h"

START_TEST(philox_gives_the_published_answers)
{
    static const uint32_t zeros[4] = {0}, no_key[2] = {0};
    static const uint32_t ones[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                     UINT32_MAX};
    static const uint32_t full_key[2] = {UINT32_MAX, UINT32_MAX};
    static const uint32_t of_zeros[4] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                         0x9b00dbd8};
    static const uint32_t of_ones[4] = {0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                        0x6d5451fd};
    uint32_t out[4];

    draw_philox(zeros, no_key, out);
    ck_assert_mem_eq(out, of_zeros, sizeof out);
    draw_philox(ones, full_key, out);
    ck_assert_mem_eq(out, of_ones, sizeof out);
}
END_TEST

START_TEST(a_stream_is_its_name_and_no_other)
{
    struct draw a, b;

    draw_init(&a, 1, DRAW_RANDOM, 5);
    draw_init(&b, 1, DRAW_RANDOM, 5);
    for (int i = 0; i < 100; i++)
        ck_assert_uint_eq(draw_bits(&a), draw_bits(&b));
    for (int other = 0; other < 3; other++) {
        draw_init(&a, 1, DRAW_RANDOM, 5);
        draw_init(&b, other == 0 ? 2 : 1,
                  other == 1 ? DRAW_SEARCH : DRAW_RANDOM, other == 2 ? 6 : 5);
        ck_assert_uint_ne(draw_bits(&a), draw_bits(&b));
    }
}
END_TEST

START_TEST(numbers_are_spread_as_they_should_be)
{
    enum { N = 20000 };
    struct draw d;
    double mean = 0, square = 0, normal = 0;
    int counts[7] = {0};

    draw_init(&d, 3, DRAW_FIT, 0);
    for (int i = 0; i < N; i++) {
        double u = draw_unit(&d), z = draw_normal(&d);

        ck_assert(u > 0 && u < 1);
        mean += u / N;
        normal += z / N;
        square += z * z / N;
        counts[draw_below(&d, 7)]++;
    }
    ck_assert_double_eq_tol(mean, 0.5, 0.01);
    ck_assert_double_eq_tol(normal, 0, 0.03);
    ck_assert_double_eq_tol(square, 1, 0.05);
    for (int i = 0; i < 7; i++)
        ck_assert_int_lt(abs(counts[i] - N / 7), 300);
}
END_TEST

SUITE("algorithms/draw", philox_gives_the_published_answers,
      a_stream_is_its_name_and_no_other, numbers_are_spread_as_they_should_be)
