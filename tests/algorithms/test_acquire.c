/* Expected improvement is what an integral says, with true slopes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/acquire.h"

#include <math.h>

#include "algorithms/draw.h"
#include "tests/lib/suite.h"

enum {
    ROWS = 12,
    AXES = 3,
    NUMERIC = 2,
    RUNNING = 3,
    FANTASIES = 8,
    NORMALS = FANTASIES * RUNNING
};

static const struct gp_prior prior = {-0.4, -0.1, -7, 3, 1e-6};

/* A process of the first n of the same rows and results. */
static void example(struct gp *g, size_t n, bool labels)
{
    double x[ROWS * AXES], y[ROWS], ones[ROWS];
    struct draw d;

    draw_init(&d, 12, DRAW_RANDOM, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i * AXES;

        row[0] = draw_unit(&d);
        row[1] = draw_unit(&d);
        row[2] = (double)draw_below(&d, 2);
        y[i] = sin(6 * row[0]) - row[1] + row[2];
        if (labels)
            y[i] = (row[0] > 0.5) - 0.5;
        ones[i] = 1;
    }
    gp_init(g, n, AXES, NUMERIC, x, y, ones, &prior);
    if (labels)
        g->theta[AXES + 1] = log(0.05);
    ck_assert_int_eq(gp_factor(g), 0);
}

START_TEST(the_logarithm_is_right_over_its_whole_range)
{
    static const struct {
        double u, want; /* by integration with 60 digits */
    } rows[] = {{0, -0.918938533205},    {2, 0.697383545775},
                {-0.5, -1.620516264165}, {-1, -2.485121025713},
                {-5, -16.744301177075},  {-29.9, -454.722998133024},
                {-31, -488.290023411363}};
    double slope = 0, last = -INFINITY;

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        ck_assert_double_eq_tol(acquire_log_improvement(rows[i].u, &slope),
                                rows[i].want, rows[i].u < -30 ? 1e-4 : 1e-6);
    for (int i = -40 * 16; i < 8 * 16; i++) {
        double step = 1e-4, other = 0, u = i / 16.0;
        double value = acquire_log_improvement(u, &slope);
        double up = acquire_log_improvement(u + step, &other);
        double down = acquire_log_improvement(u - step, &other);

        ck_assert_double_gt(value, last);
        ck_assert_double_eq_tol(slope, (up - down) / (2 * step),
                                1e-3 * (1 + fabs(slope)));
        last = value;
    }
    ck_assert(isfinite(acquire_log_improvement(-1e100, &slope)));
}
END_TEST

/* Compares slopes with differences of values at a few rows. */
static void check_slopes(const struct acquire *a)
{
    struct draw d;

    draw_init(&d, 5, DRAW_RANDOM, 1);
    for (int i = 0; i < 6; i++) {
        double row[AXES] = {draw_unit(&d), draw_unit(&d), i % 2};
        double value = 0, slopes[NUMERIC], up = 0, down = 0;

        acquire_many(a, row, 1, &value, slopes);
        for (size_t j = 0; j < NUMERIC; j++) {
            double keep = row[j], step = 1e-6;

            row[j] = keep + step;
            acquire_many(a, row, 1, &up, NULL);
            row[j] = keep - step;
            acquire_many(a, row, 1, &down, NULL);
            row[j] = keep;
            ck_assert_double_eq_tol(slopes[j], (up - down) / (2 * step),
                                    1e-4 * (1 + fabs(slopes[j])));
        }
    }
}

START_TEST(slopes_are_those_of_the_values)
{
    struct gp g;
    struct acquire a;

    example(&g, ROWS, false);
    acquire_init(&a, &g, 1.5);
    check_slopes(&a);
    acquire_clear(&a);
    gp_clear(&g);
}
END_TEST

START_TEST(so_they_are_with_fantasies_and_failures)
{
    struct gp g, truth, labels;
    struct acquire a;
    double normals[NORMALS];
    struct draw d;

    draw_init(&d, 6, DRAW_FANTASY, 1);
    for (size_t i = 0; i < NORMALS; i++)
        normals[i] = draw_normal(&d);
    example(&g, ROWS, false);
    example(&truth, ROWS - RUNNING, false);
    example(&labels, ROWS, true);
    acquire_init(&a, &g, 1.5);
    acquire_fantasise(&a, &truth, ROWS - RUNNING, FANTASIES, normals);
    check_slopes(&a);
    a.feasible = &labels;
    a.share = 0.5;
    check_slopes(&a);
    acquire_clear(&a);
    gp_clear(&g);
    gp_clear(&truth);
    gp_clear(&labels);
}
END_TEST

START_TEST(a_batch_says_what_single_rows_say)
{
    enum { MANY = 300, FEATURES = MANY * AXES };
    static double rows[FEATURES], values[MANY];
    struct gp g;
    struct acquire a;
    struct draw d;

    draw_init(&d, 8, DRAW_RANDOM, 2);
    for (size_t i = 0; i < FEATURES; i++)
        rows[i] = i % AXES == 2 ? (double)draw_below(&d, 2) : draw_unit(&d);
    example(&g, ROWS, false);
    acquire_init(&a, &g, 1.5);
    acquire_many(&a, rows, MANY, values, NULL);
    for (size_t i = 0; i < MANY; i += 37) {
        double alone = 0;

        acquire_many(&a, rows + i * AXES, 1, &alone, NULL);
        ck_assert_double_eq_tol(alone, values[i], 1e-6 * (1 + fabs(alone)));
    }
    acquire_clear(&a);
    gp_clear(&g);
}
END_TEST

START_TEST(where_trials_fail_nothing_is_promised)
{
    struct gp g, labels;
    struct acquire a;
    double good = 0, bad = 0, good_then = 0, bad_then = 0;

    example(&g, ROWS, false);
    example(&labels, ROWS, true);
    acquire_init(&a, &g, 1.5);
    acquire_many(&a, (double[]){0.95, 0.5, 0}, 1, &good, NULL);
    acquire_many(&a, (double[]){0.05, 0.5, 0}, 1, &bad, NULL);
    a.feasible = &labels;
    a.share = 0.5;
    acquire_many(&a, (double[]){0.95, 0.5, 0}, 1, &good_then, NULL);
    acquire_many(&a, (double[]){0.05, 0.5, 0}, 1, &bad_then, NULL);
    ck_assert_double_lt(bad_then - bad, good_then - good - 1);
    acquire_clear(&a);
    gp_clear(&g);
    gp_clear(&labels);
}
END_TEST

SUITE("algorithms/acquire", the_logarithm_is_right_over_its_whole_range,
      slopes_are_those_of_the_values, so_they_are_with_fantasies_and_failures,
      a_batch_says_what_single_rows_say, where_trials_fail_nothing_is_promised)
