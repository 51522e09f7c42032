/* A rehearsal: its study, its service, its folder. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rehearsal.h"

#include <errno.h>
#include <ftw.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "cli/view.h"
#include "study/codec.h"

enum {
    ANSWER_MS = 30000, /* within this the service must answer */
    END_MS = 60000,    /* and within this all trials must have ended */
    GRACE_MS = 5000,   /* the longest that one may take to end */
    REST_MS = 20,
    NAME_MOST = 128, /* of a study */
    DESCRIPTORS = 16
};

/* ---- the study ---- */

static void put_text(char **at, char *text)
{
    free(*at);
    *at = text;
}

static const char *algorithm(const char *name)
{
    const char *const *at = study_algorithms;

    while (strcmp(*at, name) != 0)
        at++;
    return *at;
}

/* What the study becomes for a rehearsal. */
static void change(struct study *s, const struct corners *corners,
                   const char *state, int64_t limit_ms)
{
    static const char suffix[] = "-try";
    struct study_job *job = &s->job;

    put_text(&s->name, mem_format("%.*s%s", NAME_MOST - (int)sizeof suffix + 1,
                                  s->name, suffix));
    for (size_t i = 0; i < s->n_start; i++)
        point_clear(&s->start[i]);
    s->start = mem_resize(s->start, corners->n, sizeof *s->start);
    s->n_start = corners->n;
    for (size_t i = 0; i < corners->n; i++)
        point_copy(&s->start[i], &corners->items[i].point);
    s->algorithm = algorithm("random");
    s->trials = (int64_t)corners->n;
    s->max_failed = (int64_t)corners->n;
    s->retries = 0;
    s->patience = 0;
    s->stop = study_stops[0];
    s->has_target = false;
    s->time_limit_ms = 0;
    s->trial_limit_ms = limit_ms;
    if (s->grace_ms > GRACE_MS)
        s->grace_ms = GRACE_MS;
    if (job->job_dir)
        put_text(&job->job_dir, mem_format("%s/job-dir", state));
    if (job->output_dir)
        put_text(&job->output_dir, mem_format("%s/output", state));
}

static int submit(struct rehearsal *r, const struct source *source,
                  struct err *e)
{
    struct faults faults;
    json_t *study = NULL;
    struct text bytes;
    int rc;

    text_init(&bytes);
    faults_init(&faults);
    codec_write_json(&source->study, &bytes);
    r->study = mem_copy_text(source->study.name); /* to be cancelled, even if
                                                     we hear of it no more */
    rc = client_submit(r->client, text_str(&bytes), bytes.len, source->file,
                       source->dir, &study, &faults, e);
    if (rc && faults.n)
        source_faults(source->path, &faults, e);
    json_decref(study);
    faults_clear(&faults);
    text_clear(&bytes);
    return rc;
}

/* ---- its folder and its service ---- */

/* mkdir -p of the folder that the path lies in. */
static void make_parents(const char *path)
{
    char *copy = mem_copy_text(path);

    for (char *slash = strchr(copy + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(copy, 0700); /* mkdtemp says what is wrong */
        *slash = '/';
    }
    free(copy);
}

static int make_state(struct rehearsal *r, const struct options *o,
                      struct err *e)
{
    char *state, *path;

    if (place_state(o, &state, e))
        return -1;
    path = mem_format("%s-try.XXXXXX", state);
    free(state);
    make_parents(path);
    if (!mkdtemp(path)) {
        err_errno(e, errno, "the folder %s for the rehearsal cannot be made",
                  path);
        free(path);
        return -1;
    }
    r->state = path;
    return 0;
}

static int wait_for_service(struct rehearsal *r, struct err *e)
{
    int64_t until = clock_steady_ms(&clock_real) + ANSWER_MS;

    while (client_get(r->client, "/healthz", NULL, e)) {
        if (!client_lost(r->client))
            return -1;
        if (service_gone(&r->service) || clock_steady_ms(&clock_real) > until)
            return service_explain(&r->service, e);
        interrupt_sleep(REST_MS);
    }
    return 0;
}

static int start_service(struct rehearsal *r, const struct options *o,
                         struct err *e)
{
    struct options here = *o;
    char *where;
    int rc;

    service_init(&r->service, r->state);
    where = service_where(&r->service);
    here.text[OPTION_SERVER] = where;
    /* The service that is meant to be there listens on that address. */
    (void)unsetenv("HYPERTUNE_LISTEN");
    rc = client_open(&r->client, &here, e);
    if (!rc)
        client_abort_on(r->client, interrupt_flag());
    if (!rc)
        rc = service_start(&r->service, e);
    if (!rc)
        rc = wait_for_service(r, e);
    free(where);
    return rc;
}

int rehearsal_open(struct rehearsal *r, const struct options *o,
                   struct source *source, const struct corners *corners,
                   int64_t limit_ms, struct err *e)
{
    *r = (struct rehearsal){0};
    if (make_state(r, o, e))
        return -1;
    change(&source->study, corners, r->state, limit_ms);
    return start_service(r, o, e) || submit(r, source, e) ? -1 : 0;
}

/* ---- its end ---- */

static bool still_runs(struct rehearsal *r)
{
    json_t *study = NULL;
    struct err e;
    bool runs;

    if (client_get(r->client, client_study(r->client, r->study, "%s", ""),
                   &study, &e))
        return false;
    runs = view_running(study) > 0;
    json_decref(study);
    return runs;
}

static void end_study(struct rehearsal *r)
{
    int64_t until = clock_steady_ms(&clock_real) + END_MS;
    int before = interrupt_count();
    struct err e;

    client_abort_on(r->client, NULL);
    (void)client_post(r->client, client_study(r->client, r->study, ":cancel"),
                      NULL, NULL, &e);
    while (still_runs(r) && interrupt_count() == before &&
           clock_steady_ms(&clock_real) < until)
        interrupt_sleep(REST_MS);
}

static int remove_one(const char *path, const struct stat *is, int flag,
                      struct FTW *at)
{
    (void)is;
    (void)flag;
    (void)at;
    (void)remove(path); /* what is left is told below */
    return 0;
}

static void remove_state(const char *state)
{
    (void)nftw(state, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    if (!access(state, F_OK))
        (void)fprintf(stderr,
                      "hypertune: %s could not be removed; nobody needs it\n",
                      state);
}

void rehearsal_close(struct rehearsal *r, bool leave)
{
    if (r->study && !leave)
        end_study(r);
    client_close(r->client);
    service_stop(&r->service, true);
    service_clear(&r->service);
    if (r->state)
        remove_state(r->state);
    free(r->state);
    free(r->study);
    *r = (struct rehearsal){0};
}
