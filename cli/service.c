/* A private hypertuned. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    HELD = 5,                 /* hypertuned's exit status then */
    LOG_MOST_BYTES = 4 << 20, /* a longer log is begun anew */
    END_MS = 20000            /* then it is killed; the store bears that */
};

void service_init(struct service *s, const char *state_dir)
{
    *s = (struct service){.state = mem_copy_text(state_dir),
                          .log = mem_format("%s/hypertuned.log", state_dir)};
}

void service_clear(struct service *s)
{
    free(s->state);
    free(s->log);
    *s = (struct service){0};
}

char *service_where(const struct service *s)
{
    if (s->look_only)
        return mem_format("unix:%s/look-%ld.sock", s->state, (long)getpid());
    return mem_format("unix:%s/hypertuned.sock", s->state);
}

char *service_program(void)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash, *path;

    if (n > 0) {
        self[n] = 0;
        slash = strrchr(self, '/');
        *slash = 0;
        path = mem_format("%s/hypertuned", self);
        if (!access(path, X_OK))
            return path;
        free(path);
    }
    return mem_copy_text("hypertuned");
}

/* mkdir -p, each new folder for us alone. */
static int make_folders(const char *path, struct err *e)
{
    char *copy = mem_copy_text(path);
    int rc = 0;

    for (char *at = copy + 1; !rc; at++) {
        char kept = *at;

        if (kept != '/' && kept)
            continue;
        *at = 0;
        if (mkdir(copy, 0700) && errno != EEXIST && errno != EISDIR)
            rc = err_errno(e, errno, "the state directory %s cannot be made",
                           path);
        *at = kept;
        if (!kept)
            break;
    }
    free(copy);
    return rc;
}

/* mkdir -p of the state directory, which must not be something else. */
static int make_state(const char *path, struct err *e)
{
    struct stat is;
    int rc = make_folders(path, e);

    if (!rc && !stat(path, &is) && !S_ISDIR(is.st_mode))
        rc = err_set(e, ERR_OUTSIDE, "the state directory %s is no folder",
                     path);
    if (rc) /* that it cannot be made is not that nothing is there */
        e->code = ERR_OUTSIDE;
    return rc;
}

static int open_log(struct service *s, struct err *e)
{
    struct stat is;
    int fd = open(s->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

    if (fd < 0)
        return err_errno(e, errno, "%s cannot be written", s->log);
    if (!fstat(fd, &is) && is.st_size > LOG_MOST_BYTES && !ftruncate(fd, 0))
        is.st_size = 0;
    s->log_from = is.st_size;
    return fd;
}

static int spawn(struct service *s, char *program, int log)
{
    char owner[32], quiet[] = "--log-level=error";
    char *argv[] = {program,  (char[]){"--state"},
                    s->state, (char[]){"--private-for"},
                    owner,    s->look_only ? (char[]){"--look-only"} : NULL,
                    quiet,    NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, normal;
    int failed;

    (void)snprintf(owner, sizeof owner, "%ld", (long)getpid());
    sigemptyset(&none);
    sigfillset(&normal);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, log, 1);
    posix_spawn_file_actions_adddup2(&files, log, 2);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &normal);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
                                       POSIX_SPAWN_SETSIGDEF);
    failed = posix_spawnp(&s->pid, program, &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (failed)
        s->pid = 0;
    return failed;
}

int service_start(struct service *s, struct err *e)
{
    char *program;
    int log, failed;

    if (make_state(s->state, e))
        return -1;
    log = open_log(s, e);
    if (log < 0)
        return -1;
    program = service_program();
    failed = spawn(s, program, log);
    (void)close(log);
    if (failed) {
        err_errno(e, failed, "%s cannot be started", program);
        e->code = ERR_OUTSIDE;
    }
    free(program);
    return failed ? -1 : 0;
}

bool service_gone(struct service *s)
{
    int how = 0;

    if (s->pid && waitpid(s->pid, &how, WNOHANG) == s->pid) {
        s->held = WIFEXITED(how) && WEXITSTATUS(how) == HELD;
        s->pid = 0;
    }
    return !s->pid;
}

void service_stop(struct service *s, bool wait)
{
    const struct timespec pause = {.tv_nsec = 1000000L};

    if (service_gone(s))
        return;
    (void)kill(s->pid, SIGTERM);
    for (int ms = 0; wait && ms < END_MS && !service_gone(s); ms++)
        (void)nanosleep(&pause, NULL);
    if (wait && !service_gone(s)) {
        (void)kill(s->pid, SIGKILL);
        (void)waitpid(s->pid, NULL, 0);
        s->pid = 0;
    }
}

/* The last line of the text that is not empty; cuts the text after it. */
static char *last_line(char *text)
{
    char *line;
    size_t n = strlen(text);

    while (n && strchr(" \r\n", text[n - 1]))
        text[--n] = 0;
    line = strrchr(text, '\n');
    return line ? line + 1 : text;
}

/* Of a service whose log is empty: perhaps the log found no room either. */
static const char *guess(const struct service *s)
{
    struct statvfs disk;

    if (!statvfs(s->state, &disk) && !disk.f_bavail)
        return "the disk of the state directory is full; free some space";
    return "it said nothing";
}

int service_explain(const struct service *s, struct err *e)
{
    char tail[4096] = "";
    struct stat is;
    int fd = open(s->log, O_RDONLY | O_CLOEXEC);
    ssize_t n = 0;

    if (fd >= 0 && !fstat(fd, &is)) {
        off_t from = is.st_size - (off_t)sizeof tail + 1;

        n = pread(fd, tail, sizeof tail - 1,
                  from > s->log_from ? from : s->log_from);
    }
    if (fd >= 0)
        (void)close(fd);
    tail[n > 0 ? n : 0] = 0;
    return err_set(e, ERR_OUTSIDE, "hypertuned did not start: %.300s (see %s)",
                   n > 0 ? last_line(tail) : guess(s), s->log);
}
