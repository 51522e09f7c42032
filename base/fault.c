/* Faults of a document, and what a mistyped word was meant to be. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fault.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LONGEST_WORD = 63 };

void faults_init(struct faults *f)
{
    *f = (struct faults){0};
}

void faults_clear(struct faults *f)
{
    for (size_t i = 0; i < f->n; i++)
        free(f->items[i].text);
    free(f->items);
    faults_init(f);
}

void faults_add(struct faults *f, int line, int column, const char *fmt, ...)
{
    void *items = f->items;
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = mem_copy_text("a fault whose sentence could not be formed");
    va_end(args);
    mem_grow(&items, &f->cap, f->n + 1, sizeof *f->items);
    f->items = items;
    f->items[f->n++] = (struct fault){line, column, text};
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The distance of Damerau and Levenshtein in its restricted form: insertions,
 * deletions, replacements and swaps of neighbours, no letter touched twice.
 * Three rows of the table are enough. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *older = rows[0], *old = rows[1], *now = rows[2];

    for (size_t j = 0; j <= nb; j++)
        old[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *spare = older;

        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            size_t d = old[j - 1] + (a[i - 1] != b[j - 1]);

            d = least(d, least(old[j], now[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = least(d, older[j - 2] + 1);
            now[j] = d;
        }
        older = old;
        old = now;
        now = spare;
    }
    return old[nb];
}

const char *fault_near(const char *word, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t len = strlen(word), nearest = len / 3 > 1 ? len / 3 : 1;

    if (len == 0 || len > LONGEST_WORD)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = strlen(names[i]), d;

        if (other > LONGEST_WORD || other > len + nearest ||
            len > other + nearest)
            continue;
        d = distance(word, len, names[i], other);
        if (d > nearest || d >= len || (best && d == nearest))
            continue;
        best = names[i];
        nearest = d;
    }
    return best;
}
