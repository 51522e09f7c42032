/* The corners of a space: the few points at which a program is most likely to
 * show that it does not bear the whole of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_CORNERS_H
#define CLI_CORNERS_H

#include <stdbool.h>
#include <stddef.h>

#include "study/point.h"
#include "study/space.h"

enum { CORNERS_MOST = 100 };

struct corner {
    const char *name; /* "middle", "smallest", "largest", "words", or of a
                         branch "smallest if", "largest if" */
    struct point point;
};

struct corners {
    struct corner *items;
    size_t n;
    bool cut; /* there would be more than CORNERS_MOST */
};

/* The middle first, then all parameters at their smallest and at their largest
 * (of words: the first and the last); then as many as it takes until each
 * parameter that exists only under a condition was at both ends, and each word
 * of each list was there. No two are the same. *out is fresh. */
void corners_init(struct corners *out, const struct space *s);
void corners_clear(struct corners *c);

#endif
