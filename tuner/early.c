/* Stopping early: from stored reports to a book, and to a rule's word. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/early.h"

#include <assert.h>
#include <string.h>

#include "algorithms/stop.h"
#include "base/mem.h"
#include "metrics/curve.h"

/* Trials that have measured, or may. */
#define MEASURING                                                              \
    (1U << TRIAL_LAUNCHING | 1U << TRIAL_RUNNING | 1U << TRIAL_STOPPING |      \
     1U << TRIAL_SUCCEEDED | 1U << TRIAL_STOPPED)

/* ---- reading ---- */

struct reader {
    struct store *store;
    struct stop_book *book;
    const struct early_question *of;
    int64_t skip;       /* ended trials: older than the book would keep */
    int64_t started_ms; /* of the trial that is read */
    int rc;
    struct err *e;
};

static bool read_report(void *ctx, const struct report_row *row)
{
    const struct reader *r = ctx;
    int64_t at = r->of->by_time ? row->time_ms - r->started_ms : row->step;

    if (strcmp(row->metric, r->of->metric) == 0)
        stop_measure(r->book, row->number, row->ordinal, at, row->value);
    return true;
}

static bool read_trial(void *ctx, const struct trial_row *row)
{
    struct reader *r = ctx;
    bool ended = trial_state_ended(row->state);

    if (ended && r->skip-- > 0)
        return true;
    r->started_ms = row->started_ms;
    r->rc = store_report_list(r->store, row->study_id, row->number,
                              row->attempt, read_report, r, r->e);
    if (!r->rc && ended)
        stop_end(r->book, row->number, row->state,
                 row->has_value ? &row->value : NULL);
    return !r->rc;
}

static bool count_ended(void *ctx, const struct study_row *row)
{
    *(int64_t *)ctx = row->counts[TRIAL_SUCCEEDED] + row->counts[TRIAL_STOPPED];
    return false;
}

/* Fills the book, which is empty, with the curves of the study's trials. */
static int read_book(struct store *s, const struct early_question *q,
                     struct stop_book *book, struct err *e)
{
    struct trial_filter measuring = {.states = MEASURING};
    struct reader r = {.store = s, .book = book, .of = q, .e = e};

    if (store_study_get(s, q->study, count_ended, &r.skip, e))
        return -1;
    r.skip -= STOP_ENDED;
    if (store_trial_list(s, q->study, &measuring, read_trial, &r, e))
        return -1;
    return r.rc;
}

/* ---- of the live ---- */

static struct stop_rule rule_of(const struct study *s)
{
    return (struct stop_rule){stop_find(s->stop), s->stop_after};
}

/* The study's book; it is read if it is not there. NULL: the board is
 * broken. */
static struct stop_book *book_of(struct board *b, struct live_study *s)
{
    struct early_question q = {.study = s->id, .metric = s->study.metric};
    struct err e;

    if (s->book)
        return s->book;
    s->book = mem_new(1, sizeof *s->book);
    stop_init(s->book, s->study.maximize, s->study.selection == SELECT_BEST);
    if (read_book(b->parts.store, &q, s->book, &e) == 0)
        return s->book;
    board_forget_book(s);
    board_fail(b, &e);
    return NULL;
}

/* With what it has measured up to now. */
static char *explain(const struct live_trial *t, const struct report_row *row)
{
    const struct study *s = &t->study->study;
    const struct live_curve *lc = t->curves;

    while (strcmp(lc->metric, row->metric) != 0)
        lc++;
    return mem_format("hopeless by the rule %s: %s was %.6g at step %lld, and "
                      "%.6g at best",
                      s->stop, s->metric, row->value, (long long)row->step,
                      lc->curve.best.value);
}

int early_hear(struct board *b, struct live_trial *t,
               const struct report_row *row)
{
    struct live_study *s = t->study;
    struct stop_rule rule = rule_of(&s->study);

    if (!rule.type || strcmp(row->metric, s->study.metric) != 0)
        return 0;
    if (!book_of(b, s)) /* which may hold the report already */
        return -1;
    if (stop_measure(s->book, t->trial.number, row->ordinal, row->step,
                     row->value) &&
        !t->hopeless && stop_hopeless(&rule, s->book, t->trial.number))
        t->hopeless = explain(t, row);
    return 0;
}

int early_foresee(struct board *b, struct live_trial *t,
                  struct trial_change *change)
{
    if (!study_stops_early(&t->study->study) || !change->has_value)
        return 0;
    if (!book_of(b, t->study))
        return -1;
    change->is_foreseen = stop_foresee(t->study->book, t->trial.number,
                                       &change->foreseen, &change->unsure);
    return 0;
}

void early_moved(struct live_trial *t, const struct trial_change *change)
{
    struct stop_book *book = t->study->book;

    if (!book)
        return;
    if (change->to == TRIAL_PENDING)
        stop_begin(book, t->trial.number);
    else if (trial_state_ended(change->to))
        stop_end(book, t->trial.number, change->to,
                 change->has_value ? &change->value : NULL);
}

/* ---- of clients ---- */

int early_ask(struct store *s, const struct early_question *q, bool *stop,
              struct err *e)
{
    struct stop_rule rule = {.type = stop_find(q->rule)};
    struct stop_book book;
    int rc;

    assert(rule.type);
    stop_init(&book, q->maximize, false);
    rc = read_book(s, q, &book, e);
    *stop = !rc && stop_hopeless(&rule, &book, q->number);
    stop_clear(&book);
    return rc;
}
