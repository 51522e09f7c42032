/* One container of the engine: what is known of it, and what it is told. One
 * thing at a time is asked; what came of it is told to `fn`. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_BOX_H
#define TRIALS_CONTAINER_BOX_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "container/container_host.h"
#include "container/container_log.h"

enum box_state {
    BOX_UNKNOWN,  /* has to be looked at */
    BOX_ABSENT,   /* there is none of that name, or no more */
    BOX_NO_IMAGE, /* as absent: its image is missing */
    BOX_CREATED,  /* was never started */
    BOX_RUNNING,
    BOX_EXITED,
    BOX_REFUSED /* the engine would not make or start it; `said` is why */
};

/* How it ended. */
struct box_end {
    int exit_code;
    bool oom;       /* the engine says so */
    bool by_person; /* killed, and not by us */
    int64_t ran_ms;
    int64_t finished_ms; /* since 1970, by the engine's clock; 0 = unknown */
};

struct container_box;
typedef void container_box_fn(void *ctx, struct container_box *b);

/* Read it, and change what is below the line only through the functions. */
struct container_box {
    struct container_host *host;
    struct loop *loop;
    char *name;    /* of the container */
    char *replica; /* "worker-0" */
    char *folder;  /* the replica's */
    char *job_folder;
    char *image; /* NULL of one that is only watched */
    json_t *spec;
    bool init;
    int gpus;
    char *gpu_ids;
    container_box_fn *fn;
    void *ctx;

    enum box_state state;
    struct hub_call *call; /* what is asked just now */
    struct container_log *log;
    bool logged;      /* all that it printed is in the files */
    bool hopeless;    /* REFUSED: so would every other of this study be */
    bool adopted;     /* was there already */
    bool foreign;     /* REFUSED: the name is another's; hands off */
    bool rests;       /* asking failed: the caller asks again later */
    int failures;     /* of removing it */
    bool stale;       /* something happened while `call` was on its way */
    int signalled;    /* the last signal that we sent, or 0 */
    int64_t memory;   /* its limit in bytes; 0 = none */
    int64_t begun_ms; /* steady: when we saw it begin, else 0 */
    struct box_end end;
    char said[400];
};

/* name, replica, folders, image, spec, gpu_ids are set by the caller and freed
 * here. */
void container_box_clear(struct container_box *b);

/* Each asks one thing; not while one is asked already. */
void container_box_look(struct container_box *b);
/* What this engine cannot do is REFUSED at once, and fn not called. */
void container_box_create(struct container_box *b);
void container_box_start(struct container_box *b);
void container_box_kill(struct container_box *b, int signal_number);
/* Kills and removes it; ABSENT after it. */
void container_box_remove(struct container_box *b);

/* Follows its output from now on; again is fine. */
void container_box_listen(struct container_box *b);
/* Reads the output to its end; `logged` then. */
void container_box_finish(struct container_box *b);

/* The engine is away: nothing is asked any more, and what may have changed is
 * unknown. */
void container_box_away(struct container_box *b);
/* Something happened to it: it is looked at again. */
void container_box_stir(struct container_box *b, const char *action);

#endif
