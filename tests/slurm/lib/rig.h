/* What the tests of the Slurm launcher stand on: a loop, a launcher, a folder,
 * the news that came, and a real cluster, whose folder SLURM_CLUSTER names
 * (scripts/slurm-cluster). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_SLURM_LIB_RIG_H
#define TESTS_SLURM_LIB_RIG_H

#include "base/text.h"
#include "io/loop.h"
#include "trials/launcher.h"

enum { MOST_NEWS = 512, WAIT_MS = 150000, NAME = 64 };

struct told {
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    int64_t ran_ms;
    char name[NAME], text[600], node[64], replica[64];
};

extern struct loop *loop;
extern struct launcher *launcher;
extern char root[64]; /* jobs have their folders in it */
extern struct told told[MOST_NEWS];
extern int n_told;

void setup(void); /* of each test; and of each part of one */
void teardown(void);

/* As a service that restarts. */
void open_launcher(void);
void close_launcher(void);

/* Runs the loop until the news is enough, or for so long. */
void wait_until(bool (*is_enough)(void));
void run_ms(int64_t ms);

int count(enum launcher_word word);
int last_words(void); /* news other than ALIVE and WAITING */
bool one_alive(void);
bool one_over(void);
bool two_over(void);
bool ten_over(void);
bool one_waits(void);
const struct told *over(void); /* the last of the last words */

struct job_of {
    const char *name;
    const char *lines[5]; /* of shell, of each replica */
    struct job_option options[6];
    int64_t memory;
    double cpus;
};

int start_job(const struct job_of *o, struct err *e);
void start_of(const struct job_of *o);
void start(const char *name, const char *line); /* of one replica */

/* Names are of files in root; the caller frees. */
char *in_root(const char *name);
char *read_file(const char *name); /* "" if it is not there */
void touch(const char *name);
void await_file(const char *name);

/* Runs it to its end; its output is in `said`. Gives its exit status. */
int shell(const char *line);
extern struct text said;

/* scripts/slurm-cluster VERB FOLDER WHO HOW */
void cluster(const char *verb, const char *who, const char *how);

/* The number of jobs of ours that the queue shows in that state. */
long in_queue(const char *state);

#endif
