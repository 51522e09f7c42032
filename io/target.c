/* What a request asks for. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/target.h"

#include <event2/http.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Joins the parts of a decoded path, without empty ones and "."; NULL if one
 * is "..". */
static char *straighten(const char *raw)
{
    struct text path;

    text_init(&path);
    while (*raw) {
        size_t n = strcspn(raw, "/");

        if (n == 2 && raw[0] == '.' && raw[1] == '.') {
            text_clear(&path);
            return NULL;
        }
        if (n > 0 && !(n == 1 && raw[0] == '.')) {
            text_add(&path, "/");
            text_add_bytes(&path, raw, n);
        }
        raw += n + (raw[n] == '/');
    }
    if (path.len == 0)
        text_add(&path, "/");
    return text_take(&path);
}

/* Decodes n bytes; NULL if they hold a zero byte. */
static char *decode(const char *raw, size_t n, int plus)
{
    char *copy = mem_copy_bytes(raw, n);
    size_t length = 0;
    char *out = evhttp_uridecode(copy, plus, &length);

    free(copy);
    if (out && strlen(out) == length)
        return out;
    free(out);
    return NULL;
}

static int read_path(struct target *t, const char *raw, size_t n)
{
    char *path = decode(raw, n, 0);

    if (path)
        t->path = straighten(path);
    free(path);
    return t->path ? 0 : -1;
}

static int read_query(struct target *t, const char *raw)
{
    while (*raw) {
        size_t n = strcspn(raw, "&");
        size_t name = strcspn(raw, "=&");
        size_t from = name < n ? name + 1 : n;
        void *query = t->query;
        struct target_pair *p;

        if (n > 0) {
            mem_grow(&query, &t->cap, t->n + 1, sizeof *p);
            t->query = query;
            p = &t->query[t->n++];
            *p = (struct target_pair){0};
            p->name = decode(raw, name, 1);
            p->value = decode(raw + from, n - from, 1);
            if (!p->name || !p->value)
                return -1;
        }
        raw += n + (raw[n] == '&');
    }
    return 0;
}

/* evhttp's own reading takes the "x" of "//x/y" for a host. */
const char *target_host(const char *raw, size_t *n)
{
    const char *host = *raw == '/' ? NULL : strstr(raw, "://");

    if (!host)
        return NULL;
    *n = strcspn(host + 3, "/?#");
    return host + 3;
}

int target_read(struct target *out, const char *raw, struct err *e)
{
    size_t n = 0;
    const char *host = target_host(raw, &n);
    const char *path = host ? host + n : raw;

    *out = (struct target){0};
    n = strcspn(path, "?#");
    if ((n > 0 && *path != '/') || read_path(out, path, n))
        return err_set(e, ERR_INVALID,
                       "the path of the request cannot be used");
    if (path[n] == '?' && read_query(out, path + n + 1))
        return err_set(e, ERR_INVALID,
                       "the query of the request holds a zero byte");
    return 0;
}

void target_clear(struct target *t)
{
    for (size_t i = 0; i < t->n; i++) {
        free(t->query[i].name);
        free(t->query[i].value);
    }
    free(t->query);
    free(t->path);
    *t = (struct target){0};
}

const char *target_value(const struct target *t, const char *name)
{
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->query[i].name, name) == 0)
            return t->query[i].value;
    return NULL;
}
