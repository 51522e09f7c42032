/* A document, YAML or JSON, as a tree of raw scalars with their places.
 *
 * Scalars keep their text as it was written: what 1e-4, no or 010 mean is
 * decided by whoever knows the type that the key wants. JSON is read by the
 * same reader (YAML 1.2 is a superset; surrogate pairs in \u escapes are
 * handled). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_NODE_H
#define BASE_NODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/fault.h"

enum node_kind { NODE_NULL, NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node_item {
    char *key;        /* NULL in a list */
    int line, column; /* of the key */
    struct node *value;
};

struct node {
    enum node_kind kind;
    bool quoted; /* a scalar that stood in quotes, or a block scalar */
    int line, column;
    char *text; /* a scalar's text, UTF-8, NUL-terminated; else NULL */
    struct node_item *items; /* of a list or map, in document order */
    size_t n;
};

enum {
    NODE_MOST_BYTES = 4 << 20, /* larger documents are refused unread */
    NODE_MOST_DEPTH = 64,
    NODE_MOST_NODES = 200000 /* aliases counted where they are used */
};

/* Reads one document. On failure *out is NULL and at least one fault is added:
 * syntax, not UTF-8, a NUL, too large or deep, an unknown alias, a duplicate
 * key, more than one document. Plain `null`, `~` and nothing are NODE_NULL. */
int node_parse(const char *bytes, size_t n, struct node **out,
               struct faults *f);
void node_free(struct node *node);

/* The value under that key of a map, or NULL. */
const struct node *node_get(const struct node *map, const char *key);

#endif
