/* Runs programs: their end is a pidfd that can be read, their input a file in
 * memory, so that nothing here ever waits. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

enum {
    POLL_MS = 20, /* where the system has no pidfd */
    MOST_BYTES = 1 << 20,
    PIECE = 16 << 10
};

/* One of its two outputs. */
struct stream {
    struct child *child;
    int fd; /* our end of the pipe, or -1 */
    struct loop_watch *watch;
    struct text text;
};

struct child {
    struct loop *loop;
    pid_t pid;
    int pidfd; /* or -1 */
    struct loop_watch *watch_end, *limit;
    struct stream out, err;
    size_t most_bytes;
    bool timed_out, cut;
    child_fn *fn;
    void *ctx;
};

/* ---- outputs ---- */

static void stream_close(struct stream *s)
{
    loop_forget(s->watch);
    s->watch = NULL;
    if (s->fd >= 0)
        close(s->fd);
    s->fd = -1;
}

static void keep(struct stream *s, const char *bytes, size_t n)
{
    size_t room = s->child->most_bytes - s->text.len;

    if (n > room) {
        s->child->cut = true;
        n = room;
    }
    text_add_bytes(&s->text, bytes, n);
}

/* Reads what is there: at most `pieces`, then the loop has its turn. */
static void drain(struct stream *s, int pieces)
{
    char bytes[PIECE];

    while (s->fd >= 0 && pieces-- > 0) {
        ssize_t n = read(s->fd, bytes, sizeof bytes);

        if (n > 0)
            keep(s, bytes, (size_t)n);
        else if (n == 0 || (errno != EINTR && errno != EAGAIN))
            stream_close(s);
        else if (errno == EAGAIN)
            return;
    }
}

static void heard(void *ctx)
{
    drain(ctx, 4);
}

static void stream_open(struct child *c, struct stream *s, int fd)
{
    s->child = c;
    s->fd = fd;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    s->watch = loop_readable(c->loop, fd, heard, s);
}

/* ---- the end ---- */

static void forget(struct child *c)
{
    loop_forget(c->watch_end);
    loop_forget(c->limit);
    if (c->pidfd >= 0)
        close(c->pidfd);
    stream_close(&c->out);
    stream_close(&c->err);
    text_clear(&c->out.text);
    text_clear(&c->err.text);
    free(c);
}

/* It has been waited for: what is in the pipes is all that it said. */
static void conclude(struct child *c, int how)
{
    struct child_end end = {.exit_code = -1, .timed_out = c->timed_out};
    struct text out, err;
    child_fn *fn = c->fn;
    void *ctx = c->ctx;

    drain(&c->out, (int)(c->most_bytes / PIECE) + 2);
    drain(&c->err, (int)(c->most_bytes / PIECE) + 2);
    if (WIFEXITED(how))
        end.exit_code = WEXITSTATUS(how);
    if (WIFSIGNALED(how))
        end.signal_number = WTERMSIG(how);
    end.cut = c->cut;
    out = c->out.text;
    err = c->err.text;
    text_init(&c->out.text);
    text_init(&c->err.text);
    forget(c);
    end.out = text_str(&out);
    end.n_out = out.len;
    end.err = text_str(&err);
    end.n_err = err.len;
    fn(ctx, &end);
    text_clear(&out);
    text_clear(&err);
}

static void look(void *ctx)
{
    struct child *c = ctx;
    int how = 0;
    pid_t got = waitpid(c->pid, &how, WNOHANG);

    if (got == c->pid)
        conclude(c, how);
    else if (got < 0 && errno != EINTR)
        conclude(c, 255 << 8); /* somebody else has waited for it */
}

static void kill_group(const struct child *c)
{
    if (kill(-c->pid, SIGKILL))
        kill(c->pid, SIGKILL);
}

static void too_long(void *ctx)
{
    struct child *c = ctx;

    c->limit = NULL;
    c->timed_out = true;
    kill_group(c);
}

/* ---- starting ---- */

/* A file in memory that holds the input, to be read from its beginning. */
static int input_open(const struct child_order *o)
{
    size_t done = 0;
    int fd;

    if (!o->input)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    fd = memfd_create("input", MFD_CLOEXEC);
    while (fd >= 0 && done < o->n_input) {
        ssize_t n = write(fd, o->input + done, o->n_input - done);

        if (n < 0 && errno != EINTR) {
            close(fd);
            return -1;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd >= 0)
        lseek(fd, 0, SEEK_SET);
    return fd;
}

static int set_up(posix_spawn_file_actions_t *files, posix_spawnattr_t *how,
                  const int fds[3])
{
    sigset_t none, all;
    int rc;

    sigemptyset(&none);
    sigfillset(&all);
    rc = posix_spawnattr_setsigmask(how, &none);
    if (!rc)
        rc = posix_spawnattr_setsigdefault(how, &all);
    if (!rc)
        rc = posix_spawnattr_setflags(how, POSIX_SPAWN_SETSID |
                                               POSIX_SPAWN_SETSIGMASK |
                                               POSIX_SPAWN_SETSIGDEF);
    for (int fd = 0; fd < 3 && !rc; fd++)
        rc = posix_spawn_file_actions_adddup2(files, fds[fd], fd);
    return rc;
}

/* A child gets the limits of the moment: lowers ours, and says what to put
 * back. */
static bool lower_files(uint64_t most_open, struct rlimit *back)
{
    struct rlimit low;

    if (!most_open || getrlimit(RLIMIT_NOFILE, back) ||
        back->rlim_cur <= most_open)
        return false;
    low = (struct rlimit){.rlim_cur = most_open, .rlim_max = back->rlim_max};
    return setrlimit(RLIMIT_NOFILE, &low) == 0;
}

static int spawn(const struct child_order *o, const int fds[3], pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    struct rlimit back;
    bool lowered;
    int rc;

    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    rc = set_up(&files, &how, fds);
    lowered = lower_files(o->most_open, &back);
    if (!rc)
        rc = posix_spawnp(pid, o->argv[0], &files, &how, o->argv, o->environ_);
    if (lowered)
        (void)setrlimit(RLIMIT_NOFILE, &back);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return rc;
}

static void close_both(int ends[2])
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

/* Opens the three descriptors, spawns, keeps our ends; or the errno. */
static int launch(const struct child_order *o, pid_t *pid, int *out, int *err)
{
    int outs[2] = {-1, -1};
    int errs[2] = {-1, -1};
    int input = input_open(o);
    int rc = 0;

    if (input < 0 || pipe2(outs, O_CLOEXEC) || pipe2(errs, O_CLOEXEC))
        rc = errno;
    if (!rc)
        rc = spawn(o, (const int[]){input, outs[1], errs[1]}, pid);
    if (input >= 0)
        close(input);
    if (!rc) {
        *out = outs[0];
        *err = errs[0];
        outs[0] = errs[0] = -1;
    }
    close_both(outs);
    close_both(errs);
    return rc;
}

static void watch(struct child *c)
{
    c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0U);
    if (c->pidfd >= 0)
        c->watch_end = loop_readable(c->loop, c->pidfd, look, c);
    else
        c->watch_end = loop_every(c->loop, POLL_MS, look, c);
}

int child_start(struct child **out, struct loop *l,
                const struct child_order *order, struct err *e)
{
    struct child *c;
    pid_t pid = 0;
    int fd_out = -1;
    int fd_err = -1;
    int rc = launch(order, &pid, &fd_out, &fd_err);

    *out = NULL;
    if (rc) {
        err_errno(e, rc, "cannot run %s", order->argv[0]);
        if (rc == ENOENT && e)
            e->code = ERR_ABSENT;
        return -1;
    }
    c = mem_new(1, sizeof *c);
    c->loop = l;
    c->pid = pid;
    c->most_bytes = order->most_bytes ? order->most_bytes : MOST_BYTES;
    c->fn = order->fn;
    c->ctx = order->ctx;
    stream_open(c, &c->out, fd_out);
    stream_open(c, &c->err, fd_err);
    watch(c);
    if (order->limit_ms)
        c->limit = loop_after(l, order->limit_ms, too_long, c);
    *out = c;
    return 0;
}

void child_free(struct child *c)
{
    if (!c)
        return;
    kill_group(c);
    waitpid(c->pid, NULL, 0); /* it was killed: this is at once */
    forget(c);
}
