/* One trial of a file of ended trials: its fields by name, and what they mean
 * together. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "study/front.h"
#include "study/literal.h"

static const char *const field_names[RECORD_NAMED] = {
    [RECORD_STATE] = "state",   [RECORD_REASON] = "reason",
    [RECORD_DETAIL] = "detail", [RECORD_STEP] = "step",
    [RECORD_VALUE] = "value",
};

/* What an export says too, and an import has no use for. */
static const char *const passed_over[] = {
    "number",  "attempt", "source", "forecast", "client",
    "created", "started", "ended",  "changed",
};
enum { PASSED_OVER = sizeof passed_over / sizeof passed_over[0] };

static int fault(const struct record_reading *r, const struct record *at,
                 size_t field, const char *what)
{
    faults_add(r->f, at->line, at->column, "%.100s cannot be \"%.60s\": %s",
               field < RECORD_NAMED
                   ? field_names[field]
                   : front_name(r->study, field - RECORD_VALUE),
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
static int check_values(const struct record_reading *r, const struct record *at)
{
    const struct study *s = r->study;
    const char *lacks = NULL;
    size_t there = 0;

    for (size_t k = 0; k < front_objectives(s); k++) {
        if (at->fields[RECORD_VALUE + k])
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

static int read_value(const struct record_reading *r, const struct record *at,
                      struct trial *t, bool *has_number)
{
    *has_number = at->fields[RECORD_VALUE] != NULL;
    if (check_values(r, at))
        return -1;
    if (!*has_number)
        return 0;
    t->has_value = true;
    for (size_t k = 0; k < front_objectives(r->study); k++) {
        double *value = k ? &t->others[k - 1] : &t->value;

        if (!number_read(at->fields[RECORD_VALUE + k], value))
            return fault(r, at, RECORD_VALUE + k, "a number is wanted");
        t->has_value = t->has_value && isfinite(*value);
    }
    return 0;
}

static int read_state(const struct record_reading *r, const struct record *at,
                      struct given_trial *t, bool has_number)
{
    const char *text = at->fields[RECORD_STATE];

    if (text && !trial_state_read(text, &t->trial.state))
        return fault(r, at, RECORD_STATE,
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
static int check_value(const struct record_reading *r, const struct record *at,
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

static int read_reason(const struct record_reading *r, const struct record *at,
                       struct given_trial *t)
{
    const char *text = at->fields[RECORD_REASON];

    if (text && !trial_reason_read(text, &t->reason))
        return fault(r, at, RECORD_REASON,
                     "it is a word that an export writes; leave it out");
    if (t->reason != REASON_NONE)
        return 0;
    if (t->trial.state == TRIAL_SUCCEEDED)
        t->reason = REASON_VALUE;
    else if (!at->fields[RECORD_STATE])
        t->reason = REASON_NOT_FINITE;
    else
        t->reason = REASON_TOLD;
    return 0;
}

static int read_point(const struct record_reading *r, const struct record *at,
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

static int read_trial(const struct record_reading *r, const struct record *at,
                      struct given_trial *t)
{
    bool has_number;

    if (read_value(r, at, &t->trial, &has_number) ||
        read_state(r, at, t, has_number))
        return -1;
    if (!trial_state_ended(t->trial.state))
        return 0;
    if (at->fields[RECORD_STEP] &&
        !literal_read_whole(at->fields[RECORD_STEP], &t->trial.step))
        return fault(r, at, RECORD_STEP, "a whole number is wanted");
    if (check_value(r, at, &t->trial) || read_reason(r, at, t) ||
        read_point(r, at, &t->trial))
        return -1;
    t->detail = mem_copy_text(
        at->fields[RECORD_DETAIL] ? at->fields[RECORD_DETAIL] : "");
    return 0;
}

void record_clear_trial(struct given_trial *t)
{
    trial_clear(&t->trial);
    free(t->detail);
}

bool record_take(const struct record_reading *r, const struct record *at)
{
    struct given *g = r->out;
    struct given_trial t = {0};
    void *trials = g->trials;

    if (read_trial(r, at, &t))
        return r->f->n < RECORD_MOST_FAULTS;
    if (!trial_state_ended(t.trial.state)) {
        g->unfinished++;
        return true;
    }
    if (g->n == GIVEN_MOST) {
        faults_add(r->f, at->line, at->column,
                   "more than %d trials at once are not taken: divide the file",
                   GIVEN_MOST);
        record_clear_trial(&t);
        return false;
    }
    mem_grow(&trials, &g->cap, g->n + 1, sizeof *g->trials);
    g->trials = trials;
    g->trials[g->n++] = t;
    return true;
}

/* ---- names ---- */

bool record_passes_over(const char *name)
{
    for (int i = 0; i < PASSED_OVER; i++)
        if (!strcmp(name, passed_over[i]))
            return true;
    return false;
}

size_t record_objective_of(const struct study *s, const char *name)
{
    for (size_t k = 0; k < front_objectives(s); k++)
        if (!strcmp(name, front_name(s, k)))
            return RECORD_VALUE + k;
    return RECORD_FIELDS;
}

size_t record_field_of(const struct study *s, const char *name)
{
    for (size_t i = 0; i < RECORD_NAMED; i++)
        if (!strcmp(name, field_names[i]))
            return i;
    return record_objective_of(s, name);
}

void record_refuse_name(const struct record_reading *r, int line, int column,
                        const char *name, bool with_params)
{
    const struct space *space = &r->study->space;
    const char **names = mem_new(space->n + RECORD_FIELDS + 2, sizeof *names);
    const char *near;
    size_t n = 0;

    for (; n < RECORD_NAMED; n++)
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
