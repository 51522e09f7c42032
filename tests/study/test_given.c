/* Trials from outside are read from what an export writes and people write. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/given.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "study/codec.h"
#include "tests/lib/suite.h"

static const char file[] = "study: s\n"
                           "maximize: acc\n"
                           "params:\n"
                           "  lr: log 1e-4 .. 1e-1\n"
                           "  hidden: int 8 .. 64\n"
                           "  batch: [16, 32]\n"
                           "  opt: [adam, \"a,b\"]\n"
                           "  m: 0.5 .. 0.9 if opt = adam\n"
                           "  step: 0 .. 1\n";

static const char several[] = "study: s\n"
                              "objectives: {acc: max, ms: min}\n"
                              "params: {x: 0 .. 1}\n";

static const char *of = file; /* the study that is read */
static struct study study;
static struct given given;
static struct faults faults;

static int read_text(const char *text)
{
    struct faults none;

    faults_init(&none);
    ck_assert_int_eq(codec_decode(of, strlen(of), "s.yaml", &study, &none), 0);
    faults_clear(&none);
    faults_init(&faults);
    return given_read(text, strlen(text), &study, &given, &faults);
}

static void must_read(const char *text)
{
    int rc = read_text(text);

    ck_assert_msg(rc == 0, "%d:%d: %s", faults.items[0].line,
                  faults.items[0].column, faults.items[0].text);
    ck_assert_uint_eq(faults.n, 0);
}

static void forget(void)
{
    given_clear(&given);
    faults_clear(&faults);
    study_clear(&study);
}

static void is_point(size_t i, const char *json)
{
    struct text out;

    text_init(&out);
    ck_assert_uint_lt(i, given.n);
    point_write_json(&given.trials[i].trial.point, &study.space, &out);
    ck_assert_str_eq(text_str(&out), json);
    text_clear(&out);
}

#define WHOLE                                                                  \
    "{\"lr\": 0.01, \"hidden\": 8, \"batch\": 16, \"opt\": \"adam\", \"m\": "  \
    "0.5, \"step\": 0.25}"

START_TEST(csv_of_an_export_is_read)
{
    must_read("number,state,reason,value,step,attempt,created,started,ended,"
              "lr,hidden,batch,opt,m,params.step\n"
              "1,SUCCEEDED,value,0.5,7,1,,,,0.01,8,16,adam,0.5,0.25\n"
              "2,RUNNING,,,0,1,,,,0.01,8,16,adam,0.5,0.25\n"
              "3,STOPPED,user,0.25,3,1,,,,1e-2,8.0,32.0,\"a,b\",,0\n"
              "4,FAILED,exit,,0,1,,,,0.01,8,16,adam,0.5,0.25\n");
    ck_assert_uint_eq(given.n, 3);
    ck_assert_uint_eq(given.unfinished, 1);
    is_point(0, WHOLE);
    is_point(1, "{\"lr\": 0.01, \"hidden\": 8, \"batch\": 32, \"opt\": "
                "\"a,b\", \"step\": 0}");
    ck_assert_int_eq(given.trials[0].trial.state, TRIAL_SUCCEEDED);
    ck_assert_int_eq(given.trials[0].reason, REASON_VALUE);
    ck_assert(given.trials[0].trial.has_value);
    ck_assert_double_eq(given.trials[0].trial.value, 0.5);
    ck_assert_int_eq(given.trials[0].trial.step, 7);
    ck_assert_int_eq(given.trials[1].trial.state, TRIAL_STOPPED);
    ck_assert_double_eq(given.trials[1].trial.value, 0.25);
    ck_assert_int_eq(given.trials[2].trial.state, TRIAL_FAILED);
    ck_assert_int_eq(given.trials[2].reason, REASON_EXIT);
    ck_assert(!given.trials[2].trial.has_value);
    forget();
}
END_TEST

START_TEST(a_table_that_a_person_made_needs_parameters_and_the_metric)
{
    must_read("acc,params.step,m,opt,batch,hidden,lr\n"
              "0.5,0.25,0.5,adam,16,8,0.01\n"
              "nan,0.25,0.5,adam,16,8,0.01\n");
    ck_assert_uint_eq(given.n, 2);
    is_point(0, WHOLE);
    ck_assert_int_eq(given.trials[0].trial.state, TRIAL_SUCCEEDED);
    ck_assert_int_eq(given.trials[1].trial.state, TRIAL_INFEASIBLE);
    ck_assert_int_eq(given.trials[1].reason, REASON_NOT_FINITE);
    forget();
}
END_TEST

START_TEST(json_is_read_as_one_as_lines_as_a_list_and_as_an_answer)
{
    static const char one[] = "{\"params\": " WHOLE ", \"value\": 0.5, "
                              "\"detail\": \"a } b\", \"created\": 5, "
                              "\"forecast\": null}";
    static const char *const shapes[] = {"%s", "%s\n%s\n",
                                         "[\n  %s,\n  %s\n]\n",
                                         "{\"trials\": [%s, %s], \"next\": 0}"};
    char text[1500];

    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
        snprintf(text, sizeof text, shapes[i], one, one);
#pragma GCC diagnostic pop
        must_read(text);
        ck_assert_uint_eq(given.n, i ? 2 : 1);
        is_point(given.n - 1, WHOLE);
        ck_assert_str_eq(given.trials[0].detail, "a } b");
        forget();
    }
    must_read("[]");
    ck_assert_uint_eq(given.n, 0);
    forget();
}
END_TEST

#define LINE(params, rest) "{\"params\": {" params "}" rest "}"
#define GOOD                                                                   \
    "\"lr\": 0.01, \"hidden\": 8, \"batch\": 16, \"opt\": \"a,b\", "           \
    "\"step\": 0"

START_TEST(faults_name_their_place_and_what_is_wrong)
{
    static const struct {
        const char *text;
        int line;
        const char *says;
    } rows[] = {
        {LINE(GOOD, ", \"value\": 1") "\n" LINE(
             "\"lr\": 5, \"hidden\": 8, \"batch\": 16, \"opt\": \"a,b\", "
             "\"step\": 0",
             ", \"value\": 1"),
         2, "lr cannot be 5; it can be 0.0001 .. 0.1"},
        {LINE("\"lr\": 0.01", ", \"value\": 1"), 1,
         "the value of hidden is missing"},
        {LINE("\"rl\": 0.01", ", \"value\": 1"), 1,
         "there is no parameter rl; did you mean lr?"},
        {LINE(GOOD ", \"m\": 0.5", ", \"value\": 1"), 1,
         "m has a value, but it exists only with other values of opt"},
        {LINE(GOOD, ""), 1, "there is no value of acc"},
        {LINE(GOOD, ", \"value\": \"high\""), 1,
         "value cannot be \"high\": a number is wanted"},
        {LINE(GOOD, ", \"value\": [1]"), 1, "a text or number is wanted"},
        {LINE(GOOD, ",\n \"valve\": 1"), 2,
         "a trial has no \"valve\"; did you mean value?"},
        {LINE(GOOD, ", \"state\": \"DONE\""), 1, "state cannot be \"DONE\""},
        {LINE(GOOD, ", \"state\": \"SUCCEEDED\""), 1,
         "a trial that SUCCEEDED has a finite value of acc"},
        {LINE(GOOD, ", \"state\": \"FAILED\", \"value\": 1"), 1,
         "a trial that is FAILED has no value"},
        {LINE(GOOD, ", \"value\": 1, \"step\": 0.5"), 1,
         "a whole number is wanted"},
        {LINE(GOOD, ", \"value\": 1, \"reason\": \"luck\""), 1,
         "reason cannot be \"luck\""},
        {"{\"params\": 5, \"value\": 1}", 1, "a map of parameters"},
        {"{\"value\": 1}", 1, "the value of lr is missing"},
        {"[1]", 1, "is wanted here"},
        {"[" LINE(GOOD, ", \"value\": 1"), 1, "is wanted here"},
        {"[" LINE(GOOD, ", \"value\": 1") "] x", 1, "nothing more is wanted"},
        {"{\"value\": 1", 1, "this { is never closed"},
        {"{\"trials\": [7]}", 1, "a trial is a map"},
        {" \n", 0, "there is no trial in it"},
        {"- number: 1\n", 1, "YAML"},
        {"lr,hiden\n", 1, "a trial has no \"hiden\"; did you mean hidden?"},
        {"lr,lr\n", 1, "the column lr is there twice"},
        {"value,acc\n", 1, "the column acc is there twice"},
        {"lr,value\n0.1\n", 2, "this row has 1 cells"},
        {"lr,value\n0.1,\"\n", 2, "a quote is opened"},
        {"lr,hidden,batch,opt,params.step,value\n0.01,8,16,\"a,b\",0,1\n"
         "0.01,8,17,\"a,b\",0,1\n",
         3, "batch cannot be 17; it can be 16, 32"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ck_assert_msg(read_text(rows[i].text) == -1, "%s", rows[i].text);
        ck_assert_uint_ge(faults.n, 1);
        ck_assert_msg(faults.items[0].line == rows[i].line, "%s: line %d",
                      rows[i].text, faults.items[0].line);
        ck_assert_msg(strstr(faults.items[0].text, rows[i].says) != NULL,
                      "%s: %s", rows[i].text, faults.items[0].text);
        ck_assert_uint_eq(given.n, 0);
        forget();
    }
}
END_TEST

START_TEST(every_fault_is_found_at_once_up_to_a_hundred)
{
    struct text text;

    text_init(&text);
    for (int i = 0; i < 3; i++)
        text_add(&text, "{\"params\": {}, \"value\": 1}\n");
    ck_assert_int_eq(read_text(text_str(&text)), -1);
    ck_assert_uint_eq(faults.n, 3);
    ck_assert_int_eq(faults.items[2].line, 3);
    forget();
    for (int i = 0; i < 300; i++)
        text_add(&text, "{\"params\": {}, \"value\": 1}\n");
    ck_assert_int_eq(read_text(text_str(&text)), -1);
    ck_assert_uint_eq(faults.n, 100);
    forget();
    text_clear(&text);
}
END_TEST

START_TEST(more_trials_than_one_file_may_have_are_refused)
{
    struct text text;

    text_init(&text);
    for (int i = 0; i <= GIVEN_MOST; i++)
        text_add(&text, LINE(GOOD, ", \"value\": 1") "\n");
    ck_assert_int_eq(read_text(text_str(&text)), -1);
    ck_assert_ptr_nonnull(strstr(faults.items[0].text, "divide the file"));
    ck_assert_int_eq(faults.items[0].line, GIVEN_MOST + 1);
    forget();
    text_clear(&text);
}
END_TEST

START_TEST(with_several_objectives_a_trial_has_a_value_of_each)
{
    static const struct {
        const char *text, *fault;
    } rows[] = {
        {"x,acc,ms\n0.5,1,2\n", NULL},
        {"value,values.acc,values.ms,x\n1,1,2,0.5\n", NULL},
        {"{\"params\": {\"x\": 0.5}, \"value\": 1, \"values\": "
         "{\"acc\": 1, \"ms\": 2}}",
         NULL},
        {"{\"params\": {\"x\": 0.5}, \"acc\": 1, \"ms\": \"2\"}", NULL},
        {"x,acc\n0.5,1\n", "no value of ms"},
        {"x,ms\n0.5,1\n", "no value of acc"},
        {"x,acc,ms\n0.5,1,soon\n", "ms cannot be \"soon\""},
        {"x,acc,ms,ms\n0.5,1,2,2\n", "there twice"},
        {"{\"params\": {\"x\": 0.5}, \"values\": {\"acc\": 1, \"s\": 2}}",
         "s is no objective"},
    };

    of = several;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int rc = read_text(rows[i].text);

        if (!rows[i].fault) {
            ck_assert_msg(rc == 0, "%s: %s", rows[i].text,
                          rc ? faults.items[0].text : "");
            ck_assert_int_eq(given.trials[0].trial.state, TRIAL_SUCCEEDED);
            ck_assert_double_eq(given.trials[0].trial.value, 1);
            ck_assert_double_eq(given.trials[0].trial.others[0], 2);
        } else {
            ck_assert_int_eq(rc, -1);
            ck_assert_msg(strstr(faults.items[0].text, rows[i].fault), "%s",
                          faults.items[0].text);
        }
        forget();
    }
    must_read("x,acc,ms\n0.5,1,nan\n");
    ck_assert_int_eq(given.trials[0].trial.state, TRIAL_INFEASIBLE);
    forget();
    of = file;
}
END_TEST

/* The others are called as fields of a trial are. */
START_TEST(an_export_is_read_whatever_its_objectives_are_called)
{
    static const char *const texts[] = {
        "number,state,reason,value,step,values.acc,values.value,values.step,"
        "values.state,x\n1,SUCCEEDED,value,1,7,1,2,3,4,0.5\n",
        "{\"state\": \"SUCCEEDED\", \"params\": {\"x\": 0.5}, \"value\": 1, "
        "\"values\": {\"acc\": 1, \"value\": 2, \"step\": 3, \"state\": 4}, "
        "\"step\": 7}"};

    of = "study: s\n"
         "objectives: {acc: max, value: min, step: max, state: min}\n"
         "params: {x: 0 .. 1}\n";
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct trial *t;

        must_read(texts[i]);
        t = &given.trials[0].trial;
        ck_assert_int_eq(t->step, 7);
        ck_assert_double_eq(t->value, 1);
        for (int k = 0; k < 3; k++)
            ck_assert_double_eq(t->others[k], k + 2);
        forget();
    }
    of = file;
}
END_TEST

SUITE("study/given", an_export_is_read_whatever_its_objectives_are_called,
      with_several_objectives_a_trial_has_a_value_of_each,
      csv_of_an_export_is_read,
      a_table_that_a_person_made_needs_parameters_and_the_metric,
      json_is_read_as_one_as_lines_as_a_list_and_as_an_answer,
      faults_name_their_place_and_what_is_wrong,
      every_fault_is_found_at_once_up_to_a_hundred,
      more_trials_than_one_file_may_have_are_refused)
