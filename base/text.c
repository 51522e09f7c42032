/* Growing text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void make_room(struct text *t, size_t more)
{
    void *data = t->data;

    mem_grow(&data, &t->cap, t->len + more + 1, 1);
    t->data = data;
}

void text_init(struct text *t)
{
    *t = (struct text){0};
}

void text_clear(struct text *t)
{
    free(t->data);
    text_init(t);
}

void text_reset(struct text *t)
{
    t->len = 0;
    if (t->data)
        t->data[0] = '\0';
}

void text_add_bytes(struct text *t, const char *bytes, size_t n)
{
    make_room(t, n);
    memcpy(t->data + t->len, bytes, n);
    t->len += n;
    t->data[t->len] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_bytes(t, s, strlen(s));
}

void text_addf(struct text *t, const char *fmt, ...)
{
    va_list args, again;
    int n;

    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n > 0) {
        make_room(t, (size_t)n);
        vsnprintf(t->data + t->len, (size_t)n + 1, fmt, again);
        t->len += (size_t)n;
    }
    va_end(again);
}

const char *text_str(const struct text *t)
{
    return t->data ? t->data : "";
}

char *text_take(struct text *t)
{
    char *taken = t->data ? t->data : mem_new(1, 1);

    text_init(t);
    return taken;
}
