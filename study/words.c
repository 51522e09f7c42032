/* Lists of words: an argv, or an environment of NAME=value. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/words.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* What the name of a variable is made of. */
static const char in_a_name[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

void words_init(struct words *w)
{
    *w = (struct words){0};
}

void words_clear(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->items[i]);
    free(w->items);
    words_init(w);
}

void words_add_take(struct words *w, char *word)
{
    void *items = w->items;

    mem_grow(&items, &w->cap, w->n + 2, sizeof *w->items);
    w->items = items;
    w->items[w->n++] = word;
    w->items[w->n] = NULL;
}

static size_t find_env(const struct words *w, const char *name, size_t len)
{
    size_t i = 0;

    while (i < w->n &&
           (strncmp(w->items[i], name, len) != 0 || w->items[i][len] != '='))
        i++;
    return i;
}

void words_set_env(struct words *w, const char *name, const char *value)
{
    size_t i = find_env(w, name, strlen(name));
    char *word = mem_format("%s=%s", name, value);

    if (i == w->n || !w->items) {
        words_add_take(w, word);
        return;
    }
    free(w->items[i]);
    w->items[i] = word;
}

void words_unset_env(struct words *w, const char *name)
{
    size_t i = find_env(w, name, strlen(name));

    if (i == w->n)
        return;
    free(w->items[i]);
    memmove(&w->items[i], &w->items[i + 1],
            (w->n - i) * sizeof *w->items); /* the NULL too */
    w->n--;
}

char *words_expand(const struct words *known, const char *value)
{
    struct text out;

    text_init(&out);
    text_add(&out, "");
    while (*value) {
        size_t len, i;

        if (strncmp(value, "$$(", 3) == 0) {
            text_add(&out, "$(");
            value += 3;
            continue;
        }
        len = strncmp(value, "$(", 2) == 0 ? strspn(value + 2, in_a_name) : 0;
        if (len == 0 || value[len + 2] != ')') {
            text_add_bytes(&out, value++, 1);
            continue;
        }
        i = find_env(known, value + 2, len);
        if (i < known->n)
            text_add(&out, known->items[i] + len + 1);
        else
            text_add_bytes(&out, value, len + 3);
        value += len + 3;
    }
    return text_take(&out);
}
