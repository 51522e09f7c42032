/* TPE: its estimators are densities, and it finds what is good. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "algorithms/algorithms.h"
#include "algorithms/parzen.h"
#include "base/mem.h"
#include "tests/algorithms/driver.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

static double same(double x)
{
    return x;
}

static double bowl(const struct point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        double x = p->values[i].real - 2.5 + 0.7 * (double)i;

        sum += x * x;
    }
    return sum;
}

/* Each of 20 words costs something, the 14th nothing, and the number must be
 * near 0.3. */
static double words(const struct point *p)
{
    double x = p->values[1].real - 0.3;

    return (double)((p->values[0].choice * 7 + 9) % 20) / 20 + 10 * x * x;
}

/* Good only with the second optimizer, the first schedule and a period near
 * 33. */
static double branch(const struct point *p)
{
    double sum = fabs(log10(p->values[3].real) + 2);

    if (p->values[0].choice != 1)
        return sum + 3;
    sum += fabs(p->values[1].real - 0.9) * 2;
    if (p->values[2].choice != 0)
        return sum + 2;
    return sum + fabs((double)p->values[4].whole - 33) / 25;
}

static void axes_of(struct parzen_axes *axes, const struct encode *e)
{
    *axes = (struct parzen_axes){e, mem_new(e->n, sizeof *axes->at), e->n};
    for (size_t j = 0; j < e->n; j++)
        axes->at[j] = j;
}

START_TEST(an_estimator_is_a_density)
{
    static const double first[] = {0.9, 2}, second[] = {0.93, 7};
    static const double third[] = {0.02, 2};
    const double *rows[] = {first, second, third};
    const double weights[] = {1, 0.5, 0.25};
    enum { STEPS = 2000 };
    struct parzen_axes axes;
    struct encode e;
    struct parzen p;
    struct study s;
    double room[4], sum = 0, at_two = 0;

    spaces_words(&s); /* a word of 1,000, and a double */
    encode_init(&e, &s.space);
    axes_of(&axes, &e);
    for (size_t n = 0; n <= 3; n++) {
        sum = at_two = 0;
        parzen_init(&p, &axes, rows, weights, n);
        for (int w = 0; w < 10; w++)
            for (int i = 0; i < STEPS; i++) {
                double row[] = {(i + 0.5) / STEPS, w == 9 ? 999 : w};
                double share = exp(parzen_log(&p, row, room)) / STEPS;

                sum += w == 9 ? 991 * share : share; /* 8 .. 999 are alike */
                at_two += w == 2 ? share : 0;
            }
        ck_assert_double_eq_tol(sum, 1, 1e-4);
        parzen_clear(&p);
    }
    ck_assert_double_gt(at_two, 1.4 / 1000);
    free(axes.at);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(draws_follow_the_density)
{
    static const double first[] = {0.1, 0.8, 0.5}, second[] = {0.15, 0.7, 0.5};
    const double *rows[] = {first, second};
    const double weights[] = {1, 1};
    enum { DRAWS = 4000, PARTS = 10 };
    struct parzen_axes axes;
    struct encode e;
    struct parzen p;
    struct study s;
    struct draw chance;
    double room[3], drawn[PARTS] = {0}, row[3] = {0};

    spaces_cube(&s, 3);
    encode_init(&e, &s.space);
    axes_of(&axes, &e);
    axes.n = 1;
    parzen_init(&p, &axes, rows, weights, 2);
    draw_init(&chance, 5, DRAW_SEARCH, 1);
    for (int i = 0; i < DRAWS; i++) {
        parzen_draw(&p, &chance, row);
        ck_assert(row[0] >= 0 && row[0] <= 1 && row[1] == 0);
        drawn[(int)fmin(PARTS - 1, row[0] * PARTS)] += 1.0 / DRAWS;
    }
    for (int k = 0; k < PARTS; k++) {
        double expected = 0;

        for (int i = 0; i < 100; i++) {
            row[0] = (k + (i + 0.5) / 100) / PARTS;
            expected += exp(parzen_log(&p, row, room)) / 100 / PARTS;
        }
        ck_assert_double_eq_tol(drawn[k], expected, 0.03);
    }
    parzen_clear(&p);
    free(axes.at);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(it_finds_the_bottom_of_a_bowl)
{
    struct study s;
    double tpe = 0, chance = 0;

    spaces_cube(&s, 4);
    tpe = driver_mean("tpe", &s, 80, bowl, log10);
    chance = driver_mean("random", &s, 80, bowl, log10);
    ck_assert_msg(tpe < chance - 0.7, "%g against %g", tpe, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(it_learns_which_words_are_good)
{
    struct study s;
    double tpe = 0, chance = 0;

    spaces_words(&s);
    for (size_t i = 20; i < 1000; i++) /* a list of 20 */
        free(s.space.params[0].words[i]);
    s.space.params[0].n_values = 20;
    tpe = driver_mean("tpe", &s, 120, words, same);
    chance = driver_mean("random", &s, 120, words, same);
    ck_assert_msg(tpe < chance / 10, "%g against %g", tpe, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(it_learns_in_the_branch_that_is_good)
{
    struct study s;
    double tpe = 0, chance = 0;

    spaces_conditional(&s);
    tpe = driver_mean("tpe", &s, 80, branch, same);
    chance = driver_mean("random", &s, 80, branch, same);
    ck_assert_msg(tpe < 0.5 * chance, "%g against %g", tpe, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(a_finite_space_ends_when_all_of_it_was_tried)
{
    struct driver w;
    struct study s;
    struct trial t;

    spaces_stepped(&s);
    driver_open(&w, "tpe", &s);
    while (driver_ask(&w, &t))
        driver_tell(&w, &t, (double)(w.n % 17));
    ck_assert_int_eq(w.n, 360); /* points lie in the space and never repeat */
    driver_close(&w);
    s.noisy = true; /* then they may */
    driver_open(&w, "tpe", &s);
    while (w.n < 380 && driver_ask(&w, &t))
        driver_tell(&w, &t, (double)(w.n % 17));
    ck_assert_int_eq(w.n, 380);
    driver_close(&w);
    spaces_clear(&s);
}
END_TEST

static double awkward(int kind, int64_t k)
{
    switch (kind) {
    case 0:
        return 42;
    case 1:
        return k % 2 ? 1e308 : -1e308;
    case 2:
        return k == 4 ? 1e-300 : 0;
    case 3:
        return (double)NAN; /* infeasible */
    default:
        return k % 2 ? (double)NAN : (double)(k % 5) * 1e300;
    }
}

START_TEST(awkward_results_break_nothing)
{
    static spaces_make_fn *const makes[] = {spaces_mixed, spaces_conditional,
                                            spaces_huge, spaces_words};

    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
        struct driver w;
        struct study s;
        struct trial t;

        makes[i](&s);
        driver_open(&w, "tpe", &s);
        while (w.n < 40) {
            ck_assert(driver_ask(&w, &t));
            driver_tell(&w, &t, awkward(_i, w.n));
        }
        driver_close(&w);
        spaces_clear(&s);
    }
}
END_TEST

START_TEST(it_keeps_away_from_what_fails)
{
    struct study s;
    struct driver w;
    struct trial t;
    int failed = 0;

    spaces_cube(&s, 2);
    driver_open(&w, "tpe", &s);
    while (w.n < 100) {
        double x = 0;

        ck_assert(driver_ask(&w, &t));
        x = t.point.values[0].real;
        failed += w.n > 40 && x < 0;
        /* best where it fails; flat otherwise */
        driver_tell(&w, &t, x < 0 ? (double)NAN : fabs(t.point.values[1].real));
    }
    ck_assert_int_lt(failed, 20); /* of 60; half of the space fails */
    driver_close(&w);
    spaces_clear(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/tpe");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 120);
    tcase_add_test(c, an_estimator_is_a_density);
    tcase_add_test(c, draws_follow_the_density);
    tcase_add_test(c, it_finds_the_bottom_of_a_bowl);
    tcase_add_test(c, it_learns_which_words_are_good);
    tcase_add_test(c, it_learns_in_the_branch_that_is_good);
    tcase_add_test(c, a_finite_space_ends_when_all_of_it_was_tried);
    tcase_add_loop_test(c, awkward_results_break_nothing, 0, 5);
    tcase_add_test(c, it_keeps_away_from_what_fails);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
