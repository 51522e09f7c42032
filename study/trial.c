/* Trials: their states and the moves between them, as one table. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/trial.h"

#include <assert.h>
#include <string.h>

#define TO(s) (1U << TRIAL_##s)

/* LAUNCHING may end at once: a job can be over before it was seen alive. */
static const struct {
    const char *name;
    unsigned next; /* set of the states that may follow */
} states[TRIAL_STATES] = {
    [TRIAL_PENDING] = {"PENDING", TO(LAUNCHING) | TO(STOPPED) | TO(SUCCEEDED) |
                                      TO(INFEASIBLE) | TO(FAILED)},
    [TRIAL_LAUNCHING] = {"LAUNCHING", TO(RUNNING) | TO(PENDING) | TO(STOPPING) |
                                          TO(SUCCEEDED) | TO(INFEASIBLE) |
                                          TO(FAILED)},
    [TRIAL_RUNNING] = {"RUNNING", TO(PENDING) | TO(STOPPING) | TO(SUCCEEDED) |
                                      TO(INFEASIBLE) | TO(FAILED)},
    [TRIAL_STOPPING] = {"STOPPING", TO(STOPPED) | TO(SUCCEEDED) |
                                        TO(INFEASIBLE) | TO(FAILED) |
                                        TO(PENDING)},
    [TRIAL_SUCCEEDED] = {"SUCCEEDED", 0},
    [TRIAL_STOPPED] = {"STOPPED", TO(PENDING)},
    [TRIAL_INFEASIBLE] = {"INFEASIBLE", TO(PENDING)},
    [TRIAL_FAILED] = {"FAILED", TO(PENDING)},
};

static const char *const reasons[REASONS] = {
    [REASON_NONE] = "",
    [REASON_VALUE] = "value",
    [REASON_EARLY] = "early",
    [REASON_USER] = "user",
    [REASON_DEADLINE] = "deadline",
    [REASON_EXIT] = "exit",
    [REASON_SIGNAL] = "signal",
    [REASON_LOST] = "lost",
    [REASON_REFUSED] = "refused",
    [REASON_NO_METRIC] = "no_metric",
    [REASON_NOT_FINITE] = "not_finite",
    [REASON_TOLD] = "told",
    [REASON_INTERRUPTED] = "interrupted",
};

const char *trial_state_name(enum trial_state s)
{
    assert(s < TRIAL_STATES);
    return states[s].name;
}

bool trial_state_read(const char *name, enum trial_state *out)
{
    for (unsigned i = 0; i < TRIAL_STATES; i++) {
        if (strcmp(states[i].name, name) != 0)
            continue;
        *out = (enum trial_state)i;
        return true;
    }
    return false;
}

bool trial_state_ended(enum trial_state s)
{
    return s >= TRIAL_SUCCEEDED;
}

const char *trial_reason_name(enum trial_reason r)
{
    assert(r < REASONS);
    return reasons[r];
}

bool trial_reason_read(const char *name, enum trial_reason *out)
{
    for (unsigned i = 0; i < REASONS; i++) {
        if (strcmp(reasons[i], name) != 0)
            continue;
        *out = (enum trial_reason)i;
        return true;
    }
    return false;
}

int trial_state_move(enum trial_state *s, enum trial_state next, struct err *e)
{
    assert(*s < TRIAL_STATES && next < TRIAL_STATES);
    if (!(states[*s].next & (1U << next)))
        return err_set(e, ERR_CONFLICT, "a trial that is %s cannot become %s",
                       states[*s].name, states[next].name);
    *s = next;
    return 0;
}

void trial_copy(struct trial *out, const struct trial *from)
{
    *out = *from;
    point_copy(&out->point, &from->point);
}

void trial_clear(struct trial *t)
{
    point_clear(&t->point);
}
