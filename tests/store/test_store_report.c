/* Attempts are followed, and a report counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <float.h>
#include <math.h>

#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static bool see_attempt(void *ctx, const struct attempt_row *row)
{
    *(bool *)ctx = row->number == 1 && row->attempt == 1 &&
                   row->begun_ms == 10 && row->ended_ms == 90 &&
                   !strcmp(row->outcome, "signal 9") &&
                   !strcmp(row->marks, "reports:120") && row->reports == 6 &&
                   !strcmp(row->gpus, "GPU-a,GPU-b") &&
                   !strcmp(row->node, "n2") && !strcmp(row->blame, "memory");
    return true;
}

START_TEST(an_attempt_is_kept_with_its_marks_and_outcome)
{
    bool same = false;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    MUST(store_attempt_add(h.store, h.study, 1, 1, 10, &e));
    MUST(store_attempt_marks(h.store, h.study, 1, 1, "reports:120", 6, &e));
    MUST(store_attempt_gpus(h.store, h.study, 1, 1, "GPU-a,GPU-b", &e));
    MUST(store_attempt_end(h.store, h.study, 1, 1, "signal 9", 90, &e));
    MUST(store_attempt_blame(h.store, h.study, 1, 1, "memory", "n2", &e));
    MUST(store_attempt_list(h.store, h.study, 1, see_attempt, &same, &e));
    ck_assert(same);
    shelf_close(&h);
}
END_TEST

static bool note_attempt(void *ctx, const struct attempt_row *row)
{
    int *last = ctx;

    ck_assert_int_eq(row->attempt, *last + 1);
    *last = row->attempt;
    return true;
}

START_TEST(attempts_are_listed_in_order_and_each_once)
{
    int last = 0;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    for (int i = 1; i <= 3; i++)
        MUST(store_attempt_add(h.store, h.study, 1, i, 10, &e));
    MUST_FAIL(store_attempt_add(h.store, h.study, 1, 2, 10, &e), ERR_CONFLICT);
    MUST_FAIL(store_attempt_add(h.store, h.study, 2, 1, 10, &e), ERR_ABSENT);
    MUST_FAIL(store_attempt_end(h.store, h.study, 1, 4, "", 1, &e), ERR_ABSENT);
    MUST_FAIL(store_attempt_marks(h.store, h.study, 1, 4, "", 1, &e),
              ERR_ABSENT);
    MUST_FAIL(store_attempt_gpus(h.store, h.study, 1, 4, "", &e), ERR_ABSENT);
    MUST_FAIL(store_attempt_blame(h.store, h.study, 1, 4, "", "", &e),
              ERR_ABSENT);
    MUST(store_attempt_list(h.store, h.study, 1, note_attempt, &last, &e));
    ck_assert_int_eq(last, 3);
    shelf_close(&h);
}
END_TEST

struct values {
    double items[64];
    int64_t ordinals[64];
    size_t n;
};

static bool note_value(void *ctx, const struct report_row *row)
{
    struct values *v = ctx;

    v->items[v->n] = row->value;
    v->ordinals[v->n++] = row->ordinal;
    return v->n < 64;
}

static void report(struct shelf *h, int attempt, const char *metric,
                   int64_t ordinal, double value)
{
    const struct report_row row = {.study_id = h->study,
                                   .number = 1,
                                   .attempt = attempt,
                                   .metric = metric,
                                   .ordinal = ordinal,
                                   .step = ordinal * 10,
                                   .value = value,
                                   .time_ms = 5};
    struct err e;

    MUST(store_report_add(h->store, &row, &e));
}

START_TEST(every_double_comes_back_as_it_was)
{
    static const double odd[] = {NAN,      INFINITY, -INFINITY, 0,
                                 0.1,      DBL_MAX,  -DBL_MAX,  DBL_MIN,
                                 4.9e-324, 1.0 / 3,  1e15,      -7};
    enum { N = sizeof odd / sizeof odd[0] };
    struct values got = {.n = 0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    for (int i = 0; i < N; i++)
        report(&h, 1, "loss", i, odd[i]);
    MUST(store_report_list(h.store, h.study, 1, 1, note_value, &got, &e));
    ck_assert_uint_eq(got.n, N);
    ck_assert(isnan(got.items[0]));
    for (size_t i = 1; i < N; i++)
        ck_assert_msg(got.items[i] == odd[i], "%zu: %g", i, got.items[i]);
    shelf_close(&h);
}
END_TEST

START_TEST(a_second_report_with_the_same_key_changes_nothing)
{
    struct values got = {.n = 0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    report(&h, 1, "loss", 0, 0.5);
    report(&h, 1, "loss", 0, 0.7);
    MUST(store_report_list(h.store, h.study, 1, 0, note_value, &got, &e));
    ck_assert_uint_eq(got.n, 1);
    ck_assert(got.items[0] == 0.5);
    shelf_close(&h);
}
END_TEST

START_TEST(a_report_of_no_trial_is_absent)
{
    struct report_row row = {.number = 4, .attempt = 1, .metric = "loss"};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    row.study_id = h.study;
    MUST_FAIL(store_report_add(h.store, &row, &e), ERR_ABSENT);
    ck_assert_str_eq(e.text, "there is no trial 4 in this study");
    MUST(store_commit(h.store, &e));
    shelf_close(&h);
}
END_TEST

START_TEST(reports_are_listed_by_attempt_metric_and_ordinal)
{
    static const double in_order[] = {1, 2, 3, 4};
    struct values all = {.n = 0}, second = {.n = 0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    report(&h, 2, "loss", 0, 4);
    report(&h, 1, "loss", 1, 3);
    report(&h, 1, "accuracy", 0, 1);
    report(&h, 1, "loss", 0, 2);
    MUST(store_report_list(h.store, h.study, 1, 0, note_value, &all, &e));
    ck_assert_uint_eq(all.n, 4);
    ck_assert_mem_eq(all.items, in_order, sizeof in_order);
    MUST(store_report_list(h.store, h.study, 1, 2, note_value, &second, &e));
    ck_assert_uint_eq(second.n, 1);
    ck_assert(second.items[0] == 4);
    shelf_close(&h);
}
END_TEST

START_TEST(thinning_keeps_the_multiples_of_that_metric)
{
    struct values got = {.n = 0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_add_trial(&h);
    for (int i = 0; i < 9; i++)
        report(&h, 1, "loss", i, i);
    report(&h, 1, "other", 3, 3);
    report(&h, 2, "loss", 3, 3);
    MUST(store_report_thin(h.store, h.study, 1, 1, "loss", 4, &e));
    MUST(store_report_list(h.store, h.study, 1, 0, note_value, &got, &e));
    ck_assert_uint_eq(got.n, 5);
    ck_assert(got.ordinals[0] == 0 && got.ordinals[1] == 4 &&
              got.ordinals[2] == 8 && got.ordinals[3] == 3 &&
              got.ordinals[4] == 3);
    shelf_close(&h);
}
END_TEST

SUITE("store/store_report", an_attempt_is_kept_with_its_marks_and_outcome,
      attempts_are_listed_in_order_and_each_once,
      every_double_comes_back_as_it_was,
      a_second_report_with_the_same_key_changes_nothing,
      a_report_of_no_trial_is_absent,
      reports_are_listed_by_attempt_metric_and_ordinal,
      thinning_keeps_the_multiples_of_that_metric)
