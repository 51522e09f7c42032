/* Means, intervals and tables. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bench/quality/scores.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "algorithms/draw.h"
#include "base/mem.h"

enum { AGAIN = 1000, MOST_GROUPS = 256 };

const size_t scores_budgets[SCORES_BUDGETS] = {10, 20, 50, 100, 300, 1000};

void scores_add(struct scores *s, const struct score *one)
{
    mem_grow((void **)&s->items, &s->cap, s->n + 1, sizeof *s->items);
    s->items[s->n++] = *one;
}

void scores_clear(struct scores *s)
{
    free(s->items);
    *s = (struct scores){0};
}

static bool same_run(const struct score *a, const struct score *b)
{
    return a->d == b->d && a->instance == b->instance && a->seed == b->seed &&
           a->parallel == b->parallel && strcmp(a->suite, b->suite) == 0 &&
           strcmp(a->problem, b->problem) == 0;
}

bool scores_have(const struct scores *s, const struct score *run)
{
    for (size_t i = 0; i < s->n; i++)
        if (same_run(&s->items[i], run) && s->items[i].trials == run->trials &&
            strcmp(s->items[i].algorithm, run->algorithm) == 0)
            return true;
    return false;
}

int scores_append(int fd, const struct score *o, struct err *e)
{
    json_t *at = json_object();
    json_t *line =
        json_pack("{ss ss ss si si si si si so sf}", "algorithm", o->algorithm,
                  "suite", o->suite, "problem", o->problem, "d", o->d,
                  "instance", o->instance, "seed", o->seed, "trials", o->trials,
                  "parallel", o->parallel, "at", at, "ms", o->ms);
    char *text = NULL, *whole = NULL;
    ssize_t n = 0;

    for (size_t b = 0; b < SCORES_BUDGETS; b++) {
        char key[24];

        snprintf(key, sizeof key, "%zu", scores_budgets[b]);
        if (!isnan(o->at[b]))
            json_object_set_new(at, key, json_real(o->at[b]));
    }
    text = json_dumps(line, JSON_COMPACT | JSON_REAL_PRECISION(17));
    whole = mem_format("%s\n", text);
    n = write(fd, whole, strlen(whole));
    free(text);
    json_decref(line);
    if (n == (ssize_t)strlen(whole)) {
        free(whole);
        return 0;
    }
    free(whole);
    return err_set(e, ERR_IO, "a score could not be written");
}

static void take_word(char *out, size_t size, const char *word)
{
    snprintf(out, size, "%s", word);
}

/* Whether the line is a score. */
static bool read_line(const char *text, struct score *out)
{
    const char *algorithm = NULL, *suite = NULL, *problem = NULL;
    json_t *line = json_loads(text, 0, NULL), *at = NULL;
    bool good =
        json_unpack(line, "{ss ss ss si si si si si so sF}", "algorithm",
                    &algorithm, "suite", &suite, "problem", &problem, "d",
                    &out->d, "instance", &out->instance, "seed", &out->seed,
                    "trials", &out->trials, "parallel", &out->parallel, "at",
                    &at, "ms", &out->ms) == 0;

    for (size_t b = 0; good && b < SCORES_BUDGETS; b++) {
        char key[24];
        const json_t *one = NULL;

        snprintf(key, sizeof key, "%zu", scores_budgets[b]);
        one = json_object_get(at, key);
        out->at[b] = one ? json_number_value(one) : NAN;
    }
    if (good) {
        take_word(out->algorithm, sizeof out->algorithm, algorithm);
        take_word(out->suite, sizeof out->suite, suite);
        take_word(out->problem, sizeof out->problem, problem);
    }
    json_decref(line);
    return good;
}

void scores_read(struct scores *s, FILE *in)
{
    char *line = NULL;
    size_t cap = 0;
    struct score o;

    while (getline(&line, &cap, in) > 0)
        if (read_line(line, &o))
            scores_add(s, &o);
    free(line);
}

/* The numbers of one table cell, by problem. */
struct group {
    char problem[32];
    double *values;
    size_t n, cap;
};

struct cell {
    struct group groups[MOST_GROUPS];
    size_t n;
};

static void cell_add(struct cell *c, const char *problem, double value)
{
    struct group *g = NULL;
    size_t k = 0;

    if (isnan(value))
        return;
    while (k < c->n && strcmp(c->groups[k].problem, problem) != 0)
        k++;
    g = &c->groups[k];
    if (k == c->n) {
        if (c->n == MOST_GROUPS)
            return;
        c->n++;
        *g = (struct group){.values = NULL};
        snprintf(g->problem, sizeof g->problem, "%s", problem);
    }
    mem_grow((void **)&g->values, &g->cap, g->n + 1, sizeof *g->values);
    g->values[g->n++] = value;
}

static void cell_clear(struct cell *c)
{
    for (size_t k = 0; k < c->n; k++)
        free(c->groups[k].values);
    c->n = 0;
}

static double group_mean(const struct group *g)
{
    double sum = 0;

    for (size_t i = 0; i < g->n; i++)
        sum += g->values[i];
    return sum / (double)g->n;
}

/* The share below 0; equal ones count half. */
static double group_won(const struct group *g)
{
    double won = 0;

    for (size_t i = 0; i < g->n; i++)
        won += g->values[i] < 0 ? 1 : g->values[i] > 0 ? 0 : 0.5;
    return won / (double)g->n;
}

static double cell_mean(const struct cell *c)
{
    double sum = 0;

    for (size_t k = 0; k < c->n; k++)
        sum += group_mean(&c->groups[k]);
    return sum / (double)c->n;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The mean of a cell whose runs are drawn again; the problems stay, since they
 * are the suite. */
static double redrawn(const struct cell *c, struct draw *chance)
{
    double sum = 0;

    for (size_t k = 0; k < c->n; k++) {
        const struct group *g = &c->groups[k];
        double part = 0;

        for (size_t i = 0; i < g->n; i++)
            part += g->values[draw_below(chance, g->n)];
        sum += part / (double)g->n;
    }
    return sum / (double)c->n;
}

/* Whether some problem has runs that may be drawn differently. */
static bool varies(const struct cell *c)
{
    for (size_t k = 0; k < c->n; k++)
        if (c->groups[k].n > 1)
            return true;
    return false;
}

static void cell_print(const struct cell *c)
{
    double means[AGAIN];
    struct draw chance;

    if (!c->n) {
        printf(" %21s", "-");
        return;
    }
    if (!varies(c)) {
        printf(" %6.2f [%6s,%6s]", cell_mean(c), "-", "-");
        return;
    }
    draw_init(&chance, 1, DRAW_RANDOM, c->n);
    for (size_t k = 0; k < AGAIN; k++)
        means[k] = redrawn(c, &chance);
    qsort(means, AGAIN, sizeof *means, by_size);
    printf(" %6.2f [%6.2f,%6.2f]", cell_mean(c), means[AGAIN / 40],
           means[AGAIN - AGAIN / 40]);
}

static bool same_table(const struct score *a, const struct score *b)
{
    return a->d == b->d && strcmp(a->suite, b->suite) == 0 &&
           strcmp(a->algorithm, b->algorithm) == 0;
}

/* Whether item i is the first of its table row. */
static bool first(const struct scores *s, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (same_table(&s->items[k], &s->items[i]))
            return false;
    return true;
}

static const struct score *partner(const struct scores *s,
                                   const struct score *o)
{
    for (size_t k = 0; k < s->n; k++)
        if (same_run(&s->items[k], o))
            return &s->items[k];
    return NULL;
}

static void header(const char *what)
{
    printf("%-32s", what);
    for (size_t b = 0; b < SCORES_BUDGETS; b++)
        printf(" %16s %4zu", "at", scores_budgets[b]);
    printf("\n");
}

/* One row: the runs that share item i's table, as they are, or less their
 * partners in `theirs`. */
static void row(const struct scores *mine, const struct scores *theirs,
                size_t i)
{
    const struct score *like = &mine->items[i];
    double ms = 0, n = 0;
    struct cell cell = {.n = 0};

    printf("%-14s d=%-3d %-12s", like->suite, like->d, like->algorithm);
    for (size_t b = 0; b < SCORES_BUDGETS; b++) {
        for (size_t k = i; k < mine->n; k++) {
            const struct score *o = &mine->items[k], *other = NULL;

            if (!same_table(like, o))
                continue;
            ms += o->ms;
            n++;
            if (theirs)
                other = partner(theirs, o);
            if (!theirs || other)
                cell_add(&cell, o->problem,
                         o->at[b] - (other ? other->at[b] : 0));
        }
        cell_print(&cell);
        cell_clear(&cell);
    }
    printf(theirs ? "\n" : " %8.2f\n", ms / n);
}

static void table(const struct scores *mine, const struct scores *theirs)
{
    for (size_t i = 0; i < mine->n; i++)
        if (first(mine, i))
            row(mine, theirs, i);
}

void scores_table(const struct scores *s)
{
    header("log10(left / random's), ms");
    table(s, NULL);
}

void scores_compare(const struct scores *mine, const struct scores *theirs)
{
    char what[64];

    snprintf(what, sizeof what, "less %s's",
             theirs->n ? theirs->items[0].algorithm : "nothing");
    header(what);
    table(mine, theirs);
}

void scores_by_problem(const struct scores *mine, const struct scores *theirs)
{
    struct cell cell = {.n = 0};

    for (size_t i = 0; i < mine->n; i++) {
        const struct score *o = &mine->items[i];
        const struct score *other = theirs ? partner(theirs, o) : NULL;
        size_t b = SCORES_BUDGETS - 1;
        char name[32];

        while (b && isnan(o->at[b]))
            b--;
        snprintf(name, sizeof name, "%.22s d=%d", o->problem, o->d);
        if (!theirs || other)
            cell_add(&cell, name, o->at[b] - (other ? other->at[b] : 0));
    }
    for (size_t k = 0; k < cell.n; k++) {
        const struct group *g = &cell.groups[k];

        printf("%-24s %6.2f of %zu", g->problem, group_mean(g), g->n);
        if (theirs)
            printf(", better in %3.0f %%", 100 * group_won(g));
        printf("\n");
    }
    cell_clear(&cell);
}
