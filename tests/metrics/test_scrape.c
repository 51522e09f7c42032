/* Patterns find reports in printed lines, or say why they cannot. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/scrape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

enum { MOST = 8 };

struct got {
    int n;
    struct report reports[MOST];
};

static void collect(void *ctx, const struct report *r)
{
    struct got *got = ctx;

    if (got->n < MOST)
        got->reports[got->n] = *r;
    got->n++;
}

static struct got scrape(const char *pattern, const char *line)
{
    struct got got = {0};
    struct scrape *s;
    struct err e;

    ck_assert_msg(scrape_open(&s, pattern, &e) == 0, "%s: %s", pattern, e.text);
    ck_assert_int_eq(scrape_line(s, line, "goal", collect, &got), got.n);
    scrape_close(s);
    return got;
}

START_TEST(a_pattern_finds_value_name_and_step)
{
    static const struct {
        const char *pattern, *line, *metric;
        double value;
        int64_t step;
    } rows[] = {
        {"acc=([0-9.]+)", "epoch 3 acc=0.91 ok", "goal", 0.91, 0},
        {"([a-z]+) is ([0-9.]+)", "loss is 0.25", "loss", 0.25, 0},
        {"accuracy={value}", "accuracy=-1.5e-3,", "goal", -1.5e-3, 0},
        {"accuracy={value}", "accuracy=0.5.", "goal", 0.5, 0},
        {"accuracy={value}", "accuracy=1e400", "goal", (double)INFINITY, 0},
        {"accuracy={value}", "accuracy=-Inf", "goal", (double)-INFINITY, 0},
        {"epoch {step}.*accuracy={value}", "epoch 12: accuracy=0.5", "goal",
         0.5, 12},
        {"{value} at {step}", ".5 at 7", "goal", 0.5, 7},
        {"\\[{step}\\] {metric}: {value}", "[4] val/acc: 97", "val/acc", 97, 4},
        {"(a|b)={value}", "b=3", "goal", 3, 0},
        {"[({value}]{value}", "x(4", "goal", 4, 0},
        {"[[:alpha:](]([0-9]+)", "(4", "goal", 4, 0},
        {"loss:(.*)$", "loss:  0.75  ", "goal", 0.75, 0},
        {"\\(({step}[)])?{value}", "(9", "goal", 9, 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct got got = scrape(rows[i].pattern, rows[i].line);

        ck_assert_msg(got.n == 1, "%s: %d", rows[i].pattern, got.n);
        ck_assert_str_eq(got.reports[0].metric, rows[i].metric);
        ck_assert_msg(got.reports[0].value == rows[i].value, "%s",
                      rows[i].pattern);
        ck_assert_int_eq(got.reports[0].step, rows[i].step);
    }
    ck_assert(isnan(scrape("a={value}", "a=NaN").reports[0].value));
}
END_TEST

START_TEST(every_match_of_a_line_counts)
{
    struct got got = scrape("{metric}={value}", "loss=0.5 acc=0.9, lr=1e-3");

    ck_assert_int_eq(got.n, 3);
    ck_assert_str_eq(got.reports[2].metric, "lr");
    ck_assert(got.reports[2].value == 1e-3);
    ck_assert_int_eq(scrape("^{metric}={value}", "a=1 b=2").n, 1);
    ck_assert_int_eq(scrape("([0-9]*)", "abc").n, 0);
    ck_assert_int_eq(scrape("acc=(.*)", "acc=high").n, 0);
    ck_assert_int_eq(scrape("acc={value}", "").n, 0);
}
END_TEST

START_TEST(of_a_long_line_the_beginning_is_looked_at)
{
    char *line = malloc(1000000);

    memset(line, 'x', 999999);
    line[999999] = '\0';
    memcpy(line + 999000, " a=2 ", 5);
    memcpy(line + 1000, " a=1 ", 5);
    ck_assert_int_eq(scrape(" a={value} ", line).n, 1);
    free(line);
}
END_TEST

START_TEST(a_wrong_pattern_is_refused_with_the_way_out)
{
    static const struct {
        const char *pattern, *says;
    } rows[] = {
        {"acc=[0-9.]+", "needs {value}, or one group"},
        {"(a)(b)(c)", "3 groups"},
        {"epoch {step}", "no {value}"},
        {"{metric}", "no {value}"},
        {"{value} {value}", "{value} twice"},
        {"acc=(", "no extended regular expression"},
        {"acc=([0-9)", "no extended regular expression"},
        {"((((a{99}){99}){99}){99})", "repeats multiply"},
        {"(a{0,30000})", "repeats multiply"},
        {"(a{99999999999999999999})", "repeats multiply"},
        {"((((((((((((((((((((((((((((((((((a)))))))))))))))))))))))))))))))))"
         ")",
         "more than 31 groups"},
    };
    char *long_one = malloc(SCRAPE_PATTERN + 4);
    struct scrape *s;
    struct err e;

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_msg(scrape_open(&s, rows[i].pattern, &e) == -1, "%s",
                      rows[i].pattern);
        ck_assert_ptr_null(s);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_msg(strstr(e.text, rows[i].says) != NULL, "%s", e.text);
    }
    memset(long_one, 'a', SCRAPE_PATTERN + 1);
    long_one[SCRAPE_PATTERN + 1] = '\0';
    ck_assert_int_eq(scrape_open(&s, long_one, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "longer than 1000 bytes"));
    free(long_one);
}
END_TEST

SUITE("metrics/scrape", a_pattern_finds_value_name_and_step,
      every_match_of_a_line_counts, of_a_long_line_the_beginning_is_looked_at,
      a_wrong_pattern_is_refused_with_the_way_out)
