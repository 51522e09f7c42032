/* With several objectives, the best are those that no other trial beats. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/front.h"

#include "tests/lib/suite.h"

/* The goal is maximised, the other objective minimised. */
static struct study_objective latency = {"latency", false};
static const struct study two = {
    .maximize = true, .others = &latency, .n_others = 1};

static struct trial ended(enum trial_state state, double value, double other)
{
    return (struct trial){
        .state = state, .has_value = true, .value = value, .others = {other}};
}

START_TEST(values_are_turned_so_that_larger_is_better)
{
    struct trial t = ended(TRIAL_SUCCEEDED, 3, 5);

    ck_assert_uint_eq(front_objectives(&two), 2);
    ck_assert_double_eq(front_value(&two, &t, 0), 3);
    ck_assert_double_eq(front_value(&two, &t, 1), -5);
}
END_TEST

START_TEST(a_trial_beats_what_is_nowhere_better_and_somewhere_worse)
{
    struct trial a = ended(TRIAL_SUCCEEDED, 3, 5);
    struct trial less = ended(TRIAL_SUCCEEDED, 2, 5);
    struct trial slower = ended(TRIAL_SUCCEEDED, 3, 6);
    struct trial other = ended(TRIAL_SUCCEEDED, 2, 4);

    ck_assert(front_beats(&two, &a, &less));
    ck_assert(front_beats(&two, &a, &slower));
    ck_assert(!front_beats(&two, &a, &other));
    ck_assert(!front_beats(&two, &other, &a));
    ck_assert(!front_beats(&two, &a, &a));
}
END_TEST

START_TEST(the_front_has_equal_ones_and_no_stopped_or_failed_one)
{
    struct trial trials[] = {
        ended(TRIAL_SUCCEEDED, 3, 5), ended(TRIAL_SUCCEEDED, 2, 6),
        ended(TRIAL_SUCCEEDED, 1, 1), ended(TRIAL_SUCCEEDED, 3, 5),
        ended(TRIAL_STOPPED, 9, 0),   ended(TRIAL_RUNNING, 9, 0),
        {.state = TRIAL_SUCCEEDED}, /* without a value */
    };
    static const bool want[] = {true, false, true, true, false, false, false};
    bool on[7];

    ck_assert_uint_eq(front_of(&two, trials, 7, on), 3);
    for (int i = 0; i < 7; i++)
        ck_assert_int_eq(on[i], want[i]);
    ck_assert_uint_eq(front_of(&two, trials, 0, on), 0);
}
END_TEST

START_TEST(with_one_objective_it_is_the_best)
{
    static const struct study one = {.maximize = false};
    struct trial trials[] = {ended(TRIAL_SUCCEEDED, 3, 0),
                             ended(TRIAL_SUCCEEDED, 1, 9),
                             ended(TRIAL_SUCCEEDED, 2, 0)};
    bool on[3];

    ck_assert_uint_eq(front_of(&one, trials, 3, on), 1);
    ck_assert(on[1]);
}
END_TEST

START_TEST(values_are_written_by_name_and_read_back)
{
    struct study s = {
        .metric = (char *)"accuracy", .others = &latency, .n_others = 1};
    struct trial t = {0};
    struct text out;

    text_init(&out);
    front_write_values(&s, 0.1, (double[]){2.5}, &out);
    ck_assert_str_eq(text_str(&out), "{\"accuracy\": 0.1, \"latency\": 2.5}");
    ck_assert(front_read_values(&s, text_str(&out), &t));
    ck_assert_double_eq(t.others[0], 2.5);
    ck_assert(!front_read_values(&s, "", &t));
    ck_assert(!front_read_values(&s, "{\"accuracy\": 1}", &t));
    ck_assert(!front_read_values(&s, "[1]", &t));
    ck_assert(!front_read_values(&s, "{\"latency\": \"x\"}", &t));
    s.n_others = 0;
    text_reset(&out);
    front_write_values(&s, 0.1, NULL, &out);
    ck_assert_uint_eq(out.len, 0);
    ck_assert(front_read_values(&s, "", &t));
    text_clear(&out);
}
END_TEST

SUITE("study/front", values_are_written_by_name_and_read_back,
      values_are_turned_so_that_larger_is_better,
      a_trial_beats_what_is_nowhere_better_and_somewhere_worse,
      the_front_has_equal_ones_and_no_stopped_or_failed_one,
      with_one_objective_it_is_the_best)
