/* Forks the replicas, and takes note of how each of them ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/crew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trials/proc.h"

/* What kept a child from becoming its program, told through a pipe. */
struct trouble {
    enum { NO_FOLDER, NO_PROGRAM, NO_INTERPRETER } what;
    int error_number;
    size_t nth; /* member */
};

/* ---- starting one ---- */

static int open_log(const struct job_replica *r, const char *name)
{
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/%s", r->folder, name);

    if (n < 0 || (size_t)n >= sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
}

/* Becomes the program, or tells why not. */
__attribute__((noreturn)) static void become(const struct crew_member *m,
                                             const int logs[2], pid_t shim,
                                             struct trouble t, int pipe_end)
{
    const struct job_replica *r = m->replica;
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != shim)
        _exit(1);
    dup2(logs[0], 1);
    dup2(logs[1], 2);
    cage_enter(&m->cage);
    t.what = NO_FOLDER;
    if (!chdir(r->workdir)) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        environ = (char **)(uintptr_t)r->environ_;
        execvp(r->argv[0], r->argv);
        t.what = NO_PROGRAM;
        if (errno == ENOENT && strchr(r->argv[0], '/') &&
            !access(r->argv[0], F_OK)) {
            t.what = NO_INTERPRETER;
            errno = ENOENT;
        }
    }
    t.error_number = errno;
    if (write(pipe_end, &t, sizeof t) < 0)
        _exit(1);
    _exit(127);
}

/* "worker-1: cannot run ./train: No such file or directory" */
static int complain(const struct crew_member *m, char text[CREW_TEXT],
                    const char *doing, const char *thing, const char *why)
{
    const char *name = m->replica->name;

    snprintf(text, CREW_TEXT, "%s%scannot %s%s: %s", name ? name : "",
             name ? ": " : "", doing, thing, why);
    return -1;
}

static int start_one(struct crew *c, size_t nth, int pipe_end,
                     char text[CREW_TEXT])
{
    struct crew_member *m = &c->members[nth];
    const struct job_replica *r = m->replica;
    int logs[2] = {open_log(r, "stdout.log"), open_log(r, "stderr.log")};
    pid_t self = getpid();
    int why = errno;

    if (logs[0] >= 0 && logs[1] >= 0) {
        m->pid = fork();
        why = errno;
        if (m->pid == 0)
            become(m, logs, self, (struct trouble){.nth = nth}, pipe_end);
    }
    for (int i = 0; i < 2; i++)
        if (logs[i] >= 0)
            close(logs[i]);
    if (logs[0] < 0 || logs[1] < 0)
        return complain(m, text, "write the logs in ", r->folder,
                        strerror(why));
    if (m->pid < 0) {
        m->pid = 0;
        return complain(m, text, "fork", "", strerror(why));
    }
    setpgid(m->pid, m->pid); /* whoever of the two comes first */
    return 0;
}

/* ---- starting all ---- */

static int explain(const struct crew *c, const struct trouble *t,
                   char text[CREW_TEXT])
{
    const struct crew_member *m = &c->members[t->nth];
    const char *program = m->replica->argv[0];
    const char *why = strerror(t->error_number);

    if (t->what == NO_FOLDER)
        return complain(m, text, "enter the folder ", m->replica->workdir, why);
    if (t->what == NO_INTERPRETER)
        why = "the interpreter that it names is not there";
    return complain(m, text, "run ", program, why);
}

static void make_cages(struct crew *c, const struct roster *r)
{
    pid_t self = getpid();
    uint64_t ticks = 0;

    for (size_t i = 0; i < r->n; i++) {
        const struct job_replica *what = &r->replicas[i];

        if (what->memory <= 0 && what->cpus <= 0)
            continue;
        if (!ticks)
            proc_start_time(self, &ticks);
        cage_make(&c->members[i].cage, &r->places, self, ticks, (int)i,
                  what->memory, what->cpus);
    }
}

/* Starts the members FROM to BEFORE and waits until they are their programs:
 * then nobody holds the other end of the pipe any more. */
static int start_some(struct crew *c, size_t from, size_t before,
                      char text[CREW_TEXT])
{
    struct trouble t;
    int ends[2];
    int rc = 0;

    if (pipe2(ends, O_CLOEXEC)) {
        snprintf(text, CREW_TEXT, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    for (size_t i = from; i < before && !rc; i++)
        rc = start_one(c, i, ends[1], text);
    close(ends[1]);
    if (!rc && read(ends[0], &t, sizeof t) == (ssize_t)sizeof t)
        rc = explain(c, &t, text);
    close(ends[0]);
    return rc;
}

int crew_start(struct crew *c, const struct roster *r, char text[CREW_TEXT])
{
    *c = (struct crew){.members = calloc(r->n, sizeof *c->members)};
    if (!c->members) {
        snprintf(text, CREW_TEXT, "no memory for %zu replicas", r->n);
        return -1;
    }
    c->n = r->n;
    for (size_t i = 0; i < r->n; i++)
        c->members[i].replica = &r->replicas[i];
    make_cages(c, r);
    clock_gettime(CLOCK_MONOTONIC, &c->begin);
    if (c->n > 1 && start_some(c, 1, c->n, text))
        return -1;
    return start_some(c, 0, 1, text);
}

/* ---- to their ends ---- */

void crew_signal(const struct crew *c, int signal_number)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct crew_member *m = &c->members[i];

        if (!m->pid || m->ended)
            continue;
        if (kill(-m->pid, signal_number))
            kill(m->pid, signal_number);
        if (signal_number != SIGKILL)
            kill(-m->pid, SIGCONT); /* a stopped one could not listen */
        else
            kill(m->pid, SIGKILL); /* also if it went into another group */
    }
}

static int64_t ms_since(const struct timespec *begin)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - begin->tv_sec) * INT64_C(1000) +
           (now.tv_nsec - begin->tv_nsec) / 1000000;
}

void crew_reap(struct crew *c)
{
    pid_t pid;
    int how;

    while ((pid = waitpid(-1, &how, WNOHANG)) > 0) {
        for (size_t i = 0; i < c->n; i++) {
            struct crew_member *m = &c->members[i];

            if (m->pid != pid || m->ended)
                continue;
            m->ended = true;
            m->how = how;
            m->ran_ms = ms_since(&c->begin);
        }
    }
}

bool crew_is_over(const struct crew *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!c->members[i].ended)
            return false;
    return true;
}

static void kill_children(void)
{
    DIR *all = opendir("/proc");
    struct proc p;
    pid_t self = getpid();

    while (all && proc_next(all, &p))
        if (p.parent == self)
            kill(p.pid, SIGKILL);
    if (all)
        closedir(all);
}

/* Whatever a child leaves behind when it dies becomes ours before the child
 * can be waited for; so this ends with nobody left. */
void crew_end(struct crew *c)
{
    pid_t pid;

    crew_signal(c, SIGKILL);
    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
        if (pid == 0) {
            kill_children();
            waitpid(-1, NULL, 0);
        }
    }
    for (size_t i = 0; i < c->n; i++)
        c->members[i].ended = true;
}

void crew_clear(struct crew *c)
{
    for (size_t i = 0; i < c->n; i++)
        cage_remove(&c->members[i].cage);
    free(c->members);
    *c = (struct crew){0};
}
