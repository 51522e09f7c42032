/* Starts shims, watches them by pidfd, and turns their status files into
 * news. Every news comes from a callback of the loop, last in its function. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/local.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "trials/remains.h"
#include "trials/spawn.h"
#include "trials/status.h"

enum {
    POLL_MS = 100, /* where the system has no pidfd */
    SWEEP_MS = 20  /* between two looks for what a killed shim left behind */
};

struct local {
    struct launcher launcher; /* first */
    struct loop *loop;
    struct ports *ports;
    struct spawn spawn;
    launcher_news_fn *news;
    void *ctx;
    struct local_job *jobs;
};

struct local_job {
    struct local *local;
    char *name, *folder;
    pid_t shim; /* 0: none that could live */
    uint64_t shim_start;
    int exit_code; /* the shim's, when it was our child; else 0 */
    int pidfd;     /* or -1 */
    int alive;     /* the pipe's end until its byte came, or -1 */
    bool said_alive;
    struct loop_watch *watch_end, *watch_alive, *later;
    struct local_job *prev, *next;
};

/* ---- jobs ---- */

static struct local_job *find(const struct local *l, const char *name)
{
    struct local_job *j = l->jobs;

    while (j && strcmp(j->name, name) != 0)
        j = j->next;
    return j;
}

static struct local_job *job_new(struct local *l, const char *name,
                                 const char *folder)
{
    struct local_job *j = mem_new(1, sizeof *j);

    j->local = l;
    j->name = mem_copy_text(name);
    j->folder = mem_copy_text(folder);
    j->pidfd = j->alive = -1;
    j->next = l->jobs;
    if (j->next)
        j->next->prev = j;
    l->jobs = j;
    return j;
}

static void close_alive(struct local_job *j)
{
    loop_forget(j->watch_alive);
    j->watch_alive = NULL;
    if (j->alive >= 0)
        close(j->alive);
    j->alive = -1;
}

static void close_end(struct local_job *j)
{
    loop_forget(j->watch_end);
    j->watch_end = NULL;
    if (j->pidfd >= 0)
        close(j->pidfd);
    j->pidfd = -1;
}

static void job_free(struct local_job *j)
{
    if (j->local->jobs == j)
        j->local->jobs = j->next;
    else
        j->prev->next = j->next;
    if (j->next)
        j->next->prev = j->prev;
    close_alive(j);
    close_end(j);
    loop_forget(j->later);
    free(j->name);
    free(j->folder);
    free(j);
}

/* ---- news ---- */

static void tell_alive(struct local_job *j)
{
    struct launcher_news news = {.job_name = j->name, .word = LAUNCHER_ALIVE};

    j->said_alive = true;
    j->local->news(j->local->ctx, &news);
}

/* The job is forgotten before its last news. */
static void tell_end(struct local_job *j, struct launcher_news *news)
{
    struct local *l = j->local;
    char *name = mem_copy_text(j->name);

    job_free(j);
    ports_give_back(l->ports, name);
    news->job_name = name;
    l->news(l->ctx, news);
    free(name);
}

static void tell_status(struct local_job *j, const struct status *s)
{
    struct launcher_news news = {.ran_ms = s->ran_ms,
                                 .blame = s->oom ? BLAME_MEMORY : BLAME_NOBODY,
                                 .replica = *s->replica ? s->replica : NULL};

    switch (s->end) {
    case STATUS_EXIT:
        news.word = LAUNCHER_ENDED;
        news.exit_code = s->number;
        break;
    case STATUS_SIGNAL:
        news.word = LAUNCHER_ENDED;
        news.exit_code = -1;
        news.signal_number = s->number;
        break;
    case STATUS_REFUSED:
        news.word = LAUNCHER_REFUSED;
        news.text = s->text;
        break;
    default:
        news.word = LAUNCHER_LOST;
    }
    tell_end(j, &news);
}

/* ---- the end of a shim ---- */

/* Its cgroups are empty now. */
static void sweep_cages(struct local *l, const struct status *s)
{
    if (s->shim > 0)
        cage_sweep(spawn_places(&l->spawn), s->shim, s->shim_start);
}

static bool this_boot(const struct status *s)
{
    char boot[PROC_BOOT];

    return strcmp(s->boot, proc_boot(boot)) == 0;
}

static void settle(void *ctx);

static void settle_later(struct local_job *j, int64_t delay_ms)
{
    loop_forget(j->later);
    j->later = loop_after(j->local->loop, delay_ms, settle, j);
}

static void adopt(struct local_job *j);

/* The shim could not make the status: nothing ran. */
static void tell_no_status(struct local_job *j)
{
    char text[STATUS_TEXT];
    struct launcher_news news = {.word = LAUNCHER_LOST};

    if (j->exit_code > 0) {
        snprintf(text, sizeof text, "cannot write %s/%s: %s", j->folder,
                 STATUS_FILE, strerror(j->exit_code));
        news.word = LAUNCHER_REFUSED;
        news.text = text;
    }
    tell_end(j, &news);
}

/* No shim lives (any more): the status has the last word. */
static void settle(void *ctx)
{
    struct local_job *j = ctx;
    struct status s;
    struct err e;

    loop_forget(j->later); /* our own, or one that comes too late */
    j->later = NULL;
    if (j->exit_code == STATUS_TAKEN) {
        j->exit_code = 0;
        adopt(j);
        return;
    }
    if (!status_read(j->folder, &s)) {
        /* Should another shim have come first just now, look again. */
        if (status_claim_lost(j->folder, &e) && e.code == ERR_CONFLICT)
            settle_later(j, 0);
        else
            tell_no_status(j);
        return;
    }
    if (s.end == STATUS_RUNNING && this_boot(&s)) {
        if (remains_kill(&s, j->folder) > 0) {
            settle_later(j, SWEEP_MS);
            return;
        }
        sweep_cages(j->local, &s);
    }
    if (s.child > 0 && !j->said_alive) {
        settle_later(j, 0);
        tell_alive(j);
        return;
    }
    tell_status(j, &s);
}

static void heard(void *ctx)
{
    struct local_job *j = ctx;
    char byte;
    ssize_t n = read(j->alive, &byte, 1);

    if (n < 0 && errno == EINTR)
        return;
    close_alive(j);
    if (n == 1)
        tell_alive(j);
}

static void shim_ended(void *ctx)
{
    struct local_job *j = ctx;
    int how = 0;

    if (waitpid(j->shim, &how, WNOHANG) == j->shim && WIFEXITED(how))
        j->exit_code = WEXITSTATUS(how);
    close_end(j);
    close_alive(j);
    settle(j);
}

/* ---- watching ---- */

/* For systems without pidfd: is the shim still there? */
static void poll_shim(void *ctx)
{
    struct local_job *j = ctx;

    if (!proc_alive(j->shim, j->shim_start))
        shim_ended(j);
}

static void watch_shim(struct local_job *j)
{
    struct loop *loop = j->local->loop;

    j->pidfd = (int)syscall(SYS_pidfd_open, j->shim, 0U);
    if (j->pidfd >= 0)
        j->watch_end = loop_readable(loop, j->pidfd, shim_ended, j);
    else
        j->watch_end = loop_every(loop, POLL_MS, poll_shim, j);
}

static void say_alive(void *ctx)
{
    struct local_job *j = ctx;

    j->later = NULL;
    if (!j->said_alive)
        tell_alive(j);
}

/* Finds the job by its status: watches its shim, or will tell its end. */
static void adopt(struct local_job *j)
{
    struct status s;

    j->shim = 0;
    if (status_read(j->folder, &s) && s.end == STATUS_RUNNING && s.shim > 0 &&
        this_boot(&s)) {
        j->shim = s.shim;
        j->shim_start = s.shim_start;
        watch_shim(j);
        /* Looked at again now that the pidfd holds on to it. */
        if (proc_alive(s.shim, s.shim_start)) {
            if (!j->said_alive)
                j->later = loop_after(j->local->loop, 0, say_alive, j);
            return;
        }
        close_end(j);
        waitpid(s.shim, NULL, WNOHANG);
        j->shim = 0;
    }
    settle_later(j, 0);
}

/* ---- starting ---- */

static int launch(struct local *l, const struct job *job, struct err *e)
{
    struct local_job *j;
    int ends[2];
    pid_t pid = 0;
    int rc;

    if (pipe2(ends, O_CLOEXEC))
        return err_errno(e, errno, "cannot start %s", job->replicas[0].argv[0]);
    rc = spawn_shim(&l->spawn, job, ends[1], &pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return err_errno(e, rc, "cannot start %s by %s",
                         job->replicas[0].argv[0], l->spawn.shim_path);
    }
    j = job_new(l, job->name, job->folder);
    j->shim = pid;
    proc_start_time(pid, &j->shim_start);
    j->alive = ends[0];
    j->watch_alive = loop_readable(l->loop, j->alive, heard, j);
    watch_shim(j);
    return 0;
}

/* Whoever starts a job that runs has not heard, or has forgotten, so. */
static void say_again(struct local_job *j)
{
    if (!j->said_alive)
        return;
    j->said_alive = false;
    if (!j->later)
        j->later = loop_after(j->local->loop, 0, say_alive, j);
}

static int addresses(struct launcher *launcher, const char *job_name, size_t n,
                     char (*out)[LAUNCHER_ADDRESS], struct err *e)
{
    struct local *l = (struct local *)launcher;
    int *taken = mem_new(n, sizeof *taken);
    int rc = ports_take(l->ports, job_name, n, taken, e);

    for (size_t i = 0; i < n && rc == 0; i++)
        snprintf(out[i], LAUNCHER_ADDRESS, "127.0.0.1:%d", taken[i]);
    free(taken);
    return rc;
}

/* What is wrong with the job as it stands. */
static int check(const struct job *job, struct err *e)
{
    for (size_t i = 0; i < job->n_replicas; i++) {
        const struct job_replica *r = &job->replicas[i];

        if (r->argv && r->argv[0] && *r->argv[0])
            continue;
        if (job->n_replicas == 1)
            return err_set(e, ERR_INVALID, "there is no program to run");
        return err_set(e, ERR_INVALID, "there is no program for %s to run",
                       r->name);
    }
    return 0;
}

static int start(struct launcher *launcher, const struct job *job,
                 struct err *e)
{
    struct local *l = (struct local *)launcher;
    struct local_job *known = find(l, job->name);
    struct status s;

    if (known) {
        say_again(known);
        return 0;
    }
    if (check(job, e)) {
        ports_give_back(l->ports, job->name);
        return -1;
    }
    if (!status_read(job->folder, &s)) {
        if (!launch(l, job, e))
            return 0;
        ports_give_back(l->ports, job->name);
        return -1;
    }
    adopt(job_new(l, job->name, job->folder));
    return 0;
}

static int watch(struct launcher *launcher, const char *job_name,
                 const char *folder, struct err *e)
{
    struct local *l = (struct local *)launcher;

    (void)e;
    if (!find(l, job_name))
        adopt(job_new(l, job_name, folder));
    return 0;
}

static void stop(struct launcher *launcher, const char *job_name, bool kill_now)
{
    const struct local_job *j = find((struct local *)launcher, job_name);
    int number = kill_now ? SIGUSR1 : SIGTERM;

    if (!j || !j->watch_end)
        return;
    if (j->pidfd >= 0)
        syscall(SYS_pidfd_send_signal, j->pidfd, number, NULL, 0U);
    else if (proc_alive(j->shim, j->shim_start))
        kill(j->shim, number);
}

static void local_close(struct launcher *launcher)
{
    struct local *l = (struct local *)launcher;
    struct local_job *next;

    for (struct local_job *j = l->jobs; j; j = next) {
        next = j->next;
        job_free(j);
    }
    spawn_clear(&l->spawn);
    free(l);
}

static const struct launcher_type launcher_local = {
    .name = "local",
    .addresses = addresses,
    .start = start,
    .watch = watch,
    .stop = stop,
    .close = local_close,
};

int local_open(struct launcher **out, struct loop *l, struct ports *ports,
               const char *shim_path, launcher_news_fn *news, void *ctx,
               struct err *e)
{
    struct local *local;

    *out = NULL;
    if (access(shim_path, X_OK))
        return err_errno(e, errno, "cannot run %s", shim_path);
    local = mem_new(1, sizeof *local);
    local->launcher.type = &launcher_local;
    local->loop = l;
    local->ports = ports;
    spawn_init(&local->spawn, shim_path);
    local->news = news;
    local->ctx = ctx;
    *out = &local->launcher;
    return 0;
}
