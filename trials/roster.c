/* Writes a job as words into a memfd, and reads it there. Leans on libc only,
 * for hypertune-shim is built with it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/roster.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- writing ---- */

static void put_list(FILE *f, const char *name, char *const *words)
{
    size_t n = 0;

    while (words[n])
        n++;
    fprintf(f, "%s=%zu%c", name, n, 0);
    for (size_t i = 0; i < n; i++)
        fprintf(f, "%s%c", words[i], 0);
}

static void put_place(FILE *f, const char *name, const struct cage_place *p)
{
    fprintf(f, "%s=%d %s%c", name, (int)p->how, p->folder, 0);
}

static void put_replica(FILE *f, const struct job_replica *r)
{
    fprintf(f, "name=%s%cfolder=%s%cworkdir=%s%c", r->name, 0, r->folder, 0,
            r->workdir, 0);
    fprintf(f, "bytes=%lld%cprocessors=%.6f%c", (long long)r->memory, 0,
            r->cpus, 0);
    put_list(f, "argv", r->argv);
    put_list(f, "environ", r->environ_);
}

int roster_write(const struct job *job, const struct cage_places *places)
{
    int fd = memfd_create("hypertune-roster", MFD_CLOEXEC);
    int again = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);
    FILE *f = again < 0 ? NULL : fdopen(again, "w");
    bool bad;

    if (!f) {
        if (again >= 0)
            close(again);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    put_place(f, "memory", &places->memory);
    put_place(f, "cpus", &places->cpus);
    for (size_t i = 0; i < job->n_replicas; i++)
        put_replica(f, &job->replicas[i]);
    bad = ferror(f) != 0;
    if (fclose(f) || bad || lseek(fd, 0, SEEK_SET)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- reading ---- */

struct reader {
    struct roster *roster;
    char *at, *end;
    char **slot; /* the next free one of roster->words */
};

static struct job_replica *last(const struct reader *r)
{
    return r->roster->n ? &r->roster->replicas[r->roster->n - 1] : NULL;
}

static char *next_word(struct reader *r)
{
    char *word = r->at;

    if (word >= r->end)
        return NULL;
    r->at += strlen(word) + 1;
    return word;
}

static char **take_list(struct reader *r, const char *count)
{
    char **list = r->slot;

    for (long n = strtol(count, NULL, 10); n > 0; n--) {
        char *word = next_word(r);

        if (!word)
            break;
        *r->slot++ = word;
    }
    *r->slot++ = NULL;
    return list;
}

static void take_place(struct cage_place *p, const char *value)
{
    char *at;

    p->how = (enum cage_how)strtol(value, &at, 10);
    snprintf(p->folder, sizeof p->folder, "%s", *at == ' ' ? at + 1 : at);
}

static void read_memory(struct reader *r, const char *value)
{
    take_place(&r->roster->places.memory, value);
}

static void read_cpus(struct reader *r, const char *value)
{
    take_place(&r->roster->places.cpus, value);
}

static void read_name(struct reader *r, const char *value)
{
    r->roster->replicas[r->roster->n++] = (struct job_replica){.name = value};
}

static void read_folder(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->folder = value;
}

static void read_workdir(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->workdir = value;
}

static void read_bytes(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->memory = strtoll(value, NULL, 10);
}

static void read_processors(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->cpus = strtod(value, NULL);
}

static void read_argv(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->argv = take_list(r, value);
}

static void read_environ(struct reader *r, const char *value)
{
    if (last(r))
        last(r)->environ_ = take_list(r, value);
}

static const struct {
    const char *key;
    void (*read)(struct reader *r, const char *value);
} keys[] = {
    {"memory", read_memory},
    {"cpus", read_cpus},
    {"name", read_name},
    {"folder", read_folder},
    {"workdir", read_workdir},
    {"bytes", read_bytes},
    {"processors", read_processors},
    {"argv", read_argv},
    {"environ", read_environ},
};

static void read_word(struct reader *r, char *word)
{
    char *equals = strchr(word, '=');

    if (!equals)
        return;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strlen(keys[i].key) == (size_t)(equals - word) &&
            strncmp(keys[i].key, word, (size_t)(equals - word)) == 0)
            keys[i].read(r, equals + 1);
}

/* The whole file, with a NUL behind it; -1 and errno. */
static ssize_t read_all(struct roster *out, int fd)
{
    struct stat st;
    ssize_t got;

    if (fstat(fd, &st))
        return -1;
    out->bytes = calloc((size_t)st.st_size + 1, 1);
    if (!out->bytes)
        return -1;
    got = pread(fd, out->bytes, (size_t)st.st_size, 0);
    if (got >= 0 && got != st.st_size)
        errno = EIO;
    return got == st.st_size ? got : -1;
}

static bool is_whole(const struct roster *r)
{
    for (size_t i = 0; i < r->n; i++) {
        const struct job_replica *j = &r->replicas[i];

        if (!j->folder || !j->workdir || !j->argv || !j->argv[0] ||
            !j->environ_)
            return false;
    }
    return r->n > 0;
}

int roster_read(struct roster *out, int fd)
{
    struct reader r = {.roster = out};
    size_t n_words = 0;
    ssize_t n;
    char *word;

    *out = (struct roster){0};
    n = read_all(out, fd);
    if (n < 0)
        return -1;
    for (ssize_t i = 0; i < n; i++)
        n_words += out->bytes[i] == '\0';
    /* Two ends of lists for each replica, and a replica is several words. */
    out->words = calloc(2 * n_words + 1, sizeof *out->words);
    out->replicas = calloc(n_words + 1, sizeof *out->replicas);
    if (!out->words || !out->replicas)
        return -1;
    r.at = out->bytes;
    r.end = out->bytes + n;
    r.slot = out->words;
    while ((word = next_word(&r)))
        read_word(&r, word);
    if (is_whole(out))
        return 0;
    errno = EINVAL;
    return -1;
}

void roster_clear(struct roster *r)
{
    free(r->bytes);
    free(r->words);
    free(r->replicas);
    *r = (struct roster){0};
}
