/* Following a container's output: one stream of frames, each for one of two
 * files. Every time it is asked for, the engine sends all from the beginning,
 * and we leave out as many bytes as the files hold. What podman sends while the
 * container prints may lack lines; so the last stream, which has all of them,
 * is held against the files, and they are written anew from where they differ.
 */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

enum {
    FRAME_HEAD = 8,
    AGAIN_MS = 1000, /* a stream that ended under a running container */
    LAST_MS = 600000 /* for all of a long log */
};

/* One of the two files. */
struct sink {
    int fd;       /* -1 = could not be made */
    int64_t have; /* bytes in it */
    int64_t at;   /* bytes of this stream that have come */
    bool failed;  /* this stream is not written any further */
};

struct container_log {
    struct container_host *host;
    struct loop *loop;
    char *container, *folder;
    struct sink sinks[2];
    unsigned char head[FRAME_HEAD];
    size_t n_head; /* of the frame that is being read */
    uint32_t left; /* of its bytes */
    struct hub_call *call;
    struct loop_watch *later;
    container_log_fn *fn; /* it has ended: for whom */
    void *ctx;
};

/* ---- the files ---- */

static void sink_open(struct sink *s, const char *folder, const char *name)
{
    char *path = mem_format("%s/%s", folder, name);
    struct stat st;

    /* The container may have made a link of it. */
    s->fd =
        open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (s->fd < 0 || fstat(s->fd, &st))
        log_write(LOG_LEVEL_WARN, "container_log", "path=\"%s\" text=\"%s\"",
                  path, strerror(errno));
    else
        s->have = st.st_size;
    free(path);
}

/* Whether the file holds those bytes where the stream is. */
static bool sink_holds(const struct sink *s, const char *bytes, size_t n)
{
    char part[4096];

    for (size_t done = 0; done < n;) {
        size_t most = n - done < sizeof part ? n - done : sizeof part;
        ssize_t got = pread(s->fd, part, most, s->at + (int64_t)done);

        if (got <= 0 || memcmp(part, bytes + done, (size_t)got) != 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static void sink_cut(struct sink *s)
{
    if (ftruncate(s->fd, s->at) == 0)
        s->have = s->at;
    else
        s->failed = true;
}

static void sink_write(struct sink *s, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t put = write(s->fd, bytes, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            s->failed = true; /* the next stream tries again from here */
            return;
        }
        s->have += put;
        s->at += put;
        bytes += put;
        n -= (size_t)put;
    }
}

/* The next bytes of the stream. An engine that keeps only the newest of a long
 * log begins in the middle: then the file is left as it is. */
static void sink_add(struct sink *s, const char *bytes, size_t n, bool last)
{
    int64_t known = s->have - s->at;
    size_t old = known < (int64_t)n ? (size_t)known : n;

    if (s->fd < 0 || s->failed)
        return;
    if (last && old > 0 && !sink_holds(s, bytes, old)) {
        s->failed = s->at == 0;
        if (s->failed)
            return;
        sink_cut(s);
        old = 0;
    }
    s->at += (int64_t)old;
    if (!s->failed)
        sink_write(s, bytes + old, n - old);
}

/* ---- the stream ---- */

static uint32_t length_of(const unsigned char head[FRAME_HEAD])
{
    return (uint32_t)head[4] << 24 | (uint32_t)head[5] << 16 |
           (uint32_t)head[6] << 8 | head[7];
}

static void on_bytes(void *ctx, const char *bytes, size_t n)
{
    struct container_log *g = ctx;

    while (n > 0) {
        size_t part;

        if (g->n_head < FRAME_HEAD) {
            g->head[g->n_head++] = (unsigned char)*bytes++;
            n--;
            g->left = g->n_head == FRAME_HEAD ? length_of(g->head) : 0;
        }
        part = n < g->left ? n : g->left;
        if (part > 0)
            sink_add(&g->sinks[g->head[0] == 2], bytes, part, g->fn != NULL);
        bytes += part;
        n -= part;
        g->left -= (uint32_t)part;
        if (g->n_head == FRAME_HEAD && g->left == 0)
            g->n_head = 0;
    }
}

static void follow(void *ctx);

static void on_end(void *ctx, const struct hub_answer *a)
{
    struct container_log *g = ctx;
    container_log_fn *fn = g->fn;

    g->call = NULL;
    if (a->status == 0) {
        container_host_lost(g->host, &a->err);
        return;
    }
    if (!fn) {
        g->later = loop_after(g->loop, AGAIN_MS, follow, g);
        return;
    }
    if (a->status != 200 && a->status != 404)
        log_write(LOG_LEVEL_WARN, "container_log",
                  "container=%s status=%d text=\"%.300s\"", g->container,
                  a->status, a->body);
    g->fn = NULL;
    fn(g->ctx);
}

static void ask(struct container_log *g)
{
    char *path = mem_format("/containers/%s/logs?stdout=1&stderr=1&follow=%d",
                            g->container, !g->fn);
    struct hub_request r = {.method = "GET",
                            .path = path,
                            .most_ms = g->fn ? LAST_MS : 0,
                            .bytes = on_bytes,
                            .done = on_end,
                            .ctx = g};

    g->n_head = 0;
    g->left = 0;
    for (int i = 0; i < 2; i++) {
        g->sinks[i].at = 0;
        g->sinks[i].failed = false;
    }
    g->call = container_host_send(g->host, &r);
    free(path);
}

static void follow(void *ctx)
{
    struct container_log *g = ctx;

    g->later = NULL;
    container_log_go_on(g);
}

/* ---- outside ---- */

struct container_log *container_log_open(struct container_host *h,
                                         struct loop *l, const char *container,
                                         const char *folder)
{
    struct container_log *g = mem_new(1, sizeof *g);

    g->host = h;
    g->loop = l;
    g->container = mem_copy_text(container);
    g->folder = mem_copy_text(folder);
    sink_open(&g->sinks[0], folder, "stdout.log");
    sink_open(&g->sinks[1], folder, "stderr.log");
    container_log_go_on(g);
    return g;
}

void container_log_pause(struct container_log *g)
{
    hub_cancel(g->call);
    g->call = NULL;
    loop_forget(g->later);
    g->later = NULL;
}

void container_log_go_on(struct container_log *g)
{
    if (!g->call && !g->later && container_host_there(g->host))
        ask(g);
}

void container_log_finish(struct container_log *g, container_log_fn *fn,
                          void *ctx)
{
    g->fn = fn;
    g->ctx = ctx;
    container_log_pause(g);
    container_log_go_on(g);
}

void container_log_close(struct container_log *g)
{
    if (!g)
        return;
    container_log_pause(g);
    for (int i = 0; i < 2; i++)
        if (g->sinks[i].fd >= 0)
            close(g->sinks[i].fd);
    free(g->container);
    free(g->folder);
    free(g);
}
