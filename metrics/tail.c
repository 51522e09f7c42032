/* Whole lines of a growing file. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/tail.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

void tail_init(struct tail *t, const char *path, bool returns)
{
    *t = (struct tail){
        .path = mem_copy_text(path), .returns = returns, .seen = -1};
}

void tail_clear(struct tail *t)
{
    free(t->path);
    t->path = NULL;
}

int tail_open_file(const char *path, struct stat *st)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return -1;
    if (fstat(fd, st) < 0 || !S_ISREG(st->st_mode)) {
        close(fd);
        return -1;
    }
    return fd;
}

static char *line_end(const struct tail *t, char *from, char *end)
{
    char *newline = memchr(from, '\n', (size_t)(end - from));
    char *bound = newline ? newline : end;
    char *back = t->returns ? memchr(from, '\r', (size_t)(bound - from)) : NULL;

    return back ? back : newline;
}

/* Gives one line; the byte after it is the caller's to overwrite. */
static void give(struct tail *t, char *line, char *end,
                 struct tail_allowance *left, tail_line_fn *fn, void *ctx)
{
    int given = 0;

    *end = '\0';
    if (!t->skipping && end == line)
        return;
    if (!t->skipping)
        given = fn(ctx, line, (size_t)(end - line));
    if (given == 0)
        t->skipped++;
    t->skipping = false;
    left->reports -= given;
}

/* Gives the whole lines of n bytes; returns how many bytes they took. */
static size_t give_lines(struct tail *t, char *bytes, size_t n,
                         struct tail_allowance *left, tail_line_fn *fn,
                         void *ctx)
{
    char *at = bytes, *end;

    while (left->reports > 0 && (end = line_end(t, at, bytes + n))) {
        give(t, at, end, left, fn, ctx);
        at = end + 1;
    }
    return (size_t)(at - bytes);
}

/* One bite at the offset; returns whether another may find more. */
static bool bite(struct tail *t, int fd, char *bytes, bool last,
                 struct tail_allowance *left, tail_line_fn *fn, void *ctx)
{
    ssize_t got = pread(fd, bytes, TAIL_LINE, t->offset);
    size_t n = got > 0 ? (size_t)got : 0, taken;

    if (n == 0)
        return false;
    taken = give_lines(t, bytes, n, left, fn, ctx);
    if (taken == 0 && n == TAIL_LINE) {
        t->skipping = true;
        taken = n;
    } else if (taken == 0) {
        if (!last)
            return false; /* half a line: wait for the rest */
        give(t, bytes, bytes + n, left, fn, ctx);
        taken = n;
    }
    t->offset += (int64_t)taken;
    left->bytes -= (int64_t)taken;
    return true;
}

static void notice_replaced(struct tail *t, const struct stat *st)
{
    int64_t inode = (int64_t)st->st_ino;

    if (inode != t->inode || st->st_size < t->offset) {
        t->inode = inode;
        t->offset = 0;
        t->skipping = false;
        t->seen = -1;
    }
}

bool tail_poll(struct tail *t, bool last, struct tail_allowance *left,
               tail_line_fn *fn, void *ctx)
{
    struct stat st;
    char *bytes;
    bool more = true;
    int fd = tail_open_file(t->path, &st);

    if (fd < 0)
        return false;
    notice_replaced(t, &st);
    if (st.st_size > t->offset && (last || st.st_size != t->seen)) {
        bytes = mem_new(TAIL_LINE + 1, 1);
        while (more && left->bytes > 0 && left->reports > 0)
            more = bite(t, fd, bytes, last, left, fn, ctx);
        free(bytes);
        t->seen = more ? -1 : st.st_size;
    } else {
        more = false;
    }
    close(fd);
    return more;
}
