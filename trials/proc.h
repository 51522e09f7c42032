/* Processes as /proc shows them. A pid alone names nobody for long; a pid and
 * its start time do. Inline, because hypertune-shim links nothing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_PROC_H
#define TRIALS_PROC_H

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct proc {
    pid_t pid;
    char state; /* 'R', 'S', …; 'Z' has ended */
    pid_t parent, group, session;
    uint64_t start; /* clock ticks since boot */
};

/* The first n - 1 bytes of a small file, NUL-terminated. Returns how many, or
 * -1. */
static inline ssize_t proc_file(const char *path, char *out, size_t n)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, out, n - 1);

    if (fd >= 0)
        close(fd);
    out[got > 0 ? got : 0] = '\0';
    return got;
}

/* Fields 3 to 22 of /proc/PID/stat. Returns -1 if there is no such process. */
static inline int proc_read(pid_t pid, struct proc *out)
{
    enum { PARENT = 4, GROUP = 5, SESSION = 6, START = 22 };
    long long field[START + 1];
    char path[64];
    char text[1024];
    char *at;

    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    if (proc_file(path, text, sizeof text) <= 0)
        return -1;
    at = strrchr(text, ')'); /* the name before it may hold anything */
    if (!at || strlen(at) < 4)
        return -1;
    out->state = at[2];
    at += 3;
    for (int i = PARENT; i <= START; i++)
        field[i] = strtoll(at, &at, 10);
    out->pid = pid;
    out->parent = (pid_t)field[PARENT];
    out->group = (pid_t)field[GROUP];
    out->session = (pid_t)field[SESSION];
    out->start = (uint64_t)field[START];
    return 0;
}

static inline bool proc_lives(const struct proc *p)
{
    return p->state != 'Z' && p->state != 'X';
}

static inline int proc_start_time(pid_t pid, uint64_t *ticks)
{
    struct proc p;

    if (proc_read(pid, &p))
        return -1;
    *ticks = p.start;
    return 0;
}

/* Whether that process, and not a later one with its pid, still runs. */
static inline bool proc_alive(pid_t pid, uint64_t ticks)
{
    struct proc p;

    return !proc_read(pid, &p) && p.start == ticks && proc_lives(&p);
}

/* The next process of an opened /proc; false at the end. */
static inline bool proc_next(DIR *all, struct proc *out)
{
    const struct dirent *entry;

    while ((entry = readdir(all))) {
        char *end;
        long pid = strtol(entry->d_name, &end, 10);

        if (pid > 0 && *end == '\0' && !proc_read((pid_t)pid, out))
            return true;
    }
    return false;
}

enum { PROC_BOOT = 40 };

/* This boot's name; empty if the system does not say. Returns out. */
static inline const char *proc_boot(char out[PROC_BOOT])
{
    proc_file("/proc/sys/kernel/random/boot_id", out, PROC_BOOT);
    out[strcspn(out, "\n")] = '\0';
    return out;
}

#endif
