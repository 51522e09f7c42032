/* The book of curves, what it foresees, and the list of stopping rules. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Steps are no further away, so that there is a place behind each. */
static const int64_t furthest = INT64_MAX - 1;

/* A normal deviation in median absolute deviations. */
static const double normal_share = 1.4826;

const struct stop_type *const stops[] = {&stop_median, &stop_asha, NULL};

const struct stop_type *stop_find(const char *name)
{
    for (size_t i = 0; stops[i]; i++)
        if (strcmp(stops[i]->name, name) == 0)
            return stops[i];
    return NULL;
}

void stop_init(struct stop_book *b, bool maximize, bool best)
{
    *b = (struct stop_book){.maximize = maximize, .best = best};
}

void stop_clear(struct stop_book *b)
{
    for (size_t i = 0; i < b->n; i++)
        free(b->curves[i].points);
    free(b->curves);
    *b = (struct stop_book){.maximize = b->maximize, .best = b->best};
}

/* Where the trial stands, or would stand. */
static size_t place_of(const struct stop_book *b, int64_t number)
{
    size_t low = 0, high = b->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->curves[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct stop_curve *find(const struct stop_book *b, int64_t number)
{
    size_t k = place_of(b, number);

    return k < b->n && b->curves[k].number == number ? &b->curves[k] : NULL;
}

static void drop(struct stop_book *b, struct stop_curve *c)
{
    size_t k = (size_t)(c - b->curves);

    b->n_ended -= c->state != TRIAL_RUNNING;
    free(c->points);
    memmove(c, c + 1, (b->n - k - 1) * sizeof *c);
    b->n--;
}

void stop_begin(struct stop_book *b, int64_t number)
{
    struct stop_curve *c = find(b, number);

    if (c)
        drop(b, c);
}

static struct stop_curve *enter(struct stop_book *b, int64_t number)
{
    size_t k = place_of(b, number);
    void *curves = b->curves;

    if (k < b->n && b->curves[k].number == number)
        return &b->curves[k];
    mem_grow(&curves, &b->cap, b->n + 1, sizeof *b->curves);
    b->curves = curves;
    memmove(b->curves + k + 1, b->curves + k, (b->n - k) * sizeof *b->curves);
    b->n++;
    b->curves[k] = (struct stop_curve){
        .number = number, .state = TRIAL_RUNNING, .stride = 1};
    return &b->curves[k];
}

/* Sets the point's place from those before it. */
static void place(const struct stop_book *b, struct stop_curve *c, size_t i)
{
    struct stop_point *p = &c->points[i];

    if (!b->has_steps)
        p->at = p->index;
    else
        p->at = i && p[-1].at > p->step ? p[-1].at : p->step;
}

static void append(const struct stop_book *b, struct stop_curve *c,
                   struct stop_point p)
{
    const struct stop_point *last = c->n ? &c->points[c->n - 1] : NULL;
    void *points = c->points;

    p.best = last ? fmax(last->best, p.value) : p.value;
    p.sum = last ? last->sum + p.value : p.value;
    mem_grow(&points, &c->cap, c->n + 1, sizeof *c->points);
    c->points = points;
    c->points[c->n++] = p;
    place(b, c, c->n - 1);
}

/* The first step of all was told: what was counted has its step now. */
static void take_steps(struct stop_book *b)
{
    b->has_steps = true;
    for (size_t k = 0; k < b->n; k++)
        for (size_t i = 0; i < b->curves[k].n; i++)
            place(b, &b->curves[k], i);
}

/* Leaves the points whose index is a multiple of the stride. */
static void thin(const struct stop_book *b, struct stop_curve *c)
{
    size_t n = c->n;

    c->n = 0;
    for (size_t i = 0; i < n; i++)
        if (c->points[i].index % c->stride == 0)
            append(b, c, c->points[i]);
}

bool stop_measure(struct stop_book *b, int64_t number, int64_t index,
                  int64_t step, double value)
{
    struct stop_curve *c = enter(b, number);
    const struct stop_point *last = NULL;
    int64_t stride = c->stride;

    while (index / stride >= STOP_POINTS)
        stride *= 2;
    if (stride > c->stride) {
        c->stride = stride;
        thin(b, c);
    }
    if (index % stride != 0 || !isfinite(value))
        return false;
    last = c->n ? &c->points[c->n - 1] : NULL;
    if (last && index <= last->index)
        return index == last->index;
    if (step && !b->has_steps)
        take_steps(b);
    append(b, c,
           (struct stop_point){.index = index,
                               .step = step < furthest ? step : furthest,
                               .value = b->maximize ? value : -value});
    return true;
}

/* The oldest ended ones go. */
static void make_room(struct stop_book *b)
{
    for (size_t i = 0; i < b->n && b->n_ended > STOP_ENDED;)
        if (b->curves[i].state != TRIAL_RUNNING)
            drop(b, &b->curves[i]);
        else
            i++;
}

void stop_end(struct stop_book *b, int64_t number, enum trial_state state,
              const double *value)
{
    struct stop_curve *c = NULL;

    if (state != TRIAL_SUCCEEDED && state != TRIAL_STOPPED) {
        stop_begin(b, number);
        return;
    }
    c = enter(b, number); /* one that has measured nothing counts too */
    if (c->state != TRIAL_RUNNING)
        return;
    c->state = state;
    c->has_final = state == TRIAL_SUCCEEDED && value && isfinite(*value);
    if (c->has_final)
        c->final = b->maximize ? *value : -*value;
    b->n_ended++;
    make_room(b);
}

const struct stop_point *stop_from(const struct stop_curve *c, int64_t at)
{
    size_t low = 0, high = c->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->points[middle].at < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < c->n ? &c->points[low] : NULL;
}

const struct stop_point *stop_until(const struct stop_curve *c, int64_t at)
{
    const struct stop_point *p = stop_from(c, at + 1);
    size_t n = p ? (size_t)(p - c->points) : c->n;

    return n ? &c->points[n - 1] : NULL;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

double stop_middle(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* Of n numbers in order, told by the middle of their distances from the
 * middle, so that single odd ones do not count; they are changed. */
static double deviation(double *x, size_t n)
{
    double middle = stop_middle(x, n);

    for (size_t i = 0; i < n; i++)
        x[i] = fabs(x[i] - middle);
    return normal_share * stop_middle(x, n);
}

bool stop_foresee(const struct stop_book *b, int64_t number, double *value,
                  double *unsure)
{
    const struct stop_curve *own = find(b, number);
    const struct stop_point *last = NULL, *p = NULL;
    double *gains = NULL, known = 0, gain = 0;
    size_t n = 0;

    if (!own || !own->n)
        return false;
    last = &own->points[own->n - 1];
    known = b->best ? last->best : last->value;
    gains = mem_new(b->n, sizeof *gains);
    for (size_t i = 0; i < b->n; i++) {
        const struct stop_curve *c = &b->curves[i];

        p = c != own && c->has_final ? stop_until(c, last->at) : NULL;
        if (p)
            gains[n++] = c->final / 2 - (b->best ? p->best : p->value) / 2;
    }
    if (n) {
        gain = 2 * stop_middle(gains, n);
        *value = b->maximize ? known + gain : -(known + gain);
        *unsure = hypot(2 * deviation(gains, n), gain / (double)n);
    }
    free(gains);
    return n && isfinite(*value) && isfinite(*unsure);
}

/* Whether that many trials before this one were stopped, one after the other.
 * What they all have in common may be what the rule is wrong about: curves that
 * begin slowly, for one. Then a trial that goes to its end shows it. */
static bool spared(const struct stop_book *b, const struct stop_curve *own,
                   int in_a_row)
{
    const struct stop_curve *c = own;

    for (int i = 0; i < in_a_row; i++)
        if (c-- == b->curves || c->state != TRIAL_STOPPED)
            return false;
    return true;
}

bool stop_hopeless(const struct stop_rule *rule, const struct stop_book *b,
                   int64_t number)
{
    const struct stop_curve *own = find(b, number);

    return rule->type && own && own->n && own->state == TRIAL_RUNNING &&
           own->points[own->n - 1].at >= rule->after &&
           !spared(b, own, rule->type->in_a_row) &&
           rule->type->hopeless(rule, b, own);
}
