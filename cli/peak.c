/* Memory of trials, from /proc. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/peak.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

/* The whole of a file of /proc; false if it cannot be read, or is empty. */
static bool read_file(const char *pid, const char *name, struct text *out)
{
    char block[4096], path[64];
    ssize_t n;
    int fd;

    text_reset(out);
    (void)snprintf(path, sizeof path, "/proc/%.20s/%s", pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    while ((n = read(fd, block, sizeof block)) > 0)
        text_add_bytes(out, block, (size_t)n);
    (void)close(fd);
    return out->len > 0;
}

/* Which trial's the process is, by the first path below the folder that its
 * environment holds; 0 = none's. */
static size_t trial_of(const struct text *environment, const char *folder,
                       size_t n)
{
    size_t len = strlen(folder);
    const char *end = environment->data + environment->len;
    const char *at = memmem(environment->data, environment->len, folder, len);
    size_t number = 0;

    if (!at || at + len == end || at[len] != '/')
        return 0;
    for (at += len + 1; at < end && isdigit((unsigned char)*at); at++)
        if (number <= n)
            number = number * 10 + (size_t)(*at - '0');
    return number <= n ? number : 0;
}

/* VmHWM in bytes; 0 of a process that is ending. */
static int64_t high_water(const char *pid, struct text *scratch)
{
    static const char key[] = "\nVmHWM:";
    const char *at;

    if (!read_file(pid, "status", scratch))
        return 0;
    at = strstr(scratch->data, key);
    return at ? strtoll(at + sizeof key - 1, NULL, 10) * 1024 : 0;
}

void peak_look(const char *folder, int64_t *peaks, size_t n)
{
    int64_t *now = mem_new(n, sizeof *now);
    DIR *all = opendir("/proc");
    const struct dirent *entry;
    struct text text;

    text_init(&text);
    while (all && (entry = readdir(all))) {
        size_t number;

        if (!isdigit((unsigned char)entry->d_name[0]) ||
            !read_file(entry->d_name, "environ", &text))
            continue;
        number = trial_of(&text, folder, n);
        if (number)
            now[number - 1] += high_water(entry->d_name, &text);
    }
    for (size_t i = 0; i < n; i++)
        if (now[i] > peaks[i])
            peaks[i] = now[i];
    if (all)
        (void)closedir(all);
    text_clear(&text);
    free(now);
}
