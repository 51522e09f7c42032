/* What a rehearsed corner showed is told as it was. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/tried.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/study.h"
#include "tests/lib/suite.h"

#define REPORT(metric, value, at)                                              \
    "{\"metric\": \"" metric "\", \"step\": 1, \"value\": " value              \
    ", \"time\": " #at "}"

/* A trial that started at 1000, with these other members and reports. */
static void learn(struct tried *t, const char *members, const char *reports)
{
    char *text = mem_format("{\"started\": 1000, %s, \"measurements\": [%s]}",
                            members, reports);
    json_t *trial = json_loads(text, 0, NULL);

    ck_assert_ptr_nonnull(trial);
    tried_init(t);
    tried_learn(t, trial, "accuracy");
    json_decref(trial);
    free(text);
}

static void says(const struct tried *t, const char *wanted)
{
    struct text out;

    text_init(&out);
    tried_print(t, "accuracy", &out);
    ck_assert_str_eq(text_str(&out), wanted);
    text_clear(&out);
}

START_TEST(a_trial_under_way_shows_its_first_report)
{
    struct tried t;

    learn(&t, "\"state\": \"RUNNING\", \"ended\": 0", "");
    ck_assert_int_eq(t.first_ms, -1);
    ck_assert(!t.ended);
    tried_clear(&t);
    learn(&t, "\"state\": \"RUNNING\", \"ended\": 0",
          REPORT("accuracy", "0.5", 1250));
    ck_assert_int_eq(t.first_ms, 250);
    ck_assert_int_eq(t.first_at, 1250);
    ck_assert_int_eq(t.step_ms, -1);
    tried_clear(&t);
}
END_TEST

START_TEST(each_end_has_its_words)
{
    static const struct {
        const char *members, *reports;
        enum tried_how how;
        const char *says;
    } rows[] = {
        {"\"state\": \"SUCCEEDED\", \"ended\": 3000",
         REPORT("accuracy", "0.5", 1250) ", " REPORT("accuracy", "0.75", 1350),
         TRIED_FINE,
         "fine: accuracy=0.75 after 250 ms, then every 100 ms; ended after "
         "2.0s\n"},
        {"\"state\": \"SUCCEEDED\", \"ended\": 1000",
         REPORT("accuracy", "0.5", 1000) ", " REPORT("accuracy", "0.75", 1000),
         TRIED_FINE,
         "fine: accuracy=0.75 after less than 1 ms, the others at once; ended "
         "after less than 1 ms\n"},
        {"\"state\": \"STOPPED\", \"ended\": 3000",
         REPORT("accuracy", "0.5", 1250), TRIED_FINE,
         "fine: accuracy=0.5 after 250 ms\n"},
        {"\"state\": \"STOPPED\", \"ended\": 61000", "", TRIED_SILENT,
         "NOT FINE: had reported nothing when its time was up; --for 10m gives "
         "it more\n"},
        {"\"state\": \"STOPPED\", \"ended\": 61000",
         REPORT("loss", "1", 1100) ", " REPORT(
             "acuracy", "1", 1100) ", " REPORT("loss", "1", 1200),
         TRIED_OTHER,
         "NOT FINE: never reported accuracy, but loss, acuracy; did you mean "
         "acuracy?\n"},
        {"\"state\": \"STOPPED\", \"ended\": 3000",
         REPORT("accuracy", "\"nan\"", 1250) ", " REPORT("accuracy", "0.5",
                                                         1350),
         TRIED_NOT_FINITE,
         "NOT FINE: accuracy was not a finite number at step 1\n"},
        {"\"state\": \"FAILED\", \"reason\": \"exit\", \"ended\": 1100, "
         "\"detail\": \"exit 2: usage\", "
         "\"attempts\": [{\"outcome\": \"exit 2\"}]",
         "", TRIED_AT_ONCE, "NOT FINE: exit 2\n"},
        {"\"state\": \"FAILED\", \"reason\": \"signal\", \"ended\": 1100, "
         "\"attempts\": [{\"outcome\": \"signal 9\"}]",
         REPORT("accuracy", "0.5", 1050), TRIED_BROKE, "NOT FINE: signal 9\n"},
        {"\"state\": \"FAILED\", \"reason\": \"refused\", \"ended\": 1100, "
         "\"detail\": \"no such image\"",
         "", TRIED_REFUSED, "NOT FINE: no such image\n"},
        {"\"state\": \"INFEASIBLE\", \"reason\": \"no_metric\", \"ended\": "
         "1100",
         "", TRIED_SILENT, "NOT FINE: ended well, but reported nothing\n"},
        {"\"state\": \"INFEASIBLE\", \"reason\": \"signal\", \"ended\": 1100, "
         "\"detail\": \"killed for want of memory\"",
         "", TRIED_BROKE, "NOT FINE: killed for want of memory\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct tried t;

        learn(&t, rows[i].members, rows[i].reports);
        ck_assert_int_eq(t.how, rows[i].how);
        ck_assert(t.ended);
        says(&t, rows[i].says);
        tried_clear(&t);
    }
}
END_TEST

START_TEST(last_words_stand_below_and_cannot_move_the_cursor)
{
    struct tried t;

    learn(&t,
          "\"state\": \"FAILED\", \"reason\": \"exit\", \"ended\": 1100, "
          "\"attempts\": [{\"outcome\": \"exit 2\"}]",
          "");
    text_add(&t.output, "usage:\n\033[2Jgone\n");
    says(&t, "NOT FINE: exit 2\n    | usage:\n    | ?[2Jgone\n");
    tried_clear(&t);
}
END_TEST

/* The sum of one trial that is as these members and reports say. */
static void sums(const char *members, const char *reports,
                 const struct tried_plan *plan, const char *wanted)
{
    struct tried t;
    struct text out;

    learn(&t, members, reports);
    text_init(&out);
    tried_sum(&t, 1, plan, &out);
    ck_assert_str_eq(text_str(&out), wanted);
    text_clear(&out);
    tried_clear(&t);
}

START_TEST(the_time_of_the_study_is_told_from_whole_trials_only)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = 41, .parallel = 4};
    const struct tried_plan limited = {
        .metric = "accuracy", .trials = 41, .parallel = 4, .limit_ms = 600000};
    const char *reports =
        REPORT("accuracy", "0.5", 2000) ", " REPORT("accuracy", "0.75", 4000);

    sums("\"state\": \"SUCCEEDED\", \"ended\": 7000", reports, &plan,
         "corners      1 of 1 are fine\n"
         "flags        accepted at 1 of 1\n"
         "metric       accuracy seen at 1 of 1\n"
         "values       finite at 1 of 1\n"
         "first report 1.0s after the start\n"
         "step         2.0s from one report to the next\n"
         "whole trial  6.0s from start to end\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    41 trials, 4 at a time: about 1:06\n");
    sums("\"state\": \"STOPPED\", \"ended\": 7000", reports, &limited,
         "corners      1 of 1 are fine\n"
         "flags        accepted at 1 of 1\n"
         "metric       accuracy seen at 1 of 1\n"
         "values       finite at 1 of 1\n"
         "first report 1.0s after the start\n"
         "step         2.0s from one report to the next\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    41 trials, 4 at a time: not known, for no trial came to "
         "its end here; with 100 reports a trial about 36:29; at most "
         "1:50:00\n");
}
END_TEST

START_TEST(trials_that_were_stopped_make_it_the_least)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = 10, .parallel = 1};
    const char *report = REPORT("accuracy", "0.5", 2000);
    struct tried two[2];
    struct text out;

    learn(&two[0], "\"state\": \"SUCCEEDED\", \"ended\": 4000", report);
    learn(&two[1], "\"state\": \"STOPPED\", \"ended\": 6000", report);
    text_init(&out);
    tried_sum(two, 2, &plan, &out);
    ck_assert_ptr_nonnull(strstr(
        text_str(&out), "the study    10 trials, 1 at a time: at least 40s\n"));
    text_clear(&out);
    tried_clear(&two[0]);
    tried_clear(&two[1]);
}
END_TEST

START_TEST(a_trial_that_was_nan_for_a_while_says_nothing_of_the_time)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = 10, .parallel = 1};

    sums("\"state\": \"SUCCEEDED\", \"ended\": 4000",
         REPORT("accuracy", "\"nan\"", 2000) ", " REPORT("accuracy", "0.5",
                                                         3000),
         &plan,
         "corners      0 of 1 are fine\n"
         "flags        accepted at 1 of 1\n"
         "metric       accuracy seen at 1 of 1\n"
         "values       finite at 0 of 1\n"
         "first report 1.0s after the start\n"
         "step         1.0s from one report to the next\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    10 trials, 1 at a time: not known, for no trial came to "
         "its end here; with 100 reports a trial about 16:40\n");
}
END_TEST

START_TEST(silent_programs_are_told_how_to_report)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = 10, .parallel = 1};

    sums("\"state\": \"INFEASIBLE\", \"reason\": \"no_metric\", "
         "\"ended\": 4000",
         "", &plan,
         "corners      0 of 1 are fine\n"
         "flags        accepted at 1 of 1\n"
         "metric       accuracy seen at 0 of 1: let the program report it, or "
         "metrics: {pattern: …} find it in what it prints\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    10 trials, 1 at a time: not known, for no trial came to "
         "its end here\n");
}
END_TEST

START_TEST(short_studies_take_less_than_a_second)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = 10, .parallel = 1};

    sums("\"state\": \"SUCCEEDED\", \"ended\": 1010",
         REPORT("accuracy", "0.5", 1000), &plan,
         "corners      1 of 1 are fine\n"
         "flags        accepted at 1 of 1\n"
         "metric       accuracy seen at 1 of 1\n"
         "values       finite at 1 of 1\n"
         "first report less than 1 ms after the start\n"
         "whole trial  10 ms from start to end\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    10 trials, 1 at a time: less than a second\n");
}
END_TEST

START_TEST(a_study_without_limit_has_no_time)
{
    const struct tried_plan plan = {
        .metric = "accuracy", .trials = STUDY_MOST_TRIALS, .parallel = 4};

    sums("\"state\": \"FAILED\", \"reason\": \"refused\", \"ended\": 1100", "",
         &plan,
         "corners      0 of 1 are fine\n"
         "memory       not seen: too short, or not on this machine\n"
         "the study    no limit to its trials: it goes on until it is ended\n");
}
END_TEST

SUITE("cli/tried", a_trial_under_way_shows_its_first_report,
      each_end_has_its_words, last_words_stand_below_and_cannot_move_the_cursor,
      the_time_of_the_study_is_told_from_whole_trials_only,
      trials_that_were_stopped_make_it_the_least,
      a_trial_that_was_nan_for_a_while_says_nothing_of_the_time,
      silent_programs_are_told_how_to_report,
      short_studies_take_less_than_a_second, a_study_without_limit_has_no_time)
