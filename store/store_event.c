/* Events: what a person follows, the newest of each study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include "store/inside.h"

static int add(struct store *s, const struct event_row *row, int64_t *id,
               struct err *e)
{
    static const char sql[] =
        "INSERT INTO event (study_id, time_ms, kind, body) "
        "VALUES (?1, ?2, ?3, ?4)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, row->study_id);
    sqlite3_bind_int64(q, 2, row->time_ms);
    inside_bind_text(q, 3, row->kind);
    inside_bind_text(q, 4, row->body);
    if (inside_run(s, q, e)) {
        if (!inside_is_orphan(s))
            return -1;
        return err_set(e, ERR_ABSENT, "there is no study with id %lld",
                       (long long)row->study_id);
    }
    *id = sqlite3_last_insert_rowid(s->db);
    return 0;
}

/* Counts one more unless there are enough; *full says so. */
static int count(struct store *s, int64_t study_id, bool *full, struct err *e)
{
    static const char sql[] = "UPDATE tally SET events = events + 1 "
                              "WHERE study_id = ?1 AND events < ?2";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int(q, 2, STORE_MOST_EVENTS);
    if (inside_run(s, q, e))
        return -1;
    *full = !sqlite3_changes(s->db);
    return 0;
}

/* The oldest is the first entry of the study in the index. */
static int drop_oldest(struct store *s, int64_t study_id, struct err *e)
{
    static const char sql[] =
        "DELETE FROM event WHERE id = (SELECT id FROM event "
        "INDEXED BY event_study WHERE study_id = ?1 ORDER BY id LIMIT 1)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    return inside_run(s, q, e);
}

int store_event_add(struct store *s, const struct event_row *row, int64_t *id,
                    struct err *e)
{
    bool full;

    if (add(s, row, id, e) || count(s, row->study_id, &full, e))
        return -1;
    return full ? drop_oldest(s, row->study_id, e) : 0;
}

/* An event and the name of its study; the outer loop is the events', in their
 * order. */
#define COLUMNS "SELECT e.id, e.study_id, e.time_ms, e.kind, e.body, s.name "

static sqlite3_stmt *of_study(struct store *s, int64_t study_id, struct err *e)
{
    static const char sql[] =
        COLUMNS "FROM event e INDEXED BY event_study CROSS JOIN study s "
                "ON s.id = e.study_id WHERE e.study_id = ?3 AND e.id > ?1 "
                "ORDER BY e.id LIMIT ?2";
    sqlite3_stmt *q = inside_look(s, sql, e);

    if (q)
        sqlite3_bind_int64(q, 3, study_id);
    return q;
}

static sqlite3_stmt *of_all(struct store *s, struct err *e)
{
    static const char sql[] =
        COLUMNS "FROM event e CROSS JOIN study s ON s.id = e.study_id "
                "WHERE e.id > ?1 ORDER BY e.id LIMIT ?2";

    return inside_look(s, sql, e);
}

int store_event_list(struct store *s, int64_t study_id, int64_t after,
                     int limit, store_event_fn *fn, void *ctx, struct err *e)
{
    sqlite3_stmt *q = study_id ? of_study(s, study_id, e) : of_all(s, e);
    struct event_row row;
    int rc;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, after);
    sqlite3_bind_int(q, 2, limit > 0 ? limit : -1);
    while ((rc = inside_row(s, q, e)) > 0) {
        row.id = sqlite3_column_int64(q, 0);
        row.study_id = sqlite3_column_int64(q, 1);
        row.time_ms = sqlite3_column_int64(q, 2);
        row.kind = inside_text(q, 3);
        row.body = inside_text(q, 4);
        row.study = inside_text(q, 5);
        if (fn(ctx, &row))
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}

int store_event_last(struct store *s, int64_t study_id, int64_t *id,
                     struct err *e)
{
    static const char of_one[] =
        "SELECT coalesce(max(id), 0) FROM event WHERE study_id = ?1";
    static const char of_any[] = "SELECT coalesce(max(id), 0) FROM event";
    sqlite3_stmt *q = inside_look(s, study_id ? of_one : of_any, e);

    if (!q)
        return -1;
    if (study_id)
        sqlite3_bind_int64(q, 1, study_id);
    if (inside_row(s, q, e) <= 0)
        return -1;
    *id = sqlite3_column_int64(q, 0);
    inside_done(s, q);
    return 0;
}
