/* Google's resources, measurements and operations. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store_google.h"

#include "base/mem.h"
#include "store/inside.h"

/* ---- resources ---- */

#define COLUMNS "study_id, kind, project, location, display_name, body, labels "

static int no_resource(int64_t id, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no resource with id %lld",
                   (long long)id);
}

int store_google_add(struct store *s, const struct google_row *row,
                     struct err *e)
{
    static const char sql[] =
        "INSERT INTO google (study_id, kind, project, location, display_name, "
        "body, labels) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, row->study_id);
    inside_bind_text(q, 2, row->kind);
    inside_bind_text(q, 3, row->project);
    inside_bind_text(q, 4, row->location);
    inside_bind_text(q, 5, row->display_name);
    inside_bind_text(q, 6, row->body);
    inside_bind_text(q, 7, row->labels);
    if (inside_run(s, q, e) == 0)
        return 0;
    if (inside_is_orphan(s))
        return err_set(e, ERR_ABSENT, "there is no study with id %lld",
                       (long long)row->study_id);
    if (inside_is_twice(s))
        return err_set(e, ERR_CONFLICT, "study %lld is a resource already",
                       (long long)row->study_id);
    return -1;
}

/* Gives the rows to fn, at most `limit`; *n is how many there were. */
static int each(struct store *s, sqlite3_stmt *q, int limit,
                store_google_fn *fn, void *ctx, int *n, struct err *e)
{
    int rc;

    for (*n = 0; (rc = inside_row(s, q, e)) > 0;) {
        struct google_row row = {.study_id = sqlite3_column_int64(q, 0),
                                 .kind = inside_text(q, 1),
                                 .project = inside_text(q, 2),
                                 .location = inside_text(q, 3),
                                 .display_name = inside_text(q, 4),
                                 .body = inside_text(q, 5),
                                 .labels = inside_text(q, 6)};

        ++*n;
        if (fn(ctx, &row) && *n != limit)
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}

int store_google_get(struct store *s, int64_t study_id, store_google_fn *fn,
                     void *ctx, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM google WHERE study_id = ?1";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    if (each(s, q, 1, fn, ctx, &n, e))
        return -1;
    return n ? 0 : no_resource(study_id, e);
}

static void bind_of(sqlite3_stmt *q, const struct google_row *of)
{
    inside_bind_text(q, 1, of->kind);
    inside_bind_text(q, 2, of->project);
    inside_bind_text(q, 3, of->location);
}

int store_google_list(struct store *s, const struct google_row *of,
                      int64_t before, int limit, store_google_fn *fn, void *ctx,
                      struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM google WHERE kind = ?1 AND project = ?2 AND "
        "location = ?3 AND study_id < ?4 ORDER BY study_id DESC";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    bind_of(q, of);
    sqlite3_bind_int64(q, 4, before ? before : INT64_MAX);
    return each(s, q, limit, fn, ctx, &n, e);
}

int store_google_find(struct store *s, const struct google_row *of,
                      int64_t *study_id, struct err *e)
{
    static const char sql[] =
        "SELECT max(study_id) FROM google WHERE kind = ?1 AND project = ?2 "
        "AND location = ?3 AND display_name = ?4";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int rc;

    if (!q)
        return -1;
    bind_of(q, of);
    inside_bind_text(q, 4, of->display_name);
    rc = inside_row(s, q, e);
    if (rc < 0)
        return -1;
    *study_id = rc ? sqlite3_column_int64(q, 0) : 0;
    if (rc)
        inside_done(s, q);
    if (*study_id)
        return 0;
    return err_set(e, ERR_ABSENT, "there is none with the display name \"%s\"",
                   of->display_name);
}

int store_google_labels(struct store *s, int64_t study_id, const char *labels,
                        struct err *e)
{
    static const char sql[] =
        "UPDATE google SET labels = ?2 WHERE study_id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    inside_bind_text(q, 2, labels);
    if (inside_run(s, q, e))
        return -1;
    return sqlite3_changes(s->db) ? 0 : no_resource(study_id, e);
}

/* ---- trials ---- */

/* Binds ?1 to the study and ?2 to the number. */
static sqlite3_stmt *of_trial(sqlite3_stmt *q, int64_t study_id, int64_t number)
{
    if (q) {
        sqlite3_bind_int64(q, 1, study_id);
        sqlite3_bind_int64(q, 2, number);
    }
    return q;
}

int store_google_chosen(struct store *s, int64_t study_id, struct err *e)
{
    static const char sql[] =
        "UPDATE tally SET given = given + 1 WHERE study_id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    return inside_run(s, q, e);
}

int store_google_client(struct store *s, int64_t study_id, int64_t number,
                        const char *client, struct err *e)
{
    static const char sql[] =
        "UPDATE trial SET client = ?3 WHERE study_id = ?1 AND number = ?2";
    sqlite3_stmt *q = of_trial(inside_change(s, sql, e), study_id, number);

    if (!q)
        return -1;
    inside_bind_text(q, 3, client);
    return inside_run(s, q, e);
}

static bool note_row(void *ctx, const struct trial_row *row)
{
    struct trial_row *out = ctx;

    out->state = row->state;
    out->given = row->given;
    return false;
}

/* One fewer in that state, and the best of those that are left. */
static int tally_forget(struct store *s, int64_t study_id,
                        const struct trial_row *gone, struct err *e)
{
    static const char sql[] =
        "UPDATE tally SET changes = changes + 1, pending = pending - ?2, "
        "launching = launching - ?3, running = running - ?4, "
        "stopping = stopping - ?5, succeeded = succeeded - ?6, "
        "stopped = stopped - ?7, infeasible = infeasible - ?8, "
        "failed = failed - ?9, (best_number, best_value) = "
        "(SELECT coalesce(max(b.number), 0), max(b.value) FROM (SELECT number, "
        "value FROM trial WHERE study_id = ?1 AND loss IS NOT NULL "
        "ORDER BY loss, number LIMIT 1) b) WHERE study_id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    for (int i = 0; i < TRIAL_STATES; i++)
        sqlite3_bind_int(q, 2 + i, !gone->given && i == (int)gone->state);
    return inside_run(s, q, e);
}

int store_google_forget(struct store *s, int64_t study_id, int64_t number,
                        struct err *e)
{
    static const char sql[] =
        "DELETE FROM trial WHERE study_id = ?1 AND number = ?2";
    struct trial_row gone = {0};
    sqlite3_stmt *q;

    if (store_trial_get(s, study_id, number, note_row, &gone, e))
        return -1;
    q = of_trial(inside_change(s, sql, e), study_id, number);
    if (!q || inside_run(s, q, e))
        return -1;
    return tally_forget(s, study_id, &gone, e);
}

int store_google_measure(struct store *s, int64_t study_id, int64_t number,
                         const char *body, int64_t *n, struct err *e)
{
    static const char sql[] =
        "INSERT INTO google_measurement (study_id, number, ordinal, body) "
        "SELECT ?1, ?2, coalesce(max(ordinal), 0) + 1, ?3 "
        "FROM google_measurement WHERE study_id = ?1 AND number = ?2 "
        "RETURNING ordinal";
    sqlite3_stmt *q = of_trial(inside_change(s, sql, e), study_id, number);
    int64_t ordinal;

    if (!q)
        return -1;
    inside_bind_text(q, 3, body);
    if (inside_row(s, q, e) <= 0)
        return -1;
    ordinal = sqlite3_column_int64(q, 0);
    inside_done(s, q);
    if (n)
        *n = ordinal;
    return 0;
}

int store_google_last(struct store *s, int64_t study_id, int64_t number,
                      int64_t *n, char **body, struct err *e)
{
    static const char sql[] =
        "SELECT ordinal, body FROM google_measurement WHERE study_id = ?1 AND "
        "number = ?2 ORDER BY ordinal DESC LIMIT 1";
    sqlite3_stmt *q = of_trial(inside_look(s, sql, e), study_id, number);
    int rc = q ? inside_row(s, q, e) : -1;

    if (rc < 0)
        return -1;
    *n = rc ? sqlite3_column_int64(q, 0) : 0;
    *body = mem_copy_text(rc ? inside_text(q, 1) : "");
    if (rc)
        inside_done(s, q);
    return 0;
}

int store_google_final(struct store *s, int64_t study_id, int64_t number,
                       const char *body, const char *why, struct err *e)
{
    static const char sql[] =
        "INSERT OR REPLACE INTO google_trial (study_id, number, final, why) "
        "VALUES (?1, ?2, ?3, ?4)";
    sqlite3_stmt *q = of_trial(inside_change(s, sql, e), study_id, number);

    if (!q)
        return -1;
    inside_bind_text(q, 3, body);
    inside_bind_text(q, 4, why);
    return inside_run(s, q, e);
}

static int each_measured(struct store *s, sqlite3_stmt *q, bool final,
                         store_google_measured_fn *fn, void *ctx, struct err *e)
{
    int rc;

    while ((rc = inside_row(s, q, e)) > 0)
        if (!fn(ctx, inside_text(q, 0), final, inside_text(q, 1))) {
            inside_done(s, q);
            return 0;
        }
    return rc;
}

int store_google_measured(struct store *s, int64_t study_id, int64_t number,
                          store_google_measured_fn *fn, void *ctx,
                          struct err *e)
{
    static const char each_sql[] =
        "SELECT body, '' FROM google_measurement WHERE study_id = ?1 AND "
        "number = ?2 ORDER BY ordinal";
    static const char final_sql[] =
        "SELECT final, why FROM google_trial WHERE study_id = ?1 AND "
        "number = ?2";
    sqlite3_stmt *q = of_trial(inside_look(s, each_sql, e), study_id, number);

    if (!q || each_measured(s, q, false, fn, ctx, e))
        return -1;
    q = of_trial(inside_look(s, final_sql, e), study_id, number);
    return q ? each_measured(s, q, true, fn, ctx, e) : -1;
}

/* ---- operations ---- */

static int no_operation(int64_t id, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no operation %lld here",
                   (long long)id);
}

int store_google_operation_delete(struct store *s, int64_t id, struct err *e)
{
    static const char sql[] = "DELETE FROM google_operation WHERE id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    return inside_run(s, q, e);
}

int store_google_operation_add(struct store *s, const char *parent, bool done,
                               const char *body, int64_t *id, struct err *e)
{
    static const char sql[] =
        "INSERT INTO google_operation (parent, done, body) "
        "VALUES (?1, ?2, ?3)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    inside_bind_text(q, 1, parent);
    sqlite3_bind_int(q, 2, done);
    inside_bind_text(q, 3, body);
    if (inside_run(s, q, e))
        return -1;
    *id = sqlite3_last_insert_rowid(s->db);
    return store_google_operation_delete(s, *id - STORE_GOOGLE_OPERATIONS, e);
}

int store_google_operation_end(struct store *s, int64_t id, const char *body,
                               struct err *e)
{
    static const char sql[] =
        "UPDATE google_operation SET done = 1, body = ?2 WHERE id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    inside_bind_text(q, 2, body);
    return inside_run(s, q, e);
}

static int each_operation(struct store *s, sqlite3_stmt *q, int limit,
                          store_google_operation_fn *fn, void *ctx, int *n,
                          struct err *e)
{
    int rc;

    for (*n = 0; (rc = inside_row(s, q, e)) > 0;) {
        struct google_operation_row row = {.id = sqlite3_column_int64(q, 0),
                                           .parent = inside_text(q, 1),
                                           .done =
                                               sqlite3_column_int(q, 2) != 0,
                                           .body = inside_text(q, 3)};

        ++*n;
        if (fn(ctx, &row) && *n != limit)
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}

int store_google_operation_get(struct store *s, const char *parent, int64_t id,
                               store_google_operation_fn *fn, void *ctx,
                               struct err *e)
{
    static const char sql[] =
        "SELECT id, parent, done, body FROM google_operation "
        "WHERE id = ?1 AND parent = ?2";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    inside_bind_text(q, 2, parent);
    if (each_operation(s, q, 1, fn, ctx, &n, e))
        return -1;
    return n ? 0 : no_operation(id, e);
}

int store_google_operation_list(struct store *s, const char *parent,
                                int64_t before, int limit,
                                store_google_operation_fn *fn, void *ctx,
                                struct err *e)
{
    static const char sql[] =
        "SELECT id, parent, done, body FROM google_operation "
        "WHERE parent = ?1 AND id < ?2 ORDER BY id DESC";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    inside_bind_text(q, 1, parent);
    sqlite3_bind_int64(q, 2, before ? before : INT64_MAX);
    return each_operation(s, q, limit, fn, ctx, &n, e);
}
