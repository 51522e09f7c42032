/* Reads the status file of a job's folder by a table of its keys. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/status.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void read_boot(struct status *s, const char *value)
{
    snprintf(s->boot, sizeof s->boot, "%s", value);
}

static void read_process(const char *value, pid_t *pid, uint64_t *start)
{
    char *at;

    *pid = (pid_t)strtol(value, &at, 10);
    *start = strtoull(at, NULL, 10);
}

static void read_shim(struct status *s, const char *value)
{
    read_process(value, &s->shim, &s->shim_start);
}

static void read_child(struct status *s, const char *value)
{
    read_process(value, &s->child, &s->child_start);
}

static void read_end(struct status *s, const char *value)
{
    static const struct {
        const char *word;
        enum status_end end;
    } ends[] = {{"exit ", STATUS_EXIT},
                {"signal ", STATUS_SIGNAL},
                {"refused", STATUS_REFUSED},
                {"lost", STATUS_LOST}};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        size_t n = strlen(ends[i].word);

        if (strncmp(value, ends[i].word, n) == 0) {
            s->end = ends[i].end;
            s->number = (int)strtol(value + n, NULL, 10);
        }
    }
}

static void read_ran(struct status *s, const char *value)
{
    s->ran_ms = strtoll(value, NULL, 10);
}

static void read_oom(struct status *s, const char *value)
{
    s->oom = *value == '1';
}

static void read_replica(struct status *s, const char *value)
{
    snprintf(s->replica, sizeof s->replica, "%s", value);
}

static void read_text(struct status *s, const char *value)
{
    snprintf(s->text, sizeof s->text, "%s", value);
}

static const struct {
    const char *key;
    void (*read)(struct status *s, const char *value);
} keys[] = {
    {"boot", read_boot},       {"shim", read_shim},  {"child", read_child},
    {"end", read_end},         {"ran_ms", read_ran}, {"oom", read_oom},
    {"replica", read_replica}, {"text", read_text},
};

static void read_line(struct status *s, char *line)
{
    char *equals = strchr(line, '=');

    if (!equals)
        return;
    *equals = '\0';
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(line, keys[i].key) == 0)
            keys[i].read(s, equals + 1);
}

bool status_read(const char *folder, struct status *out)
{
    char *path = mem_format("%s/%s", folder, STATUS_FILE);
    char text[2 * STATUS_BYTES];
    ssize_t n = proc_file(path, text, sizeof text);
    char *rest = NULL;

    free(path);
    *out = (struct status){0};
    if (n <= 0)
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        read_line(out, line);
    return true;
}

int status_claim_lost(const char *folder, struct err *e)
{
    static const char words[] = "end=lost\n";
    char *path = mem_format("%s/%s", folder, STATUS_FILE);
    char *draft = mem_format("%s.%d.lost", path, (int)getpid());
    int fd = open(draft, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    bool made = fd >= 0 && write(fd, words, sizeof words - 1) > 0 &&
                link(draft, path) == 0;
    int why = errno;

    if (fd >= 0) {
        close(fd);
        unlink(draft);
    }
    free(draft);
    free(path);
    return made ? 0 : err_errno(e, why, "cannot write %s/status", folder);
}
