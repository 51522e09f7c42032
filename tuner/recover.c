/* Recovering the board from the store. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/recover.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "tuner/hold.h"
#include "tuner/lease.h"
#include "tuner/listen.h"
#include "tuner/policy.h"

enum { PAGE = 500 };

#define LIVE                                                                   \
    (1U << TRIAL_PENDING | 1U << TRIAL_LAUNCHING | 1U << TRIAL_RUNNING |       \
     1U << TRIAL_STOPPING)

static int64_t deadline_of(const struct board *b, const struct live_trial *t)
{
    int64_t limit = t->study->study.trial_limit_ms;

    if (!limit || !t->started_ms)
        return 0;
    return board_steady(b) + t->started_ms + limit - board_now(b);
}

static int watch_job(const struct board *b, const struct live_trial *t,
                     struct err *e)
{
    struct launcher *l = board_launcher(b, t->study);

    if (l)
        return l->type->watch(l, t->job_name, t->folder, e);
    return err_set(e, ERR_INVALID, "this service has no launcher %s",
                   t->study->study.job.launcher);
}

static void watch(struct board *b, struct live_trial *t)
{
    struct deed deed = {
        .kind = DEED_STOP, .study = t->study->id, .number = t->trial.number};
    struct err e;

    t->deadline = deadline_of(b, t);
    if (watch_job(b, t, &e)) {
        log_write(LOG_LEVEL_WARN, "job_lost", "job=%s text=\"%s\"", t->job_name,
                  e.text);
        deed.kind = DEED_LOST;
        board_deed(b, &deed);
    } else if (t->trial.state == TRIAL_STOPPING) {
        t->kill_at = board_steady(b) + t->study->study.grace_ms;
        board_deed(b, &deed);
    }
}

/* What the attempts say of the trial: what the current one holds, and how
 * those before it broke. */
static bool hear_attempt(void *ctx, const struct attempt_row *row)
{
    struct live_trial *t = ctx;
    enum policy_class blame;

    if (row->attempt == t->attempt && !row->ended_ms && *row->gpus)
        t->gpus = mem_copy_text(row->gpus);
    if (!row->ended_ms)
        return true;
    if (!policy_read(row->blame, &blame)) {
        t->strikes = 0;
        return true;
    }
    t->strikes = policy_is_strike(blame) ? t->strikes + 1 : 0;
    if (blame == POLICY_MEMORY && hold_is_here(&t->study->study))
        t->alone = true;
    return true;
}

static int recover_trial(struct board *b, struct live_trial *t, struct err *e)
{
    struct deed deed = {
        .kind = DEED_LAUNCH, .study = t->study->id, .number = t->trial.number};

    t->crowded = true; /* nobody knows who ran beside it */
    if (t->attempt && board_launches(t->study) &&
        store_attempt_list(b->parts.store, t->study->id, t->trial.number,
                           hear_attempt, t, e))
        return -1;
    if (t->trial.state == TRIAL_PENDING)
        return 0;
    lease_heard(b, t);
    if (!board_launches(t->study))
        return listen_open(b, t, true, e);
    board_name_job(b, t);
    if (listen_open(b, t, true, e))
        return -1;
    if (t->trial.state == TRIAL_LAUNCHING)
        board_deed(b, &deed);
    else
        watch(b, t);
    return 0;
}

struct taking {
    struct live_study *study;
    struct err *e;
    int rc;
};

static bool take_trial(void *ctx, const struct trial_row *row)
{
    struct taking *taking = ctx;
    struct live_trial *t;

    taking->rc = board_take_trial(taking->study, row, &t, taking->e);
    return taking->rc == 0;
}

static int recover_trials(struct board *b, struct live_study *s, struct err *e)
{
    struct trial_filter live = {.states = LIVE};
    struct taking taking = {.study = s, .e = e};

    if (store_trial_list(b->parts.store, s->id, &live, take_trial, &taking,
                         e) ||
        taking.rc)
        return -1;
    for (struct live_trial *t = s->trials; t; t = t->next)
        if (recover_trial(b, t, e))
            return err_wrap(e, "trial %lld of %s", (long long)t->trial.number,
                            s->name);
    if (s->trials)
        log_write(LOG_LEVEL_INFO, "study_recovered", "study=%s live=%zu",
                  s->name, s->n_trials);
    return 0;
}

/* ---- what cannot be read ---- */

/* The jobs of a study that cannot be read may run on: their GPUs stay theirs.
 */
static bool keep_gpus(void *ctx, const struct attempt_row *row)
{
    struct board *b = ctx;
    char *all;

    if (row->ended_ms || !*row->gpus)
        return true;
    all = b->kept_gpus ? mem_format("%s,%s", b->kept_gpus, row->gpus)
                       : mem_copy_text(row->gpus);
    free(b->kept_gpus);
    b->kept_gpus = all;
    return true;
}

static bool keep_trial(void *ctx, const struct trial_row *row)
{
    struct board *b = ctx;
    struct err e;

    if (store_attempt_list(b->parts.store, row->study_id, row->number,
                           keep_gpus, b, &e))
        log_write(LOG_LEVEL_ERROR, "attempts_unreadable", "text=\"%s\"",
                  e.text);
    return true;
}

static void give_up(struct board *b, int64_t id, const char *name,
                    const struct err *why)
{
    struct trial_filter live = {.states = LIVE};
    struct err e;

    log_write(LOG_LEVEL_ERROR, "study_unreadable", "study=%s text=\"%s\"", name,
              why->text);
    if (store_trial_list(b->parts.store, id, &live, keep_trial, b, &e))
        log_write(LOG_LEVEL_ERROR, "trials_unreadable", "text=\"%s\"", e.text);
}

/* ---- finding ---- */

struct finding {
    struct board *board;
    struct live_study *taken;
    int64_t last;
    bool all; /* ended ones too */
};

static bool take_study(void *ctx, const struct study_row *row)
{
    struct finding *finding = ctx;
    struct err e;

    finding->last = row->id;
    if (study_state_ended(row->state) && !finding->all)
        return true;
    if (board_take(finding->board, row, &finding->taken, &e) && !finding->all)
        give_up(finding->board, row->id, row->name, &e);
    return true;
}

int recover_study(struct board *b, int64_t id, struct live_study **out,
                  struct err *e)
{
    struct finding finding = {.board = b, .all = true};

    if (store_study_get(b->parts.store, id, take_study, &finding, e))
        return -1;
    if (!finding.taken)
        return err_set(e, ERR_IO, "study %lld cannot be read", (long long)id);
    *out = finding.taken;
    if (recover_trials(b, *out, e) == 0)
        return 0;
    board_drop_study(b, *out);
    *out = NULL;
    return -1;
}

int recover_all(struct board *b, struct err *e)
{
    struct finding finding = {.board = b};
    int64_t before;

    free(b->kept_gpus);
    b->kept_gpus = NULL;
    do {
        before = finding.last;
        if (store_study_list(b->parts.store, before, PAGE, take_study, &finding,
                             e))
            return -1;
    } while (finding.last != before);
    for (struct live_study *s = b->studies, *next; s; s = next) {
        next = s->next;
        if (recover_trials(b, s, e) == 0)
            continue;
        /* one bad study does not keep the others from going on */
        give_up(b, s->id, s->name, e);
        board_drop_study(b, s);
    }
    return 0;
}
