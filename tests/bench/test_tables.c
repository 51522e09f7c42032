/* The measured tables have a value for each point of their spaces, the right
 * one, and a text that is none is refused with its line. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/functions/tables.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/functions/problem.h"
#include "tests/lib/suite.h"

enum { TABLES = 3 };

static const struct problem_suite *suite(void)
{
    const struct problem_suite *s = problem_suites;

    while (s->name && strcmp(s->name, "tables") != 0)
        s++;
    ck_assert_ptr_nonnull(s->name);
    return s;
}

/* Point `row` of a grid, the last parameter fastest. */
static void point_of(struct point *out, const struct space *s, size_t row)
{
    point_init(out, s);
    for (size_t i = s->n; i-- > 0;) {
        uint64_t n = param_count(&s->params[i]);

        out->values[i] = param_nth(&s->params[i], row % n);
        row /= n;
    }
    point_settle(out, s);
}

START_TEST(each_table_has_its_size_and_its_optimum)
{
    static const struct {
        const char *name;
        size_t params, rows, best;
        double least;
    } tables[TABLES] = {
        {"digits", 6, 8400, 7051, 26.0 / 3 * 0.278552},
        {"boosting", 6, 6480, 4418, 2923.0 / 3 * 1e-4},
        {"svm", 4, 1287, 653, 5.0 / 3 * 0.561798},
    };

    ck_assert_uint_eq(suite()->n, TABLES);
    for (size_t k = 0; k < TABLES; k++) {
        struct problem p;
        struct point at;

        problem_init(&p, suite(), k, 2, 1);
        ck_assert_str_eq(p.name, tables[k].name);
        ck_assert_uint_eq(p.study.space.n, tables[k].params);
        ck_assert_uint_eq(p.grid.n_rows, tables[k].rows);
        ck_assert_double_eq_tol(p.optimum, tables[k].least, 1e-9);
        point_of(&at, &p.study.space, tables[k].best);
        ck_assert_double_eq_tol(problem_value(&p, &at), p.optimum, 1e-12);
        point_clear(&at);
        problem_clear(&p);
    }
}
END_TEST

START_TEST(each_point_has_a_value_and_reports_its_reads)
{
    for (size_t k = 0; k < TABLES; k++) {
        struct draw chance;
        struct problem p;

        problem_init(&p, suite(), k, 2, 1);
        draw_init(&chance, 1, DRAW_RANDOM, k);
        for (size_t row = 0; row < p.grid.n_rows; row++) {
            double value = 0, told = 0;
            bool found = false;
            struct point at;

            point_of(&at, &p.study.space, row);
            ck_assert(point_in(&at, &p.study.space));
            ck_assert_uint_eq(tables_row(&p.study.space, &at), row);
            value = problem_value(&p, &at);
            ck_assert(isfinite(value) && value >= p.optimum);
            told = problem_report(&p, &at, &chance);
            for (size_t i = 0; i < p.grid.n_reads; i++)
                found = found || tables_read(&p.grid, row, i) == told;
            ck_assert(found);
            point_clear(&at);
        }
        problem_clear(&p);
    }
}
END_TEST

START_TEST(a_known_point_has_the_value_that_was_measured)
{
    struct problem p;
    struct point at;
    struct err e;

    problem_init(&p, suite(), 0, 2, 1);
    ck_assert_int_eq(
        point_read_json(&at, &p.study.space,
                        "{\"learning_rate\": 0.001, \"hidden\": 4, "
                        "\"batch\": 16, \"momentum\": 0, "
                        "\"weight_decay\": 1e-5, \"activation\": \"relu\"}",
                        &e),
        0);
    ck_assert_double_eq_tol(problem_value(&p, &at),
                            (317 + 323 + 331) / 3.0 * 0.278552, 1e-9);
    point_clear(&at);
    problem_clear(&p);
}
END_TEST

START_TEST(all_reads_are_reported_sooner_or_later)
{
    struct draw chance;
    struct problem p;
    struct point at;
    int seen[3] = {0};

    problem_init(&p, suite(), 0, 2, 1);
    draw_init(&chance, 1, DRAW_RANDOM, 0);
    point_of(&at, &p.study.space, 0);
    for (int k = 0; k < 60; k++) {
        double told = problem_report(&p, &at, &chance);

        for (size_t i = 0; i < 3; i++)
            seen[i] += tables_read(&p.grid, 0, i) == told;
    }
    for (size_t i = 0; i < 3; i++)
        ck_assert_int_ge(seen[i], 5);
    point_clear(&at);
    problem_clear(&p);
}
END_TEST

static int open_text(const char *text, struct table *t, struct space *s,
                     struct err *e)
{
    char path[] = "/tmp/test_tables.XXXXXX";
    int fd = mkstemp(path), rc = 0;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    space_init(s);
    rc = tables_open(t, s, path, e);
    unlink(path);
    return rc;
}

#define HEAD                                                                   \
    "# a remark\nparam n integer linear 2 3\nparam w categorical a b\n"        \
    "reads 2\nunit 0.5\nvalues\n"

START_TEST(a_text_becomes_a_space_and_its_values)
{
    struct space s;
    struct table t;
    struct err e;

    ck_assert_int_eq(open_text(HEAD "1 2\n3 4\n5 6\n-7 8\n", &t, &s, &e), 0);
    ck_assert_uint_eq(s.n, 2);
    ck_assert_uint_eq(t.n_rows, 4);
    ck_assert_double_eq(tables_read(&t, 1, 0), 1.5);
    ck_assert_double_eq(tables_mean(&t, 2), 2.75);
    ck_assert_double_eq(t.least, 0.25);
    tables_close(&t);
    space_clear(&s);
}
END_TEST

START_TEST(a_text_that_is_no_table_is_refused_with_its_line)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"", "ends after 0 of 0 rows"},
        {"values\n", "line 1 "},
        {"param n integer linear 3 2\n", "line 1 "},
        {"param n integer cubic 2 3\n", "line 1 "},
        {"param n real linear 2 3\n", "line 1 "},
        {"param d discrete log 2 2\n", "line 1 "},
        {"param w categorical\n", "line 1 "},
        {"# x\nparam w categorical a\nparam w categorical b\n", "line 3 "},
        {"reads 0\n", "line 1 "},
        {"unit -1\n", "line 1 "},
        {"unit\n", "line 1 "},
        {"param n integer linear 0 2000000\nreads 1\nunit 1\nvalues\n",
         "line 4 "},
        {HEAD "1 2\n3 4\n", "ends after 2 of 4 rows"},
        {HEAD "1 2\n3 4\n5 6\n7 8\n9 10\n", "line 11 "},
        {HEAD "1\n", "line 7 "},
        {HEAD "1 2 3\n", "line 7 "},
        {HEAD "1 x\n", "line 7 "},
        {HEAD "1 99999999999\n", "line 7 "},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct space s;
        struct table t;
        struct err e;

        ck_assert_int_eq(open_text(rows[i].text, &t, &s, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_msg(strstr(e.text, rows[i].says) != NULL, "%zu: %s", i,
                      e.text);
        tables_close(&t);
        space_clear(&s);
    }
}
END_TEST

START_TEST(a_table_that_is_not_there_is_named)
{
    struct space s;
    struct table t;
    struct err e;

    space_init(&s);
    ck_assert_int_eq(tables_open(&t, &s, "/nowhere/t.txt", &e), -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    ck_assert_ptr_nonnull(strstr(e.text, "/nowhere/t.txt"));
    tables_close(&t);
}
END_TEST

SUITE("bench/tables", each_table_has_its_size_and_its_optimum,
      each_point_has_a_value_and_reports_its_reads,
      a_known_point_has_the_value_that_was_measured,
      all_reads_are_reported_sooner_or_later,
      a_text_becomes_a_space_and_its_values,
      a_text_that_is_no_table_is_refused_with_its_line,
      a_table_that_is_not_there_is_named)
