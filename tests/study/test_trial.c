/* Trials move along the picture in study/trial.h and nowhere else. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/trial.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

/* Rows are from, columns to, in the order of the states. */
static const char *const picture[TRIAL_STATES] = {
    /* PLRS SSIF */
    ".x..xxxx", /* PENDING: the last four when put in with a result */
    "x.xxx.xx", /* LAUNCHING */
    "x..xx.xx", /* RUNNING */
    "x...xxxx", /* STOPPING */
    "........", /* SUCCEEDED */
    "x.......", /* STOPPED: a person said retry */
    "x.......", /* INFEASIBLE */
    "x.......", /* FAILED */
};

START_TEST(a_trial_moves_only_as_the_picture_shows)
{
    for (unsigned from = 0; from < TRIAL_STATES; from++)
        for (unsigned to = 0; to < TRIAL_STATES; to++) {
            enum trial_state s = (enum trial_state)from;
            struct err e = {.code = ERR_NONE};
            bool moves = picture[from][to] == 'x';
            int rc = trial_state_move(&s, (enum trial_state)to, &e);

            ck_assert_msg((rc == 0) == moves, "%u to %u", from, to);
            ck_assert_uint_eq(s, moves ? to : from);
            ck_assert_int_eq(e.code, moves ? ERR_NONE : ERR_CONFLICT);
        }
}
END_TEST

START_TEST(a_move_that_is_refused_names_both_states)
{
    enum trial_state s = TRIAL_SUCCEEDED;
    struct err e;

    ck_assert_int_eq(trial_state_move(&s, TRIAL_RUNNING, &e), -1);
    ck_assert_str_eq(e.text, "a trial that is SUCCEEDED cannot become RUNNING");
}
END_TEST

START_TEST(states_and_reasons_are_read_as_they_are_printed)
{
    for (unsigned i = 0; i < TRIAL_STATES; i++) {
        enum trial_state s = TRIAL_STATES;

        ck_assert(trial_state_read(trial_state_name((enum trial_state)i), &s));
        ck_assert_uint_eq(s, i);
        ck_assert(trial_state_ended(s) == (i >= TRIAL_SUCCEEDED));
    }
    for (unsigned i = 0; i < REASONS; i++) {
        enum trial_reason r = REASONS;

        ck_assert(
            trial_reason_read(trial_reason_name((enum trial_reason)i), &r));
        ck_assert_uint_eq(r, i);
    }
}
END_TEST

START_TEST(other_words_are_neither_states_nor_reasons)
{
    enum trial_state s = TRIAL_RUNNING;
    enum trial_reason r = REASON_EARLY;

    ck_assert(!trial_state_read("running", &s));
    ck_assert(!trial_state_read("", &s));
    ck_assert(!trial_reason_read("VALUE", &r));
    ck_assert(s == TRIAL_RUNNING && r == REASON_EARLY);
}
END_TEST

SUITE("study/trial", a_trial_moves_only_as_the_picture_shows,
      a_move_that_is_refused_names_both_states,
      states_and_reasons_are_read_as_they_are_printed,
      other_words_are_neither_states_nor_reasons)
