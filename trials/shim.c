/* hypertune-shim FOLDER WORKDIR COMMAND [ARGUMENT...]: runs one command and
 * writes into FOLDER/status how it ended, so that a job outlives a restart of
 * the service.
 *
 * It is the subreaper of all that the command starts: whatever forks away,
 * into another group or session or not, comes back here as a child and is
 * killed when the command has ended. SIGTERM is passed on to the command's
 * group; SIGUSR1 kills everything at once. If the shim itself is killed, the
 * kernel kills the command. Links libc only. trials/status.h tells the file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/status.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

enum { END_TRIES = 30 }; /* to write the end, a second apart */

struct shim {
    const char *workdir;
    char *const *argv;
    int folder; /* descriptor */
    int alive;  /* descriptor to say so on, or -1 */
    pid_t child;
    uint64_t child_start;
    struct timespec begin;
    long long ooms; /* of our memory cgroup, before */
    sigset_t signals;
    bool killed; /* by us, when told to */
    int status;  /* descriptor of the file */
    char text[STATUS_BYTES];
    size_t len, told; /* bytes said; and how many of them are written */
};

/* What kept the child from running, told through a pipe. */
struct trouble {
    enum { NO_FOLDER, NO_PROGRAM, NO_INTERPRETER } what;
    int error_number;
};

/* ---- the status ---- */

__attribute__((format(printf, 2, 3))) static void say(struct shim *s,
                                                      const char *fmt, ...)
{
    va_list args;
    int n;

    va_start(args, fmt);
    n = vsnprintf(s->text + s->len, sizeof s->text - s->len, fmt, args);
    va_end(args);
    if (n > 0 && s->len + (size_t)n < sizeof s->text)
        s->len += (size_t)n;
    s->text[s->len] = '\0';
}

/* Writes what was said since the last time. The first byte comes last: before
 * it, the lines that follow make no sense to a reader, who thus sees all of it
 * or nothing. The file has its full size from the start, so that a disk that
 * is full by then is no hindrance. */
static int write_status(struct shim *s)
{
    size_t n = s->len - s->told;
    const char *at = s->text + s->told;

    if (n > 1 &&
        pwrite(s->status, at + 1, n - 1, (off_t)s->told + 1) != (ssize_t)n - 1)
        return -1;
    if (n > 0 && pwrite(s->status, at, 1, (off_t)s->told) != 1)
        return -1;
    s->told = s->len;
    return 0;
}

/* Makes the file, at its full size. */
static int make_status(struct shim *s, const char *name)
{
    char block[STATUS_BYTES];

    s->status =
        openat(s->folder, name, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    memset(block, '\n', sizeof block);
    memcpy(block, s->text, s->len);
    s->told = s->len;
    if (s->status < 0 ||
        write(s->status, block, sizeof block) != (ssize_t)sizeof block)
        return -1;
    return 0;
}

/* Writes the first status; exits if the folder has one. */
static void claim(struct shim *s)
{
    char draft[64];
    char boot[PROC_BOOT];
    uint64_t start = 0;
    int why = 0;

    proc_start_time(getpid(), &start);
    say(s, "boot=%s\nshim=%d %llu\n", proc_boot(boot), (int)getpid(),
        (unsigned long long)start);
    snprintf(draft, sizeof draft, STATUS_FILE ".%d", (int)getpid());
    if (make_status(s, draft) ||
        linkat(s->folder, draft, s->folder, STATUS_FILE, 0))
        why = errno;
    unlinkat(s->folder, draft, 0);
    if (why)
        _exit(why == EEXIST ? STATUS_TAKEN : why);
}

/* Writes how it ended. The disk may be full, of what the command wrote. */
static void finish(struct shim *s)
{
    for (int i = 0; i < END_TRIES; i++) {
        if (!write_status(s))
            _exit(0);
        sleep(1);
    }
    _exit(errno);
}

__attribute__((noreturn, format(printf, 2, 3))) static void
refuse(struct shim *s, const char *fmt, ...)
{
    char sentence[STATUS_TEXT];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    for (char *c = sentence; *c; c++)
        if (*c == '\n')
            *c = ' ';
    say(s, "end=refused\ntext=%s\n", sentence);
    finish(s);
    _exit(0);
}

/* ---- killed for memory? ---- */

/* The number after "oom_kill " in that file, or -1. */
static long long ooms_in(const char *path)
{
    char text[1024];
    const char *at;

    if (proc_file(path, text, sizeof text) <= 0)
        return -1;
    at = strstr(text, "oom_kill ");
    return at ? strtoll(at + strlen("oom_kill "), NULL, 10) : -1;
}

/* How often our memory cgroup (version 2, else 1) killed for memory; -1 if
 * it does not say. */
static long long ooms(void)
{
    static const struct {
        const char *line, *format;
    } kinds[] = {
        {":memory:", "/sys/fs/cgroup/memory%s/memory.oom_control"},
        {"0::", "/sys/fs/cgroup%s/memory.events"},
    };
    char text[4096];
    char path[4096];
    long long n = -1;

    proc_file("/proc/self/cgroup", text, sizeof text);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && n < 0; i++) {
        char *at = strstr(text, kinds[i].line);
        size_t len;

        if (!at)
            continue;
        at += strlen(kinds[i].line);
        len = strcspn(at, "\n");
        if (len > 1024)
            continue;
        at[len] = '\0';
        snprintf(path, sizeof path, kinds[i].format, at);
        at[len] = '\n';
        n = ooms_in(path);
    }
    return n;
}

/* ---- the command ---- */

static int open_log(const struct shim *s, const char *name, int as)
{
    int fd = openat(s->folder, name, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC,
                    0600);

    if (fd < 0 || dup2(fd, as) < 0)
        return -1;
    close(fd);
    return 0;
}

/* Becomes the command, or tells why not. */
__attribute__((noreturn)) static void become(const struct shim *s, pid_t shim,
                                             int pipe_end)
{
    struct trouble t = {.what = NO_FOLDER};
    sigset_t none;

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != shim)
        _exit(1);
    if (!chdir(s->workdir)) {
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(s->argv[0], s->argv);
        t.what = NO_PROGRAM;
        if (errno == ENOENT && strchr(s->argv[0], '/') &&
            !access(s->argv[0], F_OK)) {
            t.what = NO_INTERPRETER;
            errno = ENOENT;
        }
    }
    t.error_number = errno;
    if (write(pipe_end, &t, sizeof t) < 0)
        _exit(1);
    _exit(127);
}

static void explain(struct shim *s, const struct trouble *t)
{
    if (t->what == NO_FOLDER)
        refuse(s, "cannot enter the folder %s: %s", s->workdir,
               strerror(t->error_number));
    if (t->what == NO_INTERPRETER)
        refuse(s, "cannot run %s: the interpreter that it names is not there",
               s->argv[0]);
    refuse(s, "cannot run %s: %s", s->argv[0], strerror(t->error_number));
}

static void launch(struct shim *s)
{
    struct trouble t;
    int ends[2];
    pid_t self = getpid();

    if (pipe2(ends, O_CLOEXEC))
        refuse(s, "cannot make a pipe: %s", strerror(errno));
    clock_gettime(CLOCK_MONOTONIC, &s->begin);
    s->child = fork();
    if (s->child < 0)
        refuse(s, "cannot fork: %s", strerror(errno));
    if (s->child == 0)
        become(s, self, ends[1]);
    setpgid(s->child, s->child); /* whoever of the two comes first */
    close(ends[1]);
    if (read(ends[0], &t, sizeof t) == (ssize_t)sizeof t) {
        waitpid(s->child, NULL, 0);
        explain(s, &t);
    }
    close(ends[0]);
}

/* Says that it runs, in the status and then on the pipe. */
static void announce(struct shim *s)
{
    proc_start_time(s->child, &s->child_start);
    say(s, "child=%d %llu\n", (int)s->child,
        (unsigned long long)s->child_start);
    write_status(s);
    if (s->alive >= 0) {
        ssize_t told = write(s->alive, "a", 1);

        (void)told; /* -1: the service is gone; the next one will look */
        close(s->alive);
    }
}

/* ---- to its end ---- */

static void pass_on(const struct shim *s, int signal_number)
{
    if (kill(-s->child, signal_number))
        kill(s->child, signal_number);
    kill(-s->child, SIGCONT); /* a stopped one could not listen */
}

/* Waits for the command; fills *how as waitpid does. */
static void wait_for_command(struct shim *s, int *how)
{
    for (;;) {
        int number = sigwaitinfo(&s->signals, NULL);
        pid_t pid;
        int status;

        if (number == SIGTERM)
            pass_on(s, SIGTERM);
        if (number == SIGUSR1) {
            s->killed = true;
            pass_on(s, SIGKILL);
            kill(s->child, SIGKILL);
        }
        while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
            if (pid == s->child) {
                *how = status;
                return;
            }
        }
    }
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
static void end_descendants(void)
{
    pid_t pid;

    while ((pid = waitpid(-1, NULL, WNOHANG)) >= 0) {
        if (pid == 0) {
            kill_children();
            waitpid(-1, NULL, 0);
        }
    }
}

static long long ran_ms(const struct shim *s)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - s->begin.tv_sec) * 1000LL +
           (now.tv_nsec - s->begin.tv_nsec) / 1000000;
}

static void conclude(struct shim *s, int how, long long ms)
{
    long long after;

    if (WIFEXITED(how)) {
        say(s, "end=exit %d\n", WEXITSTATUS(how));
    } else {
        say(s, "end=signal %d\n", WTERMSIG(how));
        after = WTERMSIG(how) == SIGKILL && !s->killed ? ooms() : -1;
        if (s->ooms >= 0 && after > s->ooms)
            say(s, "oom=1\n");
    }
    say(s, "ran_ms=%lld\n", ms);
    finish(s);
}

/* ---- the supervisor's own affairs ---- */

static void settle_in(struct shim *s, const char *folder)
{
    sigset_t all;
    int null;

    s->alive = fcntl(STATUS_ALIVE_FD, F_GETFD) < 0 ? -1 : STATUS_ALIVE_FD;
    if (s->alive >= 0)
        fcntl(s->alive, F_SETFD, FD_CLOEXEC);
    syscall(SYS_close_range, (unsigned)(s->alive < 0 ? 3 : s->alive + 1), ~0U,
            0U);
    sigemptyset(&s->signals);
    sigaddset(&s->signals, SIGTERM);
    sigaddset(&s->signals, SIGUSR1);
    sigaddset(&s->signals, SIGCHLD);
    sigfillset(&all); /* nothing but SIGKILL ends a shim */
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    s->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (s->folder < 0)
        _exit(errno);
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0)
        _exit(errno);
    close(null);
}

int main(int argc, char **argv)
{
    struct shim s = {.alive = -1};
    long long ms;
    int how = 0;

    if (argc < 4) {
        fputs("usage: hypertune-shim FOLDER WORKDIR COMMAND [ARGUMENT...]\n"
              "Started by hypertuned for each attempt of a trial.\n",
              stderr);
        return 2;
    }
    s.workdir = argv[2];
    s.argv = argv + 3;
    settle_in(&s, argv[1]);
    claim(&s);
    s.ooms = ooms();
    if (open_log(&s, "stdout.log", 1) || open_log(&s, "stderr.log", 2))
        refuse(&s, "cannot write the logs in %s: %s", argv[1], strerror(errno));
    launch(&s);
    announce(&s);
    wait_for_command(&s, &how);
    ms = ran_ms(&s);
    end_descendants();
    conclude(&s, how, ms);
}
