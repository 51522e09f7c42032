/* Retrying: ended trials that did not succeed are taken back. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/retry.h"

#include "base/text.h"
#include "tuner/breaker.h"
#include "tuner/fill.h"
#include "tuner/found.h"
#include "tuner/recover.h"
#include "tuner/run.h"

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
static int retry_page(struct board *b, struct live_study *s, int64_t number,
                      int64_t *n, bool *more, struct err *e)
{
    struct retrying r = {.study = s, .e = e};
    struct trial_filter failed = {
        .states = 1U << TRIAL_FAILED, .limit = 64, .own = true};
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
            return board_outcome(b, -1, e);
    }
    *n += (int64_t)r.n;
    *more = !number && r.n == 64;
    return 0;
}

static int check_retry(struct board *b, int64_t study, int64_t number,
                       struct err *e)
{
    struct found found;

    if (!number)
        return 0;
    if (found_trial(b, study, number, &found, e))
        return -1;
    if (found.given)
        return err_set(e, ERR_CONFLICT,
                       "trial %lld was put in from outside: its point can be "
                       "tried as one of the `start` points of a study",
                       (long long)number);
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

int retry_trials(struct board *b, int64_t study, int64_t number,
                 int64_t *n_retried, struct err *e)
{
    struct live_study *s = board_study(b, study);
    int64_t n = 0;
    bool more = true;

    if (check_retry(b, study, number, e) ||
        (!s && recover_study(b, study, &s, e)))
        return -1;
    if (check_goes_on(b, s, e)) {
        board_drop_ended(b, s);
        return -1;
    }
    while (more)
        if (retry_page(b, s, number, &n, &more, e)) {
            board_fail(b, e); /* half a page may be taken: begin anew */
            return -1;
        }
    if (n_retried)
        *n_retried = n;
    board_forget_mind(s);
    breaker_calm(s); /* what made them fail was mended */
    if (n && s->state != STUDY_ACTIVE && s->state != STUDY_PAUSED &&
        run_study(b, s, STUDY_ACTIVE, "", false))
        return board_outcome(b, -1, e);
    board_drop_ended(b, s);
    return 0;
}
