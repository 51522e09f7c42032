/* Reading ended trials from a file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/given.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/node.h"
#include "base/number.h"
#include "study/extract.h"
#include "study/front.h"
#include "study/literal.h"

enum { MOST_FAULTS = 100 }; /* then the rest is not looked at */

/* VALUE + k is of objective k. */
enum { STATE, REASON, DETAIL, STEP, VALUE, NAMED };
enum { FIELDS = NAMED + TRIAL_OTHERS };

static const char *const field_names[NAMED] = {
    [STATE] = "state", [REASON] = "reason", [DETAIL] = "detail",
    [STEP] = "step",   [VALUE] = "value",
};

/* What an export says too, and an import has no use for. */
static const char *const passed_over[] = {
    "number",  "attempt", "source", "forecast", "client",
    "created", "started", "ended",  "changed",
};
enum { PASSED_OVER = sizeof passed_over / sizeof passed_over[0] };

/* One trial of the file, before it is understood. */
struct record {
    int line, column;
    const char *fields[FIELDS]; /* NULL if not there */
    const struct node *params;  /* a map, or NULL */
};

struct reading {
    const struct study *study;
    struct given *out;
    struct faults *f;
};

/* ---- one trial ---- */

static int fault(const struct reading *r, const struct record *at, size_t field,
                 const char *what)
{
    faults_add(r->f, at->line, at->column, "%.100s cannot be \"%.60s\": %s",
               field < NAMED ? field_names[field]
                             : front_name(r->study, field - VALUE),
               at->fields[field], what);
    return -1;
}

/* A trial with a value that is not finite cannot give one. */
static enum trial_state state_of_value(const struct given_trial *t,
                                       bool has_number)
{
    if (t->trial.has_value)
        return TRIAL_SUCCEEDED;
    return has_number ? TRIAL_INFEASIBLE : TRIAL_PENDING;
}

/* All objectives have values, or none has. */
static int check_values(const struct reading *r, const struct record *at)
{
    const struct study *s = r->study;
    const char *lacks = NULL;
    size_t there = 0;

    for (size_t k = 0; k < front_objectives(s); k++) {
        if (at->fields[VALUE + k])
            there++;
        else if (!lacks)
            lacks = front_name(s, k);
    }
    if (!there || !lacks)
        return 0;
    faults_add(r->f, at->line, at->column,
               "there is no value of %.100s: a trial has one of each objective",
               lacks);
    return -1;
}

static int read_value(const struct reading *r, const struct record *at,
                      struct trial *t, bool *has_number)
{
    *has_number = at->fields[VALUE] != NULL;
    if (check_values(r, at))
        return -1;
    if (!*has_number)
        return 0;
    t->has_value = true;
    for (size_t k = 0; k < front_objectives(r->study); k++) {
        double *value = k ? &t->others[k - 1] : &t->value;

        if (!number_read(at->fields[VALUE + k], value))
            return fault(r, at, VALUE + k, "a number is wanted");
        t->has_value = t->has_value && isfinite(*value);
    }
    return 0;
}

static int read_state(const struct reading *r, const struct record *at,
                      struct given_trial *t, bool has_number)
{
    const char *text = at->fields[STATE];

    if (text && !trial_state_read(text, &t->trial.state))
        return fault(r, at, STATE,
                     "SUCCEEDED, STOPPED, INFEASIBLE or FAILED is wanted");
    if (text)
        return 0;
    t->trial.state = state_of_value(t, has_number);
    if (t->trial.state != TRIAL_PENDING)
        return 0;
    faults_add(r->f, at->line, at->column,
               "there is no value of %s, and no state such as INFEASIBLE that "
               "has none",
               r->study->metric);
    return -1;
}

/* Whether state and value go together. */
static int check_value(const struct reading *r, const struct record *at,
                       const struct trial *t)
{
    bool may = t->state == TRIAL_SUCCEEDED || t->state == TRIAL_STOPPED;

    if (t->state == TRIAL_SUCCEEDED && !t->has_value)
        faults_add(r->f, at->line, at->column,
                   "a trial that SUCCEEDED has a finite value of %s",
                   r->study->metric);
    else if (t->has_value && !may)
        faults_add(r->f, at->line, at->column,
                   "a trial that is %s has no value",
                   trial_state_name(t->state));
    else
        return 0;
    return -1;
}

static int read_reason(const struct reading *r, const struct record *at,
                       struct given_trial *t)
{
    const char *text = at->fields[REASON];

    if (text && !trial_reason_read(text, &t->reason))
        return fault(r, at, REASON,
                     "it is a word that an export writes; leave it out");
    if (t->reason != REASON_NONE)
        return 0;
    if (t->trial.state == TRIAL_SUCCEEDED)
        t->reason = REASON_VALUE;
    else if (!at->fields[STATE])
        t->reason = REASON_NOT_FINITE;
    else
        t->reason = REASON_TOLD;
    return 0;
}

static int read_point(const struct reading *r, const struct record *at,
                      struct trial *t)
{
    static const struct node none = {.kind = NODE_MAP};
    const struct node *map = at->params ? at->params : &none;
    struct err e;

    if (point_read_node(&t->point, &r->study->space, map, false, &e) == 0)
        return 0;
    faults_add(r->f, at->line, at->column, "%s", e.text);
    return -1;
}

static int read_trial(const struct reading *r, const struct record *at,
                      struct given_trial *t)
{
    bool has_number;

    if (read_value(r, at, &t->trial, &has_number) ||
        read_state(r, at, t, has_number))
        return -1;
    if (!trial_state_ended(t->trial.state))
        return 0;
    if (at->fields[STEP] &&
        !literal_read_whole(at->fields[STEP], &t->trial.step))
        return fault(r, at, STEP, "a whole number is wanted");
    if (check_value(r, at, &t->trial) || read_reason(r, at, t) ||
        read_point(r, at, &t->trial))
        return -1;
    t->detail = mem_copy_text(at->fields[DETAIL] ? at->fields[DETAIL] : "");
    return 0;
}

static void clear_trial(struct given_trial *t)
{
    trial_clear(&t->trial);
    free(t->detail);
}

/* Takes one trial in. Returns false once nothing more need be read. */
static bool take(const struct reading *r, const struct record *at)
{
    struct given *g = r->out;
    struct given_trial t = {0};
    void *trials = g->trials;

    if (read_trial(r, at, &t))
        return r->f->n < MOST_FAULTS;
    if (!trial_state_ended(t.trial.state)) {
        g->unfinished++;
        return true;
    }
    if (g->n == GIVEN_MOST) {
        faults_add(r->f, at->line, at->column,
                   "more than %d trials at once are not taken: divide the file",
                   GIVEN_MOST);
        clear_trial(&t);
        return false;
    }
    mem_grow(&trials, &g->cap, g->n + 1, sizeof *g->trials);
    g->trials = trials;
    g->trials[g->n++] = t;
    return true;
}

/* ---- names ---- */

static bool is_passed_over(const char *name)
{
    for (int i = 0; i < PASSED_OVER; i++)
        if (!strcmp(name, passed_over[i]))
            return true;
    return false;
}

/* The field of the objective of that name, or FIELDS. */
static size_t objective_of(const struct study *s, const char *name)
{
    for (size_t k = 0; k < front_objectives(s); k++)
        if (!strcmp(name, front_name(s, k)))
            return VALUE + k;
    return FIELDS;
}

/* The field of that name, or FIELDS. */
static size_t field_of(const struct study *s, const char *name)
{
    for (size_t i = 0; i < NAMED; i++)
        if (!strcmp(name, field_names[i]))
            return i;
    return objective_of(s, name);
}

static void refuse_name(const struct reading *r, int line, int column,
                        const char *name, bool with_params)
{
    const struct space *space = &r->study->space;
    const char **names = mem_new(space->n + FIELDS + 2, sizeof *names);
    const char *near;
    size_t n = 0;

    for (; n < NAMED; n++)
        names[n] = field_names[n];
    for (size_t k = 0; k < front_objectives(r->study); k++)
        names[n++] = front_name(r->study, k);
    names[n++] = "params";
    for (size_t i = 0; with_params && i < space->n; i++)
        names[n++] = space->params[i].name;
    near = fault_near(name, names, n);
    if (near)
        faults_add(r->f, line, column,
                   "a trial has no \"%.60s\"; did you mean %s?", name, near);
    else
        faults_add(r->f, line, column,
                   "a trial has no \"%.60s\": it has %s, value and state", name,
                   with_params ? "the parameters" : "params");
    free(names);
}

/* ---- JSON ---- */

/* Of an export: {"name": value} of the objectives. */
static void read_values(const struct reading *r, const struct extract *began,
                        const struct node *map, struct record *out)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct node_item *item = &map->items[i];
        size_t field = objective_of(r->study, item->key);
        int line = item->line, column = item->column;

        if (item->value->kind == NODE_SCALAR && field < FIELDS) {
            out->fields[field] = item->value->text;
            continue;
        }
        extract_shift(began, &line, &column);
        faults_add(r->f, line, column,
                   "values: %.60s is no objective with a number", item->key);
    }
}

static void read_member(const struct reading *r, const struct extract *began,
                        const struct node_item *item, struct record *out)
{
    size_t field = field_of(r->study, item->key);
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
    if (is_passed_over(item->key) || item->value->kind == NODE_NULL)
        return;
    extract_shift(began, &line, &column);
    if (field == FIELDS && strcmp(item->key, "params") != 0)
        refuse_name(r, line, column, item->key, false);
    else if (field < FIELDS && item->value->kind == NODE_SCALAR)
        out->fields[field] = item->value->text;
    else
        faults_add(r->f, line, column, "%.60s: a %s is wanted here", item->key,
                   field == FIELDS ? "map of parameters and their values"
                                   : "text or number");
}

static bool read_map(const struct reading *r, const struct extract *began,
                     const struct node *map)
{
    struct record record = {.line = map->line, .column = map->column};
    size_t faults = r->f->n;

    extract_shift(began, &record.line, &record.column);
    if (map->kind != NODE_MAP) {
        faults_add(r->f, record.line, record.column,
                   "a trial is a map such as {\"params\": {...}, \"value\": "
                   "0.5}");
        return r->f->n < MOST_FAULTS;
    }
    for (size_t i = 0; i < map->n; i++)
        read_member(r, began, &map->items[i], &record);
    if (r->f->n > faults)
        return r->f->n < MOST_FAULTS;
    return take(r, &record);
}

/* A trial, or an answer of the HTTP interface that holds a list of them. */
static bool read_part(const struct reading *r, const struct extract *began,
                      const struct extract *end)
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

static void misplaced(const struct reading *r, const struct extract *p,
                      const char *wanted)
{
    faults_add(r->f, p->line, extract_column(p), "%s is wanted here", wanted);
}

/* Objects one after the other, or with commas in one list. */
static void read_json(const struct reading *r, struct extract p)
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

enum { PASS = -1 }; /* what a column is: PASS, a field, or FIELDS + param */

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
    size_t field = objective ? objective_of(s, name + sizeof values - 1)
                             : field_of(s, name);

    if (param < 0 && !is_exports_own(name))
        param = space_find(&s->space, name);
    if (param >= 0)
        *out = FIELDS + param;
    else if (field < FIELDS)
        *out = (int)field;
    else
        *out = PASS;
    return *out != PASS || is_passed_over(name);
}

/* An export of several objectives says the goal's value under two names. */
static bool is_twice(const struct study *s, const struct table *t, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (t->columns[k] == t->columns[i] && t->columns[i] != PASS &&
            (t->columns[i] != VALUE || !s->n_others ||
             !strcmp(t->csv.cells[k], t->csv.cells[i])))
            return true;
    return false;
}

static void read_titles(const struct reading *r, struct table *t)
{
    t->n = t->csv.n;
    t->columns = mem_new(t->n, sizeof *t->columns);
    t->nodes = mem_new(t->n, sizeof *t->nodes);
    t->items = mem_new(t->n, sizeof *t->items);
    for (size_t i = 0; i < t->n; i++)
        if (!column_named(r->study, t->csv.cells[i], &t->columns[i]))
            refuse_name(r, t->csv.line, 1, t->csv.cells[i], true);
        else if (is_twice(r->study, t, i))
            faults_add(r->f, t->csv.line, 1, "the column %.60s is there twice",
                       t->csv.cells[i]);
}

static bool read_row(const struct reading *r, struct table *t)
{
    struct record record = {.line = t->csv.line, .column = 1};
    struct node map = {.kind = NODE_MAP, .items = t->items};

    if (t->csv.n != t->n) {
        faults_add(r->f, t->csv.line, 1,
                   "this row has %zu cells, and the first row names %zu "
                   "columns",
                   t->csv.n, t->n);
        return r->f->n < MOST_FAULTS;
    }
    for (size_t i = 0; i < t->n; i++) {
        char *cell = t->csv.cells[i];
        int column = t->columns[i];

        if (!*cell || column == PASS)
            continue;
        if (column < FIELDS) {
            record.fields[column] = cell;
            continue;
        }
        t->nodes[i] = (struct node){.kind = NODE_SCALAR, .text = cell};
        map.items[map.n++] = (struct node_item){
            .key = r->study->space.params[column - FIELDS].name,
            .value = &t->nodes[i]};
    }
    record.params = &map;
    return take(r, &record);
}

static void read_csv(const struct reading *r, const char *bytes, size_t n)
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
        clear_trial(&g->trials[i]);
    free(g->trials);
    *g = (struct given){0};
}

int given_read(const char *bytes, size_t n, const struct study *study,
               struct given *out, struct faults *f)
{
    struct reading r = {study, out, f};
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
