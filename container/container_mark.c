/* The file by which a job's containers are found again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"

#define MARK_FILE "container"
enum { MOST_BYTES = 64 << 10 };

static const struct {
    const char *name;
    enum launcher_word word;
} words[] = {{"ended", LAUNCHER_ENDED},
             {"lost", LAUNCHER_LOST},
             {"refused", LAUNCHER_REFUSED},
             {"hopeless", LAUNCHER_HOPELESS}};
enum { WORDS = sizeof words / sizeof words[0] };

static const char *const blames[LAUNCHER_BLAMES] = {
    [BLAME_NOBODY] = "nobody",
    [BLAME_MEMORY] = "memory",
    [BLAME_TIME_LIMIT] = "time-limit",
    [BLAME_PREEMPTED] = "preempted",
    [BLAME_NODE] = "node",
    [BLAME_PERSON] = "person"};

static void add_part(struct container_mark *m, const char *name, size_t n,
                     const char *folder)
{
    m->parts = mem_resize(m->parts, m->n + 1, sizeof *m->parts);
    m->parts[m->n++] =
        (struct container_part){mem_copy_bytes(name, n), mem_copy_text(folder)};
}

void container_mark_init(struct container_mark *m, const struct job *job)
{
    unsigned char bytes[(CONTAINER_ID - 1) / 2];

    *m = (struct container_mark){0};
    while (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        continue;
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(m->id + 2 * i, 3, "%02x", bytes[i]);
    for (size_t i = 0; i < job->n_replicas; i++)
        add_part(m, job->replicas[i].name, strlen(job->replicas[i].name),
                 job->replicas[i].folder);
}

void container_mark_clear(struct container_mark *m)
{
    for (size_t i = 0; i < m->n; i++) {
        free(m->parts[i].name);
        free(m->parts[i].folder);
    }
    free(m->parts);
    free(m->broke);
    free(m->text);
    *m = (struct container_mark){0};
}

void container_mark_end(struct container_mark *m,
                        const struct launcher_news *end)
{
    char *broke = mem_copy_text(end->replica);
    char *text = mem_copy_text(end->text);

    free(m->broke);
    free(m->text);
    m->broke = broke;
    m->text = text;
    m->ended = true;
    m->end = *end;
    m->end.job_name = NULL;
    m->end.node = NULL;
    m->end.replica = m->broke;
    m->end.text = m->text;
}

/* ---- reading ---- */

static bool read_id(struct container_mark *m, const char *value)
{
    if (strlen(value) != CONTAINER_ID - 1 ||
        strspn(value, "0123456789abcdef") != CONTAINER_ID - 1)
        return false;
    memcpy(m->id, value, CONTAINER_ID);
    return true;
}

/* A name is part of a container's, and of paths. */
static bool read_replica(struct container_mark *m, const char *value)
{
    size_t n = strspn(value, "abcdefghijklmnopqrstuvwxyz0123456789-");

    if (n == 0 || value[n] != ' ' || value[n + 1] != '/')
        return false;
    add_part(m, value, n, value + n + 1);
    return true;
}

static bool read_end(struct container_mark *m, const char *value)
{
    long code = 0, number = 0;
    char word[16];

    if (sscanf(value, "%15s %ld %ld", word, &code, &number) != 3) // NOLINT
        return false;
    for (size_t i = 0; i < WORDS; i++)
        if (strcmp(words[i].name, word) == 0) {
            m->ended = true;
            m->end.word = words[i].word;
            m->end.exit_code = (int)code;
            m->end.signal_number = (int)number;
            return true;
        }
    return false;
}

static bool read_blame(struct container_mark *m, const char *value)
{
    for (int i = 0; i < LAUNCHER_BLAMES; i++)
        if (strcmp(blames[i], value) == 0)
            m->end.blame = (enum launcher_blame)i;
    return true;
}

static bool read_ran(struct container_mark *m, const char *value)
{
    return number_read_int(value, &m->end.ran_ms);
}

static bool read_broke(struct container_mark *m, const char *value)
{
    free(m->broke);
    m->end.replica = m->broke = mem_copy_text(value);
    return true;
}

static bool read_text(struct container_mark *m, const char *value)
{
    free(m->text);
    m->end.text = m->text = mem_copy_text(value);
    return true;
}

static const struct {
    const char *key;
    bool (*read)(struct container_mark *m, const char *value);
} keys[] = {{"id", read_id},       {"replica", read_replica},
            {"end", read_end},     {"ran_ms", read_ran},
            {"blame", read_blame}, {"broke", read_broke},
            {"text", read_text}};

static bool read_line(struct container_mark *m, const char *line)
{
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        size_t n = strlen(keys[i].key);

        if (strncmp(line, keys[i].key, n) == 0 && line[n] == '=')
            return keys[i].read(m, line + n + 1);
    }
    return true;
}

static char *read_file(const char *folder)
{
    char *path = mem_format("%s/" MARK_FILE, folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    char *bytes = NULL;
    ssize_t n;

    free(path);
    if (fd < 0)
        return NULL;
    bytes = mem_new(MOST_BYTES + 1, 1);
    n = read(fd, bytes, MOST_BYTES);
    close(fd);
    if (n > 0)
        return bytes;
    free(bytes);
    return NULL;
}

bool container_mark_read(struct container_mark *m, const char *folder)
{
    char *bytes = read_file(folder);
    char *at = bytes, *line;
    bool good = bytes != NULL;

    *m = (struct container_mark){0};
    while (good && (line = strsep(&at, "\n")))
        good = read_line(m, line);
    free(bytes);
    if (good && m->id[0] && m->n)
        return true;
    container_mark_clear(m);
    return false;
}

/* ---- writing ---- */

static const char *word_name(enum launcher_word word)
{
    for (size_t i = 0; i < WORDS; i++)
        if (words[i].word == word)
            return words[i].name;
    return "lost";
}

static void add_end(const struct container_mark *m, struct text *out)
{
    text_addf(out, "end=%s %d %d\nran_ms=%lld\nblame=%s\n",
              word_name(m->end.word), m->end.exit_code, m->end.signal_number,
              (long long)m->end.ran_ms, blames[m->end.blame]);
    if (m->broke)
        text_addf(out, "broke=%s\n", m->broke);
    if (m->text)
        text_addf(out, "text=%s\n", m->text);
}

static int write_all(const char *path, const struct text *bytes, struct err *e)
{
    int fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    int rc = 0;

    if (fd < 0)
        return err_errno(e, errno, "cannot write %s", path);
    if (write(fd, bytes->data, bytes->len) != (ssize_t)bytes->len)
        rc = err_errno(e, errno, "cannot write %s", path);
    close(fd);
    return rc;
}

int container_mark_write(const struct container_mark *m, const char *folder,
                         struct err *e)
{
    char *path = mem_format("%s/" MARK_FILE, folder);
    char *draft = mem_format("%s/." MARK_FILE, folder);
    struct text bytes;
    int rc;

    text_init(&bytes);
    text_addf(&bytes, "id=%s\n", m->id);
    for (size_t i = 0; i < m->n; i++)
        text_addf(&bytes, "replica=%s %s\n", m->parts[i].name,
                  m->parts[i].folder);
    if (m->ended)
        add_end(m, &bytes);
    rc = write_all(draft, &bytes, e);
    if (rc == 0 && rename(draft, path))
        rc = err_errno(e, errno, "cannot write %s", path);
    text_clear(&bytes);
    free(path);
    free(draft);
    return rc;
}
