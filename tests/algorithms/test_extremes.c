/* Bad input, to every algorithm: results and spaces that no sane study has
 * break nothing, lead to no point outside the space, and cost no suggestion
 * more than two seconds. tests/algorithms/promises.c has the usual ones. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

enum { ALGORITHMS = 6 };

/* The processor time that one suggestion, with what was told before it, may
 * take; sanitizers are no measure. */
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
static const double most_s = INFINITY;
#else
static const double most_s = 2;
#endif

static double cpu_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* One algorithm at work on one study. */
struct work {
    const struct algorithm_type *type;
    const struct study *study;
    void *state;
    struct trial *trials; /* asked so far */
    size_t n, cap;
    double spent; /* since the last suggestion */
};

/* False if the algorithm refuses the space. */
static bool work_open(struct work *w, int algorithm, const struct study *s)
{
    struct err e;

    *w = (struct work){.type = algorithms[algorithm], .study = s};
    w->state = mem_new(1, w->type->state_size);
    if (w->type->open(w->state, s, &e) == 0)
        return true;
    ck_assert_int_eq(e.code, ERR_INVALID);
    free(w->state);
    return false;
}

static void work_close(struct work *w)
{
    w->type->close(w->state);
    free(w->state);
    for (size_t i = 0; i < w->n; i++)
        trial_clear(&w->trials[i]);
    free(w->trials);
}

/* Asks for the next trial, while those from `from` on run; checks the point
 * and the time. */
static bool ask(struct work *w, size_t from)
{
    const struct trial **running = mem_new(w->n, sizeof *running);
    enum algorithm_answer answer = ALGORITHM_WAIT;
    struct suggestion out = {.source = ""};
    double began = cpu_s();
    size_t n = 0;
    struct err e;

    for (size_t i = from; i < w->n; i++)
        running[n++] = &w->trials[i];
    point_init(&out.point, &w->study->space);
    ck_assert_int_eq(w->type->ask(w->state, (int64_t)w->n + 1, running, n, &out,
                                  &answer, &e),
                     0);
    w->spent += cpu_s() - began;
    free(running);
    ck_assert_msg(w->spent < most_s, "%s %s trial %zu: %g s", w->type->name,
                  w->study->name, w->n + 1, w->spent);
    w->spent = 0;
    if (answer != ALGORITHM_POINT) {
        point_clear(&out.point);
        return false;
    }
    ck_assert_msg(point_in(&out.point, &w->study->space), "%s %s trial %zu",
                  w->type->name, w->study->name, w->n + 1);
    mem_grow((void **)&w->trials, &w->cap, w->n + 1, sizeof *w->trials);
    w->trials[w->n] = (struct trial){.number = (int64_t)w->n + 1,
                                     .state = TRIAL_RUNNING,
                                     .point = out.point};
    w->n++;
    return true;
}

static void tell(struct work *w, size_t i, enum trial_state state, double value)
{
    struct trial *t = &w->trials[i];
    double began = cpu_s();

    t->state = state;
    t->has_value = state == TRIAL_SUCCEEDED || state == TRIAL_STOPPED;
    t->value = t->has_value ? value : 0;
    w->type->tell(w->state, t);
    w->spent += cpu_s() - began;
}

/* ---- results ---- */

struct result {
    enum trial_state state;
    double value;
};

static struct result constant(size_t k)
{
    (void)k;
    return (struct result){TRIAL_SUCCEEDED, 0};
}

static struct result all_failed(size_t k)
{
    (void)k;
    return (struct result){TRIAL_FAILED, 0};
}

/* As trials end that report nothing but nan. */
static struct result all_nan(size_t k)
{
    (void)k;
    return (struct result){TRIAL_INFEASIBLE, 0};
}

static struct result all_stopped(size_t k)
{
    return (struct result){TRIAL_STOPPED, (double)k};
}

static struct result tiny_to_vast(size_t k)
{
    return (struct result){TRIAL_SUCCEEDED,
                           pow(10, -300 + 600.0 * (double)(k * 7 % 25) / 24)};
}

static struct result vast_both_ways(size_t k)
{
    struct result r = tiny_to_vast(k);

    r.value = k % 2 ? r.value : -r.value;
    return r;
}

static struct result one_outlier(size_t k)
{
    return (struct result){TRIAL_SUCCEEDED, k == 7 ? 1e30 : 1 + sin((double)k)};
}

static struct result one_good(size_t k)
{
    return (struct result){k == 3 ? TRIAL_SUCCEEDED : TRIAL_FAILED, 1};
}

static struct result (*const results[])(size_t) = {
    constant,     all_failed,     all_nan,     all_stopped,
    tiny_to_vast, vast_both_ways, one_outlier, one_good};
enum { RESULTS = sizeof results / sizeof *results };

static void cube_of_three(struct study *s)
{
    spaces_cube(s, 3);
}

static void grid_of_it(struct study *s)
{
    spaces_stepped(s);
    s->maximize = true;
}

START_TEST(awkward_results_break_no_algorithm)
{
    static spaces_make_fn *const spaces[] = {cube_of_three, grid_of_it,
                                             spaces_conditional, spaces_huge,
                                             spaces_single};

    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
        for (int a = 0; a < ALGORITHMS; a++) {
            struct study s;
            struct work w;

            spaces[i](&s);
            if (work_open(&w, a, &s)) {
                for (size_t k = 0; k < 25 && ask(&w, k); k++) {
                    struct result r = results[_i](k);

                    tell(&w, k, r.state, r.value);
                }
                ck_assert_uint_gt(w.n, 0);
                work_close(&w);
            }
            spaces_clear(&s);
        }
    }
}
END_TEST

/* A thousand trials that all gave 42, at points of their own or at one. */
static void told_a_thousand_times(int algorithm, bool one_point)
{
    struct study s;
    struct work w;
    struct work elsewhere;

    spaces_cube(&s, 2);
    s.trials = 2000;
    ck_assert(work_open(&elsewhere, 2, &s));
    ck_assert_str_eq(elsewhere.type->name, "random");
    if (work_open(&w, algorithm, &s)) {
        for (size_t k = 0; k < 1000; k++) {
            struct trial t;

            if (k == 0 || !one_point)
                ck_assert(ask(&elsewhere, elsewhere.n));
            trial_copy(&t, &elsewhere.trials[elsewhere.n - 1]);
            t.number = (int64_t)k + 1;
            t.state = TRIAL_SUCCEEDED;
            t.has_value = true;
            t.value = 42;
            w.type->tell(w.state, &t);
            mem_grow((void **)&w.trials, &w.cap, w.n + 1, sizeof *w.trials);
            w.trials[w.n++] = t;
        }
        for (size_t k = 1000; k < 1003; k++) {
            ck_assert(ask(&w, k));
            tell(&w, k, TRIAL_SUCCEEDED, 42);
        }
        work_close(&w);
    }
    work_close(&elsewhere);
    spaces_clear(&s);
}

START_TEST(the_same_value_a_thousand_times_breaks_no_algorithm)
{
    told_a_thousand_times(_i / 2, _i % 2);
}
END_TEST

/* ---- the order of results ---- */

static double bowl(const struct point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++)
        sum += p->values[i].real * p->values[i].real;
    return sum;
}

START_TEST(results_may_come_last_first)
{
    enum { AT_ONCE = 16, ROUNDS = 3 };

    for (int a = 0; a < ALGORITHMS; a++) {
        struct study s;
        struct work w;

        spaces_cube(&s, 3);
        if (work_open(&w, a, &s)) {
            for (size_t from = 0; from < (size_t)AT_ONCE * ROUNDS;
                 from += AT_ONCE) {
                for (int k = 0; k < AT_ONCE; k++)
                    ck_assert(ask(&w, from));
                for (size_t k = w.n; k-- > from;)
                    tell(&w, k, TRIAL_SUCCEEDED, bowl(&w.trials[k].point));
            }
            work_close(&w);
        }
        spaces_clear(&s);
    }
}
END_TEST

/* As one does that a person let try again. */
START_TEST(a_trial_may_end_twice)
{
    for (int a = 0; a < ALGORITHMS; a++) {
        struct study s;
        struct work w;

        spaces_cube(&s, 3);
        if (work_open(&w, a, &s)) {
            for (size_t k = 0; k < 30; k++) {
                ck_assert(ask(&w, k));
                tell(&w, k, k % 2 ? TRIAL_FAILED : TRIAL_INFEASIBLE, 0);
                if (k >= 5)
                    tell(&w, k - 5, TRIAL_SUCCEEDED,
                         bowl(&w.trials[k - 5].point));
                if (k % 7 == 6)
                    tell(&w, k - 6, TRIAL_STOPPED, 1e3);
            }
            work_close(&w);
        }
        spaces_clear(&s);
    }
}
END_TEST

/* ---- wide spaces ---- */

/* 500 parameters: reals, integers, steps and words by turns. */
static void five_hundred(struct study *s, bool words)
{
    spaces_cube(s, 200);
    for (size_t i = 200; i < 500; i++) {
        char name[32];
        struct param *p = NULL;
        bool word = words && i % 3 == 0;

        snprintf(name, sizeof name, "y%zu", i);
        p = spaces_add(s, word ? PARAM_CATEGORICAL : PARAM_INTEGER, name);
        p->low = 1;
        p->high = i % 3 == 1 ? 10 : INT64_C(1) << 60;
        p->scale = i % 3 == 1 ? SCALE_LINEAR : SCALE_LOG;
        if (!word)
            continue;
        p->scale = SCALE_LINEAR;
        p->n_values = 3;
        p->words = mem_new(3, sizeof *p->words);
        for (size_t k = 0; k < 3; k++)
            p->words[k] = mem_format("%zu", k);
    }
}

START_TEST(five_hundred_parameters_stop_no_algorithm)
{
    struct study s;
    struct work w;

    five_hundred(&s, _i % 2);
    if (work_open(&w, _i / 2, &s)) {
        for (size_t k = 0; k < 30; k++) {
            ck_assert(ask(&w, k));
            tell(&w, k, TRIAL_SUCCEEDED,
                 fabs(w.trials[k].point.values[0].real));
        }
        work_close(&w);
    }
    spaces_clear(&s);
}
END_TEST

/* A word of a thousand among which one is right, an integer of 2^60 and a
 * parameter of one value. */
static void wide(struct study *s, bool words)
{
    struct param *p = NULL;

    words ? spaces_words(s) : spaces_cube(s, 1);
    p = spaces_add(s, PARAM_INTEGER, "vast");
    p->low = 0;
    p->high = INT64_C(1) << 60;
    p = spaces_add(s, PARAM_INTEGER, "one");
    p->low = p->high = INT64_MIN;
}

START_TEST(a_thousand_words_and_vast_integers_stop_no_algorithm)
{
    struct study s;
    struct work w;

    wide(&s, _i % 2);
    if (work_open(&w, _i / 2, &s)) {
        for (size_t k = 0; k < 60; k++) {
            const struct value *v = NULL;

            ck_assert(ask(&w, k));
            v = w.trials[k].point.values;
            tell(&w, k, TRIAL_SUCCEEDED,
                 (_i % 2 ? (double)(v[0].choice != 500) : v[0].real) +
                     ldexp((double)v[w.trials[k].point.n - 2].whole, -60));
        }
        work_close(&w);
    }
    spaces_clear(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/extremes");
    TCase *c = tcase_create("all");
    SRunner *runner = NULL;
    int failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 280);
    tcase_add_loop_test(c, awkward_results_break_no_algorithm, 0, RESULTS);
    tcase_add_loop_test(c, the_same_value_a_thousand_times_breaks_no_algorithm,
                        0, 2 * ALGORITHMS);
    tcase_add_test(c, results_may_come_last_first);
    tcase_add_test(c, a_trial_may_end_twice);
    tcase_add_loop_test(c, five_hundred_parameters_stop_no_algorithm, 0,
                        2 * ALGORITHMS);
    tcase_add_loop_test(c, a_thousand_words_and_vast_integers_stop_no_algorithm,
                        0, 2 * ALGORITHMS);
    suite_add_tcase(suite, c);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
