/* Growing text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

/* data is NUL-terminated once anything was added, and NULL before. */
struct text {
    char *data;
    size_t len, cap;
};

void text_init(struct text *t);
void text_clear(struct text *t); /* frees; may be called twice */
void text_reset(struct text *t); /* empties, keeps the memory */
void text_add(struct text *t, const char *s);
void text_add_bytes(struct text *t, const char *bytes, size_t n);
void text_addf(struct text *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
const char *
text_str(const struct text *t);  /* never NULL; valid until the next add */
char *text_take(struct text *t); /* yours to free; t is empty after */

#endif
