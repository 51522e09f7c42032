/* `logs STUDY TRIAL`: what the trial printed, byte for byte. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"

enum { POLL_MS = 300 };

struct logs {
    struct client *client;
    const char *study, *stream;
    const char *replica; /* "" = the master */
    int64_t number, attempt, offset;
    struct text bytes;
};

/* The next piece to stdout; *ended once there is no more to come. */
static int piece(struct logs *g, bool *ended, struct err *e)
{
    int64_t next = -1;

    if (client_log(g->client,
                   client_study(g->client, g->study,
                                "/trials/%lld/log?stream=%s&attempt=%lld"
                                "&offset=%lld%s%s",
                                (long long)g->number, g->stream,
                                (long long)g->attempt, (long long)g->offset,
                                *g->replica ? "&replica=" : "", g->replica),
                   &g->bytes, &next, ended, e))
        return -1;
    if (g->bytes.len)
        (void)fwrite(g->bytes.data, 1, g->bytes.len, stdout);
    g->offset = next >= 0 ? next : g->offset + (int64_t)g->bytes.len;
    return 0;
}

static int print(struct logs *g, bool follow, struct err *e)
{
    bool ended = false;

    for (;;) {
        if (piece(g, &ended, e))
            return -1;
        if (g->bytes.len)
            continue;
        if (!follow || ended)
            return 0;
        (void)fflush(stdout);
        interrupt_sleep(POLL_MS);
    }
}

/* What stands in an address as it is; the service knows which there are. */
static int check_replica(const struct logs *g, struct err *e)
{
    if (!g->replica[strspn(g->replica, "abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789-_")])
        return 0;
    return err_set(e, ERR_INVALID,
                   "--replica %.100s is no name of a replica, such as worker-0",
                   g->replica);
}

/* An attempt that was asked for by its number must have been made. */
static int check_attempt(struct logs *g, struct err *e)
{
    json_t *trial;
    long long made;

    if (!g->attempt)
        return 0;
    if (client_get(g->client,
                   client_study(g->client, g->study, "/trials/%lld",
                                (long long)g->number),
                   &trial, e))
        return -1;
    made = json_integer_value(json_object_get(trial, "attempt"));
    json_decref(trial);
    if (g->attempt > made)
        return err_set(e, ERR_ABSENT,
                       "trial %lld has no attempt %lld, its latest is %lld",
                       (long long)g->number, (long long)g->attempt, made);
    return 0;
}

int cmd_logs(const struct options *o, struct err *e)
{
    struct logs g = {.study = o->words[0],
                     .stream = o->text[OPTION_STDERR] ? "stderr" : "stdout",
                     .attempt = o->number[OPTION_ATTEMPT]};
    int rc;

    g.replica = o->text[OPTION_REPLICA] ? o->text[OPTION_REPLICA] : "";
    if (check_replica(&g, e) || cmd_number(o->words[1], &g.number, e) ||
        client_look(&g.client, o, e))
        return -1;
    text_init(&g.bytes);
    rc = check_attempt(&g, e);
    if (!rc)
        rc = print(&g, o->text[OPTION_FOLLOW] != NULL, e);
    text_clear(&g.bytes);
    client_close(g.client);
    return rc ? -1 : CMD_DONE;
}
