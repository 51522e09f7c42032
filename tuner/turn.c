/* The turn: once a round of the loop the board is settled, stored and acted
 * upon; and what becomes of it when the store fails. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/turn.h"

#include <stdlib.h>

#include "base/log.h"
#include "tuner/deeds.h"
#include "tuner/fill.h"
#include "tuner/recover.h"

enum {
    ROUNDS = 100,   /* of settling in one turn, before the loop goes on */
    STUCK_MS = 1000 /* between tries to write again after a failed one */
};

void turn_forget_all(struct board *b)
{
    for (struct live_study *s = b->studies; s; s = s->next)
        board_refuse(b, s, &b->trouble);
    board_drop_all(b);
    deeds_do(b, false);
}

/* The store failed: nothing of this round is true. Everything is forgotten,
 * those who wait are told, and a second later it is all read again. */
static void start_over(struct turn *t, struct board *b)
{
    log_write(LOG_LEVEL_ERROR, "store_failed", "text=\"%s\"", b->trouble.text);
    store_rollback(b->parts.store);
    b->generation++;
    turn_forget_all(b);
    b->n_touched = 0;
    b->broken = false;
    t->stuck = true;
    t->try_again = board_steady(b) + STUCK_MS;
}

static void settle(struct board *b)
{
    struct live_study *next;
    bool again = true;

    for (int i = 0; again && i < ROUNDS && !b->broken; i++) {
        again = false;
        for (struct live_study *s = b->studies; s && !b->broken; s = next) {
            next = s->next;
            if (!s->dirty)
                continue;
            again = true;
            fill_study(b, s);
        }
    }
}

static void tell_touched(struct board *b)
{
    int64_t *touched = b->touched;
    size_t n = b->n_touched;

    b->touched = NULL;
    b->n_touched = b->touched_cap = 0;
    for (size_t i = 0; i < n && b->parts.changed; i++)
        b->parts.changed(b->parts.ctx, touched[i]);
    free(touched);
}

static bool idle(const struct board *b)
{
    if (b->broken || b->n_deeds || b->n_touched ||
        store_is_open(b->parts.store))
        return false;
    for (const struct live_study *s = b->studies; s; s = s->next)
        if (s->dirty)
            return false;
    return true;
}

void turn_do(struct turn *t, struct board *b)
{
    for (int i = 0; i < ROUNDS && !idle(b); i++) {
        struct err e;

        settle(b);
        if (!b->broken && store_commit(b->parts.store, &e))
            board_fail(b, &e);
        if (b->broken) {
            start_over(t, b);
            return;
        }
        deeds_do(b, true);
        tell_touched(b);
    }
}

void turn_come_back(struct turn *t, struct board *b)
{
    struct err e;

    if (board_steady(b) < t->try_again)
        return;
    t->stuck = false;
    if (recover_all(b, &e) == 0)
        return;
    board_fail(b, &e);
    start_over(t, b);
}
