/* A look at the top of a JSON object: strings and brackets are told apart,
 * nothing else is understood. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/glance.h"

#include <string.h>

static const char *skip_space(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* From the opening quote to behind the closing one; to the end if there is
 * none. */
static const char *skip_string(const char *s)
{
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1])
            s++;
    return *s ? s + 1 : s;
}

/* To the comma or bracket that ends the value. */
static const char *skip_value(const char *s)
{
    size_t depth = 0;

    for (;;) {
        s += strcspn(s, "\"{}[],");
        if (*s == '"') {
            s = skip_string(s);
            continue;
        }
        if (!*s || (!depth && (*s == ',' || *s == '}' || *s == ']')))
            return s;
        if (*s == '{' || *s == '[')
            depth++;
        else if (*s != ',')
            depth--;
        s++;
    }
}

static size_t trimmed(const char *from, const char *to)
{
    while (to > from && strchr(" \t\r\n", to[-1]))
        to--;
    return (size_t)(to - from);
}

/* One more if the key is wanted. */
static size_t take(const char *key, size_t key_n, const char *value, size_t n,
                   struct glance *wanted, size_t n_wanted)
{
    for (size_t i = 0; i < n_wanted; i++)
        if (!wanted[i].value && strncmp(wanted[i].key, key, key_n) == 0 &&
            !wanted[i].key[key_n]) {
            wanted[i].value = value;
            wanted[i].n = n;
            return 1;
        }
    return 0;
}

size_t glance(const char *json, struct glance *wanted, size_t n)
{
    const char *at = skip_space(json);
    size_t found = 0;

    if (*at != '{')
        return 0;
    do {
        const char *key = skip_space(at + 1);
        const char *value;
        size_t key_n;

        if (*key != '"')
            break;
        at = skip_string(key++);
        key_n = at > key ? (size_t)(at - key - 1) : 0;
        at = skip_space(at);
        if (*at != ':')
            break;
        value = skip_space(at + 1);
        at = skip_value(value);
        found += take(key, key_n, value, trimmed(value, at), wanted, n);
    } while (*at == ',' && found < n);
    return found;
}
