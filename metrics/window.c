/* A sliding window of records, read whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "metrics/window.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* A hundred records of the longest kind fit four times. */
enum { WINDOW_MOST = 1 << 20, TRIES = 3 };

void window_init(struct window *w, const char *path)
{
    *w = (struct window){.path = mem_copy_text(path)};
}

void window_clear(struct window *w)
{
    free(w->path);
    w->path = NULL;
}

static uint64_t hash(const char *bytes, size_t n)
{
    uint64_t h = 14695981039346656037U; /* FNV-1a */

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)bytes[i]) * 1099511628211U;
    return h;
}

static bool unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Reads up to WINDOW_MOST bytes in one go; again if the file was rewritten
 * meanwhile, because the halves of two windows may fit together. A file that
 * never rests is taken as it comes, and looked at again at the next poll. */
static size_t read_settled(struct window *w, int fd, struct stat *st,
                           char *bytes)
{
    struct stat after;
    ssize_t got = 0;

    w->seen = (struct stat){0};
    for (int i = 0; i < TRIES; i++) {
        if (st->st_size <= WINDOW_MOST || st->st_size < w->from)
            w->from = 0;
        got = pread(fd, bytes, WINDOW_MOST, w->from);
        if (fstat(fd, &after) < 0)
            break;
        if (unchanged(st, &after)) {
            w->seen = after;
            break;
        }
        *st = after;
    }
    return got > 0 ? (size_t)got : 0;
}

/* A line of the bytes read. */
struct line {
    const char *at;
    size_t n, next; /* next: offset of what follows it */
};

/* The line at that offset; with `last` the final one needs no newline. */
static bool line_at(const char *bytes, size_t n, size_t offset, bool last,
                    struct line *out)
{
    const char *newline = memchr(bytes + offset, '\n', n - offset);

    if (!newline && (!last || offset == n))
        return false;
    out->at = bytes + offset;
    out->n = newline ? (size_t)(newline - out->at) : n - offset;
    out->next = offset + out->n + (newline != NULL);
    return true;
}

/* The offset behind the last line that is the mark, or 0. */
static size_t behind_mark(const struct window *w, const char *bytes, size_t n,
                          bool last)
{
    size_t found = 0, at = 0;
    struct line line;

    while (w->has_mark && line_at(bytes, n, at, last, &line)) {
        if (hash(line.at, line.n) == w->mark)
            found = line.next;
        at = line.next;
    }
    return found;
}

static bool is_new(const struct window *w, double time_s, uint64_t h)
{
    return !w->has_mark ||
           (time_s > 0 && time_s >= w->mark_time && h != w->mark);
}

/* Gives what is new in the bytes; returns the offset that it came to. */
static size_t give(struct window *w, const char *bytes, size_t n, bool last,
                   const char *goal, struct tail_allowance *left, report_fn *fn,
                   void *ctx)
{
    size_t at = behind_mark(w, bytes, n, last);
    bool behind = at > 0;
    struct line line;

    while (left->reports > 0 && line_at(bytes, n, at, last, &line)) {
        uint64_t h = hash(line.at, line.n);
        struct report r;

        if (report_read_line(line.at, line.n, goal, &r, NULL) == 0 &&
            (behind || is_new(w, r.time_s, h))) {
            fn(ctx, &r);
            left->reports--;
            behind = w->has_mark = true;
            w->mark = h;
            w->mark_time = r.time_s;
        }
        at = line.next;
    }
    return at;
}

/* In a file that is too large to be rewritten, the next poll begins after
 * what was given; returns whether there is something. */
static bool advance(struct window *w, const struct stat *st, size_t n,
                    size_t taken)
{
    if (st->st_size <= WINDOW_MOST)
        return false;
    if (taken == 0 && n == WINDOW_MOST)
        taken = n; /* one line of a megabyte: no record */
    w->from += (int64_t)taken;
    return taken > 0 && w->from < st->st_size;
}

bool window_poll(struct window *w, bool last, const char *goal,
                 struct tail_allowance *left, report_fn *fn, void *ctx)
{
    struct stat st;
    char *bytes;
    size_t n, taken;
    bool more;
    int fd = tail_open_file(w->path, &st);

    if (fd < 0)
        return false;
    if (!last && unchanged(&st, &w->seen)) {
        close(fd);
        return false;
    }
    bytes = mem_new(WINDOW_MOST, 1);
    n = read_settled(w, fd, &st, bytes);
    close(fd);
    taken = give(w, bytes, n, last, goal, left, fn, ctx);
    left->bytes -= (int64_t)n;
    more = left->reports <= 0 || advance(w, &st, n, taken);
    free(bytes);
    if (more)
        w->seen = (struct stat){0};
    return more;
}
