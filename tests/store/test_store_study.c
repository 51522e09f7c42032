/* Studies are found by name and id, move, and go for good. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include "store/inside.h"
#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static bool see_what_was_given(void *ctx, const struct study_row *row)
{
    *(bool *)ctx =
        !strcmp(row->name, "digits") &&
        !strcmp(row->spec, "{\"study\": \"digits\"}") &&
        !strcmp(row->source, "study: digits\n") &&
        !strcmp(row->base_dir, "/home/ada") && !strcmp(row->reason, "") &&
        row->created_ms == 5 && row->ended_ms == 0 &&
        row->state == STUDY_ACTIVE && !row->maximize && row->next_number == 1 &&
        row->best_number == 0 && row->since_best == 0 && row->stopping == 0;
    return true;
}

START_TEST(a_study_is_kept_as_it_was_given)
{
    const struct study_row row = {.name = "digits",
                                  .spec = "{\"study\": \"digits\"}",
                                  .source = "study: digits\n",
                                  .base_dir = "/home/ada",
                                  .created_ms = 5};
    bool same = false;
    struct shelf h;
    struct err e;
    int64_t id, found;

    shelf_open(&h);
    MUST(store_study_add(h.store, &row, &id, &e));
    MUST(store_study_get(h.store, id, see_what_was_given, &same, &e));
    ck_assert(same);
    MUST(store_study_find(h.store, "digits", &found, &e));
    ck_assert_int_eq(found, id);
    MUST(store_study_find(h.store, "last", &found, &e));
    ck_assert_int_eq(found, id);
    MUST(store_study_find(h.store, "one", &found, &e));
    ck_assert_int_eq(found, h.study);
    MUST_FAIL(store_study_find(h.store, "ome", &found, &e), ERR_ABSENT);
    ck_assert_str_eq(e.text, "there is no study named ome; did you mean one?");
    MUST_FAIL(store_study_find(h.store, "many", &found, &e), ERR_ABSENT);
    ck_assert_str_eq(e.text, "there is no study named many");
    shelf_close(&h);
}
END_TEST

START_TEST(a_study_that_is_not_there_is_absent)
{
    struct study_row row;
    struct store *s;
    struct err e;
    int64_t id;

    MUST(store_open(&s, ":memory:", &e));
    MUST(store_begin(s, &e));
    MUST_FAIL(store_study_find(s, "last", &id, &e), ERR_ABSENT);
    ck_assert_str_eq(e.text, "there is no study yet");
    MUST_FAIL(store_study_find(s, "one", &id, &e), ERR_ABSENT);
    ck_assert_str_eq(e.text, "there is no study named one");
    MUST_FAIL(store_study_get(s, 7, shelf_keep_study, &row, &e), ERR_ABSENT);
    MUST_FAIL(store_study_move(s, 7, STUDY_PAUSED, "", false, 1, &e),
              ERR_ABSENT);
    MUST_FAIL(store_study_respec(s, 7, "{}", "", &e), ERR_ABSENT);
    MUST_FAIL(store_study_delete(s, 7, &e), ERR_ABSENT);
    MUST(store_commit(s, &e));
    store_close(s);
}
END_TEST

static bool see_paused(void *ctx, const struct study_row *row)
{
    *(bool *)ctx = row->state == STUDY_PAUSED &&
                   !strcmp(row->reason, "a person said so") &&
                   !strcmp(row->spec, "{\"new\": 1}") &&
                   !strcmp(row->source, "new: 1\n");
    return true;
}

START_TEST(a_study_moves_with_its_reason)
{
    bool seen = false;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    MUST(store_study_move(h.store, h.study, STUDY_PAUSED, "a person said so",
                          false, 9, &e));
    MUST(store_study_respec(h.store, h.study, "{\"new\": 1}", "new: 1\n", &e));
    MUST(store_study_get(h.store, h.study, see_paused, &seen, &e));
    ck_assert(seen);
    ck_assert_int_eq(shelf_study(&h).ended_ms, 0);
    MUST(store_study_move(h.store, h.study, STUDY_ENDING, "", true, 10, &e));
    ck_assert_int_eq(shelf_study(&h).stopping, 1);
    MUST(store_study_move(h.store, h.study, STUDY_CANCELLED, "", true, 11, &e));
    ck_assert_int_eq(shelf_study(&h).stopping, 0);
    ck_assert_int_eq(shelf_study(&h).ended_ms, 11);
    MUST(store_study_move(h.store, h.study, STUDY_ACTIVE, "", false, 12, &e));
    ck_assert_int_eq(shelf_study(&h).ended_ms, 0);
    shelf_close(&h);
}
END_TEST

struct ids {
    int64_t items[8];
    size_t n, most;
};

static bool note_id(void *ctx, const struct study_row *row)
{
    struct ids *ids = ctx;

    ids->items[ids->n++] = row->id;
    return ids->n < ids->most;
}

START_TEST(the_newest_study_is_listed_first_page_by_page)
{
    struct ids all = {.most = 8}, page = {.most = 8}, first = {.most = 1};
    struct shelf h;
    struct err e;
    int64_t two, three;

    shelf_open(&h);
    two = shelf_add_study(h.store, "two", true);
    three = shelf_add_study(h.store, "three", false);
    MUST(store_study_list(h.store, 0, 0, note_id, &all, &e));
    ck_assert_uint_eq(all.n, 3);
    ck_assert(all.items[0] == three && all.items[1] == two);
    MUST(store_study_list(h.store, three, 1, note_id, &page, &e));
    ck_assert_uint_eq(page.n, 1);
    ck_assert_int_eq(page.items[0], two);
    MUST(store_study_list(h.store, 0, 5, note_id, &first, &e));
    ck_assert_uint_eq(first.n, 1);
    shelf_close(&h);
}
END_TEST

/* Something of the study in every table. */
static void furnish(struct shelf *h)
{
    struct report_row report = {
        .study_id = h->study, .attempt = 1, .metric = "loss", .value = 1};
    struct event_row event = {
        .study_id = h->study, .kind = "study", .body = "{}"};
    struct err e;
    int64_t id;

    report.number = shelf_add_trial(h);
    MUST(store_attempt_add(h->store, h->study, report.number, 1, 5, &e));
    MUST(store_report_add(h->store, &report, &e));
    MUST(store_event_add(h->store, &event, &id, &e));
}

START_TEST(a_deleted_study_leaves_nothing_and_its_id_is_not_used_again)
{
    int64_t left, again;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    furnish(&h);
    MUST(store_study_delete(h.store, h.study, &e));
    MUST(inside_ask(h.store,
                    "SELECT (SELECT count(*) FROM study) + "
                    "(SELECT count(*) FROM tally) + "
                    "(SELECT count(*) FROM trial) + "
                    "(SELECT count(*) FROM attempt) + "
                    "(SELECT count(*) FROM report) + "
                    "(SELECT count(*) FROM event)",
                    &left, &e));
    ck_assert_int_eq(left, 0);
    again = shelf_add_study(h.store, "one", true);
    ck_assert_int_gt(again, h.study);
    shelf_close(&h);
}
END_TEST

START_TEST(deleting_one_study_leaves_the_others)
{
    struct shelf h;
    struct err e;
    int64_t two;

    shelf_open(&h);
    furnish(&h);
    two = shelf_add_study(h.store, "two", true);
    MUST(store_study_delete(h.store, two, &e));
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_PENDING], 1);
    ck_assert_int_eq(shelf_trial(&h, 1).number, 1);
    shelf_close(&h);
}
END_TEST

SUITE("store/store_study", a_study_is_kept_as_it_was_given,
      a_study_that_is_not_there_is_absent, a_study_moves_with_its_reason,
      the_newest_study_is_listed_first_page_by_page,
      a_deleted_study_leaves_nothing_and_its_id_is_not_used_again,
      deleting_one_study_leaves_the_others)
