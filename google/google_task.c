/* The replicas of a job and their output. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_task.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "study/study.h"

enum {
    EACH = 10000,
    FOLDERS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
};

void google_task_name(bool platform, int replica, char out[GOOGLE_TASK_NAME])
{
    int role = replica / EACH, index = replica % EACH;

    if (platform)
        snprintf(out, GOOGLE_TASK_NAME, "%s-replica-%d",
                 study_role_name((enum study_role)role), index);
    else
        snprintf(out, GOOGLE_TASK_NAME, "workerpool%d-%d", role, index);
}

/* "worker-2", the folder that is the replica's. */
static void print_folder(int replica, char out[GOOGLE_TASK_NAME])
{
    snprintf(out, GOOGLE_TASK_NAME, "%s-%d",
             study_role_name((enum study_role)(replica / EACH)),
             replica % EACH);
}

/* The replica whose folder is called so, or 0. */
static int read_folder(const char *name)
{
    const char *dash = strrchr(name, '-');
    char same[GOOGLE_TASK_NAME];
    int replica;

    if (!dash || strlen(dash) > 4 || !dash[1])
        return 0;
    for (int role = ROLE_WORKER; role < STUDY_ROLES; role++) {
        replica = role * EACH + (int)strtol(dash + 1, NULL, 10);
        print_folder(replica, same);
        if (strcmp(same, name) == 0)
            return replica;
    }
    return 0;
}

size_t google_task_list(int folder, int out[GOOGLE_TASKS])
{
    int copy = openat(folder, ".", FOLDERS);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    const struct dirent *entry;
    size_t n = 1;

    out[0] = 0;
    if (!dir) {
        if (copy >= 0)
            close(copy);
        return n;
    }
    while (n < GOOGLE_TASKS && (entry = readdir(dir))) {
        int replica = read_folder(entry->d_name);

        if (replica)
            out[n++] = replica;
    }
    closedir(dir);
    return n;
}

int google_task_open(int folder, int replica, const char *file)
{
    char name[GOOGLE_TASK_NAME];
    int own = -1, fd;
    struct stat st;

    if (replica) {
        print_folder(replica, name);
        own = openat(folder, name, FOLDERS);
        if (own < 0)
            return -1;
    }
    fd = openat(replica ? own : folder, file,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (own >= 0)
        close(own);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        return -1;
    }
    return fd;
}
