/* A space: the parameters of a study, their ranges and when they exist. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_SPACE_H
#define STUDY_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum param_kind {
    PARAM_DOUBLE,     /* min..max, perhaps in steps */
    PARAM_INTEGER,    /* low..high, perhaps in steps; exact 64-bit integers */
    PARAM_DISCRETE,   /* numbers from a list, ordered */
    PARAM_CATEGORICAL /* words from a list, without order */
};

enum param_scale { SCALE_LINEAR, SCALE_LOG, SCALE_REVLOG };

/* One parameter's value at a point. Which member holds it follows from the
 * parameter's kind: real for DOUBLE, whole for INTEGER, choice (an index into
 * the list) for DISCRETE and CATEGORICAL. */
struct value {
    bool
        active; /* false: its condition does not hold; the rest means nothing */
    union {
        double real;
        int64_t whole;
        size_t choice;
    };
};

struct param {
    char *name;
    enum param_kind kind;
    enum param_scale scale;
    bool has_scale;        /* the scale was written, not assumed */
    double min, max;       /* DOUBLE; both ends included */
    double step;           /* DOUBLE; 0 = none; values are min + k * step */
    int64_t low, high;     /* INTEGER; both ends included */
    int64_t int_step;      /* INTEGER; at least 1 */
    size_t n_values;       /* DISCRETE and CATEGORICAL */
    double *numbers;       /* DISCRETE: strictly increasing */
    char **words;          /* the list's texts as they were written */
    struct value fallback; /* the declared default; active if there is one */
    int parent;            /* index of an earlier parameter, or -1 */
    size_t n_when;         /* the child exists iff the parent exists and has one
                              of these values */
    struct value *when;
};

struct space {
    struct param *params; /* parents before children */
    size_t n;
};

void space_init(struct space *s);
void space_clear(struct space *s);

/* Index of the parameter of that name, or -1. */
int space_find(const struct space *s, const char *name);

/* The parameter whose {NAME} begins at `at`, or -1; *n is then how many bytes
 * {NAME} has. */
int space_named(const struct space *s, const char *at, size_t *n);

/* How many values the parameter can take: 1 .. UINT64_MAX - 1, or UINT64_MAX
 * for a DOUBLE without step. */
uint64_t param_count(const struct param *p);

/* The k-th value in order, k < param_count(p) (not for plain DOUBLE). */
struct value param_nth(const struct param *p, uint64_t k);

/* Whether an active value is one that the parameter can take. */
bool param_holds(const struct param *p, const struct value *v);

/* Two active values of one parameter are the same value. */
bool param_same(const struct param *p, const struct value *a,
                const struct value *b);

/* The value as a number: real, whole (rounded to double), numbers[choice], or
 * for CATEGORICAL the index. */
double param_number(const struct param *p, const struct value *v);

#endif
