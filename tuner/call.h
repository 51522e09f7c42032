/* A call: one request on its way through the face, from its route to its
 * answer. No answer says that something was written before it is on disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_CALL_H
#define TUNER_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fault.h"
#include "base/text.h"
#include "io/loop.h"
#include "io/serve.h"
#include "store/store.h"
#include "tuner/engine.h"

struct image_map;

/* What every call works with; all but the list is handed in and outlives it. */
struct face {
    struct engine *engine;
    struct store *store;
    struct loop *loop;
    const char *state_dir;
    const struct image_map *images; /* NULL = containers are refused */
    struct call *calls; /* not answered yet */
    bool ending;        /* nobody waits any more */
    bool look_only;     /* no service runs the studies */
};

struct call {
    struct face *face;
    struct request *request; /* NULL once its client has gone */
    int64_t study;           /* of a route with STUDY: its id, which is there */
    int64_t number;          /* of a route with N: at least 1 */
    struct text out;         /* the answer's bytes */
    int status;              /* 200 at the start */
    const char *type;        /* the answer's content type */
    bool later; /* call_keep: the function returns, the call stays */
    void *kept; /* what call_keep was given */
    void (*gone)(struct call *c);
    void (*drop)(void *kept);
    struct call *prev, *next;
};

/* A route's function. 0: c->out is the answer (or the call is kept); -1: *e
 * is. */
typedef int call_fn(struct call *c, struct err *e);

struct call *call_new(struct face *face, struct request *r);

/* The call is answered later by call_finish. `gone` is called if its client
 * goes before that (c->request is NULL then; it may call call_finish, which
 * only frees). `drop` frees `kept` when the call ends; may be NULL. */
void call_keep(struct call *c, void *kept, void (*drop)(void *kept),
               void (*gone)(struct call *c));

/* Makes the answer an error; f may be NULL. */
void call_fail(struct call *c, const struct err *e, const struct faults *f);

/* Answers as soon as everything that was written before is on disk, and frees
 * the call. */
void call_finish(struct call *c);

/* Answers every call that is left with "the service is ending". The engine is
 * closed already and calls nobody back. */
void call_end_all(struct face *face);

/* A whole number of the query; `out` holds the default. */
int call_query(const struct call *c, const char *name, int64_t least,
               int64_t most, int64_t *out, struct err *e);

#endif
