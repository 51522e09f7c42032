/* When the lines of a log were written. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_marks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    MOST_FILES = 8192, /* the oldest is forgotten */
    MOST_LOOKS = 64,   /* of one file; two neighbours become one */
    TAIL = 1 << 16     /* bytes that are searched for the last line's end */
};

struct look {
    int64_t to, ms;
};

struct file {
    struct google_log log;
    struct look *looks;
    size_t n;
};

struct google_marks {
    struct file *files;
    size_t n, last; /* last: where one was found */
};

struct google_marks *google_marks_new(void)
{
    return mem_new(1, sizeof(struct google_marks));
}

void google_marks_free(struct google_marks *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n; i++)
        free(m->files[i].looks);
    free(m->files);
    free(m);
}

static bool same(const struct google_log *a, const struct google_log *b)
{
    return a->study == b->study && a->trial == b->trial &&
           a->attempt == b->attempt && a->replica == b->replica &&
           a->stream == b->stream;
}

static struct file *file_of(struct google_marks *m,
                            const struct google_log *log)
{
    for (size_t k = 1; k <= m->n; k++) { /* they come in the same order */
        size_t i = (m->last + k) % m->n;

        if (same(&m->files[i].log, log)) {
            m->last = i;
            return &m->files[i];
        }
    }
    if (m->n == MOST_FILES) {
        free(m->files[0].looks);
        memmove(m->files, m->files + 1, --m->n * sizeof *m->files);
    }
    m->files = mem_resize(m->files, m->n + 1, sizeof *m->files);
    m->files[m->n] = (struct file){.log = *log};
    m->last = m->n;
    return &m->files[m->n++];
}

/* Where the last whole line that begins after `from` ends. */
static int64_t line_end(int fd, int64_t from, int64_t size)
{
    int64_t begin = size - TAIL > from ? size - TAIL : from;
    char *bytes = mem_new(TAIL, 1);
    ssize_t n = pread(fd, bytes, (size_t)(size - begin), begin);
    const char *last = n > 0 ? memrchr(bytes, '\n', (size_t)n) : NULL;
    int64_t end = last ? begin + (last - bytes) + 1 : from;

    if (!last && begin > from)
        end = size; /* one line longer than we look */
    free(bytes);
    return end;
}

static void note(struct file *f, int64_t to, int64_t ms)
{
    struct look *last = f->n ? &f->looks[f->n - 1] : NULL;

    if (last && to <= last->to)
        return;
    if (last && ms < last->ms)
        ms = last->ms;
    if (f->n == MOST_LOOKS) /* older lines become a little younger */
        memmove(f->looks, f->looks + 1, --f->n * sizeof *f->looks);
    f->looks = mem_resize(f->looks, f->n + 1, sizeof *f->looks);
    f->looks[f->n++] = (struct look){to, ms};
}

void google_marks_look(struct google_marks *m, const struct google_log *log,
                       int fd, bool ended, google_marks_fn *fn, void *ctx)
{
    struct google_part part = {.log = *log};
    struct stat st;
    struct file *f;
    int64_t known;

    if (fstat(fd, &st) || st.st_size == 0)
        return;
    f = file_of(m, log);
    known = f->n ? f->looks[f->n - 1].to : 0;
    if (st.st_size > known)
        note(f, ended ? st.st_size : line_end(fd, known, st.st_size),
             (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000);
    for (size_t i = 0; i < f->n; i++) {
        part.to = f->looks[i].to;
        part.ms = f->looks[i].ms;
        fn(ctx, &part);
        part.from = part.to;
    }
}
