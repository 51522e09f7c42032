/* The file: opening, transactions, closing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/disk.h"
#include "store/inside.h"
#include "store/schema.h"

enum { BUSY_MS = 2000 }; /* how long somebody's sqlite3 shell may hold us up */

/* SQLite would make it readable for all; its helpers take its mode. */
static void make_private(const char *path)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

    if (fd >= 0)
        close(fd);
}

static int connect_to(struct store *s, struct err *e)
{
    static const int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;

    if (strcmp(s->path, ":memory:") != 0) {
        if (disk_check_local(s->path, e))
            return -1;
        make_private(s->path);
    }
    if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        return inside_fail(s, e);
    sqlite3_extended_result_codes(s->db, 1);
    sqlite3_busy_timeout(s->db, BUSY_MS);
    return 0;
}

static int use_wal(struct store *s, struct err *e)
{
    static const char sql[] = "PRAGMA journal_mode = WAL";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int rc = q ? inside_row(s, q, e) : -1;
    bool fine;

    if (rc <= 0)
        return rc;
    fine = !strcmp(inside_text(q, 0), "wal") ||
           !strcmp(inside_text(q, 0), "memory");
    inside_done(s, q);
    if (!fine)
        return err_set(e, ERR_IO,
                       "%s lies on a file system without shared memory, which "
                       "SQLite needs: name a state directory on a local disk",
                       s->path);
    return 0;
}

static int configure(struct store *s, struct err *e)
{
    if (sqlite3_db_readonly(s->db, "main") == 1)
        return err_set(e, ERR_IO,
                       "%s is read-only: make it and its folder writable, or "
                       "name another state directory",
                       s->path);
    if (use_wal(s, e))
        return -1;
    return inside_exec(s,
                       "PRAGMA synchronous = FULL;"
                       "PRAGMA foreign_keys = ON;"
                       "PRAGMA trusted_schema = OFF;"
                       "PRAGMA journal_size_limit = 67108864",
                       e);
}

int store_open(struct store **out, const char *path, struct err *e)
{
    struct store *s = mem_new(1, sizeof *s);

    s->path = mem_copy_text(path);
    if (connect_to(s, e) || schema_check(s, schema_n_steps, e) ||
        configure(s, e) || schema_update(s, schema_steps, schema_n_steps, e)) {
        store_close(s);
        return -1;
    }
    *out = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    store_rollback(s);
    for (size_t i = 0; i < s->n_kept; i++)
        sqlite3_finalize(s->kept[i].statement);
    sqlite3_close(s->db);
    free(s->kept);
    free(s->path);
    free(s);
}

static int run_once(struct store *s, const char *sql, struct err *e)
{
    sqlite3_stmt *q = inside_look(s, sql, e);

    return q ? inside_run(s, q, e) : -1;
}

int store_begin(struct store *s, struct err *e)
{
    static const char sql[] = "BEGIN IMMEDIATE";

    if (s->open)
        return s->failed ? err_set(e, s->why.code, "%s", s->why.text) : 0;
    if (run_once(s, sql, e))
        return -1;
    s->open = true;
    return 0;
}

int store_commit(struct store *s, struct err *e)
{
    static const char sql[] = "COMMIT";
    int rc;

    if (!s->open)
        return 0;
    if (s->failed)
        rc = err_set(e, s->why.code, "%s", s->why.text);
    else
        rc = run_once(s, sql, e);
    s->counts.commits += !rc;
    s->counts.failed += rc != 0;
    if (rc)
        store_rollback(s);
    s->open = false;
    return rc;
}

void store_rollback(struct store *s)
{
    if (s->open && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    s->open = false;
    s->failed = false;
}

bool store_is_open(const struct store *s)
{
    return s->open;
}

const struct store_counts *store_counts(const struct store *s)
{
    return &s->counts;
}
