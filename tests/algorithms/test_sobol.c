/* The Sobol sequence is the published one, and stays even when scrambled. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/sobol.h"

#include <math.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(the_first_points_are_those_of_joe_and_kuo)
{
    /* In eighths, without Gray code: index in binary, dimensions 1 to 3. */
    static const uint32_t eighths[8][3] = {{0, 0, 0}, {4, 4, 4}, {2, 6, 6},
                                           {6, 2, 2}, {1, 5, 3}, {5, 1, 7},
                                           {3, 3, 5}, {7, 7, 1}};

    for (uint32_t i = 0; i < 8; i++)
        for (size_t k = 0; k < 3; k++)
            ck_assert_uint_eq(sobol_plain(i, k) >> 29, eighths[i][k]);
}
END_TEST

/* Every dimension is a permutation of the cells of each power of two; this is
 * what a wrong direction number would break. */
static void every_cell_once(uint64_t seed, size_t n)
{
    enum { POINTS = 64 };
    static double x[POINTS][600];

    for (uint64_t i = 0; i < POINTS; i++)
        sobol_point(seed, i, n, x[i]);
    for (size_t k = 0; k < n; k++) {
        int seen[POINTS] = {0};

        for (int i = 0; i < POINTS; i++) {
            ck_assert(x[i][k] > 0 && x[i][k] < 1);
            seen[(int)(x[i][k] * POINTS)]++;
        }
        for (int i = 0; i < POINTS; i++)
            ck_assert_msg(seen[i] == 1, "axis %zu cell %d: %d", k, i, seen[i]);
    }
}

START_TEST(each_axis_fills_every_cell_once)
{
    every_cell_once(1, SOBOL_DIMENSIONS);
    every_cell_once(2, SOBOL_DIMENSIONS);
}
END_TEST

START_TEST(axes_beyond_the_table_are_as_even)
{
    every_cell_once(3, 600);
}
END_TEST

START_TEST(two_axes_together_are_even_too)
{
    int seen[8][8] = {{0}};

    for (uint64_t i = 0; i < 64; i++) {
        double x[2];

        sobol_point(5, i, 2, x);
        seen[(int)(x[0] * 8)][(int)(x[1] * 8)]++;
    }
    for (int i = 0; i < 64; i++)
        ck_assert_int_eq(seen[i / 8][i % 8], 1);
}
END_TEST

START_TEST(another_seed_is_another_sequence)
{
    double a[4], b[4], c[4];

    sobol_point(1, 0, 4, a);
    sobol_point(2, 0, 4, b);
    sobol_point(1, 0, 4, c);
    ck_assert_mem_ne(a, b, sizeof a);
    ck_assert_mem_eq(a, c, sizeof a);
}
END_TEST

SUITE("algorithms/sobol", the_first_points_are_those_of_joe_and_kuo,
      each_axis_fills_every_cell_once, axes_beyond_the_table_are_as_even,
      two_axes_together_are_even_too, another_seed_is_another_sequence)
