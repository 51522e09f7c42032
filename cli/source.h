/* A study file as it lies on disk: read, checked here, ready to be sent. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "base/err.h"
#include "base/fault.h"
#include "base/text.h"
#include "study/study.h"

struct source {
    const char *path; /* as the user wrote it; "-" is standard input */
    char *file;       /* its base name; "study" for standard input */
    char *dir;        /* the folder it lies in, absolute; for standard input
                         the current one */
    struct text bytes;
    struct study study;
};

/* Reads and decodes. Faults are printed to stderr, every one as
 * FILE:LINE:COLUMN: text, and then *e has no sentence, for all is said. *out is
 * to be cleared on success only. */
int source_read(struct source *out, const char *path, struct err *e);
void source_clear(struct source *s);

/* Appends what the file (- is standard input) holds. ERR_INVALID if it cannot
 * be read, or has more than `most` bytes. */
int source_bytes(const char *path, size_t most, struct text *out,
                 struct err *e);

/* Prints the faults to stderr; *e is ERR_INVALID without a sentence. Returns
 * -1. */
int source_faults(const char *path, const struct faults *f, struct err *e);

#endif
