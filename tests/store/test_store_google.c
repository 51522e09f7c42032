/* Google's resources, measurements and operations in the store. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_google.h"

#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static struct google_row resource(int64_t study, const char *name)
{
    return (struct google_row){.study_id = study,
                               .kind = "studies",
                               .project = "p",
                               .location = "l",
                               .display_name = name,
                               .body = "{}",
                               .labels = ""};
}

struct seen {
    int64_t ids[8];
    size_t n;
    char labels[40];
};

static bool note(void *ctx, const struct google_row *row)
{
    struct seen *seen = ctx;

    ck_assert_uint_lt(seen->n, 8);
    seen->ids[seen->n++] = row->study_id;
    snprintf(seen->labels, sizeof seen->labels, "%s", row->labels);
    return true;
}

START_TEST(resources_are_listed_by_place_newest_first)
{
    struct seen all = {0}, page = {0}, elsewhere = {0};
    struct google_row row, of;
    int64_t ids[3], found = 0;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    for (int i = 0; i < 3; i++) {
        char name[] = {(char)('a' + i), '\0'};

        ids[i] = shelf_add_study(h.store, name, true);
        row = resource(ids[i], i == 1 ? "twin" : "other");
        MUST(store_google_add(h.store, &row, &e));
    }
    MUST_FAIL(store_google_add(h.store, &row, &e), ERR_CONFLICT);
    row.study_id = 999;
    MUST_FAIL(store_google_add(h.store, &row, &e), ERR_ABSENT);
    MUST(store_google_list(h.store, &row, 0, 0, note, &all, &e));
    ck_assert_uint_eq(all.n, 3);
    ck_assert_int_eq(all.ids[0], ids[2]);
    MUST(store_google_list(h.store, &row, ids[2], 1, note, &page, &e));
    ck_assert(page.n == 1 && page.ids[0] == ids[1]);
    of = row;
    of.project = "q";
    MUST(store_google_list(h.store, &of, 0, 0, note, &elsewhere, &e));
    ck_assert_uint_eq(elsewhere.n, 0);
    of = resource(0, "twin");
    MUST(store_google_find(h.store, &of, &found, &e));
    ck_assert_int_eq(found, ids[1]);
    of.location = "";
    MUST_FAIL(store_google_find(h.store, &of, &found, &e), ERR_ABSENT);
    shelf_close(&h);
}
END_TEST

START_TEST(a_resource_goes_with_its_study)
{
    struct seen seen = {0};
    struct google_row row;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    row = resource(h.study, "x");
    MUST(store_google_add(h.store, &row, &e));
    MUST(store_google_labels(h.store, h.study, "{\"a\": \"b\"}", &e));
    MUST(store_google_get(h.store, h.study, note, &seen, &e));
    ck_assert_str_eq(seen.labels, "{\"a\": \"b\"}");
    MUST(store_study_delete(h.store, h.study, &e));
    MUST_FAIL(store_google_get(h.store, h.study, note, &seen, &e), ERR_ABSENT);
    MUST_FAIL(store_google_labels(h.store, h.study, "{}", &e), ERR_ABSENT);
    shelf_close(&h);
}
END_TEST

static bool add_word(void *ctx, const char *body, bool final, const char *why)
{
    char *words = ctx;
    size_t n = strlen(words);

    snprintf(words + n, 100 - n, "%s%s%s;", final ? "end " : "", body, why);
    return true;
}

START_TEST(measurements_keep_their_order_and_the_last_end)
{
    char words[100] = "", *last;
    int64_t number, n = 7;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    number = shelf_add_trial(&h);
    MUST(store_google_last(h.store, h.study, number, &n, &last, &e));
    ck_assert_int_eq(n, 0);
    ck_assert_str_eq(last, "");
    free(last);
    MUST(store_google_measure(h.store, h.study, number, "b", NULL, &e));
    MUST(store_google_measure(h.store, h.study, number, "a", &n, &e));
    ck_assert_int_eq(n, 2);
    MUST(store_google_last(h.store, h.study, number, &n, &last, &e));
    ck_assert_str_eq(last, "a");
    free(last);
    MUST(store_google_final(h.store, h.study, number, "x", "", &e));
    MUST(store_google_final(h.store, h.study, number, "", "why", &e));
    MUST(store_google_measured(h.store, h.study, number, add_word, words, &e));
    ck_assert_str_eq(words, "b;a;end why;");
    shelf_close(&h);
}
END_TEST

START_TEST(the_next_best_follows_one_that_is_forgotten)
{
    struct study_row row;
    int64_t first, best;
    char words[100] = "";
    struct shelf h;
    struct err e;

    shelf_open(&h);
    first = shelf_succeed(&h, 1);
    best = shelf_succeed(&h, 2);
    MUST(store_google_measure(h.store, h.study, best, "a", NULL, &e));
    ck_assert_int_eq(shelf_study(&h).best_number, best);
    MUST(store_google_forget(h.store, h.study, best, &e));
    row = shelf_study(&h);
    ck_assert_int_eq(row.best_number, first);
    ck_assert_double_eq(row.best_value, 1);
    ck_assert_int_eq(row.counts[TRIAL_SUCCEEDED], 1);
    MUST(store_google_measured(h.store, h.study, best, add_word, words, &e));
    ck_assert_str_eq(words, "");
    MUST_FAIL(store_google_forget(h.store, h.study, best, &e), ERR_ABSENT);
    MUST(store_google_forget(h.store, h.study, first, &e));
    row = shelf_study(&h);
    ck_assert_int_eq(row.best_number, 0);
    ck_assert_int_eq(row.counts[TRIAL_SUCCEEDED], 0);
    ck_assert_int_gt(shelf_succeed(&h, 0), best); /* no number twice */
    shelf_close(&h);
}
END_TEST

static bool see(void *ctx, const struct google_operation_row *row)
{
    struct seen *seen = ctx;

    seen->ids[seen->n++] = row->id;
    snprintf(seen->labels, sizeof seen->labels, "%s%s", row->body,
             row->done ? " done" : "");
    return true;
}

START_TEST(operations_are_found_under_their_parent)
{
    struct seen one = {0}, list = {0};
    int64_t first, second;
    struct shelf h;
    struct err e;

    shelf_open(&h);
    MUST(store_google_operation_add(h.store, "a", false, "x", &first, &e));
    MUST(store_google_operation_add(h.store, "a", true, "y", &second, &e));
    MUST(store_google_operation_get(h.store, "a", first, see, &one, &e));
    ck_assert_str_eq(one.labels, "x");
    MUST(store_google_operation_end(h.store, first, "z", &e));
    MUST(store_google_operation_get(h.store, "a", first, see, &one, &e));
    ck_assert_str_eq(one.labels, "z done");
    MUST_FAIL(store_google_operation_get(h.store, "b", first, see, &one, &e),
              ERR_ABSENT);
    MUST(store_google_operation_list(h.store, "a", 0, 0, see, &list, &e));
    ck_assert(list.n == 2 && list.ids[0] == second && list.ids[1] == first);
    MUST(store_google_operation_delete(h.store, second, &e));
    list.n = 0;
    MUST(store_google_operation_list(h.store, "a", 0, 0, see, &list, &e));
    ck_assert_uint_eq(list.n, 1);
    shelf_close(&h);
}
END_TEST

SUITE("store/store_google", resources_are_listed_by_place_newest_first,
      a_resource_goes_with_its_study,
      measurements_keep_their_order_and_the_last_end,
      the_next_best_follows_one_that_is_forgotten,
      operations_are_found_under_their_parent)
