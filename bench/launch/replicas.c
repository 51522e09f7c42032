/* How long it takes until every replica of a job runs its program: 1 and 8 of
 * them under a shim, beside 8 processes that are spawned without anything. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "trials/local.h"

enum { RUNS = 41, MOST = 8 };

struct bench {
    struct loop *loop;
    struct launcher *launcher;
    char *self; /* this program: `self began FILE [OTHERS...]` says
                   when it began, and waits for the others' files */
    char root[64];
    int n_jobs;
};

static int64_t now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000;
}

/* ---- as a replica ---- */

static int say_when(const char *path)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%lld\n", (long long)now_us());
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    return fd >= 0 && write(fd, text, (size_t)n) == n ? 0 : 1;
}

/* The master ends last, or the others were ended with it. */
static int run_as_replica(char **files)
{
    const struct timespec ms = {.tv_nsec = 1000000};
    struct stat st;

    if (say_when(files[0]))
        return 1;
    for (char **other = files + 1; *other; other++)
        while (stat(*other, &st) || st.st_size == 0)
            nanosleep(&ms, NULL);
    return 0;
}

/* When the last of n began. */
static int64_t last_began(char files[][256], size_t n)
{
    int64_t last = 0;

    for (size_t i = 0; i < n; i++) {
        FILE *f = fopen(files[i], "re");
        char line[32] = "";

        if (!f || !fgets(line, sizeof line, f))
            fprintf(stderr, "replicas: %s did not begin\n", files[i]);
        if (f)
            (void)fclose(f);
        if (strtoll(line, NULL, 10) > last)
            last = strtoll(line, NULL, 10);
    }
    return last;
}

/* ---- as the bench ---- */

static void on_news(void *ctx, const struct launcher_news *n)
{
    struct bench *b = ctx;

    if (n->word == LAUNCHER_ALIVE)
        return;
    if (n->word != LAUNCHER_ENDED || n->exit_code != 0)
        fprintf(stderr, "replicas: %s did not end well: %s\n", n->job_name,
                n->text ? n->text : "");
    loop_stop(b->loop);
}

/* One job of n replicas, from the call to the beginning of the last. */
static int64_t by_launcher(struct bench *b, size_t n)
{
    struct job_replica replicas[MOST] = {0};
    char files[MOST][256];
    char *argv[MOST][MOST + 3] = {0};
    char folder[128];
    char name[16];
    struct job job = {
        .name = name, .folder = folder, .replicas = replicas, .n_replicas = n};
    struct err e = {0};
    int64_t begin;

    snprintf(name, sizeof name, "%d", ++b->n_jobs);
    snprintf(folder, sizeof folder, "%s/%s", b->root, name);
    mkdir(folder, 0700);
    for (size_t i = 0; i < n; i++) {
        snprintf(files[i], sizeof files[i], "%s/began-%zu", folder, i);
        argv[i][0] = b->self;
        argv[i][1] = "began";
        argv[i][2] = files[i];
        if (i > 0)
            argv[0][2 + i] = files[i];
        replicas[i] = (struct job_replica){.name = "replica",
                                           .folder = folder,
                                           .argv = argv[i],
                                           .environ_ = environ,
                                           .workdir = "/"};
    }
    begin = now_us();
    if (b->launcher->type->start(b->launcher, &job, &e))
        fprintf(stderr, "replicas: %s\n", e.text);
    else
        loop_run(b->loop, NULL, NULL);
    return last_began(files, n) - begin;
}

/* The same of processes that nobody looks after. */
static int64_t bare(struct bench *b, size_t n)
{
    char files[MOST][256];
    pid_t pids[MOST];
    int64_t begin = now_us();

    b->n_jobs++;
    for (size_t i = 0; i < n; i++) {
        char *argv[] = {b->self, "began", files[i], NULL};

        snprintf(files[i], sizeof files[i], "%s/bare-%d-%zu", b->root,
                 b->n_jobs, i);
        if (posix_spawn(&pids[i], b->self, NULL, NULL, argv, environ))
            pids[i] = -1;
    }
    for (size_t i = 0; i < n; i++)
        waitpid(pids[i], NULL, 0);
    return last_began(files, n) - begin;
}

static int by_size(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;

    return (*x > *y) - (*x < *y);
}

/* Prints and returns the median, in milliseconds. */
static double print(const char *what, int64_t us[RUNS])
{
    double median, most;

    qsort(us, RUNS, sizeof *us, by_size);
    median = (double)us[RUNS >> 1] / 1e3;
    most = (double)us[RUNS - 1] / 1e3;
    printf("replicas: %s: %.2f ms at the median, %.2f ms at most\n", what,
           median, most);
    return median;
}

static void measure(struct bench *b)
{
    int64_t one[RUNS], eight[RUNS], alone[RUNS];
    double ours, theirs;

    for (int i = 0; i < RUNS; i++) { /* in turn: the machine changes */
        one[i] = by_launcher(b, 1);
        eight[i] = by_launcher(b, MOST);
        alone[i] = bare(b, MOST);
    }
    print("a job of 1, until it runs", one);
    ours = print("a job of 8, until the last runs", eight);
    theirs = print("8 bare processes, until the last runs", alone);
    printf("replicas: 8 begin %.2f ms later than bare ones (at most 50)\n",
           ours - theirs);
}

static int remove_it(const char *path, const struct stat *st, int kind,
                     struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    struct bench b = {.root = "/tmp/htreplicas.XXXXXX"};
    struct ports *ports;
    struct err e = {0};
    char *shim;

    if (argc > 2 && strcmp(argv[1], "began") == 0)
        return run_as_replica(argv + 2);
    if (argc != 2) {
        fputs("usage: bench_replicas BUILD\n", stderr);
        return 2;
    }
    shim = mem_format("%s/hypertune-shim", argv[1]);
    b.self = realpath("/proc/self/exe", NULL);
    ports = ports_new();
    if (!mkdtemp(b.root) || loop_open(&b.loop, &e) ||
        local_open(&b.launcher, b.loop, ports, shim, on_news, &b, &e)) {
        fprintf(stderr, "replicas: %s\n", e.text);
        return 1;
    }
    measure(&b);
    b.launcher->type->close(b.launcher);
    loop_close(b.loop);
    ports_free(ports);
    nftw(b.root, remove_it, 16, FTW_DEPTH | FTW_PHYS);
    free(shim);
    free(b.self);
    return 0;
}
