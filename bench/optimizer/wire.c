/* Between a stand's JSON and our words. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/optimizer/wire.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

enum { MOST_VALUES = 100000 };

static const char *name_of(const json_t *item)
{
    const char *name = json_string_value(json_object_get(item, "name"));

    return name ? name : "";
}

static int read_float(struct param *p, const json_t *item, struct err *e)
{
    p->kind = PARAM_DOUBLE;
    p->min = json_number_value(json_object_get(item, "low"));
    p->max = json_number_value(json_object_get(item, "high"));
    p->has_scale = json_is_true(json_object_get(item, "log"));
    p->scale = p->has_scale ? SCALE_LOG : SCALE_LINEAR;
    if (!(p->min <= p->max) || (p->has_scale && !(p->min > 0)))
        return err_set(e, ERR_INVALID,
                       "%s: low must be at most high, and above 0 with log",
                       p->name);
    return 0;
}

static int read_int(struct param *p, const json_t *item, struct err *e)
{
    if (read_float(p, item, e) != 0)
        return -1;
    if (fabs(p->min) > 9e18 || fabs(p->max) > 9e18)
        return err_set(e, ERR_INVALID, "%s: an end has more than 64 bits",
                       p->name);
    p->kind = PARAM_INTEGER;
    p->low = (int64_t)p->min;
    p->high = (int64_t)p->max;
    p->int_step = 1;
    return 0;
}

static int check_values(const struct param *p, const json_t *values,
                        struct err *e)
{
    size_t n = json_array_size(values);

    if (n < 1 || n > MOST_VALUES)
        return err_set(e, ERR_INVALID, "%s: values must be a list of 1 to %d",
                       p->name, MOST_VALUES);
    return 0;
}

static void take_words(struct param *p, const json_t *values)
{
    p->n_values = json_array_size(values);
    p->words = mem_new(p->n_values, sizeof *p->words);
    for (size_t i = 0; i < p->n_values; i++)
        p->words[i] = mem_format("%zu", i);
}

static bool rising(const json_t *values)
{
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);

        if (!json_is_number(v) ||
            (i && json_number_value(v) <=
                      json_number_value(json_array_get(values, i - 1))))
            return false;
    }
    return true;
}

static int read_ordinal(struct param *p, const json_t *item, struct err *e)
{
    const json_t *values = json_object_get(item, "values");

    if (check_values(p, values, e) != 0)
        return -1;
    if (!rising(values)) {
        p->kind = PARAM_INTEGER;
        p->high = (int64_t)json_array_size(values) - 1;
        p->int_step = 1;
        return 0;
    }
    p->kind = PARAM_DISCRETE;
    take_words(p, values);
    p->numbers = mem_new(p->n_values, sizeof *p->numbers);
    for (size_t i = 0; i < p->n_values; i++)
        p->numbers[i] = json_number_value(json_array_get(values, i));
    return 0;
}

static int read_categorical(struct param *p, const json_t *item, struct err *e)
{
    const json_t *values = json_object_get(item, "values");

    if (check_values(p, values, e) != 0)
        return -1;
    p->kind = PARAM_CATEGORICAL;
    take_words(p, values);
    return 0;
}

static const struct {
    const char *name;
    int (*read)(struct param *p, const json_t *item, struct err *e);
} types[] = {{"float", read_float},
             {"int", read_int},
             {"ordinal", read_ordinal},
             {"categorical", read_categorical}};

/* The value of p that stands for `v`; false if there is none. `item` is how
 * the parameter was written. */
static bool find_value(const struct param *p, const json_t *item,
                       const json_t *v, struct value *out)
{
    const json_t *values = json_object_get(item, "values");
    double x = json_number_value(v);

    *out = (struct value){.active = true};
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *one = json_array_get(values, i);
        bool number = json_is_number(v) && json_is_number(one);

        if (number ? json_number_value(one) != x : !json_equal(one, v))
            continue;
        if (p->kind == PARAM_INTEGER)
            out->whole = (int64_t)i;
        else
            out->choice = i;
        return true;
    }
    if (values || !json_is_number(v))
        return false;
    if (p->kind == PARAM_DOUBLE)
        out->real = x;
    else if (fabs(x) < 9e18)
        out->whole =
            json_is_integer(v) ? json_integer_value(v) : (int64_t)round(x);
    return param_holds(p, out);
}

/* Hangs the last parameter on the one that its "when" names. */
static int read_when(struct space *s, const json_t *list, const json_t *when,
                     struct err *e)
{
    struct param *p = &s->params[s->n - 1];
    const char *name = json_string_value(json_object_get(when, "param"));
    const json_t *in = json_object_get(when, "in");

    if (!when || json_is_null(when))
        return 0;
    p->parent = name ? space_find(s, name) : -1;
    if (p->parent < 0 || (size_t)p->parent == s->n - 1)
        return err_set(e, ERR_INVALID,
                       "%s: when must name a parameter before it", p->name);
    p->when = mem_new(json_array_size(in), sizeof *p->when);
    for (size_t i = 0; i < json_array_size(in); i++)
        if (!find_value(&s->params[p->parent],
                        json_array_get(list, (size_t)p->parent),
                        json_array_get(in, i), &p->when[p->n_when++]))
            return err_set(e, ERR_INVALID, "%s: when lists what %s cannot be",
                           p->name, name);
    return 0;
}

static int read_param(struct space *s, const json_t *list, size_t i,
                      struct err *e)
{
    const json_t *item = json_array_get(list, i);
    const char *type = json_string_value(json_object_get(item, "type"));
    struct param *p = &s->params[s->n++];

    *p = (struct param){.name = mem_copy_text(name_of(item)), .parent = -1};
    for (size_t k = 0; type && k < sizeof types / sizeof *types; k++)
        if (strcmp(types[k].name, type) == 0)
            return types[k].read(p, item, e) == 0
                       ? read_when(s, list, json_object_get(item, "when"), e)
                       : -1;
    return err_set(e, ERR_INVALID,
                   "%s: type must be float, int, ordinal or categorical",
                   p->name);
}

int wire_space(struct wire *w, const json_t *list, struct space *out,
               struct err *e)
{
    size_t n = json_array_size(list);

    *w = (struct wire){0};
    if (n < 1)
        return err_set(e, ERR_INVALID, "space must be a list of parameters");
    out->params = mem_new(n, sizeof *out->params);
    for (size_t i = 0; i < n; i++)
        if (read_param(out, list, i, e) != 0) {
            space_clear(out);
            return -1;
        }
    w->list = json_deep_copy(list);
    return 0;
}

void wire_clear(struct wire *w)
{
    json_decref(w->list);
    w->list = NULL;
}

json_t *wire_params(const struct wire *w, const struct space *s,
                    const struct point *p)
{
    json_t *map = json_object();

    for (size_t i = 0; i < s->n; i++) {
        const struct param *q = &s->params[i];
        const struct value *v = &p->values[i];
        json_t *item = json_array_get(w->list, i);
        json_t *values = json_object_get(item, "values"), *one = NULL;

        if (!v->active)
            continue;
        if (values)
            one = json_incref(json_array_get(values, q->kind == PARAM_INTEGER
                                                         ? (size_t)v->whole
                                                         : v->choice));
        else if (q->kind == PARAM_INTEGER)
            one = json_integer(v->whole);
        else
            one = json_real(v->real);
        json_object_set_new(map, q->name, one);
    }
    return map;
}

int wire_point(const struct wire *w, const struct space *s, const json_t *map,
               struct point *out, struct err *e)
{
    for (size_t i = 0; i < s->n; i++) {
        const json_t *v = json_object_get(map, s->params[i].name);

        out->values[i] = (struct value){.active = false};
        if (v && !find_value(&s->params[i], json_array_get(w->list, i), v,
                             &out->values[i]))
            return err_set(e, ERR_INVALID, "%s: not one of its values",
                           s->params[i].name);
    }
    point_settle(out, s);
    for (size_t i = 0; i < s->n; i++)
        if (out->values[i].active && !json_object_get(map, s->params[i].name))
            return err_set(e, ERR_INVALID, "%s: has no value",
                           s->params[i].name);
    return 0;
}
