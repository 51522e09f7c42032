/* Trials move, and the tally of their study stays true. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <math.h>

#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static bool see_new_trial(void *ctx, const struct trial_row *row)
{
    *(bool *)ctx = row->number == 1 && row->state == TRIAL_PENDING &&
                   row->reason == REASON_NONE && !strcmp(row->detail, "") &&
                   !strcmp(row->point, "{\"x\": 1e-05}") &&
                   !strcmp(row->source, "bayesian") &&
                   !strcmp(row->client, "laptop") && row->attempt == 0 &&
                   row->broken == 0 && !row->has_value &&
                   row->created_ms == 77 && row->started_ms == 0 &&
                   row->ended_ms == 0 && row->ended_order == 0;
    return true;
}

START_TEST(a_trial_is_kept_as_it_was_given)
{
    struct trial_row row = {.point = "{\"x\": 1e-05}",
                            .source = "bayesian",
                            .client = "laptop",
                            .created_ms = 77};
    bool same = false;
    struct shelf h;
    struct err e;
    int64_t number;

    shelf_open(&h);
    row.study_id = h.study;
    MUST(store_trial_add(h.store, &row, &number, &e));
    ck_assert_int_eq(number, 1);
    MUST(store_trial_get(h.store, h.study, 1, see_new_trial, &same, &e));
    ck_assert(same);
    ck_assert_int_eq(shelf_add_trial(&h), 2);
    ck_assert_int_eq(shelf_study(&h).next_number, 3);
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_PENDING], 2);
    shelf_close(&h);
}
END_TEST

static bool see_move(void *ctx, const struct trial_row *row)
{
    *(bool *)ctx = row->state == TRIAL_STOPPED && row->reason == REASON_EARLY &&
                   !strcmp(row->detail, "worse than the median") &&
                   row->attempt == 2 && row->broken == 1 && row->has_value &&
                   row->value == 0.1 && row->step == 40 && row->is_foreseen &&
                   row->foreseen == 0.25 && row->unsure == 0.125 &&
                   row->started_ms == 50 && row->ended_ms == 90 &&
                   row->ended_order == 1;
    return true;
}

START_TEST(a_move_keeps_all_that_it_says)
{
    struct trial_change c = {.number = 1,
                             .from = TRIAL_PENDING,
                             .to = TRIAL_RUNNING,
                             .attempt = 2,
                             .broken = 1,
                             .now_ms = 50};
    bool same = false;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    c.study_id = h.study;
    shelf_add_trial(&h);
    MUST(store_trial_move(h.store, &c, &e));
    c.from = TRIAL_RUNNING;
    c.to = TRIAL_STOPPED;
    c.reason = REASON_EARLY;
    c.detail = "worse than the median";
    c.has_value = true;
    c.value = 0.1;
    c.step = 40;
    c.is_foreseen = true;
    c.foreseen = 0.25;
    c.unsure = 0.125;
    c.now_ms = 90;
    MUST(store_trial_move(h.store, &c, &e));
    MUST(store_trial_get(h.store, h.study, 1, see_move, &same, &e));
    ck_assert(same);
    ck_assert_int_eq(shelf_study(&h).best_number, 0);
    shelf_close(&h);
}
END_TEST

static bool see_objectives(void *ctx, const struct trial_row *row)
{
    snprintf(ctx, 40, "%s", row->objectives);
    return true;
}

START_TEST(values_of_several_objectives_are_kept_until_it_is_tried_again)
{
    struct trial_change c = {.number = 1,
                             .from = TRIAL_PENDING,
                             .to = TRIAL_STOPPED,
                             .has_value = true,
                             .value = 1,
                             .objectives = "{\"a\": 1, \"b\": 2}"};
    char seen[40];
    struct shelf h;
    struct err e;

    shelf_open(&h);
    c.study_id = h.study;
    shelf_add_trial(&h);
    MUST(store_trial_get(h.store, h.study, 1, see_objectives, seen, &e));
    ck_assert_str_eq(seen, "");
    MUST(store_trial_move(h.store, &c, &e));
    MUST(store_trial_get(h.store, h.study, 1, see_objectives, seen, &e));
    ck_assert_str_eq(seen, "{\"a\": 1, \"b\": 2}");
    c.from = TRIAL_STOPPED;
    c.to = TRIAL_PENDING;
    c.has_value = false;
    MUST(store_trial_move(h.store, &c, &e));
    MUST(store_trial_get(h.store, h.study, 1, see_objectives, seen, &e));
    ck_assert_str_eq(seen, "");
    shelf_close(&h);
}
END_TEST

START_TEST(a_move_from_a_state_that_is_not_its_own_is_a_conflict)
{
    struct trial_change c = {
        .number = 1, .from = TRIAL_RUNNING, .to = TRIAL_FAILED};
    struct study_row before, after;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    c.study_id = h.study;
    shelf_add_trial(&h);
    before = shelf_study(&h);
    MUST_FAIL(store_trial_move(h.store, &c, &e), ERR_CONFLICT);
    ck_assert_str_eq(e.text, "trial 1 is PENDING, not RUNNING");
    after = shelf_study(&h);
    ck_assert_mem_eq(before.counts, after.counts, sizeof before.counts);
    c.number = 2;
    MUST_FAIL(store_trial_move(h.store, &c, &e), ERR_ABSENT);
    c.study_id = 99;
    MUST_FAIL(store_trial_move(h.store, &c, &e), ERR_ABSENT);
    MUST(store_commit(h.store, &e));
    shelf_close(&h);
}
END_TEST

START_TEST(a_value_that_is_not_finite_is_refused)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    struct trial_change c = {.number = 1,
                             .from = TRIAL_PENDING,
                             .to = TRIAL_SUCCEEDED,
                             .has_value = true};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    c.study_id = h.study;
    shelf_add_trial(&h);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        c.value = odd[i];
        MUST_FAIL(store_trial_move(h.store, &c, &e), ERR_INVALID);
    }
    ck_assert_int_eq(shelf_trial(&h, 1).state, TRIAL_PENDING);
    shelf_close(&h);
}
END_TEST

START_TEST(the_best_of_equals_is_the_earlier_number)
{
    struct shelf_numbers best = {.n = 0};
    int64_t early;
    double value = 2;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    shelf_succeed(&h, 1);
    early = shelf_add_trial(&h);
    shelf_succeed(&h, 2);
    ck_assert_int_eq(shelf_study(&h).best_number, 3);
    shelf_move(&h, early, TRIAL_PENDING, TRIAL_SUCCEEDED, &value);
    ck_assert_int_eq(shelf_study(&h).best_number, early);
    ck_assert_int_eq(shelf_study(&h).since_best, 1);
    shelf_succeed(&h, 0);
    ck_assert_int_eq(shelf_study(&h).since_best, 2);
    MUST(store_trial_best(h.store, h.study, 3, shelf_note_number, &best, &e));
    ck_assert_uint_eq(best.n, 3);
    ck_assert(best.items[0] == 2 && best.items[1] == 3 && best.items[2] == 1);
    shelf_close(&h);
}
END_TEST

START_TEST(the_least_value_is_best_when_minimizing)
{
    static const double values[] = {3, -1, 2, -1};
    struct shelf_numbers best = {.n = 0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    h.study = shelf_add_study(h.store, "low", false);
    for (size_t i = 0; i < 4; i++)
        shelf_succeed(&h, values[i]);
    ck_assert_int_eq(shelf_study(&h).best_number, 2);
    ck_assert(shelf_study(&h).best_value == -1);
    ck_assert_int_eq(shelf_study(&h).since_best, 2);
    MUST(store_trial_best(h.store, h.study, 0, shelf_note_number, &best, &e));
    ck_assert_uint_eq(best.n, 4);
    ck_assert(best.items[0] == 2 && best.items[1] == 4 && best.items[2] == 3 &&
              best.items[3] == 1);
    best.n = 0;
    MUST(store_trial_best_after(h.store, h.study, 4, 0, shelf_note_number,
                                &best, &e));
    ck_assert(best.n == 2 && best.items[0] == 3 && best.items[1] == 1);
    best.n = 0;
    MUST(store_trial_best_after(h.store, h.study, 999, 0, shelf_note_number,
                                &best, &e));
    ck_assert_uint_eq(best.n, 0);
    shelf_close(&h);
}
END_TEST

START_TEST(a_retried_trial_ends_anew)
{
    double value = 1;
    struct trial_row row;
    struct shelf h;

    shelf_open(&h);
    shelf_add_trial(&h);
    shelf_add_trial(&h);
    shelf_move(&h, 1, TRIAL_PENDING, TRIAL_RUNNING, NULL);
    shelf_move(&h, 1, TRIAL_RUNNING, TRIAL_FAILED, &value);
    shelf_move(&h, 2, TRIAL_PENDING, TRIAL_STOPPED, NULL);
    ck_assert_int_eq(shelf_trial(&h, 1).ended_order, 1);
    shelf_move(&h, 1, TRIAL_FAILED, TRIAL_PENDING, NULL);
    row = shelf_trial(&h, 1);
    ck_assert_int_eq(row.ended_order, 0);
    ck_assert_int_eq(row.ended_ms, 0);
    ck_assert_int_eq(row.started_ms, 0);
    ck_assert(!row.has_value);
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_FAILED], 0);
    shelf_move(&h, 1, TRIAL_PENDING, TRIAL_SUCCEEDED, &value);
    ck_assert_int_gt(shelf_trial(&h, 1).ended_order,
                     shelf_trial(&h, 2).ended_order);
    ck_assert_int_eq(shelf_study(&h).best_number, 1);
    shelf_close(&h);
}
END_TEST

/* Trials 1 to 6: SUCCEEDED, FAILED, PENDING, RUNNING, SUCCEEDED, PENDING; they
 * ended in the order 5, 2, 1. */
static void six(struct shelf *h)
{
    double value = 1;

    for (int i = 0; i < 6; i++)
        shelf_add_trial(h);
    shelf_move(h, 5, TRIAL_PENDING, TRIAL_SUCCEEDED, &value);
    shelf_move(h, 2, TRIAL_PENDING, TRIAL_FAILED, NULL);
    shelf_move(h, 1, TRIAL_PENDING, TRIAL_SUCCEEDED, &value);
    shelf_move(h, 4, TRIAL_PENDING, TRIAL_RUNNING, NULL);
}

#define IS(s) (1U << TRIAL_##s)

START_TEST(trials_are_listed_by_state_number_end_and_change)
{
    static const struct {
        struct trial_filter f;
        const char *numbers;
    } rows[] = {
        {{0}, "1 2 3 4 5 6 "},
        {{.after = 4}, "5 6 "},
        {{.limit = 2}, "1 2 "},
        {{.states = IS(SUCCEEDED)}, "1 5 "},
        {{.states = IS(PENDING) | IS(RUNNING)}, "3 4 6 "},
        {{.states = IS(PENDING) | IS(RUNNING), .after = 3, .limit = 1}, "4 "},
        {{.states = IS(STOPPED)}, ""},
        {{.by_end = true}, "5 2 1 "},
        {{.by_end = true, .limit = 1}, "5 "},
        {{.by_end = true, .states = IS(SUCCEEDED)}, "5 1 "},
        {{.changed_after = 6}, "5 2 1 4 "},
        {{.changed_after = 5}, "6 5 2 1 4 "},
        {{.changed_after = 7, .limit = 2}, "2 1 "},
        {{.changed_after = 6, .states = IS(RUNNING)}, "4 "},
        {{.changed_after = 100}, ""},
    };
    struct shelf h;
    struct err e;

    shelf_open(&h);
    six(&h);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct shelf_numbers got = {.n = 0};
        char text[64] = "";

        MUST(store_trial_list(h.store, h.study, &rows[i].f, shelf_note_number,
                              &got, &e));
        for (size_t k = 0; k < got.n; k++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%lld ",
                     (long long)got.items[k]);
        ck_assert_msg(!strcmp(text, rows[i].numbers), "row %zu: %s", i, text);
    }
    shelf_close(&h);
}
END_TEST

START_TEST(studies_do_not_see_each_others_trials)
{
    struct shelf_numbers got = {.n = 0};
    const struct trial_filter all = {0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    six(&h);
    h.study = shelf_add_study(h.store, "two", true);
    shelf_succeed(&h, 9);
    MUST(store_trial_list(h.store, h.study, &all, shelf_note_number, &got, &e));
    ck_assert_uint_eq(got.n, 1);
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_SUCCEEDED], 1);
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_PENDING], 0);
    shelf_close(&h);
}
END_TEST

/* What the rows say, to hold the tally against. */
struct sums {
    int64_t counts[TRIAL_STATES], best_number, last_changed, ended;
    double best_value;
};

static bool sum_up(void *ctx, const struct trial_row *row)
{
    struct sums *s = ctx;

    s->counts[row->state]++;
    s->ended += row->ended_order > 0;
    if (row->changed > s->last_changed)
        s->last_changed = row->changed;
    ck_assert(trial_state_ended(row->state) == (row->ended_order > 0));
    if (row->state == TRIAL_SUCCEEDED &&
        (!s->best_number || row->value > s->best_value)) {
        s->best_number = row->number;
        s->best_value = row->value;
    }
    return true;
}

static void agree(struct shelf *h)
{
    const struct trial_filter all = {0};
    struct study_row study = shelf_study(h);
    struct sums s = {.best_number = 0};
    struct err e;

    MUST(store_trial_list(h->store, h->study, &all, sum_up, &s, &e));
    for (int i = 0; i < TRIAL_STATES; i++)
        ck_assert_int_eq(study.counts[i], s.counts[i]);
    ck_assert_int_eq(study.best_number, s.best_number);
    ck_assert(study.best_value == s.best_value);
}

START_TEST(the_tally_agrees_with_the_rows_whatever_moves)
{
    enum trial_state states[31] = {0};
    uint64_t chance = 20260111;
    struct shelf h;
    int moved = 0;

    shelf_open(&h);
    for (int i = 1; i <= 30; i++)
        shelf_add_trial(&h);
    for (int i = 0; i < 4000; i++) {
        enum trial_state to;
        double value;
        size_t k;

        chance = chance * 6364136223846793005U + 1442695040888963407U;
        k = 1 + (size_t)(chance >> 33) % 30;
        to = (enum trial_state)((chance >> 20) % TRIAL_STATES);
        value = (double)((chance >> 40) % 8);
        if (to == TRIAL_SUCCEEDED && i % 16)
            continue; /* or all would soon be over */
        if (trial_state_move(&states[k], to, NULL))
            continue;
        /* trial_state_move has written the new one; the store knows the old */
        shelf_move(&h, (int64_t)k, shelf_trial(&h, (int64_t)k).state, to,
                   &value);
        if (!(moved++ % 16))
            agree(&h);
    }
    ck_assert_int_gt(moved, 200);
    agree(&h);
    shelf_close(&h);
}
END_TEST

/* Puts a trial in that has ended; returns its number. */
static int64_t give(struct shelf *h, enum trial_state to, double value)
{
    struct trial_row row = {.study_id = h->study,
                            .point = "{}",
                            .source = "imported",
                            .client = "",
                            .given = true};
    struct trial_change c = {.study_id = h->study,
                             .from = TRIAL_PENDING,
                             .to = to,
                             .detail = "",
                             .given = true,
                             .has_value = to == TRIAL_SUCCEEDED,
                             .value = value};
    struct err e;

    MUST(store_trial_add(h->store, &row, &c.number, &e));
    MUST(store_trial_move(h->store, &c, &e));
    return c.number;
}

static bool count_row(void *ctx, const struct trial_row *row)
{
    (void)row;
    ++*(int *)ctx;
    return true;
}

START_TEST(given_trials_can_be_best_and_are_counted_apart)
{
    const struct trial_filter own = {.own = true};
    double value = 0.25;
    int n = 0;
    struct study_row row;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    ck_assert_int_eq(give(&h, TRIAL_SUCCEEDED, 0.5), 1);
    ck_assert_int_eq(give(&h, TRIAL_SUCCEEDED, 0.25), 2);
    ck_assert_int_eq(give(&h, TRIAL_FAILED, 0), 3);
    row = shelf_study(&h);
    ck_assert_int_eq(row.given, 3);
    ck_assert_int_eq(row.next_number, 4);
    ck_assert_int_eq(row.best_number, 1);
    ck_assert_int_eq(row.since_best, 0);
    for (int i = 0; i < TRIAL_STATES; i++)
        ck_assert_int_eq(row.counts[i], 0);
    shelf_add_trial(&h);
    shelf_move(&h, 4, TRIAL_PENDING, TRIAL_RUNNING, NULL);
    shelf_move(&h, 4, TRIAL_RUNNING, TRIAL_SUCCEEDED, &value);
    row = shelf_study(&h);
    ck_assert_int_eq(row.counts[TRIAL_SUCCEEDED], 1);
    ck_assert_int_eq(row.since_best, 1);
    ck_assert_int_eq(row.given, 3);
    MUST(store_study_tally(h.store, h.study, &row, &e));
    ck_assert_int_eq(row.given, 3);
    MUST(store_trial_list(h.store, h.study, &own, count_row, &n, &e));
    ck_assert_int_eq(n, 1);
    shelf_close(&h);
}
END_TEST

SUITE("store/store_trial", given_trials_can_be_best_and_are_counted_apart,
      a_trial_is_kept_as_it_was_given, a_move_keeps_all_that_it_says,
      values_of_several_objectives_are_kept_until_it_is_tried_again,
      a_move_from_a_state_that_is_not_its_own_is_a_conflict,
      a_value_that_is_not_finite_is_refused,
      the_best_of_equals_is_the_earlier_number,
      the_least_value_is_best_when_minimizing, a_retried_trial_ends_anew,
      trials_are_listed_by_state_number_end_and_change,
      studies_do_not_see_each_others_trials,
      the_tally_agrees_with_the_rows_whatever_moves)
