/* Trials that clients request. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/request.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/store_google.h"
#include "tuner/run.h"

int request_trial(struct board *b, struct live_study *s, const char *point,
                  int64_t *number, struct err *e)
{
    struct suggestion at = {.source = "requested"};
    struct live_trial *t;
    struct err why;
    int rc;

    if (point_read_json(&at.point, &s->study.space, point, e))
        return -1;
    rc = run_add(b, s, &at, "", &t);
    point_clear(&at.point);
    if (rc)
        return board_outcome(b, rc, e);
    *number = t->trial.number;
    if (store_google_chosen(b->parts.store, s->id, &why) ||
        board_recount(b, s, &why))
        return board_outcome(b, board_fail(b, &why), e);
    s->dirty = true;
    return 0;
}

int request_assign(struct board *b, struct live_trial *t, const char *client)
{
    struct err e;

    if (store_begin(b->parts.store, &e) ||
        store_google_client(b->parts.store, t->study->id, t->trial.number,
                            client, &e))
        return board_fail(b, &e);
    free(t->client);
    t->client = mem_copy_text(client);
    return 0;
}
