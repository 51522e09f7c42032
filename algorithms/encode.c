/* Features of points and points of features. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/cells.h"
#include "base/mem.h"

static double clamp(double x, double low, double high)
{
    if (!(x >= low)) /* nan too */
        return low;
    return x > high ? high : x;
}

/* Where x lies between low and high, which may be as far apart as doubles
 * can. */
static double between(double x, double low, double high)
{
    double width = high - low;

    if (isinf(width))
        return (x / 2 - low / 2) / (high / 2 - low / 2);
    return width > 0 ? (x - low) / width : 0.5;
}

static double to_unit(const struct encode_axis *a, double x)
{
    x = clamp(x, a->low, a->high);
    switch (a->scale) {
    case SCALE_LOG:
        return between(log(x), log(a->low), log(a->high));
    case SCALE_REVLOG:
        return 1 -
               between(log(a->low + a->high - x), log(a->low), log(a->high));
    case SCALE_LINEAR:
        break;
    }
    return between(x, a->low, a->high);
}

static double from_unit(const struct encode_axis *a, double u)
{
    double x = 0;

    u = clamp(u, 0, 1);
    if (u == 0 || u == 1) /* the ends themselves, without rounding */
        return u == 0 ? a->low : a->high;
    switch (a->scale) {
    case SCALE_LOG:
        x = exp(log(a->low) * (1 - u) + log(a->high) * u);
        break;
    case SCALE_REVLOG:
        x = a->low + a->high - exp(log(a->high) * (1 - u) + log(a->low) * u);
        break;
    case SCALE_LINEAR:
        x = a->low * (1 - u) + a->high * u;
        break;
    }
    return clamp(x, a->low, a->high);
}

/* How uneven the gaps of increasing numbers are: their standard deviation over
 * their mean. */
static double unevenness(const double *v, size_t n)
{
    double mean = (v[n - 1] / 2 - v[0] / 2) / (double)(n - 1), sum = 0;

    if (n < 3 || !(mean > 0))
        return 0;
    for (size_t i = 1; i < n; i++) {
        double gap = (v[i] / 2 - v[i - 1] / 2) / mean - 1;

        sum += gap * gap;
    }
    return sqrt(sum / (double)(n - 1));
}

/* Puts the n numbers of a list where they are most even: as they are, by their
 * logarithms, or by rank; a scale that was written is obeyed. */
static void place(double *at, const struct param *p)
{
    size_t n = p->n_values;
    double *logs = mem_new(n, sizeof *logs);
    bool positive = p->numbers[0] > 0;
    enum param_scale scale = p->has_scale ? p->scale : SCALE_LINEAR;
    bool by_rank = false;

    for (size_t i = 0; i < n && positive; i++)
        logs[i] = log(p->numbers[i]);
    if (!p->has_scale && unevenness(p->numbers, n) > 1) {
        scale = SCALE_LOG;
        by_rank = !positive || unevenness(logs, n) > 1;
    }
    for (size_t i = 0; i < n; i++) {
        struct encode_axis a = {.scale = positive ? scale : SCALE_LINEAR,
                                .low = p->numbers[0],
                                .high = p->numbers[n - 1]};
        double u =
            by_rank ? (double)i / (double)(n - 1) : to_unit(&a, p->numbers[i]);

        at[i] = 0.5 / (double)n + (1 - 1 / (double)n) * u;
    }
    free(logs);
}

/* The outer ends of a range's cells: half a step beyond its ends, and above
 * zero where a logarithm will be taken. */
static void stretch(struct encode_axis *a)
{
    const struct param *p = a->p;
    struct value first = {.real = p->min}, last = {.real = p->max};
    double step = 0;

    if (a->count < UINT64_MAX) {
        first = param_nth(p, 0);
        last = param_nth(p, a->count - 1);
        step = p->kind == PARAM_INTEGER ? (double)p->int_step : p->step;
    }
    a->low = param_number(p, &first);
    a->high = param_number(p, &last) + step / 2;
    if (a->scale != SCALE_LINEAR && a->low <= 0)
        a->scale = SCALE_LINEAR;
    if (a->scale != SCALE_LINEAR && a->low - step / 2 < a->low / 2)
        a->low /= 2;
    else
        a->low -= step / 2;
}

static void axis_init(struct encode_axis *a, const struct space *s, size_t i)
{
    const struct param *p = &s->params[i];

    *a = (struct encode_axis){.param = i,
                              .p = p,
                              .categorical = p->kind == PARAM_CATEGORICAL,
                              .count = cells_values(p),
                              .scale = p->scale};
    for (size_t k = i + 1; k < s->n; k++)
        a->parent |= s->params[k].parent == (int)i;
    if (p->kind == PARAM_DISCRETE) {
        a->at = mem_new(p->n_values, sizeof *a->at);
        place(a->at, p);
    } else if (!a->categorical) {
        stretch(a);
    }
}

/* Appends the axes of one sort, in declared order. */
static void add_axes(struct encode *e, bool categorical)
{
    const struct space *s = e->space;

    for (size_t i = 0; i < s->n; i++) {
        const struct param *p = &s->params[i];

        if (cells_values(p) == 1 ||
            (p->kind == PARAM_CATEGORICAL) != categorical)
            continue;
        axis_init(&e->axes[e->n], s, i);
        e->rounded |= e->axes[e->n].count < UINT64_MAX;
        e->axis_of[i] = (int)e->n++;
    }
}

void encode_init(struct encode *e, const struct space *space)
{
    *e = (struct encode){.space = space};
    e->axes = mem_new(space->n, sizeof *e->axes);
    e->axis_of = mem_new(space->n, sizeof *e->axis_of);
    for (size_t i = 0; i < space->n; i++) {
        e->axis_of[i] = -1;
        e->conditional |= space->params[i].parent >= 0;
    }
    add_axes(e, false);
    e->n_numeric = e->n;
    add_axes(e, true);
}

void encode_clear(struct encode *e)
{
    for (size_t i = 0; i < e->n; i++)
        free(e->axes[i].at);
    free(e->axes);
    free(e->axis_of);
    *e = (struct encode){0};
}

double encode_feature(const struct encode_axis *a, const struct value *v)
{
    if (a->categorical)
        return (double)v->choice;
    if (a->at)
        return a->at[v->choice];
    return to_unit(a, param_number(a->p, v));
}

/* The index of the feature in `at` that is nearest to x. */
static size_t nearest(const double *at, size_t n, double x)
{
    size_t best = 0;

    for (size_t i = 1; i < n; i++)
        if (fabs(at[i] - x) < fabs(at[best] - x))
            best = i;
    return best;
}

/* k rounded down, as the index of one of `count` values. */
static uint64_t index_of(double k, uint64_t count)
{
    if (!(k >= 1))
        return 0;
    return k >= (double)(count - 1) ? count - 1 : (uint64_t)k;
}

static struct value stepped(const struct encode_axis *a, double x)
{
    struct value first = param_nth(a->p, 0);
    double step =
        a->p->kind == PARAM_INTEGER ? (double)a->p->int_step : a->p->step;

    x -= param_number(a->p, &first);
    return param_nth(a->p, index_of(floor(x / step + 0.5), a->count));
}

struct value encode_value(const struct encode_axis *a, double feature)
{
    struct value v = {.active = true};

    if (a->categorical)
        v.choice = (size_t)index_of(feature, a->count);
    else if (a->at)
        v.choice = nearest(a->at, (size_t)a->count, feature);
    else if (a->count == UINT64_MAX)
        v.real = clamp(from_unit(a, feature), a->p->min, a->p->max);
    else
        return stepped(a, from_unit(a, feature));
    return v;
}

struct value encode_share(const struct encode *e, size_t param, double u)
{
    const struct param *p = &e->space->params[param];
    const struct encode_axis *a = NULL;

    if (e->axis_of[param] < 0)
        return cells_value(p, 0);
    a = &e->axes[e->axis_of[param]];
    if (!a->categorical && !a->at)
        return encode_value(a, u);
    return param_nth(p, index_of(floor(u * (double)a->count), a->count));
}

void encode_row(const struct encode *e, const struct point *p, double *row)
{
    for (size_t k = 0; k < e->n; k++) {
        const struct encode_axis *a = &e->axes[k];
        const struct value *v = &p->values[a->param];

        if (v->active)
            row[k] = encode_feature(a, v);
        else
            row[k] = a->categorical ? ENCODE_NONE : 0.5;
    }
}

void encode_point(const struct encode *e, const double *row, struct point *out)
{
    for (size_t i = 0; i < e->space->n; i++) {
        int k = e->axis_of[i];

        out->values[i] = k < 0 ? cells_value(&e->space->params[i], 0)
                               : encode_value(&e->axes[k], row[k]);
    }
    point_settle(out, e->space);
}

void encode_snap(const struct encode *e, double *latent)
{
    for (size_t k = 0; k < e->n && e->rounded; k++) {
        const struct encode_axis *a = &e->axes[k];
        struct value v;

        if (a->count == UINT64_MAX)
            continue;
        v = encode_value(a, latent[k]);
        latent[k] = encode_feature(a, &v);
    }
}

/* Whether parameter i exists in that latent row; those before it are known. */
static bool exists(const struct encode *e, const double *latent, size_t i,
                   const bool *known)
{
    const struct param *p = &e->space->params[i], *q = NULL;
    struct value v;
    int k = 0;

    if (p->parent < 0)
        return true;
    if (!known[p->parent])
        return false;
    q = &e->space->params[p->parent];
    k = e->axis_of[p->parent];
    v = k < 0 ? cells_value(q, 0) : encode_value(&e->axes[k], latent[k]);
    for (size_t w = 0; w < p->n_when; w++)
        if (param_same(q, &p->when[w], &v))
            return true;
    return false;
}

void encode_mask(const struct encode *e, const double *latent, double *row,
                 bool *active)
{
    bool *known = NULL;

    if (e->n)
        memcpy(row, latent, e->n * sizeof *row);
    for (size_t k = 0; k < e->n && active; k++)
        active[k] = true;
    if (!e->conditional)
        return;
    known = mem_new(e->space->n, sizeof *known);
    for (size_t i = 0; i < e->space->n; i++) {
        int k = e->axis_of[i];

        known[i] = exists(e, latent, i, known);
        if (known[i] || k < 0)
            continue;
        row[k] = e->axes[k].categorical ? ENCODE_NONE : 0.5;
        if (active)
            active[k] = false;
    }
    free(known);
}

void encode_middle(const struct encode *e, struct point *out)
{
    for (size_t i = 0; i < e->space->n; i++) {
        const struct param *p = &e->space->params[i];
        int k = e->axis_of[i];

        if (p->fallback.active)
            out->values[i] = p->fallback;
        else if (k < 0 || e->axes[k].categorical)
            out->values[i] = cells_value(p, 0);
        else
            out->values[i] = encode_value(&e->axes[k], 0.5);
    }
    point_settle(out, e->space);
}
