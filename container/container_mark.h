/* FOLDER/container: under which names a job's containers run, and how the job
 * ended once that is known. Written before the first container is made, so that
 * they are found again by whoever comes later, and before the last is removed,
 * so that an end is never lost with them.
 *
 * Text, one `key=value` a line: id, replica (NAME FOLDER, the master first),
 * end, ran_ms, blame, broke, text. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_MARK_H
#define TRIALS_CONTAINER_MARK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "trials/launcher.h"

enum { CONTAINER_ID = 13 };

struct container_mark {
    char id[CONTAINER_ID]; /* hexadecimal, drawn by lot */
    struct container_part {
        char *name, *folder;
    } * parts;
    size_t n;
    bool ended;
    struct launcher_news end; /* without the job's name; its texts are the
                                 mark's */
    char *broke, *text;
};

/* A new id for that job. Nothing is written. */
void container_mark_init(struct container_mark *m, const struct job *job);
void container_mark_clear(struct container_mark *m); /* may be called twice */

/* Returns false if there is none (or none that can be read); else *m is to be
 * cleared. */
bool container_mark_read(struct container_mark *m, const char *folder);
int container_mark_write(const struct container_mark *m, const char *folder,
                         struct err *e);
/* Copies the news' texts. */
void container_mark_end(struct container_mark *m,
                        const struct launcher_news *end);

#endif
