/* Reading the text of a table. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/functions/tables.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

enum { MOST_ROWS = 1 << 20, MOST_READS = 100 };

/* A text being read. */
struct text_of {
    struct table *table;
    struct space *space;
    size_t rows; /* read so far */
    bool in_values;
};

/* Cuts the next word off *rest; NULL at the end. */
static char *word(char **rest)
{
    char *begin = *rest + strspn(*rest, " \n");
    size_t n = strcspn(begin, " \n");

    if (n == 0)
        return NULL;
    *rest = begin[n] ? begin + n + 1 : begin + n;
    begin[n] = '\0';
    return begin;
}

static bool whole(const char *w, int *out)
{
    char *end = NULL;
    long x = 0;

    if (!w)
        return false;
    errno = 0;
    x = strtol(w, &end, 10);
    if (errno || end == w || *end || x < INT_MIN || x > INT_MAX)
        return false;
    *out = (int)x;
    return true;
}

static bool scale(struct param *p, const char *w)
{
    if (!w || (strcmp(w, "log") != 0 && strcmp(w, "linear") != 0))
        return false;
    p->scale = strcmp(w, "log") == 0 ? SCALE_LOG : SCALE_LINEAR;
    p->has_scale = true;
    return true;
}

/* The list of a discrete or categorical parameter. */
static bool list(struct param *p, char *rest)
{
    for (char *w = word(&rest); w; w = word(&rest)) {
        size_t n = p->n_values;

        p->words = mem_resize(p->words, n + 1, sizeof *p->words);
        p->words[p->n_values++] = mem_copy_text(w);
        if (p->kind != PARAM_DISCRETE)
            continue;
        p->numbers = mem_resize(p->numbers, n + 1, sizeof *p->numbers);
        if (!number_read(w, &p->numbers[n]) ||
            (n && p->numbers[n] <= p->numbers[n - 1]))
            return false;
    }
    return p->n_values > 0;
}

static bool integer(struct param *p, char *rest)
{
    int low = 0, high = 0;

    if (!scale(p, word(&rest)) || !whole(word(&rest), &low) ||
        !whole(word(&rest), &high) || low > high)
        return false;
    p->kind = PARAM_INTEGER;
    p->low = low;
    p->high = high;
    return true;
}

static bool discrete(struct param *p, char *rest)
{
    p->kind = PARAM_DISCRETE;
    return scale(p, word(&rest)) && list(p, rest);
}

static bool categorical(struct param *p, char *rest)
{
    p->kind = PARAM_CATEGORICAL;
    return list(p, rest);
}

/* param NAME KIND ... */
static bool take_param(struct text_of *x, char *rest)
{
    static const struct {
        const char *name;
        bool (*read)(struct param *p, char *rest);
    } kinds[] = {{"integer", integer},
                 {"discrete", discrete},
                 {"categorical", categorical}};
    struct space *s = x->space;
    const char *name = word(&rest), *kind = word(&rest);

    if (!name || !kind || space_find(s, name) >= 0)
        return false;
    s->params = mem_resize(s->params, s->n + 1, sizeof *s->params);
    s->params[s->n] = (struct param){
        .name = mem_copy_text(name), .int_step = 1, .parent = -1};
    s->n++;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].name, kind) == 0)
            return kinds[i].read(&s->params[s->n - 1], rest);
    return false;
}

/* reads N */
static bool take_reads(struct text_of *x, char *rest)
{
    int n = 0;

    if (!whole(word(&rest), &n) || n < 1 || n > MOST_READS)
        return false;
    x->table->n_reads = (size_t)n;
    return true;
}

/* unit X */
static bool take_unit(struct text_of *x, char *rest)
{
    const char *w = word(&rest);

    return w && number_read(w, &x->table->unit) && x->table->unit > 0;
}

/* values: rows follow */
static bool take_values(struct text_of *x, char *rest)
{
    struct table *t = x->table;

    if (word(&rest) || !x->space->n || !t->n_reads || !(t->unit > 0))
        return false;
    t->n_rows = 1;
    for (size_t i = 0; i < x->space->n; i++) {
        uint64_t n = param_count(&x->space->params[i]);

        if (n > MOST_ROWS / t->n_rows)
            return false;
        t->n_rows *= (size_t)n;
    }
    t->reads = mem_new(t->n_rows * t->n_reads, sizeof *t->reads);
    x->in_values = true;
    return true;
}

static bool take_row(struct text_of *x, char *rest)
{
    struct table *t = x->table;

    if (x->rows == t->n_rows)
        return false;
    for (size_t i = 0; i < t->n_reads; i++)
        if (!whole(word(&rest), &t->reads[x->rows * t->n_reads + i]))
            return false;
    x->rows++;
    return !word(&rest);
}

static bool take_line(struct text_of *x, char *line)
{
    static const struct {
        const char *name;
        bool (*take)(struct text_of *x, char *rest);
    } keys[] = {{"param", take_param},
                {"reads", take_reads},
                {"unit", take_unit},
                {"values", take_values}};
    const char *key = NULL;

    if (line[0] == '#')
        return true;
    if (x->in_values)
        return take_row(x, line);
    key = word(&line);
    for (size_t i = 0; key && i < sizeof keys / sizeof *keys; i++)
        if (strcmp(keys[i].name, key) == 0)
            return keys[i].take(x, line);
    return false;
}

static int take_text(struct text_of *x, FILE *in, struct err *e)
{
    char *line = NULL;
    size_t cap = 0;
    int n = 1;

    while (getline(&line, &cap, in) >= 0 && take_line(x, line))
        n++;
    free(line);
    if (ferror(in))
        return err_set(e, ERR_IO, "cannot be read");
    if (!feof(in))
        return err_set(e, ERR_INVALID,
                       "line %d is not one of a table (bench/tables/README.md)",
                       n);
    if (!x->in_values || x->rows < x->table->n_rows)
        return err_set(e, ERR_INVALID, "ends after %zu of %zu rows", x->rows,
                       x->table->n_rows);
    return 0;
}

int tables_open(struct table *t, struct space *s, const char *path,
                struct err *e)
{
    struct text_of x = {.table = t, .space = s};
    FILE *in = fopen(path, "re");
    int rc = 0;

    *t = (struct table){.least = INFINITY};
    if (!in)
        return err_errno(e, errno, "%s", path);
    rc = take_text(&x, in, e);
    fclose(in);
    if (rc < 0)
        return err_wrap(e, "%s", path);
    for (size_t row = 0; row < t->n_rows; row++)
        t->least = fmin(t->least, tables_mean(t, row));
    return 0;
}

void tables_close(struct table *t)
{
    free(t->reads);
    *t = (struct table){0};
}

size_t tables_row(const struct space *s, const struct point *at)
{
    size_t row = 0;

    for (size_t i = 0; i < s->n; i++) {
        const struct param *p = &s->params[i];
        const struct value *v = &at->values[i];

        assert(v->active && param_holds(p, v));
        row = row * (size_t)param_count(p) + (p->kind == PARAM_INTEGER
                                                  ? (size_t)(v->whole - p->low)
                                                  : v->choice);
    }
    return row;
}

double tables_read(const struct table *t, size_t row, size_t read)
{
    assert(row < t->n_rows && read < t->n_reads);
    return t->unit * t->reads[row * t->n_reads + read];
}

double tables_mean(const struct table *t, size_t row)
{
    double sum = 0;

    for (size_t i = 0; i < t->n_reads; i++)
        sum += tables_read(t, row, i);
    return sum / (double)t->n_reads;
}
