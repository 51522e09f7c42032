/* Fronts are what no row beats, and boxes are the room that they leave. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/volume.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "algorithms/draw.h"
#include "tests/lib/suite.h"

enum { ROWS = 12, STEPS = 8, MOST = 3 };

/* Rows of m whole numbers below STEPS, so that many are equal somewhere. */
static void some_rows(uint64_t seed, size_t m, double *rows)
{
    struct draw d;

    draw_init(&d, seed, DRAW_RANDOM, m);
    for (size_t i = 0; i < ROWS * m; i++)
        rows[i] = (double)draw_below(&d, STEPS);
}

static bool dominated(const double *rows, size_t n, size_t m, const double *at)
{
    for (size_t i = 0; i < n; i++) {
        bool all = true;

        for (size_t j = 0; j < m; j++)
            all = all && rows[i * m + j] > at[j];
        if (all)
            return true;
    }
    return false;
}

/* The middle of unit cell `cell` of the grid from -1 up. */
static void middle(size_t cell, size_t m, double *at)
{
    for (size_t j = 0; j < m; j++) {
        at[j] = (double)(cell % (STEPS + 2)) - 0.5;
        cell /= STEPS + 2;
    }
}

static size_t cells(size_t m)
{
    return m == 2 ? (STEPS + 2) * (STEPS + 2)
                  : (STEPS + 2) * (STEPS + 2) * (STEPS + 2);
}

/* In how many boxes a place is. */
static int boxes_at(const struct volume *v, const double *at)
{
    int count = 0;

    for (size_t b = 0; b < v->n; b++) {
        bool within = true;

        for (size_t j = 0; j < v->m; j++)
            within = within && at[j] > v->edges[j][v->boxes[b].low[j]] &&
                     at[j] < v->edges[j][v->boxes[b].high[j]];
        count += within;
    }
    return count;
}

static const double reference[MOST] = {-1, -1, -1};

START_TEST(each_place_is_dominated_or_in_exactly_one_box)
{
    for (size_t m = 2; m <= MOST; m++) {
        double rows[ROWS * MOST], at[MOST];
        size_t n = (size_t)_i % ROWS;
        struct volume v;

        some_rows((uint64_t)_i, m, rows);
        volume_init(&v, rows, n, m, reference);
        for (size_t c = 0; c < cells(m); c++) {
            middle(c, m, at);
            ck_assert_int_eq(boxes_at(&v, at), !dominated(rows, n, m, at));
        }
        ck_assert_uint_le(v.n, m == 2 ? ROWS + 1 : 2 * ROWS + 1);
        volume_clear(&v);
    }
}
END_TEST

START_TEST(the_volume_is_that_of_the_cells_below)
{
    for (size_t m = 2; m <= MOST; m++) {
        double rows[ROWS * MOST], at[MOST], want = 0;

        some_rows((uint64_t)_i, m, rows);
        for (size_t c = 0; c < cells(m); c++) {
            middle(c, m, at);
            want += dominated(rows, ROWS, m, at);
        }
        ck_assert_double_eq_tol(volume_below(rows, ROWS, m, reference), want,
                                1e-9);
    }
}
END_TEST

START_TEST(rows_below_the_reference_count_for_nothing)
{
    double rows[] = {5, -2, 3, 4, -1, 7};

    ck_assert_double_eq_tol(volume_below(rows, 3, 2, reference), 20, 1e-12);
    ck_assert_double_eq_tol(volume_below(rows, 1, 2, reference), 0, 1e-12);
    ck_assert_double_eq_tol(volume_below(rows, 0, 3, reference), 0, 1e-12);
}
END_TEST

START_TEST(a_front_is_what_no_other_row_beats)
{
    for (size_t m = 1; m <= MOST; m++) {
        double rows[ROWS * MOST], all[ROWS * MOST];
        size_t places[ROWS], n = 0;

        some_rows((uint64_t)_i, m, rows);
        memcpy(all, rows, sizeof all);
        for (size_t i = 0; i < ROWS; i++)
            places[i] = i;
        n = volume_front(rows, ROWS, m, places);
        ck_assert_uint_gt(n, 0);
        for (size_t i = 0; i < ROWS; i++) {
            int beaten = 0, same = 0, kept = 0;

            for (size_t k = 0; k < ROWS; k++) {
                bool covers = true, equal = true;

                for (size_t j = 0; j < m; j++) {
                    covers = covers && all[k * m + j] >= all[i * m + j];
                    equal = equal && all[k * m + j] == all[i * m + j];
                }
                beaten += covers && !equal;
                same += equal && k < i;
            }
            for (size_t k = 0; k < n; k++)
                kept += places[k] == i;
            ck_assert_int_eq(kept, !beaten && !same);
        }
        for (size_t k = 0; k < n; k++)
            ck_assert_mem_eq(rows + k * m, all + places[k] * m,
                             m * sizeof *rows);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/volume");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    tcase_add_loop_test(c, each_place_is_dominated_or_in_exactly_one_box, 0,
                        48);
    tcase_add_loop_test(c, the_volume_is_that_of_the_cells_below, 0, 48);
    tcase_add_test(c, rows_below_the_reference_count_for_nothing);
    tcase_add_loop_test(c, a_front_is_what_no_other_row_beats, 0, 48);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
