/* Tokens that were given to others: who they are, what they may do, and the
 * hash of the secret, never the secret.
 *
 * Like store/store.h: what writes runs inside a transaction. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STORE_STORE_TOKEN_H
#define STORE_STORE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "store/store.h"

struct token_row {
    const char *name;
    const char *hash; /* SHA-256 in hex */
    const char *role; /* a word of the caller's */
    int64_t created_ms;
    int64_t expires_ms; /* 0 = never */
};
typedef bool store_token_fn(void *ctx, const struct token_row *row);

/* ERR_CONFLICT if a token of that name is there. */
int store_token_add(struct store *s, const struct token_row *row,
                    struct err *e);
/* ERR_ABSENT if there is none of that name. */
int store_token_delete(struct store *s, const char *name, struct err *e);
/* By name. */
int store_token_list(struct store *s, store_token_fn *fn, void *ctx,
                     struct err *e);
/* Calls fn once if a token has that hash, expired or not, else never. */
int store_token_find(struct store *s, const char *hash, store_token_fn *fn,
                     void *ctx, struct err *e);

#endif
