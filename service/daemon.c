/* The service as a whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/daemon.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "container/container.h"
#include "face/address.h"
#include "face/api.h"
#include "face/door.h"
#include "face/owner.h"
#include "google/google.h"
#include "io/loop.h"
#include "io/notify.h"
#include "io/serve.h"
#include "io/work.h"
#include "service/images.h"
#include "service/path.h"
#include "slurm/slurm.h"
#include "store/lock.h"
#include "store/store.h"
#include "trials/gpu_watch.h"
#include "trials/local.h"
#include "tuner/engine.h"
#include "tuner/timed.h"

enum {
    TICK_MS = 100,
    MOST_GATHERED = 8,   /* rounds before a commit */
    LAST_WORDS_MS = 100, /* from the wish to end to the end: answers go out */
    OWNER_MS = 1000,     /* where the kernel knows no pidfd */
    MOST_FILES = 65536,
    LAUNCHERS = 3,   /* local, slurm, container */
    OWN_FILES = 512, /* that TCP connections may not take */
    MOST_HOST = 256
};

static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
enum { ENDS = sizeof ends / sizeof ends[0] };

struct daemon {
    const struct config *config;
    int lock; /* -1 = not held */
    struct loop *loop;
    struct ports *ports;
    struct launcher *launchers[LAUNCHERS + 1]; /* the last is NULL */
    struct store *store;
    struct worker *worker;
    struct timed *timed; /* the worker as the engine knows it */
    struct engine *engine;
    struct api *api;
    struct door *door;
    struct image_map images;
    struct gpus gpus;
    struct gpu_watch *watch;
    struct serve *serve;
    char *report_url; /* where trials report; NULL = not over HTTP */
    struct loop_watch *tick, *signals[ENDS], *owner, *last;
    int owner_fd; /* a pidfd, or -1 */
};

/* ---- what the parts say to each other ---- */

static void look(void *ctx)
{
    struct daemon *d = ctx;

    gpu_watch_ask(d->watch);
}

/* The launchers are opened before the engine that its news is for. */
static void news(void *ctx, const struct launcher_news *n)
{
    struct daemon *d = ctx;

    engine_news(d->engine, n);
}

/* The engine is opened before the api that follows it. */
static void changed(void *ctx, int64_t study)
{
    struct daemon *d = ctx;

    if (d->api)
        api_changed(d->api, study);
}

/* The engine is opened before the listeners too; it launches after them. */
static bool reporting(void *ctx, int64_t study, int64_t number, int attempt,
                      const char **server, char **token)
{
    struct daemon *d = ctx;

    if (!d->report_url)
        return false;
    *server = d->report_url;
    *token = door_report_token(d->door, study, number, attempt);
    return true;
}

static void tick(void *ctx)
{
    struct daemon *d = ctx;

    engine_tick(d->engine);
}

/* A synced write costs as much for one answer as for a hundred. So whoever has
 * asked meanwhile is let in before it, as long as there are more of them; else
 * half of the clients would always wait for the other half's write. */
static void turned(void *ctx)
{
    struct daemon *d = ctx;
    int64_t before = 0, now = api_unkept(d->api);

    for (int i = 0; i < MOST_GATHERED && now > before; i++) {
        before = now;
        loop_gather(d->loop);
        now = api_unkept(d->api);
    }
    engine_turn(d->engine);
}

/* ---- ending ---- */

static void stop(void *ctx)
{
    struct daemon *d = ctx;

    d->last = NULL;
    loop_stop(d->loop);
}

static void end(void *ctx)
{
    struct daemon *d = ctx;

    if (d->last)
        return;
    log_write(LOG_LEVEL_INFO, "ending", "state=\"%s\"", d->config->state);
    notify("STOPPING=1");
    api_ending(d->api);
    if (d->config->look_only) {
        loop_stop(d->loop);
        return;
    }
    d->last = loop_after(d->loop, LAST_WORDS_MS, stop, d);
}

static void owner_ended(void *ctx)
{
    struct daemon *d = ctx;

    loop_forget(d->owner);
    d->owner = NULL;
    end(d);
}

static void look_for_owner(void *ctx)
{
    struct daemon *d = ctx;

    if (kill((pid_t)d->config->private_for, 0) && errno == ESRCH)
        owner_ended(d);
}

static void watch_owner(struct daemon *d)
{
    pid_t pid = (pid_t)d->config->private_for;

    if (!pid)
        return;
    d->owner_fd = (int)syscall(SYS_pidfd_open, pid, 0);
    if (d->owner_fd >= 0)
        d->owner = loop_readable(d->loop, d->owner_fd, owner_ended, d);
    else
        d->owner = loop_every(d->loop, OWNER_MS, look_for_owner, d);
}

/* A signal that we were told to ignore (nohup, a shell's `&`) stays ignored. */
static void watch_signals(struct daemon *d)
{
    for (size_t i = 0; i < ENDS; i++) {
        struct sigaction now;

        if (sigaction(ends[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            d->signals[i] = loop_signal(d->loop, ends[i], end, d);
    }
}

/* ---- opening ---- */

static void raise_limits(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= MOST_FILES)
        return;
    files.rlim_cur = files.rlim_max < MOST_FILES ? files.rlim_max : MOST_FILES;
    if (setrlimit(RLIMIT_NOFILE, &files))
        log_write(LOG_LEVEL_WARN, "few_files", "limit=%llu",
                  (unsigned long long)files.rlim_cur);
}

static int open_store(struct daemon *d, struct err *e)
{
    char *path = mem_format("%s/hypertune.db", d->config->state);
    int rc;

    if (d->config->look_only && access(path, F_OK))
        rc = err_set(e, ERR_ABSENT, "there are no studies yet in %s",
                     d->config->state);
    else
        rc = store_open(&d->store, path, e);
    if (rc && e->code == ERR_CONFLICT)
        e->code = ERR_IO; /* conflicts are about the lock */
    free(path);
    return rc;
}

static int open_engine(struct daemon *d, struct err *e)
{
    struct engine_parts parts = {
        .store = d->store,
        .launchers = d->launchers,
        .clock = &clock_real,
        .state_dir = d->config->state,
        .environ_ = environ,
        .processors = (int)d->config->processors,
        .memory = d->config->memory,
        .gpus = &d->gpus,
        .look = d->watch ? look : NULL,
        .least_free_bytes = d->config->least_free,
        .changed = changed,
        .lease_ms = d->config->lease_ms,
        .look_only = d->config->look_only,
        .reporting = reporting,
        .ctx = d,
    };

    d->timed = timed_new(d->worker);
    parts.worker = timed_worker(d->timed);
    return engine_open(&d->engine, &parts, e);
}

/* Whoever only looks leaves the service's own socket to a service. */
static char *socket_path(const struct config *c)
{
    if (c->look_only)
        return mem_format("%s/look-%lld.sock", c->state,
                          (long long)c->private_for);
    return mem_format("%s/hypertuned.sock", c->state);
}

/* Which names requests may give us: those that were told, and the addresses
 * that we listen on. */
static struct door *make_door(const struct daemon *d, const char *owner)
{
    const struct config *c = d->config;
    size_t most = c->listen.n + c->allow_hosts.n + 1;
    char(*hosts)[MOST_HOST] = mem_new(most, sizeof *hosts);
    const char **names = mem_new(most, sizeof *names);
    struct door_parts parts = {.store = d->store,
                               .clock = &clock_real,
                               .owner = owner,
                               .hosts = names,
                               .next = api_serve,
                               .ctx = d->api};
    struct door *door;

    for (size_t i = 0; i < c->listen.n; i++) {
        struct address a;

        names[i] = hosts[i];
        if (!address_read(&a, c->listen.items[i], NULL))
            snprintf(hosts[i], sizeof hosts[i], "%s", a.host);
        parts.any_ip |= a.any;
    }
    for (size_t i = 0; i < c->allow_hosts.n; i++) {
        names[c->listen.n + i] = hosts[c->listen.n + i];
        address_host(c->allow_hosts.items[i], hosts[c->listen.n + i],
                     sizeof *hosts);
    }
    names[most - 1] = hosts[most - 1]; /* "" is no host's name */
    if (c->report_url)
        address_url_host(c->report_url, hosts[most - 1], sizeof *hosts);
    parts.n_hosts = most;
    door = door_new(&parts);
    free(names);
    free(hosts);
    return door;
}

static int open_tcp(struct daemon *d, const char *text, struct err *e)
{
    bool tls = d->config->tls_certificate != NULL;
    struct address a;
    int port;

    if (address_read(&a, text, e) ||
        serve_tcp(d->serve, a.host, a.port, &port, e))
        return -1;
    log_write(LOG_LEVEL_INFO, "listening",
              strchr(a.host, ':') ? "url=%s://[%s]:%d" : "url=%s://%s:%d",
              tls ? "https" : "http", a.host, port);
    if (!d->report_url)
        d->report_url = address_url(&a, port, tls);
    return 0;
}

/* Of each listener, so that strangers leave descriptors to jobs and to the Unix
 * socket. */
static int most_connections(const struct config *c)
{
    int64_t most = c->most_connections;
    struct rlimit files;
    int64_t free_files;

    if (!c->listen.n || getrlimit(RLIMIT_NOFILE, &files) ||
        files.rlim_cur > INT_MAX)
        return (int)most;
    free_files = ((int64_t)files.rlim_cur - OWN_FILES) / (int64_t)c->listen.n;
    if (free_files < 1)
        free_files = 1;
    return (int)(most < free_files ? most : free_files);
}

/* The Unix socket, and what was asked for beside it. */
static int open_listeners(struct daemon *d, struct err *e)
{
    const struct config *c = d->config;
    char *path = socket_path(c);
    int rc = serve_unix(d->serve, path, e);

    free(path);
    if (rc || c->look_only)
        return rc;
    if (c->tls_certificate &&
        serve_tls(d->serve, c->tls_certificate, c->tls_key, e))
        return -1;
    serve_limits(d->serve, most_connections(c), SERVE_SLOW_MS);
    d->report_url = mem_copy_text(c->report_url);
    for (size_t i = 0; i < c->listen.n; i++)
        if (open_tcp(d, c->listen.items[i], e))
            return -1;
    return 0;
}

static int open_face(struct daemon *d, struct err *e)
{
    struct api_parts parts = {.engine = d->engine,
                              .store = d->store,
                              .loop = d->loop,
                              .state_dir = d->config->state,
                              .least_free_bytes = d->config->least_free,
                              .timed = d->timed,
                              .guest = &google_guest,
                              .images = d->images.doc ? &d->images : NULL,
                              .look_only = d->config->look_only};
    char *owner = NULL;

    if (!d->config->look_only && owner_token(d->config->state, &owner, e))
        return -1;
    d->api = api_new(&parts);
    d->door = make_door(d, owner);
    free(owner);
    if (serve_open(&d->serve, d->loop, door_serve, d->door, e))
        return -1;
    return open_listeners(d, e);
}

static int open_launchers(struct daemon *d, struct err *e)
{
    d->ports = ports_new();
    if (local_open(&d->launchers[0], d->loop, d->ports, d->config->shim, news,
                   d, e))
        return -1;
    slurm_open(&d->launchers[1], d->loop, environ, news, d);
    if (container_open(&d->launchers[2], d->loop, d->ports,
                       d->config->container_host, news, d, e))
        return err_wrap(e, "--container-host");
    return 0;
}

static int find_gpus(struct daemon *d, struct err *e)
{
    if (config_gpus(d->config, &d->gpus, e))
        return -1;
    if (!d->config->gpus.n)
        gpus_find(&d->gpus, NULL);
    log_write(LOG_LEVEL_INFO, "gpus", "n=%zu", d->gpus.n);
    return gpu_watch_open(&d->watch, d->loop, &d->gpus, NULL, e);
}

/* The launchers are opened first: jobs get the limit that holds then. */
static int open_to_run(struct daemon *d, struct err *e)
{
    algorithms_init();
    if (lock_take(d->config->state, &d->lock, e) || loop_open(&d->loop, e) ||
        open_launchers(d, e) || find_gpus(d, e))
        return -1;
    raise_limits();
    if (d->config->image_map &&
        images_read(&d->images, d->config->image_map, e))
        return -1;
    if (open_store(d, e) || work_open(&d->worker, d->loop, e) ||
        open_engine(d, e) || open_face(d, e) || engine_recover(d->engine, e))
        return -1;
    d->tick = loop_every(d->loop, TICK_MS, tick, d);
    return 0;
}

/* Without the lock, beside a service too; nothing is recovered, launched or
 * watched. */
static int open_to_look(struct daemon *d, struct err *e)
{
    if (loop_open(&d->loop, e) || open_store(d, e) || open_engine(d, e))
        return -1;
    return open_face(d, e);
}

static int open_all(struct daemon *d, struct err *e)
{
    if (d->config->look_only ? open_to_look(d, e) : open_to_run(d, e))
        return -1;
    watch_signals(d);
    watch_owner(d);
    log_write(LOG_LEVEL_INFO, "ready", "state=\"%s\" pid=%ld version=%s",
              d->config->state, (long)getpid(), HYPERTUNE_VERSION);
    notify("READY=1");
    return 0;
}

/* ---- closing: what points to others before what it points to ---- */

static void close_watches(struct daemon *d)
{
    loop_forget(d->tick);
    loop_forget(d->owner);
    loop_forget(d->last);
    for (size_t i = 0; i < ENDS; i++)
        loop_forget(d->signals[i]);
    if (d->owner_fd >= 0)
        close(d->owner_fd);
}

static void close_all(struct daemon *d)
{
    close_watches(d);
    work_close(d->worker);
    if (d->engine)
        engine_close(d->engine);
    api_free(d->api);
    timed_free(d->timed);
    serve_close(d->serve);
    door_free(d->door);
    free(d->report_url);
    image_map_clear(&d->images);
    gpu_watch_close(d->watch);
    gpus_clear(&d->gpus);
    for (struct launcher **l = d->launchers; *l; l++)
        (*l)->type->close(*l);
    ports_free(d->ports);
    if (d->store)
        store_close(d->store);
    if (d->loop)
        loop_close(d->loop);
    if (d->lock >= 0)
        lock_release(d->lock);
}

int daemon_run(const struct config *config, struct err *e)
{
    struct daemon d = {.config = config, .lock = -1, .owner_fd = -1};
    int rc;

    log_limit(config->log_level);
    notify_begin();
    path_offer();
    rc = open_all(&d, e);
    if (!rc) {
        loop_run(d.loop, turned, &d);
        engine_turn(d.engine); /* what the last round wrote */
    }
    close_all(&d);
    return rc;
}
