/* Filling free places, and ending studies. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/fill.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "study/front.h"
#include "tuner/begin.h"
#include "tuner/breaker.h"
#include "tuner/judge.h"
#include "tuner/lease.h"
#include "tuner/listen.h"
#include "tuner/mind.h"
#include "tuner/request.h"
#include "tuner/run.h"

/* ---- the end of a study ---- */

static int64_t done(const struct live_study *s)
{
    return s->counts[TRIAL_SUCCEEDED] + s->counts[TRIAL_STOPPED] +
           s->counts[TRIAL_INFEASIBLE];
}

static bool time_is_up(const struct board *b, const struct live_study *s)
{
    return s->study.time_limit_ms &&
           board_now(b) >= s->created_ms + s->study.time_limit_ms;
}

bool fill_is_over(const struct board *b, const struct live_study *s,
                  struct text *why)
{
    const struct study *spec = &s->study;
    char number[NUMBER_TEXT];

    if (time_is_up(b, s))
        text_add(why, "time_limit reached");
    else if (spec->has_target && s->best_number &&
             !study_better(spec, spec->target, s->best_value))
        text_addf(why, "target reached: trial %lld has %s",
                  (long long)s->best_number,
                  number_print(s->best_value, number));
    else if (spec->patience && s->since_best >= spec->patience)
        text_addf(why, "no progress in %lld trials", (long long)s->since_best);
    return why->len > 0;
}

/* The sentence for which the study has had enough, or nothing. */
static bool has_enough(const struct board *b, const struct live_study *s,
                       struct text *why)
{
    const struct study *spec = &s->study;
    int64_t most = spec->max_failed >= 0 ? spec->max_failed : spec->trials;

    if (fill_is_over(b, s, why))
        return true;
    if (s->counts[TRIAL_FAILED] > most)
        text_addf(why, "%lld trials failed",
                  (long long)s->counts[TRIAL_FAILED]);
    else if (done(s) >= spec->trials)
        text_addf(why, "all %lld trials are done", (long long)spec->trials);
    else if (s->exhausted && s->n_trials == 0)
        text_add(why, "every point of the space was tried");
    return why->len > 0;
}

/* Whether the study may not end before the trial has: a person wants it tried
 * again, or it was begun, and the study has had enough only because others have
 * done all that was wanted. */
static bool holds(const struct live_study *s, const struct live_trial *t)
{
    bool retried = t->trial.state == TRIAL_PENDING && t->reason == REASON_USER;

    return retried || (t->attempt > 0 && done(s) >= s->study.trials);
}

/* Time that is up waits for no trial. */
static bool is_held(const struct board *b, const struct live_study *s)
{
    if (!board_launches(s) || time_is_up(b, s))
        return false;
    for (const struct live_trial *t = s->trials; t; t = t->next)
        if (holds(s, t))
            return true;
    return false;
}

/* ACTIVE -> ENDING when it has had enough; *enough says so too if a trial
 * still holds it. */
static int consider_end(struct board *b, struct live_study *s, bool *enough)
{
    struct text why;
    int rc = 0;

    text_init(&why);
    *enough = has_enough(b, s, &why);
    if (*enough && !is_held(b, s)) {
        if (s->breaker.why)
            text_addf(&why, "; %s", s->breaker.why);
        breaker_calm(s);
        rc = run_study(b, s, STUDY_ENDING, text_str(&why), false);
    }
    text_clear(&why);
    return rc;
}

static void refuse_asks(struct board *b, struct live_study *s,
                        enum err_code code, const char *why)
{
    struct err e;

    err_set(&e, code, "study %s: %s", s->name, why);
    board_refuse(b, s, &e);
}

/* A job that tunes nothing needs no value. */
static bool has_succeeded(const struct live_study *s)
{
    return s->best_number > 0 ||
           (!study_tunes(&s->study) && s->counts[TRIAL_SUCCEEDED] > 0);
}

/* ENDING -> its end, once nothing of it is live: it is off the board then. */
static void finish(struct board *b, struct live_study *s)
{
    enum study_state to = STUDY_FAILED;
    char *reason;
    int rc;

    if (time_is_up(b, s) &&
        judge_stop_all(b, s, REASON_DEADLINE, "time_limit reached"))
        return;
    for (struct live_trial *t = s->trials, *next; t; t = next) {
        next = t->next; /* waited for another attempt that nobody needs */
        if (t->trial.state == TRIAL_PENDING &&
            judge_stop(b, t, s->cancelled ? REASON_USER : REASON_DEADLINE,
                       "the study ended"))
            return;
    }
    refuse_asks(b, s, ERR_ABSENT, "it has ended");
    if (s->trials || s->thinking)
        return;
    if (s->cancelled)
        to = STUDY_CANCELLED;
    else if (has_succeeded(s))
        to = STUDY_SUCCEEDED;
    reason = mem_copy_text(s->reason);
    rc = run_study(b, s, to, reason, s->cancelled);
    free(reason);
    if (!rc)
        board_drop_study(b, s);
}

/* ---- asking ---- */

/* Which of the trials that the study itself asks for comes next, from 1: those
 * put in from outside take numbers, but nobody's turn. */
static int64_t next_turn(const struct live_study *s)
{
    return s->next_number - s->given;
}

/* A question on its way to the worker and back. */
struct thought {
    struct thought *next;
    struct board *board;
    int64_t study, generation;
    struct question q;
};

static bool hear_row(void *ctx, const struct trial_row *row)
{
    struct live_study *s = ctx;
    struct trial t = {.number = row->number,
                      .state = row->state,
                      .has_value = row->has_value,
                      .value = row->value,
                      .step = row->step,
                      .is_foreseen = row->is_foreseen,
                      .foreseen = row->foreseen,
                      .unsure = row->unsure};
    struct err e;

    if (point_read_json(&t.point, &s->study.space, row->point, &e)) {
        log_write(LOG_LEVEL_WARN, "trial_unreadable",
                  "study=%s trial=%lld text=\"%s\"", s->name,
                  (long long)row->number, e.text);
        return true;
    }
    t.has_value =
        t.has_value && front_read_values(&s->study, row->objectives, &t);
    mind_hear(s->mind, &t);
    trial_clear(&t);
    return true;
}

static int open_mind(struct board *b, struct live_study *s, struct err *e)
{
    struct trial_filter ended = {
        .states = 1U << TRIAL_SUCCEEDED | 1U << TRIAL_STOPPED |
                  1U << TRIAL_INFEASIBLE | 1U << TRIAL_FAILED,
        .by_end = true};

    if (s->mind)
        return 0;
    if (mind_open(&s->mind, s->spec, e))
        return -1;
    if (!mind_learns(s->mind))
        return 0;
    return store_trial_list(b->parts.store, s->id, &ended, hear_row, s, e);
}

static void copy_running(const struct live_study *s, struct question *q)
{
    q->running = mem_new(s->n_trials, sizeof *q->running);
    for (const struct live_trial *t = s->trials; t; t = t->next)
        trial_copy(&q->running[q->n_running++], &t->trial);
}

/* A carried trial is running as soon as it is stored. */
static void hand_over(struct board *b, struct live_trial *t)
{
    struct live_study *s = t->study;
    struct run_cause cause = {0};
    struct err e;

    t->attempt = 1;
    if (store_attempt_add(b->parts.store, s->id, t->trial.number, 1,
                          board_now(b), &e)) {
        board_fail(b, &e);
        return;
    }
    if (run_move(b, t, TRIAL_LAUNCHING, &cause) ||
        run_move(b, t, TRIAL_RUNNING, &cause))
        return;
    lease_heard(b, t);
    board_answer(b, s, t->trial.number, NULL);
}

static void new_trial(struct board *b, struct live_study *s,
                      const struct suggestion *at)
{
    const char *client = s->asks ? s->asks->client : "";
    struct live_trial *t;

    if (breaker_trips(b, s) || run_add(b, s, at, client, &t))
        return;
    if (!board_launches(s))
        hand_over(b, t);
    s->dirty = true;
}

/* Nobody can say what to try next: that is for a person to see. */
static void stumped(struct board *b, struct live_study *s, const struct err *e)
{
    struct text why;

    text_init(&why);
    text_addf(&why, "no suggestion can be made: %s", e->text);
    run_study(b, s, STUDY_PAUSED, text_str(&why), false);
    text_clear(&why);
}

static void use_answer(struct board *b, struct live_study *s,
                       struct question *q)
{
    if (s->state != STUDY_ACTIVE || q->number != s->next_number ||
        (!board_launches(s) && !s->asks))
        return; /* asked again when it matters */
    if (q->failed)
        stumped(b, s, &q->err);
    else if (q->answer == ALGORITHM_WAIT)
        s->waits = true;
    else if (q->answer == ALGORITHM_DONE)
        s->exhausted = true;
    else
        new_trial(b, s, &q->out);
}

static void unlink_thought(struct thought *thought)
{
    struct thought **at = &thought->board->thoughts;

    while (*at != thought)
        at = &(*at)->next;
    *at = thought->next;
}

static void free_thought(struct thought *thought)
{
    mind_close(thought->q.mind);
    question_clear(&thought->q);
    free(thought);
}

static void think(void *task)
{
    struct thought *thought = task;

    mind_answer(&thought->q);
}

static void hear_missed(struct live_study *s)
{
    for (size_t i = 0; i < s->n_missed; i++) {
        mind_hear(s->mind, &s->missed[i]);
        trial_clear(&s->missed[i]);
    }
    s->n_missed = 0;
}

/* An answer that came before what has changed meanwhile is asked for again. */
static void thought_over(void *task)
{
    struct thought *thought = task;
    struct board *b = thought->board;
    struct live_study *s = thought->generation == b->generation
                               ? board_study(b, thought->study)
                               : NULL;
    bool stale;

    unlink_thought(thought);
    if (s && s->thinking) {
        s->mind = thought->q.mind;
        thought->q.mind = NULL;
        s->thinking = false;
        stale = s->forget ||
                (thought->q.answer == ALGORITHM_WAIT && s->n_missed > 0);
        hear_missed(s);
        if (s->forget)
            board_forget_mind(s);
        s->dirty = true;
        if (!b->broken && !stale)
            use_answer(b, s, &thought->q);
    }
    free_thought(thought);
}

static void ask(struct board *b, struct live_study *s)
{
    struct thought *thought = mem_new(1, sizeof *thought);
    bool learns;

    thought->board = b;
    thought->study = s->id;
    thought->generation = b->generation;
    thought->q.mind = s->mind;
    thought->q.number = s->next_number;
    thought->q.turn = next_turn(s);
    copy_running(s, &thought->q);
    thought->next = b->thoughts;
    b->thoughts = thought;
    learns = mind_learns(s->mind);
    s->mind = NULL;
    s->thinking = true;
    if (learns) {
        b->parts.worker->give(b->parts.worker, think, thought_over, thought);
        return;
    }
    think(thought); /* a few microseconds */
    thought_over(thought);
}

/* The nth running trial of the client, if he holds so many. */
static struct live_trial *held_by(const struct live_study *s,
                                  const struct live_ask *ask)
{
    int nth = ask->nth;

    for (struct live_trial *t = s->trials; t; t = t->next)
        if (*ask->client && t->trial.state == TRIAL_RUNNING &&
            strcmp(t->client, ask->client) == 0 && nth-- == 0)
            return t;
    return NULL;
}

/* One that was requested and that nobody holds. */
static struct live_trial *requested(const struct live_study *s)
{
    struct live_trial *t = s->trials;

    while (t && t->trial.state != TRIAL_PENDING)
        t = t->next;
    return t;
}

/* Answers those who ask for what is there already. */
static void hand_out(struct board *b, struct live_study *s)
{
    while (s->asks && !b->broken) {
        struct live_trial *t = held_by(s, s->asks);

        if (t) {
            lease_heard(b, t);
            board_answer(b, s, t->trial.number, NULL);
            continue;
        }
        t = requested(s);
        if (!t || request_assign(b, t, s->asks->client))
            return;
        hand_over(b, t);
    }
}

/* One that the study's rule has asked the client to end, who asks instead. */
static struct live_trial *not_ended(const struct live_study *s,
                                    const char *client)
{
    struct live_trial *t = s->trials;

    while (t && (!*client || strcmp(t->client, client) != 0 ||
                 t->trial.state != TRIAL_STOPPING || !lease_is_out(t)))
        t = t->next;
    return t;
}

/* Answers those who ask, when no new trial can be had: by those that they have
 * not ended or silent clients hold, and with a refusal. */
static void hand_on(struct board *b, struct live_study *s)
{
    while (s->asks && !b->broken) {
        struct live_trial *t = not_ended(s, s->asks->client);

        if (t)
            lease_heard(b, t);
        else
            t = lease_hand_on(b, s, s->asks->client);
        if (t)
            board_answer(b, s, t->trial.number, NULL);
        else if (!b->broken)
            refuse_asks(b, s, ERR_BUSY,
                        "all its trials are out; ask again when one has ended");
    }
}

/* Whether one more trial is wanted now. */
static bool wants_more(struct board *b, struct live_study *s, int places)
{
    int64_t coming = done(s) + (int64_t)s->n_trials;

    if (board_launches(s))
        return places > 0 && coming < s->study.trials && !s->exhausted &&
               !s->waits && !begin_disk_is_low(b, s);
    hand_out(b, s);
    if (!s->asks || b->broken)
        return false;
    if (places > 0 && coming < s->study.trials && !s->exhausted && !s->waits)
        return true;
    if (s->exhausted && !s->n_trials)
        refuse_asks(b, s, ERR_ABSENT, "every point of the space was tried");
    else
        hand_on(b, s);
    return false;
}

/* With `enough`, what waits is launched and no more is asked for. */
static void fill_active(struct board *b, struct live_study *s, bool enough)
{
    struct err e;
    int places;

    if (board_launches(s) && s->trials && begin_disk_is_low(b, s))
        return;
    places = board_launches(s) ? begin_waiting(b, s)
                               : board_parallel(b, s) - (int)s->n_trials;
    if (enough || s->thinking || b->broken || !wants_more(b, s, places)) {
        if (board_launches(s) && !b->broken)
            begin_loner(b, s);
        return;
    }
    if (next_turn(s) <= (int64_t)s->study.n_start) {
        new_trial(
            b, s,
            &(struct suggestion){.point = s->study.start[next_turn(s) - 1],
                                 .source = "start"});
        return;
    }
    if (open_mind(b, s, &e)) {
        stumped(b, s, &e);
        refuse_asks(b, s, ERR_CONFLICT, e.text);
        return;
    }
    ask(b, s);
}

void fill_study(struct board *b, struct live_study *s)
{
    bool enough = false;

    s->dirty = false;
    if (s->state == STUDY_ACTIVE && consider_end(b, s, &enough))
        return;
    switch (s->state) {
    case STUDY_ACTIVE:
        fill_active(b, s, enough);
        return;
    case STUDY_PAUSED:
        refuse_asks(b, s, ERR_BUSY,
                    "it is paused, and gives trials out "
                    "once it is resumed");
        return;
    default:
        finish(b, s);
    }
}

/* ---- time ---- */

static bool something_due(const struct board *b, const struct live_study *s)
{
    int64_t now = board_steady(b);

    if (s->state != STUDY_ACTIVE && s->state != STUDY_ENDING)
        return false;
    if (time_is_up(b, s) || b->disk_low)
        return true;
    for (const struct live_trial *t = s->trials; t; t = t->next)
        if (t->trial.state == TRIAL_PENDING && t->not_before &&
            t->not_before <= now)
            return true;
    return false;
}

void fill_tick(struct board *b)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        if (something_due(b, s))
            s->dirty = true;
}

int fill_check(const char *spec, struct err *e)
{
    struct mind *mind;

    if (mind_open(&mind, spec, e))
        return -1;
    mind_close(mind);
    return 0;
}

void fill_drop_thoughts(struct board *b)
{
    while (b->thoughts) {
        struct thought *thought = b->thoughts;

        b->thoughts = thought->next;
        free_thought(thought);
    }
}
