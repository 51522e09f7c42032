/* Watching a study to its end: events from the service, shown by view. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include <stdbool.h>

#include "base/err.h"
#include "cli/client.h"

struct watch {
    struct client *client;
    const char *study;
    bool from_now; /* tell nothing that happened before */
    bool pauses;   /* an interruption pauses the study; else it only ends the
                      watching */
    /* Brings back a service that was lost; NULL = then it is an error. */
    int (*again)(void *ctx, struct err *e);
    void *ctx;
};

enum watch_end {
    WATCH_SUCCEEDED,
    WATCH_FAILED,
    WATCH_CANCELLED,
    WATCH_PAUSED,      /* it is paused, and nothing runs; not by us */
    WATCH_INTERRUPTED, /* we were, and nothing of the study runs; or, if this
                          does not pause, at once */
    WATCH_LEFT         /* we were interrupted twice */
};

/* interrupt_catch was called before. Ends with the summary on stdout. */
int watch_study(const struct watch *w, enum watch_end *end, struct err *e);

#endif
