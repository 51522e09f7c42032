/* What was committed is there, what was not is not, and every failure is one
 * sentence that names the file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "store/inside.h"
#include "tests/lib/suite.h"
#include "tests/store/shelf.h"

START_TEST(what_was_committed_is_there_again)
{
    struct shelf h;
    struct err e;
    int64_t found;

    shelf_open_on_disk(&h);
    ck_assert_int_eq(shelf_succeed(&h, 0.25), 1);
    MUST(store_commit(h.store, &e));
    store_close(h.store);
    MUST(store_open(&h.store, h.path, &e));
    MUST(store_study_find(h.store, "one", &found, &e));
    ck_assert_int_eq(found, h.study);
    ck_assert(shelf_trial(&h, 1).value == 0.25);
    ck_assert_int_eq(shelf_study(&h).best_number, 1);
    shelf_close(&h);
}
END_TEST

START_TEST(what_was_not_committed_is_not)
{
    struct shelf h;
    struct err e;

    shelf_open_on_disk(&h);
    shelf_add_trial(&h);
    ck_assert(store_is_open(h.store));
    store_rollback(h.store);
    ck_assert(!store_is_open(h.store));
    ck_assert_int_eq(shelf_study(&h).next_number, 1);
    MUST(store_begin(h.store, &e));
    shelf_add_trial(&h);
    store_close(h.store);
    MUST(store_open(&h.store, h.path, &e));
    ck_assert_int_eq(shelf_study(&h).next_number, 1);
    shelf_close(&h);
}
END_TEST

START_TEST(begin_and_commit_may_be_said_twice)
{
    struct shelf h;
    struct err e;

    shelf_open(&h);
    MUST(store_begin(h.store, &e));
    MUST(store_commit(h.store, &e));
    MUST(store_commit(h.store, &e));
    store_rollback(h.store);
    ck_assert(!store_is_open(h.store));
    shelf_close(&h);
}
END_TEST

/* Commits a trial after another and says each number, until it is killed. */
static void commit_and_say(struct shelf *h, int to)
{
    struct err e;

    for (;;) {
        int64_t number;

        if (store_begin(h->store, &e))
            _exit(1);
        number = shelf_add_trial(h);
        if (store_commit(h->store, &e) ||
            write(to, &number, sizeof number) != sizeof number)
            _exit(1);
    }
}

START_TEST(kill_nine_loses_nothing_that_was_committed)
{
    int64_t number = 0, last = 0;
    struct shelf h;
    struct err e;
    int ends[2];
    pid_t child;

    shelf_open_on_disk(&h);
    MUST(store_commit(h.store, &e));
    store_close(h.store);
    h.store = NULL;
    ck_assert_int_eq(pipe(ends), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (!child) {
        if (store_open(&h.store, h.path, &e))
            _exit(1);
        commit_and_say(&h, ends[1]);
    }
    close(ends[1]);
    while (last < 20 && read(ends[0], &number, sizeof number) > 0)
        last = number;
    kill(child, SIGKILL);
    while (read(ends[0], &number, sizeof number) > 0)
        last = number;
    close(ends[0]);
    waitpid(child, NULL, 0);
    ck_assert_int_ge(last, 20);
    MUST(store_open(&h.store, h.path, &e));
    ck_assert_int_eq(shelf_trial(&h, last).number, last);
    ck_assert_int_ge(shelf_study(&h).next_number, last + 1);
    ck_assert_int_le(shelf_study(&h).next_number, last + 2);
    MUST(store_begin(h.store, &e));
    shelf_add_trial(&h);
    MUST(store_commit(h.store, &e));
    shelf_close(&h);
}
END_TEST

/* Adds trials until the file may not grow, and says how it failed. */
static void fill_up(struct shelf *h, struct err *e)
{
    static char point[4096];
    const struct trial_row row = {.study_id = h->study, .point = point};
    int64_t number;

    memset(point, ' ', sizeof point - 1);
    for (int i = 0; i < 1000; i++)
        if (store_trial_add(h->store, &row, &number, e))
            return;
    ck_abort_msg("the disk was never full");
}

static void make_full(struct shelf *h, int more_pages)
{
    struct err e;
    char sql[64];
    int64_t pages;

    MUST(inside_ask(h->store, "PRAGMA page_count", &pages, &e));
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %lld",
             (long long)pages + more_pages);
    MUST(inside_exec(h->store, sql, &e));
}

START_TEST(a_full_disk_leaves_all_as_it_was)
{
    struct err e, later;
    struct shelf h;

    shelf_open_on_disk(&h);
    shelf_succeed(&h, 1.5);
    MUST(store_commit(h.store, &e));
    make_full(&h, 3);
    MUST(store_begin(h.store, &e));
    shelf_succeed(&h, 2.5);
    fill_up(&h, &e);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, h.path));
    ck_assert_ptr_nonnull(strstr(e.text, "disk is full"));
    /* Whoever goes on all the same is told again, and keeps nothing. */
    ck_assert_int_eq(
        store_study_move(h.store, h.study, STUDY_PAUSED, "", false, 1, &later),
        -1);
    ck_assert_str_eq(later.text, e.text);
    ck_assert_int_eq(store_commit(h.store, &later), -1);
    ck_assert_str_eq(later.text, e.text);
    ck_assert(!store_is_open(h.store));
    ck_assert_int_eq(shelf_study(&h).next_number, 2);
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_SUCCEEDED], 1);
    ck_assert(shelf_study(&h).best_value == 1.5);
    shelf_close(&h);
}
END_TEST

START_TEST(after_a_full_disk_it_goes_on_when_there_is_room)
{
    struct shelf h;
    struct err e;

    shelf_open_on_disk(&h);
    MUST(store_commit(h.store, &e));
    make_full(&h, 1);
    MUST(store_begin(h.store, &e));
    fill_up(&h, &e);
    store_rollback(h.store);
    make_full(&h, 100);
    MUST(store_begin(h.store, &e));
    ck_assert_int_eq(shelf_add_trial(&h), 1);
    MUST(store_commit(h.store, &e));
    shelf_close(&h);
}
END_TEST

START_TEST(a_refused_request_leaves_the_transaction_whole)
{
    struct study_row again = {.name = "one", .spec = "{}"};
    struct shelf h;
    struct err e;
    int64_t id;

    shelf_open(&h);
    shelf_add_trial(&h);
    MUST_FAIL(store_study_add(h.store, &again, &id, &e), ERR_CONFLICT);
    ck_assert_str_eq(e.text, "there is a study named one already");
    shelf_add_trial(&h);
    MUST(store_commit(h.store, &e));
    ck_assert_int_eq(shelf_study(&h).counts[TRIAL_PENDING], 2);
    shelf_close(&h);
}
END_TEST

START_TEST(one_locked_by_another_program_is_busy)
{
    sqlite3 *other = NULL;
    struct shelf h;
    struct err e;

    shelf_open_on_disk(&h);
    MUST(store_commit(h.store, &e));
    sqlite3_busy_timeout(h.store->db, 1);
    ck_assert_int_eq(sqlite3_open(h.path, &other), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL),
                     SQLITE_OK);
    MUST_FAIL(store_begin(h.store, &e), ERR_BUSY);
    ck_assert_ptr_nonnull(strstr(e.text, h.path));
    ck_assert(!store_is_open(h.store));
    sqlite3_close(other);
    MUST(store_begin(h.store, &e));
    shelf_close(&h);
}
END_TEST

static void write_file(const char *path, const char *bytes)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(bytes, f), 0);
    ck_assert_int_eq(fclose(f), 0);
}

START_TEST(a_file_that_is_no_database_is_refused_and_left_alone)
{
    static const char text[] =
        "study: digits, and enough words that nobody takes it for an empty "
        "database, which would be made one, with a header of a hundred bytes\n";
    char path[] = "/tmp/hypertune-no-database-XXXXXX", back[256] = "";
    struct store *s = NULL;
    struct err e;
    FILE *f;

    close(mkstemp(path));
    write_file(path, text);
    MUST_FAIL(store_open(&s, path, &e), ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, path));
    ck_assert_ptr_nonnull(strstr(e.text, "is not a Hypertune database"));
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(back, sizeof back, f));
    fclose(f);
    ck_assert_str_eq(back, text);
    unlink(path);
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_named)
{
    struct store *s = NULL;
    struct err e;

    MUST_FAIL(store_open(&s, "/proc/hypertune.db", &e), ERR_IO);
    ck_assert_str_eq(e.text, "/proc/hypertune.db cannot be opened: its folder "
                             "must be there and writable");
    MUST_FAIL(store_open(&s, "/nowhere/at/all.db", &e), ERR_IO);
    ck_assert_ptr_null(s);
}
END_TEST

/* Nobody in particular: root may write everywhere. */
static int open_as_nobody(const char *path)
{
    struct store *s = NULL;
    struct err e = {0};

    if (!getuid() && (setgid(65534) || setuid(65534)))
        return 9;
    if (!store_open(&s, path, &e)) {
        store_close(s);
        return 1;
    }
    return e.code == ERR_IO && strstr(e.text, "is read-only") ? 0 : 2;
}

START_TEST(a_read_only_file_is_named_as_that)
{
    struct shelf h;
    struct err e;
    pid_t child;
    int status;

    shelf_open_on_disk(&h);
    MUST(store_commit(h.store, &e));
    store_close(h.store);
    h.store = NULL;
    ck_assert_int_eq(chmod(h.folder, 0555), 0);
    ck_assert_int_eq(chmod(h.path, 0444), 0);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (!child)
        _exit(open_as_nobody(h.path));
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(chmod(h.folder, 0755), 0);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
    shelf_close(&h);
}
END_TEST

START_TEST(a_damaged_file_is_an_error_and_no_crash)
{
    struct shelf h;
    struct err e;
    FILE *f;
    int rc;

    shelf_open_on_disk(&h);
    for (int i = 0; i < 200; i++)
        shelf_add_trial(&h);
    MUST(store_commit(h.store, &e));
    store_close(h.store);
    f = fopen(h.path, "r+");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_eq(fseek(f, 4096, SEEK_SET), 0);
    for (int i = 0; i < 20 * 4096; i++)
        fputc(0xA5, f);
    fclose(f);
    e = (struct err){0};
    h.store = NULL;
    rc = store_open(&h.store, h.path, &e);
    if (!rc) {
        struct study_row row;

        rc = store_study_get(h.store, h.study, shelf_keep_study, &row, &e);
    }
    ck_assert_int_eq(rc, -1);
    ck_assert_int_eq(e.code, ERR_IO);
    ck_assert_ptr_nonnull(strstr(e.text, "is damaged"));
    shelf_close(&h);
}
END_TEST

START_TEST(the_file_is_for_its_owner_and_in_full_sync)
{
    struct shelf h;
    struct stat st;
    struct err e;
    int64_t got;

    shelf_open_on_disk(&h);
    ck_assert_int_eq(stat(h.path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0600);
    MUST(inside_ask(h.store, "PRAGMA synchronous", &got, &e));
    ck_assert_int_eq(got, 2);
    MUST(inside_ask(h.store, "PRAGMA foreign_keys", &got, &e));
    ck_assert_int_eq(got, 1);
    MUST(inside_ask(h.store,
                    "SELECT journal_mode = 'wal' FROM pragma_journal_mode",
                    &got, &e));
    ck_assert_int_eq(got, 1);
    shelf_close(&h);
}
END_TEST

/* Lists trials while the same listing is under way. */
struct nested {
    struct shelf *h;
    size_t inner;
    int outer;
};

static bool count_within(void *ctx, const struct trial_row *row)
{
    const struct trial_filter all = {0};
    struct shelf_numbers numbers = {.n = 0};
    struct nested *n = ctx;
    struct err e;

    MUST(store_trial_list(n->h->store, row->study_id, &all, shelf_note_number,
                          &numbers, &e));
    n->inner += numbers.n;
    n->outer++;
    return true;
}

START_TEST(a_listing_may_be_asked_for_within_itself)
{
    const struct trial_filter all = {0};
    struct shelf h;
    struct nested n = {.h = &h};
    struct err e;

    shelf_open(&h);
    for (int i = 0; i < 4; i++)
        shelf_add_trial(&h);
    MUST(store_trial_list(h.store, h.study, &all, count_within, &n, &e));
    ck_assert_int_eq(n.outer, 4);
    ck_assert_uint_eq(n.inner, 16);
    shelf_close(&h);
}
END_TEST

SUITE_WITHIN(120, "store/store", what_was_committed_is_there_again,
             what_was_not_committed_is_not, begin_and_commit_may_be_said_twice,
             kill_nine_loses_nothing_that_was_committed,
             a_full_disk_leaves_all_as_it_was,
             after_a_full_disk_it_goes_on_when_there_is_room,
             a_refused_request_leaves_the_transaction_whole,
             one_locked_by_another_program_is_busy,
             a_file_that_is_no_database_is_refused_and_left_alone,
             a_place_that_cannot_be_written_is_named,
             a_read_only_file_is_named_as_that,
             a_damaged_file_is_an_error_and_no_crash,
             the_file_is_for_its_owner_and_in_full_sync,
             a_listing_may_be_asked_for_within_itself)
