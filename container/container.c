/* The containers' launcher: its jobs, and what the engine says of them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container.h"

#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/mem.h"
#include "container/container_job.h"
#include "container/container_spec.h"
#include "io/fetch.h"

enum { LIST_MS = 60000 };

/* Everybody may write, for who runs in the image has any number; but no other
 * user of this machine comes here, for the state directory is closed to them.
 */
enum { OPEN_TO_ALL = 01777 };

struct carrier {
    struct launcher launcher; /* first */
    struct container_crew crew;
    struct ports *ports;
    launcher_news_fn *news;
    void *ctx;
    struct hub_call *list;
    struct { /* by the last call of `addresses` */
        char *job;
        int *ports;
        size_t n;
    } given;
};

/* ---- what the engine says ---- */

static void over(void *ctx, const char *name, const struct launcher_news *end)
{
    struct carrier *c = ctx;
    struct launcher_news news = *end;

    ports_give_back(c->ports, name);
    if (!c->crew.jobs) {
        hub_cancel(c->list);
        c->list = NULL;
        container_host_want(c->crew.host, false);
    }
    news.job_name = name;
    c->news(c->ctx, &news);
}

static void changed(void *ctx)
{
    struct carrier *c = ctx;
    struct container_job *next;

    if (!container_host_there(c->crew.host)) {
        hub_cancel(c->list);
        c->list = NULL;
        container_pulls_away(c->crew.pulls);
        for (struct container_job *j = c->crew.jobs; j; j = j->next)
            container_job_away(j);
    }
    for (struct container_job *j = c->crew.jobs; j; j = next) {
        next = j->next;
        container_job_advance(j);
    }
}

static struct container_box *box_of(const struct carrier *c, const char *name,
                                    struct container_job **job)
{
    if (*name == '/')
        name++;
    for (*job = c->crew.jobs; *job; *job = (*job)->next)
        for (size_t i = 0; i < (*job)->n; i++)
            if (strcmp((*job)->boxes[i].name, name) == 0)
                return &(*job)->boxes[i];
    return NULL;
}

static void event(void *ctx, const char *name, const char *action)
{
    struct container_job *j;
    struct container_box *b = box_of(ctx, name, &j);

    if (!b)
        return;
    container_box_stir(b, action);
    if (b->state == BOX_UNKNOWN)
        container_job_advance(j);
}

static void pulled(void *ctx, const char *image, const char *said)
{
    struct carrier *c = ctx;
    struct container_job *next;

    for (struct container_job *j = c->crew.jobs; j; j = next) {
        bool waits = false;

        next = j->next;
        for (size_t i = 0; i < j->n; i++)
            waits |= j->boxes[i].state == BOX_NO_IMAGE &&
                     strcmp(j->boxes[i].image, image) == 0;
        if (!waits)
            continue;
        j->pulled = true;
        snprintf(j->pull_said, sizeof j->pull_said, "%s", said);
        container_job_advance(j);
    }
}

/* ---- looking at all of them, for no stream is to be trusted alone ---- */

/* Whether the container runs, by the list; *listed: it is in it. */
static bool runs(const json_t *all, const char *name)
{
    static const char *const words[] = {"running", "paused", "restarting"};
    const json_t *one;
    size_t i;

    json_array_foreach(all, i, one)
    {
        const char *its =
            json_string_value(json_array_get(json_object_get(one, "Names"), 0));
        const char *state = json_string_value(json_object_get(one, "State"));

        if (!its || !state || strcmp(its + (*its == '/'), name) != 0)
            continue;
        for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
            if (strcmp(words[k], state) == 0)
                return true;
        return false;
    }
    return false;
}

static void compare(const json_t *all, struct container_job *j)
{
    bool news = false;

    for (size_t i = 0; i < j->n; i++) {
        struct container_box *b = &j->boxes[i];

        if (b->state != BOX_RUNNING || b->call || runs(all, b->name))
            continue;
        b->state = BOX_UNKNOWN;
        news = true;
    }
    if (news)
        container_job_advance(j);
}

static void listed(void *ctx, const struct hub_answer *a)
{
    struct carrier *c = ctx;
    struct container_job *next;
    json_t *all;

    c->list = NULL;
    if (a->status == 0) {
        container_host_lost(c->crew.host, &a->err);
        return;
    }
    all = a->status == 200 ? json_loadb(a->body, a->n, 0, NULL) : NULL;
    for (struct container_job *j = c->crew.jobs; all && j; j = next) {
        next = j->next;
        compare(all, j);
    }
    json_decref(all);
}

static void look(void *ctx)
{
    struct carrier *c = ctx;
    char *filters = fetch_escape("{\"label\":[\"" CONTAINER_LABEL
                                 "=" CONTAINER_LABEL_VALUE "\"]}");
    char *path = mem_format("/containers/json?all=1&filters=%s", filters);
    struct hub_request r = {.method = "GET",
                            .path = path,
                            .most_ms = LIST_MS,
                            .done = listed,
                            .ctx = c};

    if (!c->list && c->crew.jobs)
        c->list = container_host_send(c->crew.host, &r);
    free(path);
    free(filters);
}

/* ---- starting ---- */

static int addresses(struct launcher *launcher, const char *job_name, size_t n,
                     char (*out)[LAUNCHER_ADDRESS], struct err *e)
{
    struct carrier *c = (struct carrier *)launcher;

    free(c->given.job);
    free(c->given.ports);
    c->given.job = mem_copy_text(job_name);
    c->given.ports = mem_new(n, sizeof *c->given.ports);
    c->given.n = n;
    if (ports_take(c->ports, job_name, n, c->given.ports, e))
        return -1;
    for (size_t i = 0; i < n; i++)
        snprintf(out[i], LAUNCHER_ADDRESS, "127.0.0.1:%d", c->given.ports[i]);
    return 0;
}

static int check(const struct job *job, struct err *e)
{
    if (!strrchr(job->folder, '/') || strchr(job->folder, ':'))
        return err_set(e, ERR_INVALID,
                       "the folder %s cannot be mounted in a container: it may "
                       "have no colon in its path",
                       job->folder);
    for (size_t i = 0; i < job->n_replicas; i++)
        if (!job->replicas[i].image || !*job->replicas[i].image)
            return err_set(e, ERR_INVALID,
                           "the launcher container wants an image%s%s",
                           i ? " for " : "", i ? job->replicas[i].name : "");
    return 0;
}

/* Docker would make a folder that is not there, and mount that. */
static int check_binds(const struct carrier *c,
                       const struct container_options *o, struct err *e)
{
    struct stat st;

    for (size_t i = 0; i < o->n_binds; i++) {
        char *path = mem_copy_bytes(o->binds[i], strcspn(o->binds[i], ":"));
        bool there = *path != '/' || stat(path, &st) == 0 ||
                     container_host_is_remote(c->crew.host);

        if (!there)
            err_errno(e, errno, "container: volume %.200s", path);
        free(path);
        if (!there)
            return -1;
    }
    return 0;
}

/* The job's part of every container. */
static void describe(const struct carrier *c, struct container_job *j,
                     const struct job *job, const struct container_options *o)
{
    char **names = mem_new(j->n, sizeof *names);
    int *ports = mem_new(j->n, sizeof *ports);
    struct container_frame frame = {
        .job = job, .options = o, .names = names, .ports = ports};

    for (size_t i = 0; i < j->n; i++) {
        names[i] = j->boxes[i].name;
        if (c->given.job && strcmp(c->given.job, job->name) == 0 &&
            i < c->given.n)
            ports[i] = c->given.ports[i];
    }
    for (size_t i = 0; i < j->n; i++) {
        const struct job_replica *r = &job->replicas[i];
        struct container_box *b = &j->boxes[i];

        b->spec = container_spec_new(&frame, i);
        b->image = mem_copy_text(r->image);
        b->init = true;
        b->gpus = r->gpus;
        b->gpu_ids = mem_copy_text(r->gpu_ids);
        b->memory = r->memory;
    }
    j->pull = o->pull;
    free(ports);
    free(names);
}

static void open_folders(const struct job *job)
{
    const char *slash = strrchr(job->folder, '/');
    char *trial = mem_copy_bytes(job->folder, (size_t)(slash - job->folder));
    int failed = chmod(trial, OPEN_TO_ALL);

    for (size_t i = 0; i < job->n_replicas; i++)
        failed |= chmod(job->replicas[i].folder, OPEN_TO_ALL);
    if (failed)
        log_write(LOG_LEVEL_WARN, "container_folder",
                  "folder=\"%s\" text=\"%s\"", job->folder, strerror(errno));
    free(trial);
}

/* Told later: nothing is told from inside start. */
static void refuse_later(struct container_job *j, const char *text)
{
    struct launcher_news end = {.word = LAUNCHER_HOPELESS, .text = text};

    container_mark_end(&j->mark, &end);
    j->never = true;
}

static void start_new(struct carrier *c, const struct job *job,
                      struct container_mark *mark, bool fresh)
{
    struct container_options o;
    struct container_job *j;
    struct err e;

    j = container_job_new(&c->crew, job->name, job->folder, mark, fresh);
    if (j->phase != PHASE_CLEAR) {
        if (container_options_read(&o, job, &e)) {
            refuse_later(j, e.text);
        } else {
            if (check_binds(c, &o, &e))
                refuse_later(j, e.text);
            describe(c, j, job, &o);
            container_options_clear(&o);
        }
    }
    container_job_soon(j);
}

static int start(struct launcher *launcher, const struct job *job,
                 struct err *e)
{
    struct carrier *c = (struct carrier *)launcher;
    struct container_job *known = container_job_find(&c->crew, job->name);
    struct container_mark mark;
    bool fresh;

    if (known) {
        known->again_alive = known->begun;
        container_job_soon(known);
        return 0;
    }
    if (check(job, e))
        return -1;
    fresh = !container_mark_read(&mark, job->folder);
    if (!fresh && mark.n != job->n_replicas) {
        container_mark_clear(&mark);
        return err_set(e, ERR_CONFLICT,
                       "%s/container is of a job with other replicas",
                       job->folder);
    }
    if (fresh) {
        container_mark_init(&mark, job);
        if (container_mark_write(&mark, job->folder, e)) {
            container_mark_clear(&mark);
            return -1;
        }
    }
    open_folders(job);
    start_new(c, job, &mark, fresh);
    return 0;
}

/* ---- the rest ---- */

static int watch(struct launcher *launcher, const char *job_name,
                 const char *folder, struct err *e)
{
    struct carrier *c = (struct carrier *)launcher;
    struct container_mark mark;
    struct container_job *j;

    (void)e;
    if (container_job_find(&c->crew, job_name))
        return 0;
    if (container_mark_read(&mark, folder)) {
        j = container_job_new(&c->crew, job_name, folder, &mark, false);
    } else {
        struct launcher_news lost = {.word = LAUNCHER_LOST,
                                     .text = "it never began"};

        mark = (struct container_mark){0};
        container_mark_end(&mark, &lost);
        j = container_job_new(&c->crew, job_name, folder, &mark, false);
        j->never = true;
    }
    container_job_soon(j);
    return 0;
}

static void stop(struct launcher *launcher, const char *job_name, bool kill_now)
{
    struct carrier *c = (struct carrier *)launcher;
    struct container_job *j = container_job_find(&c->crew, job_name);

    if (!j || j->stop == SIGKILL)
        return;
    j->stop = kill_now ? SIGKILL : SIGTERM;
    container_job_soon(j);
}

static void carrier_close(struct launcher *launcher)
{
    struct carrier *c = (struct carrier *)launcher;

    while (c->crew.jobs)
        container_job_free(c->crew.jobs);
    hub_cancel(c->list);
    container_pulls_free(c->crew.pulls);
    container_host_close(c->crew.host);
    free(c->given.job);
    free(c->given.ports);
    free(c);
}

static const struct launcher_type launcher_container = {
    .name = "container",
    .addresses = addresses,
    .start = start,
    .watch = watch,
    .stop = stop,
    .close = carrier_close,
};

int container_open(struct launcher **out, struct loop *l, struct ports *ports,
                   const char *host, launcher_news_fn *news, void *ctx,
                   struct err *e)
{
    struct carrier *c = mem_new(1, sizeof *c);
    struct container_host_parts parts = {.loop = l,
                                         .where = host,
                                         .changed = changed,
                                         .event = event,
                                         .look = look,
                                         .ctx = c};

    *out = NULL;
    c->launcher.type = &launcher_container;
    c->ports = ports;
    c->news = news;
    c->ctx = ctx;
    c->crew.loop = l;
    c->crew.news = news;
    c->crew.news_ctx = ctx;
    c->crew.over = over;
    c->crew.ctx = c;
    if (container_host_open(&c->crew.host, &parts, e)) {
        free(c);
        return -1;
    }
    c->crew.pulls = container_pulls_new(c->crew.host, pulled, c);
    *out = &c->launcher;
    return 0;
}
