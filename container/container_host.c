/* Greeting the engine, its events, and the way back to it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_host.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/fetch.h"

enum {
    ASK_MS = 20000,
    AGAIN_MS = 250, /* pause before it is looked for again; doubles */
    AGAIN_MOST_MS = 10000,
    LOOK_MS = 5000,      /* between two looks at all containers */
    DEAF_LOOK_MS = 1000, /* the same while no events come */
    SOON_MS = 250,       /* the first look after one began; doubles */
    LINGER_MS = 30000,   /* without a job, before it is let go of */
    PATIENCE_MS = 20000, /* with one that never answered */
    OUR_MINOR = 41,      /* API 1.41: Docker 20.10, podman 3 and newer */
    MOST_LINE = 1 << 20
};

struct container_host {
    struct container_host_parts parts;
    char *where; /* of the hub; NULL = none was found yet */
    struct hub *hub;
    bool fixed; /* where was said, not found */
    bool wanted, there, ever, podman;
    bool said_away;
    double version;
    int minor; /* of the API that we speak: 1.MINOR */
    struct err trouble;
    int64_t asked_ms; /* steady; since when it is looked for; 0 = is not */
    int64_t pause_ms;
    int64_t look_ms;  /* until the next look but one */
    int64_t heard_ms; /* steady; since when events come; 0 = they do not */
    struct loop_watch *again, *look, *leave;
    struct hub_call *greeting, *events;
    struct text line; /* the events' bytes up to a line's end */
};

/* ---- where it is ---- */

/* What docker calls it, as the hub does; yours. NULL: *e says why not. */
static char *address_of(const char *text, struct err *e)
{
    const char *rest = strstr(text, "://");

    if (*text == '/')
        return mem_format("unix:%s", text);
    if (strncmp(text, "unix://", 7) == 0)
        return mem_format("unix:%s", text + 7);
    if (strncmp(text, "unix:", 5) == 0 || strncmp(text, "http://", 7) == 0)
        return mem_copy_text(text);
    if (strncmp(text, "tcp://", 6) == 0)
        return mem_format("http%s", rest);
    err_set(e, ERR_INVALID,
            "the container engine at \"%.200s\" cannot be spoken to: name its "
            "socket as unix:///run/podman/podman.sock, or tcp://host:port "
            "without TLS",
            text);
    return NULL;
}

/* The first that is there; yours. NULL: none is, and *e names them. */
static char *find(struct err *e)
{
    const char *said = getenv("DOCKER_HOST");
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *paths[] = {mem_copy_text("/run/podman/podman.sock"),
                     mem_format("%s/podman/podman.sock",
                                runtime && *runtime ? runtime : "/nowhere"),
                     mem_copy_text("/var/run/docker.sock")};
    char *out = NULL;

    if (said && *said)
        out = address_of(said, e);
    for (size_t i = 0; i < 3; i++) {
        if (!out && !(said && *said) && access(paths[i], W_OK) == 0)
            out = mem_format("unix:%s", paths[i]);
        free(paths[i]);
    }
    if (!out && !(said && *said))
        err_set(e, ERR_ABSENT,
                "no container engine is here that we may use: start podman's "
                "service (systemctl enable --now podman.socket, or the same "
                "with --user) or Docker, or name a socket by --container-host "
                "or DOCKER_HOST");
    return out;
}

/* ---- there and away ---- */

static void greet(void *ctx);

static int64_t now(void)
{
    return clock_steady_ms(&clock_real);
}

static void let_go(struct container_host *h)
{
    hub_cancel(h->greeting);
    hub_cancel(h->events);
    h->greeting = h->events = NULL;
    h->heard_ms = 0;
    loop_forget(h->again);
    loop_forget(h->look);
    h->again = h->look = NULL;
    text_reset(&h->line);
}

static void try_later(struct container_host *h)
{
    loop_forget(h->again);
    h->again = loop_after(h->parts.loop, h->pause_ms, greet, h);
    h->pause_ms =
        h->pause_ms * 2 < AGAIN_MOST_MS ? h->pause_ms * 2 : AGAIN_MOST_MS;
}

void container_host_lost(struct container_host *h, const struct err *why)
{
    bool was = h->there;

    h->trouble = *why;
    h->there = false;
    let_go(h);
    if (!h->wanted)
        return;
    if (!h->said_away)
        log_write(LOG_LEVEL_WARN, "container_engine_away", "text=\"%s\"",
                  h->trouble.text);
    h->said_away = true;
    if (was) {
        h->asked_ms = now();
        h->pause_ms = AGAIN_MS;
    }
    try_later(h);
    h->parts.changed(h->parts.ctx);
}

/* ---- events ---- */

static void listen(struct container_host *h);

static void look_later(struct container_host *h);

static void look(void *ctx)
{
    struct container_host *h = ctx;

    h->look = NULL;
    look_later(h);
    if (!h->events)
        listen(h);
    h->parts.look(h->parts.ctx);
}

/* Podman's events come late, and the first of a new stream not at all. */
static void look_later(struct container_host *h)
{
    int64_t most = h->events ? LOOK_MS : DEAF_LOOK_MS;

    loop_forget(h->look);
    h->look = loop_after(h->parts.loop, h->look_ms, look, h);
    h->look_ms = h->look_ms * 2 < most ? h->look_ms * 2 : most;
}

void container_host_hasten(struct container_host *h)
{
    if (!h->there)
        return;
    h->look_ms = SOON_MS;
    look_later(h);
}

static void hear_line(struct container_host *h, const char *line, size_t n)
{
    json_t *event = json_loadb(line, n, 0, NULL);
    const char *action = json_string_value(json_object_get(event, "Action"));
    const json_t *actor = json_object_get(event, "Actor");
    const char *name = json_string_value(
        json_object_get(json_object_get(actor, "Attributes"), "name"));

    if (action && name)
        h->parts.event(h->parts.ctx, name, action);
    json_decref(event);
}

static void hear(void *ctx, const char *bytes, size_t n)
{
    struct container_host *h = ctx;
    const char *end;
    struct text all;

    text_add_bytes(&h->line, bytes, n);
    all = h->line;
    text_init(&h->line);
    bytes = all.data;
    n = all.len;
    while (n && (end = memchr(bytes, '\n', n))) {
        hear_line(h, bytes, (size_t)(end - bytes));
        n -= (size_t)(end - bytes) + 1;
        bytes = end + 1;
    }
    if (n && n < MOST_LINE)
        text_add_bytes(&h->line, bytes, n);
    text_clear(&all);
}

/* The stream ended: the looks find what it does not tell. */
static void deaf(void *ctx, const struct hub_answer *a)
{
    struct container_host *h = ctx;

    h->events = NULL;
    h->heard_ms = 0;
    text_reset(&h->line);
    if (a->status == 0)
        container_host_lost(h, &a->err);
}

static void listen(struct container_host *h)
{
    char *filters =
        fetch_escape("{\"type\":[\"container\"],\"label\":[\"" CONTAINER_LABEL
                     "=" CONTAINER_LABEL_VALUE "\"]}");
    char *path = mem_format("/events?filters=%s", filters);
    struct hub_request r = {
        .method = "GET", .path = path, .bytes = hear, .done = deaf, .ctx = h};

    h->events = container_host_send(h, &r);
    h->heard_ms = now();
    free(path);
    free(filters);
}

/* ---- greeting ---- */

/* The version of the API that both of us speak. */
static int choose_minor(const json_t *version)
{
    const char *most =
        json_string_value(json_object_get(version, "ApiVersion"));
    const char *least =
        json_string_value(json_object_get(version, "MinAPIVersion"));
    long high = most && strncmp(most, "1.", 2) == 0 ? strtol(most + 2, NULL, 10)
                                                    : OUR_MINOR;
    long low =
        least && strncmp(least, "1.", 2) == 0 ? strtol(least + 2, NULL, 10) : 0;

    if (high > OUR_MINOR)
        high = OUR_MINOR;
    return (int)(high < low ? low : high);
}

static void know(struct container_host *h, const char *body, size_t n)
{
    json_t *version = json_loadb(body, n, 0, NULL);
    const json_t *parts = json_object_get(version, "Components");
    const json_t *part;
    const char *text = json_string_value(json_object_get(version, "Version"));
    char *rest = NULL;
    size_t i;

    h->podman = false;
    json_array_foreach(parts, i, part)
    {
        const char *name = json_string_value(json_object_get(part, "Name"));

        h->podman |= name && strcmp(name, "Podman Engine") == 0;
    }
    h->version = text ? (double)strtol(text, &rest, 10) : 0;
    if (rest && *rest == '.')
        h->version += (double)strtol(rest + 1, NULL, 10) / 1000;
    h->minor = choose_minor(version);
    json_decref(version);
}

static void greeted(void *ctx, const struct hub_answer *a)
{
    struct container_host *h = ctx;
    struct err e;

    h->greeting = NULL;
    if (a->status == 0) {
        container_host_lost(h, &a->err);
        return;
    }
    if (a->status != 200) {
        err_set(&e, ERR_OUTSIDE, "what answers at %s is no container engine",
                h->where);
        container_host_lost(h, &e);
        return;
    }
    know(h, a->body, a->n);
    log_write(LOG_LEVEL_INFO, "container_engine",
              "where=\"%s\" kind=%s version=%.3f api=1.%d", h->where,
              h->podman ? "podman" : "docker", h->version, h->minor);
    h->there = h->ever = true;
    h->said_away = false;
    h->asked_ms = 0;
    h->pause_ms = AGAIN_MS;
    listen(h);
    container_host_hasten(h);
    h->parts.changed(h->parts.ctx);
}

/* Where it was not said, it may be somewhere else by now. */
static int find_again(struct container_host *h, struct err *e)
{
    char *where;

    if (h->fixed)
        return 0;
    where = find(e);
    if (!where)
        return -1;
    if (h->where && strcmp(where, h->where) == 0) {
        free(where);
        return 0;
    }
    hub_close(h->hub);
    h->hub = NULL;
    free(h->where);
    h->where = where;
    return hub_open(&h->hub, h->parts.loop, where, e);
}

static void greet(void *ctx)
{
    struct container_host *h = ctx;
    struct hub_request r = {.method = "GET",
                            .path = "/version",
                            .most_ms = ASK_MS,
                            .done = greeted,
                            .ctx = h};
    struct err e;

    h->again = NULL;
    if (find_again(h, &e))
        container_host_lost(h, &e);
    else
        h->greeting = hub_send(h->hub, &r);
}

/* ---- outside ---- */

int container_host_open(struct container_host **out,
                        const struct container_host_parts *parts, struct err *e)
{
    struct container_host *h = mem_new(1, sizeof *h);

    *out = NULL;
    h->parts = *parts;
    h->parts.where = NULL;
    h->pause_ms = AGAIN_MS;
    text_init(&h->line);
    if (parts->where && *parts->where) {
        h->fixed = true;
        h->where = address_of(parts->where, e);
        if (!h->where || hub_open(&h->hub, parts->loop, h->where, e)) {
            container_host_close(h);
            return -1;
        }
    }
    *out = h;
    return 0;
}

void container_host_close(struct container_host *h)
{
    if (!h)
        return;
    let_go(h);
    loop_forget(h->leave);
    hub_close(h->hub);
    text_clear(&h->line);
    free(h->where);
    free(h);
}

static void leave(void *ctx)
{
    struct container_host *h = ctx;

    h->leave = NULL;
    h->wanted = h->there = h->said_away = false;
    let_go(h);
}

void container_host_want(struct container_host *h, bool wanted)
{
    loop_forget(h->leave);
    h->leave = NULL;
    if (!wanted && h->wanted)
        h->leave = loop_after(h->parts.loop, LINGER_MS, leave, h);
    if (!wanted || h->wanted)
        return;
    h->wanted = true;
    h->trouble = (struct err){0};
    h->asked_ms = now();
    h->pause_ms = AGAIN_MS;
    h->again = loop_after(h->parts.loop, 0, greet, h);
}

bool container_host_there(const struct container_host *h)
{
    return h->there;
}

const struct err *container_host_trouble(const struct container_host *h)
{
    return &h->trouble;
}

bool container_host_hopeless(const struct container_host *h)
{
    if (h->there || h->greeting || h->ever)
        return false;
    if (h->trouble.code == ERR_INVALID)
        return true;
    if (h->trouble.code == ERR_ABSENT && !h->where)
        return true;
    return h->asked_ms && now() - h->asked_ms >= PATIENCE_MS;
}

bool container_host_is_podman(const struct container_host *h)
{
    return h->podman;
}

double container_host_version(const struct container_host *h)
{
    return h->version;
}

bool container_host_is_remote(const struct container_host *h)
{
    return h->where && strncmp(h->where, "unix:", 5) != 0;
}

bool container_host_heard_since(const struct container_host *h,
                                int64_t steady_ms)
{
    return h->heard_ms && h->heard_ms <= steady_ms;
}

struct hub_call *container_host_send(struct container_host *h,
                                     const struct hub_request *r)
{
    struct hub_request versioned = *r;
    char *path = mem_format("/v1.%d%s", h->minor, r->path);
    struct hub_call *c;

    versioned.path = path;
    c = hub_send(h->hub, &versioned);
    free(path);
    return c;
}

void container_host_said(const struct hub_answer *a, char *out, size_t size)
{
    json_t *all = json_loadb(a->body, a->n, 0, NULL);
    const char *text = json_string_value(json_object_get(all, "message"));
    size_t n = 0;

    if (!text)
        text = a->body;
    for (; *text && n + 1 < size; text++)
        out[n++] = (unsigned char)*text < ' ' ? ' ' : *text;
    while (n && strchr(" .", out[n - 1]))
        n--;
    out[n] = '\0';
    if (n == 0)
        snprintf(out, size, "it answered with status %d", a->status);
    json_decref(all);
}
