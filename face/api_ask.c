/* Asking for trials: one question to the engine for each, one answer. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_ask.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "face/body.h"
#include "face/show.h"

enum { MOST_ASKED = 1000, MOST_CLIENT = 256 };

struct asking {
    struct body_text client;
    struct body_whole count;
};

static const struct body_field fields[] = {
    {"client", BODY_TEXT, false, offsetof(struct asking, client)},
    {"count", BODY_WHOLE, false, offsetof(struct asking, count)},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* What a call waits for. */
struct asked {
    struct face *face;
    size_t open; /* questions without an answer */
    int64_t *numbers;
    size_t n;
    struct err why; /* the first question that got none */
    int64_t began;  /* steady */
};

static void asked_free(void *kept)
{
    struct asked *a = kept;

    a->face->counts.asking--;
    free(a->numbers);
    free(a);
}

static bool add_trial(void *ctx, const struct trial_row *row)
{
    struct call *c = ctx;

    text_add(&c->out, c->out.data[c->out.len - 1] == '[' ? "" : ", ");
    show_trial(&c->out, row);
    return false;
}

static void answer(struct call *c, const struct asked *a)
{
    struct err e;

    c->face->counts.asks++;
    c->face->counts.asked_ms += clock_steady_ms(&clock_real) - a->began;
    if (a->n == 0) {
        call_fail(c, &a->why, NULL);
        return;
    }
    text_add(&c->out, "{\"trials\": [");
    for (size_t i = 0; i < a->n; i++)
        if (store_trial_get(c->face->store, c->study, a->numbers[i], add_trial,
                            c, &e)) {
            call_fail(c, &e, NULL);
            return;
        }
    text_add(&c->out, "]}");
}

static void closed_one(struct call *c)
{
    struct asked *a = c->kept;

    if (--a->open > 0)
        return;
    if (c->request)
        answer(c, a);
    call_finish(c);
}

static void note(struct asked *a, const struct err *e)
{
    if (e && e->code)
        a->why = *e;
    else
        err_set(&a->why, ERR_BUSY, "no trial can be had now");
}

static void came(void *ctx, int64_t number, const struct err *e)
{
    struct call *c = ctx;
    struct asked *a = c->kept;

    if (number > 0)
        a->numbers[a->n++] = number;
    else if (!a->why.code)
        note(a, e);
    closed_one(c);
}

/* The engine will still answer; the call stays until it has. */
static void gone(struct call *c)
{
    (void)c;
}

static void ask_one(struct call *c, const char *client, size_t nth)
{
    struct asked *a = c->kept;
    char *name = nth == 0 || !*client ? mem_copy_text(client)
                                      : mem_format("%s/%zu", client, nth + 1);
    struct err e;

    if (engine_ask(c->face->engine, c->study, name, came, c, &e)) {
        if (!a->why.code)
            a->why = e;
        a->open--;
    }
    free(name);
}

static int ask(struct call *c, struct asking *in, struct err *e)
{
    size_t n;
    const char *bytes = request_body(c->request, &n);
    int64_t count;
    struct asked *a;

    if (body_read(bytes, n, fields, FIELDS, in, e))
        return -1;
    count = in->count.given ? in->count.value : 1;
    if (count < 1 || count > MOST_ASKED)
        return err_set(e, ERR_INVALID, "\"count\" must be from 1 to %d",
                       MOST_ASKED);
    if (in->client.given && strlen(in->client.value) > MOST_CLIENT)
        return err_set(e, ERR_INVALID, "\"client\" must have at most %d bytes",
                       MOST_CLIENT);
    a = mem_new(1, sizeof *a);
    a->numbers = mem_new((size_t)count, sizeof *a->numbers);
    a->face = c->face;
    a->face->counts.asking++;
    a->began = clock_steady_ms(&clock_real);
    a->open = (size_t)count + 1; /* ours: nothing ends before all are asked */
    call_keep(c, a, asked_free, gone);
    for (size_t i = 0; i < (size_t)count; i++)
        ask_one(c, in->client.given ? in->client.value : "", i);
    if (--a->open == 0) { /* refused at once, every one */
        answer(c, a);
        c->later = false;
    }
    return 0;
}

int api_ask(struct call *c, struct err *e)
{
    struct asking in = {0};
    int rc = ask(c, &in, e);

    body_clear(fields, FIELDS, &in);
    return rc;
}
