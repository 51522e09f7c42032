/* Files of every age are brought up to today's tables, or left untouched. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/schema.h"

#include "store/inside.h"
#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

enum { MOST_STEPS = 64 };

static struct schema_step longer[MOST_STEPS], broken[MOST_STEPS];
static size_t n_longer; /* today's, which are never run again, and two more */

static void make_longer(void)
{
    int last = (int)schema_n_steps;

    ck_assert_uint_lt(schema_n_steps + 2, MOST_STEPS);
    for (int i = 0; i < last; i++)
        longer[i] = broken[i] = (struct schema_step){i + 1, "SELECT 1"};
    longer[last] = broken[last] =
        (struct schema_step){last + 1, "CREATE TABLE later (x INTEGER) STRICT"};
    longer[last + 1] =
        (struct schema_step){last + 2, "INSERT INTO later VALUES (7)"};
    broken[last + 1] =
        (struct schema_step){last + 2, "INSERT INTO nowhere VALUES (7)"};
    n_longer = schema_n_steps + 2;
}

START_TEST(steps_are_numbered_without_gaps)
{
    for (size_t i = 0; i < schema_n_steps; i++)
        ck_assert_int_eq(schema_steps[i].number, (int)i + 1);
}
END_TEST

START_TEST(an_older_file_takes_the_steps_it_lacks)
{
    struct shelf h;
    struct err e;
    int64_t got;

    make_longer();
    shelf_open(&h);
    MUST(store_commit(h.store, &e));
    MUST(schema_update(h.store, longer, n_longer, &e));
    MUST(inside_ask(h.store, "PRAGMA user_version", &got, &e));
    ck_assert_int_eq(got, (int)n_longer);
    MUST(schema_update(h.store, longer, n_longer, &e));
    MUST(inside_ask(h.store, "SELECT sum(x) FROM later", &got, &e));
    ck_assert_int_eq(got, 7);
    shelf_close(&h);
}
END_TEST

START_TEST(a_step_that_fails_takes_back_those_before_it)
{
    struct shelf h;
    struct err e;
    int64_t got;

    make_longer();
    shelf_open(&h);
    MUST(store_commit(h.store, &e));
    MUST_FAIL(schema_update(h.store, broken, n_longer, &e), ERR_IO);
    MUST(inside_ask(h.store, "PRAGMA user_version", &got, &e));
    ck_assert_int_eq(got, (int)schema_n_steps);
    MUST(inside_ask(h.store,
                    "SELECT count(*) FROM sqlite_schema WHERE name = 'later'",
                    &got, &e));
    ck_assert_int_eq(got, 0);
    shelf_close(&h);
}
END_TEST

START_TEST(a_newer_file_is_refused)
{
    struct store *s = NULL;
    struct shelf h;
    struct err e;

    make_longer();
    shelf_open_on_disk(&h);
    MUST(store_commit(h.store, &e));
    MUST(schema_update(h.store, longer, n_longer, &e));
    MUST_FAIL(store_open(&s, h.path, &e), ERR_CONFLICT);
    ck_assert_ptr_nonnull(strstr(e.text, h.path));
    ck_assert_ptr_nonnull(strstr(e.text, "newer Hypertune"));
    shelf_close(&h);
}
END_TEST

START_TEST(a_database_of_another_program_is_refused_and_left_alone)
{
    char path[] = "/tmp/hypertune-foreign-XXXXXX";
    struct store *s = NULL;
    sqlite3 *db = NULL;
    sqlite3_stmt *q;
    struct err e;

    close(mkstemp(path));
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(
        sqlite3_exec(db, "CREATE TABLE theirs (x)", NULL, NULL, NULL),
        SQLITE_OK);
    MUST_FAIL(store_open(&s, path, &e), ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "is not a Hypertune database"));
    ck_assert_int_eq(
        sqlite3_prepare_v2(db, "PRAGMA journal_mode", -1, &q, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_step(q), SQLITE_ROW);
    ck_assert_str_eq((const char *)sqlite3_column_text(q, 0), "delete");
    sqlite3_finalize(q);
    sqlite3_close(db);
    unlink(path);
}
END_TEST

static bool forecast_is_empty(void *ctx, const struct trial_row *row)
{
    ck_assert_str_eq(row->forecast, "");
    ck_assert_str_eq(row->source, "sobol");
    *(bool *)ctx = true;
    return true;
}

static bool attempt_is_old(void *ctx, const struct attempt_row *row)
{
    ck_assert_str_eq(row->marks, "m");
    ck_assert_str_eq(row->gpus, "");
    ck_assert_str_eq(row->node, "");
    ck_assert_str_eq(row->blame, "");
    *(bool *)ctx = true;
    return true;
}

START_TEST(a_file_of_the_first_version_keeps_its_trials)
{
    static const char rows[] =
        "INSERT INTO study VALUES (1, 's', 'ACTIVE', '', 0, 1, 5, 0, '/', "
        "'{}', '');"
        "INSERT INTO tally (study_id, next_number, changes) VALUES (1, 2, 1);"
        "INSERT INTO trial VALUES (1, 1, 'PENDING', '', '', '{}', 'sobol', '', "
        "0, 0, NULL, NULL, 0, 5, 0, 0, 1, 0);"
        "INSERT INTO attempt VALUES (1, 1, 1, 5, 0, '', 'm', 0);"
        "PRAGMA user_version = 1; PRAGMA application_id = 0x48797074;";
    char path[] = "/tmp/hypertune-first-XXXXXX";
    struct store *s = NULL;
    sqlite3 *db = NULL;
    struct err e;
    bool seen = false, attempted = false;

    close(mkstemp(path));
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, schema_steps[0].sql, NULL, NULL, NULL),
                     SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    MUST(store_open(&s, path, &e));
    MUST(store_trial_get(s, 1, 1, forecast_is_empty, &seen, &e));
    ck_assert(seen);
    MUST(store_attempt_list(s, 1, 1, attempt_is_old, &attempted, &e));
    ck_assert(attempted);
    store_close(s);
    unlink(path);
}
END_TEST

static bool spec_is(void *ctx, const struct study_row *row)
{
    static const char *const specs[] = {
        "{}", "{\"stop_early\":\"median\"}", "no JSON",
        ("{\"objectives\":{\"a b\":\"max\",\"c\":\"min\"},"
         "\"seed\":10000000000}")};

    ck_assert_str_eq(row->spec, specs[row->id - 1]);
    ++*(int *)ctx;
    return true;
}

/* Files that were written by version 7 lie in the world: what it is stays. */
START_TEST(a_file_of_version_7_takes_the_steps_it_lacks)
{
    char path[] = "/tmp/hypertune-seven-XXXXXX";
    struct store *s = NULL;
    sqlite3 *db = NULL;
    struct err e;
    int64_t got;

    close(mkstemp(path));
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < 6; i++)
        ck_assert_int_eq(
            sqlite3_exec(db, schema_steps[i].sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db,
                                  "ALTER TABLE trial ADD COLUMN foreseen REAL;"
                                  "ALTER TABLE trial ADD COLUMN unsure REAL;"
                                  "PRAGMA user_version = 7;"
                                  "PRAGMA application_id = 0x48797074;",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    MUST(store_open(&s, path, &e));
    MUST(inside_ask(s, "SELECT count(objectives) FROM trial", &got, &e));
    store_close(s);
    unlink(path);
}
END_TEST

/* For a while both could be written, and the rule stopped what was best. */
START_TEST(several_objectives_lose_their_stopping_rule)
{
    static const char rows[] =
        "INSERT INTO study VALUES (1, 'a', 'ACTIVE', '', 0, 1, 5, 0, '/', "
        "'{}', ''), (2, 'b', 'ACTIVE', '', 0, 1, 5, 0, '/', "
        "'{\"stop_early\":\"median\"}', ''), (3, 'c', 'ACTIVE', '', 0, 1, 5, "
        "0, '/', 'no JSON', ''), (4, 'd', 'ACTIVE', '', 0, 1, 5, 0, '/', "
        "'{\"objectives\": {\"a b\": \"max\", \"c\": \"min\"}, "
        "\"stop_early\": \"asha after 5\", \"seed\": 10000000000}', '');"
        "INSERT INTO tally (study_id) VALUES (1), (2), (3), (4);"
        "PRAGMA user_version = 8; PRAGMA application_id = 0x48797074;";
    char path[] = "/tmp/hypertune-rules-XXXXXX";
    struct store *s = NULL;
    sqlite3 *db = NULL;
    struct err e;
    int seen = 0;

    close(mkstemp(path));
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    for (int i = 0; i < 8; i++)
        ck_assert_int_eq(
            sqlite3_exec(db, schema_steps[i].sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, rows, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    MUST(store_open(&s, path, &e));
    for (int64_t id = 1; id <= 4; id++)
        MUST(store_study_get(s, id, spec_is, &seen, &e));
    ck_assert_int_eq(seen, 4);
    store_close(s);
    unlink(path);
}
END_TEST

SUITE("store/schema", several_objectives_lose_their_stopping_rule,
      a_file_of_version_7_takes_the_steps_it_lacks,
      a_file_of_the_first_version_keeps_its_trials,
      steps_are_numbered_without_gaps, an_older_file_takes_the_steps_it_lacks,
      a_step_that_fails_takes_back_those_before_it, a_newer_file_is_refused,
      a_database_of_another_program_is_refused_and_left_alone)
