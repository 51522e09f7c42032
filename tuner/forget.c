/* Forgetting a trial. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/forget.h"

#include "base/log.h"
#include "store/store_google.h"
#include "tuner/found.h"

/* Whether it may go: what runs as a process is not forgotten. */
static int may_go(const struct live_study *s, const struct found *found,
                  struct err *e)
{
    if (!s || !board_launches(s) || trial_state_ended(found->trial))
        return 0;
    return err_set(e, ERR_CONFLICT,
                   "study %s runs its trials itself: stop this one first",
                   s->name);
}

int forget_trial(struct board *b, int64_t study, int64_t number, struct err *e)
{
    struct live_study *s = board_study(b, study);
    struct live_trial *t = s ? board_trial(s, number) : NULL;
    struct found found = {0};

    if (found_trial(b, study, number, &found, e) || may_go(s, &found, e))
        return -1;
    if (store_google_forget(b->parts.store, study, number, e))
        return board_fail(b, e);
    if (t)
        board_drop_trial(t);
    else if (s)
        board_forget_mind(s);
    if (s && board_recount(b, s, e))
        return board_fail(b, e);
    if (s)
        s->dirty = true;
    log_write(LOG_LEVEL_INFO, "trial_forgotten", "study=%lld trial=%lld",
              (long long)study, (long long)number);
    board_touch(b, study);
    return 0;
}
