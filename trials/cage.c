/* Makes, fills, asks and removes cgroups by the files of theirs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/cage.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "trials/proc.h"

#define PREFIX "hypertune-"

enum {
    PERIOD_US = 100000,
    LEAST_QUOTA_US = 1000, /* the kernel takes no less */
    REMOVE_TRIES = 50      /* a millisecond apart */
};

/* ---- files of a cgroup ---- */

static int put(const char *folder, const char *file, const char *text)
{
    char path[CAGE_PATH + 128];
    ssize_t n;
    int fd;

    snprintf(path, sizeof path, "%s/%s", folder, file);
    fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    n = write(fd, text, strlen(text));
    close(fd);
    return n < 0 ? -1 : 0;
}

static int put_number(const char *folder, const char *file, long long number)
{
    char text[32];

    snprintf(text, sizeof text, "%lld", number);
    return put(folder, file, text);
}

static bool make_folder(const char *path)
{
    return !mkdir(path, 0755) || errno == EEXIST;
}

static void remove_folder(const char *path)
{
    const struct timespec ms = {.tv_nsec = 1000000};

    for (int i = 0; i < REMOVE_TRIES && rmdir(path) && errno == EBUSY; i++)
        nanosleep(&ms, NULL);
}

/* ---- making ---- */

/* Swap is not counted as memory that was given. */
static bool limit_memory(const char *folder, enum cage_how how, int64_t bytes)
{
    if (how == CAGE_V2) {
        put(folder, "memory.swap.max", "0");
        put(folder, "memory.oom.group", "1");
        return !put_number(folder, "memory.max", bytes);
    }
    if (put_number(folder, "memory.limit_in_bytes", bytes))
        return false;
    put_number(folder, "memory.memsw.limit_in_bytes", bytes);
    return true;
}

static bool limit_cpus(const char *folder, enum cage_how how, double cpus)
{
    double us = cpus * PERIOD_US;
    long long quota = us < LEAST_QUOTA_US ? LEAST_QUOTA_US : (long long)us;
    char text[64];

    if (how == CAGE_V2) {
        snprintf(text, sizeof text, "%lld %d", quota, PERIOD_US);
        return !put(folder, "cpu.max", text);
    }
    return !put_number(folder, "cpu.cfs_period_us", PERIOD_US) &&
           !put_number(folder, "cpu.cfs_quota_us", quota);
}

static bool is_group(const struct cage_place *p)
{
    return p->how == CAGE_V1 || p->how == CAGE_V2;
}

void cage_make(struct cage *c, const struct cage_places *places, pid_t shim,
               uint64_t ticks, int nth, int64_t bytes, double cpus)
{
    char name[64];

    *c = (struct cage){0};
    snprintf(name, sizeof name, PREFIX "%d-%llu-%d", (int)shim,
             (unsigned long long)ticks, nth);
    if (bytes > 0 && is_group(&places->memory)) {
        c->how = places->memory.how;
        snprintf(c->memory, sizeof c->memory, "%s/%s", places->memory.folder,
                 name);
        if (!make_folder(c->memory) || !limit_memory(c->memory, c->how, bytes))
            cage_remove(c);
    }
    if (cpus > 0 && is_group(&places->cpus)) {
        snprintf(c->cpus, sizeof c->cpus, "%s/%s", places->cpus.folder, name);
        if (!make_folder(c->cpus) ||
            !limit_cpus(c->cpus, places->cpus.how, cpus)) {
            if (strcmp(c->cpus, c->memory) != 0)
                remove_folder(c->cpus);
            c->cpus[0] = '\0';
        }
    }
    if (bytes > 0 && !c->memory[0]) {
        c->how = CAGE_PROCESS;
        c->data = bytes;
    }
}

void cage_enter(const struct cage *c)
{
    if (c->memory[0])
        put(c->memory, "cgroup.procs", "0");
    if (c->cpus[0] && strcmp(c->cpus, c->memory) != 0)
        put(c->cpus, "cgroup.procs", "0");
    if (c->data) {
        struct rlimit most;

        if (getrlimit(RLIMIT_DATA, &most))
            return;
        most.rlim_cur = (rlim_t)c->data;
        if (most.rlim_max == RLIM_INFINITY || most.rlim_max > most.rlim_cur)
            most.rlim_max = most.rlim_cur;
        (void)setrlimit(RLIMIT_DATA, &most);
    }
}

/* ---- killed for memory? ---- */

/* The number after "oom_kill " in that file, or -1. */
static long long ooms_in(const char *path)
{
    char text[1024];
    const char *at;

    if (proc_file(path, text, sizeof text) <= 0)
        return -1;
    at = strstr(text, "oom_kill ");
    return at ? strtoll(at + strlen("oom_kill "), NULL, 10) : -1;
}

long long cage_ooms(const struct cage *c)
{
    char path[CAGE_PATH + 128];

    if (!c->memory[0])
        return -1;
    snprintf(path, sizeof path, "%s/%s", c->memory,
             c->how == CAGE_V2 ? "memory.events" : "memory.oom_control");
    return ooms_in(path);
}

long long cage_ooms_around(void)
{
    static const struct {
        const char *line, *format;
    } kinds[] = {
        {":memory:", "/sys/fs/cgroup/memory%s/memory.oom_control"},
        {"0::", "/sys/fs/cgroup%s/memory.events"},
    };
    char text[4096];
    char path[4096];
    long long n = -1;

    proc_file("/proc/self/cgroup", text, sizeof text);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && n < 0; i++) {
        char *at = strstr(text, kinds[i].line);
        size_t len;

        if (!at)
            continue;
        at += strlen(kinds[i].line);
        len = strcspn(at, "\n");
        if (len > 1024)
            continue;
        at[len] = '\0';
        snprintf(path, sizeof path, kinds[i].format, at);
        at[len] = '\n';
        n = ooms_in(path);
    }
    return n;
}

/* ---- removing ---- */

void cage_remove(struct cage *c)
{
    if (c->cpus[0] && strcmp(c->cpus, c->memory) != 0)
        remove_folder(c->cpus);
    if (c->memory[0])
        remove_folder(c->memory);
    c->memory[0] = c->cpus[0] = '\0';
}

/* Whose the folder of that name is; false if it is none of ours. */
static bool made_by(const char *name, pid_t *shim, uint64_t *ticks)
{
    char *at;

    if (strncmp(name, PREFIX, sizeof PREFIX - 1) != 0)
        return false;
    *shim = (pid_t)strtol(name + sizeof PREFIX - 1, &at, 10);
    if (*shim <= 0 || *at != '-')
        return false;
    *ticks = strtoull(at + 1, &at, 10);
    return *at == '-';
}

static void sweep_place(const struct cage_place *p, pid_t shim, uint64_t ticks)
{
    DIR *all = is_group(p) ? opendir(p->folder) : NULL;
    const struct dirent *entry;

    while (all && (entry = readdir(all))) {
        uint64_t its_ticks;
        pid_t its;

        if (!made_by(entry->d_name, &its, &its_ticks))
            continue;
        if (shim ? its == shim && its_ticks == ticks
                 : !proc_alive(its, its_ticks))
            unlinkat(dirfd(all), entry->d_name, AT_REMOVEDIR);
    }
    if (all)
        closedir(all);
}

void cage_sweep(const struct cage_places *places, pid_t shim, uint64_t ticks)
{
    sweep_place(&places->memory, shim, ticks);
    sweep_place(&places->cpus, shim, ticks);
}
