/* Faults of a document: every one with its place, collected, so that a person
 * sees all of them at once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stddef.h>

struct fault {
    int line, column; /* from 1; 0 when the fault has no place */
    char *text;       /* one sentence, no full stop */
};

struct faults {
    struct fault *items; /* in the order they were found */
    size_t n, cap;
};

void faults_init(struct faults *f);
void faults_clear(struct faults *f);
void faults_add(struct faults *f, int line, int column, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The one of `names` (n of them) that a person who typed `word` most likely
 * meant, or NULL if none is near (Damerau-Levenshtein distance at most a third
 * of the length, at least 1, and something of the word is left). */
const char *fault_near(const char *word, const char *const *names, size_t n);

#endif
