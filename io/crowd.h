/* The connections of a listener: how many there are, and which of them
 * takes too long to say what it wants. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef IO_CROWD_H
#define IO_CROWD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/loop.h"

struct bufferevent; /* libevent's */
struct crowd;

#define CROWD_PATIENT_MS (INT64_MAX / 4) /* slow_ms: nobody is hung up on */

enum {
    CROWD_SLOW_BYTES_PER_MS = 16 /* what a body may take longer: 16 kB/s */
};

/* A request must be whole within slow_ms of its first byte, and the first of
 * a connection that speaks TLS within that of its beginning; large ones get
 * more, see above. Whoever is slower is hung up on, and so is who speaks no
 * HTTP at all. `full` is told when there are `most` connections, and when there
 * are fewer again. */
struct crowd *crowd_new(struct loop *l, size_t most, int64_t slow_ms,
                        void (*full)(void *ctx, bool is), void *ctx);
/* After the connections. NULL is fine. */
void crowd_free(struct crowd *c);

size_t crowd_count(const struct crowd *c);

/* A connection begins, whose socket is set before the loop goes on. With
 * `at_once` its clock runs from now on, else from its first byte. */
void crowd_join(struct crowd *c, struct bufferevent *b, bool at_once);
/* A whole request came: the clock stands until the next one's first byte. */
void crowd_whole(struct crowd *c, struct bufferevent *b);

#endif
