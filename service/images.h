/* The file that --image-map names. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_IMAGES_H
#define SERVICE_IMAGES_H

#include "base/err.h"
#include "study/image_map.h"

/* Reads it; path is absolute. *out is to be cleared on success. Once, when the
 * service begins. A workdir that is no folder is told in the log. */
int images_read(struct image_map *out, const char *path, struct err *e);

#endif
