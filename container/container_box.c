/* Making, starting, looking at, killing and removing one container. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_box.h"

#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "container/container_spec.h"

enum {
    LOOK_MS = 30000,
    MAKE_MS = 180000, /* layers of a large image, a slow disk */
    MAP_MS = 60000
};

void container_box_clear(struct container_box *b)
{
    hub_cancel(b->call);
    container_log_close(b->log);
    json_decref(b->spec);
    free(b->name);
    free(b->replica);
    free(b->folder);
    free(b->job_folder);
    free(b->image);
    free(b->gpu_ids);
}

static void ask(struct container_box *b, const char *method, const char *path,
                const char *body, int64_t most_ms, hub_done_fn *done)
{
    struct hub_request r = {.method = method,
                            .path = path,
                            .body = body,
                            .most_ms = most_ms,
                            .done = done,
                            .ctx = b};

    assert(!b->call);
    b->call = container_host_send(b->host, &r);
}

/* What was asked is answered. False: it is not, the engine is away. */
static bool answered(struct container_box *b, const struct hub_answer *a)
{
    b->call = NULL;
    if (a->status != 0)
        return true;
    container_host_lost(b->host, &a->err);
    return false;
}

static void refuse(struct container_box *b, const struct hub_answer *a,
                   bool hopeless)
{
    container_host_said(a, b->said, sizeof b->said);
    b->state = BOX_REFUSED;
    b->hopeless = hopeless;
}

static bool good(const struct hub_answer *a)
{
    return a->status >= 200 && a->status < 300;
}

/* ---- looking ---- */

/* "2026-11-21T09:10:47.933551654Z", or with +02:00; 0 if it is none. */
static int64_t time_of(const char *text)
{
    struct tm tm = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
    int64_t ms, unit = 100;

    if (!rest || tm.tm_year < 70)
        return 0;
    ms = (int64_t)timegm(&tm) * 1000;
    if (*rest == '.')
        for (rest++; *rest >= '0' && *rest <= '9'; rest++, unit /= 10)
            ms += (*rest - '0') * unit;
    if (*rest == '+' || *rest == '-') {
        int sign = *rest == '+' ? 1 : -1;
        long hours = strtol(rest + 1, NULL, 10);
        const char *colon = strchr(rest, ':');
        long minutes = colon ? strtol(colon + 1, NULL, 10) : 0;

        ms -= sign * (hours * 60 + minutes) * 60000;
    }
    return ms;
}

static const struct {
    const char *status;
    enum box_state state;
} states[] = {{"created", BOX_CREATED},     {"configured", BOX_CREATED},
              {"initialized", BOX_CREATED}, {"running", BOX_RUNNING},
              {"paused", BOX_RUNNING},      {"restarting", BOX_RUNNING},
              {"stopping", BOX_RUNNING},    {"removing", BOX_RUNNING},
              {"exited", BOX_EXITED},       {"stopped", BOX_EXITED},
              {"dead", BOX_EXITED}};

static enum box_state state_of(const char *status)
{
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (status && strcmp(states[i].status, status) == 0)
            return states[i].state;
    return BOX_RUNNING; /* not known to have ended */
}

static void take_end(struct container_box *b, const json_t *state)
{
    int64_t began =
        time_of(json_string_value(json_object_get(state, "StartedAt")));
    int64_t ended =
        time_of(json_string_value(json_object_get(state, "FinishedAt")));

    b->end.exit_code =
        (int)json_integer_value(json_object_get(state, "ExitCode"));
    b->end.oom |= json_is_true(json_object_get(state, "OOMKilled"));
    b->end.finished_ms = ended;
    b->end.ran_ms = began && ended > began ? ended - began : 0;
}

/* A container that only has the name is not ours to touch. */
static bool is_ours(const struct container_box *b, const json_t *all)
{
    const char *folder = json_string_value(json_object_get(
        json_object_get(json_object_get(all, "Config"), "Labels"),
        "hypertune.folder"));

    return folder && strcmp(folder, b->job_folder) == 0;
}

static void take_look(struct container_box *b, const json_t *all)
{
    const json_t *state = json_object_get(all, "State");
    enum box_state now =
        state_of(json_string_value(json_object_get(state, "Status")));

    if (!is_ours(b, all)) {
        snprintf(b->said, sizeof b->said,
                 "a container %s is there already, and is not of this job",
                 b->name);
        b->state = BOX_REFUSED;
        b->foreign = true;
        return;
    }
    b->memory = json_integer_value(
        json_object_get(json_object_get(all, "HostConfig"), "Memory"));
    if (now == BOX_RUNNING && !b->begun_ms)
        b->begun_ms = clock_steady_ms(&clock_real);
    if (now == BOX_EXITED)
        take_end(b, state);
    b->state = now;
}

static void looked(void *ctx, const struct hub_answer *a)
{
    struct container_box *b = ctx;
    json_t *all;

    if (!answered(b, a))
        return;
    all = a->status == 200 ? json_loadb(a->body, a->n, 0, NULL) : NULL;
    if (all)
        take_look(b, all);
    else if (a->status == 404)
        b->state = BOX_ABSENT;
    else
        b->rests = true;
    if (b->rests)
        log_write(LOG_LEVEL_WARN, "container_unclear",
                  "container=%s status=%d text=\"%.300s\"", b->name, a->status,
                  a->body);
    json_decref(all);
    if (b->stale && b->state == BOX_RUNNING)
        b->state = BOX_UNKNOWN;
    b->stale = false;
    b->fn(b->ctx, b);
}

void container_box_look(struct container_box *b)
{
    char *path = mem_format("/containers/%s/json", b->name);

    ask(b, "GET", path, NULL, LOOK_MS, looked);
    free(path);
}

/* ---- removing ---- */

static void removed(void *ctx, const struct hub_answer *a)
{
    struct container_box *b = ctx;

    if (!answered(b, a))
        return;
    if (good(a) || a->status == 404) {
        b->state = BOX_ABSENT;
    } else {
        b->rests = true;
        b->failures++;
        container_host_said(a, b->said, sizeof b->said);
        log_write(LOG_LEVEL_WARN, "container_stays", "container=%s text=\"%s\"",
                  b->name, b->said);
    }
    b->fn(b->ctx, b);
}

void container_box_remove(struct container_box *b)
{
    char *path = mem_format("/containers/%s?force=1&v=1", b->name);

    b->signalled = SIGKILL;
    ask(b, "DELETE", path, NULL, MAP_MS, removed);
    free(path);
}

/* ---- making ---- */

static bool has(const struct hub_answer *a, const char *words)
{
    return strcasestr(a->body, words) != NULL;
}

/* podman has no program for the first process, or a mount hides Docker's: then
 * it goes without. */
static bool lacks_init(struct container_box *b, const struct hub_answer *a)
{
    static bool said;

    if (!b->init || (!has(a, "container-init binary not found") &&
                     !has(a, "/sbin/docker-init")))
        return false;
    if (!said)
        log_write(LOG_LEVEL_WARN, "container_init",
                  "container=%s text=\"it runs without a first process that "
                  "hands on signals: for podman, install catatonit\"",
                  b->name);
    said = true;
    b->init = false;
    return true;
}

static void created(void *ctx, const struct hub_answer *a)
{
    struct container_box *b = ctx;

    if (!answered(b, a))
        return;
    if (a->status == 201) {
        b->state = BOX_CREATED;
    } else if (a->status == 409 || has(a, "already in use")) {
        b->adopted = true;
        container_box_look(b);
        return;
    } else if (lacks_init(b, a)) {
        container_box_create(b);
        if (b->call)
            return;
    } else if (a->status == 404 && has(a, "image")) {
        b->state = BOX_NO_IMAGE;
    } else {
        /* What is wrong with the request, or with this engine. */
        refuse(b, a, true);
    }
    b->fn(b->ctx, b);
}

void container_box_create(struct container_box *b)
{
    char *path = mem_format("/containers/create?name=%s", b->name);
    struct err e;
    char *body = container_spec_print(b->spec, b->host, b->init, b->gpus,
                                      b->gpu_ids, &e);

    if (body) {
        ask(b, "POST", path, body, MAKE_MS, created);
    } else {
        snprintf(b->said, sizeof b->said, "%.390s", e.text);
        b->state = BOX_REFUSED;
        b->hopeless = true;
    }
    free(body);
    free(path);
}

/* ---- starting ---- */

/* What the image, the user or the network of every trial has. */
static bool is_hopeless_start(const struct hub_answer *a)
{
    static const char *const words[] = {
        "executable file not found", "no such file or directory",
        "permission denied",         "exec format error",
        "unable to find user",       "not a directory"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (has(a, words[i]))
            return true;
    return a->status == 404 && has(a, "network");
}

static void started(void *ctx, const struct hub_answer *a)
{
    struct container_box *b = ctx;

    if (!answered(b, a))
        return;
    if (a->status == 204 || a->status == 304 || a->status == 200) {
        b->state = b->stale ? BOX_UNKNOWN : BOX_RUNNING;
        b->begun_ms = clock_steady_ms(&clock_real);
        b->signalled = 0;
    } else if (lacks_init(b, a)) {
        container_box_remove(b); /* and it is made anew */
        return;
    } else {
        refuse(b, a, is_hopeless_start(a));
    }
    b->stale = false;
    b->fn(b->ctx, b);
}

void container_box_start(struct container_box *b)
{
    char *path = mem_format("/containers/%s/start", b->name);

    ask(b, "POST", path, NULL, MAKE_MS, started);
    free(path);
}

/* ---- ending ---- */

/* One that is not running any more is not killed: a look says so. */
static void killed(void *ctx, const struct hub_answer *a)
{
    struct container_box *b = ctx;

    if (!answered(b, a))
        return;
    if (!good(a) || b->stale)
        b->state = BOX_UNKNOWN;
    b->stale = false;
    b->fn(b->ctx, b);
}

void container_box_kill(struct container_box *b, int signal_number)
{
    char *path = mem_format("/containers/%s/kill?signal=%s", b->name,
                            signal_number == SIGKILL ? "SIGKILL" : "SIGTERM");

    b->signalled = signal_number;
    ask(b, "POST", path, NULL, LOOK_MS, killed);
    free(path);
}

/* ---- its output ---- */

void container_box_listen(struct container_box *b)
{
    if (!b->log)
        b->log = container_log_open(b->host, b->loop, b->name, b->folder);
    else
        container_log_go_on(b->log);
}

static void finished(void *ctx)
{
    struct container_box *b = ctx;

    b->logged = true;
    b->fn(b->ctx, b);
}

void container_box_finish(struct container_box *b)
{
    container_box_listen(b);
    container_log_finish(b->log, finished, b);
}

/* ---- what comes from outside ---- */

void container_box_away(struct container_box *b)
{
    hub_cancel(b->call);
    b->call = NULL;
    b->stale = false;
    if (b->log)
        container_log_pause(b->log);
    if (b->state != BOX_EXITED && b->state != BOX_REFUSED)
        b->state = BOX_UNKNOWN;
}

void container_box_stir(struct container_box *b, const char *action)
{
    if (strcmp(action, "oom") == 0)
        b->end.oom = true;
    if (strcmp(action, "kill") == 0 && !b->signalled &&
        (b->state == BOX_RUNNING || b->state == BOX_UNKNOWN))
        b->end.by_person = true;
    if (strcmp(action, "create") == 0 || strcmp(action, "start") == 0 ||
        strcmp(action, "init") == 0 || strcmp(action, "kill") == 0)
        return;
    if (b->call)
        b->stale = true;
    else if (b->state == BOX_RUNNING)
        b->state = BOX_UNKNOWN;
}
