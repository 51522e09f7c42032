/* Spawns shims: one command on their command line, more in a roster. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "trials/limits.h"
#include "trials/roster.h"
#include "trials/status.h"

/* ---- limits ---- */

const struct cage_places *spawn_places(struct spawn *s)
{
    if (!s->looked) {
        limits_find(&s->places, "/proc/self", limits_systemd());
        cage_sweep(&s->places, 0, 0);
    }
    s->looked = true;
    return &s->places;
}

static void say_once(bool *said, const char *sentence)
{
    if (!*said)
        log_write(LOG_LEVEL_WARN, "limits", "text=\"%s\"", sentence);
    *said = true;
}

/* Whether some replica is to be kept within limits. */
static bool has_limits(struct spawn *s, const struct job *job)
{
    bool memory = false;
    bool cpus = false;

    for (size_t i = 0; i < job->n_replicas; i++) {
        memory |= job->replicas[i].memory > 0;
        cpus |= job->replicas[i].cpus > 0;
    }
    if (!memory && !cpus)
        return false;
    if (memory && spawn_places(s)->memory.how == CAGE_PROCESS)
        say_once(&s->said_memory,
                 "no memory cgroup can be made here: limits hold for each "
                 "process alone, which is told that there is no more memory");
    if (cpus && spawn_places(s)->cpus.how == CAGE_NONE)
        say_once(&s->said_cpus,
                 "no cpu cgroup can be made here: trials may use more "
                 "processors than they asked for");
    return memory || spawn_places(s)->cpus.how != CAGE_NONE;
}

/* ---- the shim ---- */

/* What a shim is spawned with: descriptors, -1 = none. */
struct ends {
    int alive, roster;
};

static int set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *how,
                  const struct ends *ends)
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
        rc = posix_spawn_file_actions_adddup2(files, ends->alive,
                                              STATUS_ALIVE_FD);
    if (!rc && ends->roster >= 0)
        rc = posix_spawn_file_actions_adddup2(files, ends->roster,
                                              STATUS_ROSTER_FD);
    for (int fd = 0; fd < 3 && !rc; fd++)
        rc =
            posix_spawn_file_actions_addopen(files, fd, "/dev/null", O_RDWR, 0);
    return rc;
}

/* One command stands on the shim's command line, so that it is seen there;
 * what is more comes as a roster. */
static char **words_new(const struct spawn *s, const struct job *job,
                        bool roster)
{
    const struct job_replica *master = &job->replicas[0];
    size_t n = 0;
    char **words;

    while (!roster && master->argv[n])
        n++;
    words = mem_new(n + 4, sizeof *words);
    words[0] = s->shim_path;
    words[1] = (char *)(uintptr_t)job->folder;
    if (!roster) {
        words[2] = (char *)(uintptr_t)master->workdir;
        memcpy(words + 3, master->argv, n * sizeof *words);
    }
    return words;
}

/* A child gets the limits of the moment: lowers ours, and says what to put
 * back. Descriptors above the limit stay open. */
static bool lower_files(const struct spawn *s, struct rlimit *back)
{
    struct rlimit low;

    if (getrlimit(RLIMIT_NOFILE, back) || back->rlim_cur <= s->files)
        return false;
    low = (struct rlimit){.rlim_cur = s->files, .rlim_max = back->rlim_max};
    return setrlimit(RLIMIT_NOFILE, &low) == 0;
}

static int run_shim(const struct spawn *s, const struct job *job,
                    const struct ends *ends, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    char **words = words_new(s, job, ends->roster >= 0);
    struct rlimit back;
    bool lowered;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    rc = set_up(&files, &how, ends);
    lowered = lower_files(s, &back);
    if (!rc)
        rc = posix_spawn(pid, s->shim_path, &files, &how, words,
                         job->replicas[0].environ_);
    if (lowered)
        (void)setrlimit(RLIMIT_NOFILE, &back);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    free(words);
    return rc;
}

/* The roster, at a number that no dup2 of set_up is in the way of; -1 and
 * errno. */
static int roster_for(struct spawn *s, const struct job *job, bool limits)
{
    static const struct cage_places none;
    int fd = roster_write(job, limits ? spawn_places(s) : &none);
    int high;

    if (fd < 0 || fd > STATUS_ROSTER_FD)
        return fd;
    high = fcntl(fd, F_DUPFD_CLOEXEC, STATUS_ROSTER_FD + 1);
    close(fd);
    return high;
}

int spawn_shim(struct spawn *s, const struct job *job, int alive, pid_t *pid)
{
    bool limits = has_limits(s, job);
    bool several = job->n_replicas > 1 || limits;
    struct ends ends = {.alive = alive,
                        .roster = several ? roster_for(s, job, limits) : -1};
    int rc;

    if (several && ends.roster < 0)
        return errno;
    rc = run_shim(s, job, &ends, pid);
    if (ends.roster >= 0)
        close(ends.roster);
    return rc;
}

void spawn_init(struct spawn *s, const char *shim_path)
{
    struct rlimit files;

    *s = (struct spawn){.shim_path = mem_copy_text(shim_path)};
    s->files =
        getrlimit(RLIMIT_NOFILE, &files) ? RLIM_INFINITY : files.rlim_cur;
}

void spawn_clear(struct spawn *s)
{
    free(s->shim_path);
    s->shim_path = NULL;
}
