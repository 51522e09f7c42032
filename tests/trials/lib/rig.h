/* What the tests of the local launcher stand on: a loop, a launcher with the
 * real shim, a folder, and the news that came. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_TRIALS_LIB_RIG_H
#define TESTS_TRIALS_LIB_RIG_H

#include "io/loop.h"
#include "trials/local.h"
#include "trials/status.h"

enum { MOST_NEWS = 1024, WAIT_MS = 60000 };

struct told {
    int64_t ran_ms;
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    char name[32];
    char replica[STATUS_REPLICA];
    char text[STATUS_TEXT];
};

extern struct loop *loop;
extern struct ports *ports;
extern struct launcher *launcher; /* closed by teardown; may be NULL */
extern char root[64];             /* jobs have their folders in it */
extern struct told told[MOST_NEWS];
extern int n_told;
extern int n_ended; /* news other than ALIVE */

void setup(void);
void teardown(void);
struct launcher *opened(void); /* another one on the same loop */
void on_news(void *ctx, const struct launcher_news *n);

/* Runs the loop until so many jobs ended and so many are alive in all. */
void wait_for(int ends, int alive);
void run_ms(int64_t ms);

/* Starts a job of one replica in its own folder, ROOT/NAME. */
int start_argv(struct launcher *l, const char *name, char **argv,
               const char *workdir, struct err *e);
/* The same with a trainer written for the shell. */
void start_with(struct launcher *l, const char *name, const char *script);
void start(const char *name, const char *script);
void stop(const char *name, bool kill_now);
void watch(struct launcher *l, const char *name);

/* A replica of a job that is written for the shell. */
struct part {
    const char *name;   /* "master-0" */
    const char *script; /* runs in its own folder; $JOB is the job's */
    int64_t memory;     /* 0 = no limit */
    double cpus;
    const char *program; /* instead of the script, if not NULL */
};
enum { MOST_PARTS = 16 };
/* The first is the master; the others have folders below its own. */
void start_parts(const char *name, const struct part *parts, size_t n);

char *folder_of(const char *name); /* yours */
void put_script(const char *name, const char *text, mode_t mode);
/* What a file of the job holds, once it holds a line; until the next call. */
const char *file_of(const char *name, const char *file);
pid_t pid_in(const char *name, const char *file);
bool runs(pid_t pid);
pid_t shim_of(const char *name);
const struct told *last_of(const char *name);
/* Whether a process is left that was told to report for the job; kills it. */
bool is_left(const char *name);
/* It ended so by itself, or (replica not NULL) by that replica's fault. */
void expect_end(const char *name, int exit_code, int signal_number);
void expect_end_by(const char *name, const char *replica, int exit_code,
                   int signal_number);

#endif
