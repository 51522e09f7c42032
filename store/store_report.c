/* Attempts, and what they reported. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <assert.h>
#include <math.h>

#include "store/inside.h"

static int no_trial(int64_t number, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no trial %lld in this study",
                   (long long)number);
}

/* Every statement here begins with study, number, attempt. */
static void bind_key(sqlite3_stmt *q, int64_t study_id, int64_t number,
                     int attempt)
{
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int64(q, 2, number);
    sqlite3_bind_int(q, 3, attempt);
}

static int run_on_one(struct store *s, sqlite3_stmt *q, int64_t number,
                      int attempt, struct err *e)
{
    if (inside_run(s, q, e))
        return -1;
    if (sqlite3_changes(s->db))
        return 0;
    return err_set(e, ERR_ABSENT, "trial %lld has no attempt %d",
                   (long long)number, attempt);
}

/* ---- attempts ---- */

int store_attempt_add(struct store *s, int64_t study_id, int64_t number,
                      int attempt, int64_t now_ms, struct err *e)
{
    static const char sql[] =
        "INSERT INTO attempt (study_id, number, attempt, begun_ms, ended_ms, "
        "outcome, marks, reports) VALUES (?1, ?2, ?3, ?4, 0, '', '', 0)";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    sqlite3_bind_int64(q, 4, now_ms);
    if (!inside_run(s, q, e))
        return 0;
    if (inside_is_orphan(s))
        return no_trial(number, e);
    if (inside_is_twice(s))
        return err_set(e, ERR_CONFLICT, "trial %lld has an attempt %d already",
                       (long long)number, attempt);
    return -1;
}

int store_attempt_end(struct store *s, int64_t study_id, int64_t number,
                      int attempt, const char *outcome, int64_t now_ms,
                      struct err *e)
{
    static const char sql[] =
        "UPDATE attempt SET ended_ms = ?4, outcome = ?5 "
        "WHERE study_id = ?1 AND number = ?2 AND attempt = ?3";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    sqlite3_bind_int64(q, 4, now_ms);
    inside_bind_text(q, 5, outcome);
    return run_on_one(s, q, number, attempt, e);
}

int store_attempt_gpus(struct store *s, int64_t study_id, int64_t number,
                       int attempt, const char *gpus, struct err *e)
{
    static const char sql[] =
        "UPDATE attempt SET gpus = ?4 "
        "WHERE study_id = ?1 AND number = ?2 AND attempt = ?3";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    inside_bind_text(q, 4, gpus);
    return run_on_one(s, q, number, attempt, e);
}

int store_attempt_blame(struct store *s, int64_t study_id, int64_t number,
                        int attempt, const char *blame, const char *node,
                        struct err *e)
{
    static const char sql[] =
        "UPDATE attempt SET blame = ?4, node = ?5 "
        "WHERE study_id = ?1 AND number = ?2 AND attempt = ?3";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    inside_bind_text(q, 4, blame);
    inside_bind_text(q, 5, node);
    return run_on_one(s, q, number, attempt, e);
}

int store_attempt_marks(struct store *s, int64_t study_id, int64_t number,
                        int attempt, const char *marks, int64_t reports,
                        struct err *e)
{
    static const char sql[] =
        "UPDATE attempt SET marks = ?4, reports = ?5 "
        "WHERE study_id = ?1 AND number = ?2 AND attempt = ?3";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    inside_bind_text(q, 4, marks);
    sqlite3_bind_int64(q, 5, reports);
    return run_on_one(s, q, number, attempt, e);
}

static void read_attempt(sqlite3_stmt *q, struct attempt_row *row)
{
    row->study_id = sqlite3_column_int64(q, 0);
    row->number = sqlite3_column_int64(q, 1);
    row->attempt = sqlite3_column_int(q, 2);
    row->begun_ms = sqlite3_column_int64(q, 3);
    row->ended_ms = sqlite3_column_int64(q, 4);
    row->outcome = inside_text(q, 5);
    row->marks = inside_text(q, 6);
    row->reports = sqlite3_column_int64(q, 7);
    row->gpus = inside_text(q, 8);
    row->node = inside_text(q, 9);
    row->blame = inside_text(q, 10);
}

int store_attempt_list(struct store *s, int64_t study_id, int64_t number,
                       store_attempt_fn *fn, void *ctx, struct err *e)
{
    /* Marks may be older than the reports; but only while all are kept. */
    static const char sql[] =
        "SELECT study_id, number, attempt, begun_ms, ended_ms, outcome, marks, "
        "max(reports, (SELECT count(*) FROM report r WHERE r.study_id = "
        "a.study_id AND r.number = a.number AND r.attempt = a.attempt)), "
        "gpus, node, blame "
        "FROM attempt a WHERE study_id = ?1 AND number = ?2 ORDER BY attempt";
    sqlite3_stmt *q = inside_look(s, sql, e);
    struct attempt_row row;
    int rc;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int64(q, 2, number);
    while ((rc = inside_row(s, q, e)) > 0) {
        read_attempt(q, &row);
        if (fn(ctx, &row))
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}

/* ---- reports ---- */

int store_report_add(struct store *s, const struct report_row *row,
                     struct err *e)
{
    static const char sql[] =
        "INSERT INTO report (study_id, number, attempt, metric, ordinal, "
        "step, value, time_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) "
        "ON CONFLICT DO NOTHING";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    bind_key(q, row->study_id, row->number, row->attempt);
    inside_bind_text(q, 4, row->metric);
    sqlite3_bind_int64(q, 5, row->ordinal);
    sqlite3_bind_int64(q, 6, row->step);
    if (!isnan(row->value)) /* nan is the NULL of the column */
        sqlite3_bind_double(q, 7, row->value);
    sqlite3_bind_int64(q, 8, row->time_ms);
    if (!inside_run(s, q, e)) {
        s->counts.reports += sqlite3_changes(s->db);
        return 0;
    }
    return inside_is_orphan(s) ? no_trial(row->number, e) : -1;
}

int store_report_thin(struct store *s, int64_t study_id, int64_t number,
                      int attempt, const char *metric, int64_t stride,
                      struct err *e)
{
    static const char sql[] =
        "DELETE FROM report WHERE study_id = ?1 AND number = ?2 "
        "AND attempt = ?3 AND metric = ?4 AND ordinal % ?5 <> 0";
    sqlite3_stmt *q;

    assert(stride > 0);
    q = inside_change(s, sql, e);
    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    inside_bind_text(q, 4, metric);
    sqlite3_bind_int64(q, 5, stride);
    return inside_run(s, q, e);
}

static void read_report(sqlite3_stmt *q, struct report_row *row)
{
    row->study_id = sqlite3_column_int64(q, 0);
    row->number = sqlite3_column_int64(q, 1);
    row->attempt = sqlite3_column_int(q, 2);
    row->metric = inside_text(q, 3);
    row->ordinal = sqlite3_column_int64(q, 4);
    row->step = sqlite3_column_int64(q, 5);
    row->value = NAN;
    if (sqlite3_column_type(q, 6) != SQLITE_NULL)
        row->value = sqlite3_column_double(q, 6);
    row->time_ms = sqlite3_column_int64(q, 7);
}

int store_report_list(struct store *s, int64_t study_id, int64_t number,
                      int attempt, store_report_fn *fn, void *ctx,
                      struct err *e)
{
    /* Attempts count from 1, so a range says both "this one" and "all". */
    static const char sql[] =
        "SELECT study_id, number, attempt, metric, ordinal, step, value, "
        "time_ms FROM report WHERE study_id = ?1 AND number = ?2 "
        "AND attempt BETWEEN ?3 AND ?4 ORDER BY attempt, metric, ordinal";
    sqlite3_stmt *q = inside_look(s, sql, e);
    struct report_row row;
    int rc;

    if (!q)
        return -1;
    bind_key(q, study_id, number, attempt);
    sqlite3_bind_int(q, 4, attempt ? attempt : INT32_MAX);
    while ((rc = inside_row(s, q, e)) > 0) {
        read_report(q, &row);
        if (fn(ctx, &row))
            continue;
        inside_done(s, q);
        return 0;
    }
    return rc;
}
