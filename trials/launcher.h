/* What every launcher promises: carry a job to its end somewhere, and bring
 * news of it. A job is known by its name alone; told to start a name that is
 * there already, a launcher adopts it. No function blocks. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_LAUNCHER_H
#define TRIALS_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* One process of a job. */
struct job_replica {
    const char *name;      /* "master-0", "worker-1" */
    const char *folder;    /* absolute; exists: its stdout.log and stderr.log */
    const char *image;     /* of a container, NULL = a process of the machine */
    char *const *argv;     /* NULL-terminated; with an image it may be empty */
    size_t n_entry;        /* study_task.n_entry */
    char *const *environ_; /* NULL-terminated. Complete for a process of this
                              machine; of an image, and on other machines, what
                              is set on top of what is there */
    const char *workdir;   /* absolute; NULL = the image's own */
    double cpus;           /* 0 = not said */
    int64_t memory;        /* bytes, 0 = not said */
    int gpus;              /* how many it is to see */
    const char *gpu_ids;   /* which ones of this machine, with commas between
                              them (CUDA_VISIBLE_DEVICES); NULL = not said */
};

struct job_option {
    const char *name, *value;
};

/* A job as a launcher gets it; valid during the call only. */
struct job {
    const char *name;   /* STUDY/TRIAL/ATTEMPT: its folder's tail, unique */
    const char *folder; /* absolute; exists: reports, status, stop are in it.
                           Its master's too */
    const struct job_replica *replicas; /* the first is the master, whose end
                                           is the job's */
    size_t n_replicas;                  /* at least 1 */
    const struct job_option *options;   /* the study's, for this launcher */
    size_t n_options;
    const char *base_dir; /* absolute: where relative paths in options hang */
    char *const *outputs; /* NULL-terminated, or NULL: absolute folders beside
                             `folder` that the job is told to write to, as
                             AIP_MODEL_DIR; they exist for images */
    int64_t limit_ms;     /* the caller will stop it after so long; 0 = never */
    /* What else a trial reports by, for who reads its reports where it runs: a
     * pattern over the master's output, a file (relative to its workdir) */
    const char *pattern, *lines_file; /* NULL = none */
};

enum launcher_word {
    LAUNCHER_WAITING, /* it has not begun: text says what it waits for */
    LAUNCHER_ALIVE,   /* all of it runs */
    LAUNCHER_ENDED,   /* it ended; exit_code or signal_number is true; nothing
                         of it is left running */
    LAUNCHER_LOST,    /* no such job, or nobody can say how it ended; nothing
                         of it is left running */
    LAUNCHER_REFUSED, /* it could not be started: text says why */
    LAUNCHER_HOPELESS /* as REFUSED, and every other job of this study would be
                         refused for the same reason: an image that is not
                         there, a partition that does not exist */
};

/* What was to blame for an end that was not the job's own. */
enum launcher_blame {
    BLAME_NOBODY,     /* its own exit or signal */
    BLAME_MEMORY,     /* killed for want of memory */
    BLAME_TIME_LIMIT, /* ended by a limit that the launcher keeps */
    BLAME_PREEMPTED,  /* had to make room for another */
    BLAME_NODE,       /* its machine failed */
    BLAME_PERSON,     /* ended behind our back: scancel, docker rm */
    LAUNCHER_BLAMES
};

struct launcher_news {
    const char *job_name;
    enum launcher_word word;
    int exit_code;             /* ENDED: 0..255, or -1 if it died of a signal */
    int signal_number;         /* ENDED: the signal, or 0 */
    int64_t ran_ms;            /* ENDED: from exec to end */
    enum launcher_blame blame; /* ENDED, LOST */
    const char *replica; /* ENDED: whose end it was, if not the master's; else
                            NULL */
    const char *node;    /* where it ran, if that is another machine or is known
                            to be one of several; else NULL */
    const char *text;    /* WAITING, REFUSED, HOPELESS: one sentence; ENDED,
                            LOST: what else is known; may be NULL there */
};

enum { LAUNCHER_ADDRESS = 64 };

/* Always called from the loop, never from inside start, watch or stop. */
typedef void launcher_news_fn(void *ctx, const struct launcher_news *news);

struct launcher; /* one opened launcher; each type has its own struct */

/* An opened launcher is this table and its own state. */
struct launcher_type {
    const char *name; /* as a study writes it */
    /* Fills in HOST:PORT for n replicas of a job to be started. Where they are
     * known only once it runs, these are words that the launcher replaces in
     * argv and environment. The ports are the job's until it ends, or until
     * that call is repeated for its name. */
    int (*addresses)(struct launcher *l, const char *job_name, size_t n,
                     char (*out)[LAUNCHER_ADDRESS], struct err *e);
    /* Starts the job, or adopts it if the name is there already; whether it
     * lives is told (again) in either case. -1 only for what is wrong at once;
     * other trouble comes as REFUSED. */
    int (*start)(struct launcher *l, const struct job *job, struct err *e);
    /* After a restart of the service: news will come of this job, known by
     * name and folder. It may be running, ended long ago, or never begun
     * (LOST). */
    int (*watch)(struct launcher *l, const char *job_name, const char *folder,
                 struct err *e);
    /* Asks the job to end (SIGTERM to its whole group; the stop file is the
     * caller's), or ends it now with all its descendants. Unknown names are
     * ignored. */
    void (*stop)(struct launcher *l, const char *job_name, bool kill_now);
    /* Forgets its jobs; ends none. */
    void (*close)(struct launcher *l);
};

/* Each type's own struct begins with this one. */
struct launcher {
    const struct launcher_type *type;
};

#endif
