/* A job of Google's interfaces: a study and its trials, said the way that each
 * of the three interfaces says it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_JOB_H
#define GOOGLE_JOB_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

/* Kinds, as paths and store/store_google.h name them. */
#define GOOGLE_JOB_TUNING "hyperparameterTuningJobs"
#define GOOGLE_JOB_CUSTOM "customJobs"
#define GOOGLE_JOB_PLATFORM "jobs"

struct google_job_trial {
    int64_t number;
    enum trial_state state;
    enum trial_reason reason;
    char *detail, *point; /* the point is JSON */
    char *objectives;     /* likewise, or "" */
    int attempt;          /* 0 = none was begun */
    bool has_value;
    double value;
    int64_t step;
    int64_t created_ms, started_ms, ended_ms; /* 0 = not yet */
};

struct google_job {
    int64_t id; /* the study's */
    char *kind, *project, *location, *display_name;
    char *body;   /* what was sent, a JSON object in Google's spelling */
    char *labels; /* a JSON object, or "" */
    char *study;  /* its name */
    char *metric;
    char *reason; /* why the study is in its state */
    enum study_state state;
    bool maximize;
    bool alone; /* it tunes nothing: one trial without parameters */
    bool cancelling;
    int64_t created_ms, ended_ms;
    struct google_job_trial *trials; /* by number */
    size_t n;
};

/* Reads it all from the store; ERR_ABSENT if no job has that id. *out is to be
 * cleared on success. */
int google_job_load(struct store *s, int64_t id, struct google_job *out,
                    struct err *e);
void google_job_clear(struct google_job *j);

enum google_job_state {
    GOOGLE_JOB_QUEUED,
    GOOGLE_JOB_PENDING, /* it is being started */
    GOOGLE_JOB_RUNNING,
    GOOGLE_JOB_PAUSED,
    GOOGLE_JOB_CANCELLING,
    GOOGLE_JOB_SUCCEEDED, /* here the ends begin */
    GOOGLE_JOB_FAILED,
    GOOGLE_JOB_CANCELLED
};

/* A job that tunes nothing has the state of its process: one that ends well
 * has succeeded, though it reported no metric. */
enum google_job_state google_job_state(const struct google_job *j);
/* "JOB_STATE_RUNNING"; AI Platform's job: "RUNNING". */
const char *google_job_state_name(const struct google_job *j);

/* When the first trial began to run; 0 = none has. */
int64_t google_job_started_ms(const struct google_job *j);

/* Since when it has failed, or is paused and nothing of it runs; else 0. */
int64_t google_job_stuck_ms(const struct google_job *j);

/* What a person reads of a job that did not succeed, or is paused; "" for
 * others. Yours to free. */
char *google_job_complaint(const struct google_job *j);

/* Eight bytes in base64 that change with the labels. */
void google_job_etag(const struct google_job *j, char out[16]);

/* The job as its kind says it; yours to release. */
json_t *google_job_say(const struct google_job *j);

#endif
