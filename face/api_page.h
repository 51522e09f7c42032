/* Places in lists: every list is paged by key, and the place where the next
 * page begins is a word that only that list understands. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_API_PAGE_H
#define FACE_API_PAGE_H

#include "face/call.h"

enum api_page_list {
    API_PAGE_STUDIES,
    API_PAGE_TRIALS,
    API_PAGE_CHANGES, /* trials in the order of their changes */
    API_PAGE_BEST,
    API_PAGE_EVENTS
};

/* What a list is of: its token fits no other. */
struct api_page {
    enum api_page_list list;
    int64_t study;   /* 0 = of all */
    unsigned filter; /* what else chooses its items */
};

/* Reads the query's "page" into *key, the key of the last item that was seen;
 * without one *key is left alone. `instead` names the parameter that says the
 * same (it must not be given too); may be NULL. ERR_INVALID for a token of
 * another list, or none. */
int api_page_read(const struct call *c, const struct api_page *p,
                  const char *instead, int64_t *key, struct err *e);

/* `, "next_page": "…"`; "" if key is 0, for then nothing is left. */
void api_page_write(struct text *out, const struct api_page *p, int64_t key);

#endif
