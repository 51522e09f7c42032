/* Reading a container's exit code. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_end.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

enum {
    NOT_RUNNABLE = 126, /* as shells and engines say it */
    NOT_FOUND = 127,
    BY_SIGNAL = 128, /* and the signal's number */
    LAST_SIGNAL = 31
};

static int signal_of(const struct container_box *b)
{
    int n = b->end.exit_code - BY_SIGNAL;

    return n > 0 && n <= LAST_SIGNAL ? n : 0;
}

/* podman does not always say so: then it is a kill of which nobody spoke, in a
 * container that has a limit. */
static bool is_oom(const struct container_box *b)
{
    if (b->end.exit_code == 0)
        return false;
    if (b->end.oom)
        return true;
    return container_host_is_podman(b->host) && b->memory > 0 &&
           signal_of(b) == SIGKILL && !b->signalled && !b->end.by_person &&
           b->begun_ms && container_host_heard_since(b->host, b->begun_ms);
}

static enum launcher_blame blame_of(const struct container_box *b)
{
    if (is_oom(b))
        return BLAME_MEMORY;
    if (b->end.by_person && signal_of(b) && !b->signalled)
        return BLAME_PERSON;
    return BLAME_NOBODY;
}

void container_end_of(const struct container_box *b, struct launcher_news *out,
                      char text[CONTAINER_END_TEXT])
{
    *out = (struct launcher_news){.word = LAUNCHER_ENDED,
                                  .exit_code = b->end.exit_code,
                                  .signal_number = signal_of(b),
                                  .ran_ms = b->end.ran_ms,
                                  .blame = blame_of(b)};
    if (out->signal_number)
        out->exit_code = -1;
    text[0] = '\0';
    if (out->blame == BLAME_MEMORY && b->memory > 0)
        snprintf(text, CONTAINER_END_TEXT,
                 "killed for want of memory, of which it might have %lld MiB",
                 (long long)(b->memory >> 20));
    else if (out->blame == BLAME_PERSON)
        snprintf(text, CONTAINER_END_TEXT,
                 "the container %s was killed, and not by us", b->name);
    else if (out->exit_code == NOT_FOUND)
        snprintf(text, CONTAINER_END_TEXT,
                 "exit 127 says that a program is not in the image");
    else if (out->exit_code == NOT_RUNNABLE)
        snprintf(text, CONTAINER_END_TEXT,
                 "exit 126 says that a file in the image cannot be run");
    out->text = text[0] ? text : NULL;
}

/* The first line of its stderr.log; false if there is none. */
static bool first_line(const struct container_box *b, char *out, size_t size)
{
    char *path = mem_format("%s/stderr.log", b->folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? -1 : read(fd, out, size - 1);

    free(path);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return false;
    out[n] = '\0';
    out[strcspn(out, "\r\n")] = '\0';
    return true;
}

/* tini, docker-init and catatonit, which Docker and podman take for it. */
bool container_end_unstarted(const struct container_box *b,
                             char text[CONTAINER_END_TEXT])
{
    static const char *const firsts[] = {"[FATAL tini", "ERROR (catatonit"};
    char line[256];

    if (!b->init ||
        (b->end.exit_code != NOT_FOUND && b->end.exit_code != NOT_RUNNABLE) ||
        !first_line(b, line, sizeof line))
        return false;
    for (size_t i = 0; i < sizeof firsts / sizeof firsts[0]; i++)
        if (strncmp(line, firsts[i], strlen(firsts[i])) == 0) {
            const char *what = strstr(line, ") ");

            snprintf(text, CONTAINER_END_TEXT,
                     "the program cannot be run in the image%s%.100s: %s",
                     b->image ? " " : "", b->image ? b->image : "",
                     what ? what + 2 : line);
            return true;
        }
    return false;
}
