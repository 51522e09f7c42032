/* What matters, worked out beside the rest. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_importance.h"

#include <stdlib.h>

#include "algorithms/algorithms.h"
#include "base/mem.h"
#include "io/work.h"
#include "tuner/mind.h"

/* Results are weighed on a thread of their own, begun when the first are: a
 * look keeps no suggestion waiting, and whoever only looks has no other thread.
 * What was found is kept. */
enum { KEPT = 8 };

/* A study's results, as far as their numbers tell one time from another. */
struct results {
    int64_t study, succeeded, stopped, given;
};

struct desk {
    struct face *face;
    struct worker *worker;
    struct task *tasks; /* given to the worker and not back yet */
    bool closing;
    struct found {
        struct results of; /* study 0: nothing is kept here */
        char *json;
    } found[KEPT];
    size_t oldest;
};

struct task {
    struct task *next;
    struct desk *desk;
    struct results of;
    struct weighing weighing;
};

/* What a call keeps that waits for a task. */
struct waiting {
    const struct task *task; /* NULL once it is back */
    const char *close;
};

static bool same(const struct results *a, const struct results *b)
{
    return a->study == b->study && a->succeeded == b->succeeded &&
           a->stopped == b->stopped && a->given == b->given;
}

static void task_free(struct task *t)
{
    weighing_clear(&t->weighing);
    free(t);
}

static struct desk *desk_open(struct face *face, struct err *e)
{
    struct desk *d = face->desk;

    if (d)
        return d;
    d = mem_new(1, sizeof *d);
    d->face = face;
    if (work_open(&d->worker, face->loop, e)) {
        free(d);
        return NULL;
    }
    if (face->look_only)
        algorithms_init(); /* nobody else had need of it */
    face->desk = d;
    return d;
}

static void add_found(struct call *c, const char *json, const char *close)
{
    text_add(&c->out, json);
    text_add(&c->out, close);
}

static const char *keep(struct desk *d, const struct task *t)
{
    struct found *f = &d->found[d->oldest++ % KEPT];
    struct text json;

    text_init(&json);
    weighing_write(&t->weighing, &json);
    free(f->json);
    f->of = t->of;
    f->json = text_take(&json);
    return f->json;
}

static void think(void *task)
{
    struct task *t = task;

    weighing_think(&t->weighing);
}

/* The drop of calls that wait for a task. */
static void waiting_free(void *kept)
{
    free(kept);
}

static void answer_all(const struct task *t, const char *json)
{
    struct call *next;

    for (struct call *c = t->desk->face->calls; c; c = next) {
        struct waiting *w = c->kept;

        next = c->next;
        if (c->drop != waiting_free || w->task != t)
            continue;
        w->task = NULL;
        add_found(c, json, w->close);
        call_finish(c);
    }
}

static void thought(void *task)
{
    struct task *t = task, **at = &t->desk->tasks;

    if (t->desk->closing)
        return;
    while (*at != t)
        at = &(*at)->next;
    *at = t->next;
    answer_all(t, keep(t->desk, t));
    task_free(t);
}

static bool add_result(void *ctx, const struct trial_row *row)
{
    if (row->has_value)
        weighing_add(ctx, row->state,
                     row->is_foreseen ? row->foreseen : row->value, row->point);
    return true;
}

/* What is asked about. */
struct asked {
    struct results results;
    char *spec;
};

static bool note_study(void *ctx, const struct study_row *row)
{
    struct asked *a = ctx;

    a->results = (struct results){row->id, row->counts[TRIAL_SUCCEEDED],
                                  row->counts[TRIAL_STOPPED], row->given};
    a->spec = mem_copy_text(row->spec);
    return false;
}

static int read_results(struct weighing *w, const struct call *c,
                        const struct asked *a, struct err *e)
{
    struct trial_filter ended = {
        .states = 1U << TRIAL_SUCCEEDED | 1U << TRIAL_STOPPED, .by_end = true};

    weighing_init(w, a->spec);
    return store_trial_list(c->face->store, a->results.study, &ended,
                            add_result, w, e);
}

/* Too few to need a thread. */
static int weigh_at_once(struct call *c, const struct asked *a,
                         const char *close, struct err *e)
{
    struct weighing w;
    int rc = read_results(&w, c, a, e);

    if (!rc) {
        weighing_think(&w);
        weighing_write(&w, &c->out);
        text_add(&c->out, close);
    }
    weighing_clear(&w);
    return rc;
}

/* Begins to weigh, unless that is under way. */
static struct task *give(struct desk *d, const struct call *c,
                         const struct asked *a, struct err *e)
{
    struct task *t = d->tasks;

    while (t && !same(&t->of, &a->results))
        t = t->next;
    if (t)
        return t;
    t = mem_new(1, sizeof *t);
    t->desk = d;
    t->of = a->results;
    if (read_results(&t->weighing, c, a, e)) {
        task_free(t);
        return NULL;
    }
    t->next = d->tasks;
    d->tasks = t;
    d->worker->give(d->worker, think, thought, t);
    return t;
}

static void gone(struct call *c)
{
    call_finish(c);
}

static int add(struct call *c, const struct asked *a, const char *close,
               struct err *e)
{
    const struct results *of = &a->results;
    const struct task *t;
    struct waiting *w;
    struct desk *d;

    if (of->succeeded + of->stopped + of->given < IMPORTANCE_LEAST)
        return weigh_at_once(c, a, close, e);
    d = desk_open(c->face, e);
    if (!d)
        return -1;
    for (size_t i = 0; i < KEPT; i++)
        if (same(&d->found[i].of, of)) {
            add_found(c, d->found[i].json, close);
            return 0;
        }
    t = give(d, c, a, e);
    if (!t)
        return -1;
    w = mem_new(1, sizeof *w);
    *w = (struct waiting){t, close};
    call_keep(c, w, waiting_free, gone);
    return 0;
}

int api_importance_add(struct call *c, const char *close, struct err *e)
{
    struct asked a = {0};
    int rc = store_study_get(c->face->store, c->study, note_study, &a, e);

    if (!rc)
        rc = add(c, &a, close, e);
    free(a.spec);
    return rc;
}

int api_importance(struct call *c, struct err *e)
{
    return api_importance_add(c, "", e);
}

void api_importance_close(struct face *face)
{
    struct desk *d = face->desk;

    if (!d)
        return;
    face->desk = NULL;
    d->closing = true;
    work_close(d->worker);
    while (d->tasks) {
        struct task *t = d->tasks;

        d->tasks = t->next;
        task_free(t);
    }
    for (size_t i = 0; i < KEPT; i++)
        free(d->found[i].json);
    free(d);
}
