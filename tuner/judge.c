/* Judging: from news to moves. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "tuner/listen.h"
#include "tuner/run.h"

enum {
    CHUNKS = 8,      /* rounds of followers at ends in one tick: some tens
                        of milliseconds */
    RETRY_MS = 1000, /* pause before a second attempt; doubles */
    RETRY_MOST_MS = 60000,
    LOST_RETRIES = 3, /* nobody's fault: tried again in any case */
    KILL_AGAIN_MS = 5000,
    AT_ONCE_MS = 10000, /* a job that breaks sooner "ends at once" */
    ALIKE_FIRST = 3,    /* alike ends in a row before any success */
    ALIKE_LATER = 10    /* and after one */
};

/* ---- the breaker: many ends in a row that look alike ---- */

void judge_calm(struct live_study *s)
{
    free(s->breaker.look);
    free(s->breaker.why);
    s->breaker = (struct breaker){0};
}

static void trip(struct live_study *s, const char *said)
{
    struct text why;

    text_init(&why);
    text_addf(&why, "%d trials in a row ended the same way: %s",
              s->breaker.in_a_row, s->breaker.look);
    if (*said)
        text_addf(&why, "; the last one wrote: %s", said);
    s->breaker.why = text_take(&why);
}

/* An end that looks like that; look NULL is one that is not suspicious. */
static void breaker_see(struct live_study *s, const char *look,
                        const char *said)
{
    int most = s->counts[TRIAL_SUCCEEDED] ? ALIKE_LATER : ALIKE_FIRST;

    if (!look) {
        judge_calm(s);
        return;
    }
    if (s->state != STUDY_ACTIVE || s->breaker.why)
        return; /* those still on their way when it tripped */
    if (!s->breaker.look || strcmp(s->breaker.look, look) != 0) {
        judge_calm(s);
        s->breaker.look = mem_copy_text(look);
    }
    if (++s->breaker.in_a_row >= most)
        trip(s, said);
}

bool judge_trips(struct board *b, struct live_study *s)
{
    struct text why;

    if (!s->breaker.why)
        return false;
    text_init(&why);
    text_addf(&why, "%s; mend it, then resume the study", s->breaker.why);
    run_study(b, s, STUDY_PAUSED, text_str(&why), false);
    text_clear(&why);
    judge_calm(s);
    return true;
}

/* ---- ends ---- */

/* What an attempt came to, before it is known what that makes of the trial. */
struct verdict {
    enum trial_state to;
    struct run_cause cause;
    struct text detail;
    struct text said; /* last lines of stderr */
    const char *look; /* for the breaker; NULL = nothing suspicious */
    struct text look_text;
};

static void verdict_init(struct verdict *v)
{
    memset(v, 0, sizeof *v);
    text_init(&v->detail);
    text_init(&v->said);
    text_init(&v->look_text);
}

static void verdict_clear(struct verdict *v)
{
    text_clear(&v->detail);
    text_clear(&v->said);
    text_clear(&v->look_text);
}

static int end_attempt(struct board *b, struct live_trial *t,
                       const char *outcome)
{
    struct err e;

    if (store_begin(b->parts.store, &e) ||
        store_attempt_end(b->parts.store, t->study->id, t->trial.number,
                          t->attempt, outcome, board_now(b), &e))
        return board_fail(b, &e);
    return 0;
}

/* The run is over for this attempt, the trial is not: it waits for another. */
static int again(struct board *b, struct live_trial *t,
                 const struct run_cause *cause, int64_t pause_ms)
{
    follow_close(t->follow);
    t->follow = NULL;
    t->ended = false;
    t->deadline = 0;
    t->kill_at = 0;
    t->not_before = board_steady(b) + pause_ms;
    return run_move(b, t, TRIAL_PENDING, cause);
}

static int64_t pause_of(int broken)
{
    int64_t pause = RETRY_MS;

    for (int i = 1; i < broken && pause < RETRY_MOST_MS; i++)
        pause *= 2;
    return pause < RETRY_MOST_MS ? pause : RETRY_MOST_MS;
}

/* Carries the verdict out. The trial is gone if it ended. */
static void decide(struct board *b, struct live_trial *t, struct verdict *v,
                   const char *outcome, int attempts_left)
{
    struct live_study *s = t->study;
    bool broke = v->to == TRIAL_FAILED;

    v->cause.detail = v->detail.len ? text_str(&v->detail) : NULL;
    if (end_attempt(b, t, outcome))
        return;
    if (broke)
        t->broken++;
    if (broke && attempts_left > 0 && s->state != STUDY_ENDING) {
        again(b, t, &v->cause, pause_of(t->broken));
        return;
    }
    if (run_move(b, t, v->to, &v->cause))
        return;
    breaker_see(s, v->look, text_str(&v->said));
}

/* It ended well: is there a value? A job that tunes nothing needs none. */
static void weigh_value(const struct live_trial *t, struct verdict *v)
{
    const char *metric = t->study->study.metric;
    enum listen_value found = listen_value(t, &v->cause.value, &v->cause.step);
    const char **names;

    if (found != LISTEN_VALUE && !study_tunes(&t->study->study)) {
        v->to = TRIAL_SUCCEEDED;
        text_add(&v->detail, "ended well");
        return;
    }
    switch (found) {
    case LISTEN_VALUE:
        v->to = TRIAL_SUCCEEDED;
        v->cause.reason = REASON_VALUE;
        v->cause.has_value = true;
        return;
    case LISTEN_NOT_FINITE:
        v->to = TRIAL_INFEASIBLE;
        v->cause.reason = REASON_NOT_FINITE;
        text_addf(&v->detail, "%s was not a finite number", metric);
        return;
    case LISTEN_NO_METRIC:
        break;
    }
    v->to = TRIAL_INFEASIBLE;
    v->cause.reason = REASON_NO_METRIC;
    text_addf(&v->detail, "ended well but never reported %s", metric);
    if (!t->n_curves) {
        text_add(&v->detail, ", nor anything else");
    } else {
        const char *near;

        names = mem_new(t->n_curves, sizeof *names);
        for (size_t i = 0; i < t->n_curves; i++)
            names[i] = t->curves[i].metric;
        text_add(&v->detail, "; it reported ");
        listen_names(t, &v->detail);
        near = fault_near(metric, names, t->n_curves);
        if (near)
            text_addf(&v->detail, "; did you mean %s?", near);
        free(names);
    }
    text_addf(&v->look_text, "never reported %s", metric);
    v->look = text_str(&v->look_text);
}

/* It was asked to end: what it has reported is kept. */
static void weigh_stopped(const struct live_trial *t, struct verdict *v)
{
    v->to = TRIAL_STOPPED;
    v->cause.reason = t->reason;
    text_add(&v->detail, t->detail);
    v->cause.has_value =
        listen_value(t, &v->cause.value, &v->cause.step) == LISTEN_VALUE;
}

static void weigh_broken(const struct live_trial *t, struct verdict *v)
{
    const struct launcher_news *end = &t->end;

    listen_tail(t->folder, "stderr.log", &v->said);
    v->to = end->blame == BLAME_MEMORY ? TRIAL_INFEASIBLE : TRIAL_FAILED;
    if (end->blame == BLAME_MEMORY)
        text_add(&v->look_text, "killed for want of memory");
    else if (end->signal_number)
        text_addf(&v->look_text, "signal %d (%s)", end->signal_number,
                  strsignal(end->signal_number));
    else
        text_addf(&v->look_text, "exit %d", end->exit_code);
    v->cause.reason = end->signal_number ? REASON_SIGNAL : REASON_EXIT;
    text_add(&v->detail, text_str(&v->look_text));
    if (v->said.len)
        text_addf(&v->detail, ": %s", text_str(&v->said));
    if (end->ran_ms < AT_ONCE_MS)
        v->look = text_str(&v->look_text);
}

static void judge_end(struct board *b, struct live_trial *t)
{
    const struct launcher_news *end = &t->end;
    struct verdict v;
    char outcome[32];

    if (end->signal_number)
        snprintf(outcome, sizeof outcome, "signal %d", end->signal_number);
    else
        snprintf(outcome, sizeof outcome, "exit %d", end->exit_code);
    verdict_init(&v);
    if (t->trial.state == TRIAL_STOPPING && t->reason == REASON_INTERRUPTED) {
        v.cause.reason = REASON_INTERRUPTED;
        if (!end_attempt(b, t, "interrupted"))
            again(b, t, &v.cause, 0);
        verdict_clear(&v);
        return;
    }
    if (t->trial.state == TRIAL_STOPPING)
        weigh_stopped(t, &v);
    else if (end->exit_code == 0 && !end->signal_number)
        weigh_value(t, &v);
    else
        weigh_broken(t, &v);
    decide(b, t, &v, outcome, t->study->study.retries - t->broken);
    verdict_clear(&v);
}

static void judge_gone(struct board *b, struct live_trial *t,
                       const struct launcher_news *news)
{
    bool refused =
        news->word == LAUNCHER_REFUSED || news->word == LAUNCHER_HOPELESS;
    int retries = t->study->study.retries;
    struct verdict v;

    verdict_init(&v);
    v.to = TRIAL_FAILED;
    v.cause.reason = refused ? REASON_REFUSED : REASON_LOST;
    text_add(&v.detail, refused && news->text
                            ? news->text
                            : "its process vanished without a trace");
    if (t->trial.state == TRIAL_STOPPING) {
        if (t->reason == REASON_INTERRUPTED) {
            v.cause.reason = REASON_INTERRUPTED;
            if (!end_attempt(b, t, "lost"))
                again(b, t, &v.cause, 0);
            verdict_clear(&v);
            return;
        }
        weigh_stopped(t, &v);
    } else if (refused) {
        text_add(&v.look_text, text_str(&v.detail));
        v.look = text_str(&v.look_text);
    } else if (retries < LOST_RETRIES) {
        retries = LOST_RETRIES;
    }
    decide(b, t, &v, refused ? "refused" : "lost", retries - t->broken);
    verdict_clear(&v);
}

/* Reads what an ended job left, and judges it once all is read. */
static void judge_once_read(struct board *b, struct live_trial *t)
{
    bool more = listen_poll(b, t, true);

    while (more && b->reads_left > 0) {
        b->reads_left--;
        more = listen_poll(b, t, true);
    }
    if (more || b->broken)
        return;
    if (t->end.word == LAUNCHER_LOST)
        judge_gone(b, t, &t->end);
    else
        judge_end(b, t);
}

static int alive(struct board *b, struct live_trial *t)
{
    struct run_cause cause = {0};
    int64_t limit = t->study->study.trial_limit_ms;

    if (t->trial.state != TRIAL_LAUNCHING)
        return 0;
    t->deadline = limit ? board_steady(b) + limit : 0;
    return run_move(b, t, TRIAL_RUNNING, &cause);
}

void judge_news(struct board *b, struct live_trial *t,
                const struct launcher_news *news)
{
    if (b->broken || t->ended || t->trial.state == TRIAL_PENDING)
        return;
    switch (news->word) {
    case LAUNCHER_ALIVE:
        alive(b, t);
        return;
    case LAUNCHER_WAITING:
        return;
    case LAUNCHER_REFUSED:
    case LAUNCHER_HOPELESS:
        judge_gone(b, t, news);
        return;
    case LAUNCHER_ENDED:
        if (alive(b, t)) /* it may have ended before it was seen alive */
            return;
        break;
    case LAUNCHER_LOST:
        break;
    }
    t->ended = true;
    t->end = *news;
    t->end.job_name = t->end.replica = t->end.node = t->end.text = NULL;
    judge_once_read(b, t);
}

/* ---- stopping ---- */

int judge_stop(struct board *b, struct live_trial *t, enum trial_reason reason,
               const char *detail)
{
    struct live_study *s = t->study;
    struct run_cause cause = {.reason = reason, .detail = detail};
    struct deed deed = {
        .kind = DEED_STOP, .study = s->id, .number = t->trial.number};

    switch (t->trial.state) {
    case TRIAL_PENDING:
        if (reason == REASON_INTERRUPTED)
            return 0;
        return run_move(b, t, TRIAL_STOPPED, &cause);
    case TRIAL_STOPPING:
        if (!board_launches(s))
            break; /* its client was asked; nobody waits for him now */
        if (t->reason == REASON_INTERRUPTED && reason != REASON_INTERRUPTED)
            return run_restop(b, t, &cause); /* it will not come back */
        return 0;
    default:
        break;
    }
    if (!board_launches(s)) { /* nobody's process: it is over at once */
        if (reason == REASON_INTERRUPTED)
            return 0;
        if (t->trial.state != TRIAL_STOPPING &&
            run_move(b, t, TRIAL_STOPPING, &cause))
            return -1;
        cause.has_value =
            listen_value(t, &cause.value, &cause.step) == LISTEN_VALUE;
        if (end_attempt(b, t, "stopped"))
            return -1;
        return run_move(b, t, TRIAL_STOPPED, &cause);
    }
    if (run_move(b, t, TRIAL_STOPPING, &cause))
        return -1;
    t->kill_at = board_steady(b) + s->study.grace_ms;
    board_deed(b, &deed);
    return 0;
}

int judge_stop_all(struct board *b, struct live_study *s,
                   enum trial_reason reason, const char *detail)
{
    struct live_trial *next;

    for (struct live_trial *t = s->trials; t; t = next) {
        next = t->next;
        if (judge_stop(b, t, reason, detail))
            return -1;
    }
    return 0;
}

static void tick_trial(struct board *b, struct live_trial *t, int64_t now)
{
    if (t->ended) {
        judge_once_read(b, t);
        return;
    }
    listen_poll(b, t, false);
    if (b->broken)
        return;
    if (t->deadline && now >= t->deadline && t->trial.state == TRIAL_RUNNING) {
        judge_stop(b, t, REASON_DEADLINE, "trial_limit reached");
        return;
    }
    if (t->kill_at && now >= t->kill_at && t->job_name) {
        struct launcher *l = board_launcher(b, t->study);

        if (l)
            l->type->stop(l, t->job_name, true);
        t->kill_at = now + KILL_AGAIN_MS;
    }
}

void judge_tick(struct board *b)
{
    int64_t now = board_steady(b);
    struct live_trial *next;

    b->reads_left = CHUNKS;
    for (struct live_study *s = b->studies; s; s = s->next)
        for (struct live_trial *t = s->trials; t; t = next) {
            next = t->next;
            tick_trial(b, t, now);
            if (b->broken)
                return;
        }
}

/* ---- clients ---- */

static int told_value(struct board *b, struct live_trial *t, double value)
{
    struct report r = {.value = value};
    double last;
    int64_t step = 0;

    if (listen_value(t, &last, &step) == LISTEN_VALUE)
        r.step = step;
    snprintf(r.metric, sizeof r.metric, "%s", t->study->study.metric);
    return listen_report(b, t, &r);
}

int judge_told(struct board *b, struct live_trial *t, const double *value,
               const char *infeasible, struct err *e)
{
    struct verdict v;
    double ignored;
    int64_t step;

    if (!value && !infeasible &&
        listen_value(t, &ignored, &step) == LISTEN_NO_METRIC)
        return err_set(e, ERR_INVALID,
                       "trial %lld has no measurement of %s: tell a value, or "
                       "that it is infeasible",
                       (long long)t->trial.number, t->study->study.metric);
    verdict_init(&v);
    if (infeasible) {
        v.to = TRIAL_INFEASIBLE;
        v.cause.reason = REASON_TOLD;
        text_add(&v.detail, infeasible);
    } else if (!value || !told_value(b, t, *value)) {
        weigh_value(t, &v);
        if (value && isfinite(*value)) { /* what was told is the result */
            v.to = TRIAL_SUCCEEDED;
            v.cause.reason = REASON_VALUE;
            v.cause.has_value = true;
            v.cause.value = *value;
        }
        v.look = NULL;
    }
    if (!b->broken)
        decide(b, t, &v, "told", 0);
    verdict_clear(&v);
    return b->broken ? err_set(e, ERR_IO, "%s", b->trouble.text) : 0;
}
