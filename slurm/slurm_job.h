/* The jobs of the Slurm launcher: what is known of each, and what follows from
 * it. Shared by the slurm files only. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_SLURM_JOB_H
#define TRIALS_SLURM_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/child.h"
#include "io/loop.h"
#include "slurm/slurm_files.h"
#include "slurm/slurm_words.h"
#include "trials/launcher.h"

enum slurm_step {
    SLURM_HELD,       /* waits with us to be submitted */
    SLURM_SUBMITTING, /* sbatch runs */
    SLURM_UNSEEN,     /* perhaps submitted: the queue has to say */
    SLURM_KNOWN       /* it has a number */
};

enum { SLURM_JOB_ASKS = 2 }; /* a database of accounts, then a file */

/* How much was asked of, or done to, a job that is to end. */
enum slurm_stop {
    SLURM_STOP_NOT,
    SLURM_STOP_TERM,   /* SIGTERM to the program */
    SLURM_STOP_KILL,   /* the script is told to kill the program */
    SLURM_STOP_CANCEL, /* the job is taken off the queue or its nodes */
    SLURM_STOPS
};

struct slurm;

struct slurm_job {
    struct slurm *slurm;
    char *name, *folder; /* the caller's */
    char *tag;           /* its name in Slurm */
    bool tasks;          /* its replicas are tasks */
    bool apart;          /* its nodes do not see the folder: only the queue
                            tells of it */
    enum slurm_step step;
    int64_t since;                   /* steady: when the step was taken */
    int64_t id;                      /* 0: not known */
    const struct slurm_state *state; /* in the queue; NULL: not seen yet */
    char *reason, *node;             /* beside it; "" if none */
    int64_t looked;  /* steady: the beginning of the last look that had it */
    int64_t second;  /* another job of the same name, to be cancelled; or 0 */
    int64_t missing; /* steady: since when the queue lacks it; 0: it does not */
    bool has_began, has_ended, told_alive;
    struct slurm_began began;
    struct slurm_ended ended;
    int64_t final; /* steady: when it was first seen ended, by whatever; 0 */
    enum slurm_stop wish, sent;
    int64_t stop_at;     /* steady: no further scancel before */
    int asked;           /* how often accounts were asked of its end */
    bool over;           /* its last news was told, or needs none: only what is
                            left of it in the queue is to be cancelled */
    char *waiting;       /* the last text told of WAITING */
    char *hopeless;      /* it cannot be submitted at all: why */
    bool forgotten;      /* it ran, and Slurm would begin it again */
    bool fresh;          /* something was asked of it just now */
    bool absent;         /* nothing is known of it: LOST */
    struct child *child; /* the command that runs for it */
    struct slurm_job *prev, *next;
};

struct slurm {
    struct launcher launcher; /* first */
    struct loop *loop;
    char **environ_;
    uint64_t most_open;
    launcher_news_fn *news;
    void *ctx;
    struct slurm_job *first, *last; /* in the order they came */
    void *by_tag;                   /* a tree of tsearch(3) */
    struct loop_watch *tick, *soon;
    void (*due)(struct slurm *l); /* runs the commands that are due */
    int64_t round;                /* ticks so far */
    int submits, cancels, asks;
    struct child *look, *config;
    bool configured;
    bool met;  /* there is, or was, a cluster */
    int unmet; /* how often there seemed to be none, before */
    int64_t look_began, next_look, slowest_ms, stirred; /* steady */
    bool away; /* the controller does not answer */
    int64_t away_until, away_ms;
    char *away_text;
    int window, most_window; /* jobs of ours in the queue at once */
    int64_t window_at, window_ms;
    char *limit_text; /* why the window is small */
};

int64_t slurm_job_now(void); /* steady */

struct slurm_job *slurm_job_new(struct slurm *l, const char *name,
                                const char *folder);
void slurm_job_free(struct slurm_job *j);
/* By the caller's name; those that are over are not found. */
struct slurm_job *slurm_job_find(const struct slurm *l, const char *name);
struct slurm_job *slurm_job_by_tag(const struct slurm *l, const char *tag);
/* Once, when its script is there. */
void slurm_job_set_tag(struct slurm_job *j, const char *tag);

void slurm_job_step(struct slurm_job *j, enum slurm_step step);

/* How many of our jobs are in Slurm's queue or on nodes. */
int slurm_job_submitted(const struct slurm *l);

/* Reads the job's files, as far as they can tell more than is known. */
void slurm_job_peek(struct slurm_job *j);

/* Whether only Slurm can say more of its end. */
bool slurm_job_needs_word(const struct slurm_job *j);

/* Tells what is new; after its last news the job may be gone. */
void slurm_job_decide(struct slurm_job *j);

/* Its end as scontrol or sacct tells it; the job is gone, or over. */
void slurm_job_end(struct slurm_job *j, const struct slurm_state *state,
                   int exit_code, int signal_number);
void slurm_job_lose(struct slurm_job *j, const char *why);
void slurm_job_refuse(struct slurm_job *j, enum launcher_word word,
                      const char *why);

#endif
