/* Looks through all processes for those of a job. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/remains.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "trials/proc.h"

/* Whether the process was given that folder for its reports: so it belongs to
 * the job even if it went into a session of its own. */
static bool reports_there(pid_t pid, const char *folder)
{
    static const char name[] = "HYPERTUNE_REPORT_FILE=";
    static char text[256 << 10];
    size_t n = strlen(folder);
    char path[64];
    ssize_t got;

    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    got = proc_file(path, text, sizeof text);
    for (const char *at = text; got > 0 && at < text + got;
         at += strlen(at) + 1) {
        const char *value = at + sizeof name - 1;

        if (strncmp(at, name, sizeof name - 1) == 0)
            return strncmp(value, folder, n) == 0 && value[n] == '/';
    }
    return false;
}

/* A session's number is not given away while somebody is in it; should a later
 * process have the shim's pid, the session had ended. */
int remains_kill(const struct status *s, const char *folder)
{
    DIR *all = opendir("/proc");
    struct proc p;
    bool session =
        s->shim > 0 && (proc_read(s->shim, &p) || p.start == s->shim_start);
    pid_t self = getpid();
    int n = 0;

    while (all && proc_next(all, &p)) {
        if (p.pid == self || !proc_lives(&p))
            continue;
        if ((session && p.session == s->shim && p.start >= s->shim_start) ||
            reports_there(p.pid, folder)) {
            kill(p.pid, SIGKILL);
            n++;
        }
    }
    if (all)
        closedir(all);
    return n;
}
