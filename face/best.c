/* Pareto fronts, read from the store. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/best.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "face/show.h"
#include "study/codec.h"
#include "study/front.h"

static bool take_study(void *ctx, const struct study_row *row)
{
    struct study *study = ctx;
    struct faults faults;

    faults_init(&faults);
    if (codec_decode(row->spec, strlen(row->spec), row->name, study, &faults))
        study_init(study); /* of another version: one objective */
    faults_clear(&faults);
    return false;
}

/* Trials with all their values, the best of the goal first. */
struct gathering {
    struct study study;
    struct trial *trials;
    size_t n, cap;
};

static bool gather(void *ctx, const struct trial_row *row)
{
    struct gathering *g = ctx;
    struct trial t = {.number = row->number,
                      .state = row->state,
                      .has_value = row->has_value,
                      .value = row->value};
    void *trials = g->trials;

    t.has_value =
        t.has_value && front_read_values(&g->study, row->objectives, &t);
    mem_grow(&trials, &g->cap, g->n + 1, sizeof *g->trials);
    g->trials = trials;
    g->trials[g->n++] = t;
    return true;
}

static bool write_trial(void *ctx, const struct trial_row *row)
{
    show_trial(ctx, row);
    return false;
}

static int write_front(struct text *out, struct store *store, int64_t study,
                       int64_t limit, const struct gathering *g, struct err *e)
{
    bool *on = mem_new(g->n, sizeof *on);
    int64_t n = 0;
    int rc = 0;

    front_of(&g->study, g->trials, g->n, on);
    for (size_t i = 0; !rc && i < g->n; i++) {
        if (!on[i] || (limit && n == limit))
            continue;
        text_add(out, n++ ? ", " : "");
        rc = store_trial_get(store, study, g->trials[i].number, write_trial,
                             out, e);
    }
    free(on);
    return rc;
}

int best_front(struct text *out, struct store *store, int64_t study,
               int64_t limit, bool *several, struct err *e)
{
    struct gathering g = {0};
    int rc = store_study_get(store, study, take_study, &g.study, e);

    *several = g.study.n_others > 0;
    if (!rc && *several)
        rc = store_trial_best(store, study, 0, gather, &g, e);
    if (!rc && *several)
        rc = write_front(out, store, study, limit, &g, e);
    study_clear(&g.study);
    free(g.trials);
    return rc;
}
