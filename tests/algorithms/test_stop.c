/* What every stopping rule promises (algorithms/stop.h), each rule by hand, and
 * that stopping pays. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/stop.h"

#include <math.h>
#include <stdlib.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

enum { N_RULES = 2 };

static bool hopeless(const struct stop_book *b, const struct stop_type *type,
                     int64_t number)
{
    struct stop_rule rule = {.type = type};

    return stop_hopeless(&rule, b, number);
}

/* A trial of n steps from 1, each with that value. */
static void add_flat(struct stop_book *b, int64_t number, int n, double value)
{
    for (int i = 0; i < n; i++)
        stop_measure(b, number, i, i + 1, value);
}

/* The same, ended well. */
static void add_ended(struct stop_book *b, int64_t number, int n, double value)
{
    add_flat(b, number, n, value);
    stop_end(b, number, TRIAL_SUCCEEDED, &value);
}

static double random_value(int64_t number, int step)
{
    struct draw d;

    draw_init(&d, 5, DRAW_RANDOM, (uint64_t)(number * 1000 + step));
    return draw_unit(&d) + (double)(number * 7 % 11) / 5;
}

START_TEST(rules_are_found_by_name)
{
    for (size_t i = 0; i < N_RULES; i++)
        ck_assert_ptr_eq(stop_find(stops[i]->name), stops[i]);
    for (size_t i = 0; study_stops[i]; i++) /* what a study may write */
        ck_assert_int_eq(stop_find(study_stops[i]) != NULL, i > 0);
    ck_assert_ptr_null(stops[N_RULES]);
    ck_assert_ptr_null(stop_find(""));
}
END_TEST

START_TEST(without_a_rule_nothing_is_stopped)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int k = 1; k <= 9; k++)
        add_ended(&b, k, 9, 1);
    add_flat(&b, 10, 9, -1);
    ck_assert(!hopeless(&b, NULL, 10));
    ck_assert(!hopeless(&b, &stop_median, 11)); /* nobody knows of it */
    stop_clear(&b);
}
END_TEST

START_TEST(the_only_trial_is_never_stopped)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int i = 0; i < 600; i++) {
        stop_measure(&b, 1, i, i, -i);
        ck_assert(!hopeless(&b, stops[_i], 1));
    }
    stop_clear(&b);
}
END_TEST

START_TEST(what_is_no_number_stops_nothing)
{
    struct stop_book b;

    stop_init(&b, false, false);
    for (int k = 1; k <= 9; k++)
        add_ended(&b, k, 9, 1);
    for (int i = 0; i < 9; i++) {
        ck_assert(!stop_measure(&b, 10, i, i + 1, i % 2 ? NAN : INFINITY));
        ck_assert(!hopeless(&b, stops[_i], 10));
    }
    /* between others it is passed over */
    stop_measure(&b, 10, 9, 10, 0.5);
    ck_assert(!hopeless(&b, stops[_i], 10));
    stop_clear(&b);
}
END_TEST

START_TEST(a_trial_that_is_the_best_everywhere_is_never_stopped)
{
    bool maximize = _i % 2;
    const struct stop_type *rule = stops[_i / 2];
    struct stop_book b;

    stop_init(&b, maximize, false);
    for (int k = 1; k <= 30; k++)
        for (int i = 0; i < 27; i++) {
            double value = k == 17 ? 4 : random_value(k, i);

            stop_measure(&b, k, i, i + 1, maximize ? value : -value);
            ck_assert(k != 17 || !hopeless(&b, rule, k));
            if (hopeless(&b, rule, k) || i == 26) {
                stop_end(&b, k, i == 26 ? TRIAL_SUCCEEDED : TRIAL_STOPPED,
                         &value);
                break;
            }
        }
    stop_clear(&b);
}
END_TEST

/* Whether the rule would stop any of them, one letter each. */
static void verdicts(const struct stop_book *b, const struct stop_type *rule,
                     int n, char *out)
{
    for (int k = 1; k <= n; k++)
        out[k - 1] = hopeless(b, rule, k) ? 's' : '.';
    out[n] = '\0';
}

/* All of what random trials measured, step by step or trial by trial; `every`
 * leaves out what a store would have thinned out. */
static void tell_all(struct stop_book *b, int length, bool by_trial, int every,
                     int replicas)
{
    int n = 20;

    for (int i = 0; i < length * n; i++) {
        int k = by_trial ? i / length + 1 : i % n + 1;
        int step = by_trial ? i % length : i / n;

        if (step % every == 0)
            stop_measure(b, k, step, step / replicas * 10,
                         random_value(k, step));
    }
    for (int k = 1; k <= 8; k++) {
        double value = random_value(k, length - 1);

        stop_end(b, k, k % 3 ? TRIAL_SUCCEEDED : TRIAL_STOPPED, &value);
    }
}

START_TEST(told_again_it_says_the_same)
{
    static const int lengths[] = {7, 255, 256, 257, 1500};
    char first[21], again[21];

    for (size_t i = 0; i < 2 * sizeof lengths / sizeof *lengths; i++) {
        int length = lengths[i / 2], replicas = i % 2 ? 3 : 1;
        struct stop_book a, b;
        double x = 0, y = 0, s = 0, t = 0;

        stop_init(&a, true, false);
        stop_init(&b, true, false);
        tell_all(&a, length, false, 1, replicas);
        tell_all(&b, length, true, length > 512 ? 2 : 1, replicas);
        verdicts(&a, stops[_i], 20, first);
        verdicts(&b, stops[_i], 20, again);
        ck_assert_str_eq(first, again);
        for (int k = 9; k <= 20; k++) {
            ck_assert(stop_foresee(&a, k, &x, &s));
            ck_assert(stop_foresee(&b, k, &y, &t));
            ck_assert(x == y);
            ck_assert(s == t);
        }
        stop_clear(&a);
        stop_clear(&b);
    }
}
END_TEST

/* The sum of three times 0.1, by three, is more than 0.1. */
START_TEST(equal_is_not_worse_by_rounding)
{
    static const double values[] = {0.1, -0.1, 0.7, 1e308, -1e308};

    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
        struct stop_book b;

        stop_init(&b, v % 2 == 0, false);
        for (int k = 1; k <= 6; k++)
            add_ended(&b, k, 30, values[v]);
        for (int i = 0; i < 30; i++) {
            stop_measure(&b, 7, i, i + 1, values[v]);
            ck_assert(!hopeless(&b, stops[_i], 7));
        }
        stop_clear(&b);
    }
}
END_TEST

START_TEST(places_may_be_as_far_away_as_numbers_go)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int k = 1; k <= 6; k++) {
        for (int i = 0; i < 9; i++)
            stop_measure(&b, k, i, i % 4 == 3 ? INT64_MIN : INT64_MAX, k);
        ck_assert(!hopeless(&b, stops[_i], k));
        for (size_t i = 1; i < b.curves[k - 1].n; i++)
            ck_assert_int_ge(b.curves[k - 1].points[i].at,
                             b.curves[k - 1].points[i - 1].at);
        stop_end(&b, k, TRIAL_SUCCEEDED, NULL);
    }
    stop_measure(&b, 7, 0, INT64_MAX, 0);
    ck_assert(hopeless(&b, stops[_i], 7));
    stop_clear(&b);
}
END_TEST

START_TEST(a_curve_costs_no_more_than_its_points)
{
    struct stop_book b;
    int64_t kept = 0;

    stop_init(&b, true, false);
    for (int64_t i = 0; i < 100000; i++)
        kept += stop_measure(&b, 1, i, i, 1);
    ck_assert_uint_le(b.curves[0].n, STOP_POINTS);
    ck_assert_uint_ge(b.curves[0].n, STOP_POINTS / 2);
    ck_assert_int_lt(kept, 12 * STOP_POINTS);
    stop_clear(&b);
}
END_TEST

START_TEST(a_measurement_counts_once)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int i = 0; i < 3; i++) {
        ck_assert(stop_measure(&b, 1, i, 7, i));
        ck_assert(stop_measure(&b, 1, i, 7, i));
    }
    ck_assert(!stop_measure(&b, 1, 1, 7, 1));
    ck_assert_uint_eq(b.curves[0].n, 3);
    ck_assert_int_eq(b.curves[0].points[2].index, 2);
    stop_clear(&b);
}
END_TEST

START_TEST(old_ended_trials_are_forgotten)
{
    struct stop_book b;

    stop_init(&b, true, false);
    add_flat(&b, 1, 1, 1); /* it still runs */
    for (int k = 2; k <= STOP_ENDED + 10; k++)
        add_ended(&b, k, 1, 1);
    ck_assert_uint_eq(b.n, STOP_ENDED + 1);
    ck_assert_int_eq(b.curves[0].number, 1);
    ck_assert_int_eq(b.curves[1].number, 11);
    stop_clear(&b);
}
END_TEST

START_TEST(another_attempt_begins_anew)
{
    struct stop_book b;

    stop_init(&b, false, false);
    for (int k = 1; k <= 5; k++)
        add_ended(&b, k, 9, 1);
    add_flat(&b, 6, 9, 2);
    ck_assert(hopeless(&b, &stop_median, 6));
    stop_begin(&b, 6);
    ck_assert(!hopeless(&b, &stop_median, 6));
    add_flat(&b, 6, 3, 0.5);
    ck_assert(!hopeless(&b, &stop_median, 6));
    stop_clear(&b);
}
END_TEST

START_TEST(trainers_that_tell_no_step_are_counted)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int k = 1; k <= 5; k++) {
        double value = 10;

        for (int i = 0; i <= 10; i++)
            stop_measure(&b, k, i, 0, i);
        stop_end(&b, k, TRIAL_SUCCEEDED, &value);
    }
    /* at its first measurement a trial is compared with first ones */
    stop_measure(&b, 6, 0, 0, 0.25);
    ck_assert(!hopeless(&b, &stop_median, 6));
    stop_measure(&b, 6, 1, 0, 0.25);
    ck_assert(hopeless(&b, &stop_median, 6));
    stop_clear(&b);
}
END_TEST

/* Of several replicas each may report, and what begins anew repeats steps. */
START_TEST(a_step_that_comes_again_stays_where_it_is)
{
    static const int64_t steps[] = {1, 1, 2, 2, 3, 1, 2, 4};
    static const int64_t places[] = {1, 1, 2, 2, 3, 3, 3, 4};
    struct stop_rule rule = {.type = stops[_i], .after = 3};
    struct stop_book b;

    stop_init(&b, true, false);
    for (int k = 1; k <= 6; k++)
        add_ended(&b, k, 9, 1);
    for (int i = 0; i < 8; i++) {
        stop_measure(&b, 7, i, steps[i], -1);
        ck_assert_int_eq(b.curves[6].points[i].at, places[i]);
        if (places[i] < 3)
            ck_assert(!stop_hopeless(&rule, &b, 7));
        if (i == 4)
            ck_assert(stop_hopeless(&rule, &b, 7));
    }
    ck_assert_ptr_eq(stop_from(&b.curves[6], 2), &b.curves[6].points[2]);
    ck_assert_ptr_eq(stop_until(&b.curves[6], 2), &b.curves[6].points[3]);
    ck_assert_ptr_eq(stop_until(&b.curves[6], 9), &b.curves[6].points[7]);
    ck_assert_ptr_null(stop_until(&b.curves[6], 0));
    ck_assert_ptr_null(stop_from(&b.curves[6], 5));
    for (int i = 0; i < 4; i++)
        stop_measure(&b, 8, i, 0, -1);
    ck_assert_int_eq(b.curves[7].points[3].at, 0);
    stop_clear(&b);
}
END_TEST

START_TEST(what_was_counted_has_its_step_once_steps_are_told)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int i = 0; i < 4; i++)
        stop_measure(&b, 2, i, 0, 1);
    ck_assert_int_eq(b.curves[0].points[3].at, 3);
    stop_measure(&b, 1, 0, 1, 1);
    ck_assert_int_eq(b.curves[0].points[0].at, 1);
    ck_assert_int_eq(b.curves[1].points[3].at, 0);
    stop_clear(&b);
}
END_TEST

START_TEST(the_median_rule_compares_the_best_with_means)
{
    struct stop_book b;

    stop_init(&b, true, false);
    for (int k = 1; k <= 5; k++) { /* 2k, 0, 2k, 0: means k at even steps */
        double value = 0;

        for (int i = 0; i < 4; i++)
            stop_measure(&b, k, i, i + 1, i % 2 ? 0 : 2 * k);
        ck_assert(!hopeless(&b, &stop_median, k));
        stop_end(&b, k, TRIAL_SUCCEEDED, &value);
    }
    stop_measure(&b, 6, 0, 1, 5.9); /* at step 1 the median is 6 */
    ck_assert(hopeless(&b, &stop_median, 6));
    stop_measure(&b, 6, 1, 2, -7); /* at step 2 it is 3 */
    ck_assert(!hopeless(&b, &stop_median, 6));
    stop_measure(&b, 7, 0, 2, 3); /* as good is not worse */
    ck_assert(!hopeless(&b, &stop_median, 7));
    stop_measure(&b, 8, 0, 2, 2.999);
    ck_assert(hopeless(&b, &stop_median, 8));
    stop_measure(&b, 9, 0, 0, -9); /* before anybody's first step */
    ck_assert(!hopeless(&b, &stop_median, 9));
    stop_clear(&b);
}
END_TEST

START_TEST(the_median_rule_waits_for_five_that_succeeded)
{
    struct stop_book b;

    stop_init(&b, false, false);
    for (int k = 1; k <= 4; k++)
        add_ended(&b, k, 9, 1);
    add_flat(&b, 5, 9, 1); /* runs, then is stopped, then fails */
    add_flat(&b, 6, 9, 2);
    ck_assert(!hopeless(&b, &stop_median, 6));
    stop_end(&b, 5, TRIAL_STOPPED, NULL);
    ck_assert(!hopeless(&b, &stop_median, 6));
    add_flat(&b, 7, 9, 1);
    stop_end(&b, 7, TRIAL_FAILED, NULL);
    ck_assert(!hopeless(&b, &stop_median, 6));
    add_ended(&b, 8, 9, 1);
    ck_assert(hopeless(&b, &stop_median, 6));
    stop_clear(&b);
}
END_TEST

START_TEST(asha_lets_the_best_third_go_on)
{
    struct stop_rule rule = {&stop_asha, 4};
    struct stop_book b;

    stop_init(&b, true, false);
    add_flat(&b, 1, 4, 5);
    add_flat(&b, 2, 4, 6);
    ck_assert(!stop_hopeless(&rule, &b, 1)); /* two are no three */
    add_flat(&b, 3, 4, 4);
    ck_assert(stop_hopeless(&rule, &b, 3)); /* worse than the best of three */
    ck_assert(stop_hopeless(&rule, &b, 1));
    ck_assert(!stop_hopeless(&rule, &b, 2));
    add_flat(&b, 4, 3, 0); /* it has not come so far */
    ck_assert(!stop_hopeless(&rule, &b, 4));
    add_flat(&b, 5, 4, 6); /* as good as the best of four */
    ck_assert(!stop_hopeless(&rule, &b, 5));
    stop_measure(&b, 3, 4, 5, 0); /* between two looks nobody is stopped */
    ck_assert(!stop_hopeless(&rule, &b, 3));
    for (int i = 4; i < 12; i++)
        stop_measure(&b, 1, i, i + 1, 0);
    ck_assert(!stop_hopeless(&rule, &b, 1)); /* alone at step 12 */
    stop_clear(&b);
}
END_TEST

START_TEST(asha_waits_until_it_knows_how_long_trials_are)
{
    struct stop_book b;
    int64_t looks[4], n = 0;

    stop_init(&b, true, false);
    for (int k = 1; k <= 9; k++)
        add_flat(&b, k, 50, k);
    for (int k = 1; k <= 9; k++)
        ck_assert(!hopeless(&b, &stop_asha, k));
    add_ended(&b, 10, 100, 5); /* looks at 1, 3, 11 and 33 */
    for (int i = 0; i < 100; i++) {
        stop_measure(&b, 11, i, i + 1, 0);
        if (hopeless(&b, &stop_asha, 11)) {
            ck_assert_int_lt(n, 4);
            looks[n++] = i + 1;
        }
    }
    ck_assert_int_eq(n, 4);
    ck_assert_int_eq(looks[0], 1);
    ck_assert_int_eq(looks[1], 3);
    ck_assert_int_eq(looks[2], 11);
    ck_assert_int_eq(looks[3], 33);
    stop_clear(&b);
}
END_TEST

START_TEST(nothing_is_stopped_before_the_place_that_was_asked_for)
{
    struct stop_rule rule = {stops[_i], 20};
    struct stop_book b;
    bool stopped = false;

    stop_init(&b, false, false);
    for (int k = 1; k <= 8; k++)
        add_ended(&b, k, 30, 1);
    for (int i = 0; i < 30; i++) {
        stop_measure(&b, 9, i, i + 1, 2);
        stopped = stopped || stop_hopeless(&rule, &b, 9);
        ck_assert_int_eq(stopped, i + 1 >= 20);
    }
    stop_clear(&b);
}
END_TEST

START_TEST(after_a_row_of_stopped_trials_one_is_spared)
{
    struct stop_book b;
    int row = 0;

    stop_init(&b, false, false);
    for (int k = 1; k <= 9; k++)
        add_ended(&b, k, 9, 1);
    for (int k = 10; k < 60; k++) {
        bool stop;

        add_flat(&b, k, 3, k);
        stop = hopeless(&b, stops[_i], k);
        ck_assert_int_eq(stop, row < stops[_i]->in_a_row);
        row = stop ? row + 1 : 0;
        for (int i = 3; i < 9 && !stop; i++)
            stop_measure(&b, k, i, i + 1, k);
        stop_end(&b, k, stop ? TRIAL_STOPPED : TRIAL_SUCCEEDED, &(double){k});
    }
    stop_clear(&b);
}
END_TEST

START_TEST(what_others_gained_is_foreseen)
{
    bool maximize = _i;
    double sign = maximize ? 1 : -1, value = 0, unsure = 0;
    struct stop_book b;

    stop_init(&b, maximize, false);
    stop_measure(&b, 9, 0, 2, sign * 10);
    ck_assert(!stop_foresee(&b, 9, &value, &unsure)); /* nobody can say */
    ck_assert(!stop_foresee(&b, 8, &value, &unsure)); /* nobody knows of it */
    for (int k = 1; k <= 5; k++) { /* k at step 2; then 1, 2, 3, 4, 100 more */
        double gain = k == 5 ? 100 : k, final = sign * (k + gain);

        stop_measure(&b, k, 0, 1, 0);
        stop_measure(&b, k, 1, 2, sign * k);
        stop_measure(&b, k, 2, 3, final);
        stop_end(&b, k, TRIAL_SUCCEEDED, &final);
        ck_assert(stop_foresee(&b, 9, &value, &unsure));
        if (k == 1) /* one alone: its gain may be anything */
            ck_assert_double_ge(unsure, 1);
    }
    ck_assert_double_eq_tol(value, sign * 13, 1e-12);
    ck_assert_double_ge(unsure, 1);
    ck_assert_double_le(unsure, 3); /* the odd one hardly counts */
    stop_clear(&b);
}
END_TEST

START_TEST(the_best_measurement_is_foreseen_where_it_counts)
{
    struct stop_book b;
    double value = 0, unsure = 0;

    stop_init(&b, true, true);
    for (int k = 1; k <= 3; k++) {
        double final = 5;

        for (int i = 0; i < 4; i++) /* 2, 1, 5, 0 */
            stop_measure(&b, k, i, i + 1,
                         i == 0   ? 2
                         : i == 1 ? 1
                         : i == 2 ? 5
                                  : 0);
        stop_end(&b, k, TRIAL_SUCCEEDED, &final);
    }
    stop_measure(&b, 4, 0, 1, 4);
    stop_measure(&b, 4, 1, 2, 3);
    ck_assert(stop_foresee(&b, 4, &value, &unsure));
    ck_assert_double_eq_tol(value, 7, 1e-12);
    stop_clear(&b);
}
END_TEST

/* ---- that it pays ---- */

enum { STEPS = 27 };

/* Curves that cross: the first parameter trades pace against the end. */
static double curve(const struct point *p, int step)
{
    double x[3], final = 0.2;

    for (int i = 0; i < 3; i++) {
        x[i] = (p->values[i].real + 5) / 10;
        final += pow(x[i] - 0.3 - 0.2 * i, 2);
    }
    return final + exp(-step / (3 + 4 * x[0]));
}

/* What is left to the best after so many steps of training in all. */
static double search(const struct stop_type *type, uint64_t seed, int budget)
{
    const struct algorithm_type *bayes = algorithms_find("bayesian");
    struct stop_rule rule = {.type = type};
    double best = INFINITY;
    struct stop_book b;
    struct study s;
    struct err e;
    void *state = mem_new(1, bayes->state_size);

    spaces_cube(&s, 3);
    s.seed = seed;
    s.maximize = false;
    s.trials = budget / STEPS;
    stop_init(&b, false, false);
    ck_assert_int_eq(bayes->open(state, &s, &e), 0);
    for (int64_t number = 1; budget > 0; number++) {
        enum algorithm_answer answer = ALGORITHM_POINT;
        struct suggestion out = {.source = ""};
        struct trial t = {.number = number, .state = TRIAL_SUCCEEDED};

        point_init(&out.point, &s.space);
        ck_assert_int_eq(bayes->ask(state, number, NULL, 0, &out, &answer, &e),
                         0);
        t.point = out.point;
        t.has_value = true;
        for (int i = 0; i < STEPS && t.state != TRIAL_STOPPED; i++) {
            t.value = curve(&t.point, i + 1);
            best = fmin(best, budget > 0 ? t.value : INFINITY);
            budget--;
            stop_measure(&b, number, i, i + 1, t.value);
            if (stop_hopeless(&rule, &b, number))
                t.state = TRIAL_STOPPED;
        }
        if (t.state == TRIAL_STOPPED)
            t.is_foreseen = stop_foresee(&b, number, &t.foreseen, &t.unsure);
        stop_end(&b, number, t.state, &t.value);
        bayes->tell(state, &t);
        trial_clear(&t);
    }
    bayes->close(state);
    free(state);
    stop_clear(&b);
    spaces_clear(&s);
    return best - 0.2;
}

START_TEST(stopping_finds_better_points_in_the_same_time)
{
    double without = 0, with = 0;

    for (uint64_t seed = 1; seed <= 4; seed++) {
        without += log(search(NULL, seed, 10 * STEPS));
        with += log(search(stops[_i], seed, 10 * STEPS));
    }
    ck_assert_double_lt(with, without);
}
END_TEST

int main(void)
{
    const TTest *const once[] = {
        rules_are_found_by_name,
        without_a_rule_nothing_is_stopped,
        a_curve_costs_no_more_than_its_points,
        a_measurement_counts_once,
        old_ended_trials_are_forgotten,
        another_attempt_begins_anew,
        trainers_that_tell_no_step_are_counted,
        what_was_counted_has_its_step_once_steps_are_told,
        the_median_rule_compares_the_best_with_means,
        the_median_rule_waits_for_five_that_succeeded,
        asha_lets_the_best_third_go_on,
        asha_waits_until_it_knows_how_long_trials_are,
        the_best_measurement_is_foreseen_where_it_counts,
    };
    const TTest *const each_rule[] = {
        the_only_trial_is_never_stopped,
        what_is_no_number_stops_nothing,
        told_again_it_says_the_same,
        equal_is_not_worse_by_rounding,
        a_step_that_comes_again_stays_where_it_is,
        places_may_be_as_far_away_as_numbers_go,
        nothing_is_stopped_before_the_place_that_was_asked_for,
        after_a_row_of_stopped_trials_one_is_spared,
        stopping_finds_better_points_in_the_same_time,
    };
    Suite *suite = suite_create("algorithms/stop");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 240);
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        tcase_add_test(c, once[i]);
    for (size_t i = 0; i < sizeof each_rule / sizeof *each_rule; i++)
        tcase_add_loop_test(c, each_rule[i], 0, N_RULES);
    tcase_add_loop_test(c, a_trial_that_is_the_best_everywhere_is_never_stopped,
                        0, 2 * N_RULES);
    tcase_add_loop_test(c, what_others_gained_is_foreseen, 0, 2);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
