/* `watch STUDY`: the live view of run, of a study that others started. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/watch.h"

enum { TRIES = 100, REST_MS = 200 };

/* A service that restarts is waited for. */
static int wait_for_service(void *ctx, struct err *e)
{
    struct client *c = ctx;

    for (int i = 0; i < TRIES && !interrupt_count(); i++) {
        if (!client_get(c, "/healthz", NULL, e) || !client_lost(c))
            return 0;
        interrupt_sleep(REST_MS);
    }
    return -1;
}

static int exit_of(enum watch_end end, const char *study)
{
    switch (end) {
    case WATCH_SUCCEEDED:
        return CMD_DONE;
    case WATCH_FAILED:
        return CMD_NOTHING;
    case WATCH_PAUSED:
        (void)fprintf(stderr,
                      "hypertune: study %s is paused; `hypertune resume %s` "
                      "goes on with it\n",
                      study, study);
        return CMD_INTERRUPTED;
    case WATCH_INTERRUPTED:
        (void)fprintf(
            stderr, "hypertune: no longer watching; study %s goes on\n", study);
        return CMD_INTERRUPTED;
    case WATCH_CANCELLED:
    case WATCH_LEFT:
        break;
    }
    return CMD_INTERRUPTED;
}

int cmd_watch(const struct options *o, struct err *e)
{
    struct client *c;
    struct watch w = {
        .study = o->words[0], .from_now = true, .again = wait_for_service};
    enum watch_end end = WATCH_LEFT;
    int rc;

    if (client_open(&c, o, e))
        return -1;
    interrupt_catch();
    w.client = c;
    w.ctx = c;
    rc = watch_study(&w, &end, e);
    client_close(c);
    return rc ? -1 : exit_of(end, o->words[0]);
}
