/* A stage: a real engine on a real SQLite file, with a pretended clock, a
 * pretended launcher and a worker that works at once, or when told to. The
 * pretended machine (its clock and its jobs) lies in shared memory, so that it
 * goes on when the process that plays the service is ended. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_TUNER_LIB_STAGE_H
#define TESTS_TUNER_LIB_STAGE_H

#include "tuner/engine.h"

enum { STAGE_JOBS = 8192 };

enum stage_job_state {
    STAGE_QUEUED, /* it has not begun */
    STAGE_RUNNING,
    STAGE_ENDED,
    STAGE_VANISHED,
    STAGE_HOPELESS /* it never began, and no other of its study could */
};

struct stage_job {
    char name[96];
    char folder[400];
    enum stage_job_state state;
    int starts; /* how often it was truly begun: never more than 1 */
    int exit_code;
    int signal_number;
    int64_t began_ms, ended_ms, due_ms;
    bool asked_to_stop, killed;
    enum launcher_blame blame;  /* of its end */
    char node[32], replica[32]; /* "" = not said */
    char text[100];             /* what it waits for, or more of its end */
    char gpus[100];             /* of this machine, all its replicas together */
    char exclude[100];          /* its option of that name */
    int reports;       /* how many it has written; the test's to count */
    char visible[100]; /* CUDA_VISIBLE_DEVICES of its master; "-" if not set */
};

struct stage_machine {
    int64_t now_ms; /* both clocks */
    struct stage_job jobs[STAGE_JOBS];
    int n_jobs;
    int running, most_running;
    char fault[200];    /* the first broken promise that the machine saw */
    bool refuse;        /* start says that there is no such program */
    bool queues;        /* jobs do not begin before stage_begin */
    char hopeless[100]; /* news says so of whatever is started; "" = no */
};

struct stage {
    struct stage_machine *machine;
    char dir[300];
    struct store *store;
    struct launcher *launchers[3]; /* "local" and "slurm" */
    struct stage_list *list;       /* of the jobs that they watch */
    struct gpus gpus;              /* set before stage_open; not owned */
    void (*look)(void *ctx);       /* at the GPUs; ctx is the stage */
    int processors;                /* the same; 0 stands for 4 */
    int64_t memory;
    struct engine *engine;
    struct clock clock;
    int64_t changes;      /* calls of `changed` */
    bool slow;            /* set before stage_open: the worker answers only
                             when told to (stage_think) */
    int64_t lease_ms;     /* set before stage_open; 0 = no lease */
    struct worker worker; /* that one */
    struct stage_task {
        void (*sums)(void *task);
        void (*done)(void *task);
        void *what;
    } tasks[64];
    int n_tasks;
};

/* A fresh machine and state directory; the engine is not opened. */
void stage_init(struct stage *g);
void stage_clear(struct stage *g); /* closes, and removes the directory */

void stage_open(struct stage *g);  /* the service begins (recovers) */
void stage_close(struct stage *g); /* the service ends in order */

/* Lets ms pass, brings news, and gives the engine its tick and its turn. */
void stage_pass(struct stage *g, int64_t ms);

/* The slow worker does what it was given. What it has not done when the stage
 * closes is never done. */
void stage_think(struct stage *g);

/* Submits a study; fails the test if that is refused. Returns its id. */
int64_t stage_submit(struct stage *g, const char *yaml);

/* The job of that trial's current attempt ("study/trial/attempt"), or NULL. */
struct stage_job *stage_job(struct stage *g, const char *name);
/* The n-th of those that run, from 0, in the order they were begun, or NULL. */
struct stage_job *stage_running(struct stage *g, int n);

/* The job writes a report, as libhypertune would. */
void stage_report(const struct stage_job *job, const char *metric, double value,
                  int64_t step);
void stage_print(const struct stage_job *job, const char *file,
                 const char *line);
void stage_end(struct stage *g, struct stage_job *job, int exit_code);
void stage_vanish(struct stage *g, struct stage_job *job);
void stage_begin(struct stage *g, struct stage_job *job); /* a queued one */
/* The job has ended, and that was to blame: of BLAME_NODE nobody knows how. */
void stage_blame(struct stage *g, struct stage_job *job,
                 enum launcher_blame blame);

/* What the store says now. */
enum study_state stage_study_state(struct stage *g, int64_t id);
int64_t stage_count(struct stage *g, int64_t id, enum trial_state state);
struct stage_trial {
    enum trial_state state;
    enum trial_reason reason;
    char detail[500];
    char point[500];
    int attempt;
    bool has_value;
    double value;
    double foreseen; /* 0 if it was not */
};
struct stage_trial stage_trial(struct stage *g, int64_t id, int64_t number);
const char *stage_reason(struct stage *g, int64_t id); /* until the next call */

#endif
