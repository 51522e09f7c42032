/* Drafts of parameters, checked and made into a space. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/draft.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "study/literal.h"
#include "study/point.h"

enum { LONGEST_NAME = 256, MOST_PARAMS = 1000, MOST_VALUES = 10000 };

void word_clear(struct word *w)
{
    free(w->text);
    *w = (struct word){0};
}

void word_list_clear(struct word_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->items[i].text);
    free(l->items);
    *l = (struct word_list){0};
}

void word_set(struct word *w, const char *text, size_t n, int line, int column,
              bool quoted)
{
    free(w->text);
    *w = (struct word){mem_copy_bytes(text, n), line, column, quoted};
}

void word_list_add(struct word_list *l, const char *text, size_t n, int line,
                   int column, bool quoted)
{
    void *items = l->items;

    mem_grow(&items, &l->cap, l->n + 1, sizeof *l->items);
    l->items = items;
    l->items[l->n++] =
        (struct word){mem_copy_bytes(text, n), line, column, quoted};
}

static void draft_clear(struct draft *d)
{
    word_clear(&d->name);
    word_clear(&d->min);
    word_clear(&d->max);
    word_clear(&d->step);
    word_clear(&d->fallback);
    word_clear(&d->parent);
    word_list_clear(&d->values);
    word_list_clear(&d->when);
}

void drafts_clear(struct drafts *d)
{
    for (size_t i = 0; i < d->n; i++)
        draft_clear(&d->items[i]);
    free(d->items);
    *d = (struct drafts){0};
}

struct draft *drafts_add(struct drafts *d, const char *name, int line,
                         int column)
{
    void *items = d->items;
    struct draft *added;

    mem_grow(&items, &d->cap, d->n + 1, sizeof *d->items);
    d->items = items;
    added = &d->items[d->n++];
    *added = (struct draft){0};
    word_set(&added->name, name, strlen(name), line, column, false);
    return added;
}

static bool is_number(const struct word *w)
{
    double x;

    return !w->quoted && number_read(w->text, &x) && isfinite(x);
}

enum param_kind draft_kind_of(const struct word_list *values)
{
    for (size_t i = 0; i < values->n; i++)
        if (!is_number(&values->items[i]))
            return PARAM_CATEGORICAL;
    return PARAM_DISCRETE;
}

/* One draft being made into a parameter. */
struct making {
    const struct draft *d;
    struct param *p;
    struct faults *f;
    bool ok;
};

/* Adds a fault at that word, or at the name if it was not said; the sentence
 * begins with the parameter's name. */
static void wrong(struct making *m, const struct word *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
static void wrong(struct making *m, const struct word *at, const char *fmt, ...)
{
    const struct word *place = at && at->line ? at : &m->d->name;
    char sentence[512];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    faults_add(m->f, place->line, place->column, "%.100s: %s", m->d->name.text,
               sentence);
    m->ok = false;
}

static bool real(struct making *m, const struct word *w, const char *what,
                 double *out)
{
    double x;

    if (!w->text) {
        wrong(m, NULL, "%s is missing", what);
        return false;
    }
    if (!number_read(w->text, &x)) {
        wrong(m, w, "%s must be a number, not \"%.60s\"", what, w->text);
        return false;
    }
    if (!isfinite(x)) {
        wrong(m, w, "%s must be a finite number, not \"%.60s\"", what, w->text);
        return false;
    }
    *out = x;
    return true;
}

static bool whole(struct making *m, const struct word *w, const char *what,
                  int64_t *out)
{
    if (!w->text) {
        wrong(m, NULL, "%s is missing", what);
        return false;
    }
    if (literal_read_whole(w->text, out))
        return true;
    if (literal_is_digits(w->text))
        wrong(m, w,
              "%s is %.60s, which does not fit into an integer of 64 bits",
              what, w->text);
    else
        wrong(m, w, "%s must be an integer, not \"%.60s\"", what, w->text);
    return false;
}

static void check_log(struct making *m, double least)
{
    if (m->d->scale == SCALE_LINEAR || least > 0)
        return;
    wrong(m, &m->d->min,
          "a log scale needs numbers above 0; begin at a small one such as "
          "1e-6, or leave out the scale");
}

static void check_real_step(struct making *m)
{
    const struct param *p = m->p;
    double k = (p->max - p->min) / p->step;
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    struct param shorter = *p, longer = *p;

    if (p->step <= 0) {
        wrong(m, &m->d->step, "step must be above 0");
        return;
    }
    if (k > 0x1p50) {
        wrong(m, &m->d->step, "step is too small for this range; leave it out");
        return;
    }
    if (fabs(k - round(k)) <= 1e-6)
        return;
    shorter.max = p->min + floor(k) * p->step;
    longer.max = p->min + ceil(k) * p->step;
    snprintf(low, sizeof low, "%.12g", shorter.max);
    snprintf(high, sizeof high, "%.12g", longer.max);
    wrong(m, &m->d->step,
          "steps of %s do not lead from %s to %s; end at %s or %s instead",
          m->d->step.text, m->d->min.text, m->d->max.text, low, high);
}

static void make_fixed(struct param *p, const char *text)
{
    p->kind = PARAM_DISCRETE;
    p->n_values = 1;
    p->numbers = mem_new(1, sizeof *p->numbers);
    p->words = mem_new(1, sizeof *p->words);
    p->numbers[0] = p->min;
    p->words[0] = mem_copy_text(text);
    p->min = p->max = p->step = 0;
}

static void make_double(struct making *m)
{
    const struct draft *d = m->d;
    struct param *p = m->p;
    bool both = real(m, &d->min, "min", &p->min);

    both = real(m, &d->max, "max", &p->max) && both;
    if (d->step.text && !real(m, &d->step, "step", &p->step))
        return;
    if (!both)
        return;
    if (p->min > p->max) {
        wrong(m, &d->min, "min %s is above max %s", d->min.text, d->max.text);
        return;
    }
    if (!isfinite(p->max - p->min)) {
        wrong(m, &d->min, "the range is wider than a number can say");
        return;
    }
    check_log(m, p->min);
    if (d->step.text)
        check_real_step(m);
    if (m->ok && p->min == p->max) /* a range of one is a list of one */
        make_fixed(p, d->min.text);
}

static void make_integer(struct making *m)
{
    const struct draft *d = m->d;
    struct param *p = m->p;
    bool both = whole(m, &d->min, "min", &p->low);
    uint64_t rest;

    both = whole(m, &d->max, "max", &p->high) && both;
    p->int_step = 1;
    if (d->step.text && !whole(m, &d->step, "step", &p->int_step))
        return;
    if (!both)
        return;
    if (p->low > p->high) {
        wrong(m, &d->min, "min %s is above max %s", d->min.text, d->max.text);
        return;
    }
    check_log(m, (double)p->low);
    if (p->int_step < 1) {
        wrong(m, &d->step, "step must be 1 or more");
        return;
    }
    rest = ((uint64_t)p->high - (uint64_t)p->low) % (uint64_t)p->int_step;
    if (rest == 0)
        return;
    if (p->high - (int64_t)rest > INT64_MAX - p->int_step)
        wrong(m, &d->step, "steps of %s do not lead from %s to %s",
              d->step.text, d->min.text, d->max.text);
    else
        wrong(m, &d->step,
              "steps of %s do not lead from %s to %s; end at %" PRId64
              " or %" PRId64 " instead",
              d->step.text, d->min.text, d->max.text, p->high - (int64_t)rest,
              p->high - (int64_t)rest + p->int_step);
}

static void copy_words(struct making *m)
{
    const struct word_list *values = &m->d->values;
    struct param *p = m->p;

    p->n_values = values->n;
    p->words = mem_new(values->n, sizeof *p->words);
    for (size_t i = 0; i < values->n; i++)
        p->words[i] = mem_copy_text(values->items[i].text);
}

struct entry {
    double number;
    const struct word *word;
};

static int by_number(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    return x->word < y->word ? -1 : x->word > y->word;
}

static void make_discrete(struct making *m)
{
    const struct word_list *values = &m->d->values;
    struct entry *sorted = mem_new(values->n, sizeof *sorted);
    struct param *p = m->p;

    p->n_values = values->n;
    p->numbers = mem_new(values->n, sizeof *p->numbers);
    p->words = mem_new(values->n, sizeof *p->words);
    for (size_t i = 0; i < values->n; i++) {
        sorted[i].word = &values->items[i];
        real(m, sorted[i].word, "a value", &sorted[i].number);
    }
    qsort(sorted, values->n, sizeof *sorted, by_number);
    for (size_t i = 0; i < values->n && m->ok; i++) {
        if (i && sorted[i].number == sorted[i - 1].number)
            wrong(m, sorted[i].word, "the value %.60s stands in the list twice",
                  sorted[i].word->text);
        p->numbers[i] = sorted[i].number;
        p->words[i] = mem_copy_text(sorted[i].word->text);
    }
    if (m->ok)
        check_log(m, p->numbers[0]);
    free(sorted);
}

static int by_text(const void *a, const void *b)
{
    const struct word *x = *(const struct word *const *)a;
    const struct word *y = *(const struct word *const *)b;
    int order = strcmp(x->text, y->text);

    return order ? order : x < y ? -1 : x > y;
}

static void make_categorical(struct making *m)
{
    const struct word_list *values = &m->d->values;
    const struct word **sorted = mem_new(values->n, sizeof *sorted);

    copy_words(m);
    for (size_t i = 0; i < values->n; i++)
        sorted[i] = &values->items[i];
    qsort(sorted, values->n, sizeof *sorted, by_text);
    for (size_t i = 1; i < values->n; i++)
        if (strcmp(sorted[i]->text, sorted[i - 1]->text) == 0)
            wrong(m, sorted[i], "the value %.60s stands in the list twice",
                  sorted[i]->text);
    free(sorted);
    if (m->d->scale != SCALE_LINEAR)
        wrong(m, NULL, "a list of words has no scale; leave it out");
}

static void make_list(struct making *m)
{
    if (m->d->step.text)
        wrong(m, &m->d->step, "a list has no step; leave it out");
    if (m->d->values.n == 0)
        wrong(m, NULL, "the list of values is empty");
    else if (m->d->values.n > MOST_VALUES)
        wrong(m, NULL, "the list has more than %d values", MOST_VALUES);
    else if (m->d->kind == PARAM_DISCRETE)
        make_discrete(m);
    else
        make_categorical(m);
}

static void make_fallback(struct making *m)
{
    const struct word *w = &m->d->fallback;

    if (!w->text || !m->ok || value_read(m->p, w->text, &m->p->fallback))
        return;
    wrong(m, w, "the default %.60s is not one of its values", w->text);
}

static bool has_control(const char *s)
{
    while (*s && (unsigned char)*s >= ' ' && *s != 0x7f)
        s++;
    return *s != '\0';
}

static void check_name(struct making *m)
{
    const char *name = m->p->name;

    if (!*name)
        faults_add(m->f, m->d->name.line, m->d->name.column,
                   "a parameter needs a name");
    else if (strlen(name) > LONGEST_NAME)
        wrong(m, NULL, "the name is longer than %d bytes", LONGEST_NAME);
    else if (has_control(name) || strpbrk(name, " ={}"))
        wrong(m, NULL, "the name may hold no blank, =, { or }");
}

static void make_condition(struct making *m, const struct space *s)
{
    const struct word_list *when = &m->d->when;
    int parent = space_find(s, m->d->parent.text);
    const struct param *p;

    if (parent < 0)
        return; /* check_parents said why */
    p = &s->params[parent];
    if (p->kind == PARAM_DOUBLE) {
        wrong(m, &m->d->parent,
              "it hangs on %s, which is a range of real numbers; only "
              "integers and lists can be conditions",
              p->name);
        return;
    }
    if (when->n == 0) {
        wrong(m, &m->d->parent, "its condition on %s names no value", p->name);
        return;
    }
    m->p->parent = parent;
    m->p->n_when = when->n;
    m->p->when = mem_new(when->n, sizeof *m->p->when);
    for (size_t i = 0; i < when->n; i++)
        if (!value_read(p, when->items[i].text, &m->p->when[i]))
            wrong(m, &when->items[i],
                  "its condition names %.60s, which is "
                  "not a value of %s",
                  when->items[i].text, p->name);
}

static const struct draft *find(const struct drafts *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (strcmp(d->items[i].name.text, name) == 0)
            return &d->items[i];
    return NULL;
}

/* Whether following the conditions from `from` leads back to it; if so the
 * names on the way, "a -> b -> a". */
static bool circles(const struct drafts *d, const struct draft *from,
                    struct text *way)
{
    const struct draft *at = from;

    text_add(way, from->name.text);
    for (size_t i = 0; i < d->n && at->parent.text; i++) {
        at = find(d, at->parent.text);
        if (!at)
            return false;
        text_addf(way, " -> %s", at->name.text);
        if (at == from)
            return true;
    }
    return false;
}

static void refuse_parent(const struct drafts *d, const struct draft *child,
                          struct faults *f)
{
    const char **names = mem_new(d->n, sizeof *names);
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < d->n; i++)
        if (&d->items[i] != child)
            names[n++] = d->items[i].name.text;
    near = fault_near(child->parent.text, names, n);
    free(names);
    faults_add(f, child->parent.line, child->parent.column,
               "%.100s: it hangs on %.100s, and there is no such parameter"
               "%s%s%s",
               child->name.text, child->parent.text,
               near ? "; did you mean " : "", near ? near : "",
               near ? "?" : "");
}

/* Every parent is there, stands before its child, and no circle is closed. */
static void check_parents(const struct drafts *d, struct faults *f)
{
    for (size_t i = 0; i < d->n; i++) {
        const struct draft *child = &d->items[i];
        const struct draft *parent;
        struct text way;

        if (!child->parent.text)
            continue;
        parent = find(d, child->parent.text);
        text_init(&way);
        if (!parent)
            refuse_parent(d, child, f);
        else if (parent >= child && circles(d, child, &way))
            faults_add(f, child->parent.line, child->parent.column,
                       "%.100s: the conditions go round in a circle: %.300s",
                       child->name.text, text_str(&way));
        else if (parent >= child)
            faults_add(f, child->parent.line, child->parent.column,
                       "%.100s: it hangs on %.100s, which stands after it; "
                       "move %.100s up",
                       child->name.text, parent->name.text, parent->name.text);
        text_clear(&way);
    }
}

static void make(const struct draft *d, struct space *s, struct faults *f)
{
    struct param *p = &s->params[s->n];
    struct making m = {d, p, f, true};

    p->name = mem_copy_text(d->name.text);
    p->kind = d->kind;
    p->scale = d->scale;
    p->has_scale = d->has_scale;
    p->parent = -1;
    check_name(&m);
    if (space_find(s, p->name) >= 0)
        wrong(&m, NULL, "there are two parameters of this name");
    if (d->kind == PARAM_DOUBLE)
        make_double(&m);
    else if (d->kind == PARAM_INTEGER)
        make_integer(&m);
    else
        make_list(&m);
    make_fallback(&m);
    if (d->parent.text && m.ok)
        make_condition(&m, s);
    if (p->int_step < 1)
        p->int_step = 1; /* so that children can still be looked at */
    s->n++;              /* even if it is wrong: its memory is the space's */
}

void drafts_build(const struct drafts *d, struct space *s, struct faults *f)
{
    if (d->n > MOST_PARAMS) {
        faults_add(f, d->items[MOST_PARAMS].name.line,
                   d->items[MOST_PARAMS].name.column,
                   "there are more than %d parameters", MOST_PARAMS);
        return;
    }
    check_parents(d, f);
    s->params = mem_new(d->n, sizeof *s->params);
    for (size_t i = 0; i < d->n; i++)
        if (!d->items[i].broken)
            make(&d->items[i], s, f);
}
