/* A document as a tree, read from libyaml's events with every size bounded. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/node.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/mem.h"
#include "base/mend.h"
#include "base/text.h"

enum { MOST_ANCHORS = 1000 };

struct anchor {
    char *name;
    const struct node *node;
    bool open; /* still being read: an alias to it would hold itself */
};

struct reading {
    yaml_parser_t yaml;
    const struct text *text;
    struct faults *f;
    size_t nodes;
    size_t copied; /* bytes of text that aliases have multiplied */
    struct anchor *anchors;
    size_t n_anchors, cap_anchors;
};

static int line_of(yaml_mark_t m)
{
    return (int)m.line + 1;
}

static int column_of(yaml_mark_t m)
{
    return (int)m.column + 1;
}

void node_free(struct node *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n; i++) {
        free(node->items[i].key);
        node_free(node->items[i].value);
    }
    free(node->items);
    free(node->text);
    free(node);
}

const struct node *node_get(const struct node *map, const char *key)
{
    if (!map || map->kind != NODE_MAP)
        return NULL;
    for (size_t i = 0; i < map->n; i++)
        if (strcmp(map->items[i].key, key) == 0)
            return map->items[i].value;
    return NULL;
}

/* A new node, or NULL with a fault if it is one too many or too deep. */
static struct node *grow(struct reading *r, enum node_kind kind, yaml_mark_t at,
                         int depth)
{
    struct node *node;

    if (depth > NODE_MOST_DEPTH) {
        faults_add(r->f, line_of(at), column_of(at),
                   "lists and maps are nested more than %d deep here",
                   NODE_MOST_DEPTH);
        return NULL;
    }
    if (++r->nodes > NODE_MOST_NODES) {
        faults_add(r->f, line_of(at), column_of(at),
                   "the document holds more than %d values (each alias counts "
                   "for all that it stands for)",
                   NODE_MOST_NODES);
        return NULL;
    }
    node = mem_new(1, sizeof *node);
    node->kind = kind;
    node->line = line_of(at);
    node->column = column_of(at);
    return node;
}

/* Whether a tab stands among the blanks that line (from 0) begins with. */
static bool has_tab(const struct text *text, size_t line)
{
    const char *at = text_str(text);

    for (; line && at; line--) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    return at && at[strspn(at, " ")] == '\t';
}

/* libyaml's own words for what it could not read. */
static void add_syntax(struct reading *r)
{
    const yaml_parser_t *y = &r->yaml;
    yaml_mark_t at = y->problem_mark;
    const char *problem = y->problem ? y->problem : "unreadable";

    if (y->context)
        faults_add(r->f, line_of(at), column_of(at),
                   "this is not YAML or JSON: %s %s that begins on line %d%s",
                   problem, y->context, line_of(y->context_mark),
                   has_tab(r->text, at.line) ? "; indent by blanks, not by tabs"
                                             : "");
    else
        faults_add(r->f, line_of(at), column_of(at),
                   "this is not YAML or JSON: %s", problem);
}

static int next(struct reading *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->yaml, event))
        return 0;
    add_syntax(r);
    return -1;
}

static int add_anchor(struct reading *r, const yaml_char_t *name,
                      const struct node *node)
{
    void *anchors = r->anchors;

    if (r->n_anchors == MOST_ANCHORS) {
        faults_add(r->f, node->line, node->column,
                   "the document has more than %d anchors", MOST_ANCHORS);
        return -1;
    }
    mem_grow(&anchors, &r->cap_anchors, r->n_anchors + 1, sizeof *r->anchors);
    r->anchors = anchors;
    r->anchors[r->n_anchors++] =
        (struct anchor){mem_copy_text((const char *)name), node, true};
    return 0;
}

/* The last anchor of that name counts, as YAML wants it. */
static struct anchor *find_anchor(struct reading *r, const char *name)
{
    for (size_t i = r->n_anchors; i-- > 0;)
        if (strcmp(r->anchors[i].name, name) == 0)
            return &r->anchors[i];
    return NULL;
}

static void close_anchor(struct reading *r, const struct node *node)
{
    for (size_t i = 0; i < r->n_anchors; i++)
        if (r->anchors[i].node == node)
            r->anchors[i].open = false;
}

static int afford(struct reading *r, const char *text, yaml_mark_t at)
{
    r->copied += text ? strlen(text) : 0;
    if (r->copied <= NODE_MOST_BYTES)
        return 0;
    faults_add(r->f, line_of(at), column_of(at),
               "the aliases stand for more than %d MB of text",
               NODE_MOST_BYTES >> 20);
    return -1;
}

static struct node *copy(struct reading *r, const struct node *from,
                         yaml_mark_t at, int depth)
{
    struct node *to = grow(r, from->kind, at, depth);

    if (!to)
        return NULL;
    to->quoted = from->quoted;
    to->line = from->line;
    to->column = from->column;
    if (afford(r, from->text, at) < 0)
        goto fail;
    to->text = mem_copy_text(from->text);
    to->items = from->n ? mem_new(from->n, sizeof *to->items) : NULL;
    for (size_t i = 0; i < from->n; i++) {
        struct node_item *item = &to->items[i];

        if (afford(r, from->items[i].key, at) < 0)
            goto fail;
        *item = from->items[i];
        item->key = mem_copy_text(from->items[i].key);
        to->n++;
        item->value = copy(r, from->items[i].value, at, depth + 1);
        if (!item->value)
            goto fail;
    }
    return to;
fail:
    node_free(to);
    return NULL;
}

static struct node *read_alias(struct reading *r, const yaml_event_t *event,
                               int depth)
{
    const char *name = (const char *)event->data.alias.anchor;
    yaml_mark_t at = event->start_mark;
    const struct anchor *anchor = find_anchor(r, name);
    struct node *node;

    if (!anchor) {
        faults_add(r->f, line_of(at), column_of(at),
                   "the alias *%.60s has no anchor &%.60s before it", name,
                   name);
        return NULL;
    }
    if (anchor->open) {
        faults_add(r->f, line_of(at), column_of(at),
                   "the alias *%.60s stands inside what it stands for", name);
        return NULL;
    }
    node = copy(r, anchor->node, at, depth);
    if (node) {
        node->line = line_of(at);
        node->column = column_of(at);
    }
    return node;
}

static bool means_null(const char *text)
{
    return text[0] == '\0' || strcmp(text, "~") == 0 ||
           strcmp(text, "null") == 0;
}

/* The text of a scalar, or NULL with a fault if an escape put a NUL in it. */
static char *scalar_text(struct reading *r, const yaml_event_t *event)
{
    const char *bytes = (const char *)event->data.scalar.value;
    size_t n = event->data.scalar.length;

    if (memchr(bytes, '\0', n)) {
        faults_add(r->f, line_of(event->start_mark),
                   column_of(event->start_mark),
                   "the text holds a NUL character (\\0 or \\u0000)");
        return NULL;
    }
    return mem_copy_bytes(bytes, n);
}

static bool stands_quoted(const yaml_event_t *event)
{
    const char *tag = (const char *)event->data.scalar.tag;

    if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
        return true;
    return tag && (strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, "!") == 0);
}

static struct node *read_scalar(struct reading *r, const yaml_event_t *event,
                                int depth)
{
    struct node *node = grow(r, NODE_SCALAR, event->start_mark, depth);

    if (!node)
        return NULL;
    node->quoted = stands_quoted(event);
    node->text = scalar_text(r, event);
    if (!node->text) {
        node_free(node);
        return NULL;
    }
    if (!node->quoted && means_null(node->text)) {
        free(node->text);
        node->text = NULL;
        node->kind = NODE_NULL;
    }
    return node;
}

static int by_key(const void *a, const void *b)
{
    const struct node_item *x = *(const struct node_item *const *)a;
    const struct node_item *y = *(const struct node_item *const *)b;
    int order = strcmp(x->key, y->key);

    if (order)
        return order;
    return x < y ? -1 : x > y; /* document order */
}

static int refuse_twins(struct reading *r, const struct node *map)
{
    const struct node_item **sorted = mem_new(map->n, sizeof *sorted);
    int rc = 0;

    for (size_t i = 0; i < map->n; i++)
        sorted[i] = &map->items[i];
    qsort(sorted, map->n, sizeof *sorted, by_key);
    for (size_t i = 1; i < map->n; i++) {
        const struct node_item *twin = sorted[i];

        if (strcmp(sorted[i - 1]->key, twin->key) != 0)
            continue;
        faults_add(r->f, twin->line, twin->column,
                   "the key \"%.60s\" stands here twice (first on line %d)",
                   twin->key, sorted[i - 1]->line);
        rc = -1;
    }
    free(sorted);
    return rc;
}

static struct node *read_value(struct reading *r, yaml_event_t *event,
                               int depth);

static int read_key(struct reading *r, const yaml_event_t *event,
                    struct node_item *item)
{
    item->line = line_of(event->start_mark);
    item->column = column_of(event->start_mark);
    if (event->type != YAML_SCALAR_EVENT) {
        faults_add(r->f, item->line, item->column,
                   "a key must be a plain word or quoted text");
        return -1;
    }
    item->key = scalar_text(r, event);
    return item->key ? 0 : -1;
}

/* Reads one entry of a list or map. Returns 1, 0 at the end, or -1. */
static int read_entry(struct reading *r, struct node *into, int depth,
                      size_t *cap)
{
    yaml_event_t event;
    struct node_item item = {0};
    void *items = into->items;

    if (next(r, &event) < 0)
        return -1;
    if (event.type == YAML_SEQUENCE_END_EVENT ||
        event.type == YAML_MAPPING_END_EVENT) {
        yaml_event_delete(&event);
        return 0;
    }
    item.line = line_of(event.start_mark);
    item.column = column_of(event.start_mark);
    if (into->kind == NODE_MAP) {
        int rc = read_key(r, &event, &item);

        yaml_event_delete(&event);
        if (rc < 0 || next(r, &event) < 0) {
            free(item.key);
            return -1;
        }
    }
    item.value = read_value(r, &event, depth + 1);
    if (!item.value) {
        free(item.key);
        return -1;
    }
    mem_grow(&items, cap, into->n + 1, sizeof item);
    into->items = items;
    into->items[into->n++] = item;
    return 1;
}

static int read_items(struct reading *r, struct node *into, int depth)
{
    size_t cap = 0;
    int more;

    do
        more = read_entry(r, into, depth, &cap);
    while (more > 0);
    if (more < 0)
        return -1;
    return into->kind == NODE_MAP ? refuse_twins(r, into) : 0;
}

static const yaml_char_t *anchor_of(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.anchor;
    default:
        return NULL;
    }
}

/* The value that begins with this event, which is deleted here. */
static struct node *read_value(struct reading *r, yaml_event_t *event,
                               int depth)
{
    const yaml_char_t *anchor = anchor_of(event);
    bool holds = event->type == YAML_SEQUENCE_START_EVENT ||
                 event->type == YAML_MAPPING_START_EVENT;
    struct node *node;
    int rc = 0;

    if (event->type == YAML_ALIAS_EVENT)
        node = read_alias(r, event, depth);
    else if (event->type == YAML_SCALAR_EVENT)
        node = read_scalar(r, event, depth);
    else
        node = grow(
            r, event->type == YAML_MAPPING_START_EVENT ? NODE_MAP : NODE_LIST,
            event->start_mark, depth);
    if (node && anchor)
        rc = add_anchor(r, anchor, node);
    yaml_event_delete(event);
    if (node && rc == 0 && holds)
        rc = read_items(r, node, depth);
    if (node && rc < 0) {
        node_free(node);
        return NULL;
    }
    if (node && anchor)
        close_anchor(r, node);
    return node;
}

/* Skips to the next event that is not the stream's or a document's start.
 * Returns 1, 0 at the end of the stream, or -1. */
static int enter(struct reading *r, yaml_event_t *event)
{
    for (;;) {
        yaml_event_type_t type;

        if (next(r, event) < 0)
            return -1;
        type = event->type;
        if (type != YAML_STREAM_START_EVENT &&
            type != YAML_DOCUMENT_START_EVENT &&
            type != YAML_DOCUMENT_END_EVENT && type != YAML_STREAM_END_EVENT)
            return 1;
        yaml_event_delete(event);
        if (type == YAML_STREAM_END_EVENT)
            return 0;
    }
}

static struct node *read_document(struct reading *r)
{
    yaml_event_t event;
    struct node *node;
    int more = enter(r, &event);

    if (more == 0)
        faults_add(r->f, 1, 1, "the document is empty");
    if (more <= 0)
        return NULL;
    node = read_value(r, &event, 1);
    if (!node)
        return NULL;
    more = enter(r, &event);
    if (more == 0)
        return node;
    if (more > 0) {
        faults_add(r->f, line_of(event.start_mark), column_of(event.start_mark),
                   "a second document begins here; put it into a file of "
                   "its own");
        yaml_event_delete(&event);
    }
    node_free(node);
    return NULL;
}

static int check_size(size_t n, struct faults *f)
{
    if (n <= NODE_MOST_BYTES)
        return 0;
    faults_add(f, 0, 0,
               "the document has %zu bytes, and more than %d are not read", n,
               NODE_MOST_BYTES);
    return -1;
}

int node_parse(const char *bytes, size_t n, struct node **out, struct faults *f)
{
    struct text text;
    struct reading r = {.text = &text, .f = f};

    *out = NULL;
    if (check_size(n, f) < 0 || mend_check(bytes, n, f) < 0)
        return -1;
    text_init(&text);
    mend_text(bytes, n, &text);
    if (!yaml_parser_initialize(&r.yaml)) {
        text_clear(&text);
        faults_add(f, 0, 0, "there is no memory to read the document");
        return -1;
    }
    yaml_parser_set_encoding(&r.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(
        &r.yaml, (const unsigned char *)text_str(&text), text.len);
    *out = read_document(&r);
    yaml_parser_delete(&r.yaml);
    for (size_t i = 0; i < r.n_anchors; i++)
        free(r.anchors[i].name);
    free(r.anchors);
    text_clear(&text);
    return *out ? 0 : -1;
}
