/* FOLDER/status: what hypertune-shim says of its job, so that whoever comes
 * later can find the job again or learn how it ended.
 *
 * Text, one `key=value` a line, at most STATUS_BYTES:
 *
 *     boot=ID            the boot in which it ran
 *     shim=PID TICKS     the supervisor and its start time
 *     child=PID TICKS    the master, once all replicas run
 *     end=exit N | signal N | refused | lost
 *     ran_ms=N           from exec to end
 *     oom=1              killed for memory
 *     replica=NAME       whose end it was, if not the master's
 *     text=SENTENCE      why it was refused
 *
 * The file is made once, by link, which decides who may run the job. It has
 * STATUS_BYTES from the start, empty lines behind what is said so far, and is
 * written in place: a job makes one inode and deletes none. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TRIALS_STATUS_H
#define TRIALS_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "trials/proc.h"

/* Shared with the shim. */
#define STATUS_FILE "status"
enum {
    STATUS_BYTES = 1024,
    STATUS_TEXT = 600,
    STATUS_REPLICA = 64,
    STATUS_ALIVE_FD = 3,  /* where the shim writes a byte once all runs */
    STATUS_ROSTER_FD = 4, /* where it reads a roster (trials/roster.h) */
    STATUS_TAKEN = 200    /* the shim's exit code: the folder has its status */
    /* Its other exit codes: 0, or the errno that kept it from the status. */
};

enum status_end {
    STATUS_RUNNING, /* no end is written */
    STATUS_EXIT,
    STATUS_SIGNAL,
    STATUS_REFUSED,
    STATUS_LOST
};

struct status {
    char boot[PROC_BOOT];
    pid_t shim, child; /* 0 = not said */
    uint64_t shim_start, child_start;
    enum status_end end;
    int number; /* the exit code or signal */
    int64_t ran_ms;
    bool oom;
    char replica[STATUS_REPLICA]; /* "" = the master */
    char text[STATUS_TEXT];
};

/* Returns false if there is none (or none that can be read). */
bool status_read(const char *folder, struct status *out);

/* Takes a folder without status for lost, so that no shim that is still on its
 * way will run its job. ERR_CONFLICT: there is a status now. */
int status_claim_lost(const char *folder, struct err *e);

#endif
