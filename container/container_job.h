/* One job of containers: brought up together, ended together. Every step
 * follows from what is known of the containers, so that it is the same whether
 * we began them or found them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_CONTAINER_JOB_H
#define TRIALS_CONTAINER_JOB_H

#include <stdbool.h>

#include "container/container_box.h"
#include "container/container_host.h"
#include "container/container_mark.h"
#include "container/container_pull.h"
#include "io/loop.h"
#include "trials/launcher.h"

/* What jobs share; outlives them. */
struct container_crew {
    struct loop *loop;
    struct container_host *host;
    struct container_pulls *pulls;
    struct container_job *jobs;
    launcher_news_fn *news; /* of what is not the job's end */
    void *news_ctx;
    /* The job has ended, and is freed; name and news are valid in the call. */
    void (*over)(void *ctx, const char *name, const struct launcher_news *news);
    void *ctx;
};

enum container_phase {
    PHASE_BEGIN, /* its containers are made, then started */
    PHASE_RUN,
    PHASE_END,  /* it is known how it ends: what is left of it is ended */
    PHASE_CLEAR /* that is written down: its containers are removed */
};

struct container_job {
    struct container_crew *crew;
    char *name, *folder;
    struct container_mark mark;
    struct container_box *boxes; /* by replica, the master first */
    size_t n;
    enum container_phase phase;
    bool never;       /* nothing of it was ever asked: its end is known */
    bool fresh;       /* no container of it can be there but by us */
    bool pull;        /* a missing image is fetched */
    bool pulled;      /* that was tried; pull_said is what went wrong, or "" */
    bool begun;       /* ALIVE was told */
    bool again_alive; /* and is to be told again */
    char pull_said[400];
    char *waits; /* the last WAITING's sentence */
    int stop;    /* the signal that the caller wants it to get, or 0 */
    int rest;    /* PHASE_END: the signal for what still runs */
    const struct container_box *last; /* whose end is the job's, or NULL */
    bool lingered;
    struct loop_watch *soon, *linger, *grace;
    struct container_job *prev, *next;
};

/* A job of the crew's, of a mark (which is taken); fresh: its id was drawn just
 * now. Nothing is asked yet. */
struct container_job *container_job_new(struct container_crew *crew,
                                        const char *name, const char *folder,
                                        struct container_mark *mark,
                                        bool fresh);
void container_job_free(struct container_job *j);

struct container_job *container_job_find(const struct container_crew *crew,
                                         const char *name);

/* Does all that can be done now. The job may be gone after it. */
void container_job_advance(struct container_job *j);
/* The same in a moment, from the loop. */
void container_job_soon(struct container_job *j);
/* The engine is away. */
void container_job_away(struct container_job *j);

#endif
