/* Following: a long poll is a kept call with a timer, a stream of server-sent
 * events a kept call that sends what is new. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "face/api_page.h"
#include "face/show.h"

enum {
    LIST_DEFAULT = 100,
    LIST_MOST = 10000,
    WAIT_MOST_MS = 30000,
    PIECE = 200,     /* events of a stream that are read at once */
    BEAT_MS = 15000, /* a stream that has nothing to say shows that it lives */
    AGAIN_MS = 5     /* a round is being written: its news comes after it */
};

struct listing {
    struct call *call;
    int64_t n, limit, last;
    bool more;
    bool ended; /* the study */
};

/* ---- a list, now or after a wait ---- */

struct waiting {
    int64_t after, limit;
    struct loop_watch *timer;
};

static bool add_event(void *ctx, const struct event_row *row)
{
    struct listing *l = ctx;

    if (l->n == l->limit) {
        l->more = true;
        return false;
    }
    text_add(&l->call->out, l->n++ ? ", " : "");
    show_event(&l->call->out, row);
    l->last = row->id;
    return true;
}

static bool add_study(void *ctx, const struct study_row *row)
{
    struct listing *l = ctx;
    struct call *c = l->call;

    text_add(&c->out, ", \"study\": ");
    show_study(&c->out, row, c->face->store, c->face->engine);
    l->ended = study_state_ended(row->state);
    return false;
}

/* Writes the answer; *news is whether there is something to tell. */
static int look(struct call *c, const struct waiting *w, bool *news,
                struct err *e)
{
    const struct api_page page = {API_PAGE_EVENTS, c->study, 0};
    struct listing l = {.call = c, .limit = w->limit};

    text_reset(&c->out);
    text_add(&c->out, "{\"events\": [");
    if (store_event_list(c->face->store, c->study, w->after, (int)w->limit + 1,
                         add_event, &l, e))
        return -1;
    text_addf(&c->out, "], \"next\": %" PRId64, l.more ? l.last : 0);
    api_page_write(&c->out, &page, l.more ? l.last : 0);
    if (c->study && store_study_get(c->face->store, c->study, add_study, &l, e))
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
    if (!c->finished)
        tell(c, true);
}

static int list(struct call *c, struct err *e)
{
    const struct api_page page = {API_PAGE_EVENTS, c->study, 0};
    struct waiting *w;
    struct waiting in = {.limit = LIST_DEFAULT};
    int64_t wait_ms = 0;
    bool news;

    if (call_query(c, "after", 0, INT64_MAX, &in.after, e) ||
        api_page_read(c, &page, "after", &in.after, e) ||
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

/* ---- a stream ---- */

struct stream {
    int64_t after;
    bool slow; /* the client: nothing is sent before `sent` */
    struct loop_watch *beat, *again;
};

static void stream_free(void *kept)
{
    struct stream *s = kept;

    loop_forget(s->beat);
    loop_forget(s->again);
    free(s);
}

static bool add_sent(void *ctx, const struct event_row *row)
{
    struct listing *l = ctx;
    struct text *out = &l->call->out;

    text_addf(out, "id: %" PRId64 "\nevent: %s\ndata: ", row->id, row->kind);
    show_event(out, row);
    text_add(out, "\n\n");
    l->n++;
    l->last = row->id;
    return true;
}

static bool is_there(void *ctx, const struct study_row *row)
{
    (void)ctx;
    (void)row;
    return false;
}

static void add_deleted(struct call *c, int64_t study)
{
    text_addf(&c->out, "event: deleted\ndata: {\"study_id\": %" PRId64 "}\n\n",
              study);
}

static void stream_again(void *call);

/* Sends what is new, as far as the client keeps up. What is not on disk yet
 * is not told: the round's end comes first. */
static void stream_on(struct call *c)
{
    struct stream *s = c->kept;
    struct listing l = {.call = c, .n = PIECE};
    struct err e;

    if (store_is_open(c->face->store) && !s->again)
        s->again = loop_after(c->face->loop, AGAIN_MS, stream_again, c);
    while (!s->again && !s->slow && l.n == PIECE) {
        l.n = 0;
        if (store_event_list(c->face->store, c->study, s->after, PIECE,
                             add_sent, &l, &e)) {
            call_finish(c);
            return;
        }
        if (l.n)
            s->after = l.last;
        s->slow = !call_push(c);
    }
}

static void stream_again(void *call)
{
    struct call *c = call;
    struct stream *s = c->kept;

    s->again = NULL;
    stream_on(c);
}

static void stream_sent(void *call)
{
    struct call *c = call;
    struct stream *s = c->kept;

    if (!s->slow)
        return;
    s->slow = false;
    stream_on(c);
}

static void stream_beat(void *call)
{
    struct call *c = call;
    struct stream *s = c->kept;

    text_add(&c->out, ": \n\n");
    s->slow = !call_push(c);
}

/* Where a stream goes on: what the client says that it saw last, else what
 * the query says; -1 means from now on. */
static int read_place(const struct call *c, int64_t *after, struct err *e)
{
    const char *seen = request_header(c->request, "Last-Event-ID");

    if (seen && *seen) {
        if (!number_read_int(seen, after) || *after < 0)
            return err_set(e, ERR_INVALID,
                           "\"Last-Event-ID\" must be the id of an event, not "
                           "\"%.40s\"",
                           seen);
        return 0;
    }
    return call_query(c, "after", -1, INT64_MAX, after, e);
}

static int stream(struct call *c, struct err *e)
{
    struct stream *s;
    int64_t after = 0;

    if (read_place(c, &after, e) ||
        (after < 0 && store_event_last(c->face->store, c->study, &after, e)))
        return -1;
    s = mem_new(1, sizeof *s);
    s->after = after;
    c->type = "text/event-stream";
    request_header_add(c->request, "Cache-Control", "no-store");
    request_header_add(c->request, "X-Accel-Buffering", "no");
    call_keep(c, s, stream_free, gone);
    call_stream(c, stream_sent);
    s->beat = loop_every(c->face->loop, BEAT_MS, stream_beat, c);
    text_add(&c->out, "retry: 2000\n\n");
    call_push(c);
    stream_on(c);
    return 0;
}

int api_events(struct call *c, struct err *e)
{
    const char *accept = request_header(c->request, "Accept");

    if (accept && strstr(accept, "text/event-stream"))
        return stream(c, e);
    return list(c, e);
}

/* ---- news ---- */

/* Calls of other kinds are kept too: ours are known by their drop. */
static bool waits(const struct call *c)
{
    return c->drop == waiting_free && !c->finished;
}

static bool streams(const struct call *c)
{
    return c->drop == stream_free;
}

/* The study is no more: its own stream has nothing left to tell. */
static void stream_deleted(struct call *c, int64_t study)
{
    add_deleted(c, study);
    call_push(c);
    if (c->study)
        call_finish(c);
}

void api_events_changed(struct face *face, int64_t study)
{
    struct call *next;
    struct err e;
    bool deleted = face->counts.streams > 0 &&
                   store_study_get(face->store, study, is_there, NULL, &e) &&
                   e.code == ERR_ABSENT;

    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (c->study && c->study != study)
            continue;
        if (waits(c))
            tell(c, false);
        else if (streams(c) && deleted)
            stream_deleted(c, study);
        else if (streams(c))
            stream_on(c);
    }
}

void api_events_release(struct face *face)
{
    struct call *next;

    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (waits(c))
            tell(c, true);
        else if (streams(c))
            call_finish(c);
    }
}
