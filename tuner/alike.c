/* Errors that differ only in numbers are the same error. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/alike.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *alike_key(const char *sentence)
{
    char *key = mem_copy_text(sentence);
    char *to = key;

    for (const char *at = sentence; *at; at++) {
        if (!isdigit((unsigned char)*at))
            *to++ = *at;
        else if (to == key || to[-1] != '#')
            *to++ = '#';
    }
    *to = '\0';
    return key;
}

void alike_add(struct alike *a, int64_t number, const char *sentence)
{
    char *key = alike_key(sentence);
    void *groups = a->groups;

    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->groups[i].key, key) == 0) {
            a->groups[i].n++;
            free(key);
            return;
        }
    mem_grow(&groups, &a->cap, a->n + 1, sizeof *a->groups);
    a->groups = groups;
    a->groups[a->n++] =
        (struct alike_group){key, mem_copy_text(sentence), 1, number};
}

void alike_clear(struct alike *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->groups[i].key);
        free(a->groups[i].sentence);
    }
    free(a->groups);
    *a = (struct alike){0};
}

static int by_size(const void *a, const void *b)
{
    const struct alike_group *x = a, *y = b;

    if (x->n != y->n)
        return x->n > y->n ? -1 : 1;
    return x->first < y->first ? -1 : 1;
}

void alike_write(struct alike *a, size_t most, struct text *out)
{
    int64_t left = 0;

    if (a->n)
        qsort(a->groups, a->n, sizeof *a->groups, by_size);
    for (size_t i = 0; i < a->n; i++) {
        const struct alike_group *g = &a->groups[i];

        if (i >= most)
            left += g->n;
        else if (g->n == 1)
            text_addf(out, "trial %lld: %s\n", (long long)g->first,
                      g->sentence);
        else
            text_addf(out, "%lld trials: %s; first trial %lld\n",
                      (long long)g->n, g->sentence, (long long)g->first);
    }
    if (left)
        text_addf(out, "and %lld trials in other ways\n", (long long)left);
}
