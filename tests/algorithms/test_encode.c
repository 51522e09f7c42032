/* Points become features and features points. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/encode.h"

#include <math.h>

#include "algorithms/draw.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

static spaces_make_fn *const spaces[] = {
    spaces_continuous, spaces_stepped, spaces_mixed,  spaces_conditional,
    spaces_tiny,       spaces_huge,    spaces_single, spaces_words,
};

START_TEST(any_row_is_a_point_of_the_space)
{
    struct study s;
    struct encode e;
    struct point p;
    double row[8];
    struct draw d;

    spaces[_i](&s);
    encode_init(&e, &s.space);
    point_init(&p, &s.space);
    draw_init(&d, 1, DRAW_RANDOM, 0);
    for (int i = 0; i < 500; i++) {
        for (size_t j = 0; j < e.n; j++) {
            row[j] = 3 * draw_unit(&d) - 1;
            if (i % 10 == 0)
                row[j] = i % 20 ? 1 : 0;
            if (i == 7)
                row[j] = NAN;
        }
        encode_point(&e, row, &p);
        ck_assert(point_in(&p, &s.space));
    }
    point_clear(&p);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(a_coarse_value_survives_the_journey)
{
    struct study s;
    struct encode e;

    spaces[_i](&s);
    encode_init(&e, &s.space);
    for (size_t j = 0; j < e.n; j++) {
        const struct encode_axis *a = &e.axes[j];

        for (uint64_t k = 0; a->count <= 1000 && k < a->count; k++) {
            struct value v = param_nth(a->p, k), back;
            double u = encode_feature(a, &v);

            back = encode_value(a, u);
            ck_assert(param_same(a->p, &v, &back));
            ck_assert(a->categorical || (u > 0 && u < 1));
        }
    }
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(scales_bend_the_way_they_say)
{
    struct study s;
    struct encode e;
    struct value v;

    spaces_continuous(&s);
    encode_init(&e, &s.space);
    v = encode_value(&e.axes[0], 0.5);
    ck_assert_double_eq_tol(v.real, 0, 1e-12);
    v = encode_value(&e.axes[1], 0.5);
    ck_assert_double_eq_tol(v.real, 1e-3, 1e-12);
    ck_assert(encode_value(&e.axes[1], 0).real == 1e-6);
    ck_assert(encode_value(&e.axes[1], 1).real == 1);
    v = encode_value(&e.axes[2], 0.5);
    ck_assert_double_gt(v.real, 0.75); /* finer near the upper end */
    ck_assert_double_eq_tol(encode_feature(&e.axes[2], &v), 0.5, 1e-9);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(uneven_numbers_are_placed_evenly)
{
    struct study s;
    struct encode e;

    spaces_stepped(&s);
    s.space.params[2].numbers[3] = 1024; /* 16 32 64 1024: by logarithm */
    encode_init(&e, &s.space);
    ck_assert_double_eq_tol(e.axes[2].at[0], 0.125, 1e-12);
    ck_assert_double_eq_tol(e.axes[2].at[3], 0.875, 1e-12);
    ck_assert_double_gt(e.axes[2].at[1], 0.2);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

START_TEST(what_does_not_exist_is_not_seen)
{
    struct study s;
    struct encode e;
    struct point p, q;
    double a[5], b[5];
    bool active[5];

    spaces_conditional(&s);
    encode_init(&e, &s.space);
    point_init(&p, &s.space);
    point_init(&q, &s.space);
    encode_middle(&e, &p);
    encode_middle(&e, &q);
    q.values[1].real = 0.9; /* the first optimizer has no momentum */
    ck_assert(!p.values[1].active);
    encode_row(&e, &p, a);
    encode_row(&e, &q, b);
    for (size_t j = 0; j < e.n; j++)
        ck_assert(a[j] == b[j]);
    a[e.axis_of[1]] = 0.9;
    encode_mask(&e, a, b, active);
    ck_assert(!active[e.axis_of[1]] && b[e.axis_of[1]] == 0.5);
    a[e.axis_of[0]] = 1;
    encode_mask(&e, a, b, active);
    ck_assert(active[e.axis_of[1]] && b[e.axis_of[1]] == 0.9);
    point_clear(&p);
    point_clear(&q);
    encode_clear(&e);
    spaces_clear(&s);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/encode");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int n = (int)(sizeof spaces / sizeof *spaces), failed = 0;

    tcase_add_loop_test(c, any_row_is_a_point_of_the_space, 0, n);
    tcase_add_loop_test(c, a_coarse_value_survives_the_journey, 0, n);
    tcase_add_test(c, scales_bend_the_way_they_say);
    tcase_add_test(c, uneven_numbers_are_placed_evenly);
    tcase_add_test(c, what_does_not_exist_is_not_seen);
    tcase_set_timeout(c, 60);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
