/* Trials, and what their moves do to the tally of their study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "store/store.h"

#include <assert.h>
#include <math.h>

#include "store/inside.h"

/* read_row knows their order; the first two stand for themselves in ORDER BY
 * of a compound SELECT. */
#define COLUMNS                                                                \
    "study_id, number, state, reason, detail, point, source, client, "         \
    "attempt, broken, value, step, created_ms, started_ms, ended_ms, "         \
    "changed, ended_order, forecast, given, objectives, foreseen, unsure "

static int read_words(struct store *s, sqlite3_stmt *q, struct trial_row *row,
                      struct err *e)
{
    if (!trial_state_read(inside_text(q, 2), &row->state))
        return err_set(e, ERR_IO,
                       "%s holds a trial in the unknown state "
                       "\"%s\"",
                       s->path, inside_text(q, 2));
    if (!trial_reason_read(inside_text(q, 3), &row->reason))
        return err_set(e, ERR_IO,
                       "%s holds a trial with the unknown reason "
                       "\"%s\"",
                       s->path, inside_text(q, 3));
    return 0;
}

static int read_row(struct store *s, sqlite3_stmt *q, struct trial_row *row,
                    struct err *e)
{
    row->study_id = sqlite3_column_int64(q, 0);
    row->number = sqlite3_column_int64(q, 1);
    row->detail = inside_text(q, 4);
    row->point = inside_text(q, 5);
    row->source = inside_text(q, 6);
    row->client = inside_text(q, 7);
    row->attempt = sqlite3_column_int(q, 8);
    row->broken = sqlite3_column_int(q, 9);
    row->has_value = sqlite3_column_type(q, 10) != SQLITE_NULL;
    row->value = sqlite3_column_double(q, 10);
    row->step = sqlite3_column_int64(q, 11);
    row->created_ms = sqlite3_column_int64(q, 12);
    row->started_ms = sqlite3_column_int64(q, 13);
    row->ended_ms = sqlite3_column_int64(q, 14);
    row->changed = sqlite3_column_int64(q, 15);
    row->ended_order = sqlite3_column_int64(q, 16);
    row->forecast = inside_text(q, 17);
    row->given = sqlite3_column_int(q, 18) != 0;
    row->objectives = inside_text(q, 19);
    row->is_foreseen = sqlite3_column_type(q, 20) != SQLITE_NULL;
    row->foreseen = sqlite3_column_double(q, 20);
    row->unsure = sqlite3_column_double(q, 21);
    return read_words(s, q, row, e);
}

static bool passes(const struct trial_filter *f, const struct trial_row *row)
{
    return row->number > f->after && row->changed > f->changed_after &&
           !(f->own && row->given) &&
           (!f->states || f->states & 1U << row->state);
}

/* Gives the rows that pass to fn, at most f->limit, counted in *n. */
static int each(struct store *s, sqlite3_stmt *q, const struct trial_filter *f,
                store_trial_fn *fn, void *ctx, int *n, struct err *e)
{
    struct trial_row row;
    int rc;

    for (*n = 0; (rc = inside_row(s, q, e)) > 0;) {
        rc = read_row(s, q, &row, e);
        if (!rc && !passes(f, &row))
            continue;
        if (!rc) {
            (*n)++;
            if (fn(ctx, &row) && *n != f->limit)
                continue;
        }
        inside_done(s, q);
        break;
    }
    return rc;
}

static int no_study(int64_t id, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no study with id %lld",
                   (long long)id);
}

static int no_trial(int64_t number, struct err *e)
{
    return err_set(e, ERR_ABSENT, "there is no trial %lld in this study",
                   (long long)number);
}

/* ---- adding ---- */

/* Takes the next number. */
static int tally_add(struct store *s, int64_t study_id, bool given,
                     int64_t *number, int64_t *changed, struct err *e)
{
    static const char sql[] =
        "UPDATE tally SET next_number = next_number + 1, "
        "changes = changes + 1, pending = pending + 1 - ?2, "
        "given = given + ?2 WHERE study_id = ?1 "
        "RETURNING next_number - 1, changes";
    sqlite3_stmt *q = inside_change(s, sql, e);
    int rc;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int(q, 2, given);
    rc = inside_row(s, q, e);
    if (rc < 0)
        return -1;
    if (!rc)
        return no_study(study_id, e);
    *number = sqlite3_column_int64(q, 0);
    *changed = sqlite3_column_int64(q, 1);
    inside_done(s, q);
    return 0;
}

int store_trial_add(struct store *s, const struct trial_row *row,
                    int64_t *number, struct err *e)
{
    static const char sql[] =
        "INSERT INTO trial (study_id, number, state, reason, detail, point, "
        "source, client, attempt, broken, step, created_ms, started_ms, "
        "ended_ms, changed, ended_order, forecast, given) "
        "VALUES (?1, ?2, ?3, '', '', ?4, ?5, ?6, 0, 0, 0, ?7, 0, 0, ?8, 0, "
        "?9, ?10)";
    int64_t taken = 0, changed = 0;
    sqlite3_stmt *q;

    if (tally_add(s, row->study_id, row->given, &taken, &changed, e))
        return -1;
    q = inside_change(s, sql, e);
    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, row->study_id);
    sqlite3_bind_int64(q, 2, taken);
    inside_bind_text(q, 3, trial_state_name(TRIAL_PENDING));
    inside_bind_text(q, 4, row->point);
    inside_bind_text(q, 5, row->source);
    inside_bind_text(q, 6, row->client);
    sqlite3_bind_int64(q, 7, row->created_ms);
    sqlite3_bind_int64(q, 8, changed);
    inside_bind_text(q, 9, row->forecast);
    sqlite3_bind_int(q, 10, row->given);
    if (inside_run(s, q, e))
        return -1;
    *number = taken;
    return 0;
}

/* ---- moving ---- */

/* A study's tally, as far as moves change it. */
struct tally {
    int64_t changes, ends, best_number, since_best;
    double best_value;
    bool maximize;
};

static int tally_read(struct store *s, int64_t study_id, struct tally *t,
                      struct err *e)
{
    static const char sql[] =
        "SELECT t.changes, t.ends, t.best_number, t.best_value, t.since_best, "
        "s.maximize FROM tally t JOIN study s ON s.id = t.study_id "
        "WHERE t.study_id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);
    int rc;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    rc = inside_row(s, q, e);
    if (rc < 0)
        return -1;
    if (!rc)
        return no_study(study_id, e);
    t->changes = sqlite3_column_int64(q, 0);
    t->ends = sqlite3_column_int64(q, 1);
    t->best_number = sqlite3_column_int64(q, 2);
    t->best_value = sqlite3_column_double(q, 3);
    t->since_best = sqlite3_column_int64(q, 4);
    t->maximize = sqlite3_column_int(q, 5) != 0;
    inside_done(s, q);
    return 0;
}

static bool better(const struct tally *t, double a, double b)
{
    return t->maximize ? a > b : a < b;
}

/* A tie is no progress, but the earlier number is the one that is shown. */
static void tally_move(struct tally *t, const struct trial_change *c)
{
    t->changes++;
    if (trial_state_ended(c->to))
        t->ends++;
    if (c->to != TRIAL_SUCCEEDED)
        return;
    if (c->has_value &&
        (!t->best_number || better(t, c->value, t->best_value))) {
        t->best_number = c->number;
        t->best_value = c->value;
        t->since_best = 0;
        return;
    }
    if (c->has_value && c->value == t->best_value && c->number < t->best_number)
        t->best_number = c->number;
    if (t->best_number && !c->given)
        t->since_best++;
}

static int tally_write(struct store *s, const struct trial_change *c,
                       const struct tally *t, struct err *e)
{
    static const char sql[] =
        "UPDATE tally SET changes = ?2, ends = ?3, best_number = ?4, "
        "best_value = ?5, since_best = ?6, pending = pending + ?7, "
        "launching = launching + ?8, running = running + ?9, "
        "stopping = stopping + ?10, succeeded = succeeded + ?11, "
        "stopped = stopped + ?12, infeasible = infeasible + ?13, "
        "failed = failed + ?14 WHERE study_id = ?1";
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, c->study_id);
    sqlite3_bind_int64(q, 2, t->changes);
    sqlite3_bind_int64(q, 3, t->ends);
    sqlite3_bind_int64(q, 4, t->best_number);
    if (t->best_number)
        sqlite3_bind_double(q, 5, t->best_value);
    sqlite3_bind_int64(q, 6, t->since_best);
    for (int i = 0; i < TRIAL_STATES; i++)
        sqlite3_bind_int(
            q, 7 + i, c->given ? 0 : (i == (int)c->to) - (i == (int)c->from));
    return inside_run(s, q, e);
}

static void bind_value(sqlite3_stmt *q, const struct trial_change *c,
                       bool maximize)
{
    if (!c->has_value || !trial_state_ended(c->to))
        return;
    sqlite3_bind_double(q, 9, c->value);
    if (c->to == TRIAL_SUCCEEDED)
        sqlite3_bind_double(q, 10, maximize ? -c->value : c->value);
}

static int trial_write(struct store *s, const struct trial_change *c,
                       const struct tally *t, struct err *e)
{
    static const char sql[] =
        "UPDATE trial SET state = ?4, reason = ?5, detail = ?6, attempt = ?7, "
        "broken = ?8, value = ?9, loss = ?10, step = ?11, "
        "started_ms = coalesce(?12, started_ms), ended_ms = ?13, "
        "changed = ?14, ended_order = ?15, objectives = ?16, foreseen = ?17, "
        "unsure = ?18 "
        "WHERE study_id = ?1 AND number = ?2 AND state = ?3";
    bool ends = trial_state_ended(c->to);
    sqlite3_stmt *q = inside_change(s, sql, e);

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, c->study_id);
    sqlite3_bind_int64(q, 2, c->number);
    inside_bind_text(q, 3, trial_state_name(c->from));
    inside_bind_text(q, 4, trial_state_name(c->to));
    inside_bind_text(q, 5, trial_reason_name(c->reason));
    inside_bind_text(q, 6, c->detail);
    sqlite3_bind_int(q, 7, c->attempt);
    sqlite3_bind_int(q, 8, c->broken);
    bind_value(q, c, t->maximize);
    sqlite3_bind_int64(q, 11, ends ? c->step : 0);
    if (c->to == TRIAL_RUNNING || c->to == TRIAL_PENDING)
        sqlite3_bind_int64(q, 12, c->to == TRIAL_RUNNING ? c->now_ms : 0);
    sqlite3_bind_int64(q, 13, ends ? c->now_ms : 0);
    sqlite3_bind_int64(q, 14, t->changes);
    sqlite3_bind_int64(q, 15, ends ? t->ends : 0);
    inside_bind_text(q, 16, ends && c->has_value ? c->objectives : "");
    if (c->is_foreseen && c->to == TRIAL_STOPPED) {
        sqlite3_bind_double(q, 17, c->foreseen);
        sqlite3_bind_double(q, 18, c->unsure);
    }
    return inside_run(s, q, e);
}

/* Why no row was there to move. */
static bool note_state(void *ctx, const struct trial_row *row)
{
    *(enum trial_state *)ctx = row->state;
    return true;
}

static int refuse(struct store *s, const struct trial_change *c, struct err *e)
{
    enum trial_state is = c->from;

    if (store_trial_get(s, c->study_id, c->number, note_state, &is, e))
        return -1;
    return err_set(e, ERR_CONFLICT, "trial %lld is %s, not %s",
                   (long long)c->number, trial_state_name(is),
                   trial_state_name(c->from));
}

int store_trial_move(struct store *s, const struct trial_change *c,
                     struct err *e)
{
    struct tally t = {0};

    assert(c->from < TRIAL_STATES && c->to < TRIAL_STATES);
    assert(c->from != TRIAL_SUCCEEDED); /* for good: best leans on it */
    if (c->has_value && !isfinite(c->value))
        return err_set(e, ERR_INVALID,
                       "the value of trial %lld is not a finite number",
                       (long long)c->number);
    if (tally_read(s, c->study_id, &t, e))
        return -1;
    tally_move(&t, c);
    if (trial_write(s, c, &t, e))
        return -1;
    if (!sqlite3_changes(s->db))
        return refuse(s, c, e);
    return tally_write(s, c, &t, e);
}

/* ---- looking ---- */

int store_trial_get(struct store *s, int64_t study_id, int64_t number,
                    store_trial_fn *fn, void *ctx, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM trial WHERE study_id = ?1 AND number = ?2";
    static const struct trial_filter any = {0};
    sqlite3_stmt *q = inside_look(s, sql, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int64(q, 2, number);
    if (each(s, q, &any, fn, ctx, &n, e))
        return -1;
    return n ? 0 : no_trial(number, e);
}

/* Every listing has the study as ?1 and where it begins as ?2. */
static sqlite3_stmt *by_number(struct store *s, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM trial WHERE study_id = ?1 AND number > ?2 "
        "ORDER BY number";

    return inside_look(s, sql, e);
}

static sqlite3_stmt *by_change(struct store *s, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM trial INDEXED BY trial_changed "
        "WHERE study_id = ?1 AND changed > ?2 ORDER BY changed";

    return inside_look(s, sql, e);
}

static sqlite3_stmt *by_end(struct store *s, struct err *e)
{
    static const char sql[] =
        "SELECT " COLUMNS "FROM trial INDEXED BY trial_ended "
        "WHERE study_id = ?1 AND ended_order > 0 AND ended_order > ?2 "
        "ORDER BY ended_order";

    return inside_look(s, sql, e);
}

/* The trials of some states by number: a merge of one sorted stream for each
 * state, so that ten FAILED ones among 100,000 cost ten steps. */
static sqlite3_stmt *by_state(struct store *s, unsigned states, struct err *e)
{
#define OF(n)                                                                  \
    "SELECT " COLUMNS "FROM trial INDEXED BY trial_state "                     \
    "WHERE study_id = ?1 AND number > ?2 AND state = ?" #n " "
#define WITH(n) "UNION ALL " OF(n)
    static const char sql[] = OF(3) WITH(4) WITH(5) WITH(6) WITH(7) WITH(8)
        WITH(9) WITH(10) "ORDER BY number";
#undef WITH
#undef OF
    sqlite3_stmt *q = inside_look(s, sql, e);

    for (int i = 0; q && i < TRIAL_STATES; i++)
        if (states & 1U << i)
            inside_bind_text(q, 3 + i, trial_state_name((enum trial_state)i));
    return q;
}

int store_trial_list(struct store *s, int64_t study_id,
                     const struct trial_filter *f, store_trial_fn *fn,
                     void *ctx, struct err *e)
{
    int64_t begin = 0;
    sqlite3_stmt *q;
    int n;

    if (f->changed_after || f->by_change) {
        q = by_change(s, e);
        begin = f->changed_after;
    } else if (f->by_end) {
        q = by_end(s, e);
    } else {
        q = f->states ? by_state(s, f->states, e) : by_number(s, e);
        begin = f->after;
    }
    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    sqlite3_bind_int64(q, 2, begin);
    return each(s, q, f, fn, ctx, &n, e);
}

/* A trial's place among the best: SUCCEEDED is for good, and so is this. */
static sqlite3_stmt *by_loss(struct store *s, int64_t after, struct err *e)
{
    static const char all[] =
        "SELECT " COLUMNS "FROM trial INDEXED BY trial_loss "
        "WHERE study_id = ?1 AND loss IS NOT NULL ORDER BY loss, number";
    static const char rest[] =
        "SELECT " COLUMNS "FROM trial INDEXED BY trial_loss "
        "WHERE study_id = ?1 AND loss IS NOT NULL AND (loss, number) > "
        "(SELECT loss, number FROM trial WHERE study_id = ?1 AND number = ?2) "
        "ORDER BY loss, number";
    sqlite3_stmt *q = inside_look(s, after ? rest : all, e);

    if (q && after)
        sqlite3_bind_int64(q, 2, after);
    return q;
}

int store_trial_best_after(struct store *s, int64_t study_id, int64_t after,
                           int limit, store_trial_fn *fn, void *ctx,
                           struct err *e)
{
    const struct trial_filter f = {.limit = limit};
    sqlite3_stmt *q = by_loss(s, after, e);
    int n;

    if (!q)
        return -1;
    sqlite3_bind_int64(q, 1, study_id);
    return each(s, q, &f, fn, ctx, &n, e);
}

int store_trial_best(struct store *s, int64_t study_id, int limit,
                     store_trial_fn *fn, void *ctx, struct err *e)
{
    return store_trial_best_after(s, study_id, 0, limit, fn, ctx, e);
}
