/* Walking through JSON objects that stand one after the other in a file,
 * without reading what is in them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_EXTRACT_H
#define STUDY_EXTRACT_H

#include <stdbool.h>

/* A part of the bytes, and where in the file it began. */
struct extract {
    const char *at, *end;
    int line; /* from 1 */
    const char *line_began;
};

int extract_column(const struct extract *p); /* from 1 */
void extract_step(struct extract *p);        /* over one byte; at < end */
void extract_skip_blanks(struct extract *p);

/* From the { at p to behind its }; false if there is none. */
bool extract_skip_object(struct extract *p);

/* Makes a place within the part, which began there, one of the file. */
void extract_shift(const struct extract *began, int *line, int *column);

#endif
