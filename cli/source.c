/* A study file as it lies on disk. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/node.h"
#include "study/codec.h"

enum { MOST_FAULTS = 50 }; /* of one file, printed */

/* One byte more than `most` is enough to see that it is too much. */
static int read_all(int fd, const char *path, size_t most, struct text *out,
                    struct err *e)
{
    char block[65536];

    while (out->len <= most) {
        ssize_t n = read(fd, block, sizeof block);

        if (!n)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            err_errno(e, errno, "%s cannot be read", path);
            e->code = ERR_INVALID;
            return -1;
        }
        text_add_bytes(out, block, (size_t)n);
    }
    return 0;
}

static int open_and_read(const char *path, size_t most, struct text *out,
                         struct err *e)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), rc;
    struct stat is;

    if (fd < 0) {
        err_errno(e, errno, "%s cannot be read", path);
        e->code = ERR_INVALID;
        return -1;
    }
    if (!fstat(fd, &is) && S_ISDIR(is.st_mode))
        rc = err_set(e, ERR_INVALID, "%s is a folder, and a file is wanted",
                     path);
    else
        rc = read_all(fd, path, most, out, e);
    (void)close(fd);
    return rc;
}

static int read_path(const char *path, size_t most, struct text *out,
                     struct err *e)
{
    if (!strcmp(path, "-"))
        return read_all(STDIN_FILENO, "standard input", most, out, e);
    return open_and_read(path, most, out, e);
}

int source_bytes(const char *path, size_t most, struct text *out, struct err *e)
{
    if (read_path(path, most, out, e))
        return -1;
    if (out->len > most)
        return err_set(e, ERR_INVALID,
                       "%s has more than %zu MB: divide it into several files",
                       path, most >> 20);
    return 0;
}

/* Base name and folder of a file that was just read. */
static int place(struct source *s, struct err *e)
{
    bool is_input = !strcmp(s->path, "-");
    char *whole = realpath(is_input ? "." : s->path, NULL), *slash;

    if (!whole) {
        err_errno(e, errno, "%s: its folder cannot be named", s->path);
        e->code = ERR_INVALID;
        return -1;
    }
    if (is_input) {
        s->file = mem_copy_text("study");
        s->dir = whole;
        return 0;
    }
    slash = strrchr(whole, '/');
    s->file = mem_copy_text(slash + 1);
    slash[slash == whole] = 0;
    s->dir = whole;
    return 0;
}

int source_faults(const char *path, const struct faults *f, struct err *e)
{
    for (size_t i = 0; i < f->n && i < MOST_FAULTS; i++) {
        const struct fault *one = &f->items[i];

        if (one->line)
            (void)fprintf(stderr, "%s:%d:%d: %s\n", path, one->line,
                          one->column, one->text);
        else
            (void)fprintf(stderr, "%s: %s\n", path, one->text);
    }
    if (f->n > MOST_FAULTS)
        (void)fprintf(stderr, "%s: and %zu faults more\n", path,
                      f->n - MOST_FAULTS);
    return err_set(e, ERR_INVALID, "%s", "");
}

int source_read(struct source *out, const char *path, struct err *e)
{
    struct faults faults;
    int rc = -1;

    *out = (struct source){.path = path};
    faults_init(&faults);
    text_init(&out->bytes);
    /* the decoder refuses what is too much */
    if (read_path(path, NODE_MOST_BYTES, &out->bytes, e) || place(out, e))
        goto out;
    if (codec_decode(text_str(&out->bytes), out->bytes.len, out->file,
                     &out->study, &faults)) {
        source_faults(path, &faults, e);
        goto out;
    }
    rc = 0;
out:
    if (rc)
        source_clear(out);
    faults_clear(&faults);
    return rc;
}

void source_clear(struct source *s)
{
    study_clear(&s->study);
    text_clear(&s->bytes);
    free(s->file);
    free(s->dir);
    s->file = s->dir = NULL;
}
