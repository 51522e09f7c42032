/* Shares of known functions are near what sums on paper say. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/importance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "algorithms/encode.h"
#include "base/mem.h"
#include "study/codec.h"
#include "tests/lib/suite.h"

/* A study with the results of trials at random points. */
struct tried {
    struct study study;
    struct trial *trials;
    size_t n;
    struct importance *out;
    struct err err;
    int rc;
};

#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) &&                 \
    !defined(__SANITIZE_THREAD__)
static const double most_s = 1; /* of processor time, for 100 parameters */
#else
static const double most_s = 60;
#endif

typedef double value_fn(const struct study *s, const struct point *p);

static double number(const struct study *s, const struct point *p, size_t i)
{
    return param_number(&s->space.params[i], &p->values[i]);
}

static void decode(struct study *out, const char *params)
{
    char *text =
        mem_format("study: x\nminimize: loss\nseed: 3\nparams:\n%s", params);
    struct faults faults;

    faults_init(&faults);
    ck_assert_msg(codec_decode(text, strlen(text), "x", out, &faults) == 0,
                  "%s", faults.n ? faults.items[0].text : "");
    faults_clear(&faults);
    free(text);
}

static void try(struct tried *t, const char *params, value_fn *f, size_t n)
{
    struct encode e;
    struct draw chance;

    algorithms_init();
    *t = (struct tried){.n = n, .trials = mem_new(n, sizeof *t->trials)};
    decode(&t->study, params);
    encode_init(&e, &t->study.space);
    draw_init(&chance, 5, DRAW_RANDOM, 0);
    for (size_t i = 0; i < n; i++) {
        struct trial *one = &t->trials[i];

        point_init(&one->point, &t->study.space);
        for (size_t k = 0; k < one->point.n; k++)
            one->point.values[k] = encode_share(&e, k, draw_unit(&chance));
        point_settle(&one->point, &t->study.space);
        one->number = (int64_t)i + 1;
        one->state = TRIAL_SUCCEEDED;
        one->has_value = true;
        one->value = f(&t->study, &one->point);
    }
    t->out = mem_new(t->study.space.n, sizeof *t->out);
    encode_clear(&e);
}

static void weigh(struct tried *t)
{
    t->rc = importance_of(&t->study, t->trials, t->n, t->out, &t->err);
}

static void drop(struct tried *t)
{
    for (size_t i = 0; i < t->n; i++)
        trial_clear(&t->trials[i]);
    free(t->trials);
    free(t->out);
    study_clear(&t->study);
}

/* What holds whatever the function. */
static void check_sound(const struct tried *t)
{
    double sum = 0;

    ck_assert_msg(t->rc == 0, "%s", t->err.text);
    for (size_t k = 0; k < t->study.space.n; k++) {
        const struct importance *one = &t->out[k];

        sum += one->share;
        ck_assert_double_ge(one->low, 0);
        ck_assert_double_le(one->low, one->share);
        ck_assert_double_le(one->share, one->high);
        ck_assert_double_le(one->high, 1);
        ck_assert_double_ge(one->first, 0);
        ck_assert_double_le(one->first, one->total);
    }
    ck_assert_double_eq_tol(sum, 1, 1e-9);
}

static void check_shares(struct tried *t, const double *want, double within)
{
    weigh(t);
    check_sound(t);
    for (size_t k = 0; k < t->study.space.n; k++)
        ck_assert_msg(fabs(t->out[k].share - want[k]) <= within,
                      "parameter %zu: %.3f, not %.3f", k, t->out[k].share,
                      want[k]);
}

static const char cube[] = "  a: 0.0 .. 1.0\n"
                           "  b: 0.0 .. 1.0\n"
                           "  c: 0.0 .. 1.0\n"
                           "  d: 0.0 .. 1.0\n";

static double linear(const struct study *s, const struct point *p)
{
    return 4 * number(s, p, 0) + 2 * number(s, p, 1) + number(s, p, 2);
}

START_TEST(a_linear_function_has_the_shares_of_its_squared_slopes)
{
    static const double want[] = {16 / 21.0, 4 / 21.0, 1 / 21.0, 0};
    struct tried t;

    try(&t, cube, linear, 50);
    check_shares(&t, want, 0.04);
    for (size_t k = 0; k < 4; k++) /* nothing is done together */
        ck_assert_double_eq_tol(t.out[k].first, t.out[k].total, 0.06);
    drop(&t);
}
END_TEST

START_TEST(an_inert_parameter_has_no_share)
{
    struct tried t;

    try(&t, cube, linear, 40);
    weigh(&t);
    check_sound(&t);
    ck_assert_double_lt(t.out[3].share, 0.01);
    ck_assert_double_lt(t.out[3].high, 0.03);
    ck_assert_double_gt(t.out[2].low, t.out[3].high);
    drop(&t);
}
END_TEST

static double product(const struct study *s, const struct point *p)
{
    return (number(s, p, 0) - 0.5) * (number(s, p, 1) - 0.5);
}

START_TEST(what_parameters_do_together_is_in_the_total_alone)
{
    static const double want[] = {0.5, 0.5, 0, 0};
    struct tried t;

    try(&t, cube, product, 80);
    check_shares(&t, want, 0.06);
    ck_assert_double_gt(t.out[0].total, 0.7);
    ck_assert_double_lt(t.out[0].first, 0.25);
    drop(&t);
}
END_TEST

static double worded(const struct study *s, const struct point *p)
{
    static const double of[] = {0, 1, 3};

    return of[p->values[0].choice] + 2 * number(s, p, 1);
}

START_TEST(a_word_has_the_variance_of_what_the_words_give)
{
    /* 14/9 and 1/3 */
    static const double want[] = {14 / 17.0, 3 / 17.0, 0};
    struct tried t;

    try(&t, "  word: [a, b, c]\n  x: 0.0 .. 1.0\n  y: 0.0 .. 1.0\n", worded,
        60);
    check_shares(&t, want, 0.1);
    drop(&t);
}
END_TEST

static double hanging(const struct study *s, const struct point *p)
{
    double m = p->values[1].active ? number(s, p, 1) : 0;

    return m + number(s, p, 2) / sqrt(2);
}

START_TEST(a_conditional_parameter_counts_where_it_exists)
{
    /* Of the variance: E m^2 / 4, half of 1/12, and a half of 1/12. */
    static const double want[] = {0.5, 0.25, 0.25, 0};
    struct tried t;

    try(&t,
        "  word: [adam, sgd]\n"
        "  m: 0.0 .. 1.0 if word = sgd\n"
        "  x: 0.0 .. 1.0\n"
        "  y: 0.0 .. 1.0\n",
        hanging, 80);
    check_shares(&t, want, 0.1);
    drop(&t);
}
END_TEST

static double scaled(const struct study *s, const struct point *p)
{
    return log10(number(s, p, 0)) + 2 * number(s, p, 1);
}

START_TEST(a_range_is_even_on_its_scale)
{
    /* log10: 16 / 12; a whole number of 0 .. 2: 4 * 2/3 */
    static const double want[] = {1 / 3.0, 2 / 3.0, 0};
    struct tried t;

    try(&t, "  rate: log 1e-4 .. 1.0\n  k: int 0 .. 2\n  one: [7]\n", scaled,
        60);
    check_shares(&t, want, 0.08);
    ck_assert(t.out[2].share == 0 && t.out[2].high == 0);
    drop(&t);
}
END_TEST

static void check_refusal(struct tried *t, const char *words)
{
    weigh(t);
    ck_assert_int_eq(t->rc, -1);
    ck_assert_int_eq(t->err.code, ERR_CONFLICT);
    ck_assert_msg(strstr(t->err.text, words) != NULL, "%s", t->err.text);
    drop(t);
}

static double constant(const struct study *s, const struct point *p)
{
    (void)s;
    (void)p;
    return 7;
}

START_TEST(where_nothing_can_be_said_a_sentence_says_so)
{
    struct tried t;

    try(&t, cube, linear, IMPORTANCE_LEAST);
    t.trials[0].state = TRIAL_INFEASIBLE;
    t.trials[0].has_value = false;
    ck_assert_uint_eq(importance_results(t.trials, t.n), IMPORTANCE_LEAST - 1);
    check_refusal(&t, "not yet: 9 results, 10 are needed");
    try(&t, cube, linear, 0);
    check_refusal(&t, "not yet: 0 results");
    try(&t, cube, constant, 30);
    check_refusal(&t, "equal");
    try(&t, "  only: [1]\n", linear, 0);
    check_refusal(&t, "not yet");
}
END_TEST

static double noise(const struct study *s, const struct point *p)
{
    static struct draw chance;

    if (number(s, p, 0) < 0)
        return 0;
    if (!chance.key[0])
        draw_init(&chance, 9, DRAW_RANDOM, 1);
    return draw_normal(&chance);
}

START_TEST(noise_gives_no_firm_answer)
{
    struct tried t;
    size_t firm = 0;

    try(&t, cube, noise, 200);
    weigh(&t);
    if (t.rc)
        ck_assert_ptr_nonnull(strstr(t.err.text, "noise"));
    for (size_t k = 0; k < 4 && t.rc == 0; k++)
        firm += t.out[k].high - t.out[k].low < 0.05 && t.out[k].share > 0.5;
    ck_assert_uint_eq(firm, 0);
    drop(&t);
}
END_TEST

START_TEST(a_disaster_changes_the_numbers_and_not_the_order)
{
    struct tried t;

    try(&t, cube, linear, 60);
    t.trials[13].value = 1e30;
    t.trials[14].value = 1e300;
    weigh(&t);
    check_sound(&t);
    ck_assert_double_gt(t.out[0].share, 0.4);
    ck_assert_double_gt(t.out[0].share, 1.5 * t.out[1].share);
    ck_assert_double_gt(t.out[1].share, t.out[2].share);
    drop(&t);
}
END_TEST

START_TEST(the_same_results_give_the_same_shares)
{
    struct tried t;
    struct importance first[4];

    try(&t, cube, linear, 30);
    weigh(&t);
    check_sound(&t);
    memcpy(first, t.out, sizeof first);
    weigh(&t);
    for (size_t k = 0; k < 4; k++)
        ck_assert(first[k].share == t.out[k].share &&
                  first[k].low == t.out[k].low &&
                  first[k].high == t.out[k].high);
    drop(&t);
}
END_TEST

START_TEST(thousands_of_results_are_thinned)
{
    static const double want[] = {16 / 21.0, 4 / 21.0, 1 / 21.0, 0};
    struct tried t;

    try(&t, cube, linear, 5000);
    check_shares(&t, want, 0.04);
    drop(&t);
}
END_TEST

START_TEST(a_hundred_parameters_take_less_than_a_second)
{
    struct text params;
    struct tried t;
    clock_t began;

    text_init(&params);
    for (int i = 0; i < 100; i++)
        text_addf(&params, "  x%d: 0.0 .. 1.0\n", i);
    try(&t, text_str(&params), linear, 100);
    text_clear(&params);
    began = clock();
    weigh(&t);
    ck_assert_double_lt((double)(clock() - began) / CLOCKS_PER_SEC, most_s);
    check_sound(&t);
    ck_assert_double_gt(t.out[0].share, 0.5);
    ck_assert_double_gt(t.out[1].share, 0.05);
    drop(&t);
}
END_TEST

SUITE("algorithms/importance",
      a_linear_function_has_the_shares_of_its_squared_slopes,
      an_inert_parameter_has_no_share,
      what_parameters_do_together_is_in_the_total_alone,
      a_word_has_the_variance_of_what_the_words_give,
      a_conditional_parameter_counts_where_it_exists,
      a_range_is_even_on_its_scale,
      where_nothing_can_be_said_a_sentence_says_so, noise_gives_no_firm_answer,
      a_disaster_changes_the_numbers_and_not_the_order,
      the_same_results_give_the_same_shares, thousands_of_results_are_thinned,
      a_hundred_parameters_take_less_than_a_second)
