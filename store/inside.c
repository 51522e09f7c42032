/* Statements that are prepared once, and SQLite's failures in our words. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/inside.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/mem.h"

/* What SQLite says, what the asker should do, and the sentence about the file,
 * whose name stands first. */
static const struct {
    int primary;
    enum err_code code;
    const char *sentence;
} failures[] = {
    {SQLITE_FULL, ERR_IO, "cannot grow: its disk is full; free some space"},
    {SQLITE_READONLY, ERR_IO,
     "is read-only: make it and its folder writable, or name another state "
     "directory"},
    {SQLITE_CANTOPEN, ERR_IO,
     "cannot be opened: its folder must be there and writable"},
    {SQLITE_PERM, ERR_IO, "cannot be opened: permission denied"},
    {SQLITE_NOTADB, ERR_IO, "is not a Hypertune database"},
    {SQLITE_CORRUPT, ERR_IO,
     "is damaged: put back a copy of it, or move it away to begin anew"},
    {SQLITE_NOMEM, ERR_IO, "cannot be used: no memory is left"},
    {SQLITE_TOOBIG, ERR_INVALID, "cannot hold a text this large"},
    {SQLITE_BUSY, ERR_BUSY,
     "is locked by another program that has it open: try again, or end that "
     "one"},
    {SQLITE_LOCKED, ERR_BUSY, "is locked by another of our own readers"},
    {SQLITE_CONSTRAINT, ERR_CONFLICT, "holds a rule that forbids this"},
};

static int say(struct store *s, int primary, struct err *e)
{
    int os = sqlite3_system_errno(s->db);

    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++)
        if (failures[i].primary == primary)
            return err_set(e, failures[i].code, "%s %s", s->path,
                           failures[i].sentence);
    if (primary != SQLITE_IOERR || !os)
        return err_set(e, ERR_IO, "%s: %s", s->path, sqlite3_errmsg(s->db));
    if (os == ENOSPC || os == EDQUOT)
        return say(s, SQLITE_FULL, e);
    return err_set(e, ERR_IO, "%s cannot be read or written: %s", s->path,
                   strerror(os));
}

int inside_fail(struct store *s, struct err *e)
{
    struct err why;

    s->last = sqlite3_extended_errcode(s->db);
    say(s, s->last & 0xff, &why);
    if (s->open && !s->failed && (s->last & 0xff) != SQLITE_CONSTRAINT) {
        s->failed = true;
        s->why = why;
    }
    return err_set(e, why.code, "%s", why.text);
}

bool inside_is_twice(const struct store *s)
{
    return s->last == SQLITE_CONSTRAINT_UNIQUE ||
           s->last == SQLITE_CONSTRAINT_PRIMARYKEY;
}

bool inside_is_orphan(const struct store *s)
{
    return s->last == SQLITE_CONSTRAINT_FOREIGNKEY;
}

static sqlite3_stmt *prepare(struct store *s, const char *sql, unsigned flags,
                             struct err *e)
{
    sqlite3_stmt *q = NULL;

    if (sqlite3_prepare_v3(s->db, sql, -1, flags, &q, NULL) != SQLITE_OK) {
        inside_fail(s, e);
        return NULL;
    }
    return q;
}

static sqlite3_stmt *keep(struct store *s, const char *sql, struct err *e)
{
    sqlite3_stmt *q = prepare(s, sql, SQLITE_PREPARE_PERSISTENT, e);
    void *kept = s->kept;

    if (!q)
        return NULL;
    mem_grow(&kept, &s->cap_kept, s->n_kept + 1, sizeof *s->kept);
    s->kept = kept;
    s->kept[s->n_kept++] = (struct inside_kept){sql, q};
    return q;
}

sqlite3_stmt *inside_look(struct store *s, const char *sql, struct err *e)
{
    for (size_t i = 0; i < s->n_kept; i++) {
        if (s->kept[i].sql != sql)
            continue;
        if (sqlite3_stmt_busy(s->kept[i].statement))
            return prepare(s, sql, 0, e);
        return s->kept[i].statement;
    }
    return keep(s, sql, e);
}

sqlite3_stmt *inside_change(struct store *s, const char *sql, struct err *e)
{
    assert(s->open);
    if (s->failed) {
        err_set(e, s->why.code, "%s", s->why.text);
        return NULL;
    }
    return inside_look(s, sql, e);
}

void inside_bind_text(sqlite3_stmt *q, int at, const char *text)
{
    sqlite3_bind_text(q, at, text ? text : "", -1, SQLITE_STATIC);
}

const char *inside_text(sqlite3_stmt *q, int column)
{
    const unsigned char *text = sqlite3_column_text(q, column);

    return text ? (const char *)text : "";
}

void inside_done(struct store *s, sqlite3_stmt *q)
{
    for (size_t i = 0; i < s->n_kept; i++) {
        if (s->kept[i].statement != q)
            continue;
        sqlite3_reset(q);
        sqlite3_clear_bindings(q);
        return;
    }
    sqlite3_finalize(q);
}

int inside_row(struct store *s, sqlite3_stmt *q, struct err *e)
{
    int rc = sqlite3_step(q);

    if (rc == SQLITE_ROW)
        return 1;
    rc = rc == SQLITE_DONE ? 0 : inside_fail(s, e);
    inside_done(s, q);
    return rc;
}

int inside_run(struct store *s, sqlite3_stmt *q, struct err *e)
{
    return inside_row(s, q, e);
}

int inside_exec(struct store *s, const char *sql, struct err *e)
{
    if (sqlite3_exec(s->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return inside_fail(s, e);
    return 0;
}

int inside_ask(struct store *s, const char *sql, int64_t *out, struct err *e)
{
    sqlite3_stmt *q = prepare(s, sql, 0, e);
    int rc;

    if (!q)
        return -1;
    rc = inside_row(s, q, e);
    if (rc > 0) {
        *out = sqlite3_column_int64(q, 0);
        inside_done(s, q);
    }
    return rc < 0 ? -1 : 0;
}
