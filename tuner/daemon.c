/* The service as a whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/daemon.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/loop.h"
#include "io/serve.h"
#include "io/work.h"
#include "store/lock.h"
#include "store/store.h"
#include "trials/local.h"
#include "tuner/api.h"
#include "tuner/engine.h"

enum {
    TICK_MS = 100,
    LAST_WORDS_MS = 100, /* from the wish to end to the end: answers go out */
    OWNER_MS = 1000,     /* where the kernel knows no pidfd */
    MOST_FILES = 65536
};

static const int ends[] = {SIGTERM, SIGINT, SIGHUP};
enum { ENDS = sizeof ends / sizeof ends[0] };

struct daemon {
    const struct config *config;
    int lock; /* -1 = not held */
    struct loop *loop;
    struct launcher *launcher;
    struct store *store;
    struct worker *worker;
    struct engine *engine;
    struct api *api;
    struct serve *serve;
    struct loop_watch *tick, *signals[ENDS], *owner, *last;
    int owner_fd; /* a pidfd, or -1 */
};

/* ---- what the parts say to each other ---- */

/* The launcher is opened before the engine that its news is for. */
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

static void tick(void *ctx)
{
    struct daemon *d = ctx;

    engine_tick(d->engine);
}

static void turned(void *ctx)
{
    struct daemon *d = ctx;

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
        .local = d->launcher,
        .clock = &clock_real,
        .worker = d->worker,
        .state_dir = d->config->state,
        .environ_ = environ,
        .processors = (int)d->config->processors,
        .gpus = (int)d->config->gpus,
        .least_free_bytes = d->config->least_free,
        .changed = changed,
        .look_only = d->config->look_only,
        .ctx = d,
    };

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

static int open_face(struct daemon *d, struct err *e)
{
    struct api_parts parts = {.engine = d->engine,
                              .store = d->store,
                              .loop = d->loop,
                              .state_dir = d->config->state,
                              .look_only = d->config->look_only};
    char *path = socket_path(d->config);
    int rc;

    d->api = api_new(&parts);
    rc = serve_open(&d->serve, d->loop, api_serve, d->api, e);
    if (!rc)
        rc = serve_unix(d->serve, path, e);
    free(path);
    return rc;
}

/* The launcher is opened first: jobs get the limit that holds then. */
static int open_to_run(struct daemon *d, struct err *e)
{
    algorithms_init();
    if (lock_take(d->config->state, &d->lock, e) || loop_open(&d->loop, e) ||
        local_open(&d->launcher, d->loop, d->config->shim, news, d, e))
        return -1;
    raise_limits();
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
    serve_close(d->serve);
    if (d->launcher)
        d->launcher->type->close(d->launcher);
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
    rc = open_all(&d, e);
    if (!rc) {
        loop_run(d.loop, turned, &d);
        engine_turn(d.engine); /* what the last round wrote */
    }
    close_all(&d);
    return rc;
}
