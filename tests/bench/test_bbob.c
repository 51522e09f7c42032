/* The functions that benchmarks search are the ones they were: figures taken
 * from them at different times may be compared. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/functions/bbob.h"

#include <check.h>
#include <math.h>
#include <string.h>

#include "algorithms/draw.h"
#include "tests/lib/suite.h"

enum { MOST_AXES = 5, SAMPLE = 200 };

/* Printed by this code when its values agreed with those of COCO's package to
 * 4e-12; they guard against change and prove nothing more. */
START_TEST(values_of_instance_1_are_what_they_were)
{
    static const double at[MOST_AXES] = {0.5, -1.25, 2, -3.5, 4.25};
    static const struct {
        int function;
        size_t d;
        double value;
    } rows[] = {
        {1, 2, 79.549794079999998},  {1, 5, 164.45177568},
        {3, 2, -318.75685494344594}, {3, 5, -237.28403489942426},
        {8, 2, 677.46834896367602},  {8, 5, 31076.974613190017},
        {10, 2, 500470.75780110952}, {10, 5, 4093331.3079038784},
        {15, 2, 1127.8118941260927}, {15, 5, 2846.7631718589473},
        {20, 2, 25474.556749361534}, {20, 5, 25370.648267658755},
        {24, 2, 116.0143709965233},  {24, 5, 233.1084418134518},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bbob b;
        double got = 0;

        bbob_init(&b, rows[i].function, rows[i].d, 1);
        got = bbob_value(&b, at);
        ck_assert_msg(fabs(got - rows[i].value) <= 1e-10 * fabs(rows[i].value),
                      "f%d in %zu: %.17g", rows[i].function, rows[i].d, got);
        bbob_clear(&b);
    }
}
END_TEST

static void is_above(const struct bbob *b, const double *x)
{
    double above = bbob_value(b, x) - b->fopt;

    ck_assert_msg(above > 0, "f%d in %zu: %g", b->function, b->d, above);
}

/* A little step inwards along each axis. */
static void near_by(const struct bbob *b)
{
    double x[MOST_AXES];

    for (size_t i = 0; i < b->d; i++) {
        memcpy(x, b->xopt, b->d * sizeof *x);
        x[i] -= copysign(0.01, x[i]);
        is_above(b, x);
    }
}

static void anywhere(const struct bbob *b)
{
    double x[MOST_AXES];
    struct draw chance;

    draw_init(&chance, (uint64_t)b->function, DRAW_RANDOM, b->d);
    for (int k = 0; k < SAMPLE; k++) {
        for (size_t i = 0; i < b->d; i++)
            x[i] = 10 * draw_unit(&chance) - 5;
        is_above(b, x);
    }
}

START_TEST(each_function_is_least_at_its_optimum)
{
    static const size_t dims[] = {2, 5};

    for (int k = 0; k < 2 * BBOB_FUNCTIONS; k++) {
        struct bbob b;

        bbob_init(&b, k / 2 + 1, dims[k % 2], 1);
        ck_assert_msg(fabs(bbob_value(&b, b.xopt) - b.fopt) < 1e-9,
                      "f%d in %zu", b.function, b.d);
        near_by(&b);
        anywhere(&b);
        bbob_clear(&b);
    }
}
END_TEST

START_TEST(another_instance_is_another_problem)
{
    struct bbob one, two;

    for (int f = 1; f <= BBOB_FUNCTIONS; f++) {
        bbob_init(&one, f, 2, 1);
        bbob_init(&two, f, 2, 2);
        ck_assert_msg(one.fopt != two.fopt, "f%d", f);
        bbob_clear(&one);
        bbob_clear(&two);
    }
}
END_TEST

SUITE("bench/bbob", values_of_instance_1_are_what_they_were,
      each_function_is_least_at_its_optimum,
      another_instance_is_another_problem)
