/* What a study is to make best: one metric, or several. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/dialects.h"
#include "study/front.h"

void goals_add(struct reading *r, const struct node *at, const char *metric,
               bool maximize)
{
    struct study *s = r->s;

    if (!*metric || strpbrk(metric, "\r\n\t")) {
        reading_fault(r, at, "the goal's metric has no usable name");
    } else if (!s->metric) {
        s->metric = mem_copy_text(metric);
        s->maximize = maximize;
    } else if (study_wants(s, metric)) {
        reading_fault(r, at, "%.100s is an objective already", metric);
    } else if (s->n_others == TRIAL_OTHERS) {
        reading_fault(r, at, "a study has at most %d objectives",
                      1 + TRIAL_OTHERS);
    } else {
        s->others = mem_resize(s->others, s->n_others + 1, sizeof *s->others);
        s->others[s->n_others++] =
            (struct study_objective){mem_copy_text(metric), maximize};
    }
}

void goals_check(struct reading *r)
{
    const struct study *s = r->s;
    const char *a = s->algorithm;

    if (!s->n_others)
        return;
    if (strcmp(a, "tpe") == 0 || strcmp(a, "cma-es") == 0)
        reading_fault(r, r->goal,
                      "algorithm: %s searches for one objective, and this "
                      "study has %zu; take bayesian, quasi-random, random or "
                      "grid",
                      a, front_objectives(s));
    if (s->selection == SELECT_BEST)
        reading_fault(r, r->goal,
                      "with several objectives a trial's result is what it "
                      "measured last; take the selection of the best away");
    if (study_stops_early(s))
        reading_fault(r, r->goal,
                      "%s judges trials by one objective, and would stop some "
                      "that no other beats; take it away",
                      s->dialect == DIALECT_VERTEX
                          ? "medianAutomatedStoppingSpec"
                          : "stop_early");
    if (s->has_target)
        reading_fault(r, r->goal,
                      "target is for studies of one objective; take it away");
    if (s->patience)
        reading_fault(r, r->goal,
                      "patience is for studies of one objective; take it "
                      "away");
}
