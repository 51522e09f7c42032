/* Memory that is always there, or the program ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *sure(void *got)
{
    if (!got) {
        fputs("level=error event=out_of_memory\n", stderr);
        abort();
    }
    return got;
}

void *mem_new(size_t n, size_t size)
{
    return sure(calloc(n ? n : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t n, size_t size)
{
    if (size && n > SIZE_MAX / size)
        sure(NULL);
    n *= size;
    return sure(realloc(old, n ? n : 1));
}

void mem_grow(void **data, size_t *cap, size_t need, size_t size)
{
    size_t room = *cap ? *cap : 8;

    if (need <= *cap)
        return;
    while (room < need)
        room = room > SIZE_MAX / 2 ? need : room * 2;
    *data = mem_resize(*data, room, size);
    *cap = room;
}

char *mem_copy_text(const char *text)
{
    return text ? sure(strdup(text)) : NULL;
}

char *mem_copy_bytes(const char *bytes, size_t n)
{
    char *copy = mem_new(n + 1, 1);

    memcpy(copy, bytes, n);
    return copy;
}

char *mem_format(const char *fmt, ...)
{
    va_list args;
    char *out = NULL;

    va_start(args, fmt);
    if (vasprintf(&out, fmt, args) < 0)
        out = NULL;
    va_end(args);
    return sure(out);
}
