/* An image map: what runs in place of a container image, so that jobs written
 * for containers run as plain processes.
 *
 *     gcr.io/acme/digits:
 *         entrypoint: [./train]      what runs where the job names no command
 *         prefix: [nice, -n, "5"]    before every command; may be left out
 *         workdir: /srv/digits       hangs on the map's folder
 *         env: {OMP_NUM_THREADS: "1"}
 *     gcr.io/acme/other*: [/opt/other/bin/python]  is a prefix alone
 *
 * A name that ends in * stands for all that begin so; the first entry that
 * fits counts. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_IMAGE_MAP_H
#define STUDY_IMAGE_MAP_H

#include <stddef.h>

#include "base/err.h"
#include "base/node.h"

struct image {
    char *name;
    const struct node *prefix, *entrypoint, *env; /* lists of words, and a map
                                  of texts; NULL if not said */
    char *workdir;                                /* absolute, or NULL */
};

struct image_map {
    struct node *doc; /* what the images point into */
    struct image *images;
    size_t n;
};

/* Reads the file's bytes. folder: the absolute folder it lies in. On success
 * *out is to be cleared. ERR_INVALID names the place in `file` and the way
 * out. */
int image_map_read(struct image_map *out, const char *bytes, size_t n,
                   const char *file, const char *folder, struct err *e);
void image_map_clear(struct image_map *m);

/* The entry for that image, or NULL. */
const struct image *image_map_find(const struct image_map *m, const char *name);

#endif
