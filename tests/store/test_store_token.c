/* Tokens are found by their hash, and only by it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_token.h"

#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

static const struct token_row ci = {"ci", "aa11", "reader", 1000, 0};
static const struct token_row ada = {"ada", "bb22", "admin", 2000, 9000};

struct seen {
    char names[64];
    int64_t expires_ms;
};

static bool note(void *ctx, const struct token_row *row)
{
    struct seen *seen = ctx;
    size_t n = strlen(seen->names);

    snprintf(seen->names + n, sizeof seen->names - n, "%s/%s ", row->name,
             row->role);
    seen->expires_ms = row->expires_ms;
    return true;
}

START_TEST(a_token_is_found_by_its_hash_alone)
{
    struct seen seen = {0}, none = {0};
    struct shelf h;
    struct err e;

    shelf_open_on_disk(&h);
    MUST(store_token_add(h.store, &ci, &e));
    MUST(store_token_add(h.store, &ada, &e));
    MUST(store_commit(h.store, &e));
    store_close(h.store);
    MUST(store_open(&h.store, h.path, &e));
    MUST(store_token_find(h.store, "bb22", note, &seen, &e));
    ck_assert_str_eq(seen.names, "ada/admin ");
    ck_assert_int_eq(seen.expires_ms, 9000);
    MUST(store_token_find(h.store, "ci", note, &none, &e));
    MUST(store_token_find(h.store, "", note, &none, &e));
    ck_assert_str_eq(none.names, "");
    shelf_close(&h);
}
END_TEST

START_TEST(a_name_is_given_once_and_free_after_its_token_is_deleted)
{
    struct token_row again = {"ci", "cc33", "submitter", 3000, 0};
    struct seen seen = {0};
    struct shelf h;
    struct err e;

    shelf_open(&h);
    MUST(store_token_add(h.store, &ci, &e));
    MUST(store_token_add(h.store, &ada, &e));
    MUST_FAIL(store_token_add(h.store, &again, &e), ERR_CONFLICT);
    ck_assert_ptr_nonnull(strstr(e.text, "named ci already"));
    MUST(store_token_delete(h.store, "ci", &e));
    MUST_FAIL(store_token_delete(h.store, "ci", &e), ERR_ABSENT);
    MUST(store_token_add(h.store, &again, &e));
    MUST(store_token_list(h.store, note, &seen, &e));
    ck_assert_str_eq(seen.names, "ada/admin ci/submitter ");
    shelf_close(&h);
}
END_TEST

SUITE("store/store_token", a_token_is_found_by_its_hash_alone,
      a_name_is_given_once_and_free_after_its_token_is_deleted)
