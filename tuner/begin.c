/* Beginning: PENDING trials are launched where there is a place for them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/begin.h"

#include <sys/statvfs.h>

#include "tuner/breaker.h"
#include "tuner/hold.h"
#include "tuner/listen.h"
#include "tuner/run.h"

enum { TOLD_MS = 3600000 };

bool begin_disk_is_low(struct board *b, struct live_study *s)
{
    struct statvfs fs;
    int64_t now = board_steady(b);
    bool low;

    if (!b->parts.least_free_bytes)
        return false;
    if (b->disk_seen && now - b->disk_seen < 1000)
        return b->disk_low;
    b->disk_seen = now;
    if (statvfs(b->parts.state_dir, &fs))
        return b->disk_low;
    low = (int64_t)(fs.f_bavail * fs.f_frsize) < b->parts.least_free_bytes;
    if (low && !b->disk_low)
        run_warn(b, s,
                 "the disk of the state directory is nearly full: "
                 "nothing is launched until there is room");
    b->disk_low = low;
    return low;
}

static int launch(struct board *b, struct live_trial *t)
{
    struct live_study *s = t->study;
    struct run_cause cause = {0};
    struct deed deed = {
        .kind = DEED_LAUNCH, .study = s->id, .number = t->trial.number};
    struct err e;

    t->attempt++;
    board_name_job(b, t);
    hold_take(b, t);
    if (store_begin(b->parts.store, &e) ||
        store_attempt_add(b->parts.store, s->id, t->trial.number, t->attempt,
                          board_now(b), &e) ||
        (t->gpus && store_attempt_gpus(b->parts.store, s->id, t->trial.number,
                                       t->attempt, t->gpus, &e)) ||
        listen_open(b, t, false, &e))
        return board_fail(b, &e);
    if (run_move(b, t, TRIAL_LAUNCHING, &cause))
        return -1;
    board_deed(b, &deed);
    return 0;
}

static int places_used(const struct live_study *s)
{
    int used = 0;

    for (const struct live_trial *t = s->trials; t; t = t->next)
        used += t->trial.state != TRIAL_PENDING;
    return used;
}

/* There is no place for it: others need not wait for its turn. */
static void wait_no_more(struct board *b, struct live_trial *t)
{
    if (!t->since)
        return;
    t->since = 0;
    board_freed(b);
}

/* Others use a GPU that it could have: said once an hour. */
static void tell_used(struct board *b, struct live_trial *t)
{
    struct live_study *s = t->study;
    int64_t now = board_steady(b);
    struct text sentence;

    if (s->told_used && now - s->told_used < TOLD_MS)
        return;
    text_init(&sentence);
    if (hold_used(b, t, &sentence)) {
        s->told_used = now;
        run_warn(b, s, text_str(&sentence));
    }
    text_clear(&sentence);
}

/* While one waits for something of the machine no more are asked for: their
 * points would be chosen too early. */
int begin_waiting(struct board *b, struct live_study *s)
{
    int left = board_parallel(b, s) - places_used(s);
    int64_t now = board_steady(b);

    s->is_short = false;
    for (struct live_trial *t = s->trials; t; t = t->next) {
        if (t->trial.state != TRIAL_PENDING || t->not_before > now || t->alone)
            continue;
        if (left <= 0) {
            wait_no_more(b, t);
            continue;
        }
        if (!hold_may_begin(b, t)) {
            tell_used(b, t);
            return 0;
        }
        if (breaker_trips(b, s) || launch(b, t))
            return 0;
        left--;
    }
    return left;
}

static bool has_loners_only(const struct live_study *s)
{
    for (const struct live_trial *t = s->trials; t; t = t->next)
        if (t->trial.state != TRIAL_PENDING || !t->alone)
            return false;
    return s->n_trials > 0 && !s->thinking;
}

void begin_loner(struct board *b, struct live_study *s)
{
    bool only = has_loners_only(s);
    struct live_trial *t = s->trials;

    if (s->wants_machine != only) {
        s->wants_machine = only;
        board_freed(b);
    }
    if (!only)
        return;
    s->is_short = true;
    while (t && t->not_before > board_steady(b))
        t = t->next;
    if (!t)
        return;
    if (!hold_may_begin(b, t))
        tell_used(b, t);
    else if (!breaker_trips(b, s))
        launch(b, t);
}
