/* AI Platform Training: jobs, with hyperparameters and without. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_platform.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "google/google_body.h"
#include "google/google_jobs.h"
#include "store/store_google.h"
#include "study/proto.h"

enum { PAGE = 20, PAGE_MOST = 100, MOST_ID = 128 };

static const char only_training[] =
    "only training jobs are run here; send trainingInput";

static const struct google_message fields[] = {
    {.name = "jobId", .kind = GOOGLE_TEXT},
    {.name = "trainingInput", .kind = GOOGLE_ANY},
    {.name = "labels", .kind = GOOGLE_MAP},
    {.name = "predictionInput", .kind = GOOGLE_REFUSED, .why = only_training},
    {.name = "explanationInput", .kind = GOOGLE_REFUSED, .why = only_training},
    {.name = "etag", .kind = GOOGLE_OUTPUT},
    {.name = "createTime", .kind = GOOGLE_OUTPUT},
    {.name = "startTime", .kind = GOOGLE_OUTPUT},
    {.name = "endTime", .kind = GOOGLE_OUTPUT},
    {.name = "state", .kind = GOOGLE_OUTPUT},
    {.name = "errorMessage", .kind = GOOGLE_OUTPUT},
    {.name = "trainingOutput", .kind = GOOGLE_OUTPUT},
    {.name = "predictionOutput", .kind = GOOGLE_OUTPUT},
    {.name = "explanationOutput", .kind = GOOGLE_OUTPUT},
    {.name = "jobPosition", .kind = GOOGLE_OUTPUT},
    {0},
};

/* ---- names ---- */

static bool is_job_id(const char *id)
{
    size_t n = strlen(id);

    if (!isalpha((unsigned char)*id) || n > MOST_ID)
        return false;
    for (; *id; id++)
        if (!isalnum((unsigned char)*id) && *id != '_')
            return false;
    return true;
}

/* The study of that job of the call's project; ERR_ABSENT if there is none. */
static int find(struct google_call *g, const char *job_id, int64_t *id,
                struct err *e)
{
    struct google_row of = {.kind = GOOGLE_JOB_PLATFORM,
                            .project = g->project,
                            .location = "",
                            .display_name = job_id};

    return store_google_find(g->call->face->store, &of, id, e);
}

/* The job that the path names; to be cleared on success. */
static int named(struct google_call *g, struct google_job *out, struct err *e)
{
    int64_t id = 0;

    if (find(g, g->ids[0], &id, e))
        return e->code == ERR_ABSENT
                   ? google_err(g, GOOGLE_ABSENT, e,
                                "project %.100s has no job \"%.128s\"",
                                g->project, g->ids[0])
                   : -1;
    return google_job_load(g->call->face->store, id, out, e);
}

static void answer(struct google_call *g, struct google_job *j)
{
    google_jobs_answer(g, j);
    google_job_clear(j);
}

/* ---- create ---- */

static int check(struct google_call *g, const json_t *body, struct err *e)
{
    const char *id = google_text(body, "jobId");
    struct err none;
    int64_t taken;

    if (!is_job_id(id))
        return google_field(g, "job.job_id", e,
                            "\"%.140s\" is not a letter and up to %d letters, "
                            "digits and underscores",
                            id, MOST_ID - 1);
    if (!json_is_object(json_object_get(body, "trainingInput")))
        return google_field(g, "job.training_input", e, "it is missing");
    if (find(g, id, &taken, &none) == 0)
        return google_err(g, GOOGLE_EXISTS, e,
                          "Field: job.job_id Error: a job \"%s\" is there "
                          "already; ids are never used again",
                          id);
    return 0;
}

static int create(struct google_call *g, struct err *e)
{
    struct google_jobs_request r = {.kind = GOOGLE_JOB_PLATFORM,
                                    .runs = RUNNABLE_PLATFORM};
    struct google_job job;
    int rc;

    r.body = google_body(g, fields, e);
    if (!r.body)
        return -1;
    r.display_name = google_text(r.body, "jobId");
    r.alone = !json_object_get(json_object_get(r.body, "trainingInput"),
                               "hyperparameters");
    rc = check(g, r.body, e);
    if (!rc)
        rc = google_jobs_submit(g, &r, &job, e);
    json_decref(r.body);
    if (!rc)
        answer(g, &job);
    return rc;
}

/* ---- look and act ---- */

static int get(struct google_call *g, struct err *e)
{
    struct google_job job;

    if (named(g, &job, e))
        return -1;
    answer(g, &job);
    return 0;
}

static int list(struct google_call *g, struct err *e)
{
    return google_jobs_list(g, GOOGLE_JOB_PLATFORM, PAGE, PAGE_MOST, e);
}

static const struct google_message nothing[] = {{0}};

static int cancel(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, nothing, e);
    struct google_job job;
    int rc;

    json_decref(body);
    if (!body || named(g, &job, e))
        return -1;
    rc = google_jobs_cancel(g, &job, e);
    google_job_clear(&job);
    if (!rc)
        google_answer(g, json_object());
    return rc;
}

/* ---- labels ---- */

static const struct google_message patch_fields[] = {
    {.name = "labels", .kind = GOOGLE_MAP},
    {.name = "etag", .kind = GOOGLE_TEXT},
    {.name = "jobId", .kind = GOOGLE_OUTPUT},
    {0},
};

/* Labels are all that can be changed. */
static int check_mask(struct google_call *g, struct err *e)
{
    const char *mask = google_query(g, "updateMask");
    bool labels = false;

    while (mask && *mask) {
        size_t n = strcspn(mask, ",");

        if (n == 6 && strncmp(mask, "labels", n) == 0)
            labels = true;
        else if (n != 4 || strncmp(mask, "etag", n) != 0)
            return google_field(g, "updateMask", e,
                                "\"%.*s\": only labels can be changed", (int)n,
                                mask);
        mask += n + (mask[n] == ',');
    }
    return labels ? 0
                  : google_field(g, "updateMask", e,
                                 "it is missing; write updateMask=labels");
}

static int change(struct google_call *g, const json_t *body,
                  struct google_job *job, struct err *e)
{
    const char *etag = google_text(body, "etag");
    char now[16] = "", *labels;
    int rc;

    google_job_etag(job, now);
    if (*etag && strcmp(etag, now) != 0)
        return google_err(g, GOOGLE_ABORTED, e,
                          "the job was changed meanwhile: its etag is \"%s\"",
                          now);
    labels = google_jobs_labels(g, json_object_get(body, "labels"), e);
    if (!labels)
        return -1;
    rc = google_begin(g, e);
    if (!rc)
        rc = store_google_labels(g->call->face->store, job->id, labels, e);
    if (!rc) {
        free(job->labels);
        job->labels = labels;
        labels = NULL;
    }
    free(labels);
    return rc;
}

static int patch(struct google_call *g, struct err *e)
{
    struct google_job job = {0};
    json_t *body;
    int rc;

    if (check_mask(g, e) || named(g, &job, e))
        return -1;
    body = google_body(g, patch_fields, e);
    rc = body ? change(g, body, &job, e) : -1;
    json_decref(body);
    if (!rc)
        google_jobs_answer(g, &job);
    google_job_clear(&job);
    return rc;
}

#define JOBS "projects/*/jobs"

const struct google_route google_platform_routes[] = {
    {"POST", JOBS, "creates an AI Platform job", create, ROLE_SUBMITTER},
    {"GET", JOBS, "lists AI Platform jobs", list, ROLE_READER},
    {"GET", JOBS "/*", "shows an AI Platform job", get, ROLE_READER},
    {"PATCH", JOBS "/*", "changes a job's labels", patch, ROLE_SUBMITTER},
    {"POST", JOBS "/*:cancel", "cancels a job", cancel, ROLE_SUBMITTER},
    {0},
};
