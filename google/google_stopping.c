/* The median rule of stopping early. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_stopping.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What one trial has reported of the metric. */
struct seen {
    const struct google_stopping *of;
    int64_t started_ms; /* of that trial */
    int64_t most;       /* steps, or milliseconds; more are passed over */
    int64_t last;       /* the furthest */
    double best, sum;
    int64_t n;
};

static bool see(void *ctx, const struct report_row *row)
{
    struct seen *seen = ctx;
    bool maximize = seen->of->maximize;
    int64_t at =
        seen->of->by_time ? row->time_ms - seen->started_ms : row->step;

    if (strcmp(row->metric, seen->of->metric) != 0 || !isfinite(row->value) ||
        at > seen->most)
        return true;
    if (!seen->n ||
        (maximize ? row->value > seen->best : row->value < seen->best))
        seen->best = row->value;
    if (at > seen->last)
        seen->last = at;
    seen->sum += row->value;
    seen->n++;
    return true;
}

struct others {
    struct store *store;
    const struct google_stopping *of;
    int64_t most;
    double *averages;
    size_t n;
    int64_t skip; /* older ones */
    struct err *e;
    bool failed;
};

static bool see_other(void *ctx, const struct trial_row *row)
{
    struct others *others = ctx;
    struct seen seen = {
        .of = others->of, .started_ms = row->started_ms, .most = others->most};

    if (others->skip-- > 0 || row->number == others->of->number)
        return true;
    if (store_report_list(others->store, row->study_id, row->number,
                          row->attempt, see, &seen, others->e)) {
        others->failed = true;
        return false;
    }
    if (seen.n)
        others->averages[others->n++] = seen.sum / (double)seen.n;
    return others->n < GOOGLE_STOPPING_MOST;
}

static bool count(void *ctx, const struct study_row *row)
{
    *(int64_t *)ctx = row->counts[TRIAL_SUCCEEDED];
    return false;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

/* Against the trials that succeeded. */
static int compare(struct store *s, const struct google_stopping *of,
                   const struct seen *own, bool *stop, struct err *e)
{
    struct trial_filter f = {.states = 1U << TRIAL_SUCCEEDED};
    struct others others = {.store = s, .of = of, .most = own->last, .e = e};
    int64_t n = 0;
    double middle;
    int rc;

    if (store_study_get(s, of->study, count, &n, e))
        return -1;
    others.skip = n - GOOGLE_STOPPING_MOST;
    others.averages = mem_new(GOOGLE_STOPPING_MOST, sizeof *others.averages);
    rc = store_trial_list(s, of->study, &f, see_other, &others, e);
    if (!rc && !others.failed && others.n >= GOOGLE_STOPPING_LEAST) {
        middle = median(others.averages, others.n);
        *stop = of->maximize ? own->best < middle : own->best > middle;
    }
    free(others.averages);
    return rc || others.failed ? -1 : 0;
}

int google_stopping_median(struct store *s, const struct google_stopping *of,
                           bool *stop, struct err *e)
{
    struct seen own = {
        .of = of, .started_ms = of->started_ms, .most = INT64_MAX};

    *stop = false;
    if (store_report_list(s, of->study, of->number, 0, see, &own, e))
        return -1;
    return own.n ? compare(s, of, &own, stop, e) : 0;
}
