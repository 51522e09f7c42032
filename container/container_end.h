/* What the end of a container says of its job. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_END_H
#define TRIALS_CONTAINER_END_H

#include <stdbool.h>

#include "container/container_box.h"
#include "trials/launcher.h"

enum { CONTAINER_END_TEXT = 512 };

/* Of one that has exited. Fills in all but job_name and replica; the sentence,
 * if there is one, is kept in `text`. */
void container_end_of(const struct container_box *b, struct launcher_news *out,
                      char text[CONTAINER_END_TEXT]);

/* Whether its program never ran: the first process, which is ours, could not
 * start it, and said so. The output is in its files. */
bool container_end_unstarted(const struct container_box *b,
                             char text[CONTAINER_END_TEXT]);

#endif
