/* The corners of a space. Each is one of three points (middle, smallest,
 * largest) in which some values are then changed: to words that were not there
 * yet, and to what a branch asks of those above it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/corners.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum end { SMALLEST, LARGEST };

static struct value end_of(const struct param *p, enum end end)
{
    struct value v = {.active = true};

    if (param_count(p) != UINT64_MAX)
        return param_nth(p, end == SMALLEST ? 0 : param_count(p) - 1);
    v.real = end == SMALLEST ? p->min : p->max;
    return v;
}

static void all_at(struct point *out, const struct space *s, enum end end)
{
    point_init(out, s);
    for (size_t i = 0; i < s->n; i++)
        out->values[i] = end_of(&s->params[i], end);
    point_settle(out, s);
}

/* Gives those above parameter i values with which it exists; they and it are
 * marked in `fixed`. */
static void open_branch(struct point *point, const struct space *s, size_t i,
                        bool *fixed)
{
    fixed[i] = true;
    while (s->params[i].parent >= 0) {
        const struct param *p = &s->params[i];
        size_t parent = (size_t)p->parent;

        point->values[parent] = p->when[0];
        fixed[parent] = true;
        i = parent;
    }
    point_settle(point, s);
}

/* ---- the list ---- */

static bool has(const struct corners *c, const struct space *s,
                const struct point *point)
{
    for (size_t i = 0; i < c->n; i++)
        if (point_same(&c->items[i].point, point, s))
            return true;
    return false;
}

/* The point is gone for the caller. False: there is no room for it. */
static bool add_take(struct corners *c, const struct space *s, const char *name,
                     struct point *point)
{
    if (has(c, s, point)) {
        point_clear(point);
        return true;
    }
    if (c->n == CORNERS_MOST) {
        c->cut = true;
        point_clear(point);
        return false;
    }
    c->items[c->n++] = (struct corner){.name = name, .point = *point};
    return true;
}

/* Whether some corner has that value there. */
static bool seen(const struct corners *c, const struct space *s, size_t i,
                 const struct value *v)
{
    for (size_t k = 0; k < c->n; k++) {
        const struct value *there = &c->items[k].point.values[i];

        if (there->active && param_same(&s->params[i], there, v))
            return true;
    }
    return false;
}

/* ---- what is added ---- */

/* Where a parameter that hangs on others was not yet at that end, its branch is
 * opened with everything else at that end. */
static void add_branches(struct corners *c, const struct space *s, enum end end)
{
    for (size_t i = 0; i < s->n; i++) {
        struct value v = end_of(&s->params[i], end);
        struct point point;
        bool *fixed;

        if (s->params[i].parent < 0 || seen(c, s, i, &v))
            continue;
        fixed = mem_new(s->n, sizeof *fixed);
        all_at(&point, s, end);
        open_branch(&point, s, i, fixed);
        free(fixed);
        if (!add_take(c, s, end == SMALLEST ? "smallest if" : "largest if",
                      &point))
            return;
    }
}

/* A word of parameter i that no corner has yet; false if there is none. */
static bool unseen_word(const struct corners *c, const struct space *s,
                        size_t i, struct value *out)
{
    const struct param *p = &s->params[i];

    if (p->kind != PARAM_CATEGORICAL)
        return false;
    for (size_t k = 0; k < p->n_values; k++) {
        *out = (struct value){.active = true, .choice = k};
        if (!seen(c, s, i, out))
            return true;
    }
    return false;
}

/* A point with parameter i at that word, and with words of other parameters
 * that were not there yet either, as many as go together. */
static void words_point(const struct corners *c, const struct space *s,
                        size_t i, struct value word, struct point *out)
{
    bool *fixed = mem_new(s->n, sizeof *fixed);

    point_middle(out, s);
    out->values[i] = word;
    open_branch(out, s, i, fixed);
    for (size_t k = 0; k < s->n; k++) {
        struct value v;

        if (fixed[k] || !out->values[k].active || !unseen_word(c, s, k, &v))
            continue;
        out->values[k] = v;
        point_settle(out, s);
    }
    free(fixed);
}

static void add_words(struct corners *c, const struct space *s)
{
    for (size_t i = 0; i < s->n; i++) {
        struct value word;
        struct point point;

        while (unseen_word(c, s, i, &word)) {
            words_point(c, s, i, word, &point);
            if (!add_take(c, s, "words", &point))
                return;
        }
    }
}

void corners_init(struct corners *out, const struct space *s)
{
    struct point point;

    *out = (struct corners){
        .items = mem_new(CORNERS_MOST, sizeof *out->items),
    };
    point_middle(&point, s);
    add_take(out, s, "middle", &point);
    all_at(&point, s, SMALLEST);
    add_take(out, s, "smallest", &point);
    all_at(&point, s, LARGEST);
    add_take(out, s, "largest", &point);
    add_branches(out, s, SMALLEST);
    add_branches(out, s, LARGEST);
    add_words(out, s);
}

void corners_clear(struct corners *c)
{
    for (size_t i = 0; i < c->n; i++)
        point_clear(&c->items[i].point);
    free(c->items);
    *c = (struct corners){0};
}
