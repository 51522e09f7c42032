/* Studies, and the tally of each. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "store/inside.h"

/* read_row knows their order. */
#define COLUMNS                                                                \
    "s.id, s.name, s.state, s.reason, s.spec, s.source, s.base_dir, "          \
    "s.created_ms, s.ended_ms, s.maximize, s.stopping, t.next_number, "        \
    "t.best_number, t.best_value, t.since_best, t.pending, t.launching, "      \
    "t.running, t.stopping, t.succeeded, t.stopped, t.infeasible, t.failed, "  \
    "t.given "                                                                 \
    "FROM study s JOIN tally t ON t.study_id = s.id "

static int read_row(struct store *s, sqlite3_stmt *q, struct study_row *row,
                    struct err *e)
{
    row->id = sqlite3_column_int64(q, 0);
    row->name = inside_text(q, 1);
    row->reason = inside_text(q, 3);
    row->spec = inside_text(q, 4);
    row->source = inside_text(q, 5);
    row->base_dir = inside_text(q, 6);
    row->created_ms = sqlite3_column_int64(q, 7);
    row->ended_ms = sqlite3_column_int64(q, 8);
    row->maximize = sqlite3_column_int(q, 9) != 0;
    row->stopping = sqlite3_column_int64(q, 10);
    row->next_number = sqlite3_column_int64(q, 11);
    row->best_number = sqlite3_column_int64(q, 12);
    row->best_value = sqlite3_column_double(q, 13);
    row->since_best = sqlite3_column_int64(q, 14);
    for (int i = 0; i < TRIAL_STATES; i++)
        row->counts[i] = sqlite3_column_int64(q, 15 + i);
    row->given = sqlite3_column_int64(q, 15 + TRIAL_STATES);
    if (study_state_read(inside_text(q, 2), &row->state))
        return 0;
    return err_set(e, ERR_IO, "%s holds a study in the unknown state \"%s\"",
                   s->path, inside_text(q, 2));
}

/* Gives every row to fn, and counts them in *n. */
static int each(struct store *s, sqlite3_stmt *q, store_study_fn *fn, void *ctx,
                int *n, struct err *e)
{
    struct study_row row;
    int rc;

    for (*n = 0; (rc = inside_row(s, q, e)) > 0; (*n)++) {
        rc = read_row(s, q, &row, e);
        if (!rc && fn(ctx, &row))
            continue;
        (*n)++;
        inside_done(s, q);
        break;
    }
    return rc;
}

static int absent(int64_t id, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no study with id %lld",
                   (long long)id);
}

/* Runs a change of one study's row. */
static int run_on_one(struct store *s, sqlite3_stmt *q, int64_t id,
                      struct err *e)
{
    if (inside_run(s, q, e))
        return -1;
    return sqlite3_changes(s->db) ? 0 : absent(id, e);
}

static int add_study(struct store *s, const struct study_row *row,
                     struct err *e)
{
    static const char sql[] =
        "INSERT INTO study (name, state, reason, stopping, maximize, "
        "created_ms, ended_ms, base_dir, spec, source) "
        "VALUES (?1, ?2, '', 0, ?3, ?4, 0, ?5, ?6, ?7)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    inside_bind_text(q, 1, row->name);
    inside_bind_text(q, 2, study_state_name(STUDY_ACTIVE));
    sqlite3_bind_int(q, 3, row->maximize);
    sqlite3_bind_int64(q, 4, row->created_ms);
    inside_bind_text(q, 5, row->base_dir);
    inside_bind_text(q, 6, row->spec);
    inside_bind_text(q, 7, row->source);
    if (!inside_run(s, q, e))
        return 0;
    if (!inside_is_twice(s))
        return -1;
    return err_set(e, ERR_CONFLICT, "there is a study named %s already",
                   row->name);
}

int store_study_add(struct store *s, const struct study_row *row, int64_t *id,
                    struct err *e)
{
    static const char sql[] = "INSERT INTO tally (study_id) VALUES (?1)";
    sqlite3_stmt *q;
    int64_t added;

    if (add_study(s, row, e))
        return -1;
    added = sqlite3_last_insert_rowid(s->db);
    q = inside_change(s, sql, e);
    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, added);
    if (inside_run(s, q, e))
        return -1;
    *id = added;
    return 0;
}

int store_study_move(struct store *s, int64_t id, enum study_state to,
                     const char *reason, bool cancelled, int64_t now_ms,
                     struct err *e)
{
    static const char sql[] =
        "UPDATE study SET state = ?2, reason = ?3, stopping = ?4, "
        "ended_ms = ?5 WHERE id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    inside_bind_text(q, 2, study_state_name(to));
    inside_bind_text(q, 3, reason);
    sqlite3_bind_int(q, 4, cancelled && to == STUDY_ENDING);
    sqlite3_bind_int64(q, 5, study_state_ended(to) ? now_ms : 0);
    return run_on_one(s, q, id, e);
}

int store_study_respec(struct store *s, int64_t id, const char *spec,
                       const char *source, struct err *e)
{
    static const char sql[] =
        "UPDATE study SET spec = ?2, source = ?3 WHERE id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    inside_bind_text(q, 2, spec);
    inside_bind_text(q, 3, source);
    return run_on_one(s, q, id, e);
}

int store_study_get(struct store *s, int64_t id, store_study_fn *fn, void *ctx,
                    struct err *e)
{
    static const char sql[] = "SELECT " COLUMNS "WHERE s.id = ?1";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    if (each(s, q, fn, ctx, &n, e))
        return -1;
    return n ? 0 : absent(id, e);
}

int store_study_tally(struct store *s, int64_t id, struct study_row *row,
                      struct err *e)
{
    static const char sql[] =
        "SELECT next_number, best_number, best_value, since_best, pending, "
        "launching, running, stopping, succeeded, stopped, infeasible, failed, "
        "given FROM tally WHERE study_id = ?1";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int rc;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, id);
    rc = inside_row(s, q, e);
    if (rc < 0)
        return -1;
    if (!rc)
        return absent(id, e);
    row->next_number = sqlite3_column_int64(q, 0);
    row->best_number = sqlite3_column_int64(q, 1);
    row->best_value = sqlite3_column_double(q, 2);
    row->since_best = sqlite3_column_int64(q, 3);
    for (int i = 0; i < TRIAL_STATES; i++)
        row->counts[i] = sqlite3_column_int64(q, 4 + i);
    row->given = sqlite3_column_int64(q, 4 + TRIAL_STATES);
    inside_done(s, q);
    return 0;
}

static int find_newest(struct store *s, int64_t *id, struct err *e)
{
    static const char sql[] = "SELECT id FROM study ORDER BY id DESC LIMIT 1";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int rc = q ? inside_row(s, q, e) : -1;

    if (rc < 0)
        return -1;
    if (!rc)
        return err_set(e, ERR_ABSENT, "there is no study yet");
    *id = sqlite3_column_int64(q, 0);
    inside_done(s, q);
    return 0;
}

/* Says so, with the name of one of the newest that may have been meant. */
static int no_study(struct store *s, const char *name, struct err *e)
{
    static const char sql[] =
        "SELECT name FROM study ORDER BY id DESC LIMIT 100";
    sqlite3_stmt *q = inside_look(s, sql, e);
    const char *names[100], *near;
    size_t n = 0;

    while (q && n < 100 && inside_row(s, q, e) == 1)
        names[n++] = mem_copy_text((const char *)sqlite3_column_text(q, 0));
    if (n == 100) /* else the last step has done so */
        inside_done(s, q);
    near = fault_near(name, names, n);
    err_set(e, ERR_ABSENT, "there is no study named %s%s%s%s", name,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    while (n)
        free((char *)(uintptr_t)names[--n]);
    return -1;
}

int store_study_find(struct store *s, const char *name, int64_t *id,
                     struct err *e)
{
    static const char sql[] = "SELECT id FROM study WHERE name = ?1";
    sqlite3_stmt *q;
    int rc;

    if (!strcmp(name, "last"))
        return find_newest(s, id, e);
    q = inside_look(s, sql, e);
    if (!q)
        return -1;
    inside_bind_text(q, 1, name);
    rc = inside_row(s, q, e);
    if (rc < 0)
        return -1;
    if (!rc)
        return no_study(s, name, e);
    *id = sqlite3_column_int64(q, 0);
    inside_done(s, q);
    return 0;
}

int store_study_list(struct store *s, int64_t before, int limit,
                     store_study_fn *fn, void *ctx, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "WHERE s.id < ?1 ORDER BY s.id DESC LIMIT ?2";
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, before ? before : INT64_MAX);
    sqlite3_bind_int(q, 2, limit > 0 ? limit : -1);
    return each(s, q, fn, ctx, &n, e);
}

static int count_studies(struct store *s, struct store_totals *out,
                         struct err *e)
{
    static const char sql[] =
        "SELECT state, count(*) FROM study GROUP BY state";
    sqlite3_stmt *q = inside_look(s, sql, e);
    enum study_state state;
    int rc = -1;

    while (q && (rc = inside_row(s, q, e)) > 0)
        if (study_state_read(inside_text(q, 0), &state))
            out->studies[state] = sqlite3_column_int64(q, 1);
    return rc;
}

int store_study_totals(struct store *s, struct store_totals *out, struct err *e)
{
    static const char sql[] =
        "SELECT total(pending), total(launching), total(running), "
        "total(stopping), total(succeeded), total(stopped), "
        "total(infeasible), total(failed), total(given) FROM tally";
    sqlite3_stmt *q;

    *out = (struct store_totals){0};
    if (count_studies(s, out, e))
        return -1;
    q = inside_look(s, sql, e);
    if (!q || inside_row(s, q, e) <= 0)
        return -1;
    for (int i = 0; i < TRIAL_STATES; i++)
        out->trials[i] = sqlite3_column_int64(q, i);
    out->given = sqlite3_column_int64(q, TRIAL_STATES);
    inside_done(s, q);
    return 0;
}

int store_study_delete(struct store *s, int64_t id, struct err *e)
{
    /* The many rows first, each table in one go: a cascade goes row by row. */
    static const char reports[] = "DELETE FROM report WHERE study_id = ?1";
    static const char attempts[] = "DELETE FROM attempt WHERE study_id = ?1";
    static const char trials[] = "DELETE FROM trial WHERE study_id = ?1";
    static const char events[] = "DELETE FROM event WHERE study_id = ?1";
    static const char tally[] = "DELETE FROM tally WHERE study_id = ?1";
    static const char study[] = "DELETE FROM study WHERE id = ?1";
    static const char *const all[] = {reports, attempts, trials,
                                      events,  tally,    study};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        sqlite3_stmt *q = inside_change(s, all[i], e);

        if (!q)
            return -1;
        sqlite3_bind_int64(q, 1, id);
        if (inside_run(s, q, e))
            return -1;
    }
    return sqlite3_changes(s->db) ? 0 : absent(id, e);
}
