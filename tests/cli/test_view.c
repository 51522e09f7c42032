/* What run and watch say of an event and of a study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/view.h"

#include <check.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/print.h"
#include "study/study.h"
#include "tests/lib/suite.h"

static json_t *json(const char *text)
{
    json_t *value = json_loads(text, 0, NULL);

    ck_assert_ptr_nonnull(value);
    return value;
}

static const char study_text[] =
    "{\"name\": \"digits\", \"metric\": \"accuracy\", \"state\": \"ACTIVE\","
    " \"trials\": 40, \"created\": 1000000, \"ended\": 0,"
    " \"counts\": {\"PENDING\": 0, \"LAUNCHING\": 1, \"RUNNING\": 3,"
    "  \"SUCCEEDED\": 9, \"STOPPED\": 1, \"FAILED\": 2},"
    " \"best\": {\"number\": 5, \"value\": 0.98123456,"
    "  \"params\": {\"lr\": 0.0123456789, \"hidden\": 64}}}";

/* The line of one event of that kind with that body. Yours to free. */
static char *line_of(const char *kind, const char *body)
{
    char *text =
        mem_format("{\"id\": 1, \"kind\": \"%s\", \"body\": %s}", kind, body);
    json_t *event = json(text), *study = json(study_text);
    struct text out;

    text_init(&out);
    view_event_line(event, study, &out);
    json_decref(study);
    json_decref(event);
    free(text);
    return out.data ? text_take(&out) : mem_copy_text("");
}

START_TEST(each_event_has_the_line_of_the_manual)
{
    static const char *const rows[][3] = {
        {"trial",
         "{\"number\": 7, \"from\": \"RUNNING\", \"to\": \"SUCCEEDED\","
         " \"reason\": \"value\", \"detail\": \"\", \"value\": 0.9731,"
         " \"params\": {\"learning_rate\": 0.0123, \"hidden\": 64},"
         " \"best_number\": 5, \"best_value\": 0.9812}",
         "Trial 7 SUCCEEDED accuracy=0.9731 learning_rate=0.0123 hidden=64  "
         "best: trial 5 0.9812"},
        {"trial",
         "{\"number\": 9, \"from\": \"STOPPING\", \"to\": \"STOPPED\","
         " \"reason\": \"early\", \"detail\": \"and 0.1 at best\", \"value\": "
         "0.1,"
         " \"params\": {\"opt\": \"adam\"}}",
         "Trial 9 STOPPED and 0.1 at best  accuracy=0.1  opt=adam"},
        {"trial",
         "{\"number\": 8, \"from\": \"RUNNING\", \"to\": \"FAILED\","
         " \"reason\": \"exit\", \"detail\": \"exit 1: no\\u001b[2J file\","
         " \"value\": null, \"params\": {\"opt\": \"adam\"},"
         " \"best_number\": 0, \"best_value\": null}",
         "Trial 8 FAILED exit 1: no?[2J file  opt=adam"},
        {"trial",
         "{\"number\": 3, \"from\": \"RUNNING\", \"to\": \"SUCCEEDED\","
         " \"reason\": \"value\", \"detail\": \"\", \"value\": 0.5,"
         " \"params\": {\"a\": \"\", \"b\": \"it's a dog\", \"c\": \"x=1\"}}",
         "Trial 3 SUCCEEDED accuracy=0.5 a='' b='it'\\''s a dog' c=x=1"},
        {"trial",
         "{\"number\": 9, \"from\": \"STOPPING\", \"to\": \"STOPPED\","
         " \"reason\": \"user\", \"detail\": \"\", \"value\": null,"
         " \"params\": {}}",
         "Trial 9 STOPPED user"},
        {"trial",
         "{\"number\": 9, \"from\": \"STOPPING\", \"to\": \"STOPPED\","
         " \"reason\": \"early\", \"detail\": \"hopeless\", \"value\": 0.5,"
         " \"params\": {\"x\": 1}}",
         "Trial 9 STOPPED hopeless  accuracy=0.5  x=1"},
        {"trial",
         "{\"number\": 2, \"from\": \"RUNNING\", \"to\": \"PENDING\","
         " \"reason\": \"lost\", \"detail\": \"\"}",
         "Trial 2 PENDING again lost"},
        {"trial",
         "{\"number\": 2, \"from\": \"LAUNCHING\", \"to\": \"RUNNING\"}", ""},
        {"study",
         "{\"from\": \"ACTIVE\", \"to\": \"PAUSED\","
         " \"reason\": \"by a person\"}",
         "Study digits PAUSED: by a person"},
        {"study", "{\"from\": \"ENDING\", \"to\": \"SUCCEEDED\"}", ""},
        {"warning", "{\"text\": \"the disk is full\"}",
         "Warning: the disk is full"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *line = line_of(rows[i][0], rows[i][1]);

        ck_assert_str_eq(line, rows[i][2]);
        free(line);
    }
}
END_TEST

START_TEST(the_block_tells_how_far_it_is_and_for_how_long)
{
    const struct view_clock clock = {
        .ran_ms = 60000, .watched_ms = 50000, .done_at_first = 5};
    json_t *study = json(study_text);
    struct text out;

    text_init(&out);
    view_block(study, &clock, 100, &out);
    ck_assert_str_eq(
        text_str(&out),
        "digits  [########>>>...................] 10/40 done, 4 running, 2 "
        "failed\n"
        "best    trial 5  accuracy=0.981235  lr=0.0123457 hidden=64\n"
        "time    1:00 elapsed, about 5:00 left\n");
    text_clear(&out);
    json_decref(study);
}
END_TEST

START_TEST(a_study_without_an_end_has_no_limit)
{
    const struct view_clock clock = {
        .ran_ms = 60000, .watched_ms = 50000, .done_at_first = 5};
    json_t *study = json(study_text);
    struct text out;

    text_init(&out);
    view_done(study, &out);
    text_add(&out, "; ");
    view_wanted(study, &out);
    ck_assert_str_eq(text_str(&out), "10/40; 40 wanted");
    text_reset(&out);
    json_object_set_new(study, "trials", json_integer(STUDY_MOST_TRIALS));
    view_done(study, &out);
    text_add(&out, "; ");
    view_wanted(study, &out);
    ck_assert_str_eq(text_str(&out), "10, no limit; no limit");
    text_reset(&out);
    view_block(study, &clock, 100, &out);
    ck_assert_str_eq(
        text_str(&out),
        "digits  10 done, no limit, 4 running, 2 failed\n"
        "best    trial 5  accuracy=0.981235  lr=0.0123457 hidden=64\n"
        "time    1:00 elapsed\n");
    text_clear(&out);
    json_decref(study);
}
END_TEST

START_TEST(no_line_of_the_block_is_wider_than_the_screen)
{
    const struct view_clock clock = {.ran_ms = 60000, .done_at_first = 10};
    json_t *study = json(study_text);

    for (size_t width = 5; width < 90; width++) {
        struct text out;
        char *rest, *line, *all;

        text_init(&out);
        view_block(study, &clock, width, &out);
        rest = all = text_take(&out);
        while ((line = strsep(&rest, "\n")))
            ck_assert_uint_le(print_width(line), width);
        free(all);
    }
    json_decref(study);
}
END_TEST

START_TEST(on_a_narrow_screen_the_bar_gives_way)
{
    static const struct {
        size_t width;
        const char *line;
    } rows[] = {
        {60, "digits  [#####>>...........] 10/40 done, 4 running, 2 failed\n"},
        {47, "digits  10/40 done, 4 running, 2 failed\n"},
    };
    const struct view_clock clock = {.ran_ms = 60000, .done_at_first = 10};
    json_t *study = json(study_text);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text out;

        text_init(&out);
        view_block(study, &clock, rows[i].width, &out);
        ck_assert_int_eq(
            strncmp(text_str(&out), rows[i].line, strlen(rows[i].line)), 0);
        text_clear(&out);
    }
    json_decref(study);
}
END_TEST

START_TEST(a_study_that_was_there_goes_on_or_says_how_it_would)
{
    static const char *const rows[][2] = {
        {"ACTIVE", "Study s was there: going on with it"},
        {"PAUSED", "Study s was there: going on with it"},
        {"SUCCEEDED", "Study s was there and has ended: raise its `trials` and "
                      "it goes on, or `hypertune delete s` and it begins anew"},
        {"CANCELLED", "Study s was there and was cancelled: `hypertune delete "
                      "s` and it begins anew"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        json_t *study = json("{\"name\": \"s\"}");
        struct text out;

        json_object_set_new(study, "state", json_string(rows[i][0]));
        text_init(&out);
        view_resumed(study, &out);
        ck_assert_str_eq(text_str(&out), rows[i][1]);
        text_clear(&out);
        json_decref(study);
    }
}
END_TEST

START_TEST(a_study_without_best_trial_says_so)
{
    json_t *study = json("{\"name\": \"s\", \"state\": \"FAILED\","
                         " \"created\": 1000, \"ended\": 63000, \"best\": null,"
                         " \"counts\": {\"FAILED\": 3}}");
    const struct view_span span = {.since_ms = 1000};
    struct text out;

    text_init(&out);
    view_summary(study, json_object_get(study, "best"), NULL, &span, &out);
    ck_assert_str_eq(text_str(&out), "Study s FAILED: 3 failed in 1:02\n"
                                     "Best: none, no trial succeeded\n");
    text_clear(&out);
    json_decref(study);
}
END_TEST

START_TEST(a_job_without_a_value_succeeded_all_the_same)
{
    json_t *study = json("{\"name\": \"s\", \"state\": \"SUCCEEDED\","
                         " \"created\": 1000, \"ended\": 2000, \"best\": null,"
                         " \"counts\": {\"SUCCEEDED\": 1}}");
    const struct view_span span = {.ran_ms = 1000};
    struct text out;

    text_init(&out);
    view_summary(study, json_object_get(study, "best"), NULL, &span, &out);
    ck_assert_ptr_nonnull(
        strstr(text_str(&out), "\nBest: none, no value was reported\n"));
    text_clear(&out);
    json_decref(study);
}
END_TEST

START_TEST(the_summary_has_every_parameter_and_the_place_of_the_output)
{
    json_t *study = json(study_text);
    const struct view_span span = {.since_ms = 1000};
    struct text out;

    text_init(&out);
    view_summary(study, json_object_get(study, "best"), "/x/1-digits/5", &span,
                 &out);
    ck_assert_str_eq(text_str(&out),
                     "Study digits ACTIVE: 1 launching, 3 running, 9 "
                     "succeeded, 1 stopped, 2 failed\n"
                     "Best: trial 5  accuracy=0.981235\n"
                     "  lr      0.0123457\n"
                     "  hidden  64\n"
                     "  output  /x/1-digits/5\n");
    text_clear(&out);
    json_decref(study);
}
END_TEST

START_TEST(only_the_time_in_which_a_study_ran_is_counted)
{
    static const struct {
        int64_t at;
        const char *kind, *to;
        int64_t ran_at_20000;
    } rows[] = {
        {2000, "trial", "PENDING", 19000},   {3000, "study", "PAUSED", 2000},
        {9000, "study", "ACTIVE", 13000},    {10000, "study", "ENDING", 13000},
        {11000, "study", "SUCCEEDED", 4000}, {15000, "study", "ACTIVE", 9000},
        {16000, "study", "FAILED", 5000},
    };
    struct view_span span = {.since_ms = 1000};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text =
            mem_format("{\"time\": %lld, \"kind\": \"%s\","
                       " \"body\": {\"to\": \"%s\"}}",
                       (long long)rows[i].at, rows[i].kind, rows[i].to);
        json_t *event = json(text);

        view_span_event(&span, event);
        ck_assert_int_eq(view_span_ms(&span, 20000), rows[i].ran_at_20000);
        json_decref(event);
        free(text);
    }
}
END_TEST

SUITE("cli/view", only_the_time_in_which_a_study_ran_is_counted,
      each_event_has_the_line_of_the_manual,
      the_block_tells_how_far_it_is_and_for_how_long,
      a_study_without_an_end_has_no_limit,
      no_line_of_the_block_is_wider_than_the_screen,
      on_a_narrow_screen_the_bar_gives_way,
      a_study_that_was_there_goes_on_or_says_how_it_would,
      a_study_without_best_trial_says_so,
      a_job_without_a_value_succeeded_all_the_same,
      the_summary_has_every_parameter_and_the_place_of_the_output)
