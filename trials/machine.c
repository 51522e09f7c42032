/* The machine: processors and memory, as far as control groups allow. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/machine.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The first two numbers of a small file; how many it begins with. */
static int read_two(const char *path, double *a, double *b)
{
    char line[128] = "", *at = line, *end;
    FILE *f = fopen(path, "re");
    int n = 0;

    if (!f)
        return 0;
    if (!fgets(line, sizeof line, f))
        *line = '\0';
    (void)fclose(f);
    *a = strtod(at, &end);
    if (end != at)
        n = 1;
    at = end;
    *b = strtod(at, &end);
    return n && end != at ? 2 : n;
}

/* A limit that one control group's folder states. */
typedef void limit_fn(const char *folder, double *least);

static void keep_least(double *least, double x)
{
    if (x > 0 && x < *least)
        *least = x;
}

static void one_number(const char *folder, const char *file, double *least)
{
    char *path = mem_format("%s/%s", folder, file);
    double a, b;

    if (read_two(path, &a, &b))
        keep_least(least, a);
    free(path);
}

static void memory_v2(const char *folder, double *least)
{
    one_number(folder, "memory.max", least); /* "max" is no number */
}

static void memory_v1(const char *folder, double *least)
{
    one_number(folder, "memory.limit_in_bytes", least);
}

static void cpu_v2(const char *folder, double *least)
{
    char *path = mem_format("%s/cpu.max", folder);
    double quota, period;

    if (read_two(path, &quota, &period) == 2 && period > 0)
        keep_least(least, quota / period);
    free(path);
}

static void cpu_v1(const char *folder, double *least)
{
    double quota = INFINITY, period = INFINITY;

    one_number(folder, "cpu.cfs_quota_us", &quota); /* -1: none */
    one_number(folder, "cpu.cfs_period_us", &period);
    if (isfinite(quota) && isfinite(period))
        keep_least(least, quota / period);
}

/* The limits of a group and of all those above it. In a container its path is
 * not to be seen, but the root is its own. */
static void walk(const char *mount, char *path, limit_fn *fn, double *least)
{
    for (;;) {
        char *folder = mem_format("%s%s", mount, path);
        char *slash = strrchr(path, '/');

        fn(folder, least);
        free(folder);
        if (!slash)
            return;
        *slash = '\0';
    }
}

/* "memory" in "cpu,memory,pids". */
static int lists(const char *names, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = names; *at; at += *at == ',') {
        size_t len = strcspn(at, ",");

        if (len == n && strncmp(at, name, n) == 0)
            return 1;
        at += len;
    }
    return 0;
}

/* Our groups: a line "ID:CONTROLLERS:PATH" each; of version 2 "0::PATH". */
static double least_limit(const char *root, const char *controller,
                          limit_fn *v2, limit_fn *v1, double least)
{
    char *groups = mem_format("%s/proc/self/cgroup", root);
    FILE *f = fopen(groups, "re");
    char line[4096];

    free(groups);
    while (f && fgets(line, sizeof line, f)) {
        char *at = line, *names, *path;
        char *mount;

        line[strcspn(line, "\n")] = '\0';
        (void)strsep(&at, ":");
        names = strsep(&at, ":");
        path = at;
        if (!path || (*names && !lists(names, controller)))
            continue;
        mount = *names ? mem_format("%s/sys/fs/cgroup/%s", root, controller)
                       : mem_format("%s/sys/fs/cgroup", root);
        walk(mount, path, *names ? v1 : v2, &least);
        free(mount);
    }
    if (f)
        (void)fclose(f);
    return least;
}

int machine_processors(const char *root)
{
    cpu_set_t set;
    int n = 1;

    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        n = CPU_COUNT(&set);
    n = (int)least_limit(root, "cpu", cpu_v2, cpu_v1, n);
    return n > 0 ? n : 1;
}

int64_t machine_memory(const char *root)
{
    double all =
        (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);

    all = least_limit(root, "memory", memory_v2, memory_v1, all);
    return all >= 1 ? (int64_t)all : 1;
}
