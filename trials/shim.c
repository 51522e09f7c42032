/* hypertune-shim FOLDER [WORKDIR COMMAND [ARGUMENT...]]: runs one command, or
 * the replicas of a roster, and writes into FOLDER/status how the job ended, so
 * that it outlives a restart of the service.
 *
 * It is the subreaper of all that is started: whatever forks away, into another
 * group or session or not, comes back here as a child and is killed when the
 * job is over. SIGTERM is passed on to every replica's group; SIGUSR1 kills
 * everything at once. If the shim itself is killed, the kernel kills the
 * replicas. Links libc only. trials/status.h tells the file.
 *
 * The master's end is the job's. A replica that fails before it ends the job,
 * unless the master succeeds at the same moment: programs that lose their
 * master in the middle of a word often fail then. Once the job is over, those
 * that still run are told to end, and killed if they do not. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/status.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "trials/crew.h"

enum {
    END_TRIES = 30,  /* to write the end, a second apart */
    DOUBT_MS = 500,  /* from a replica's failure until it is believed */
    GRACE_MS = 5000, /* between the SIGTERM of those left over and SIGKILL */
    NOBODY = -1
};

struct shim {
    struct roster roster;
    struct crew crew;
    int folder;     /* descriptor */
    int alive;      /* descriptor to say so on, or -1 */
    long long ooms; /* of our memory cgroup, before */
    sigset_t signals;
    bool asked;       /* to end, by a signal */
    bool killed;      /* by us, when told to */
    long failed;      /* the member that failed first, not the master */
    long ender;       /* the member whose end is the job's */
    int64_t deadline; /* ms of the steady clock; 0 = none */
    int status;       /* descriptor of the file */
    char text[STATUS_BYTES];
    size_t len, told; /* bytes said; and how many of them are written */
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

/* ---- the beginning ---- */

/* Says that it runs, in the status and then on the pipe. */
static void announce(struct shim *s)
{
    pid_t master = s->crew.members[0].pid;
    uint64_t start = 0;

    proc_start_time(master, &start);
    say(s, "child=%d %llu\n", (int)master, (unsigned long long)start);
    write_status(s);
    if (s->alive >= 0) {
        ssize_t told = write(s->alive, "a", 1);

        (void)told; /* -1: the service is gone; the next one will look */
        close(s->alive);
    }
}

static void launch(struct shim *s)
{
    char text[CREW_TEXT];

    if (!crew_start(&s->crew, &s->roster, text))
        return;
    crew_end(&s->crew);
    crew_clear(&s->crew);
    refuse(s, "%s", text);
}

/* ---- to its end ---- */

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

/* The next signal; 0 when the deadline has come. */
static int next_signal(const struct shim *s)
{
    int64_t left = s->deadline ? s->deadline - now_ms() : 0;
    struct timespec wait = {.tv_sec = left / 1000,
                            .tv_nsec = left % 1000 * 1000000};
    int number;

    if (s->deadline && left <= 0)
        return 0;
    do
        number = sigtimedwait(&s->signals, NULL, s->deadline ? &wait : NULL);
    while (number < 0 && errno == EINTR);
    return number > 0 ? number : 0;
}

static void obey(struct shim *s, int number)
{
    if (number == SIGTERM) {
        s->asked = true;
        crew_signal(&s->crew, SIGTERM);
    }
    if (number == SIGUSR1) {
        s->asked = s->killed = true;
        crew_signal(&s->crew, SIGKILL);
    }
}

static bool died(const struct shim *s, long nth)
{
    return WIFSIGNALED(s->crew.members[nth].how);
}

/* The first replica that ended badly on its own. */
static void look_for_failure(struct shim *s)
{
    for (size_t i = 1; i < s->crew.n && s->failed == NOBODY && !s->asked; i++)
        if (s->crew.members[i].ended && !crew_success(&s->crew.members[i]))
            s->failed = (long)i;
}

/* Whose end the job's is, as far as that can be said. Of two that are found
 * ended at once, one that was killed by a signal came first. */
static long decide(struct shim *s)
{
    const struct crew_member *master = &s->crew.members[0];
    bool before = s->failed != NOBODY;

    look_for_failure(s);
    if (crew_success(master) || (master->ended && s->failed == NOBODY))
        return 0;
    if (master->ended)
        return before || (died(s, s->failed) && !died(s, 0)) ? s->failed : 0;
    if (s->failed == NOBODY)
        return NOBODY;
    if (!before)
        s->deadline = now_ms() + DOUBT_MS;
    return now_ms() >= s->deadline ? s->failed : NOBODY;
}

/* The job is over: so it is for the others. */
static void end_others(struct shim *s)
{
    if (crew_is_over(&s->crew))
        return;
    crew_signal(&s->crew, SIGTERM);
    s->deadline = now_ms() + GRACE_MS;
}

/* Waits until every replica has ended. */
static void see_through(struct shim *s)
{
    s->failed = s->ender = NOBODY;
    while (!crew_is_over(&s->crew)) {
        obey(s, next_signal(s));
        crew_reap(&s->crew);
        if (s->ender == NOBODY) {
            s->ender = decide(s);
            if (s->ender != NOBODY)
                end_others(s);
        } else if (s->deadline && now_ms() >= s->deadline) {
            crew_signal(&s->crew, SIGKILL);
            s->deadline = 0;
        }
    }
}

/* Whether the job ended for want of memory: in a cage of its own whatever it
 * made of it, in one that it shares with others only by the signal. */
static bool starved(const struct shim *s, const struct crew_member *m)
{
    long long inside = cage_ooms(&m->cage);
    bool shot = WIFSIGNALED(m->how) && WTERMSIG(m->how) == SIGKILL;

    if (s->killed || m->how == 0)
        return false;
    if (inside >= 0)
        return inside > 0 && (shot || !s->asked);
    return shot && s->ooms >= 0 && cage_ooms_around() > s->ooms;
}

static void conclude(struct shim *s)
{
    const struct crew_member *m = &s->crew.members[s->ender];

    if (WIFEXITED(m->how))
        say(s, "end=exit %d\n", WEXITSTATUS(m->how));
    else
        say(s, "end=signal %d\n", WTERMSIG(m->how));
    if (starved(s, m))
        say(s, "oom=1\n");
    if (s->ender > 0)
        say(s, "replica=%.*s\n", STATUS_REPLICA - 1, m->replica->name);
    say(s, "ran_ms=%lld\n", (long long)m->ran_ms);
    crew_clear(&s->crew);
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

/* What to run: the words of the command line, else the roster. */
static void learn(struct shim *s, int argc, char **argv,
                  struct job_replica *only)
{
    if (argc == 2) {
        if (roster_read(&s->roster, STATUS_ROSTER_FD))
            _exit(errno);
        if (s->roster.n == 1) /* nobody asks which one */
            s->roster.replicas[0].name = NULL;
        return;
    }
    *only = (struct job_replica){.folder = argv[1],
                                 .workdir = argv[2],
                                 .argv = argv + 3,
                                 .environ_ = environ};
    s->roster = (struct roster){.replicas = only, .n = 1};
}

int main(int argc, char **argv)
{
    static struct shim s;
    struct job_replica only;

    if (argc != 2 && argc < 4) {
        fputs("usage: hypertune-shim FOLDER [WORKDIR COMMAND [ARGUMENT...]]\n"
              "Started by hypertuned for each attempt of a trial.\n",
              stderr);
        return 2;
    }
    learn(&s, argc, argv, &only);
    settle_in(&s, argv[1]);
    claim(&s);
    s.ooms = cage_ooms_around();
    launch(&s);
    announce(&s);
    see_through(&s);
    crew_end(&s.crew);
    conclude(&s);
}
