/* The engine: the doors through which events come in. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/engine.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "study/codec.h"
#include "study/given.h"
#include "tuner/board.h"
#include "tuner/fill.h"
#include "tuner/forget.h"
#include "tuner/found.h"
#include "tuner/give.h"
#include "tuner/hold.h"
#include "tuner/judge.h"
#include "tuner/lease.h"
#include "tuner/listen.h"
#include "tuner/nodes.h"
#include "tuner/recover.h"
#include "tuner/request.h"
#include "tuner/retry.h"
#include "tuner/run.h"
#include "tuner/senders.h"
#include "tuner/submit.h"
#include "tuner/sweep.h"
#include "tuner/turn.h"
#include "tuner/why.h"

struct engine {
    struct board board;
    struct turn turn;
    int64_t since_ms; /* wall; when it was opened */
};

int engine_open(struct engine **out, const struct engine_parts *parts,
                struct err *e)
{
    struct engine *g = mem_new(1, sizeof *g);

    (void)e;
    g->board.parts = *parts;
    g->since_ms = board_now(&g->board);
    *out = g;
    return 0;
}

/* Every door begins here. */
static int enter(struct engine *g, struct err *e)
{
    if (g->board.parts.look_only)
        return err_set(e, ERR_BUSY,
                       "this service only looks: start one that runs studies "
                       "with `hypertune serve`");
    if (g->turn.stuck || g->board.broken)
        return err_set(e, ERR_IO, "the store cannot be written: %s",
                       g->board.trouble.text);
    return store_begin(g->board.parts.store, e);
}

int engine_begin(struct engine *g, struct err *e)
{
    return enter(g, e);
}

/* The live study, or -1: it is not there, or has ended. */
static int live(struct engine *g, int64_t id, struct live_study **out,
                struct err *e)
{
    struct found found;

    *out = board_study(&g->board, id);
    if (*out)
        return 0;
    if (found_study(&g->board, id, &found, e))
        return -1;
    err_set(e, ERR_CONFLICT, "study %s has ended (%s)", found.name,
            study_state_name(found.state));
    found_clear(&found);
    return -1;
}

static int live_trial(struct engine *g, int64_t id, int64_t number,
                      struct live_trial **out, struct err *e)
{
    struct live_study *s = board_study(&g->board, id);
    struct found found;

    *out = s ? board_trial(s, number) : NULL;
    if (*out)
        return 0;
    if (found_trial(&g->board, id, number, &found, e))
        return -1;
    return err_set(e, ERR_CONFLICT, "trial %lld has ended (%s)",
                   (long long)number, trial_state_name(found.trial));
}

/* ---- submitting ---- */

int engine_submit_take(struct engine *g, struct study *study,
                       const char *source, const char *base_dir,
                       struct engine_submitted *out, struct err *e)
{
    struct text spec;
    int rc;

    *out = (struct engine_submitted){0};
    text_init(&spec);
    codec_write_json(study, &spec);
    rc = enter(g, e);
    if (rc == 0)
        rc = submit_study(&g->board, study, text_str(&spec), source, base_dir,
                          out, e);
    text_clear(&spec);
    study_clear(study);
    return rc;
}

int engine_submit(struct engine *g, const char *bytes, size_t n,
                  const char *file, const char *base_dir,
                  struct engine_submitted *out, struct faults *f, struct err *e)
{
    struct study study;
    char *source;
    int rc;

    *out = (struct engine_submitted){0};
    if (codec_decode(bytes, n, file, &study, f))
        return -1;
    source = mem_copy_bytes(bytes, n);
    rc = engine_submit_take(g, &study, source, base_dir, out, e);
    free(source);
    return rc;
}

/* ---- a person's word on a study ---- */

int engine_pause(struct engine *g, int64_t study, bool interrupt,
                 const char *reason, struct err *e)
{
    struct live_study *s;
    int rc = 0;

    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (s->state == STUDY_ENDING && !interrupt)
        return err_set(e, ERR_CONFLICT, "study %s is ending", s->name);
    if (s->state == STUDY_ACTIVE)
        rc = run_study(&g->board, s, STUDY_PAUSED, reason, false);
    if (!rc && interrupt) /* one that is ENDING has no use for them later */
        rc = judge_stop_all(&g->board, s,
                            s->state == STUDY_PAUSED ? REASON_INTERRUPTED
                                                     : REASON_USER,
                            reason);
    return board_outcome(&g->board, rc, e);
}

int engine_resume(struct engine *g, int64_t study, struct err *e)
{
    struct live_study *s;

    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (s->state == STUDY_ENDING)
        return err_set(e, ERR_CONFLICT, "study %s is ending: %s", s->name,
                       s->reason);
    nodes_forgive(&g->board);
    if (s->state != STUDY_PAUSED)
        return 0;
    return board_outcome(&g->board,
                         run_study(&g->board, s, STUDY_ACTIVE, "", false), e);
}

int engine_cancel(struct engine *g, int64_t study, struct err *e)
{
    struct live_study *s;
    int rc;

    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (s->cancelled)
        return 0;
    rc = run_study(&g->board, s, STUDY_ENDING, "cancelled by a person", true);
    if (!rc)
        rc = judge_stop_all(&g->board, s, REASON_USER,
                            "the study was cancelled");
    return board_outcome(&g->board, rc, e);
}

int engine_delete(struct engine *g, int64_t study, struct err *e)
{
    struct board *b = &g->board;
    struct live_study *s = board_study(b, study);
    struct found found = {0};

    if (enter(g, e) || found_study(b, study, &found, e))
        return -1;
    for (struct live_trial *t = s ? s->trials : NULL; t; t = t->next)
        if (t->trial.state != TRIAL_PENDING) {
            err_set(e, ERR_CONFLICT,
                    "study %s has running trials; cancel it first "
                    "(hypertune cancel %s)",
                    found.name, found.name);
            goto fail;
        }
    if (store_study_delete(b->parts.store, study, e)) {
        board_fail(b, e);
        goto fail;
    }
    if (s) {
        struct err gone;

        err_set(&gone, ERR_ABSENT, "study %s was deleted", s->name);
        board_refuse(b, s, &gone);
        board_drop_study(b, s);
    }
    board_touch(b, study);
    sweep_when_kept(b, found.name);
    found_clear(&found);
    return 0;
fail:
    found_clear(&found);
    return -1;
}

/* ---- a person's word on a trial ---- */

int engine_stop_trial(struct engine *g, int64_t study, int64_t number,
                      struct err *e)
{
    struct live_trial *t;

    if (enter(g, e) || live_trial(g, study, number, &t, e))
        return -1;
    assert(t);
    return board_outcome(
        &g->board, judge_stop(&g->board, t, REASON_USER, "stopped by a person"),
        e);
}

int engine_retry(struct engine *g, int64_t study, int64_t number,
                 int64_t *n_retried, struct err *e)
{
    return enter(g, e) ? -1
                       : retry_trials(&g->board, study, number, n_retried, e);
}

/* ---- clients ---- */

/* -1 if the study runs its trials itself. */
static int driven(const struct live_study *s, const char *what, struct err *e)
{
    if (!board_launches(s))
        return 0;
    return err_set(e, ERR_CONFLICT,
                   "study %s launches its own trials; %s is for studies "
                   "without `run`",
                   s->name, what);
}

int engine_ask_nth(struct engine *g, int64_t study, const char *client, int nth,
                   engine_ask_fn *fn, void *ctx, struct err *e)
{
    struct live_study *s;
    struct live_ask *ask, **tail;

    if (enter(g, e) || live(g, study, &s, e) || driven(s, "ask", e))
        return -1;
    ask = mem_new(1, sizeof *ask);
    ask->client = mem_copy_text(client);
    ask->nth = nth;
    ask->fn = fn;
    ask->ctx = ctx;
    for (tail = &s->asks; *tail; tail = &(*tail)->next)
        ;
    *tail = ask;
    s->dirty = true;
    return 0;
}

int engine_ask(struct engine *g, int64_t study, const char *client,
               engine_ask_fn *fn, void *ctx, struct err *e)
{
    return engine_ask_nth(g, study, client, 0, fn, ctx, e);
}

int engine_request(struct engine *g, int64_t study, const char *point,
                   int64_t *number, struct err *e)
{
    struct live_study *s;

    if (enter(g, e) || live(g, study, &s, e) || driven(s, "a request", e))
        return -1;
    if (s->state == STUDY_ENDING)
        return err_set(e, ERR_CONFLICT, "study %s is ending: %s", s->name,
                       s->reason);
    return request_trial(&g->board, s, point, number, e);
}

int engine_should_stop(struct engine *g, int64_t study, int64_t number,
                       bool early, struct err *e)
{
    struct run_cause cause = {.reason = early ? REASON_EARLY : REASON_USER};
    struct live_trial *t;

    if (enter(g, e) || live_trial(g, study, number, &t, e))
        return -1;
    assert(t);
    if (driven(t->study, "this", e))
        return -1;
    if (t->trial.state == TRIAL_STOPPING)
        return 0;
    if (t->trial.state != TRIAL_RUNNING)
        return err_set(e, ERR_CONFLICT, "trial %lld is %s", (long long)number,
                       trial_state_name(t->trial.state));
    cause.detail = early ? "a stopping rule" : "stopped by a person";
    return board_outcome(&g->board,
                         run_move(&g->board, t, TRIAL_STOPPING, &cause), e);
}

int engine_forget(struct engine *g, int64_t study, int64_t number,
                  struct err *e)
{
    return enter(g, e) ? -1 : forget_trial(&g->board, study, number, e);
}

/* LAUNCHING: it was faster than the news that it lives. */
static int reporter(struct engine *g, int64_t study, int64_t number,
                    struct live_trial **t, struct err *e)
{
    if (enter(g, e) || live_trial(g, study, number, t, e))
        return -1;
    assert(*t);
    if ((*t)->trial.state == TRIAL_PENDING)
        return err_set(e, ERR_CONFLICT, "trial %lld waits and reports nothing",
                       (long long)number);
    lease_heard(&g->board, *t);
    return 0;
}

int engine_report(struct engine *g, int64_t study, int64_t number,
                  const char *metric, double value, int64_t step, struct err *e)
{
    struct report r = {.value = value, .step = step};
    struct live_trial *t;
    int rc;

    if (reporter(g, study, number, &t, e) || listen_name(&r, metric, e))
        return -1;
    rc = listen_report(&g->board, t, &r);
    if (!rc)
        rc = judge_hopeless(&g->board, t);
    return board_outcome(&g->board, rc, e);
}

int engine_hear(struct engine *g, int64_t study, int64_t number,
                const struct engine_batch *batch, struct engine_heard *out,
                struct err *e)
{
    struct live_trial *t;
    size_t known;
    int rc;

    if (reporter(g, study, number, &t, e))
        return -1;
    known = senders_hear(t, batch, out);
    if (known == batch->n)
        return board_outcome(&g->board, 0, e);
    rc = listen_keep(&g->board, t, batch->reports + known, batch->n - known);
    if (!rc)
        rc = judge_hopeless(&g->board, t);
    out->stop = t->trial.state == TRIAL_STOPPING;
    return board_outcome(&g->board, rc, e);
}

int engine_tell(struct engine *g, int64_t study, int64_t number,
                const double *value, const char *infeasible, struct err *e)
{
    struct live_trial *t;

    if (enter(g, e) || live_trial(g, study, number, &t, e))
        return -1;
    assert(t);
    if (board_launches(t->study))
        return err_set(e, ERR_CONFLICT,
                       "study %s runs its trials itself: they end when their "
                       "process does",
                       t->study->name);
    if (t->trial.state != TRIAL_RUNNING && t->trial.state != TRIAL_STOPPING)
        return err_set(e, ERR_CONFLICT, "trial %lld is %s", (long long)number,
                       trial_state_name(t->trial.state));
    return judge_told(&g->board, t, value, infeasible, e);
}

int engine_give(struct engine *g, int64_t study, const char *bytes, size_t n,
                const char *source, struct engine_given *out, struct faults *f,
                struct err *e)
{
    struct live_study *s;
    struct given given;
    int rc;

    *out = (struct engine_given){0};
    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (s->state == STUDY_ENDING)
        return err_set(e, ERR_CONFLICT, "study %s is ending: %s", s->name,
                       s->reason);
    if (given_read(bytes, n, &s->study, &given, f))
        return -1;
    rc = give_trials(&g->board, s, &given, source, &out->first, e);
    out->n = (int64_t)given.n;
    out->unfinished = (int64_t)given.unfinished;
    given_clear(&given);
    return rc;
}

void engine_news(void *ctx, const struct launcher_news *news)
{
    struct engine *g = ctx;
    struct live_trial *t = board_job(&g->board, news->job_name);

    if (t && !g->turn.stuck)
        judge_news(&g->board, t, news);
}

void engine_when_kept(struct engine *g, engine_kept_fn *fn, void *ctx)
{
    struct deed deed = {.kind = DEED_KEPT, .kept = fn, .ctx = ctx};

    board_deed(&g->board, &deed);
}

void engine_turn(struct engine *g)
{
    turn_do(&g->turn, &g->board);
}

void engine_tick(struct engine *g)
{
    if (g->turn.stuck)
        turn_come_back(&g->turn, &g->board);
    if (g->turn.stuck)
        return;
    judge_tick(&g->board);
    hold_tick(&g->board);
    fill_tick(&g->board);
}

int engine_recover(struct engine *g, struct err *e)
{
    sweep_old(&g->board);
    return recover_all(&g->board, e);
}

void engine_close(struct engine *g)
{
    struct board *b;

    if (!g)
        return;
    b = &g->board;
    store_rollback(b->parts.store);
    err_set(&b->trouble, ERR_BUSY, "the service is ending");
    fill_drop_thoughts(b);
    turn_forget_all(b);
    sweep_close(b);
    nodes_clear(b);
    free(b->kept_gpus);
    free(b->deeds);
    free(b->touched);
    free(g);
}

int64_t engine_now(const struct engine *g)
{
    return board_now(&g->board);
}

int64_t engine_since(const struct engine *g)
{
    return g->since_ms;
}

int engine_why(struct engine *g, int64_t study, int64_t number,
               struct text *out, struct err *e)
{
    return why_explain(&g->board, study, number, out, e);
}

char *engine_trial_folder(const struct engine *g, const char *study_name,
                          int64_t number)
{
    return board_folder(&g->board, study_name, number);
}

int engine_parallel(const struct engine *g, int64_t study)
{
    const struct live_study *s = board_study(&g->board, study);
    int parallel = s ? board_parallel(&g->board, s) : 0;

    return parallel == INT32_MAX ? 0 : parallel;
}
