/* Following a study: a long poll is a kept call with a timer. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/api_events.h"

#include <stdlib.h>

#include "base/mem.h"
#include "tuner/show.h"

enum { LIST_DEFAULT = 100, LIST_MOST = 10000, WAIT_MOST_MS = 30000 };

struct waiting {
    int64_t after, limit;
    struct loop_watch *timer;
};

struct listing {
    struct call *call;
    size_t n;
    bool ended; /* the study */
};

static bool add_event(void *ctx, const struct event_row *row)
{
    struct listing *l = ctx;

    text_add(&l->call->out, l->n++ ? ", " : "");
    show_event(&l->call->out, row);
    return true;
}

static bool add_study(void *ctx, const struct study_row *row)
{
    struct listing *l = ctx;
    struct call *c = l->call;

    show_study(&c->out, row, c->face->store, c->face->engine);
    l->ended = study_state_ended(row->state);
    return false;
}

/* Writes the answer; *news is whether there is something to tell. */
static int look(struct call *c, const struct waiting *w, bool *news,
                struct err *e)
{
    struct listing l = {c, 0, false};

    text_reset(&c->out);
    text_add(&c->out, "{\"events\": [");
    if (store_event_list(c->face->store, c->study, w->after, (int)w->limit,
                         add_event, &l, e))
        return -1;
    text_add(&c->out, "], \"study\": ");
    if (store_study_get(c->face->store, c->study, add_study, &l, e))
        return -1;
    text_add(&c->out, "}");
    *news = l.n > 0 || l.ended;
    return 0;
}

static void waiting_free(void *kept)
{
    struct waiting *w = kept;

    loop_forget(w->timer);
    free(w);
}

static void gone(struct call *c)
{
    call_finish(c);
}

/* Answers a call that waits; without `now`, only if there is news. */
static void tell(struct call *c, bool now)
{
    struct err e;
    bool news = false;

    if (look(c, c->kept, &news, &e)) {
        call_fail(c, &e, NULL);
        news = true;
    }
    if (news || now)
        call_finish(c);
}

static void timed_out(void *ctx)
{
    struct call *c = ctx;
    struct waiting *w = c->kept;

    w->timer = NULL; /* gone after its one call */
    tell(c, true);
}

int api_events(struct call *c, struct err *e)
{
    struct waiting *w;
    struct waiting in = {.limit = LIST_DEFAULT};
    int64_t wait_ms = 0;
    bool news;

    if (call_query(c, "after", 0, INT64_MAX, &in.after, e) ||
        call_query(c, "limit", 1, LIST_MOST, &in.limit, e) ||
        call_query(c, "wait_ms", 0, WAIT_MOST_MS, &wait_ms, e) ||
        look(c, &in, &news, e))
        return -1;
    if (news || wait_ms == 0 || c->face->ending)
        return 0;
    w = mem_new(1, sizeof *w);
    *w = in;
    call_keep(c, w, waiting_free, gone);
    w->timer = loop_after(c->face->loop, wait_ms, timed_out, c);
    return 0;
}

/* Calls of other kinds are kept too: ours are known by their drop. */
static bool waits(const struct call *c)
{
    return c->drop == waiting_free;
}

void api_events_changed(struct face *face, int64_t study)
{
    struct call *next;

    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (waits(c) && c->study == study)
            tell(c, false);
    }
}

void api_events_release(struct face *face)
{
    struct call *next;

    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (waits(c))
            tell(c, true);
    }
}
