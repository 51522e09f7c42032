/* Lines of reports are read, and what is none is refused. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/suite.h"

static int read_line(const char *line, const char *goal, struct report *r)
{
    struct err e;

    return report_read_line(line, strlen(line), goal, r, &e);
}

START_TEST(a_line_of_the_python_package_is_a_report)
{
    struct report r;

    ck_assert_int_eq(
        read_line("{\"acc\": \"0.30000000000000004\", \"checkpoint_path\": "
                  "\"\", \"global_step\": \"3\", \"timestamp\": "
                  "1795219602.74, \"trial\": \"7\"}",
                  NULL, &r),
        0);
    ck_assert_str_eq(r.metric, "acc");
    ck_assert(r.value == 0.1 + 0.2 && r.step == 3);
    ck_assert(r.time_s == 1795219602.74);
}
END_TEST

START_TEST(the_metric_is_the_goal_or_the_one_key_that_is_not_fixed)
{
    static const struct {
        const char *line, *goal, *metric; /* metric NULL: refused */
        double value;
        int64_t step;
    } rows[] = {
        {"{\"a\": 1, \"b\": \"2\"}", "b", "b", 2, 0},
        {"{\"b\": \"2\", \"a\": 1}", "b", "b", 2, 0},
        {"{\"a\": 1, \"b\": 2}", "c", NULL, 0, 0},
        {"{\"a\": 1, \"note\": \"best so far\", \"l\": [1, {\"b\": 2}]}", "c",
         "a", 1, 0},
        {"{\"trial\": \"5.0\", \"timestamp\": 1}", "trial", "trial", 5, 0},
        {"{\"trial\": \"5.0\", \"loss\": 2}", "trial", "loss", 2, 0},
        {"{\"trial\": \"5.0\"}", "loss", NULL, 0, 0},
        {"{\"sequence\": \"0.5\", \"trial\": \"1\"}", NULL, "sequence", 0.5, 0},
        {"{\"sequence\": \"12-ab-1\", \"trial\": \"1\"}", NULL, NULL, 0, 0},
        {"{\"a\": 1, \"global_step\": 2.0}", NULL, "a", 1, 2},
        {"{\"a\": 1, \"global_step\": \"1e3\"}", NULL, "a", 1, 1000},
        {"{\"a\": 1, \"global_step\": \"x\"}", NULL, "a", 1, 0},
        {"{\"a\": 1, \"global_step\": 1e300}", NULL, "a", 1, 0},
        {"{\"a\": \"1e400\"}", NULL, "a", (double)INFINITY, 0},
        {"{\"a\": 1e400}", NULL, "a", (double)INFINITY, 0},
        {"{\"a\": \"-inf\"}", NULL, "a", (double)-INFINITY, 0},
        {"{\"a\": -Infinity}", NULL, "a", (double)-INFINITY, 0},
        {"{\"a\": 123456789012345678901234567890}", NULL, "a",
         123456789012345678901234567890.0, 0},
        {"{\"training/hptuning/metric\": \"0.5\"}", "loss",
         "training/hptuning/metric", 0.5, 0},
        {"{\"\\u00e9\\ud83d\\ude00\\ud83d\": 1}", NULL,
         "\xc3\xa9\xf0\x9f\x98\x80\xef\xbf\xbd", 1, 0},
        {"{\"a\xff\": 1}", NULL, "a\xef\xbf\xbd", 1, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct report r;
        int result = read_line(rows[i].line, rows[i].goal, &r);

        ck_assert_msg((result == 0) == (rows[i].metric != NULL), "%s",
                      rows[i].line);
        if (result < 0)
            continue;
        ck_assert_str_eq(r.metric, rows[i].metric);
        ck_assert_msg(r.value == rows[i].value, "%s", rows[i].line);
        ck_assert_int_eq(r.step, rows[i].step);
    }
}
END_TEST

START_TEST(nan_is_a_value_in_either_spelling)
{
    struct report r;

    ck_assert_int_eq(read_line("{\"a\": \"nan\"}", NULL, &r), 0);
    ck_assert(isnan(r.value));
    ck_assert_int_eq(read_line("{\"a\": NaN}", NULL, &r), 0);
    ck_assert(isnan(r.value));
}
END_TEST

START_TEST(half_lines_and_noise_are_refused)
{
    static const char whole[] =
        "{\"a\": \"0.5\", \"l\": [\"]\", {}], \"global_step\": \"\\u0033\"}";
    static const char *const noise[] = {
        "",
        "hello",
        "[1]",
        "null",
        "{}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\": true}",
        "{a: 1}",
        "{\"a\": 1} x",
        "{\"a\": 1,}",
        "{\"a\": \"\\x\"}",
        "{\"a\": 1 {\"b\": 2}}",
        "{\"a\": \"\\u12\"}",
        "{\"a\": 1}{\"a\": 1}",
        "{\"a\": \"0x10\"}",
    };
    struct report r;

    for (size_t i = 0; i < sizeof noise / sizeof noise[0]; i++)
        ck_assert_msg(read_line(noise[i], "a", &r) == -1, "%s", noise[i]);
    ck_assert_int_eq(read_line(whole, NULL, &r), 0);
    ck_assert_int_eq(r.step, 3);
    for (size_t n = 0; n < sizeof whole - 1; n++) {
        char half[sizeof whole];

        memcpy(half, whole, n); /* on its own, so that reading on is seen */
        ck_assert_int_eq(report_read_line(half, n, NULL, &r, NULL), -1);
    }
}
END_TEST

START_TEST(a_long_name_is_cut_between_characters)
{
    char line[1000], name[600];
    struct report r;

    memset(name, 'n', sizeof name);
    memcpy(name + 254, "\xc3\xa9", 2);
    name[sizeof name - 1] = '\0';
    snprintf(line, sizeof line, "{\"%s\": 1}", name);
    ck_assert_int_eq(read_line(line, NULL, &r), 0);
    ck_assert_uint_eq(strlen(r.metric), 254);
}
END_TEST

struct got {
    size_t n;
    struct report reports[8];
};

static void collect(void *ctx, const struct report *r)
{
    struct got *got = ctx;

    ck_assert_uint_lt(got->n, 8);
    got->reports[got->n++] = *r;
}

START_TEST(every_number_of_a_json_line_is_a_metric)
{
    static const char line[] =
        "{\"epoch\": 2, \"loss\": 0.5, \"step\": 40, \"acc\": NaN, \"name\": "
        "\"7\", \"val\": {\"x\": 1}, \"bad\": \"inf\", \"timestamp\": 12}";
    struct got got = {0};

    ck_assert_int_eq(report_read_all(line, strlen(line), collect, &got), 3);
    ck_assert_str_eq(got.reports[0].metric, "loss");
    ck_assert(got.reports[0].value == 0.5 && got.reports[0].step == 40);
    ck_assert(got.reports[0].time_s == 12);
    ck_assert_str_eq(got.reports[1].metric, "acc");
    ck_assert(isnan(got.reports[1].value));
    ck_assert_str_eq(got.reports[2].metric, "bad");
    ck_assert_int_eq(report_read_all(line, 30, collect, &got), 0);
    ck_assert_uint_eq(got.n, 3);
}
END_TEST

SUITE("metrics/report", a_line_of_the_python_package_is_a_report,
      the_metric_is_the_goal_or_the_one_key_that_is_not_fixed,
      nan_is_a_value_in_either_spelling, half_lines_and_noise_are_refused,
      a_long_name_is_cut_between_characters,
      every_number_of_a_json_line_is_a_metric)
