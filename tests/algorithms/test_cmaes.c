/* CMA-ES: its sums find the bottom of known functions, and its generations
 * fill with trials that end in any order. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "algorithms/evolve.h"
#include "base/mem.h"
#include "tests/algorithms/driver.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

enum { AXES = 6, MOST_LAMBDA = 16 };

static double sphere(const double *x)
{
    double sum = 0;

    for (size_t i = 0; i < AXES; i++)
        sum += (x[i] - 0.4) * (x[i] - 0.4);
    return sum;
}

/* Ten thousand times steeper along the diagonal than across it. */
static double ridge(const double *x)
{
    double along = 0;

    for (size_t i = 0; i < AXES; i++)
        along += (x[i] - 0.4) / sqrt(AXES);
    return sphere(x) + 1e4 * along * along;
}

static double valley(const double *x)
{
    double sum = 0;

    for (size_t i = 0; i + 1 < AXES; i++) {
        double a = x[i] * 3, b = x[i + 1] * 3;

        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return sum;
}

/* Draws a generation and learns it. Returns its least value. */
static double generation(struct evolve *v, struct draw *chance,
                         double (*f)(const double *))
{
    double x[MOST_LAMBDA][AXES], z[AXES], values[MOST_LAMBDA] = {INFINITY};
    const double *rows[MOST_LAMBDA];

    for (size_t k = 0; k < v->lambda; k++) {
        size_t at = k;
        double value = 0;

        for (size_t i = 0; i < AXES; i++)
            z[i] = draw_normal(chance);
        evolve_draw(v, z, x[k]);
        value = f(x[k]);
        for (; at > 0 && values[at - 1] > value; at--) {
            values[at] = values[at - 1];
            rows[at] = rows[at - 1];
        }
        values[at] = value;
        rows[at] = x[k];
    }
    evolve_learn(v, rows);
    return values[0];
}

START_TEST(the_sums_find_the_bottom)
{
    static const struct {
        double (*f)(const double *);
        int evaluations;
    } table[] = {{sphere, 1600}, {ridge, 4500}, {valley, 6000}};
    double mean[AXES] = {0.1, 0.2, 0.1, 0.3, 0.2, 0.1}, best = INFINITY;
    struct evolve v;
    struct draw chance;

    evolve_init(&v, AXES, evolve_lambda(AXES), mean, 0.2);
    draw_init(&chance, 3, DRAW_SEARCH, 1);
    for (int n = 0; n < table[_i].evaluations; n += (int)v.lambda)
        best = fmin(best, generation(&v, &chance, table[_i].f));
    ck_assert_double_lt(best, 1e-9);
    evolve_clear(&v);
}
END_TEST

START_TEST(the_shape_of_the_slope_is_learned)
{
    double mean[AXES] = {0}, least = INFINITY, most = 0;
    struct evolve v;
    struct draw chance;

    evolve_init(&v, AXES, evolve_lambda(AXES), mean, 0.2);
    draw_init(&chance, 4, DRAW_SEARCH, 1);
    for (int k = 0; k < 250; k++)
        generation(&v, &chance, ridge);
    for (size_t i = 0; i < AXES; i++) {
        least = fmin(least, v.widths[i]);
        most = fmax(most, v.widths[i]);
    }
    /* sqrt(1e4) */
    ck_assert(most / least > 25 && most / least < 400);
    evolve_clear(&v);
}
END_TEST

START_TEST(a_far_result_moves_it_no_further_than_a_drawn_one)
{
    double mean[AXES] = {0}, far[AXES], length = 0;
    const double *rows[MOST_LAMBDA];
    struct evolve v;

    for (size_t i = 0; i < AXES; i++)
        far[i] = 1e6;
    evolve_init(&v, AXES, evolve_lambda(AXES), mean, 0.01);
    for (size_t k = 0; k < v.lambda; k++)
        rows[k] = far;
    evolve_learn(&v, rows);
    for (size_t i = 0; i < AXES; i++)
        length += v.mean[i] * v.mean[i];
    ck_assert_double_gt(sqrt(length), 0.01);
    ck_assert_double_lt(sqrt(length), 0.01 * 2 * sqrt(AXES));
    evolve_clear(&v);
}
END_TEST

START_TEST(margins_leave_a_cell_as_often_as_they_say)
{
    enum { DRAWS = 20000 };
    static const struct {
        double mean, low, high;
        bool first, last;
    } table[] = {{0.52, 0.5, 0.6, false, false},
                 {0.599, 0.5, 0.6, false, false},
                 {0.05, 0, 0.1, true, false},
                 {0.97, 0.9, 1, false, true}};
    const double alpha = 0.2;
    double mean[1], z = 0, x = 0, under = 0, over = 0;
    struct evolve v;
    struct draw chance;

    mean[0] = table[_i].mean;
    evolve_init(&v, 1, 4, mean, 1e-3); /* much too narrow to leave it */
    evolve_margin(&v, 0, table[_i].low, table[_i].high, table[_i].first,
                  table[_i].last, alpha);
    draw_init(&chance, 9, DRAW_SEARCH, 1);
    for (int k = 0; k < DRAWS; k++) {
        z = draw_normal(&chance);
        evolve_draw(&v, &z, &x);
        under += (x < table[_i].low) / (double)DRAWS;
        over += (x > table[_i].high) / (double)DRAWS;
    }
    if (table[_i].first || table[_i].last) {
        ck_assert_double_eq_tol(table[_i].first ? over : under, alpha, 0.02);
    } else {
        ck_assert_double_ge(under, alpha / 2 - 0.02);
        ck_assert_double_ge(over, alpha / 2 - 0.02);
        ck_assert_double_lt(under + over, 1 - alpha / 2 + 0.02);
    }
    evolve_clear(&v);
}
END_TEST

static double bowl(const struct point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        double x = p->values[i].real - 2.5 + 0.7 * (double)i;

        sum += x * x;
    }
    return sum;
}

START_TEST(it_finds_the_bottom_of_a_bowl)
{
    struct study s;
    double cma = 0, chance = 0;

    spaces_cube(&s, 4);
    cma = driver_mean("cma-es", &s, 150, bowl, log10);
    chance = driver_mean("random", &s, 150, bowl, log10);
    ck_assert_msg(cma < chance - 1, "%g against %g", cma, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(it_does_so_with_trials_that_end_in_any_order)
{
    enum { SEEDS = 6 };
    struct study s;
    double cma = 0, chance = 0;

    spaces_cube(&s, 4);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        cma += log10(driver_least("cma-es", &s, seed, 200, 12, bowl)) / SEEDS;
        chance +=
            log10(driver_least("random", &s, seed, 200, 12, bowl)) / SEEDS;
    }
    ck_assert_msg(cma < chance - 0.7, "%g against %g", cma, chance);
    spaces_clear(&s);
}
END_TEST

static double steps(const struct point *p)
{
    return fabs(p->values[0].real - 0.35) * 4 +
           fabs((double)p->values[1].whole - 6) / 4 +
           fabs((double)p->values[2].choice - 1);
}

START_TEST(steps_are_searched_as_well)
{
    struct study s;
    double cma = 0, chance = 0;

    spaces_stepped(&s);
    cma = driver_mean("cma-es", &s, 60, steps, fabs);
    chance = driver_mean("random", &s, 60, steps, fabs);
    ck_assert_msg(cma < 0.5 * chance, "%g against %g", cma, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(a_finite_space_ends_when_all_of_it_was_tried)
{
    struct driver d;
    struct study s;
    struct trial t;

    spaces_stepped(&s);
    driver_open(&d, "cma-es", &s);
    while (driver_ask(&d, &t))
        driver_tell(&d, &t, steps(&t.point));
    ck_assert_int_eq(d.n, 360);
    driver_close(&d);
    s.noisy = true; /* then points may repeat */
    driver_open(&d, "cma-es", &s);
    while (d.n < 380 && driver_ask(&d, &t))
        driver_tell(&d, &t, steps(&t.point));
    ck_assert_int_eq(d.n, 380);
    driver_close(&d);
    spaces_clear(&s);
}
END_TEST

START_TEST(when_a_trial_was_asked_for_does_not_matter)
{
    struct driver a, b;
    struct study s;
    struct trial first[20], x, y;

    /* a: 20 trials at once, told in another order; b: one at a time is told
     * the same */
    spaces_cube(&s, 3);
    driver_open(&a, "cma-es", &s);
    driver_open(&b, "cma-es", &s);
    for (int i = 0; i < 20; i++)
        ck_assert(driver_ask(&a, &first[i]));
    for (int i = 0; i < 20; i++) {
        struct trial t = first[(i * 7) % 20];

        t.state = TRIAL_SUCCEEDED;
        t.has_value = true;
        t.value = bowl(&t.point);
        b.type->tell(b.state, &t);
        driver_tell(&a, &t, t.value);
    }
    b.n = a.n;
    for (int i = 0; i < 3; i++) {
        ck_assert(driver_ask(&a, &x) && driver_ask(&b, &y));
        /* bit for bit: the union's integer */
        ck_assert_int_eq(x.point.values[0].whole, y.point.values[0].whole);
        ck_assert(point_same(&x.point, &y.point, &s.space));
    }
    driver_close(&a);
    driver_close(&b);
    spaces_clear(&s);
}
END_TEST

/* One result does not vary: the search begins anew, elsewhere, again and
 * again. */
START_TEST(it_begins_anew_where_nothing_changes)
{
    struct driver d;
    struct study s;
    struct trial t;
    double least = 5, most = -5;

    spaces_cube(&s, 2);
    driver_open(&d, "cma-es", &s);
    while (d.n < 3000) {
        ck_assert(driver_ask(&d, &t));
        if (d.n > 400) {
            least = fmin(least, t.point.values[0].real);
            most = fmax(most, t.point.values[0].real);
        }
        driver_tell(&d, &t, 42);
    }
    ck_assert_double_lt(least, -4);
    ck_assert_double_gt(most, 4);
    driver_close(&d);
    spaces_clear(&s);
}
END_TEST

/* Two bowls, the larger of which is not the deeper one. */
static double bowls(const struct point *p)
{
    double x = p->values[0].real, y = p->values[1].real;
    double wide = 1 + (x + 1) * (x + 1) + (y + 1) * (y + 1);
    double deep = 4 * ((x - 3.5) * (x - 3.5) + (y - 3.5) * (y - 3.5));

    return fmin(wide, deep);
}

START_TEST(a_restart_finds_what_the_first_search_missed)
{
    struct study s;
    int early = 0, found = 0;

    spaces_cube(&s, 2);
    for (uint64_t seed = 1; seed <= 6; seed++) { /* the wide one ends at 1 */
        early += driver_least("cma-es", &s, seed, 400, 1, bowls) < 0.9;
        found += driver_least("cma-es", &s, seed, 5000, 1, bowls) < 0.9;
    }
    ck_assert_msg(early <= 2 && found >= 5, "%d, then %d", early, found);
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
    static spaces_make_fn *const makes[] = {spaces_continuous, spaces_stepped,
                                            spaces_huge};

    for (size_t i = 0; i < sizeof makes / sizeof *makes; i++) {
        struct driver d;
        struct study s;
        struct trial t;

        makes[i](&s);
        driver_open(&d, "cma-es", &s);
        while (d.n < 200) {
            ck_assert(driver_ask(&d, &t));
            driver_tell(&d, &t, awkward(_i, d.n));
        }
        driver_close(&d);
        spaces_clear(&s);
    }
}
END_TEST

START_TEST(many_axes_have_variances_alone)
{
    struct study s;
    double cma = 0, chance = 0;

    spaces_cube(&s, 200);
    cma = driver_least("cma-es", &s, 1, 600, 1, bowl);
    chance = driver_least("random", &s, 1, 600, 1, bowl);
    ck_assert_msg(cma < chance, "%g against %g", cma, chance);
    spaces_clear(&s);
}
END_TEST

START_TEST(words_and_conditions_are_refused_with_a_way_out)
{
    static const struct {
        spaces_make_fn *make;
        const char *name;
    } table[] = {{spaces_words, "params.word: "},
                 {spaces_mixed, "params.optimizer: "},
                 {spaces_conditional, "params.optimizer: "}};
    const struct algorithm_type *cma = algorithms_find("cma-es");
    void *state = mem_new(1, cma->state_size);
    struct study s;
    struct err e;

    table[_i].make(&s);
    ck_assert_int_eq(cma->open(state, &s, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_msg(strncmp(e.text, table[_i].name, strlen(table[_i].name)) == 0,
                  "%s", e.text);
    ck_assert_ptr_nonnull(strstr(e.text, "tpe"));
    spaces_clear(&s);
    free(state);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/cmaes");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 120);
    tcase_add_loop_test(c, the_sums_find_the_bottom, 0, 3);
    tcase_add_test(c, the_shape_of_the_slope_is_learned);
    tcase_add_test(c, a_far_result_moves_it_no_further_than_a_drawn_one);
    tcase_add_loop_test(c, margins_leave_a_cell_as_often_as_they_say, 0, 4);
    tcase_add_test(c, it_finds_the_bottom_of_a_bowl);
    tcase_add_test(c, it_does_so_with_trials_that_end_in_any_order);
    tcase_add_test(c, steps_are_searched_as_well);
    tcase_add_test(c, a_finite_space_ends_when_all_of_it_was_tried);
    tcase_add_test(c, when_a_trial_was_asked_for_does_not_matter);
    tcase_add_test(c, it_begins_anew_where_nothing_changes);
    tcase_add_test(c, a_restart_finds_what_the_first_search_missed);
    tcase_add_loop_test(c, awkward_results_break_nothing, 0, 5);
    tcase_add_test(c, many_axes_have_variances_alone);
    tcase_add_loop_test(c, words_and_conditions_are_refused_with_a_way_out, 0,
                        3);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
