/* What a trial printed: a piece of a file of its attempt's folder. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api_log.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "face/replica.h"
#include "study/codec.h"

enum { PIECE_MOST = 1 << 20, DIGITS = 24, LOOK_MS = 200 };

struct wanted {
    const char *file;
    int64_t attempt; /* 0 = the latest */
    int64_t offset;  /* negative: from the end */
    int64_t limit;
    bool follow;         /* stay until the trial has ended */
    bool range;          /* as the header Range has it */
    const char *replica; /* as it was asked for; NULL = the master */
};

/* "bytes=A-B", "bytes=A-" or "bytes=-N"; another form, such as several ranges,
 * is passed over, as HTTP wants it. */
static void read_range(const char *range, struct wanted *w)
{
    char first[DIGITS] = "";
    int64_t from, to;
    size_t n;

    if (!range || strncmp(range, "bytes=", 6) != 0 || strchr(range, ','))
        return;
    range += 6;
    n = strcspn(range, "-");
    if (range[n] != '-' || n >= sizeof first)
        return;
    memcpy(first, range, n);
    range += n + 1;
    if (!*first) {
        if (!number_read_int(range, &to) || to < 1)
            return;
        w->offset = -to;
    } else {
        to = INT64_MAX - 1;
        if (!number_read_int(first, &from) || from < 0 ||
            (*range && !number_read_int(range, &to)) || to < from)
            return;
        w->offset = from;
        if (to - from < PIECE_MOST)
            w->limit = to - from + 1;
    }
    w->range = true;
}

static int read_wanted(const struct call *c, struct wanted *w, struct err *e)
{
    const char *stream = request_query(c->request, "stream");
    int64_t follow = 0;

    if (stream && strcmp(stream, "stderr") == 0)
        w->file = "stderr.log";
    else if (stream && strcmp(stream, "stdout") != 0)
        return err_set(e, ERR_INVALID,
                       "\"stream\" must be stdout or stderr, not \"%.100s\"",
                       stream);
    if (call_query(c, "attempt", 0, INT_MAX, &w->attempt, e) ||
        call_query(c, "offset", INT64_MIN + 1, INT64_MAX, &w->offset, e))
        return -1;
    if (call_query(c, "limit", 0, PIECE_MOST, &w->limit, e) ||
        call_query(c, "follow", 0, 1, &follow, e))
        return -1;
    w->follow = follow != 0;
    w->replica = request_query(c->request, "replica");
    if (!w->follow && !request_query(c->request, "offset"))
        read_range(request_header(c->request, "Range"), w);
    return 0;
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

/* Where the study's trials have their output. */
struct whose {
    const char *replica; /* NULL = the master */
    char *study, *part;  /* part: the replica's folder, "" = the attempt's */
    int rc;
    struct err *e;
};

static int find_part(const struct study_row *row, const char *replica,
                     char **part, struct err *e)
{
    struct study study;
    struct faults faults;
    int rc;

    faults_init(&faults);
    rc = codec_decode(row->spec, strlen(row->spec), row->name, &study, &faults);
    if (rc)
        err_set(e, ERR_IO, "stored study %s does not decode", row->name);
    faults_clear(&faults);
    if (rc)
        return -1;
    rc = replica_find(&study, replica, part, e);
    study_clear(&study);
    return rc;
}

static bool find_whose(void *ctx, const struct study_row *row)
{
    struct whose *whose = ctx;

    if (whose->replica)
        whose->rc = find_part(row, whose->replica, &whose->part, whose->e);
    if (whose->rc == 0)
        whose->study = mem_copy_text(row->name);
    return false;
}

/* The job owns what is in its folder: no link of its making is followed. */
static int open_below(int dir, const char *name)
{
    int fd = *name ? openat(dir, name,
                            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                   : dup(dir);

    close(dir);
    return fd;
}

/* Returns -1 if there is no such file. */
static int open_log(const struct call *c, const struct whose *whose,
                    const struct wanted *w)
{
    char *trial = engine_trial_folder(c->face->engine, whose->study, c->number);
    char *folder = mem_format("%s/%lld", trial, (long long)w->attempt);
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int fd = -1;
    struct stat st;

    free(folder);
    free(trial);
    if (dir >= 0 && whose->part)
        dir = open_below(dir, whose->part);
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

/* A piece that was read. */
struct piece {
    int64_t from, next, size; /* next: where the following one begins */
    bool all;                 /* it reaches the end of the file */
};

static struct piece read_piece(int fd, const struct wanted *w, struct text *out)
{
    struct stat st = {0};
    struct piece p = {.size = fstat(fd, &st) ? 0 : (int64_t)st.st_size};
    int64_t from = w->offset < 0 ? p.size + w->offset : w->offset;
    int64_t n;
    char *bytes;
    ssize_t got;

    p.from = from < 0 ? 0 : from > p.size ? p.size : from;
    n = p.size - p.from < w->limit ? p.size - p.from : w->limit;
    bytes = mem_new((size_t)n, 1);
    got = pread(fd, bytes, (size_t)n, (off_t)p.from);
    if (got > 0)
        text_add_bytes(out, bytes, (size_t)got);
    free(bytes);
    p.next = p.from + (got > 0 ? got : 0);
    p.all = p.next >= p.size || got < 0;
    return p;
}

/* Opens what is wanted of the trial as it is now; *fd is -1 if nothing was
 * printed yet. */
static int open_wanted(const struct call *c, struct wanted *w,
                       struct state *trial, int *fd, struct err *e)
{
    struct whose whose = {.replica = w->replica, .e = e};

    *fd = -1;
    if (store_trial_get(c->face->store, c->study, c->number, note_trial, trial,
                        e) ||
        store_study_get(c->face->store, c->study, find_whose, &whose, e) ||
        whose.rc)
        return -1;
    if (!w->attempt)
        w->attempt = trial->attempt;
    if (w->attempt)
        *fd = open_log(c, &whose, w);
    free(whose.study);
    free(whose.part);
    return 0;
}

/* Whether nothing more will be printed by that attempt. */
static bool is_over(const struct wanted *w, const struct state *trial)
{
    return trial->ended || (w->attempt && w->attempt < trial->attempt);
}

/* ---- a piece ---- */

static void add_number(struct call *c, const char *header, int64_t n)
{
    char digits[DIGITS];

    snprintf(digits, sizeof digits, "%lld", (long long)n);
    request_header_add(c->request, header, digits);
}

static void answer_range(struct call *c, const struct piece *p)
{
    char *range;

    if (p->next > p->from) {
        c->status = 206;
        range = mem_format("bytes %lld-%lld/%lld", (long long)p->from,
                           (long long)p->next - 1, (long long)p->size);
    } else {
        c->status = 416;
        range = mem_format("bytes */%lld", (long long)p->size);
    }
    request_header_add(c->request, "Content-Range", range);
    free(range);
}

static int answer_piece(struct call *c, struct wanted *w, struct err *e)
{
    struct piece p = {.all = true};
    struct state trial = {0};
    int fd;

    if (open_wanted(c, w, &trial, &fd, e))
        return -1;
    if (fd >= 0) {
        p = read_piece(fd, w, &c->out);
        close(fd);
    }
    request_header_add(c->request, "Accept-Ranges", "bytes");
    if (w->range)
        answer_range(c, &p);
    add_number(c, "X-Next-Offset", p.next);
    if (p.all && is_over(w, &trial))
        request_header_add(c->request, "X-Ended", "1");
    return 0;
}

/* ---- following ---- */

struct following {
    struct wanted wanted;
    int fd;
    bool slow;
    struct loop_watch *look;
};

static void following_free(void *kept)
{
    struct following *f = kept;

    loop_forget(f->look);
    if (f->fd >= 0)
        close(f->fd);
    free(f);
}

static void gone(struct call *c)
{
    call_finish(c);
}

/* Whether the trial had ended is asked before the file is read: what it printed
 * last is then read too. */
static void look(void *call)
{
    struct call *c = call;
    struct following *f = c->kept;
    struct piece p = {.all = true};
    struct state trial = {0};
    struct err e;
    int fd;

    if (f->slow)
        return;
    if (open_wanted(c, &f->wanted, &trial, &fd, &e)) {
        call_finish(c); /* deleted */
        return;
    }
    if (f->fd < 0)
        f->fd = fd;
    else if (fd >= 0)
        close(fd);
    if (f->fd >= 0) {
        p = read_piece(f->fd, &f->wanted, &c->out);
        f->wanted.offset = p.next;
        f->slow = !call_push(c);
    }
    if (p.all && is_over(&f->wanted, &trial))
        call_finish(c);
}

static void sent(void *call)
{
    struct call *c = call;
    struct following *f = c->kept;

    f->slow = false;
}

static int follow(struct call *c, const struct wanted *w, struct err *e)
{
    struct following *f;
    struct state trial = {0};
    struct wanted now = *w;
    int fd;

    if (open_wanted(c, &now, &trial, &fd, e))
        return -1;
    f = mem_new(1, sizeof *f);
    f->wanted = now;
    f->wanted.limit = PIECE_MOST;
    f->fd = fd;
    request_header_add(c->request, "Cache-Control", "no-store");
    call_keep(c, f, following_free, gone);
    call_stream(c, sent);
    f->look = loop_every(c->face->loop, LOOK_MS, look, c);
    look(c);
    return 0;
}

int api_log(struct call *c, struct err *e)
{
    struct wanted w = {.file = "stdout.log", .limit = PIECE_MOST};

    if (read_wanted(c, &w, e))
        return -1;
    c->type = "text/plain; charset=utf-8";
    if (w.follow && !c->face->ending)
        return follow(c, &w, e);
    return answer_piece(c, &w, e);
}

void api_log_release(struct face *face)
{
    struct call *next;

    for (struct call *c = face->calls; c; c = next) {
        next = c->next;
        if (c->drop == following_free)
            call_finish(c);
    }
}
