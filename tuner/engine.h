/* The engine: events in, moves out. One event is handled by one door below;
 * what follows from it is settled, stored and only then acted upon in
 * engine_turn, once a round of the loop.
 *
 * SQLite is the truth and memory a cache: when a commit fails, everything in
 * memory is dropped and read again. Every function runs on the loop's thread.
 * Studies are named by their row id (store_study_find). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TUNER_ENGINE_H
#define TUNER_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/fault.h"
#include "io/work.h"
#include "metrics/report.h"
#include "store/store.h"
#include "trials/gpus.h"
#include "trials/launcher.h"

struct engine;

/* Everything the engine may ask of the world; all of it outlives the engine. */
struct engine_parts {
    struct store *store;
    struct launcher *const *launchers; /* a NULL ends them; news goes to
                                          engine_news */
    const struct clock *clock;
    struct worker *worker;
    const char *state_dir;    /* absolute; job folders are made below it */
    char *const *environ_;    /* what jobs inherit */
    int processors;           /* of this machine: `parallel` where a study
                                 does not say, and what trials that ask for
                                 some may have together */
    int64_t memory;           /* bytes that they may have; 0 = not known */
    const struct gpus *gpus;  /* of this machine; NULL = none */
    void (*look)(void *ctx);  /* asks for a look at what of the GPUs is used:
                                 soon they say so; NULL: nobody can look */
    int64_t least_free_bytes; /* below that nothing is launched; 0 = no guard */
    int64_t lease_ms;         /* a client that holds a trial in silence for so
                                 long is suspect; 0 = never */
    bool look_only;           /* every door refuses (ERR_BUSY); nobody calls
                                 engine_recover or engine_tick */
    void (*changed)(void *ctx, int64_t study_id); /* after a commit that
                                  touched the study; may be NULL */
    /* Where an attempt may report over HTTP, and its token for that: *server is
     * borrowed, *token the caller's to free. False: nowhere. May be NULL. */
    bool (*reporting)(void *ctx, int64_t study_id, int64_t number, int attempt,
                      const char **server, char **token);
    void *ctx;
};

int engine_open(struct engine **out, const struct engine_parts *parts,
                struct err *e);
/* Reads every study that has not ended and watches or starts again what was
 * under way. Once, after engine_open. */
int engine_recover(struct engine *g, struct err *e);
void engine_close(struct engine *g); /* ends no job */

/* ---- doors; each leaves the store's transaction open for engine_turn ---- */

/* Opens the transaction for rows that the engine does not know
 * (store/store_google.h). ERR_BUSY if this service only looks, ERR_IO if the
 * store cannot be written. */
int engine_begin(struct engine *g, struct err *e);

struct engine_submitted {
    int64_t id;
    bool resumed; /* an equal study of that name was there: it goes on */
};
/* Faults of the file go to *f, everything else to *e (then f->n is 0).
 * ERR_CONFLICT: another study has that name. */
int engine_submit(struct engine *g, const char *bytes, size_t n,
                  const char *file, const char *base_dir,
                  struct engine_submitted *out, struct faults *f,
                  struct err *e);
/* The same for a study that is decoded already: taken, on failure too. source
 * is what it was decoded from. */
int engine_submit_take(struct engine *g, struct study *study,
                       const char *source, const char *base_dir,
                       struct engine_submitted *out, struct err *e);

/* Starts nothing more. With `interrupt`, running trials are stopped in order
 * and become PENDING again; without, they run to their end. */
int engine_pause(struct engine *g, int64_t study, bool interrupt,
                 const char *reason, struct err *e);
int engine_resume(struct engine *g, int64_t study, struct err *e);
/* Stops what runs; the study becomes CANCELLED when nothing does. */
int engine_cancel(struct engine *g, int64_t study, struct err *e);
/* ERR_CONFLICT while a trial of it runs. Its folders are removed. */
int engine_delete(struct engine *g, int64_t study, struct err *e);
int engine_stop_trial(struct engine *g, int64_t study, int64_t number,
                      struct err *e);
/* One ended trial that did not succeed, or (number 0) every FAILED one, gets
 * another attempt; an ended study goes on. *n_retried may be NULL. */
int engine_retry(struct engine *g, int64_t study, int64_t number,
                 int64_t *n_retried, struct err *e);

/* For studies that launch nothing. The answer comes through fn, after the
 * commit that stores the trial: number > 0, or number = 0 and *e says why not
 * (ERR_BUSY: all trials are out, ask again later; ERR_ABSENT: nothing is left
 * to try). The same client is given the trial that it already holds. */
typedef void engine_ask_fn(void *ctx, int64_t number, const struct err *e);
int engine_ask(struct engine *g, int64_t study, const char *client,
               engine_ask_fn *fn, void *ctx, struct err *e);

/* The same for the nth trial, from 0, that the client holds: one that is
 * RUNNING, else one that was requested and that nobody holds, else a new one.
 * Asking for 0, 1, … in turn gives a client several. */
int engine_ask_nth(struct engine *g, int64_t study, const char *client, int nth,
                   engine_ask_fn *fn, void *ctx, struct err *e);
/* Puts in a point (point_read_json) that the next client who asks is given:
 * PENDING until then. ERR_INVALID if it is not in the space. */
int engine_request(struct engine *g, int64_t study, const char *point,
                   int64_t *number, struct err *e);
/* A client's trial should end, early or not: STOPPING until its client tells
 * what came of it. Nothing if it is that already. */
int engine_should_stop(struct engine *g, int64_t study, int64_t number,
                       bool early, struct err *e);
/* Forgets a trial of a study that launches nothing, whatever its state; the
 * search goes on as if it had not been. */
int engine_forget(struct engine *g, int64_t study, int64_t number,
                  struct err *e);

/* One measurement of a running trial (of any study). */
int engine_report(struct engine *g, int64_t study, int64_t number,
                  const char *metric, double value, int64_t step,
                  struct err *e);

enum {
    ENGINE_SENDER = 64,             /* a sender's name and its NUL */
    ENGINE_OUTPUT_BYTES = 64 * 1024 /* of an output, at most */
};

/* Reports that somebody forwards, who counts them. */
struct engine_batch {
    const char *sender;           /* a replica's name, such as "worker-0" */
    int64_t from;                 /* how many it sent before these */
    const struct report *reports; /* finite or not; metrics are not empty */
    size_t n;
    const char *outputs[2]; /* what its stdout and stderr end with; NULL = not
                               said */
};
struct engine_heard {
    int64_t next; /* how many are known of that sender: go on there */
    bool stop;    /* the trial should end */
};
/* Those that are known already are passed over, and so are those behind a gap
 * (from > next). Outputs become the attempt's logs if its folder is not shared
 * with where it runs. */
int engine_hear(struct engine *g, int64_t study, int64_t number,
                const struct engine_batch *batch, struct engine_heard *out,
                struct err *e);
/* Ends a trial that was asked for: with its reports so far (value NULL), a
 * value for the goal, or as infeasible (why, one sentence; else NULL). */
int engine_tell(struct engine *g, int64_t study, int64_t number,
                const double *value, const char *infeasible, struct err *e);

struct engine_given {
    int64_t first;      /* number of the first; the others follow it */
    int64_t n;          /* how many were put in */
    int64_t unfinished; /* left out, for they had not ended */
};
/* Puts trials that were run elsewhere into a study that has not ended, as
 * study/given.h reads them: all of the bytes' or none. They are results for
 * the search and can be the best; they are never launched, and do not count
 * towards `trials`. source: "imported" or "told". Faults of the bytes go to
 * *f, everything else to *e (then f->n is 0). */
int engine_give(struct engine *g, int64_t study, const char *bytes, size_t n,
                const char *source, struct engine_given *out, struct faults *f,
                struct err *e);

/* A launcher_news_fn; ctx is the engine. */
void engine_news(void *ctx, const struct launcher_news *news);

/* Reads what running trials reported, and keeps deadlines. Every 100 ms. */
void engine_tick(struct engine *g);

/* Settles, commits, acts, tells the waiting. Once a round; cheap when nothing
 * happened. */
void engine_turn(struct engine *g);

/* fn is called at the end of the turn: ok is whether what was written before
 * this call is on disk now. HTTP answers wait on this. */
typedef void engine_kept_fn(void *ctx, bool ok);
void engine_when_kept(struct engine *g, engine_kept_fn *fn, void *ctx);

/* ---- looking ---- */

/* The engine's clock: wall time in milliseconds. */
int64_t engine_now(const struct engine *g);
/* When it was opened: what was begun before that, nobody works on. */
int64_t engine_since(const struct engine *g);

/* Why the study, or a trial of it, is as it is, one sentence a line: what it
 * waits for, the breaker's words, the last reason. */
struct text;
int engine_why(struct engine *g, int64_t study, int64_t number,
               struct text *out, struct err *e);

/* STATE/trials/<study>/<number>, absolute. Yours to free. */
char *engine_trial_folder(const struct engine *g, const char *study_name,
                          int64_t number);

/* How many trials of the study may run at once; 0 if it is not on the board
 * (it has ended). */
int engine_parallel(const struct engine *g, int64_t study);

#endif
