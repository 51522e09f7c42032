/* Places in lists. A token is the key of the last item, behind a check that is
 * made of the key and of the list. It keeps nothing secret; it keeps a program
 * from going on in a list where it did not begin. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_page.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CHECK = 16, TOKEN = 40 };

/* FNV-1a, a byte after the other. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    for (int i = 0; i < 8; i++) {
        hash ^= word >> 8 * i & 0xff;
        hash *= UINT64_C(0x100000001b3);
    }
    return hash;
}

static void print(const struct api_page *p, int64_t key, char out[TOKEN])
{
    uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), (uint64_t)p->list);

    hash = mix(hash, (uint64_t)p->study);
    hash = mix(hash, p->filter);
    hash = mix(hash, (uint64_t)key);
    snprintf(out, TOKEN, "%016" PRIx64 "%" PRIx64, hash, (uint64_t)key);
}

/* The token is written again from what it says: only ours come out equal. */
static int64_t key_of(const struct api_page *p, const char *token)
{
    char ours[TOKEN];
    int64_t key;

    if (strlen(token) <= CHECK || strlen(token) >= TOKEN)
        return 0;
    key = (int64_t)strtoull(token + CHECK, NULL, 16);
    print(p, key, ours);
    return strcmp(ours, token) == 0 ? key : 0;
}

int api_page_read(const struct call *c, const struct api_page *p,
                  const char *instead, int64_t *key, struct err *e)
{
    const char *token = request_query(c->request, "page");
    int64_t read;

    if (!token || !*token)
        return 0;
    if (instead && request_query(c->request, instead))
        return err_set(e, ERR_INVALID,
                       "\"page\" and \"%s\" both say where to begin: send one "
                       "of them",
                       instead);
    read = key_of(p, token);
    if (read <= 0)
        return err_set(e, ERR_INVALID,
                       "\"page\" is no place in this list: send \"next_page\" "
                       "of an earlier answer of the same list with the same "
                       "filter, or leave it out");
    *key = read;
    return 0;
}

void api_page_write(struct text *out, const struct api_page *p, int64_t key)
{
    char token[TOKEN] = "";

    if (key)
        print(p, key, token);
    text_addf(out, ", \"next_page\": \"%s\"", token);
}
