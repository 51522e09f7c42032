/* The minimiser finds minima, within bounds. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/lbfgs.h"

#include <math.h>

#include "tests/lib/suite.h"

/* Rosenbrock's valley, whose minimum is at 1, 1. */
static double valley(const double *x, double *g)
{
    double a = x[1] - x[0] * x[0];

    g[0] = -400 * a * x[0] - 2 * (1 - x[0]);
    g[1] = 200 * a;
    return 100 * a * a + (1 - x[0]) * (1 - x[0]);
}

static void run(struct lbfgs *l, double (*f)(const double *, double *))
{
    const double *x = NULL;
    double g[2];

    while ((x = lbfgs_next(l))) {
        double value = f(x, g);

        for (size_t i = 0; i < l->n; i++)
            ck_assert(x[i] >= l->low[i] && x[i] <= l->high[i]);
        lbfgs_give(l, value, g);
    }
}

START_TEST(a_curved_valley_is_walked_to_its_end)
{
    static const double start[] = {-1.2, 1}, low[] = {-5, -5}, high[] = {5, 5};
    struct lbfgs l;

    lbfgs_init(&l, 2, start, low, high, 200, 1e-8);
    run(&l, valley);
    ck_assert_double_eq_tol(l.x[0], 1, 1e-4);
    ck_assert_double_eq_tol(l.x[1], 1, 1e-4);
    ck_assert_int_lt(l.evaluations, 120);
    lbfgs_clear(&l);
}
END_TEST

START_TEST(a_bound_holds_the_minimum)
{
    static const double start[] = {-3, 3}, low[] = {-5, -5}, high[] = {0.5, 5};
    struct lbfgs l;

    lbfgs_init(&l, 2, start, low, high, 200, 1e-8);
    run(&l, valley);
    ck_assert_double_eq_tol(l.x[0], 0.5, 1e-9);
    ck_assert_double_eq_tol(l.x[1], 0.25, 1e-5);
    lbfgs_clear(&l);
}
END_TEST

START_TEST(a_coordinate_without_room_stays)
{
    static const double start[] = {2, -4}, low[] = {2, -5}, high[] = {2, 5};
    struct lbfgs l;

    lbfgs_init(&l, 2, start, low, high, 100, 1e-8);
    run(&l, valley);
    ck_assert(l.x[0] == 2);
    ck_assert_double_eq_tol(l.x[1], 4, 1e-5);
    lbfgs_clear(&l);
}
END_TEST

/* Infinite left of zero, where the parabola's minimum would be. */
static double cliff(const double *x, double *g)
{
    g[0] = 2 * (x[0] + 1);
    return x[0] < 0 ? INFINITY : (x[0] + 1) * (x[0] + 1);
}

START_TEST(an_infinite_value_means_too_far)
{
    static const double start[] = {4}, low[] = {-5}, high[] = {5};
    struct lbfgs l;

    lbfgs_init(&l, 1, start, low, high, 100, 1e-8);
    run(&l, cliff);
    ck_assert(l.x[0] >= 0 && l.x[0] < 0.5);
    lbfgs_clear(&l);
}
END_TEST

static double nothing(const double *x, double *g)
{
    (void)x;
    g[0] = NAN;
    return NAN;
}

START_TEST(a_function_without_values_ends_at_once)
{
    static const double start[] = {4}, low[] = {-5}, high[] = {5};
    struct lbfgs l;

    lbfgs_init(&l, 1, start, low, high, 100, 1e-8);
    run(&l, nothing);
    ck_assert_int_eq(l.evaluations, 1);
    ck_assert(isinf(l.f));
    lbfgs_clear(&l);
}
END_TEST

SUITE("algorithms/lbfgs", a_curved_valley_is_walked_to_its_end,
      a_bound_holds_the_minimum, a_coordinate_without_room_stays,
      an_infinite_value_means_too_far, a_function_without_values_ends_at_once)
