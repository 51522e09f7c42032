/* A call: one request on its way to its answer. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/call.h"

#include <stdlib.h>

#include "base/mem.h"
#include "face/body.h"
#include "face/reply.h"

enum { SLOW_BYTES = 1 << 20 }; /* more waits for a client: it is slow */

struct call *call_new(struct face *face, struct request *r)
{
    struct call *c = mem_new(1, sizeof *c);

    c->face = face;
    c->request = r;
    c->status = 200;
    c->type = "application/json";
    c->serving = true;
    text_init(&c->out);
    c->next = face->calls;
    if (c->next)
        c->next->prev = c;
    face->calls = c;
    face->counts.open++;
    return c;
}

static void call_free(struct call *c)
{
    if (c->prev)
        c->prev->next = c->next;
    else
        c->face->calls = c->next;
    if (c->next)
        c->next->prev = c->prev;
    if (c->drop)
        c->drop(c->kept);
    c->face->counts.open--;
    c->face->counts.streams -= c->streams;
    text_clear(&c->out);
    free(c);
}

static void gone(void *ctx)
{
    struct call *c = ctx;

    c->request = NULL;
    if (c->gone)
        c->gone(c);
}

void call_keep(struct call *c, void *kept, void (*drop)(void *kept),
               void (*client_gone)(struct call *c))
{
    c->later = true;
    c->kept = kept;
    c->drop = drop;
    c->gone = client_gone;
    request_on_gone(c->request, gone, c);
}

static void count(struct call *c)
{
    int class = c->status / 100;

    if (class < CALL_CLASSES)
        c->face->counts.answers[class]++;
}

void call_stream(struct call *c, void (*sent)(void *call))
{
    c->streams = true;
    c->face->counts.streams++;
    count(c);
    request_stream(c->request, c->status, c->type, sent, c);
}

bool call_push(struct call *c)
{
    if (!c->request)
        return false;
    request_stream_add(c->request, c->out.data, c->out.len);
    text_reset(&c->out);
    return request_stream_left(c->request) < SLOW_BYTES;
}

void call_fail(struct call *c, const struct err *e, const struct faults *f)
{
    text_reset(&c->out);
    c->type = "application/json";
    if (c->complain) {
        c->complain(c, e);
        return;
    }
    c->status = reply_status(f && f->n > 0 ? ERR_INVALID : e->code);
    reply_error(&c->out, e, f);
}

static void send(struct call *c)
{
    struct request *r = c->request;

    c->request = NULL;
    if (r && c->streams) {
        request_stream_end(r);
    } else if (r) {
        count(c);
        request_answer(r, c->status, c->type, c->out.data, c->out.len);
    }
    call_free(c);
}

static void on_disk(void *ctx, bool ok)
{
    struct call *c = ctx;
    struct err e;

    c->face->counts.failed = !ok;
    c->face->counts.unkept--;
    if (!ok && c->status < 400) {
        err_set(&e, ERR_IO,
                "the service could not write to its disk, so nothing was "
                "changed: make room in %s and try again",
                c->face->state_dir);
        call_fail(c, &e, NULL);
    }
    send(c);
}

void call_finish(struct call *c)
{
    c->finished = true;
    if (c->serving)
        return; /* call_served is about to be told */
    if (c->request)
        request_on_gone(c->request, NULL, NULL);
    if (c->request && !c->streams && store_is_open(c->face->store)) {
        c->face->counts.unkept++;
        engine_when_kept(c->face->engine, on_disk, c);
    } else {
        send(c);
    }
}

void call_served(struct call *c, int rc, const struct err *e)
{
    c->serving = false;
    if (rc && !c->streams)
        call_fail(c, e, NULL);
    if (rc || !c->later || c->finished)
        call_finish(c);
}

void call_end_all(struct face *face)
{
    struct call *next;
    struct err e;

    err_set(&e, ERR_BUSY, "the service is ending");
    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (c->request) {
            request_on_gone(c->request, NULL, NULL);
            call_fail(c, &e, NULL);
        }
        send(c);
    }
}

int call_query(const struct call *c, const char *name, int64_t least,
               int64_t most, int64_t *out, struct err *e)
{
    return body_query(name, request_query(c->request, name), least, most, out,
                      e);
}
