/* What every launcher promises: carry a job to its end somewhere, and bring
 * news of it. A job is known by its name alone; told to start a name that is
 * there already, a launcher adopts it. No function blocks. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_LAUNCHER_H
#define TRIALS_LAUNCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* A job as a launcher gets it; valid during the call only. */
struct job {
    const char *name;   /* STUDY_ID/TRIAL/ATTEMPT: its folder's tail, unique */
    const char *folder; /* absolute; exists: stdout.log, stderr.log, reports,
                           status, stop are in it */
    char *const *argv;  /* NULL-terminated */
    char *const *environ_; /* NULL-terminated, complete */
    const char *workdir;   /* absolute */
    double cpus;           /* 0 = not said */
    int64_t memory;        /* bytes, 0 = not said */
};

enum launcher_word {
    LAUNCHER_ALIVE,  /* it runs */
    LAUNCHER_ENDED,  /* it ended; exit_code or signal_number is true; nothing
                        of it is left running */
    LAUNCHER_LOST,   /* no such job, or nobody can say how it ended; nothing
                        of it is left running */
    LAUNCHER_REFUSED /* it could not be started: text says why */
};

struct launcher_news {
    const char *job_name;
    enum launcher_word word;
    int exit_code;     /* ENDED: 0..255, or -1 if it died of a signal */
    int signal_number; /* ENDED: the signal, or 0 */
    int64_t ran_ms;    /* ENDED: from exec to end */
    bool oom;          /* ENDED: killed for memory, as far as can be told */
    const char *text;  /* REFUSED: one sentence; else NULL */
};

/* Always called from the loop, never from inside start, watch or stop. */
typedef void launcher_news_fn(void *ctx, const struct launcher_news *news);

struct launcher; /* one opened launcher; each type has its own struct */

/* An opened launcher is this table and its own state. */
struct launcher_type {
    const char *name; /* as a study writes it */
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
