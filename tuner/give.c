/* Giving a study the trials that were run elsewhere. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/give.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "tuner/run.h"

/* Stored, and ended at once: nobody launches it. */
static int give(struct board *b, struct live_study *s,
                const struct given_trial *given, const char *source)
{
    const struct trial *trial = &given->trial;
    struct suggestion at = {.point = trial->point};
    struct run_cause cause = {.reason = given->reason,
                              .detail = given->detail,
                              .has_value = trial->has_value,
                              .value = trial->value,
                              .step = trial->step};
    struct live_trial *t;

    memcpy(cause.others, trial->others, sizeof cause.others);
    snprintf(at.source, sizeof at.source, "%s", source);
    if (run_give(b, s, &at, &t))
        return -1;
    return run_move(b, t, trial->state, &cause);
}

int give_trials(struct board *b, struct live_study *s,
                const struct given *given, const char *source, int64_t *first,
                struct err *e)
{
    *first = s->next_number;
    for (size_t i = 0; i < given->n; i++)
        if (give(b, s, &given->trials[i], source))
            return board_outcome(b, -1, e);
    log_write(LOG_LEVEL_INFO, "trials_given", "study=%s n=%zu first=%lld",
              s->name, given->n, (long long)*first);
    return 0;
}
