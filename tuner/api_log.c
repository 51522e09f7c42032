/* What a trial printed: a piece of a file of its attempt's folder. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/api_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { PIECE_MOST = 1 << 20, DIGITS = 24 };

struct wanted {
    const char *file;
    int64_t attempt; /* 0 = the latest */
    int64_t offset;  /* negative: from the end */
    int64_t limit;
};

static int read_wanted(const struct call *c, struct wanted *w, struct err *e)
{
    const char *stream = request_query(c->request, "stream");

    if (stream && strcmp(stream, "stderr") == 0)
        w->file = "stderr.log";
    else if (stream && strcmp(stream, "stdout") != 0)
        return err_set(e, ERR_INVALID,
                       "\"stream\" must be stdout or stderr, not \"%.100s\"",
                       stream);
    if (call_query(c, "attempt", 0, INT_MAX, &w->attempt, e) ||
        call_query(c, "offset", INT64_MIN + 1, INT64_MAX, &w->offset, e))
        return -1;
    return call_query(c, "limit", 0, PIECE_MOST, &w->limit, e);
}

/* The trial as far as it matters here. */
struct state {
    int attempt;
    bool ended;
};

static bool note_trial(void *ctx, const struct trial_row *row)
{
    struct state *s = ctx;

    s->attempt = row->attempt;
    s->ended = trial_state_ended(row->state);
    return false;
}

static bool copy_name(void *ctx, const struct study_row *row)
{
    char **name = ctx;

    *name = mem_copy_text(row->name);
    return false;
}

/* The job owns what is in its folder: no link of its making is followed.
 * Returns -1 if there is no such file. */
static int open_log(const struct call *c, const char *study,
                    const struct wanted *w)
{
    char *trial = engine_trial_folder(c->face->engine, study, c->number);
    char *folder = mem_format("%s/%lld", trial, (long long)w->attempt);
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = -1;
    struct stat st;

    free(folder);
    free(trial);
    if (dir >= 0) {
        fd = openat(dir, w->file,
                    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        close(dir);
    }
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Reads the piece; *next is where the following one begins. Returns whether
 * it reaches the end of the file. */
static bool read_piece(int fd, const struct wanted *w, struct text *out,
                       int64_t *next)
{
    struct stat st = {0};
    int64_t size = fstat(fd, &st) ? 0 : (int64_t)st.st_size;
    int64_t from = w->offset < 0 ? size + w->offset : w->offset;
    int64_t n;
    char *bytes;
    ssize_t got;

    from = from < 0 ? 0 : from > size ? size : from;
    n = size - from < w->limit ? size - from : w->limit;
    bytes = mem_new((size_t)n, 1);
    got = pread(fd, bytes, (size_t)n, (off_t)from);
    if (got > 0)
        text_add_bytes(out, bytes, (size_t)got);
    free(bytes);
    *next = from + (got > 0 ? got : 0);
    return *next >= size || got < 0;
}

int api_log(struct call *c, struct err *e)
{
    struct wanted w = {.file = "stdout.log", .limit = PIECE_MOST};
    struct state trial = {0};
    char *study = NULL, digits[DIGITS];
    int64_t next = 0;
    bool all = true;
    int fd = -1;

    if (read_wanted(c, &w, e) ||
        store_trial_get(c->face->store, c->study, c->number, note_trial, &trial,
                        e) ||
        store_study_get(c->face->store, c->study, copy_name, &study, e))
        return -1;
    if (!w.attempt)
        w.attempt = trial.attempt;
    if (w.attempt)
        fd = open_log(c, study, &w);
    free(study);
    if (fd >= 0) {
        all = read_piece(fd, &w, &c->out, &next);
        close(fd);
    }
    snprintf(digits, sizeof digits, "%lld", (long long)next);
    request_header_add(c->request, "X-Next-Offset", digits);
    if (all && (trial.ended || w.attempt < trial.attempt))
        request_header_add(c->request, "X-Ended", "1");
    c->type = "text/plain; charset=utf-8";
    return 0;
}
