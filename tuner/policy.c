/* What becomes of a trial whose attempt broke. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/policy.h"

#include <assert.h>
#include <string.h>

static const struct policy rows[POLICY_CLASSES] = {
    [POLICY_OWN] = {.name = "own",
                    .again = POLICY_RETRIES,
                    .counts = true,
                    .ends = TRIAL_FAILED,
                    .reason = REASON_EXIT},
    [POLICY_MEMORY] = {.name = "memory",
                       .says = "out of memory",
                       .again = POLICY_ALONE,
                       .ends = TRIAL_INFEASIBLE,
                       .reason = REASON_EXIT},
    [POLICY_NODE] = {.name = "node",
                     .says = "its machine failed",
                     .again = 10,
                     .ends = TRIAL_FAILED,
                     .reason = REASON_LOST},
    [POLICY_TIME_LIMIT] = {.name = "time_limit",
                           .says = "the launcher's time limit was reached",
                           .again = 0,
                           .ends = TRIAL_STOPPED,
                           .reason = REASON_DEADLINE},
    [POLICY_PREEMPTED] = {.name = "preempted",
                          .says = "preempted",
                          .again = 100,
                          .ends = TRIAL_FAILED,
                          .reason = REASON_LOST},
    [POLICY_LOST] = {.name = "lost",
                     .says = "its process vanished without a trace",
                     .again = 10,
                     .ends = TRIAL_FAILED,
                     .reason = REASON_LOST},
    [POLICY_PERSON] = {.name = "person",
                       .says = "ended by a person, outside of Hypertune",
                       .again = 0,
                       .alike = true,
                       .ends = TRIAL_STOPPED,
                       .reason = REASON_USER},
    [POLICY_REFUSED] = {.name = "refused",
                        .again = POLICY_RETRIES,
                        .counts = true,
                        .alike = true,
                        .ends = TRIAL_FAILED,
                        .reason = REASON_REFUSED},
    [POLICY_HOPELESS] = {.name = "hopeless",
                         .again = POLICY_ALWAYS,
                         .ends = TRIAL_FAILED,
                         .reason = REASON_REFUSED},
};

const struct policy *policy_of(enum policy_class c)
{
    assert(c < POLICY_CLASSES);
    return &rows[c];
}

bool policy_read(const char *name, enum policy_class *out)
{
    for (int i = 0; i < POLICY_CLASSES; i++)
        if (strcmp(rows[i].name, name) == 0) {
            *out = (enum policy_class)i;
            return true;
        }
    return false;
}

enum policy_class policy_class_of(const struct launcher_news *end)
{
    static const enum policy_class blamed[LAUNCHER_BLAMES] = {
        [BLAME_NOBODY] = POLICY_OWN,
        [BLAME_MEMORY] = POLICY_MEMORY,
        [BLAME_TIME_LIMIT] = POLICY_TIME_LIMIT,
        [BLAME_PREEMPTED] = POLICY_PREEMPTED,
        [BLAME_NODE] = POLICY_NODE,
        [BLAME_PERSON] = POLICY_PERSON,
    };

    if (end->word == LAUNCHER_HOPELESS)
        return POLICY_HOPELESS;
    if (end->word == LAUNCHER_REFUSED)
        return POLICY_REFUSED;
    if (end->word == LAUNCHER_LOST && end->blame == BLAME_NOBODY)
        return POLICY_LOST;
    return blamed[end->blame];
}

bool policy_is_strike(enum policy_class c)
{
    return policy_of(c)->again > 0;
}
