/* Why a job of one trial broke, as Google's services say it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_blame.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

/* Takes "worker-1: " off a detail: the replica it tells of, as the interface
 * calls it; the master if it names none. Yours to free. */
static char *take_replica(bool platform, const char **detail)
{
    int role = ROLE_MASTER, index = 0;

    for (int i = ROLE_WORKER; i < STUDY_ROLES; i++) {
        const char *name = study_role_name((enum study_role)i);
        const char *at = *detail + strlen(name);
        size_t digits;

        if (strncmp(*detail, name, strlen(name)) != 0 || *at++ != '-')
            continue;
        digits = strspn(at, "0123456789");
        if (digits == 0 || digits > 4 || strncmp(at + digits, ": ", 2) != 0)
            continue;
        role = i;
        index = (int)strtol(at, NULL, 10);
        *detail = at + digits + 2;
        break;
    }
    if (platform)
        return mem_format("%s %d", study_role_name((enum study_role)role),
                          index);
    return mem_format("workerpool%d-%d", role, index);
}

char *google_blame(const struct google_job_trial *t, bool platform)
{
    const char *detail = t->detail, *colon;
    char *replica = take_replica(platform, &detail), digits[24], *out;
    int64_t status = 0;

    colon = strchr(detail, ':');
    snprintf(digits, sizeof digits, "%.*s",
             colon ? (int)(colon - detail - 5) : 20,
             strlen(detail) > 5 ? detail + 5 : "");
    if (t->reason != REASON_EXIT || strncmp(detail, "exit ", 5) != 0 ||
        !number_read_int(digits, &status))
        out = mem_format("The replica %s ended: %s", replica,
                         *detail ? detail : trial_reason_name(t->reason));
    else
        out = mem_format("The replica %s exited with a non-zero status of "
                         "%" PRId64 ".%s",
                         replica, status, colon ? colon + 1 : "");
    free(replica);
    return out;
}
