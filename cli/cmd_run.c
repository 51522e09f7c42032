/* `run FILE`: the main job. Submits and watches to the end, with a service of
 * its own if none answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "cli/service.h"
#include "cli/source.h"
#include "cli/view.h"
#include "cli/watch.h"

enum {
    ANSWER_MS = 30000, /* within this a service must answer */
    STARTS = 5,        /* of one that dies: another may be leaving still */
    SUBMITS = 100,     /* to services that are ending */
    REST_MS = 20
};

struct run {
    struct client *client;
    struct service service;
    struct source source;
    char *study; /* its name */
    bool resumed;
    struct text news; /* what that means */
};

static bool answers(struct run *r, struct err *e)
{
    return !client_get(r->client, "/healthz", NULL, e) ||
           !client_lost(r->client);
}

/* Finds a service, or makes one; also when the one we had has gone away. */
static int find_service(void *ctx, struct err *e)
{
    struct run *r = ctx;
    int64_t until = clock_steady_ms(&clock_real) + ANSWER_MS;
    int starts = 0, before = interrupt_count();

    while (!answers(r, e)) {
        if (interrupt_count() > before)
            return err_set(e, ERR_BUSY, "interrupted");
        if (clock_steady_ms(&clock_real) > until && r->service.held)
            return service_explain(&r->service, e);
        if (clock_steady_ms(&clock_real) > until ||
            (client_told(r->client) && !r->study))
            return -1; /* as the client said it */
        if (service_gone(&r->service) && !client_told(r->client)) {
            if (starts == STARTS)
                return service_explain(&r->service, e);
            if (r->service.held) /* by one that may be ending: wait for it */
                starts = 0;
            if (starts || r->service.held)
                interrupt_sleep(10 * REST_MS);
            if (starts++ < STARTS && service_start(&r->service, e))
                return -1;
        }
        interrupt_sleep(REST_MS);
    }
    return 0;
}

static int submit(struct run *r, struct err *e)
{
    const struct source *s = &r->source;
    json_t *study = NULL;
    struct faults faults;
    const char *name;
    int rc;

    faults_init(&faults);
    rc = client_submit(r->client, text_str(&s->bytes), s->bytes.len, s->file,
                       s->dir, &study, &faults, e);
    if (rc && faults.n)
        source_faults(s->path, &faults, e);
    faults_clear(&faults);
    if (rc)
        return -1;
    name = json_string_value(json_object_get(study, "name"));
    r->study = mem_copy_text(name ? name : s->study.name);
    r->resumed = json_is_true(json_object_get(study, "resumed"));
    text_reset(&r->news);
    view_resumed(study, &r->news);
    json_decref(study);
    return 0;
}

/* A service that answers may be ending: then another one takes the study. */
static int begin(struct run *r, struct err *e)
{
    for (int tries = 0; tries < SUBMITS; tries++) {
        if (find_service(r, e))
            return -1;
        if (!submit(r, e))
            return 0;
        if (!client_lost(r->client) || interrupt_count())
            return -1;
        interrupt_sleep(5 * REST_MS);
    }
    return -1;
}

static int exit_of(const struct run *r, enum watch_end end)
{
    const char *file = r->source.path, *study = r->study;

    switch (end) {
    case WATCH_SUCCEEDED:
        return CMD_DONE;
    case WATCH_FAILED:
        return CMD_NOTHING;
    case WATCH_CANCELLED:
        return CMD_INTERRUPTED;
    case WATCH_PAUSED:
        (void)fprintf(stderr,
                      "hypertune: study %s is paused; `hypertune run %s` goes "
                      "on with it\n",
                      study, file);
        return CMD_INTERRUPTED;
    case WATCH_INTERRUPTED:
        (void)fprintf(stderr,
                      "hypertune: interrupted; `hypertune run %s` goes on "
                      "where study %s was\n",
                      file, study);
        return CMD_INTERRUPTED;
    case WATCH_LEFT:
        break;
    }
    (void)fprintf(stderr,
                  "hypertune: left at once; trials that were told to end may "
                  "still be ending; `hypertune run %s` goes on\n",
                  file);
    return CMD_INTERRUPTED;
}

static int watch(struct run *r, struct err *e)
{
    const struct watch w = {.client = r->client,
                            .study = r->study,
                            .from_now = r->resumed,
                            .pauses = true,
                            .again = find_service,
                            .ctx = r};
    enum watch_end end = WATCH_LEFT;

    if (r->resumed)
        (void)printf("%s\n", text_str(&r->news));
    if (watch_study(&w, &end, e)) {
        service_stop(&r->service, true);
        return -1;
    }
    service_stop(&r->service, end != WATCH_LEFT);
    return exit_of(r, end);
}

int cmd_run(const struct options *o, struct err *e)
{
    struct run r = {0};
    char *state = NULL;
    int rc = -1;

    if (source_read(&r.source, o->words[0], e))
        return -1;
    interrupt_catch();
    if (place_state(o, &state, e) || client_open(&r.client, o, e))
        goto out;
    service_init(&r.service, state);
    client_abort_on(r.client, interrupt_flag());
    if (begin(&r, e)) {
        service_stop(&r.service, true);
        if (interrupt_count()) {
            (void)fprintf(stderr, "hypertune: interrupted\n");
            rc = CMD_INTERRUPTED;
        }
        goto out;
    }
    rc = watch(&r, e);
out:
    service_clear(&r.service);
    client_close(r.client);
    source_clear(&r.source);
    text_clear(&r.news);
    free(r.study);
    free(state);
    return rc;
}
