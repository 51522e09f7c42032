/* What must survive a restart: one SQLite file, one writer.
 *
 * Transactions are opened and closed by the caller (the engine, once a round);
 * every function that writes must run inside one. Functions return 0 or -1
 * with *e; "not there" that a caller may expect is ERR_ABSENT. Rows given to a
 * callback are valid during the call only; a callback that returns false ends
 * the listing. Times are wall-clock milliseconds; 0 = not yet.
 *
 * ERR_ABSENT, ERR_CONFLICT and ERR_INVALID change nothing, and the transaction
 * goes on. After ERR_IO and ERR_BUSY from a write nothing more can be written
 * in that transaction, and store_commit answers with the same error: what
 * failed in the middle is never half kept. A callback may look further, also
 * with the function that called it, but not write. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "study/study.h"
#include "study/trial.h"

struct store;

enum { STORE_MOST_EVENTS = 10000 }; /* kept of each study */

/* Opens or makes the file (":memory:" in tests; mode 0600), WAL,
 * synchronous=FULL, foreign keys on, and brings the schema up to date. A file
 * of a newer version is refused (ERR_CONFLICT); one that is no database, not
 * ours, read-only or on a network disk is ERR_IO. Sentences name the file.
 * The lock on the directory is the caller's business (store/lock.h). */
int store_open(struct store **out, const char *path, struct err *e);
void store_close(struct store *s); /* rolls back what is open; NULL is fine */

int store_begin(struct store *s, struct err *e); /* nothing if already open */
/* Nothing if none is open. On failure the transaction is rolled back: all is as
 * it was before store_begin. */
int store_commit(struct store *s, struct err *e);
void store_rollback(struct store *s);
bool store_is_open(const struct store *s); /* a transaction */

/* What was written since store_open. */
struct store_counts {
    int64_t commits; /* transactions that came through */
    int64_t failed;  /* and that did not */
    int64_t reports; /* new ones, committed or not */
};
const struct store_counts *store_counts(const struct store *s);

/* ---- studies ---- */

/* The counts are kept on write by store_trial_add and store_trial_move. Trials
 * that were put in from outside are in `given` only. */
struct study_row {
    int64_t id; /* never used again */
    const char *name;
    enum study_state state;
    const char *reason; /* one sentence, "" if none */
    const char *spec;   /* codec_write_json of the study as it runs */
    const char *source; /* the file as it was submitted */
    const char *base_dir;
    int64_t created_ms, ended_ms;
    int64_t next_number; /* of the next trial, from 1 */
    int64_t counts[TRIAL_STATES];
    int64_t given;
    bool maximize;
    int64_t best_number; /* 0 = none */
    double best_value;
    int64_t since_best; /* SUCCEEDED trials since the best value was first
                           reached (patience), without given ones */
    int64_t stopping;   /* 0, or 1 while ENDING because of a cancel */
};
typedef bool store_study_fn(void *ctx, const struct study_row *row);

/* name, spec, source, base_dir, maximize, created_ms of *row are stored, state
 * ACTIVE. ERR_CONFLICT if a study of that name is there. */
int store_study_add(struct store *s, const struct study_row *row, int64_t *id,
                    struct err *e);
/* ended_ms becomes now_ms if `to` is an end, else 0. */
int store_study_move(struct store *s, int64_t id, enum study_state to,
                     const char *reason, bool cancelled, int64_t now_ms,
                     struct err *e);
int store_study_respec(struct store *s, int64_t id, const char *spec,
                       const char *source, struct err *e);
int store_study_get(struct store *s, int64_t id, store_study_fn *fn, void *ctx,
                    struct err *e);
/* Only what moves of its trials change: next_number, counts, given,
 * best_number, best_value and since_best of *row are set. */
int store_study_tally(struct store *s, int64_t id, struct study_row *row,
                      struct err *e);
/* `last` (the word) means the newest study. ERR_ABSENT if there is none. */
int store_study_find(struct store *s, const char *name, int64_t *id,
                     struct err *e);
/* Newest first, ids below `before` (0 = from the newest), at most `limit`
 * (0 = all). */
int store_study_list(struct store *s, int64_t before, int limit,
                     store_study_fn *fn, void *ctx, struct err *e);
/* How many there are in each state, and all their trials together. */
struct store_totals {
    int64_t studies[STUDY_STATES];
    int64_t trials[TRIAL_STATES]; /* without given ones */
    int64_t given;
};
int store_study_totals(struct store *s, struct store_totals *out,
                       struct err *e);
/* Everything of it; its id and folder name are never used again. */
int store_study_delete(struct store *s, int64_t id, struct err *e);

/* ---- trials ---- */

struct trial_row {
    int64_t study_id, number;
    enum trial_state state;
    enum trial_reason reason;
    const char *detail;   /* one sentence, "" if none */
    const char *point;    /* point_write_json */
    const char *source;   /* what chose it */
    const char *forecast; /* JSON: mean, low, high, improvement; "" if none */
    const char *client;   /* ask's client id, "" if none */
    int attempt;          /* the current one, 0 before the first */
    int broken;           /* attempts that counted against `retries` */
    bool has_value;
    double value;           /* of the goal */
    const char *objectives; /* front_write_values: of all of them, where there
                               are several; "" otherwise */
    int64_t step;
    int64_t created_ms, started_ms, ended_ms;
    int64_t changed;         /* a study-wide counter, raised at each change: for
                                incremental listings */
    int64_t ended_order;     /* 1, 2, … in the order of ends; 0 = not ended */
    bool given;              /* put in from outside, with its result */
    bool is_foreseen;        /* STOPPED, and it is known: */
    double foreseen, unsure; /* what it would have ended with (study/trial.h) */
};
typedef bool store_trial_fn(void *ctx, const struct trial_row *row);

/* A new PENDING trial; takes and raises the study's next_number. point,
 * source, forecast, client, given and created_ms of *row are stored. */
int store_trial_add(struct store *s, const struct trial_row *row,
                    int64_t *number, struct err *e);

/* What a move changes besides the state; counts, best and since_best of the
 * study are kept. `from` must be what is stored (ERR_CONFLICT otherwise). */
struct trial_change {
    int64_t study_id, number;
    enum trial_state from, to;
    enum trial_reason reason;
    const char *detail;
    int attempt, broken;
    bool given;     /* as the trial was added */
    bool has_value; /* for an end; value and step are dropped otherwise */
    double value;   /* finite, or ERR_INVALID */
    const char *objectives; /* as in the row; NULL is "" */
    int64_t step;
    bool is_foreseen; /* on STOPPED; dropped otherwise */
    double foreseen, unsure;
    int64_t now_ms; /* started_ms on RUNNING, ended_ms on an end */
};
/* Back to PENDING clears value, started_ms, ended_ms and ended_order; the next
 * end gets a new ended_order, so that there may be gaps. `from` may not be
 * SUCCEEDED (asserted): that is for good. */
int store_trial_move(struct store *s, const struct trial_change *c,
                     struct err *e);
int store_trial_get(struct store *s, int64_t study_id, int64_t number,
                    store_trial_fn *fn, void *ctx, struct err *e);

struct trial_filter {
    unsigned states;       /* set of 1U << state; 0 = all */
    int64_t after;         /* numbers above it */
    int64_t changed_after; /* `changed` above it, ordered by it; 0 = not used */
    int limit;             /* 0 = all */
    bool own;              /* without given ones */
    bool by_end;           /* the ended ones, ordered by ended_order instead of
                              number; changes win over it */
    bool by_change;        /* ordered by it, from changed_after 0 on too */
};
int store_trial_list(struct store *s, int64_t study_id,
                     const struct trial_filter *f, store_trial_fn *fn,
                     void *ctx, struct err *e);
/* SUCCEEDED ones with a value, best first (ties: the earlier number). */
int store_trial_best(struct store *s, int64_t study_id, int limit,
                     store_trial_fn *fn, void *ctx, struct err *e);

/* The same, from the place after the SUCCEEDED trial `after` (0 = from the
 * best). Nothing comes after a number that has no such place. */
int store_trial_best_after(struct store *s, int64_t study_id, int64_t after,
                           int limit, store_trial_fn *fn, void *ctx,
                           struct err *e);

/* ---- attempts: one row for each launch of a trial ---- */

struct attempt_row {
    int64_t study_id, number;
    int attempt;                /* from 1 */
    int64_t begun_ms, ended_ms; /* ended 0 = under way */
    const char *outcome;        /* "exit 1", "signal 9", "lost", "" */
    const char *marks;          /* "" at first; they may be older than the
                                   reports while all of those are kept */
    int64_t reports;            /* how many counted, thinned ones too */
    const char *gpus;  /* of this machine that it has, with commas; "" */
    const char *node;  /* where it ran, if that is known; "" */
    const char *blame; /* of its end, as tuner/policy.h names it; "" */
};
typedef bool store_attempt_fn(void *ctx, const struct attempt_row *row);

int store_attempt_add(struct store *s, int64_t study_id, int64_t number,
                      int attempt, int64_t now_ms, struct err *e);
int store_attempt_end(struct store *s, int64_t study_id, int64_t number,
                      int attempt, const char *outcome, int64_t now_ms,
                      struct err *e);
/* The GPUs that it has from its launch to its end. */
int store_attempt_gpus(struct store *s, int64_t study_id, int64_t number,
                       int attempt, const char *gpus, struct err *e);
/* What an end was blamed on, and where that was. */
int store_attempt_blame(struct store *s, int64_t study_id, int64_t number,
                        int attempt, const char *blame, const char *node,
                        struct err *e);
int store_attempt_marks(struct store *s, int64_t study_id, int64_t number,
                        int attempt, const char *marks, int64_t reports,
                        struct err *e);
int store_attempt_list(struct store *s, int64_t study_id, int64_t number,
                       store_attempt_fn *fn, void *ctx, struct err *e);

/* ---- reports: kept points of the curves ---- */

struct report_row {
    int64_t study_id, number;
    int attempt;
    const char *metric;
    int64_t ordinal; /* the report's index within its metric: its key */
    int64_t step;
    double value; /* nan and infinities are kept */
    int64_t time_ms;
};
typedef bool store_report_fn(void *ctx, const struct report_row *row);

/* A second report with the same key changes nothing. */
int store_report_add(struct store *s, const struct report_row *row,
                     struct err *e);
/* Drops those of that metric whose ordinal is no multiple of stride. */
int store_report_thin(struct store *s, int64_t study_id, int64_t number,
                      int attempt, const char *metric, int64_t stride,
                      struct err *e);
/* attempt 0 = all; by attempt, metric, ordinal. */
int store_report_list(struct store *s, int64_t study_id, int64_t number,
                      int attempt, store_report_fn *fn, void *ctx,
                      struct err *e);

/* ---- events: what a person follows ---- */

struct event_row {
    int64_t id; /* from 1, never used again */
    int64_t study_id;
    int64_t time_ms;
    const char *kind;  /* "trial", "study", "warning" */
    const char *body;  /* JSON object */
    const char *study; /* its name; not read by store_event_add */
};
typedef bool store_event_fn(void *ctx, const struct event_row *row);

/* The newest 10,000 of a study are kept. */
int store_event_add(struct store *s, const struct event_row *row, int64_t *id,
                    struct err *e);
/* study_id 0 = of all studies, as they happened. */
int store_event_list(struct store *s, int64_t study_id, int64_t after,
                     int limit, store_event_fn *fn, void *ctx, struct err *e);

/* The id of the newest event, of the study or (0) of all; 0 = there is none. */
int store_event_last(struct store *s, int64_t study_id, int64_t *id,
                     struct err *e);

#endif
