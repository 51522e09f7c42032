/* The front's expected growth is what drawing results says, with true
 * slopes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/expand.h"

#include <math.h>
#include <string.h>

#include "algorithms/draw.h"
#include "tests/lib/suite.h"

enum { ROWS = 12, AXES = 3, NUMERIC = 2, MOST = 3, DRAWS = 40000 };

static const struct gp_prior prior = {-1.2, -0.9, -7, 3, 1e-6};

/* Objectives that pull apart, and their front. */
struct example {
    struct gp gps[MOST];
    struct expand x;
    double front[(ROWS + 1) * MOST], reference[MOST];
    size_t m, n;
};

static double result(const double *row, size_t objective)
{
    double a = row[0] - 0.2 - 0.6 * (objective == 1);
    double b = row[1] - 0.7 * (objective == 2);

    return -a * a - b * b + 0.1 * row[2];
}

static void example_init(struct example *s, size_t m)
{
    double x[ROWS * AXES], y[ROWS], ones[ROWS];
    struct draw d;

    *s = (struct example){.m = m, .n = ROWS};
    draw_init(&d, 12, DRAW_RANDOM, 0);
    for (size_t i = 0; i < ROWS; i++) {
        x[i * AXES] = draw_unit(&d);
        x[i * AXES + 1] = draw_unit(&d);
        x[i * AXES + 2] = (double)draw_below(&d, 2);
        ones[i] = 1;
    }
    for (size_t j = 0; j < m; j++) {
        for (size_t i = 0; i < ROWS; i++) {
            y[i] = 3 * result(x + i * AXES, j);
            s->front[i * m + j] = y[i];
        }
        gp_init(&s->gps[j], ROWS, AXES, NUMERIC, x, y, ones, &prior);
        ck_assert_int_eq(gp_factor(&s->gps[j]), 0);
        s->x.gps[j] = &s->gps[j];
        s->reference[j] = -1.5;
    }
    s->n = volume_front(s->front, ROWS, m, NULL);
    volume_init(&s->x.volume, s->front, s->n, m, s->reference);
}

static void example_clear(struct example *s)
{
    for (size_t j = 0; j < s->m; j++)
        gp_clear(&s->gps[j]);
    volume_clear(&s->x.volume);
}

/* The mean growth of the volume over drawn results at a row; *error is its
 * standard error. */
static double drawn(const struct example *s, const double *row, double *error)
{
    double mean[MOST], deviation[MOST], rows[(ROWS + 1) * MOST];
    double base = volume_below(s->front, s->n, s->m, s->reference);
    double sum = 0, square = 0;
    struct draw d;

    for (size_t j = 0; j < s->m; j++) {
        struct gp_batch b;

        gp_batch_init(&b, &s->gps[j], 1);
        gp_batch_set(&b, row, 1);
        gp_expect(&s->gps[j], row, 1, &mean[j]);
        deviation[j] = sqrt(b.variance[0]);
        gp_batch_clear(&b);
    }
    draw_init(&d, 3, DRAW_RANDOM, 1);
    for (size_t k = 0; k < DRAWS; k++) {
        double growth = 0;

        memcpy(rows, s->front, s->n * s->m * sizeof *rows);
        for (size_t j = 0; j < s->m; j++)
            rows[s->n * s->m + j] = mean[j] + deviation[j] * draw_normal(&d);
        growth = volume_below(rows, s->n + 1, s->m, s->reference) - base;
        sum += growth;
        square += growth * growth;
    }
    sum /= DRAWS;
    *error = sqrt(fmax(square / DRAWS - sum * sum, 0) / DRAWS);
    return sum;
}

START_TEST(it_is_the_mean_growth_over_drawn_results)
{
    struct example s;
    struct draw d;
    int promising = 0;

    example_init(&s, (size_t)_i);
    draw_init(&d, 5, DRAW_RANDOM, 1);
    for (int i = 0; i < 12; i++) {
        double row[AXES] = {draw_unit(&d), draw_unit(&d), i % 2};
        double value = 0, error = 0, want = drawn(&s, row, &error);

        expand_many(&s.x, row, 1, &value, NULL);
        if (want <= 20 * error)
            continue; /* a few lucky draws */
        ck_assert_double_eq_tol(exp(value), want, 5 * error);
        promising++;
    }
    ck_assert_int_ge(promising, 6);
    example_clear(&s);
}
END_TEST

START_TEST(slopes_are_those_of_the_values)
{
    struct example s;
    struct draw d;

    example_init(&s, (size_t)_i);
    draw_init(&d, 6, DRAW_RANDOM, 1);
    for (int i = 0; i < 12; i++) {
        double row[AXES] = {draw_unit(&d), draw_unit(&d), i % 2};
        double value = 0, slopes[NUMERIC], up = 0, down = 0;

        expand_many(&s.x, row, 1, &value, slopes);
        for (size_t j = 0; j < NUMERIC; j++) {
            double keep = row[j], step = 1e-6;

            row[j] = keep + step;
            expand_many(&s.x, row, 1, &up, NULL);
            row[j] = keep - step;
            expand_many(&s.x, row, 1, &down, NULL);
            row[j] = keep;
            ck_assert_double_eq_tol(slopes[j], (up - down) / (2 * step),
                                    1e-4 * (1 + fabs(slopes[j])));
        }
    }
    example_clear(&s);
}
END_TEST

START_TEST(where_nothing_can_be_gained_it_is_small_but_a_number)
{
    struct example s;
    double best[MOST] = {1e6, 1e6, 1e6}, row[AXES] = {0.5, 0.5, 0};
    double value = 0, slopes[NUMERIC];

    example_init(&s, (size_t)_i);
    volume_clear(&s.x.volume);
    volume_init(&s.x.volume, best, 1, s.m, s.reference);
    expand_many(&s.x, row, 1, &value, slopes);
    ck_assert(isfinite(value) && isfinite(slopes[0]) && isfinite(slopes[1]));
    ck_assert_double_lt(value, -1e6);
    example_clear(&s);
}
END_TEST

START_TEST(a_batch_says_what_single_rows_say)
{
    enum { MANY = 300, FEATURES = MANY * AXES, SLOPES = MANY * NUMERIC };
    static double rows[FEATURES], values[MANY], slopes[SLOPES];
    struct example s;
    struct draw d;

    example_init(&s, (size_t)_i);
    draw_init(&d, 8, DRAW_RANDOM, 2);
    for (size_t i = 0; i < FEATURES; i++)
        rows[i] = i % AXES == 2 ? (double)draw_below(&d, 2) : draw_unit(&d);
    expand_many(&s.x, rows, MANY, values, slopes);
    for (size_t i = 0; i < MANY; i += 37) {
        double alone = 0, slope[NUMERIC];

        expand_many(&s.x, rows + i * AXES, 1, &alone, slope);
        ck_assert_double_eq_tol(alone, values[i], 1e-6 * (1 + fabs(alone)));
        for (size_t j = 0; j < NUMERIC; j++)
            ck_assert_double_eq_tol(slope[j], slopes[i * NUMERIC + j],
                                    1e-4 * (1 + fabs(slope[j])));
    }
    example_clear(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/expand");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, it_is_the_mean_growth_over_drawn_results, 2, 4);
    tcase_add_loop_test(c, slopes_are_those_of_the_values, 2, 4);
    tcase_add_loop_test(c, where_nothing_can_be_gained_it_is_small_but_a_number,
                        2, 4);
    tcase_add_loop_test(c, a_batch_says_what_single_rows_say, 2, 4);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
