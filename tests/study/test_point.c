/* Points: read, printed, settled, and refused with the name of the culprit. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/point.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

static const char file[] =
    "maximize: a\n"
    "params:\n"
    "  lr: log 1e-4 .. 1e-1\n"
    "  drop: 0.0 .. 0.3 step 0.1 default 0.2\n"
    "  hidden: int 8 .. 256 step 8\n"
    "  batch: [10000000000, 10000000001, 016, 0.50]\n"
    "  flag: [yes, no, 1]\n"
    "  opt: [adam, sgd]\n"
    "  momentum: 0.5 .. 0.99 if opt = sgd\n"
    "  nesterov: {values: [true, false], when: {opt: sgd}}\n"
    "  decay: 1 .. 2 if nesterov = true\n";

static const char adam[] =
    "{\"lr\": 0.01, \"drop\": 0.1, \"hidden\": 64, \"batch\": \"016\", "
    "\"flag\": \"no\", \"opt\": \"adam\"}";

static struct study study;

static void set_up(const char *json, struct point *p)
{
    struct err e = {.code = ERR_NONE};

    read_good(file, &study);
    ck_assert_msg(point_read_json(p, &study.space, json, &e) == 0, "%s",
                  e.text);
}

static void tear_down(struct point *p)
{
    point_clear(p);
    study_clear(&study);
}

START_TEST(a_point_reads_back_as_it_was_written)
{
    struct point p, again;
    struct text out, twice;
    struct err e;

    set_up("{\"opt\": \"sgd\", \"lr\": 0.1, \"drop\": 0.30000000000000004,"
           "\"hidden\": \"16\", \"batch\": 10000000001, \"flag\": 1,"
           "\"momentum\": 0.9, \"nesterov\": true, \"decay\": 1.5}",
           &p);
    text_init(&out);
    text_init(&twice);
    point_write_json(&p, &study.space, &out);
    ck_assert_str_eq(text_str(&out),
                     "{\"lr\": 0.1, \"drop\": 0.3, \"hidden\": 16, "
                     "\"batch\": 10000000001, \"flag\": \"1\", "
                     "\"opt\": \"sgd\", \"momentum\": 0.9, "
                     "\"nesterov\": \"true\", \"decay\": 1.5}");
    ck_assert_int_eq(point_read_json(&again, &study.space, text_str(&out), &e),
                     0);
    ck_assert(point_same(&p, &again, &study.space));
    ck_assert(point_in(&p, &study.space));
    point_write_json(&again, &study.space, &twice);
    ck_assert_str_eq(text_str(&out), text_str(&twice));
    text_clear(&out);
    text_clear(&twice);
    point_clear(&again);
    tear_down(&p);
}
END_TEST

START_TEST(values_print_as_a_command_line_wants_them)
{
    static const char *const want[] = {"0.01", "0.1", "64",
                                       "016",  "no",  "adam"};
    struct point p;
    struct text out;

    set_up(adam, &p);
    text_init(&out);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        text_reset(&out);
        value_print(&study.space.params[i], &p.values[i], &out);
        ck_assert_str_eq(text_str(&out), want[i]);
    }
    text_clear(&out);
    tear_down(&p);
}
END_TEST

START_TEST(children_exist_while_their_conditions_hold)
{
    struct point p;

    set_up(adam, &p);
    ck_assert(!p.values[6].active && !p.values[7].active &&
              !p.values[8].active);
    p.values[5].choice = 1;
    p.values[6].real = 0.9;
    p.values[7].choice = 0;
    p.values[8].real = 1;
    ck_assert(!point_in(&p, &study.space));
    point_settle(&p, &study.space);
    ck_assert(p.values[6].active && p.values[7].active && p.values[8].active);
    ck_assert(point_in(&p, &study.space));
    p.values[7].choice = 1;
    point_settle(&p, &study.space);
    ck_assert(p.values[7].active && !p.values[8].active);
    tear_down(&p);
}
END_TEST

START_TEST(what_a_parameter_does_not_hold_is_not_read)
{
    static const struct {
        size_t param;
        const char *text;
    } rows[] = {{0, "0.2"},  {0, "nan"},     {0, ""},      {0, "0.01x"},
                {1, "0.15"}, {1, "0.4"},     {1, "inf"},   {1, "-0.1"},
                {2, "9"},    {2, "8.5"},     {2, "1e99"},  {3, "12"},
                {3, "inf"},  {3, "nan"},     {4, "maybe"}, {4, "YES"},
                {5, ""},     {5, "adam sgd"}};
    struct point p;

    set_up(adam, &p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct value v = {.active = false, .whole = 77};

        ck_assert_msg(
            !value_read(&study.space.params[rows[i].param], rows[i].text, &v),
            "%zu: %s", rows[i].param, rows[i].text);
        ck_assert(!v.active && v.whole == 77);
    }
    tear_down(&p);
}
END_TEST

START_TEST(a_wrong_point_is_refused_by_name)
{
    static const struct {
        const char *json, *sentence;
    } rows[] = {
        {"{\"lr\": 5}", "lr cannot be 5; it can be 0.0001 .. 0.1"},
        {"{\"lr\": 0.01, \"drop\": 0.15}",
         "drop cannot be 0.15; it can be 0 .. 0.3 in steps of 0.1"},
        {"{\"lr\": 0.01, \"drop\": 0.1}", "the value of hidden is missing"},
        {"{\"hiden\": 8}", "there is no parameter hiden; did you mean hidden?"},
        {"{\"zzzzzzz\": 8}", "there is no parameter zzzzzzz"},
        {"[]", "a point is a map of parameters and their values"},
        {"{\"lr\": 0.01, \"drop\": 0, \"hidden\": 8, \"batch\": 0.5, "
         "\"flag\": \"1\", \"opt\": \"adam\", \"momentum\": 0.9}",
         "momentum has a value, but it exists only with other values of opt"},
        {"{\"lr\": [1]}", "lr cannot be this; it can be 0.0001 .. 0.1"},
    };
    struct point p;

    set_up(adam, &p);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct point none;
        struct err e;

        ck_assert_int_eq(point_read_json(&none, &study.space, rows[i].json, &e),
                         -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_str_eq(e.text, rows[i].sentence);
    }
    tear_down(&p);
}
END_TEST

START_TEST(the_middle_is_where_to_begin)
{
    struct point p, middle;
    struct text out;

    set_up(adam, &p);
    point_middle(&middle, &study.space);
    ck_assert(point_in(&middle, &study.space));
    text_init(&out);
    value_print(&study.space.params[1], &middle.values[1], &out);
    text_add(&out, " ");
    value_print(&study.space.params[2], &middle.values[2], &out);
    text_add(&out, " ");
    value_print(&study.space.params[5], &middle.values[5], &out);
    ck_assert_str_eq(text_str(&out), "0.2 136 adam");
    ck_assert_double_eq_tol(middle.values[0].real, 0.0031622776601683794,
                            1e-12);
    text_clear(&out);
    point_clear(&middle);
    tear_down(&p);
}
END_TEST

START_TEST(a_copy_is_the_same_point)
{
    struct point p, copy;

    set_up(adam, &p);
    point_copy(&copy, &p);
    ck_assert(point_same(&p, &copy, &study.space));
    copy.values[2].whole = 8;
    ck_assert(!point_same(&p, &copy, &study.space));
    point_clear(&copy);
    tear_down(&p);
}
END_TEST

SUITE("study/point", a_point_reads_back_as_it_was_written,
      values_print_as_a_command_line_wants_them,
      children_exist_while_their_conditions_hold,
      what_a_parameter_does_not_hold_is_not_read,
      a_wrong_point_is_refused_by_name, the_middle_is_where_to_begin,
      a_copy_is_the_same_point)
