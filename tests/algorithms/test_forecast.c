/* What the model expects is said in the user's units, on the right side. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "base/fault.h"
#include "study/codec.h"
#include "tests/lib/suite.h"

/* Asks after 20 results of `value`, for trial 22 (searched in the trust box).
 */
static void forecast(const char *goal, double (*value)(double),
                     struct suggestion *out, struct study *study)
{
    const struct algorithm_type *type = algorithms_find("bayesian");
    enum algorithm_answer answer;
    char yaml[200];
    struct faults f;
    struct err e;
    void *state = calloc(1, type->state_size);

    snprintf(yaml, sizeof yaml,
             "study: s\n%s: y\nparams:\n  x: 0 .. 1\nrun: ./t\n", goal);
    faults_init(&f);
    algorithms_init();
    ck_assert_int_eq(codec_decode(yaml, strlen(yaml), "s", study, &f), 0);
    ck_assert_int_eq(type->open(state, study, &e), 0);
    for (int i = 0; i < 20; i++) {
        struct trial t = {.number = i + 1, .state = TRIAL_SUCCEEDED};

        point_init(&t.point, &study->space);
        t.point.values[0] = (struct value){.active = true, .real = i / 20.0};
        t.has_value = true;
        t.value = value(i / 20.0);
        type->tell(state, &t);
        trial_clear(&t);
    }
    memset(out, 0, sizeof *out);
    point_init(&out->point, &study->space);
    ck_assert_int_eq(type->ask(state, 22, NULL, 0, out, &answer, &e), 0);
    type->close(state);
    free(state);
}

static double hill(double x)
{
    return 5 - (x - 0.62) * (x - 0.62);
}

static double valley(double x)
{
    return 100 - hill(x);
}

static double flat(double x)
{
    (void)x;
    return 3;
}

START_TEST(a_smooth_function_is_foreseen)
{
    struct suggestion s;
    struct study study;

    forecast("maximize", hill, &s, &study);
    ck_assert(s.foreseen);
    ck_assert_double_eq_tol(s.mean, hill(s.point.values[0].real), 0.05);
    ck_assert(s.low <= s.mean && s.mean <= s.high);
    ck_assert(s.improvement >= 0 && s.improvement < 1);
    point_clear(&s.point);
    study_clear(&study);
}
END_TEST

START_TEST(low_is_low_when_minimizing_too)
{
    struct suggestion s;
    struct study study;

    forecast("minimize", valley, &s, &study);
    ck_assert(s.foreseen);
    ck_assert_double_eq_tol(s.mean, valley(s.point.values[0].real), 0.05);
    ck_assert(s.low <= s.mean && s.mean <= s.high);
    ck_assert(s.improvement >= 0);
    point_clear(&s.point);
    study_clear(&study);
}
END_TEST

START_TEST(equal_results_foresee_nothing)
{
    struct suggestion s;
    struct study study;

    forecast("maximize", flat, &s, &study);
    ck_assert(!s.foreseen);
    point_clear(&s.point);
    study_clear(&study);
}
END_TEST

SUITE("algorithms/forecast", a_smooth_function_is_foreseen,
      low_is_low_when_minimizing_too, equal_results_foresee_nothing)
