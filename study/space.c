/* The values that a parameter can take. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/space.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void space_init(struct space *s)
{
    *s = (struct space){0};
}

static void param_clear(struct param *p)
{
    for (size_t i = 0; i < p->n_values && p->words; i++)
        free(p->words[i]);
    free(p->words);
    free(p->numbers);
    free(p->when);
    free(p->name);
}

void space_clear(struct space *s)
{
    for (size_t i = 0; i < s->n; i++)
        param_clear(&s->params[i]);
    free(s->params);
    space_init(s);
}

int space_find(const struct space *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->params[i].name, name) == 0)
            return (int)i;
    return -1;
}

/* Steps between the two ends of a DOUBLE with steps. */
static double steps_of(const struct param *p)
{
    return round((p->max - p->min) / p->step);
}

int space_named(const struct space *s, const char *at, size_t *n)
{
    if (*at != '{')
        return -1;
    for (size_t i = 0; i < s->n; i++) {
        const char *name = s->params[i].name;
        size_t len = strlen(name);

        if (strncmp(name, at + 1, len) != 0 || at[len + 1] != '}')
            continue;
        *n = len + 2;
        return (int)i;
    }
    return -1;
}

uint64_t param_count(const struct param *p)
{
    uint64_t span;

    switch (p->kind) {
    case PARAM_DOUBLE:
        return p->step > 0 ? (uint64_t)steps_of(p) + 1 : UINT64_MAX;
    case PARAM_INTEGER:
        span = (uint64_t)p->high - (uint64_t)p->low;
        span /= (uint64_t)p->int_step;
        return span >= UINT64_MAX - 1 ? UINT64_MAX - 1 : span + 1;
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        break;
    }
    return p->n_values;
}

/* min + k * step as a person would write it: 0.15, not 0.15000000000000002. */
static double step_at(const struct param *p, double k)
{
    double x = p->min + k * p->step, short_x;
    char text[40];

    if (k >= steps_of(p))
        return p->max;
    snprintf(text, sizeof text, "%.12g", x);
    short_x = strtod(text, NULL);
    return fabs(short_x - x) <= 1e-9 * p->step ? short_x : x;
}

struct value param_nth(const struct param *p, uint64_t k)
{
    struct value v = {.active = true};

    assert(k < param_count(p));
    switch (p->kind) {
    case PARAM_DOUBLE:
        assert(p->step > 0);
        v.real = step_at(p, (double)k);
        break;
    case PARAM_INTEGER:
        v.whole = (int64_t)((uint64_t)p->low + k * (uint64_t)p->int_step);
        break;
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        v.choice = (size_t)k;
        break;
    }
    return v;
}

static bool double_holds(const struct param *p, double x)
{
    double k;

    if (!(x >= p->min && x <= p->max))
        return false;
    if (p->step <= 0)
        return true;
    k = (x - p->min) / p->step;
    return fabs(k - round(k)) <= 1e-6;
}

bool param_holds(const struct param *p, const struct value *v)
{
    switch (p->kind) {
    case PARAM_DOUBLE:
        return double_holds(p, v->real);
    case PARAM_INTEGER:
        return v->whole >= p->low && v->whole <= p->high &&
               ((uint64_t)v->whole - (uint64_t)p->low) %
                       (uint64_t)p->int_step ==
                   0;
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        break;
    }
    return v->choice < p->n_values;
}

bool param_same(const struct param *p, const struct value *a,
                const struct value *b)
{
    switch (p->kind) {
    case PARAM_DOUBLE:
        if (p->step > 0)
            return fabs(a->real - b->real) < p->step / 2;
        return a->real == b->real;
    case PARAM_INTEGER:
        return a->whole == b->whole;
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        break;
    }
    return a->choice == b->choice;
}

double param_number(const struct param *p, const struct value *v)
{
    switch (p->kind) {
    case PARAM_DOUBLE:
        return v->real;
    case PARAM_INTEGER:
        return (double)v->whole;
    case PARAM_DISCRETE:
        return p->numbers[v->choice];
    case PARAM_CATEGORICAL:
        break;
    }
    return (double)v->choice;
}
