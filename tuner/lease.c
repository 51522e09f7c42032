/* Leases: which trials are held by clients that have fallen silent. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/lease.h"

#include <string.h>

#include "tuner/request.h"
#include "tuner/run.h"

void lease_heard(const struct board *b, struct live_trial *t)
{
    t->heard = board_steady(b);
}

static double silent_s(const struct board *b, const struct live_trial *t)
{
    return (double)(board_steady(b) - t->heard) / 1000;
}

bool lease_is_out(const struct live_trial *t)
{
    return t->trial.state == TRIAL_RUNNING ||
           (t->trial.state == TRIAL_STOPPING &&
            study_stops_early(&t->study->study));
}

/* One that somebody asked to stop is wanted by nobody else. */
bool lease_is_suspect(const struct board *b, const struct live_trial *t)
{
    return b->parts.lease_ms && !board_launches(t->study) && lease_is_out(t) &&
           board_steady(b) - t->heard >= b->parts.lease_ms;
}

static void add_client(struct text *out, const char *client)
{
    if (*client)
        text_addf(out, "the client %s", client);
    else
        text_add(out, "a client without a name");
}

static int tell(struct board *b, const struct live_trial *t, const char *client)
{
    struct text why;
    int rc;

    text_init(&why);
    text_addf(&why, "trial %lld was held by ", (long long)t->trial.number);
    add_client(&why, t->client);
    text_addf(&why, ", silent for %.0f s, and is given to ", silent_s(b, t));
    add_client(&why, client);
    rc = run_warn(b, t->study, text_str(&why));
    text_clear(&why);
    return rc;
}

struct live_trial *lease_hand_on(struct board *b, struct live_study *s,
                                 const char *client)
{
    struct live_trial *longest = NULL;

    for (struct live_trial *t = s->trials; t; t = t->next)
        if (lease_is_suspect(b, t) && (!longest || t->heard < longest->heard))
            longest = t;
    if (!longest || tell(b, longest, client) ||
        request_assign(b, longest, client))
        return NULL;
    lease_heard(b, longest);
    board_touch(b, s->id);
    return longest;
}

void lease_explain(const struct board *b, const struct live_trial *t,
                   struct text *out)
{
    if (!lease_is_suspect(b, t))
        return;
    text_add(out, ": it is suspect, for ");
    add_client(out, t->client);
    text_addf(out,
              " has been silent for %.0f s; its result still counts, and the "
              "next client that asks when no other trial is left is given the "
              "same trial",
              silent_s(b, t));
}
