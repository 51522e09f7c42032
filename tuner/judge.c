/* Judging: from news to moves. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tuner/alike.h"
#include "tuner/breaker.h"
#include "tuner/hold.h"
#include "tuner/listen.h"
#include "tuner/nodes.h"
#include "tuner/verdict.h"

enum {
    CHUNKS = 8,      /* rounds of followers at ends in one tick: some tens
                        of milliseconds */
    RETRY_MS = 1000, /* pause before a second attempt; doubles */
    RETRY_MOST_MS = 60000,
    KILL_AGAIN_MS = 5000,
    TOLD_MS = 60000 /* those who follow a study hear so often, at most, what its
                       trials wait for */
};

/* ---- ends ---- */

static int end_attempt(struct board *b, const struct live_trial *t,
                       const char *outcome, const char *blame)
{
    int64_t id = t->study->id, number = t->trial.number;
    struct err e;

    if (store_begin(b->parts.store, &e) ||
        store_attempt_end(b->parts.store, id, number, t->attempt, outcome,
                          board_now(b), &e))
        return board_fail(b, &e);
    if ((*blame || t->node) &&
        store_attempt_blame(b->parts.store, id, number, t->attempt, blame,
                            t->node ? t->node : "", &e))
        return board_fail(b, &e);
    return 0;
}

/* The run is over for this attempt, the trial is not: it waits for another. */
static int again(struct board *b, struct live_trial *t,
                 const struct run_cause *cause, int64_t pause_ms)
{
    board_unfollow(t);
    free(t->waits);
    free(t->node);
    t->waits = t->node = NULL;
    t->ended = false;
    t->deadline = 0;
    t->kill_at = 0;
    t->not_before = board_steady(b) + pause_ms;
    return run_move(b, t, TRIAL_PENDING, cause);
}

static int64_t pause_of(int broken)
{
    int64_t pause = broken > 0 ? RETRY_MS : 0;

    for (int i = 1; i < broken && pause < RETRY_MOST_MS; i++)
        pause *= 2;
    return pause < RETRY_MOST_MS ? pause : RETRY_MOST_MS;
}

/* What beside others was too much may be enough alone; unless the trial ran
 * into a limit of its own, or the GPU's memory was its alone already. */
static bool may_do_alone(const struct live_trial *t, const struct verdict *v)
{
    return t->crowded && !t->alone && hold_is_here(&t->study->study) &&
           !hold_needs(&t->study->study).memory && !(v->gpu_memory && t->gpus);
}

/* Whether a trial whose attempt broke so is tried again; it is counted. */
static bool goes_on(struct live_trial *t, const struct verdict *v)
{
    const struct policy *p = policy_of(v->blame);

    t->broken += p->counts;
    t->strikes = policy_is_strike(v->blame) ? t->strikes + 1 : 0;
    if (t->study->state == STUDY_ENDING)
        return false;
    switch (p->again) {
    case POLICY_RETRIES:
        return t->broken <= t->study->study.retries;
    case POLICY_ALONE:
        if (!may_do_alone(t, v))
            return false;
        t->alone = true;
        return true;
    case POLICY_ALWAYS:
        return true;
    default:
        return t->strikes > 0 && t->strikes <= p->again;
    }
}

/* No trial of the study can begin: a person has to mend that. */
static int pause_hopeless(struct board *b, struct live_study *s,
                          const char *why)
{
    char *sentence;
    int rc;

    if (s->state != STUDY_ACTIVE)
        return 0;
    sentence = mem_format("%s; mend it, then resume the study", why);
    rc = run_study(b, s, STUDY_PAUSED, sentence, false);
    free(sentence);
    return rc;
}

static void try_again(struct board *b, struct live_trial *t, struct verdict *v)
{
    struct live_study *s = t->study;
    bool hopeless = v->blame == POLICY_HOPELESS;

    v->cause.quiet = hopeless && s->state == STUDY_PAUSED;
    v->cause.has_value = false;
    if (again(b, t, &v->cause,
              pause_of(policy_of(v->blame)->counts ? t->broken : t->strikes)))
        return;
    if (hopeless)
        pause_hopeless(b, s, text_str(&v->detail));
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

/* Where the picture of states has no arrow for it: by way of the others. */
static int pass_through(struct board *b, struct live_trial *t,
                        const struct verdict *v)
{
    struct run_cause cause = v->cause;

    cause.has_value = false;
    if (v->to == TRIAL_INFEASIBLE)
        return alive(b, t);
    if (v->to == TRIAL_STOPPED && t->trial.state != TRIAL_STOPPING)
        return run_move(b, t, TRIAL_STOPPING, &cause);
    return 0;
}

/* A trial that breaks at once by its own fault may be the fault of its node. */
static void look_at_node(struct board *b, const struct live_trial *t,
                         struct verdict *v)
{
    char *key;

    if (v->blame != POLICY_OWN || t->end.ran_ms >= NODES_AT_ONCE_MS) {
        if (v->blame == POLICY_OWN)
            nodes_good(b, t);
        return;
    }
    key = alike_key(v->said.len ? text_str(&v->said) : text_str(&v->look_text));
    if (nodes_bad(b, t, key)) {
        v->blame = POLICY_NODE;
        v->to = policy_of(POLICY_NODE)->ends;
        v->look = NULL;
    }
    free(key);
}

/* Carries the verdict out. The trial is gone if it ended. */
static void decide(struct board *b, struct live_trial *t, struct verdict *v,
                   const char *outcome)
{
    struct live_study *s = t->study;
    char *node = mem_copy_text(t->node);

    if (v->broke)
        look_at_node(b, t, v);
    v->cause.detail = v->detail.len ? text_str(&v->detail) : NULL;
    if (b->broken ||
        end_attempt(b, t, outcome, v->broke ? policy_of(v->blame)->name : ""))
        goto out;
    if (v->broke && goes_on(t, v)) {
        try_again(b, t, v);
        goto out;
    }
    if (pass_through(b, t, v) || run_move(b, t, v->to, &v->cause))
        goto out;
    breaker_see(s, v->look, text_str(&v->said), node);
out:
    free(node);
}

static const char *outcome_of(const struct launcher_news *end, char *out,
                              size_t size)
{
    if (end->word == LAUNCHER_LOST)
        return "lost";
    if (end->word != LAUNCHER_ENDED)
        return "refused";
    if (end->signal_number)
        snprintf(out, size, "signal %d", end->signal_number);
    else
        snprintf(out, size, "exit %d", end->exit_code);
    return out;
}

static void judge_end(struct board *b, struct live_trial *t)
{
    const struct launcher_news *end = &t->end;
    struct verdict v;
    char outcome[32];

    verdict_init(&v);
    if (t->trial.state == TRIAL_STOPPING && t->reason == REASON_INTERRUPTED) {
        v.cause.reason = REASON_INTERRUPTED;
        if (!end_attempt(b, t, "interrupted", ""))
            again(b, t, &v.cause, 0);
        verdict_clear(&v);
        return;
    }
    if (t->trial.state == TRIAL_STOPPING)
        verdict_stopped(t, t->reason, t->detail, &v);
    else if (end->word != LAUNCHER_ENDED || end->exit_code ||
             end->signal_number)
        verdict_broken(t, &v);
    else {
        verdict_value(t, &v);
        nodes_good(b, t);
    }
    decide(b, t, &v, outcome_of(end, outcome, sizeof outcome));
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
    judge_end(b, t);
}

/* ---- news ---- */

static void keep_text(char **to, const char *text)
{
    free(*to);
    *to = mem_copy_text(text);
}

/* Those who follow the study hear of it, but not of every change. */
static void hear_wait(struct board *b, struct live_trial *t, const char *text)
{
    struct live_study *s = t->study;
    char *sentence;

    if (!text || (t->waits && strcmp(t->waits, text) == 0))
        return;
    keep_text(&t->waits, text);
    board_touch(b, s->id);
    if (s->told_wait && (strcmp(s->told_wait, text) == 0 ||
                         board_steady(b) - s->told_at < TOLD_MS))
        return;
    keep_text(&s->told_wait, text);
    s->told_at = board_steady(b);
    sentence =
        mem_format("trial %lld waits: %s", (long long)t->trial.number, text);
    run_warn(b, s, sentence);
    free(sentence);
}

/* Copied: the news is the launcher's. */
static void keep_end(struct live_trial *t, const struct launcher_news *news)
{
    keep_text(&t->replica, news->replica);
    keep_text(&t->said, news->text);
    t->end = *news;
    t->end.job_name = NULL;
    t->end.replica = t->replica;
    t->end.node = t->node;
    t->end.text = t->said;
}

void judge_news(struct board *b, struct live_trial *t,
                const struct launcher_news *news)
{
    if (b->broken || t->ended || t->trial.state == TRIAL_PENDING)
        return;
    if (news->node)
        keep_text(&t->node, news->node);
    switch (news->word) {
    case LAUNCHER_ALIVE:
        keep_text(&t->waits, NULL);
        alive(b, t);
        return;
    case LAUNCHER_WAITING:
        hear_wait(b, t, news->text);
        return;
    case LAUNCHER_REFUSED:
    case LAUNCHER_HOPELESS:
        keep_end(t, news);
        judge_end(b, t);
        return;
    case LAUNCHER_ENDED:
        if (alive(b, t)) /* it may have ended before it was seen alive */
            return;
        break;
    case LAUNCHER_LOST:
        break;
    }
    t->ended = true;
    keep_end(t, news);
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
    const char *ignored;

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
        cause.has_value = listen_values(t, &cause.value, cause.others,
                                        &cause.step, &ignored) == LISTEN_VALUE;
        if (end_attempt(b, t, "stopped", ""))
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

int judge_hopeless(struct board *b, struct live_trial *t)
{
    struct run_cause cause = {.reason = REASON_EARLY, .detail = t->hopeless};

    if (!t->hopeless || t->ended ||
        (t->trial.state != TRIAL_LAUNCHING && t->trial.state != TRIAL_RUNNING))
        return 0;
    if (board_launches(t->study))
        return judge_stop(b, t, REASON_EARLY, t->hopeless);
    return run_move(b, t, TRIAL_STOPPING, &cause); /* its client is to end it */
}

static void tick_trial(struct board *b, struct live_trial *t, int64_t now)
{
    if (t->ended) {
        judge_once_read(b, t);
        return;
    }
    listen_poll(b, t, false);
    if (b->broken || judge_hopeless(b, t))
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

/* The objective that would have no value if that were told; NULL = none. */
static const char *lacking(const struct live_trial *t, bool told)
{
    double value, others[TRIAL_OTHERS];
    const char *which;
    int64_t step;

    if (!told && listen_value(t, &value, &step) == LISTEN_NO_METRIC)
        return t->study->study.metric;
    if (listen_others(t, others, &which) == LISTEN_NO_METRIC)
        return which;
    return NULL;
}

/* Its study's own rule has asked its client to end it. */
static bool was_hopeless(const struct live_trial *t)
{
    return t->trial.state == TRIAL_STOPPING && t->reason == REASON_EARLY &&
           study_stops_early(&t->study->study);
}

int judge_told(struct board *b, struct live_trial *t, const double *value,
               const char *infeasible, struct err *e)
{
    const char *lacks = infeasible ? NULL : lacking(t, value != NULL);
    struct verdict v;

    if (lacks)
        return err_set(e, ERR_INVALID,
                       "trial %lld has no measurement of %s: %s, or that it "
                       "is infeasible",
                       (long long)t->trial.number, lacks,
                       lacks == t->study->study.metric
                           ? "tell a value"
                           : "report one, and then tell the result");
    verdict_init(&v);
    if (infeasible) {
        v.to = TRIAL_INFEASIBLE;
        v.cause.reason = REASON_TOLD;
        text_add(&v.detail, infeasible);
    } else if (!value || !told_value(b, t, *value)) {
        if (!value && was_hopeless(t))
            verdict_stopped(t, t->reason, t->detail, &v);
        else
            verdict_value(t, &v);
        if (value && isfinite(*value) && v.cause.reason == REASON_VALUE) {
            /* what was told is the result */
            v.to = TRIAL_SUCCEEDED;
            v.cause.reason = REASON_VALUE;
            v.cause.has_value = true;
            v.cause.value = *value;
        }
        v.look = NULL;
    }
    if (!b->broken)
        decide(b, t, &v, "told");
    verdict_clear(&v);
    return b->broken ? err_set(e, ERR_IO, "%s", b->trouble.text) : 0;
}
