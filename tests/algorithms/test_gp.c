/* The process's slopes are those of its values, and it learns. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/gp.h"

#include <math.h>

#include "algorithms/draw.h"
#include "algorithms/matern.h"
#include "tests/lib/suite.h"

enum { ROWS = 14, AXES = 4, NUMERIC = 3 };

static const struct gp_prior prior = {-0.4, -0.1, -7, 3, 1e-6};

/* Three numeric axes and one of words, of which -1 is none. */
static void example(struct gp *g)
{
    double x[ROWS * AXES], y[ROWS], noisier[ROWS];
    struct draw d;

    draw_init(&d, 11, DRAW_RANDOM, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = x + i * AXES;

        for (size_t j = 0; j < NUMERIC; j++)
            row[j] = draw_unit(&d);
        row[3] = (double)draw_below(&d, 4) - 1;
        y[i] = sin(5 * row[0]) + row[1] * row[1] + 0.3 * row[3];
        noisier[i] = i == 3 ? 4 : 1;
    }
    gp_init(g, ROWS, AXES, NUMERIC, x, y, noisier, &prior);
}

START_TEST(the_kernel_is_matern)
{
    double r2[500], k[500], c[500];

    for (int i = 0; i < 500; i++)
        r2[i] = 1e-9 * exp(i * 0.1);
    matern_fill(r2, 500, 2, k, c);
    for (int i = 0; i < 500; i++) {
        double a = sqrt(5 * r2[i]);
        double want = 2 * (1 + a + a * a / 3) * exp(-a);

        ck_assert_double_eq_tol(k[i], want, 1e-14);
        ck_assert_double_eq_tol(c[i], 10.0 / 3 * (1 + a) * exp(-a), 1e-14);
    }
}
END_TEST

START_TEST(the_objectives_slopes_are_true)
{
    struct gp g;
    double gradient[AXES + 2], other[AXES + 2], theta[AXES + 2];

    example(&g);
    for (int trial = 0; trial < 4; trial++) {
        if (trial == 3)
            gp_doubt(&g, (double[]){0.5, 0, 0.2}, 3);
        for (size_t j = 0; j < AXES + 2; j++)
            theta[j] = -0.5 + 0.3 * trial + 0.1 * (double)j;
        theta[AXES + 1] = -3 - trial;
        gp_objective(&g, theta, gradient);
        for (size_t j = 0; j < AXES + 2; j++) {
            double step = 1e-5, up = 0, down = 0, keep = theta[j];

            theta[j] = keep + step;
            up = gp_objective(&g, theta, other);
            theta[j] = keep - step;
            down = gp_objective(&g, theta, other);
            theta[j] = keep;
            ck_assert_double_eq_tol(gradient[j], (up - down) / (2 * step),
                                    1e-6 * (1 + fabs(gradient[j])));
        }
    }
    gp_clear(&g);
}
END_TEST

START_TEST(a_fit_is_better_than_where_it_began)
{
    struct gp g;
    double start[AXES + 2], gradient[AXES + 2];

    example(&g);
    gp_middle(&g.prior, g.d, g.n_numeric, start);
    gp_fit(&g, start, 1, 60);
    ck_assert_double_lt(gp_objective(&g, g.theta, gradient),
                        gp_objective(&g, start, gradient) - 1);
    gp_clear(&g);
}
END_TEST

START_TEST(known_rows_are_remembered_and_far_ones_are_not)
{
    struct gp g;
    struct gp_batch b;

    example(&g);
    g.theta[AXES + 1] = log(1e-6);
    ck_assert_int_eq(gp_factor(&g), 0);
    gp_batch_init(&b, &g, ROWS);
    gp_batch_set(&b, g.x, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double mean = 0;

        for (size_t k = 0; k < ROWS; k++)
            mean += b.k[i * ROWS + k] * g.weights[k];
        ck_assert_double_eq_tol(mean, g.y[i], 1e-3);
        ck_assert_double_lt(b.variance[i], 1e-4);
    }
    gp_batch_set(&b, (double[]){40, 40, 40, 2}, 1);
    ck_assert_double_eq_tol(b.variance[0], g.variance, 1e-6);
    gp_batch_clear(&b);
    gp_clear(&g);
}
END_TEST

START_TEST(means_at_known_rows_need_no_batch)
{
    struct gp g;
    struct gp_batch b;
    double means[ROWS], moved = 0;

    example(&g);
    g.theta[AXES + 1] = log(0.05);
    ck_assert_int_eq(gp_factor(&g), 0);
    gp_known(&g, means);
    gp_batch_init(&b, &g, ROWS);
    gp_batch_set(&b, g.x, ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        double mean = 0;

        for (size_t k = 0; k < ROWS; k++)
            mean += b.k[i * ROWS + k] * g.weights[k];
        ck_assert_double_eq_tol(means[i], mean, 1e-10);
        moved = fmax(moved, fabs(mean - g.y[i]));
    }
    ck_assert_double_gt(moved, 0.01); /* or there was no noise to see through */
    gp_batch_clear(&b);
    gp_clear(&g);
}
END_TEST

START_TEST(many_equal_rows_still_factorise)
{
    double x[50], y[50], ones[50];
    struct gp g;

    for (size_t i = 0; i < 50; i++) {
        x[i] = 0.25;
        y[i] = i % 2 ? 1 : -1;
        ones[i] = 1;
    }
    gp_init(&g, 50, 1, 1, x, y, ones, &prior);
    gp_fit(&g, g.theta, 1, 40);
    ck_assert_int_eq(gp_factor(&g), 0);
    ck_assert_double_gt(g.noise, 0.3); /* what else could it be */
    gp_clear(&g);
}
END_TEST

SUITE("algorithms/gp", the_kernel_is_matern, the_objectives_slopes_are_true,
      a_fit_is_better_than_where_it_began,
      known_rows_are_remembered_and_far_ones_are_not,
      means_at_known_rows_need_no_batch, many_equal_rows_still_factorise)
