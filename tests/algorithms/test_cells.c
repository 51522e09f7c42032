/* Every point of a finite space has its number. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/cells.h"

#include <stdlib.h>

#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

/* Each index gives a point of the space that has this index, and points are
 * different. Returns how many there are. */
static uint64_t walk(const struct study *s)
{
    struct cells c;
    struct point p, last;
    uint64_t total = 0;

    cells_init(&c, &s->space);
    point_init(&p, &s->space);
    point_init(&last, &s->space);
    for (uint64_t i = 0; i < c.total; i++) {
        cells_point(&c, i, &p);
        ck_assert(point_in(&p, &s->space));
        ck_assert_uint_eq(cells_index(&c, &p), i);
        ck_assert(i == 0 || !point_same(&p, &last, &s->space));
        point_clear(&last);
        point_copy(&last, &p);
    }
    total = c.total;
    point_clear(&p);
    point_clear(&last);
    cells_clear(&c);
    return total;
}

START_TEST(each_point_is_met_once)
{
    struct study s;

    spaces_tiny(&s);
    ck_assert_uint_eq(walk(&s), 6);
    spaces_clear(&s);
    spaces_stepped(&s);
    ck_assert_uint_eq(walk(&s), 360);
    spaces_clear(&s);
    spaces_single(&s);
    ck_assert_uint_eq(walk(&s), 1);
    spaces_clear(&s);
}
END_TEST

START_TEST(children_are_counted_only_under_their_parents)
{
    struct study s;

    spaces_conditional(&s);
    s.space.params[1].step = 0.07;             /* 8 momentums */
    s.space.params[3].step = (0.1 - 1e-4) / 4; /* 5 rates */
    /* optimizers 0 and 2 alone, or 1 with momentum and either a schedule
     * with its 50 periods or one without, and 5 rates for each:
     * (2 + 8 (50 + 1)) 5. */
    ck_assert_uint_eq(walk(&s), 2050);
    spaces_clear(&s);
}
END_TEST

START_TEST(the_last_parameter_turns_fastest)
{
    struct study s;
    struct cells c;
    struct point p;

    spaces_tiny(&s);
    cells_init(&c, &s.space);
    point_init(&p, &s.space);
    for (uint64_t i = 0; i < 6; i++) {
        cells_point(&c, i, &p);
        ck_assert_uint_eq(p.values[0].choice, i / 3);
        ck_assert_int_eq(p.values[1].whole, (int64_t)(i % 3) - 1);
    }
    point_clear(&p);
    cells_clear(&c);
    spaces_clear(&s);
}
END_TEST

START_TEST(what_cannot_be_counted_is_endless)
{
    struct study s;
    struct cells c;

    spaces_continuous(&s);
    cells_init(&c, &s.space);
    ck_assert_uint_eq(c.total, UINT64_MAX);
    cells_clear(&c);
    spaces_clear(&s);
    spaces_huge(&s);
    cells_init(&c, &s.space);
    ck_assert_uint_eq(c.total, UINT64_MAX);
    cells_clear(&c);
    spaces_clear(&s);
}
END_TEST

START_TEST(a_wide_integer_parent_is_counted_without_a_walk)
{
    struct study s;
    struct cells c;
    struct point p;
    struct param *k = NULL;

    spaces_tiny(&s);
    k = &s.space.params[1];
    k->low = 0;
    k->high = (INT64_C(1) << 40) - 1;
    /* a child that exists only where the integer is 1,000 */
    k = spaces_add(&s, PARAM_INTEGER, "child");
    k->low = 1;
    k->high = 5;
    k->parent = 1;
    k->n_when = 1;
    k->when = calloc(1, sizeof *k->when);
    k->when[0] = (struct value){.active = true, .whole = 1000};
    cells_init(&c, &s.space);
    point_init(&p, &s.space);
    ck_assert_uint_eq(c.total, 2 * ((UINT64_C(1) << 40) + 4));
    for (uint64_t i = 998; i < 1008; i++) {
        cells_point(&c, i, &p);
        ck_assert(point_in(&p, &s.space));
        ck_assert_uint_eq(cells_index(&c, &p), i);
        ck_assert(p.values[2].active == (i >= 1000 && i < 1005));
    }
    point_clear(&p);
    cells_clear(&c);
    spaces_clear(&s);
}
END_TEST

SUITE("algorithms/cells", each_point_is_met_once,
      children_are_counted_only_under_their_parents,
      the_last_parameter_turns_fastest, what_cannot_be_counted_is_endless,
      a_wide_integer_parent_is_counted_without_a_walk)
