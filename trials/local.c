/* Starts shims, watches them by pidfd, and turns their status files into
 * news. Every news comes from a callback of the loop, last in its function. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/local.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "trials/status.h"

enum {
    POLL_MS = 100, /* where the system has no pidfd */
    SWEEP_MS = 20  /* between two looks for what a killed shim left behind */
};

struct local {
    struct launcher launcher; /* first */
    struct loop *loop;
    struct ports *ports;
    char *shim_path;
    launcher_news_fn *news;
    void *ctx;
    struct local_job *jobs;
    rlim_t files; /* the soft limit that jobs get */
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
                                 .blame = s->oom ? BLAME_MEMORY : BLAME_NOBODY};

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

/* ---- what a killed shim leaves behind ---- */

/* Whether the process was given that folder for its reports: so it belongs to
 * the job even if it went into a session of its own. */
static bool reports_there(pid_t pid, const char *folder)
{
    static const char name[] = "HYPERTUNE_REPORT_FILE=";
    static char text[256 << 10];
    size_t n = strlen(folder);
    char path[64];
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    got = proc_file(path, text, sizeof text);
    for (const char *at = text; got > 0 && at < text + got;
         at += strlen(at) + 1) {
        const char *value = at + sizeof name - 1;

        if (strncmp(at, name, sizeof name - 1) == 0)
            return strncmp(value, folder, n) == 0 && value[n] == '/';
    }
    return false;
}

/* Kills what is left of the job, and returns how many there were. A session's
 * number is not given away while somebody is in it; should a later process
 * have the shim's pid, the session had ended. */
static int sweep(const struct status *s, const char *folder)
{
    DIR *all = opendir("/proc");
    struct proc p;
    bool session =
        s->shim > 0 && (proc_read(s->shim, &p) || p.start == s->shim_start);
    pid_t self = getpid();
    int n = 0;

    while (all && proc_next(all, &p)) {
        if (p.pid == self || !proc_lives(&p))
            continue;
        if ((session && p.session == s->shim && p.start >= s->shim_start) ||
            reports_there(p.pid, folder)) {
            kill(p.pid, SIGKILL);
            n++;
        }
    }
    if (all)
        closedir(all);
    return n;
}

static bool this_boot(const struct status *s)
{
    char boot[PROC_BOOT];

    return strcmp(s->boot, proc_boot(boot)) == 0;
}

/* ---- the end of a shim ---- */

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
    if (s.end == STATUS_RUNNING && this_boot(&s) && sweep(&s, j->folder) > 0) {
        settle_later(j, SWEEP_MS);
        return;
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

static int set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *how,
                  int alive)
{
    sigset_t blocked, defaults;
    int rc;

    /* Told to stop before it listens, it shall hear of it later. */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigaddset(&blocked, SIGUSR1);
    sigfillset(&defaults);
    rc = posix_spawnattr_setsigmask(how, &blocked);
    if (!rc)
        rc = posix_spawnattr_setsigdefault(how, &defaults);
    if (!rc)
        rc = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSID |
                                               POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF);
    if (!rc)
        rc = posix_spawn_file_actions_adddup2(files, alive, STATUS_ALIVE_FD);
    for (int fd = 0; fd < 3 && !rc; fd++)
        rc =
            posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    return rc;
}

static char **words_new(const struct local *l, const struct job *job)
{
    size_t n = 0;
    char **words;

    while (job->replicas[0].argv[n])
        n++;
    words = mem_new(n + 4, sizeof *words);
    words[0] = l->shim_path;
    words[1] = (char *)(uintptr_t)job->folder;
    words[2] = (char *)(uintptr_t)job->replicas[0].workdir;
    memcpy(words + 3, job->replicas[0].argv, n * sizeof *words);
    return words;
}

/* A child gets the limits of the moment: lowers ours, and says what to put
 * back. Descriptors above the limit stay open. */
static bool lower_files(const struct local *l, struct rlimit *back)
{
    struct rlimit low;

    if (getrlimit(RLIMIT_NOFILE, back) || back->rlim_cur <= l->files)
        return false;
    low = (struct rlimit){.rlim_cur = l->files, .rlim_max = back->rlim_max};
    return setrlimit(RLIMIT_NOFILE, &low) == 0;
}

static int spawn(const struct local *l, const struct job *job, int alive,
                 pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    char **words = words_new(l, job);
    struct rlimit back;
    bool lowered;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    rc = set_up(&files, &how, alive);
    lowered = lower_files(l, &back);
    if (!rc)
        rc = posix_spawn(pid, l->shim_path, &files, &how, words,
                         job->replicas[0].environ_);
    if (lowered)
        (void)setrlimit(RLIMIT_NOFILE, &back);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(words);
    return rc;
}

static int launch(struct local *l, const struct job *job, struct err *e)
{
    struct local_job *j;
    int ends[2];
    pid_t pid = 0;
    int rc;

    if (pipe2(ends, O_CLOEXEC))
        return err_errno(e, errno, "cannot start %s", job->replicas[0].argv[0]);
    rc = spawn(l, job, ends[1], &pid);
    close(ends[1]);
    if (rc) {
        close(ends[0]);
        return err_errno(e, rc, "cannot start %s by %s",
                         job->replicas[0].argv[0], l->shim_path);
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
    if (job->n_replicas != 1)
        return err_set(e, ERR_INVALID, "only one replica is supported");
    if (!job->replicas[0].argv[0] || !*job->replicas[0].argv[0])
        return err_set(e, ERR_INVALID, "there is no program to run");
    if (!status_read(job->folder, &s))
        return launch(l, job, e);
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
    free(l->shim_path);
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
    struct rlimit files;

    *out = NULL;
    if (access(shim_path, X_OK))
        return err_errno(e, errno, "cannot run %s", shim_path);
    local = mem_new(1, sizeof *local);
    local->launcher.type = &launcher_local;
    local->loop = l;
    local->ports = ports;
    local->shim_path = mem_copy_text(shim_path);
    local->files =
        getrlimit(RLIMIT_NOFILE, &files) ? RLIM_INFINITY : files.rlim_cur;
    local->news = news;
    local->ctx = ctx;
    *out = &local->launcher;
    return 0;
}
