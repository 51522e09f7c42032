/* The engine: the doors through which events come in, and the turn in which
 * they are settled, stored and acted upon. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/engine.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "study/codec.h"
#include "tuner/board.h"
#include "tuner/deeds.h"
#include "tuner/fill.h"
#include "tuner/judge.h"
#include "tuner/listen.h"
#include "tuner/recover.h"
#include "tuner/run.h"

enum {
    ROUNDS = 100,    /* of settling in one turn, before the loop goes on */
    STUCK_MS = 1000, /* between tries to write again after a failed one */
    OLD_MOST = 1000  /* folders of one name put aside in one millisecond */
};

#define OLD ".old-" /* no study's name begins so */

/* A folder that nobody wants, and that is being removed. */
struct refuse {
    struct refuse *next;
    struct engine *engine;
    char *path;
};

struct engine {
    struct board board;
    bool stuck;        /* the store failed; the board is empty until it works */
    int64_t try_again; /* steady */
    struct refuse *refuse;
};

int engine_open(struct engine **out, const struct engine_parts *parts,
                struct err *e)
{
    struct engine *g = mem_new(1, sizeof *g);

    (void)e;
    g->board.parts = *parts;
    *out = g;
    return 0;
}

/* ---- doors: helpers ---- */

/* Every door begins here. */
static int enter(struct engine *g, struct err *e)
{
    if (g->board.parts.look_only)
        return err_set(e, ERR_BUSY,
                       "this service only looks: start one that runs studies "
                       "with `hypertune serve`");
    if (g->stuck || g->board.broken)
        return err_set(e, ERR_IO, "the store cannot be written: %s",
                       g->board.trouble.text);
    return store_begin(g->board.parts.store, e);
}

static int outcome(const struct engine *g, int rc, struct err *e)
{
    return rc ? err_set(e, g->board.trouble.code, "%s", g->board.trouble.text)
              : 0;
}

struct found {
    bool there;
    enum study_state state;
    enum trial_state trial;
    char *name, *spec;
};

static bool found_study(void *ctx, const struct study_row *row)
{
    struct found *found = ctx;

    found->there = true;
    found->state = row->state;
    found->name = mem_copy_text(row->name);
    found->spec = mem_copy_text(row->spec);
    return false;
}

static bool found_trial(void *ctx, const struct trial_row *row)
{
    struct found *found = ctx;

    found->there = true;
    found->trial = row->state;
    return false;
}

/* The live study, or -1: it is not there, or has ended. */
static int live(struct engine *g, int64_t id, struct live_study **out,
                struct err *e)
{
    struct found found = {0};

    *out = board_study(&g->board, id);
    if (*out)
        return 0;
    if (store_study_get(g->board.parts.store, id, found_study, &found, e))
        return -1;
    err_set(e, ERR_CONFLICT, "study %s has ended (%s)", found.name,
            study_state_name(found.state));
    free(found.name);
    free(found.spec);
    return -1;
}

static int live_trial(struct engine *g, int64_t id, int64_t number,
                      struct live_trial **out, struct err *e)
{
    struct live_study *s = board_study(&g->board, id);
    struct found found = {0};

    *out = s ? board_trial(s, number) : NULL;
    if (*out)
        return 0;
    if (store_trial_get(g->board.parts.store, id, number, found_trial, &found,
                        e))
        return -1;
    return err_set(e, ERR_CONFLICT, "trial %lld has ended (%s)",
                   (long long)number, trial_state_name(found.trial));
}

/* ---- submitting ---- */

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static void remove_tree(void *task)
{
    const struct refuse *r = task;

    if (nftw(r->path, remove_one, 16, FTW_DEPTH | FTW_PHYS))
        log_write(LOG_LEVEL_WARN, "folder_left", "folder=%s text=\"%s\"",
                  r->path, strerror(errno));
}

static void removed(void *task)
{
    struct refuse *r = task;
    struct refuse **at = &r->engine->refuse;

    while (*at != r)
        at = &(*at)->next;
    *at = r->next;
    free(r->path);
    free(r);
}

/* Removes a folder by and by; takes the path. */
static void remove_later(struct engine *g, char *path)
{
    struct worker *w = g->board.parts.worker;
    struct refuse *r = mem_new(1, sizeof *r);

    r->next = g->refuse;
    r->engine = g;
    r->path = path;
    g->refuse = r;
    w->give(w, remove_tree, removed, r);
}

/* Puts the folder of a study that is no more out of the way at once, and
 * removes it by and by. Nothing of it may be taken for a later study's. */
static int sweep(struct engine *g, const char *name, struct err *e)
{
    struct board *b = &g->board;
    char *folder = board_folder(b, name, 0);
    char *aside = NULL;
    int rc = -1;

    for (int i = 0; rc && i < OLD_MOST; i++) {
        free(aside);
        aside = mem_format("%s/trials/" OLD "%s-%lld-%d", b->parts.state_dir,
                           name, (long long)board_now(b), i);
        rc = rename(folder, aside);
        if (rc && errno != EEXIST && errno != ENOTEMPTY)
            break;
    }
    if (rc == 0) {
        remove_later(g, aside);
        aside = NULL;
    } else if (errno == ENOENT) {
        rc = 0; /* there is none */
    } else {
        err_errno(e, errno, "cannot move %s, left by an older study, away",
                  folder);
    }
    free(aside);
    free(folder);
    return rc;
}

/* What the service had not removed when it ended. */
static void sweep_old(struct engine *g)
{
    char *trials = board_folder(&g->board, "", 0);
    DIR *all = opendir(trials);
    const struct dirent *one;

    while (all && (one = readdir(all)))
        if (strncmp(one->d_name, OLD, sizeof OLD - 1) == 0)
            remove_later(g, mem_format("%s%s", trials, one->d_name));
    if (all)
        closedir(all);
    free(trials);
}

/* The folder goes only once the deletion is on disk. */
struct sweeping {
    struct engine *engine;
    char *name;
};

static void swept(void *ctx, bool ok)
{
    struct sweeping *sweeping = ctx;
    struct err e;

    if (ok && sweep(sweeping->engine, sweeping->name, &e))
        log_write(LOG_LEVEL_WARN, "folder_left", "study=%s text=\"%s\"",
                  sweeping->name, e.text);
    free(sweeping->name);
    free(sweeping);
}

static void sweep_when_kept(struct engine *g, const char *name)
{
    struct sweeping *sweeping = mem_new(1, sizeof *sweeping);

    sweeping->engine = g;
    sweeping->name = mem_copy_text(name);
    engine_when_kept(g, swept, sweeping);
}

static void take_limits(struct study *to, const struct study *from)
{
    to->trials = from->trials;
    to->parallel = from->parallel;
    to->max_failed = from->max_failed;
    to->retries = from->retries;
    to->patience = from->patience;
    to->has_target = from->has_target;
    to->target = from->target;
    to->trial_limit_ms = from->trial_limit_ms;
    to->time_limit_ms = from->time_limit_ms;
    to->grace_ms = from->grace_ms;
}

/* Whether two specs differ in nothing but how long and how wide to search. */
static bool same_but_limits(const char *stored, const struct study *now)
{
    struct study then;
    struct faults faults;
    struct text a, b;
    bool same = false;

    faults_init(&faults);
    text_init(&a);
    text_init(&b);
    if (codec_decode(stored, strlen(stored), now->name, &then, &faults) == 0) {
        take_limits(&then, now);
        codec_write_json(&then, &a);
        codec_write_json(now, &b);
        same = strcmp(text_str(&a), text_str(&b)) == 0;
        study_clear(&then);
    }
    faults_clear(&faults);
    text_clear(&a);
    text_clear(&b);
    return same;
}

static int add_study(struct engine *g, const struct study *study,
                     const char *spec, const char *source, const char *base_dir,
                     int64_t *id, struct err *e)
{
    struct board *b = &g->board;
    struct study_row row = {.name = study->name,
                            .reason = "",
                            .spec = spec,
                            .source = source,
                            .base_dir = base_dir,
                            .maximize = study->maximize,
                            .created_ms = board_now(b)};
    struct live_study *s;

    if (fill_check(spec, e) ||
        (study->job.pattern && follow_check_pattern(study->job.pattern, e)))
        return -1;
    if (sweep(g, study->name, e))
        return -1;
    if (store_study_add(b->parts.store, &row, id, e) ||
        recover_study(b, *id, &s, e)) {
        board_fail(b, e);
        return -1;
    }
    log_write(LOG_LEVEL_INFO, "study_added", "study=%s id=%lld", study->name,
              (long long)*id);
    board_touch(b, *id);
    return 0;
}

/* One that was only looked at. */
static void drop_ended(struct board *b, struct live_study *s)
{
    if (study_state_ended(s->state))
        board_drop_study(b, s);
}

/* The same study again: new limits are taken over, and it goes on. */
static int go_on(struct engine *g, int64_t id, const struct study *study,
                 const char *spec, const char *source, struct err *e)
{
    struct board *b = &g->board;
    struct live_study *s = board_study(b, id);
    bool widened;
    int rc = 0;

    if (!s && recover_study(b, id, &s, e))
        return -1;
    widened = strcmp(s->spec, spec) != 0;
    if (widened) {
        if (store_study_respec(b->parts.store, id, spec, source, e))
            return board_fail(b, e);
        take_limits(&s->study, study);
        free(s->spec);
        s->spec = mem_copy_text(spec);
        fill_forget(s);
    }
    if (s->state == STUDY_PAUSED ||
        (widened && s->state != STUDY_ACTIVE && !s->cancelled))
        rc = run_study(b, s, STUDY_ACTIVE, "", false);
    s->dirty = true;
    if (!rc)
        drop_ended(b, s);
    return outcome(g, rc, e);
}

static int submit(struct engine *g, const struct study *study, const char *spec,
                  const char *source, const char *base_dir,
                  struct engine_submitted *out, struct err *e)
{
    struct found found = {0};
    struct err missing;
    int rc;

    if (store_study_find(g->board.parts.store, study->name, &out->id,
                         &missing)) {
        if (missing.code == ERR_ABSENT)
            return add_study(g, study, spec, source, base_dir, &out->id, e);
        *e = missing;
        return -1;
    }
    if (store_study_get(g->board.parts.store, out->id, found_study, &found, e))
        return -1;
    out->resumed = true;
    if (same_but_limits(found.spec, study))
        rc = go_on(g, out->id, study, spec, source, e);
    else
        rc = err_set(e, ERR_CONFLICT,
                     "a study named %s is there already with other parameters, "
                     "goal or command; give this one another name, or delete "
                     "that one (hypertune delete %s)",
                     study->name, study->name);
    free(found.name);
    free(found.spec);
    return rc;
}

int engine_submit(struct engine *g, const char *bytes, size_t n,
                  const char *file, const char *base_dir,
                  struct engine_submitted *out, struct faults *f, struct err *e)
{
    struct study study;
    struct text spec;
    char *source;
    int rc;

    *out = (struct engine_submitted){0};
    if (codec_decode(bytes, n, file, &study, f))
        return -1;
    text_init(&spec);
    codec_write_json(&study, &spec);
    source = mem_copy_bytes(bytes, n);
    rc = enter(g, e);
    if (rc == 0)
        rc = submit(g, &study, text_str(&spec), source, base_dir, out, e);
    free(source);
    text_clear(&spec);
    study_clear(&study);
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
    return outcome(g, rc, e);
}

int engine_resume(struct engine *g, int64_t study, struct err *e)
{
    struct live_study *s;

    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (s->state == STUDY_ENDING)
        return err_set(e, ERR_CONFLICT, "study %s is ending: %s", s->name,
                       s->reason);
    if (s->state != STUDY_PAUSED)
        return 0;
    return outcome(g, run_study(&g->board, s, STUDY_ACTIVE, "", false), e);
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
    return outcome(g, rc, e);
}

int engine_delete(struct engine *g, int64_t study, struct err *e)
{
    struct board *b = &g->board;
    struct live_study *s = board_study(b, study);
    struct found found = {0};

    if (enter(g, e) ||
        store_study_get(b->parts.store, study, found_study, &found, e))
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
    sweep_when_kept(g, found.name);
    free(found.name);
    free(found.spec);
    return 0;
fail:
    free(found.name);
    free(found.spec);
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
    return outcome(
        g, judge_stop(&g->board, t, REASON_USER, "stopped by a person"), e);
}

struct retrying {
    struct live_study *study;
    struct live_trial *trials[64]; /* a page */
    size_t n;
    struct err *e;
    int rc;
};

static bool take_back(void *ctx, const struct trial_row *row)
{
    struct retrying *r = ctx;

    r->rc = board_take_trial(r->study, row, &r->trials[r->n], r->e);
    if (r->rc)
        return false;
    return ++r->n < sizeof r->trials / sizeof r->trials[0];
}

/* Takes one page of ended trials back to PENDING. */
static int retry_page(struct engine *g, struct live_study *s, int64_t number,
                      int64_t *n, bool *more, struct err *e)
{
    struct board *b = &g->board;
    struct retrying r = {.study = s, .e = e};
    struct trial_filter failed = {.states = 1U << TRIAL_FAILED, .limit = 64};
    struct run_cause cause = {.reason = REASON_USER, .detail = "retried"};
    int rc;

    rc = number
             ? store_trial_get(b->parts.store, s->id, number, take_back, &r, e)
             : store_trial_list(b->parts.store, s->id, &failed, take_back, &r,
                                e);
    if (rc || r.rc)
        return -1;
    for (size_t i = 0; i < r.n; i++) {
        r.trials[i]->broken = 0;
        if (run_move(b, r.trials[i], TRIAL_PENDING, &cause))
            return outcome(g, -1, e);
    }
    *n += (int64_t)r.n;
    *more = !number && r.n == 64;
    return 0;
}

static int check_retry(struct engine *g, int64_t study, int64_t number,
                       struct err *e)
{
    struct found found = {0};

    if (!number)
        return 0;
    if (store_trial_get(g->board.parts.store, study, number, found_trial,
                        &found, e))
        return -1;
    if (found.trial == TRIAL_FAILED || found.trial == TRIAL_INFEASIBLE ||
        found.trial == TRIAL_STOPPED)
        return 0;
    return err_set(e, ERR_CONFLICT,
                   "trial %lld is %s; only FAILED, INFEASIBLE and STOPPED "
                   "trials can be tried again",
                   (long long)number, trial_state_name(found.trial));
}

/* A trial that is taken back must have a future. */
static int check_goes_on(const struct board *b, const struct live_study *s,
                         struct err *e)
{
    struct text why;
    int rc = 0;

    text_init(&why);
    if (s->cancelled)
        rc = err_set(e, ERR_CONFLICT, "study %s was cancelled", s->name);
    else if (!board_launches(s))
        rc = err_set(e, ERR_CONFLICT,
                     "study %s launches nothing itself: ask for another trial",
                     s->name);
    else if (fill_is_over(b, s, &why))
        rc = err_set(e, ERR_CONFLICT,
                     "study %s is over (%s): submit it with a wider limit "
                     "first",
                     s->name, text_str(&why));
    text_clear(&why);
    return rc;
}

int engine_retry(struct engine *g, int64_t study, int64_t number,
                 int64_t *n_retried, struct err *e)
{
    struct board *b = &g->board;
    struct live_study *s = board_study(b, study);
    int64_t n = 0;
    bool more = true;

    if (enter(g, e) || check_retry(g, study, number, e) ||
        (!s && recover_study(b, study, &s, e)))
        return -1;
    if (check_goes_on(b, s, e)) {
        drop_ended(b, s);
        return -1;
    }
    while (more)
        if (retry_page(g, s, number, &n, &more, e)) {
            board_fail(b, e); /* half a page may be taken: begin anew */
            return -1;
        }
    if (n_retried)
        *n_retried = n;
    fill_forget(s);
    if (n && s->state != STUDY_ACTIVE && s->state != STUDY_PAUSED &&
        run_study(b, s, STUDY_ACTIVE, "", false))
        return outcome(g, -1, e);
    drop_ended(b, s);
    return 0;
}

/* ---- clients ---- */

int engine_ask(struct engine *g, int64_t study, const char *client,
               engine_ask_fn *fn, void *ctx, struct err *e)
{
    struct live_study *s;
    struct live_ask *ask, **tail;

    if (enter(g, e) || live(g, study, &s, e))
        return -1;
    if (board_launches(s))
        return err_set(e, ERR_CONFLICT,
                       "study %s launches its own trials; ask is for studies "
                       "without `run`",
                       s->name);
    ask = mem_new(1, sizeof *ask);
    ask->client = mem_copy_text(client);
    ask->fn = fn;
    ask->ctx = ctx;
    for (tail = &s->asks; *tail; tail = &(*tail)->next)
        ;
    *tail = ask;
    s->dirty = true;
    return 0;
}

int engine_report(struct engine *g, int64_t study, int64_t number,
                  const char *metric, double value, int64_t step, struct err *e)
{
    struct report r = {.value = value, .step = step};
    struct live_trial *t;

    if (enter(g, e) || live_trial(g, study, number, &t, e))
        return -1;
    assert(t);
    if (t->trial.state != TRIAL_RUNNING && t->trial.state != TRIAL_STOPPING)
        return err_set(e, ERR_CONFLICT, "trial %lld is %s and reports nothing",
                       (long long)number, trial_state_name(t->trial.state));
    if (!*metric || strlen(metric) >= sizeof r.metric)
        return err_set(e, ERR_INVALID,
                       "metric: a name of 1 to %zu bytes is wanted",
                       sizeof r.metric - 1);
    snprintf(r.metric, sizeof r.metric, "%s", metric);
    return outcome(g, listen_report(&g->board, t, &r), e);
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
    if (t->trial.state != TRIAL_RUNNING)
        return err_set(e, ERR_CONFLICT, "trial %lld is %s", (long long)number,
                       trial_state_name(t->trial.state));
    return judge_told(&g->board, t, value, infeasible, e);
}

void engine_news(void *ctx, const struct launcher_news *news)
{
    struct engine *g = ctx;
    struct live_trial *t = board_job(&g->board, news->job_name);

    if (t && !g->stuck)
        judge_news(&g->board, t, news);
}

void engine_when_kept(struct engine *g, engine_kept_fn *fn, void *ctx)
{
    struct deed deed = {.kind = DEED_KEPT, .kept = fn, .ctx = ctx};

    board_deed(&g->board, &deed);
}

/* ---- the turn ---- */

/* Empties the board; those who wait are told of b->trouble. */
static void forget_all(struct board *b)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        board_refuse(b, s, &b->trouble);
    board_drop_all(b);
    deeds_do(b, false);
}

/* The store failed: nothing of this round is true. Everything is forgotten,
 * those who wait are told, and a second later it is all read again. */
static void start_over(struct engine *g)
{
    struct board *b = &g->board;

    log_write(LOG_LEVEL_ERROR, "store_failed", "text=\"%s\"", b->trouble.text);
    store_rollback(b->parts.store);
    b->generation++;
    forget_all(b);
    b->n_touched = 0;
    b->broken = false;
    g->stuck = true;
    g->try_again = board_steady(b) + STUCK_MS;
}

static void settle(struct board *b)
{
    struct live_study *next;
    bool again = true;

    for (int i = 0; again && i < ROUNDS && !b->broken; i++) {
        again = false;
        for (struct live_study *s = b->studies; s && !b->broken; s = next) {
            next = s->next;
            if (!s->dirty)
                continue;
            again = true;
            fill_study(b, s);
        }
    }
}

static void tell_touched(struct board *b)
{
    int64_t *touched = b->touched;
    size_t n = b->n_touched;

    b->touched = NULL;
    b->n_touched = b->touched_cap = 0;
    for (size_t i = 0; i < n && b->parts.changed; i++)
        b->parts.changed(b->parts.ctx, touched[i]);
    free(touched);
}

static bool idle(const struct board *b)
{
    if (b->broken || b->n_deeds || b->n_touched ||
        store_is_open(b->parts.store))
        return false;
    for (const struct live_study *s = b->studies; s; s = s->next)
        if (s->dirty)
            return false;
    return true;
}

void engine_turn(struct engine *g)
{
    struct board *b = &g->board;

    for (int i = 0; i < ROUNDS && !idle(b); i++) {
        struct err e;

        settle(b);
        if (!b->broken && store_commit(b->parts.store, &e))
            board_fail(b, &e);
        if (b->broken) {
            start_over(g);
            return;
        }
        deeds_do(b, true);
        tell_touched(b);
    }
}

/* Reads everything again after the store had failed. */
static void come_back(struct engine *g)
{
    struct board *b = &g->board;
    struct err e;

    if (board_steady(b) < g->try_again)
        return;
    g->stuck = false;
    if (recover_all(b, &e) == 0)
        return;
    board_fail(b, &e);
    start_over(g);
}

void engine_tick(struct engine *g)
{
    if (g->stuck)
        come_back(g);
    if (g->stuck)
        return;
    judge_tick(&g->board);
    fill_tick(&g->board);
}

int engine_recover(struct engine *g, struct err *e)
{
    sweep_old(g);
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
    forget_all(b);
    while (g->refuse) { /* removed at the next start */
        struct refuse *r = g->refuse;

        g->refuse = r->next;
        free(r->path);
        free(r);
    }
    free(b->deeds);
    free(b->touched);
    free(g);
}

/* ---- looking ---- */

static void why_trial(const struct live_trial *t, int64_t steady,
                      struct text *out)
{
    const char *state = trial_state_name(t->trial.state);

    text_addf(out, "trial %lld is %s", (long long)t->trial.number, state);
    if (t->trial.state == TRIAL_PENDING && t->not_before > steady)
        text_addf(out, ": attempt %d broke; the next one begins in %.0f s",
                  t->attempt, (double)(t->not_before - steady) / 1000.0);
    else if (t->trial.state == TRIAL_PENDING)
        text_add(out, ": it waits for a free place");
    else if (t->ended)
        text_add(out, ": its process has ended, its reports are being read");
    if (*t->source)
        text_addf(out, "; its point was chosen by %s", t->source);
    text_add(out, "\n");
}

static bool why_row(void *ctx, const struct trial_row *row)
{
    text_addf(ctx, "trial %lld is %s", (long long)row->number,
              trial_state_name(row->state));
    if (row->reason != REASON_NONE)
        text_addf(ctx, " (%s)", trial_reason_name(row->reason));
    if (*row->detail)
        text_addf(ctx, ": %s", row->detail);
    if (*row->source)
        text_addf(ctx, "; its point was chosen by %s", row->source);
    text_add(ctx, "\n");
    return false;
}

static bool why_study(void *ctx, const struct study_row *row)
{
    text_addf(ctx, "study %s is %s%s%s\n", row->name,
              study_state_name(row->state), *row->reason ? ": " : "",
              row->reason);
    return false;
}

static void why_places(const struct engine *g, const struct live_study *s,
                       struct text *out)
{
    const struct board *b = &g->board;
    int parallel = board_parallel(b, s);

    if (s->state != STUDY_ACTIVE)
        return;
    if (parallel < INT32_MAX)
        text_addf(out, "%zu of %d places are taken\n", s->n_trials, parallel);
    if (b->disk_low)
        text_add(out, "nothing is launched: the disk of the state directory "
                      "is nearly full\n");
    if (s->thinking)
        text_add(out, "the next point is being worked out\n");
    if (s->waits)
        text_add(out, "the algorithm waits for a trial to end\n");
    if (s->exhausted)
        text_add(out, "every point of the space was tried\n");
}

int engine_why(struct engine *g, int64_t study, int64_t number,
               struct text *out, struct err *e)
{
    struct board *b = &g->board;
    struct live_study *s = board_study(b, study);
    struct live_trial *t = s && number ? board_trial(s, number) : NULL;

    if (t) {
        why_trial(t, board_steady(b), out);
        return 0;
    }
    if (number)
        return store_trial_get(b->parts.store, study, number, why_row, out, e);
    if (store_study_get(b->parts.store, study, why_study, out, e))
        return -1;
    if (s)
        why_places(g, s, out);
    return 0;
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
