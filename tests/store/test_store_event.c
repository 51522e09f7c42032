/* Events are listed from where one left off, and the oldest go. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static int64_t add(struct shelf *h, int64_t study, const char *body)
{
    const struct event_row row = {
        .study_id = study, .time_ms = 8, .kind = "warning", .body = body};
    struct err e;
    int64_t id = 0;

    MUST(store_event_add(h->store, &row, &id, &e));
    return id;
}

struct seen {
    int64_t first, last, n;
    char body[32];
};

static bool note(void *ctx, const struct event_row *row)
{
    struct seen *seen = ctx;

    ck_assert_int_gt(row->id, seen->last);
    ck_assert_int_eq(row->time_ms, 8);
    ck_assert_str_eq(row->kind, "warning");
    if (!seen->n++)
        seen->first = row->id;
    seen->last = row->id;
    snprintf(seen->body, sizeof seen->body, "%s", row->body);
    return true;
}

START_TEST(events_go_on_after_the_one_last_seen)
{
    struct seen all = {0}, rest = {0}, one = {0}, both = {0};
    int64_t first, last, two;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    two = shelf_add_study(h.store, "two", true);
    first = add(&h, h.study, "{\"text\": \"a\"}");
    add(&h, two, "{}");
    last = add(&h, h.study, "{\"text\": \"b\"}");
    MUST(store_event_list(h.store, h.study, 0, 0, note, &all, &e));
    ck_assert(all.n == 2 && all.first == first && all.last == last);
    MUST(store_event_list(h.store, h.study, first, 10, note, &rest, &e));
    ck_assert(rest.n == 1 && rest.first == last);
    ck_assert_str_eq(rest.body, "{\"text\": \"b\"}");
    MUST(store_event_list(h.store, h.study, 0, 1, note, &one, &e));
    ck_assert(one.n == 1 && one.first == first);
    MUST(store_event_list(h.store, 0, first, 0, note, &both, &e));
    ck_assert(both.n == 2 && both.first == first + 1 && both.last == last);
    shelf_close(&h);
}
END_TEST

START_TEST(the_newest_ten_thousand_of_each_study_are_kept)
{
    struct seen other = {0}, all = {0};
    int64_t second = 0, two;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    two = shelf_add_study(h.store, "two", true);
    add(&h, two, "{}");
    for (int i = 0; i <= STORE_MOST_EVENTS; i++) {
        int64_t id = add(&h, h.study, "{}");

        if (i == 1)
            second = id;
    }
    MUST(store_event_list(h.store, h.study, 0, 0, note, &all, &e));
    ck_assert_int_eq(all.n, STORE_MOST_EVENTS);
    ck_assert_int_eq(all.first, second);
    MUST(store_event_list(h.store, two, 0, 0, note, &other, &e));
    ck_assert_int_eq(other.n, 1);
    shelf_close(&h);
}
END_TEST

START_TEST(an_event_id_is_never_used_again)
{
    struct shelf h;
    struct err e;
    int64_t id;

    shelf_open(&h);
    id = add(&h, h.study, "{}");
    MUST(store_study_delete(h.store, h.study, &e));
    h.study = shelf_add_study(h.store, "one", true);
    ck_assert_int_gt(add(&h, h.study, "{}"), id);
    shelf_close(&h);
}
END_TEST

START_TEST(an_event_of_no_study_is_absent)
{
    const struct event_row row = {.study_id = 5, .kind = "study", .body = "{}"};
    struct shelf h;
    struct err e;
    int64_t id;

    shelf_open(&h);
    MUST_FAIL(store_event_add(h.store, &row, &id, &e), ERR_ABSENT);
    shelf_close(&h);
}
END_TEST

SUITE_WITHIN(120, "store/store_event", events_go_on_after_the_one_last_seen,
             the_newest_ten_thousand_of_each_study_are_kept,
             an_event_id_is_never_used_again, an_event_of_no_study_is_absent)
