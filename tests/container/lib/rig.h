/* What the tests of the containers' launcher stand on: a loop, a launcher, a
 * folder, the news that came, and a real engine: the one at DOCKER_HOST, with
 * the images of scripts/engine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_CONTAINER_LIB_RIG_H
#define TESTS_CONTAINER_LIB_RIG_H

#include "io/loop.h"
#include "trials/launcher.h"

enum { MOST_NEWS = 256, WAIT_MS = 120000, MOST_PARTS = 4 };

struct told {
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    int64_t ran_ms;
    char name[64], replica[32], text[512];
};

extern struct loop *loop;
extern struct launcher *launcher; /* closed by teardown; may be NULL */
extern char root[64];             /* jobs have their folders in it */
extern struct told told[MOST_NEWS];
extern int n_told;
extern int n_ended; /* news other than ALIVE and WAITING */
extern int n_alive;

void setup(void);
void teardown(void); /* no container of the test may be left */

/* As a service that restarts. */
void open_launcher(void);
void close_launcher(void);

/* Runs the loop until so many jobs ended and so many are alive in all. */
void wait_for(int ends, int alive);
void run_ms(int64_t ms);
/* Runs the loop until the file holds the word. */
void wait_word(const char *name, const char *file, const char *word);

/* A replica: a script for the shell, or (argv not NULL) words. */
struct part {
    const char *name, *script, *image; /* the small image if NULL */
    char *const *argv;
    size_t n_entry;
    int64_t memory;
};

/* The first is the master; the others have folders below its own. What start
 * said. */
int start_parts(const char *name, const struct part *parts, size_t n,
                const struct job_option *options, size_t n_options);
/* One replica; option may be NULL. */
void start_with(const char *name, struct part part, const char *option,
                const char *value);
void start(const char *name, const char *script);
void watch(const char *name);
void stop(const char *name, bool kill_now);

char *folder_of(const char *name); /* yours */
void make_folders(const char *name);
void make_file(const char *name, const char *file);
/* What a file of the job holds; until the next call. */
const char *file_of(const char *name, const char *file);

/* How many containers of this test's the engine has. */
size_t n_containers(void);
/* By hand, as a person would. path follows the container's name. */
void by_hand(const char *method, const char *name, const char *replica,
             const char *path);

/* The last news of the job, which must be such. */
const struct told *last_of(const char *name);
const struct told *expect(const char *name, enum launcher_word word,
                          int exit_code, int signal_number);
const struct told *expect_end(const char *name, int exit_code,
                              int signal_number);
void expect_hopeless(const char *name, const char *words);

#endif
