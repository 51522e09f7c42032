/* Reading ended trials from a file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/given.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/node.h"
#include "study/extract.h"
#include "study/record.h"

/* ---- JSON ---- */

/* Of an export: {"name": value} of the objectives. */
static void read_values(const struct record_reading *r,
                        const struct extract *began, const struct node *map,
                        struct record *out)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct node_item *item = &map->items[i];
        size_t field = record_objective_of(r->study, item->key);
        int line = item->line, column = item->column;

        if (item->value->kind == NODE_SCALAR && field < RECORD_FIELDS) {
            out->fields[field] = item->value->text;
            continue;
        }
        extract_shift(began, &line, &column);
        faults_add(r->f, line, column,
                   "values: %.60s is no objective with a number", item->key);
    }
}

static void read_member(const struct record_reading *r,
                        const struct extract *began,
                        const struct node_item *item, struct record *out)
{
    size_t field = record_field_of(r->study, item->key);
    int line = item->line, column = item->column;

    if (!strcmp(item->key, "values") && item->value->kind == NODE_MAP &&
        r->study->n_others) {
        read_values(r, began, item->value, out);
        return;
    }
    if (!strcmp(item->key, "params") && item->value->kind == NODE_MAP) {
        out->params = item->value;
        return;
    }
    if (record_passes_over(item->key) || item->value->kind == NODE_NULL)
        return;
    extract_shift(began, &line, &column);
    if (field == RECORD_FIELDS && strcmp(item->key, "params") != 0)
        record_refuse_name(r, line, column, item->key, false);
    else if (field < RECORD_FIELDS && item->value->kind == NODE_SCALAR)
        out->fields[field] = item->value->text;
    else
        faults_add(r->f, line, column, "%.60s: a %s is wanted here", item->key,
                   field == RECORD_FIELDS ? "map of parameters and their values"
                                          : "text or number");
}

static bool read_map(const struct record_reading *r,
                     const struct extract *began, const struct node *map)
{
    struct record record = {.line = map->line, .column = map->column};
    size_t faults = r->f->n;

    extract_shift(began, &record.line, &record.column);
    if (map->kind != NODE_MAP) {
        faults_add(r->f, record.line, record.column,
                   "a trial is a map such as {\"params\": {...}, \"value\": "
                   "0.5}");
        return r->f->n < RECORD_MOST_FAULTS;
    }
    for (size_t i = 0; i < map->n; i++)
        read_member(r, began, &map->items[i], &record);
    if (r->f->n > faults)
        return r->f->n < RECORD_MOST_FAULTS;
    return record_take(r, &record);
}

/* A trial, or an answer of the HTTP interface that holds a list of them. */
static bool read_part(const struct record_reading *r,
                      const struct extract *began, const struct extract *end)
{
    struct faults own;
    struct node *root;
    const struct node *list;
    bool more = true;

    faults_init(&own);
    if (node_parse(began->at, (size_t)(end->at - began->at), &root, &own)) {
        for (size_t i = 0; i < own.n; i++) {
            extract_shift(began, &own.items[i].line, &own.items[i].column);
            faults_add(r->f, own.items[i].line, own.items[i].column, "%s",
                       own.items[i].text);
        }
        faults_clear(&own);
        return false; /* what follows may be anything */
    }
    list = root->kind == NODE_MAP ? node_get(root, "trials") : NULL;
    if (!list)
        more = read_map(r, began, root);
    for (size_t i = 0; list && more && i < list->n; i++)
        more = read_map(r, began, list->items[i].value);
    node_free(root);
    faults_clear(&own);
    return more;
}

static void misplaced(const struct record_reading *r, const struct extract *p,
                      const char *wanted)
{
    faults_add(r->f, p->line, extract_column(p), "%s is wanted here", wanted);
}

/* Objects one after the other, or with commas in one list. */
static void read_json(const struct record_reading *r, struct extract p)
{
    bool list = *p.at == '[';
    bool more = true;

    if (list)
        extract_step(&p);
    for (extract_skip_blanks(&p); more; extract_skip_blanks(&p)) {
        struct extract began = p;

        if (p.at < p.end && *p.at == '{') {
            if (!extract_skip_object(&p)) {
                faults_add(r->f, began.line, extract_column(&began),
                           "this { is never closed");
                return;
            }
            more = read_part(r, &began, &p);
            extract_skip_blanks(&p);
        }
        if (!more || (!list && p.at == p.end))
            return;
        if (list && p.at < p.end && *p.at == ']')
            break;
        if (list && p.at > began.at && p.at < p.end && *p.at == ',')
            extract_step(&p);
        else if (list || *p.at != '{') {
            misplaced(r, &p, list ? "a comma, or ] at the end," : "a {");
            return;
        }
    }
    extract_step(&p);
    extract_skip_blanks(&p);
    if (p.at < p.end)
        misplaced(r, &p, "nothing more");
}

/* ---- CSV ---- */

enum { PASS = -1 }; /* a column is PASS, a field, or RECORD_FIELDS + param */

struct table {
    struct csv csv;
    int *columns;
    size_t n;
    struct node *nodes; /* a scalar and an item for each column of a row */
    struct node_item *items;
};

static void table_clear(struct table *t)
{
    csv_clear(&t->csv);
    free(t->columns);
    free(t->nodes);
    free(t->items);
}

/* The names that an export gives to other columns come before parameters of
 * the same name, which it calls params.NAME. */
static bool is_exports_own(const char *name)
{
    static const char *const own[] = {"number",  "state",   "reason",
                                      "value",   "step",    "attempt",
                                      "created", "started", "ended"};

    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        if (!strcmp(name, own[i]))
            return true;
    return false;
}

/* False if there is no such column. */
static bool column_named(const struct study *s, const char *name, int *out)
{
    static const char prefix[] = "params.", values[] = "values.";
    bool prefixed = !strncmp(name, prefix, sizeof prefix - 1);
    int param = prefixed ? space_find(&s->space, name + sizeof prefix - 1) : -1;
    bool objective = s->n_others && !strncmp(name, values, sizeof values - 1);
    size_t field = objective ? record_objective_of(s, name + sizeof values - 1)
                             : record_field_of(s, name);

    if (param < 0 && !is_exports_own(name))
        param = space_find(&s->space, name);
    if (param >= 0)
        *out = RECORD_FIELDS + param;
    else if (field < RECORD_FIELDS)
        *out = (int)field;
    else
        *out = PASS;
    return *out != PASS || record_passes_over(name);
}

/* An export of several objectives says the goal's value under two names. */
static bool is_twice(const struct study *s, const struct table *t, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (t->columns[k] == t->columns[i] && t->columns[i] != PASS &&
            (t->columns[i] != RECORD_VALUE || !s->n_others ||
             !strcmp(t->csv.cells[k], t->csv.cells[i])))
            return true;
    return false;
}

static void read_titles(const struct record_reading *r, struct table *t)
{
    t->n = t->csv.n;
    t->columns = mem_new(t->n, sizeof *t->columns);
    t->nodes = mem_new(t->n, sizeof *t->nodes);
    t->items = mem_new(t->n, sizeof *t->items);
    for (size_t i = 0; i < t->n; i++)
        if (!column_named(r->study, t->csv.cells[i], &t->columns[i]))
            record_refuse_name(r, t->csv.line, 1, t->csv.cells[i], true);
        else if (is_twice(r->study, t, i))
            faults_add(r->f, t->csv.line, 1, "the column %.60s is there twice",
                       t->csv.cells[i]);
}

static bool read_row(const struct record_reading *r, struct table *t)
{
    struct record record = {.line = t->csv.line, .column = 1};
    struct node map = {.kind = NODE_MAP, .items = t->items};

    if (t->csv.n != t->n) {
        faults_add(r->f, t->csv.line, 1,
                   "this row has %zu cells, and the first row names %zu "
                   "columns",
                   t->csv.n, t->n);
        return r->f->n < RECORD_MOST_FAULTS;
    }
    for (size_t i = 0; i < t->n; i++) {
        char *cell = t->csv.cells[i];
        int column = t->columns[i];

        if (!*cell || column == PASS)
            continue;
        if (column < RECORD_FIELDS) {
            record.fields[column] = cell;
            continue;
        }
        t->nodes[i] = (struct node){.kind = NODE_SCALAR, .text = cell};
        map.items[map.n++] = (struct node_item){
            .key = r->study->space.params[column - RECORD_FIELDS].name,
            .value = &t->nodes[i]};
    }
    record.params = &map;
    return record_take(r, &record);
}

static void read_csv(const struct record_reading *r, const char *bytes,
                     size_t n)
{
    struct table t = {0};
    struct err e;
    int rc;

    csv_init(&t.csv, bytes, n);
    rc = csv_next(&t.csv, &e);
    if (rc > 0) {
        read_titles(r, &t);
        rc = r->f->n ? 0 : 1;
    }
    while (rc > 0 && (rc = csv_next(&t.csv, &e)) > 0)
        if (!read_row(r, &t))
            break;
    if (rc < 0)
        faults_add(r->f, t.csv.line, 1, "%s", e.text);
    table_clear(&t);
}

/* ---- the file ---- */

void given_clear(struct given *g)
{
    for (size_t i = 0; i < g->n; i++)
        record_clear_trial(&g->trials[i]);
    free(g->trials);
    *g = (struct given){0};
}

int given_read(const char *bytes, size_t n, const struct study *study,
               struct given *out, struct faults *f)
{
    struct record_reading r = {study, out, f};
    struct extract p = {bytes, bytes + n, 1, bytes};
    size_t before = f->n;

    *out = (struct given){0};
    extract_skip_blanks(&p);
    if (n && memchr(bytes, 0, n))
        faults_add(f, 0, 0, "there is a NUL byte in the text");
    else if (p.at == p.end)
        faults_add(f, 0, 0, "there is no trial in it");
    else if (*p.at == '{' || *p.at == '[')
        read_json(&r, p);
    else if (*p.at == '-')
        faults_add(f, p.line, extract_column(&p),
                   "this looks like YAML; trials are read from JSON and CSV");
    else
        read_csv(&r, bytes, n);
    if (f->n == before)
        return 0;
    given_clear(out);
    return -1;
}
