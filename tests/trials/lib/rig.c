/* A launcher on a loop of its own, and what it told. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/trials/lib/rig.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "trials/remains.h"

struct loop *loop;
struct ports *ports;
struct launcher *launcher;
char root[64];
struct told told[MOST_NEWS];
int n_told;
int n_ended;       /* news other than ALIVE */
static int wanted; /* ends to wait for */
static int wanted_alive;
static bool late;

void on_news(void *ctx, const struct launcher_news *n)
{
    struct told *t = &told[n_told];
    int alive;

    (void)ctx;
    ck_assert_int_lt(n_told, MOST_NEWS);
    snprintf(t->name, sizeof t->name, "%s", n->job_name);
    t->word = n->word;
    t->exit_code = n->exit_code;
    t->signal_number = n->signal_number;
    t->ran_ms = n->ran_ms;
    t->blame = n->blame;
    snprintf(t->replica, sizeof t->replica, "%s", n->replica ? n->replica : "");
    snprintf(t->text, sizeof t->text, "%s", n->text ? n->text : "");
    n_told++;
    n_ended += n->word != LAUNCHER_ALIVE;
    alive = n_told - n_ended;
    if (n_ended >= wanted && alive >= wanted_alive)
        loop_stop(loop);
}

struct launcher *opened(void)
{
    char *shim = mem_format("%s/hypertune-shim", getenv("HYPERTUNE_BUILD"));
    struct launcher *l;
    struct err e = {0};

    ck_assert_msg(local_open(&l, loop, ports, shim, on_news, NULL, &e) == 0,
                  "%s", e.text);
    free(shim);
    return l;
}

void setup(void)
{
    struct err e = {0};

    n_told = n_ended = 0;
    snprintf(root, sizeof root, "/tmp/hypertune-trials-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ports = ports_new();
    launcher = opened();
}

static int remove_it(const char *path, const struct stat *st, int kind,
                     struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

void teardown(void)
{
    if (launcher)
        launcher->type->close(launcher);
    loop_close(loop);
    ports_free(ports);
    ck_assert_int_eq(nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void too_late(void *ctx)
{
    (void)ctx;
    late = true;
    loop_stop(loop);
}

/* Runs the loop until so many jobs ended and so many are alive in all. */
void wait_for(int ends, int alive)
{
    struct loop_watch *w;

    wanted = ends;
    wanted_alive = alive;
    if (n_ended >= ends && n_told - n_ended >= alive)
        return;
    late = false;
    w = loop_after(loop, WAIT_MS, too_late, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_msg(!late, "no news in time");
    loop_forget(w);
}

void run_ms(int64_t ms)
{
    wanted = wanted_alive = MOST_NEWS;
    loop_after(loop, ms, too_late, NULL);
    loop_run(loop, NULL, NULL);
}

char *folder_of(const char *name)
{
    return mem_format("%s/%s", root, name);
}

int start_argv(struct launcher *l, const char *name, char **argv,
               const char *workdir, struct err *e)
{
    char *folder = folder_of(name);
    char *reports = mem_format("HYPERTUNE_REPORT_FILE=%s/reports", folder);
    char *path = mem_format("PATH=%s", getenv("PATH"));
    char *env[] = {path, reports, "MARK=set here", NULL};
    struct job_replica master = {.name = "master-0",
                                 .folder = folder,
                                 .argv = argv,
                                 .environ_ = env,
                                 .workdir = workdir ? workdir : folder};
    struct job job = {
        .name = name, .folder = folder, .replicas = &master, .n_replicas = 1};
    int rc;

    mkdir(folder, 0700);
    rc = l->type->start(l, &job, e);
    free(path);
    free(reports);
    free(folder);
    return rc;
}

/* Starts a trainer written for the shell; it runs in its own folder. */
void start_with(struct launcher *l, const char *name, const char *script)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)script, NULL};
    struct err e = {0};

    ck_assert_msg(start_argv(l, name, argv, NULL, &e) == 0, "%s", e.text);
}

void start(const char *name, const char *script)
{
    start_with(launcher, name, script);
}

void stop(const char *name, bool kill_now)
{
    launcher->type->stop(launcher, name, kill_now);
}

void watch(struct launcher *l, const char *name)
{
    char *folder = folder_of(name);
    struct err e;

    ck_assert_int_eq(l->type->watch(l, name, folder, &e), 0);
    free(folder);
}

/* What a file of the job holds, once it holds a line. */
const char *file_of(const char *name, const char *file)
{
    static char text[4096];
    char *path = mem_format("%s/%s/%s", root, name, file);

    for (int i = 0; i < WAIT_MS / 10; i++) {
        if (proc_file(path, text, sizeof text) > 0 && strchr(text, '\n'))
            break;
        usleep(10 * 1000);
    }
    free(path);
    return text;
}

pid_t pid_in(const char *name, const char *file)
{
    pid_t pid = (pid_t)strtol(file_of(name, file), NULL, 10);

    ck_assert_int_gt(pid, 0);
    return pid;
}

bool runs(pid_t pid)
{
    struct proc p;

    return !proc_read(pid, &p) && proc_lives(&p);
}

pid_t shim_of(const char *name)
{
    char *folder = folder_of(name);
    struct status s;

    ck_assert(status_read(folder, &s));
    free(folder);
    return s.shim;
}

bool is_left(const char *name)
{
    static const struct status nothing;
    char *folder = folder_of(name);
    int n = remains_kill(&nothing, folder);

    free(folder);
    return n > 0;
}

const struct told *last_of(const char *name)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (strcmp(told[i].name, name) == 0)
            return &told[i];
    ck_abort_msg("no news of %s", name);
    return NULL;
}

void expect_end_by(const char *name, const char *replica, int exit_code,
                   int signal_number)
{
    const struct told *t = last_of(name);

    ck_assert_msg(
        t->word == LAUNCHER_ENDED && t->exit_code == exit_code &&
            t->signal_number == signal_number && t->blame == BLAME_NOBODY &&
            strcmp(t->replica, replica ? replica : "") == 0,
        "%s: word %d exit %d signal %d blame %d by '%s': %s", name, t->word,
        t->exit_code, t->signal_number, t->blame, t->replica, t->text);
}

void expect_end(const char *name, int exit_code, int signal_number)
{
    expect_end_by(name, NULL, exit_code, signal_number);
}

void put_script(const char *name, const char *text, mode_t mode)
{
    char *path = mem_format("%s/%s", root, name);
    int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    free(path);
}

/* What one replica of start_parts is given. */
struct given {
    char *folder, *env[5], *argv[4];
};

static struct job_replica give(struct given *g, const char *job,
                               const struct part *p, bool is_master)
{
    g->folder =
        is_master ? mem_copy_text(job) : mem_format("%s/%s", job, p->name);
    mkdir(g->folder, 0700);
    g->env[0] = mem_format("PATH=%s", getenv("PATH"));
    g->env[1] = mem_format("HYPERTUNE_REPORT_FILE=%s/reports", g->folder);
    g->env[2] = mem_format("JOB=%s", job);
    g->env[3] = mem_format("ME=%s", p->name);
    g->argv[0] = mem_copy_text(p->program ? p->program : "sh");
    g->argv[1] = p->program ? NULL : mem_copy_text("-c");
    g->argv[2] = p->program ? NULL : mem_copy_text(p->script);
    return (struct job_replica){.name = p->name,
                                .folder = g->folder,
                                .argv = g->argv,
                                .environ_ = g->env,
                                .workdir = g->folder,
                                .memory = p->memory,
                                .cpus = p->cpus};
}

void start_parts(const char *name, const struct part *parts, size_t n)
{
    struct given given[MOST_PARTS] = {0};
    struct job_replica replicas[MOST_PARTS];
    char *folder = folder_of(name);
    struct job job = {
        .name = name, .folder = folder, .replicas = replicas, .n_replicas = n};
    struct err e = {0};

    ck_assert_uint_le(n, MOST_PARTS);
    for (size_t i = 0; i < n; i++)
        replicas[i] = give(&given[i], folder, &parts[i], i == 0);
    ck_assert_msg(launcher->type->start(launcher, &job, &e) == 0, "%s", e.text);
    for (size_t i = 0; i < n; i++) {
        free(given[i].folder);
        for (int k = 0; k < 4; k++)
            free(given[i].env[k]);
        for (int k = 0; k < 3; k++)
            free(given[i].argv[k]);
    }
    free(folder);
}
