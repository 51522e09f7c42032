/* Lists of words: an argv, or an environment of NAME=value. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_WORDS_H
#define STUDY_WORDS_H

#include <stddef.h>

/* A NULL-terminated list of words that owns them. */
struct words {
    char **items;
    size_t n, cap;
};
void words_init(struct words *w);
void words_clear(struct words *w);
void words_add_take(struct words *w, char *word);
/* Replaces an earlier NAME=… or appends. */
void words_set_env(struct words *w, const char *name, const char *value);
void words_unset_env(struct words *w, const char *name);

/* The text with each $(NAME) replaced by the value of that variable; an
 * unknown one stays as it is, and $$(NAME) is $(NAME) literally. Yours to
 * free. */
char *words_expand(const struct words *known, const char *value);

#endif
