/* What the tests of the Slurm launcher stand on. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/slurm/lib/rig.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/child.h"
#include "slurm/slurm.h"

struct loop *loop;
struct launcher *launcher;
char root[64];
struct told told[MOST_NEWS];
int n_told;
static bool (*enough)(void);
static bool late;

/* ---- the bench ---- */

static void on_news(void *ctx, const struct launcher_news *n)
{
    struct told *t = &told[n_told++];

    (void)ctx;
    ck_assert_int_lt(n_told, MOST_NEWS);
    *t = (struct told){.word = n->word,
                       .exit_code = n->exit_code,
                       .signal_number = n->signal_number,
                       .blame = n->blame,
                       .ran_ms = n->ran_ms};
    snprintf(t->name, sizeof t->name, "%s", n->job_name);
    snprintf(t->text, sizeof t->text, "%s", n->text ? n->text : "");
    snprintf(t->node, sizeof t->node, "%s", n->node ? n->node : "");
    snprintf(t->replica, sizeof t->replica, "%s", n->replica ? n->replica : "");
    if (enough && enough())
        loop_stop(loop);
}

void open_launcher(void)
{
    slurm_open(&launcher, loop, environ, on_news, NULL);
}

void close_launcher(void)
{
    launcher->type->close(launcher);
}

void setup(void)
{
    struct err e;

    n_told = 0;
    enough = NULL;
    snprintf(root, sizeof root, "/tmp/hypertune-slurm-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(root));
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    setenv("HYPERTUNE_TOKEN", "secret", 1);
    setenv("HANDED_ON", "as it\nis", 1);
    open_launcher();
}

static int remove_it(const char *path, const struct stat *st, int kind,
                     struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

void teardown(void)
{
    close_launcher();
    loop_close(loop);
    nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS);
}

static void too_late(void *ctx)
{
    (void)ctx;
    late = true;
    loop_stop(loop);
}

/* Runs the loop until the news is enough. */
void wait_until(bool (*is_enough)(void))
{
    struct loop_watch *w;

    enough = is_enough;
    if (enough())
        return;
    late = false;
    w = loop_after(loop, WAIT_MS, too_late, NULL);
    loop_run(loop, NULL, NULL);
    for (int i = 0; late && i < n_told; i++)
        fprintf(stderr, "%s: word %d, exit %d, text %s\n", told[i].name,
                (int)told[i].word, told[i].exit_code, told[i].text);
    ck_assert_msg(!late, "no news in time");
    loop_forget(w);
}

void run_ms(int64_t ms)
{
    enough = NULL;
    loop_after(loop, ms, too_late, NULL);
    loop_run(loop, NULL, NULL);
}

int count(enum launcher_word word)
{
    int n = 0;

    for (int i = 0; i < n_told; i++)
        n += told[i].word == word;
    return n;
}

int last_words(void)
{
    return n_told - count(LAUNCHER_ALIVE) - count(LAUNCHER_WAITING);
}

bool one_alive(void)
{
    return count(LAUNCHER_ALIVE) >= 1;
}

bool one_over(void)
{
    return last_words() >= 1;
}

bool two_over(void)
{
    return last_words() >= 2;
}

bool ten_over(void)
{
    return last_words() >= 10;
}

bool one_waits(void)
{
    return count(LAUNCHER_WAITING) >= 1;
}

const struct told *over(void)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (told[i].word != LAUNCHER_ALIVE && told[i].word != LAUNCHER_WAITING)
            return &told[i];
    ck_abort_msg("no last news");
    return NULL;
}

/* ---- jobs ---- */

char *in_root(const char *name)
{
    return mem_format("%s/%s", root, name);
}

int start_job(const struct job_of *o, struct err *e)
{
    static const char *const names[] = {"master-0", "worker-0", "worker-1",
                                        "worker-2", "ps-0"};
    struct job_replica replicas[5] = {0};
    char *argv[5][4];
    char spec[200] = "SPEC=";
    char *environ_[] = {spec, NULL};
    char *folder = in_root(o->name);
    struct job job = {.name = o->name,
                      .folder = folder,
                      .replicas = replicas,
                      .options = o->options};
    char(*at)[LAUNCHER_ADDRESS];
    int rc;

    mkdir(folder, 0700);
    while (job.n_replicas < 5 && o->lines[job.n_replicas])
        job.n_replicas++;
    while (job.n_options < 6 && o->options[job.n_options].name)
        job.n_options++;
    at = mem_new(job.n_replicas, sizeof *at);
    ck_assert_int_eq(
        launcher->type->addresses(launcher, o->name, job.n_replicas, at, e), 0);
    for (size_t i = 0; i < job.n_replicas; i++) {
        struct job_replica *r = &replicas[i];

        snprintf(spec + strlen(spec), sizeof spec - strlen(spec), "%s%s",
                 i ? "," : "", at[i]);
        argv[i][0] = "sh";
        argv[i][1] = "-c";
        argv[i][2] = (char *)(uintptr_t)o->lines[i];
        argv[i][3] = NULL;
        r->name = names[i];
        r->folder =
            i ? mem_format("%s/%s", folder, names[i]) : mem_copy_text(folder);
        mkdir(r->folder, 0700);
        r->argv = argv[i];
        r->environ_ = environ_;
        r->workdir = root;
        r->memory = o->memory;
        r->cpus = o->cpus;
    }
    rc = launcher->type->start(launcher, &job, e);
    for (size_t i = 0; i < job.n_replicas; i++)
        free((char *)(uintptr_t)replicas[i].folder);
    free(at);
    free(folder);
    return rc;
}

void start(const char *name, const char *line)
{
    struct job_of o = {.name = name, .lines = {line}};
    struct err e = {0};

    ck_assert_msg(start_job(&o, &e) == 0, "%s", e.text);
}

void start_of(const struct job_of *o)
{
    struct err e = {0};

    ck_assert_msg(start_job(o, &e) == 0, "%s", e.text);
}

char *read_file(const char *name)
{
    char *path = in_root(name);
    FILE *f = fopen(path, "re");
    struct text t;
    char bytes[4096];
    size_t n;

    free(path);
    text_init(&t);
    text_add(&t, "");
    while (f && (n = fread(bytes, 1, sizeof bytes, f)) > 0)
        text_add_bytes(&t, bytes, n);
    if (f)
        fclose(f);
    return text_take(&t);
}

void touch(const char *name)
{
    char *path = in_root(name);

    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    free(path);
}

void await_file(const char *name)
{
    char *path = in_root(name);

    for (int i = 0; access(path, F_OK); i++) {
        ck_assert_int_lt(i, WAIT_MS / 20);
        run_ms(20);
    }
    free(path);
}

/* ---- the cluster ---- */

struct text said;
static struct loop *own;
static int code;

static void on_end(void *ctx, const struct child_end *end)
{
    (void)ctx;
    code = end->exit_code;
    text_reset(&said);
    text_add(&said, end->out);
    loop_stop(own);
}

/* Runs a command to its end on a loop of its own; its output is in `said`. */
static int command(char *const *argv)
{
    struct child_order o = {.argv = argv, .environ_ = environ, .fn = on_end};
    struct child *c;
    struct err e;

    ck_assert_int_eq(loop_open(&own, &e), 0);
    ck_assert_msg(child_start(&c, own, &o, &e) == 0, "%s", e.text);
    loop_run(own, NULL, NULL);
    loop_close(own);
    return code;
}

int shell(const char *line)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)line, NULL};

    return command(argv);
}

void cluster(const char *verb, const char *who, const char *how)
{
    char *line = mem_format("\"$HYPERTUNE_SOURCE/scripts/slurm-cluster\" %s "
                            "\"$SLURM_CLUSTER\" %s %s",
                            verb, who, how);

    ck_assert_int_eq(shell(line), 0);
    free(line);
}

/* The number of jobs of that name that the queue shows in that state. */
long in_queue(const char *state)
{
    char *line = mem_format("squeue -h -t %s -o %%j | grep -c '%s' || :", state,
                            "^hypertune-");

    ck_assert_int_eq(shell(line), 0);
    free(line);
    return strtol(text_str(&said), NULL, 10);
}
