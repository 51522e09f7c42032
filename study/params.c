/* Parameters of our own dialect, short and long. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "study/dialects.h"
#include "study/range.h"

/* A parameter's long form, on its way to a draft. */
struct long_form {
    struct draft *d;
    bool typed;
    const struct node *list, *when;
};

static const struct choice types[] = {
    {"double", PARAM_DOUBLE, -1},
    {"float", PARAM_DOUBLE, -1},
    {"int", PARAM_INTEGER, -1},
    {"integer", PARAM_INTEGER, -1},
    {"discrete", PARAM_DISCRETE, -1},
    {"categorical", PARAM_CATEGORICAL, -1},
    {NULL, 0, 0},
};

static const struct choice scales[] = {
    {"linear", SCALE_LINEAR, -1},
    {"log", SCALE_LOG, -1},
    {"revlog", SCALE_REVLOG, -1},
    {NULL, 0, 0},
};

static void set_word(struct word *w, const struct node *v)
{
    word_set(w, v->text, strlen(v->text), v->line, v->column, v->quoted);
}

static void read_values(struct reading *r, const struct node *list,
                        struct draft *d)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct node *v = list->items[i].value;

        if (v->kind != NODE_SCALAR) {
            reading_fault(r, v,
                          "%.100s: a value of a list must be a number or a "
                          "word; put a word such as null in quotes",
                          d->name.text);
            d->broken = true;
            continue;
        }
        word_list_add(&d->values, v->text, strlen(v->text), v->line, v->column,
                      v->quoted);
    }
}

static void long_word(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    struct long_form *l = into;

    if (reading_text(r, k->name, v))
        set_word((struct word *)((char *)l->d + k->offset), v);
}

static void long_type(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    struct long_form *l = into;
    int kind;

    l->typed = true;
    if (reading_choice(r, k->name, v, types, &kind) == 0)
        l->d->kind = (enum param_kind)kind;
    else
        l->d->broken = true;
}

static void long_scale(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    struct long_form *l = into;
    int scale;

    if (reading_choice(r, k->name, v, scales, &scale) < 0)
        return;
    l->d->scale = (enum param_scale)scale;
    l->d->has_scale = true;
}

static const struct key long_keys[] = {
    {.name = "type", .read = long_type},
    {.name = "min", .read = long_word, .offset = offsetof(struct draft, min)},
    {.name = "max", .read = long_word, .offset = offsetof(struct draft, max)},
    {.name = "step", .read = long_word, .offset = offsetof(struct draft, step)},
    {.name = "default",
     .read = long_word,
     .offset = offsetof(struct draft, fallback)},
    {.name = "scale", .read = long_scale},
    {.name = "values",
     .read = key_node,
     .offset = offsetof(struct long_form, list)},
    {.name = "when",
     .read = key_node,
     .offset = offsetof(struct long_form, when)},
    {0},
};

/* {optimizer: sgd}, {optimizer: [sgd, adam]} or "optimizer = sgd". */
static void read_when(struct reading *r, const struct node *when,
                      struct draft *d)
{
    const struct node_item *item;
    const struct node *v;

    if (when->kind == NODE_SCALAR) {
        range_read_when(r, when, d);
        return;
    }
    if (when->kind != NODE_MAP || when->n != 1) {
        reading_fault(r, when,
                      "%.100s: when must be one parameter and its values, "
                      "such as {optimizer: [sgd]}",
                      d->name.text);
        return;
    }
    item = &when->items[0];
    word_set(&d->parent, item->key, strlen(item->key), item->line, item->column,
             false);
    v = item->value;
    for (size_t i = 0; i < (v->kind == NODE_LIST ? v->n : 1); i++) {
        const struct node *one = v->kind == NODE_LIST ? v->items[i].value : v;

        if (one->kind != NODE_SCALAR)
            reading_fault(r, one,
                          "%.100s: when must name one value of %.100s, or a "
                          "list of them",
                          d->name.text, item->key);
        else
            word_list_add(&d->when, one->text, strlen(one->text), one->line,
                          one->column, one->quoted);
    }
}

/* Without a type, a list is a list and a range one of real numbers. */
static void settle_type(struct reading *r, const struct node *map,
                        const struct long_form *l)
{
    struct draft *d = l->d;
    bool list = d->kind == PARAM_DISCRETE || d->kind == PARAM_CATEGORICAL;

    if (!l->typed) {
        list = l->list != NULL;
        d->kind = list ? draft_kind_of(&d->values) : PARAM_DOUBLE;
    }
    if (d->broken)
        return;
    if (list && !l->list)
        reading_fault(r, map, "%.100s: values is missing", d->name.text);
    else if (!list && l->list)
        reading_fault(r, l->list, "%.100s: a range has min and max, not values",
                      d->name.text);
    else if (list && (d->min.text || d->max.text))
        reading_fault(r, map, "%.100s: a list has values, not min and max",
                      d->name.text);
    else
        return;
    d->broken = true;
}

static void read_long(struct reading *r, const struct node *map,
                      struct draft *d)
{
    struct long_form l = {.d = d};

    reading_keys(r, map, long_keys, &l, "a parameter");
    if (l.list && l.list->kind != NODE_LIST) {
        reading_fault(r, l.list, "%.100s: values must be a list", d->name.text);
        d->broken = true;
    } else if (l.list) {
        read_values(r, l.list, d);
    }
    if (l.when)
        read_when(r, l.when, d);
    settle_type(r, map, &l);
}

void short_params(struct reading *r, const struct key *k, const struct node *v,
                  void *into)
{
    (void)into;
    if (v->kind != NODE_MAP) {
        reading_fault(r, v, "%s must be a map of names and ranges", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node_item *item = &v->items[i];
        const struct node *value = item->value;
        struct draft *d =
            drafts_add(&r->drafts, item->key, item->line, item->column);

        if (value->kind == NODE_MAP) {
            read_long(r, value, d);
        } else if (value->kind == NODE_LIST) {
            read_values(r, value, d);
            d->kind = draft_kind_of(&d->values);
        } else if (value->kind == NODE_SCALAR) {
            range_read(r, value, d);
        } else {
            faults_add(r->f, item->line, item->column,
                       "%.100s: a range such as 0.1 .. 1 or a list is missing",
                       item->key);
            d->broken = true;
        }
    }
}
