/* A call: one request on its way through the face, from its route to its
 * answer. No answer says that something was written before it is on disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_CALL_H
#define FACE_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/fault.h"
#include "base/text.h"
#include "io/loop.h"
#include "io/serve.h"
#include "store/store.h"
#include "tuner/engine.h"

enum { CALL_CLASSES = 6 };

struct call_counts {
    int64_t answers[CALL_CLASSES]; /* by the status's first digit */
    int64_t open, streams;         /* now: calls, and those of them that
                                      stream */
    int64_t asks, asked_ms; /* requests for trials that were answered, and how
                               long they took in all */
    int64_t asking;         /* those that still wait for the engine */
    int64_t unkept;         /* now: answers that wait for the commit */
    bool failed;            /* the last commit that a call waited for */
};

struct desk;
struct face;
struct call;
struct timed;

struct image_map;

/* Another table of routes, of paths of its own. */
struct face_guest {
    bool (*owns)(const char *path);
    void (*serve)(struct call *c); /* answers it, or keeps it */
    void (*leave)(struct face *f); /* frees what it keeps there */
};

/* What every call works with; all but the list is handed in and outlives it. */
struct face {
    struct engine *engine;
    struct store *store;
    struct loop *loop;
    const char *state_dir;
    const struct image_map *images; /* NULL = containers are refused */
    struct call *calls;             /* not answered yet */
    bool ending;                    /* nobody waits any more */
    bool look_only;                 /* no service runs the studies */
    int64_t least_free_bytes;       /* below that nothing is launched */
    const struct timed *timed;      /* the engine's worker, or NULL */
    struct desk *desk; /* api_importance's, NULL before it is needed */
    const struct face_guest *guest; /* NULL = no other routes */
    void *guest_keeps;              /* the guest's own; NULL at first */
    struct call_counts counts;      /* since the start */
};

struct call {
    struct face *face;
    struct request *request; /* NULL once its client has gone */
    int64_t study;           /* of a route with STUDY: its id, which is there */
    int64_t number;          /* of a route with N: at least 1 */
    struct text out;         /* the answer's bytes */
    int status;              /* 200 at the start */
    const char *type;        /* the answer's content type */
    /* Makes the answer an error in another shape than ours; NULL = ours. */
    void (*complain)(struct call *c, const struct err *e);
    bool later;    /* call_keep: the function returns, the call stays */
    bool serving;  /* its function has not returned yet */
    bool finished; /* call_finish: it goes out once what was written is on
                      disk */
    bool streams;  /* call_stream: the answer has begun */
    void *kept;    /* what call_keep was given */
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

/* The answer of a kept call goes out in pieces from now on: text of c->type
 * and c->status, headers as they were added. `sent` is called when all pieces
 * have left; then, and from call_push, the call may be ended by call_finish. */
void call_stream(struct call *c, void (*sent)(void *call));
/* Sends c->out as the next piece and empties it. Returns whether the client
 * keeps up: if not, wait for `sent`. */
bool call_push(struct call *c);

/* Makes the answer an error, in the shape of its route; f may be NULL, and is
 * of our own routes only. */
void call_fail(struct call *c, const struct err *e, const struct faults *f);

/* The call's function returned rc, with *e if that is -1: answers, unless the
 * call was kept and is not finished yet. */
void call_served(struct call *c, int rc, const struct err *e);

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
