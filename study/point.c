/* Points, as values and as text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/point.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/node.h"
#include "base/number.h"
#include "base/quote.h"
#include "study/literal.h"

void point_init(struct point *p, const struct space *s)
{
    p->n = s->n;
    p->values = mem_new(s->n, sizeof *p->values);
}

void point_clear(struct point *p)
{
    free(p->values);
    *p = (struct point){0};
}

void point_copy(struct point *out, const struct point *from)
{
    out->n = from->n;
    out->values = mem_new(from->n, sizeof *out->values);
    if (from->n)
        memcpy(out->values, from->values, from->n * sizeof *out->values);
}

/* Whether the condition of parameter i holds, its parent being settled. */
static bool exists(const struct point *p, const struct space *s, size_t i)
{
    const struct param *child = &s->params[i], *parent;
    const struct value *v;

    if (child->parent < 0)
        return true;
    parent = &s->params[child->parent];
    v = &p->values[child->parent];
    if (!v->active)
        return false;
    for (size_t k = 0; k < child->n_when; k++)
        if (param_same(parent, v, &child->when[k]))
            return true;
    return false;
}

void point_settle(struct point *p, const struct space *s)
{
    assert(p->n == s->n);
    for (size_t i = 0; i < s->n; i++)
        p->values[i].active = exists(p, s, i);
}

bool point_in(const struct point *p, const struct space *s)
{
    if (p->n != s->n)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        if (p->values[i].active != exists(p, s, i))
            return false;
        if (p->values[i].active && !param_holds(&s->params[i], &p->values[i]))
            return false;
    }
    return true;
}

bool point_same(const struct point *a, const struct point *b,
                const struct space *s)
{
    if (a->n != s->n || b->n != s->n)
        return false;
    for (size_t i = 0; i < s->n; i++) {
        if (a->values[i].active != b->values[i].active)
            return false;
        if (a->values[i].active &&
            !param_same(&s->params[i], &a->values[i], &b->values[i]))
            return false;
    }
    return true;
}

void value_print(const struct param *p, const struct value *v, struct text *out)
{
    char number[NUMBER_TEXT];

    switch (p->kind) {
    case PARAM_DOUBLE:
        text_add(out, number_print(v->real, number));
        break;
    case PARAM_INTEGER:
        text_addf(out, "%" PRId64, v->whole);
        break;
    case PARAM_DISCRETE:
    case PARAM_CATEGORICAL:
        text_add(out, p->words[v->choice]);
        break;
    }
}

static bool read_real(const struct param *p, const char *text, struct value *v)
{
    double k;

    if (!number_read(text, &v->real))
        return false;
    if (p->step <= 0)
        return param_holds(p, v);
    k = (v->real - p->min) / p->step;
    if (!(fabs(k - round(k)) <= 1e-6) || round(k) < 0 ||
        round(k) >= (double)param_count(p))
        return false;
    *v = param_nth(p, (uint64_t)round(k));
    return true;
}

static bool read_number(const struct param *p, const char *text,
                        struct value *v)
{
    double x, nearest;

    if (!number_read(text, &x) || !isfinite(x) || p->n_values == 0)
        return false;
    v->choice = 0;
    nearest = fabs(p->numbers[0] - x);
    for (size_t i = 1; i < p->n_values; i++) {
        double away = fabs(p->numbers[i] - x);

        if (away >= nearest)
            continue;
        v->choice = i;
        nearest = away;
    }
    return nearest <= 1e-10 * fmax(1e-10, fabs(x));
}

static bool read_word(const struct param *p, const char *text, struct value *v)
{
    for (size_t i = 0; i < p->n_values; i++) {
        if (strcmp(p->words[i], text) != 0)
            continue;
        v->choice = i;
        return true;
    }
    return false;
}

bool value_read(const struct param *p, const char *text, struct value *out)
{
    struct value v = {.active = true};
    bool ok = false;

    switch (p->kind) {
    case PARAM_DOUBLE:
        ok = read_real(p, text, &v);
        break;
    case PARAM_INTEGER:
        ok = literal_read_whole(text, &v.whole) && param_holds(p, &v);
        break;
    case PARAM_DISCRETE:
        ok = read_number(p, text, &v);
        break;
    case PARAM_CATEGORICAL:
        ok = read_word(p, text, &v);
        break;
    }
    if (ok)
        *out = v;
    return ok;
}

/* The middle of low..high on the scale. */
static double middle_of(enum param_scale scale, double low, double high)
{
    switch (scale) {
    case SCALE_LOG:
        return sqrt(low) * sqrt(high);
    case SCALE_REVLOG:
        return low + high - sqrt(low) * sqrt(high);
    case SCALE_LINEAR:
        break;
    }
    return low + (high - low) / 2;
}

static struct value middle(const struct param *p)
{
    struct value v = {.active = true};
    uint64_t n = param_count(p);
    double k;

    if (p->fallback.active)
        return p->fallback;
    switch (p->kind) {
    case PARAM_DOUBLE:
        v.real =
            fmin(fmax(middle_of(p->scale, p->min, p->max), p->min), p->max);
        if (p->step > 0)
            v = param_nth(p, (uint64_t)round((v.real - p->min) / p->step));
        break;
    case PARAM_INTEGER:
        k = middle_of(p->scale, (double)p->low, (double)p->high);
        k = floor((k - (double)p->low) / (double)p->int_step + 0.5);
        v = param_nth(p, k < (double)(n - 1) ? (uint64_t)k : n - 1);
        break;
    case PARAM_DISCRETE:
        v.choice = (p->n_values - 1) / 2;
        break;
    case PARAM_CATEGORICAL:
        break;
    }
    return v;
}

void point_middle(struct point *out, const struct space *s)
{
    point_init(out, s);
    for (size_t i = 0; i < s->n; i++)
        out->values[i] = middle(&s->params[i]);
    point_settle(out, s);
}

static void write_value(const struct param *p, const struct value *v,
                        struct text *out)
{
    char number[NUMBER_TEXT];

    if (p->kind == PARAM_CATEGORICAL)
        quote_json(out, p->words[v->choice]);
    else if (p->kind == PARAM_DISCRETE)
        text_add(out, number_print(p->numbers[v->choice], number));
    else
        value_print(p, v, out);
}

void point_write_json(const struct point *p, const struct space *s,
                      struct text *out)
{
    const char *between = "";

    text_add(out, "{");
    for (size_t i = 0; i < s->n; i++) {
        if (!p->values[i].active)
            continue;
        text_add(out, between);
        quote_json(out, s->params[i].name);
        text_add(out, ": ");
        write_value(&s->params[i], &p->values[i], out);
        between = ", ";
    }
    text_add(out, "}");
}

/* What p can be, for a sentence: "0.1 .. 0.5" or "sgd, adam". */
static void describe(const struct param *p, struct text *out)
{
    char low[NUMBER_TEXT], high[NUMBER_TEXT], step[NUMBER_TEXT];
    size_t shown = p->n_values < 8 ? p->n_values : 8;

    if (p->kind == PARAM_DOUBLE) {
        text_addf(out, "%s .. %s", number_print(p->min, low),
                  number_print(p->max, high));
        if (p->step > 0)
            text_addf(out, " in steps of %s", number_print(p->step, step));
    } else if (p->kind == PARAM_INTEGER) {
        text_addf(out, "the integers %" PRId64 " .. %" PRId64, p->low, p->high);
        if (p->int_step > 1)
            text_addf(out, " in steps of %" PRId64, p->int_step);
    }
    for (size_t i = 0; i < shown; i++)
        text_addf(out, "%s%s", i ? ", " : "", p->words[i]);
    if (shown < p->n_values)
        text_add(out, ", ...");
}

static int refuse_value(const struct param *p, const struct node *value,
                        struct err *e)
{
    struct text range;
    const char *written = value->text ? value->text : "this";

    text_init(&range);
    describe(p, &range);
    err_set(e, ERR_INVALID, "%s cannot be %.60s; it can be %.200s", p->name,
            written, text_str(&range));
    text_clear(&range);
    return -1;
}

static int refuse_unknown(const struct space *s, const char *name,
                          struct err *e)
{
    const char **names = mem_new(s->n, sizeof *names);
    const char *near;

    for (size_t i = 0; i < s->n; i++)
        names[i] = s->params[i].name;
    near = fault_near(name, names, s->n);
    free(names);
    if (near)
        return err_set(e, ERR_INVALID,
                       "there is no parameter %.100s; did you mean %s?", name,
                       near);
    return err_set(e, ERR_INVALID, "there is no parameter %.100s", name);
}

static int read_param(struct point *p, const struct space *s, size_t i,
                      const struct node *value, bool lenient, struct err *e)
{
    const struct param *param = &s->params[i];
    bool there = value && value->kind != NODE_NULL;

    if (!exists(p, s, i)) {
        if (!there)
            return 0;
        return err_set(e, ERR_INVALID,
                       "%s has a value, but it exists only with other values "
                       "of %s",
                       param->name, s->params[param->parent].name);
    }
    if (there) {
        if (value->text && value_read(param, value->text, &p->values[i]))
            return 0;
        return refuse_value(param, value, e);
    }
    if (!lenient || !param->fallback.active)
        return err_set(e, ERR_INVALID, "the value of %s is missing",
                       param->name);
    p->values[i] = param->fallback;
    return 0;
}

int point_read_node(struct point *out, const struct space *s,
                    const struct node *map, bool lenient, struct err *e)
{
    struct point p;

    if (map->kind != NODE_MAP)
        return err_set(e, ERR_INVALID,
                       "a point is a map of parameters and their values");
    for (size_t i = 0; i < map->n; i++)
        if (space_find(s, map->items[i].key) < 0)
            return refuse_unknown(s, map->items[i].key, e);
    point_init(&p, s);
    for (size_t i = 0; i < s->n; i++) {
        const struct node *value = node_get(map, s->params[i].name);

        if (read_param(&p, s, i, value, lenient, e) == 0)
            continue;
        point_clear(&p);
        return -1;
    }
    *out = p;
    return 0;
}

int point_read_json(struct point *out, const struct space *s, const char *json,
                    struct err *e)
{
    struct node *map;
    struct faults f;
    int rc;

    faults_init(&f);
    if (node_parse(json, strlen(json), &map, &f) == 0)
        rc = point_read_node(out, s, map, false, e);
    else
        rc = err_set(e, ERR_INVALID, "%s", f.items[0].text);
    node_free(map);
    faults_clear(&f);
    return rc;
}
