/* Tokens that were given to others. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_token.h"

#include "store/inside.h"

int store_token_add(struct store *s, const struct token_row *row, struct err *e)
{
    static const char sql[] =
        "INSERT INTO token (name, hash, role, created_ms, expires_ms) "
        "VALUES (?1, ?2, ?3, ?4, ?5)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    inside_bind_text(q, 1, row->name);
    inside_bind_text(q, 2, row->hash);
    inside_bind_text(q, 3, row->role);
    sqlite3_bind_int64(q, 4, row->created_ms);
    sqlite3_bind_int64(q, 5, row->expires_ms);
    if (!inside_run(s, q, e))
        return 0;
    if (!inside_is_twice(s))
        return -1;
    return err_set(e, ERR_CONFLICT,
                   "there is a token named %s already: delete it first, or "
                   "choose another name",
                   row->name);
}

int store_token_delete(struct store *s, const char *name, struct err *e)
{
    static const char sql[] = "DELETE FROM token WHERE name = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    inside_bind_text(q, 1, name);
    if (inside_run(s, q, e))
        return -1;
    if (sqlite3_changes(s->db))
        return 0;
    return err_set(e, ERR_ABSENT, "there is no token named %s", name);
}

/* Gives every row of q to fn. */
static int give(struct store *s, sqlite3_stmt *q, store_token_fn *fn, void *ctx,
                struct err *e)
{
    struct token_row row;
    int rc;

    while ((rc = inside_row(s, q, e)) > 0) {
        row.name = inside_text(q, 0);
        row.hash = inside_text(q, 1);
        row.role = inside_text(q, 2);
        row.created_ms = sqlite3_column_int64(q, 3);
        row.expires_ms = sqlite3_column_int64(q, 4);
        if (fn(ctx, &row))
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}

int store_token_list(struct store *s, store_token_fn *fn, void *ctx,
                     struct err *e)
{
    static const char sql[] =
        "SELECT name, hash, role, created_ms, expires_ms FROM token "
        "ORDER BY name";
    sqlite3_stmt *q = inside_look(s, sql, e);

    return q ? give(s, q, fn, ctx, e) : -1;
}

int store_token_find(struct store *s, const char *hash, store_token_fn *fn,
                     void *ctx, struct err *e)
{
    static const char sql[] =
        "SELECT name, hash, role, created_ms, expires_ms FROM token "
        "WHERE hash = ?1";
    sqlite3_stmt *q = inside_look(s, sql, e);

    if (!q)
        return -1;
    inside_bind_text(q, 1, hash);
    return give(s, q, fn, ctx, e);
}
