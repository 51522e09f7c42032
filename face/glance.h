/* A look at the top of a JSON object without reading what lies below: lists
 * of a thousand studies need three words of each specification. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_GLANCE_H
#define FACE_GLANCE_H

#include <stddef.h>

struct glance {
    const char *key;   /* as JSON writes it, without its quotes */
    const char *value; /* found: as it is written, a part of the text; or NULL;
                          to be NULL at first */
    size_t n;          /* the value's bytes */
};

/* Finds the values of `n` keys of the object that `json` is. Returns how many
 * it found. What it does not understand ends the search: text that codec_decode
 * would refuse does no harm. */
size_t glance(const char *json, struct glance *wanted, size_t n);

#endif
