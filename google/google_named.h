/* The study and the trial that a path of VizierService names, looked up. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_NAMED_H
#define GOOGLE_NAMED_H

#include "google/google_call.h"

struct google_named {
    char on[2 * GOOGLE_NAME + 64]; /* "projects/p/locations/l/studies/7" */
    int64_t study, number;
    enum trial_state state;         /* of the trial */
    int64_t created_ms, started_ms; /* of the trial; started 0 = not yet */
    char client[2 * GOOGLE_NAME];
};

/* The study of the path's first id. */
int google_named_study(struct google_call *g, struct google_named *out,
                       struct err *e);
/* And the trial of its second. */
int google_named_trial(struct google_call *g, struct google_named *out,
                       struct err *e);

/* The studySpec as it was sent; NULL with *e. */
json_t *google_named_spec(struct google_call *g, int64_t study, struct err *e);
/* Of a studySpec: its first metric, the goal, borrowed; whether more of it is
 * better. */
const char *google_named_goal(const json_t *spec);
bool google_named_maximizes(const json_t *metric);

/* Answers with the trial. */
int google_named_answer(struct google_call *g, const struct google_named *named,
                        struct err *e);

#endif
