/* Memory that is always there: out of memory logs and aborts, because the
 * store is the truth and a restart recovers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/* Zeroed memory for n things of that size; n = 0 gives a pointer to free. */
void *mem_new(size_t n, size_t size);

/* Like realloc, for n things; the added part is not zeroed. */
void *mem_resize(void *old, size_t n, size_t size);

/* Grows *data (capacity *cap things) so that it holds at least `need`. */
void mem_grow(void **data, size_t *cap, size_t need, size_t size);

char *mem_copy_text(const char *text);             /* NULL gives NULL */
char *mem_copy_bytes(const char *bytes, size_t n); /* and a NUL after them */
char *mem_format(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
