/* An image map: what runs in place of a container image. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/image_map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int wrong(const struct node *at, const char *file, struct err *e,
                 const char *image, const char *what)
{
    return err_set(e, ERR_INVALID, "%.200s:%d:%d: %.100s: %s", file, at->line,
                   at->column, image, what);
}

static bool is_words(const struct node *v)
{
    if (v->kind != NODE_LIST || v->n == 0)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (v->items[i].value->kind != NODE_SCALAR)
            return false;
    return true;
}

static bool is_texts(const struct node *v)
{
    if (v->kind != NODE_MAP)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (v->items[i].value->kind != NODE_SCALAR)
            return false;
    return true;
}

static char *under(const char *folder, const char *path)
{
    return *path == '/' ? mem_copy_text(path)
                        : mem_format("%s/%s", folder, path);
}

static int read_key(struct image *out, const struct node_item *item,
                    const char *file, const char *folder, struct err *e)
{
    const struct node *v = item->value;

    if (strcmp(item->key, "workdir") == 0) {
        if (v->kind != NODE_SCALAR || !*v->text)
            return wrong(v, file, e, out->name, "workdir must be a folder");
        free(out->workdir);
        out->workdir = under(folder, v->text);
        return 0;
    }
    if (strcmp(item->key, "env") == 0) {
        out->env = v;
        return is_texts(v) ? 0
                           : wrong(v, file, e, out->name,
                                   "env must be a map of names and texts");
    }
    if (strcmp(item->key, "prefix") == 0)
        out->prefix = v;
    else if (strcmp(item->key, "entrypoint") == 0)
        out->entrypoint = v;
    else
        return wrong(v, file, e, out->name,
                     "an image has prefix, entrypoint, workdir and env, and "
                     "no other key");
    return is_words(v) ? 0
                       : wrong(v, file, e, out->name,
                               "prefix and entrypoint must be lists of words");
}

static int read_image(struct image *out, const struct node_item *item,
                      const char *file, const char *folder, struct err *e)
{
    const struct node *v = item->value;

    out->name = mem_copy_text(item->key);
    if (is_words(v)) {
        out->prefix = v;
        return 0;
    }
    if (v->kind != NODE_MAP)
        return wrong(v, file, e, out->name,
                     "write the words that run in its place, such as "
                     "[/opt/venv/bin/python]");
    for (size_t i = 0; i < v->n; i++)
        if (read_key(out, &v->items[i], file, folder, e))
            return -1;
    if (!out->prefix && !out->entrypoint && !out->workdir)
        return wrong(v, file, e, out->name,
                     "nothing is said; write prefix, entrypoint or workdir");
    return 0;
}

static int parse(struct image_map *m, const char *bytes, size_t n,
                 const char *file, struct err *e)
{
    struct faults faults;

    faults_init(&faults);
    if (node_parse(bytes, n, &m->doc, &faults))
        err_set(e, ERR_INVALID, "%.200s:%d:%d: %s", file, faults.items->line,
                faults.items->column, faults.items->text);
    faults_clear(&faults);
    if (!m->doc)
        return -1;
    if (m->doc->kind == NODE_MAP)
        return 0;
    return err_set(e, ERR_INVALID,
                   "%.200s: an image map is a map of image names, such as "
                   "gcr.io/acme/digits: [/opt/venv/bin/python]",
                   file);
}

int image_map_read(struct image_map *out, const char *bytes, size_t n,
                   const char *file, const char *folder, struct err *e)
{
    int rc;

    *out = (struct image_map){0};
    rc = parse(out, bytes, n, file, e);
    if (!rc)
        out->images = mem_new(out->doc->n, sizeof *out->images);
    for (size_t i = 0; !rc && i < out->doc->n; i++)
        rc = read_image(&out->images[out->n++], &out->doc->items[i], file,
                        folder, e);
    if (rc)
        image_map_clear(out);
    return rc;
}

void image_map_clear(struct image_map *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->images[i].name);
        free(m->images[i].workdir);
    }
    free(m->images);
    node_free(m->doc);
    *m = (struct image_map){0};
}

const struct image *image_map_find(const struct image_map *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++) {
        const char *known = m->images[i].name;
        size_t n = strlen(known);

        if (n && known[n - 1] == '*' ? strncmp(known, name, n - 1) == 0
                                     : strcmp(known, name) == 0)
            return &m->images[i];
    }
    return NULL;
}
