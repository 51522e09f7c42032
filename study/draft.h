/* A parameter as a document says it, before it is known to make sense: all
 * three dialects become drafts, and drafts become the space in one place. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_DRAFT_H
#define STUDY_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "study/space.h"

/* A text with its place; text NULL = not said. */
struct word {
    char *text;
    int line, column;
    bool quoted;
};

struct word_list {
    struct word *items;
    size_t n, cap;
};

struct node;

struct draft {
    struct word name;
    enum param_kind kind;
    enum param_scale scale;
    bool has_scale;
    bool broken; /* a fault was found already: say no more of it */
    struct word min, max, step, fallback;
    struct word_list values;
    struct word parent; /* name of the parameter it hangs on */
    struct word_list when;
    const struct node *source; /* borrowed: the spec it was read from */
};

struct drafts {
    struct draft *items;
    size_t n, cap;
};

void word_list_clear(struct word_list *l);
void word_set(struct word *w, const char *text, size_t n, int line, int column,
              bool quoted);
void word_clear(struct word *w);
void word_list_add(struct word_list *l, const char *text, size_t n, int line,
                   int column, bool quoted);

void drafts_clear(struct drafts *d);

/* A fresh draft at the end; valid until the next is added. */
struct draft *drafts_add(struct drafts *d, const char *name, int line,
                         int column);

/* The kind that a list of values has when none is written: DISCRETE if all of
 * them are numbers out of quotes, else CATEGORICAL. */
enum param_kind draft_kind_of(const struct word_list *values);

/* Checks every draft and makes the space of them; *s is meaningful only if no
 * fault was added. */
void drafts_build(const struct drafts *d, struct space *s, struct faults *f);

#endif
