/* Studies for the tests of algorithms, made without a file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_ALGORITHMS_SPACES_H
#define TESTS_ALGORITHMS_SPACES_H

#include "study/study.h"

/* Each fills a study that spaces_clear empties. */
typedef void spaces_make_fn(struct study *s);

void spaces_continuous(struct study *s);  /* 3 doubles, one of them log */
void spaces_stepped(struct study *s);     /* 10 x 9 x 4 points, finite */
void spaces_mixed(struct study *s);       /* every kind, nothing conditional */
void spaces_conditional(struct study *s); /* children, and a grandchild */
void spaces_tiny(struct study *s);        /* 2 x 3 points */
void spaces_huge(struct study *s);        /* integers as wide as 2^60 */
void spaces_single(struct study *s);      /* one point */
void spaces_cube(struct study *s, size_t n); /* n doubles in -5 .. 5 */
void spaces_words(struct study *s);          /* a word of 1,000, and a double */
void spaces_clear(struct study *s);

/* Adds a parameter and returns it; valid until the next. */
struct param *spaces_add(struct study *s, enum param_kind kind,
                         const char *name);

#endif
