/* A study: what is to be made best, over which space, by running what, how
 * often and under which limits. Read-only once it is decoded. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef STUDY_STUDY_H
#define STUDY_STUDY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "study/point.h"
#include "study/space.h"

/* ACTIVE -> ENDING -> SUCCEEDED | FAILED; ACTIVE <-> PAUSED;
 * any of the first three -> CANCELLED by way of ENDING. */
enum study_state {
    STUDY_ACTIVE,
    STUDY_PAUSED,    /* by a person or a breaker; starts nothing */
    STUDY_ENDING,    /* no new trials; waits for the running ones */
    STUDY_SUCCEEDED, /* over, with at least one successful trial */
    STUDY_FAILED,    /* over, without one */
    STUDY_CANCELLED, /* over, because a person said so */
    STUDY_STATES
};

const char *study_state_name(enum study_state s); /* "ACTIVE" */
bool study_state_read(const char *name, enum study_state *out);
bool study_state_ended(enum study_state s);

enum study_dialect {
    DIALECT_SHORT,       /* ours */
    DIALECT_AI_PLATFORM, /* trainingInput.hyperparameters */
    DIALECT_VERTEX       /* HyperparameterTuningJob */
};

/* Which of a trial's measurements of the goal is its value. */
enum study_selection { SELECT_LAST, SELECT_BEST };

/* How parameters are written on the command line. */
enum study_args {
    ARGS_EQUALS, /* --name=value */
    ARGS_SPACE,  /* --name value */
    ARGS_HYDRA,  /* name=value */
    ARGS_FLAGS,  /* as EQUALS, but true -> --name and false -> nothing */
    ARGS_ENV,    /* not on the command line: NAME=value in the environment */
    ARGS_JSON    /* one word: {"name": value, ...} */
};

struct study_env {
    char *name, *value;
};

/* What a replica is for: Vertex calls them worker pools 0 to 3. A trial has
 * one master, whose end is the trial's. */
enum study_role {
    ROLE_MASTER,
    ROLE_WORKER,
    ROLE_PS, /* parameter server */
    ROLE_EVALUATOR,
    STUDY_ROLES
};

/* "worker"; in files of the Vertex dialect programs are told "workerpool1". */
const char *study_role_name(enum study_role r);

/* What the replicas of one role run, and what each of them needs. Complete: a
 * role that says nothing to run has a copy of the master's words or image. */
struct study_task {
    int replicas; /* of the master 1, else 0 = the role is not there */
    char *image;  /* of a container; NULL = a process of the machine */
    char **argv;  /* words, split; {args} may stand in them once, and {NAME} of
                     any parameter (study/command.h); NULL if there are none */
    size_t n_argv;
    size_t n_entry; /* with an image: so many of the first words stand for its
                       entrypoint, and the others for its arguments. 0: the
                       image's own entrypoint, and its own arguments too if
                       there are no words */
    struct study_env *env; /* in the order written */
    size_t n_env;
    char *workdir; /* as written; relative to the folder of submission, of an
                      image absolute inside it; NULL = that folder, of an image
                      its own */
    double cpus;   /* for each replica; 0 = not said */
    int gpus;
    int64_t memory; /* bytes; 0 = not said */
};

/* *to is an empty one before, and yours to clear. */
void study_task_copy(struct study_task *to, const struct study_task *from);
void study_task_clear(struct study_task *t);
/* The same in all but how many there are. */
bool study_task_same(const struct study_task *a, const struct study_task *b);

/* An option of the study's launcher, as `slurm: {partition: gpu}`. */
struct study_option {
    char *name, *value;
};

/* What a trial runs. */
struct study_job {
    struct study_task tasks[STUDY_ROLES];
    enum study_args args;
    char *job_dir;    /* NULL = none; DIR/<trial> is passed as --job-dir */
    char *output_dir; /* Vertex baseOutputDirectory; NULL = none */
    bool chief;     /* TF_CONFIG says chief, not master; without meaning in the
                       Vertex dialect, which always does */
    char *launcher; /* "local", "container", "slurm", or "lease": nothing is
                       launched, clients ask and tell */
    struct study_option *options; /* of the launcher; a name that may be
                                     repeated stands there several times */
    size_t n_options;
    char *pattern;    /* metrics: pattern, a POSIX extended regular expression
                         over stdout lines; NULL = none (docs/reports.md) */
    char *lines_file; /* metrics: file, JSON lines; NULL = none */
};

/* What is to be made best beside the goal. */
struct study_objective {
    char *name;
    bool maximize;
};

/* The most trials that can be asked for; so many are no limit. */
enum { STUDY_MOST_TRIALS = 1000000000 };

/* The most replicas of one trial, the master among them. */
enum { STUDY_MOST_REPLICAS = 1000 };

struct study {
    char *name; /* [A-Za-z][A-Za-z0-9_-]{0,127} */
    enum study_dialect dialect;
    struct space space;
    char *metric;                   /* the goal */
    struct study_objective *others; /* further objectives; at most
                                       TRIAL_OTHERS (trial.h) */
    size_t n_others;                /* 0 for most studies */
    bool maximize;                  /* the goal */
    enum study_selection selection;
    const char *algorithm; /* one of study_algorithms */
    const char *stop;      /* one of study_stops: the rule by which hopeless
                              trials are stopped */
    int64_t stop_after;    /* no trial before that step; 0 = as the rule does */
    uint64_t seed;         /* 0 unless written; at most INT64_MAX */
    bool noisy;            /* Vertex observationNoise HIGH */
    struct point *start;   /* tried first, in order */
    size_t n_start;
    int64_t trials;     /* how many SUCCEEDED, STOPPED or INFEASIBLE ones
                           make the study complete; at least 1 */
    int parallel;       /* 0 = the service chooses */
    int64_t max_failed; /* more FAILED trials than this end the study;
                           -1 = the service's own rule */
    int retries;        /* further attempts after one that broke; 0.. */
    int64_t patience;   /* end after so many trials without progress; 0 = no */
    bool has_target;
    double target;          /* end once a trial is at least this good */
    int64_t trial_limit_ms; /* 0 = none; from its start to its end */
    int64_t time_limit_ms;  /* 0 = none; of the study, from its submission */
    int64_t grace_ms; /* between SIGTERM and SIGKILL; 10,000 unless written */
    struct study_job job;
};

void study_init(struct study *s); /* every default; empty space */
void study_clear(struct study *s);

/* Every algorithm name a study may write, the default first; ends with NULL. */
extern const char *const study_algorithms[];

/* Every stopping rule a study may write, after "none"; ends with NULL. */
extern const char *const study_stops[];

/* Whether it has a rule. */
bool study_stops_early(const struct study *s);

/* False for a job of one trial that was read by codec_decode_job: it has no
 * parameters, and nobody asked for a metric. */
bool study_tunes(const struct study *s);

/* False for a study whose trials are asked for and told. */
bool study_launches(const struct study *s);

/* False: its trials run where this machine's disk is not seen, and report over
 * HTTP alone. */
bool study_shares(const struct study *s);

/* A trial's replicas, and which one is that of a rank: the master has rank 0,
 * then come the workers, and so on, each role by index. */
int study_replicas(const struct study *s);
void study_replica(const struct study *s, int rank, enum study_role *role,
                   int *index);

/* Whether the metric is the goal or a further objective. */
bool study_wants(const struct study *s, const char *metric);

/* True if value a is better than b for this study's goal. */
bool study_better(const struct study *s, double a, double b);

#endif
