/* Jobs of Vertex AI: hyperparameterTuningJobs and customJobs; and what AI
 * Platform's jobs share with them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GOOGLE_JOBS_H
#define GOOGLE_JOBS_H

#include "google/google_call.h"
#include "google/google_job.h"
#include "study/runnable.h"

extern const struct google_route google_jobs_routes[];

/* What somebody wants to have run. */
struct google_jobs_request {
    const char *kind; /* GOOGLE_JOB_… */
    enum runnable_kind runs;
    bool alone; /* it tunes nothing */
    const char *display_name;
    json_t *body; /* as google_body gave it; labels and the name are taken out
                     of it */
};

/* Submits it as a study with a name of its own, and remembers what was asked.
 * *out is to be cleared on success. */
int google_jobs_submit(struct google_call *g, struct google_jobs_request *r,
                       struct google_job *out, struct err *e);

/* Answers with the jobs of that kind in the call's project and location,
 * newest first, by its filter, readMask and page; `size` where no size is
 * asked for, `most` at most. */
int google_jobs_list(struct google_call *g, const char *kind, int size,
                     int most, struct err *e);

/* Cancels it; nothing if it has ended. */
int google_jobs_cancel(struct google_call *g, const struct google_job *j,
                       struct err *e);

/* A job's labels, checked, as text for the store; yours to free. NULL with
 * *e. */
char *google_jobs_labels(struct google_call *g, const json_t *labels,
                         struct err *e);

/* Answers with the job. */
void google_jobs_answer(struct google_call *g, const struct google_job *j);

#endif
