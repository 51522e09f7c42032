/* What trials/launcher.h promises, held against the Slurm launcher on a real
 * cluster, whose folder SLURM_CLUSTER names (scripts/slurm-cluster). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/child.h"
#include "slurm/slurm.h"
#include "slurm/slurm_script.h"
#include "tests/lib/suite.h"

enum { MOST_NEWS = 512, WAIT_MS = 150000, NAME = 64 };

struct told {
    enum launcher_word word;
    int exit_code, signal_number;
    enum launcher_blame blame;
    int64_t ran_ms;
    char name[NAME], text[600], node[64], replica[64];
};

static struct loop *loop;
static struct launcher *launcher;
static char root[64];
static struct told told[MOST_NEWS];
static int n_told;
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

static void open_launcher(void)
{
    slurm_open(&launcher, loop, environ, on_news, NULL);
}

static void close_launcher(void)
{
    launcher->type->close(launcher);
}

static void setup(void)
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

static void teardown(void)
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
static void wait_until(bool (*is_enough)(void))
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

static void run_ms(int64_t ms)
{
    enough = NULL;
    loop_after(loop, ms, too_late, NULL);
    loop_run(loop, NULL, NULL);
}

static int count(enum launcher_word word)
{
    int n = 0;

    for (int i = 0; i < n_told; i++)
        n += told[i].word == word;
    return n;
}

static int last_words(void)
{
    return n_told - count(LAUNCHER_ALIVE) - count(LAUNCHER_WAITING);
}

static bool one_alive(void)
{
    return count(LAUNCHER_ALIVE) >= 1;
}

static bool one_over(void)
{
    return last_words() >= 1;
}

static bool two_over(void)
{
    return last_words() >= 2;
}

static bool ten_over(void)
{
    return last_words() >= 10;
}

static bool one_waits(void)
{
    return count(LAUNCHER_WAITING) >= 1;
}

static const struct told *over(void)
{
    for (int i = n_told - 1; i >= 0; i--)
        if (told[i].word != LAUNCHER_ALIVE && told[i].word != LAUNCHER_WAITING)
            return &told[i];
    ck_abort_msg("no last news");
    return NULL;
}

/* ---- jobs ---- */

static char *in_root(const char *name)
{
    return mem_format("%s/%s", root, name);
}

struct job_of {
    const char *name;
    const char *lines[5]; /* of shell, of each replica */
    struct job_option options[6];
    int64_t memory;
    double cpus;
};

static char *const no_environ[] = {NULL};

static int start_job(const struct job_of *o, struct err *e)
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

static void start(const char *name, const char *line)
{
    struct job_of o = {.name = name, .lines = {line}};
    struct err e = {0};

    ck_assert_msg(start_job(&o, &e) == 0, "%s", e.text);
}

static void start_of(const struct job_of *o)
{
    struct err e = {0};

    ck_assert_msg(start_job(o, &e) == 0, "%s", e.text);
}

static char *read_file(const char *name)
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

static void touch(const char *name)
{
    char *path = in_root(name);

    close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    free(path);
}

static void await_file(const char *name)
{
    char *path = in_root(name);

    for (int i = 0; access(path, F_OK); i++) {
        ck_assert_int_lt(i, WAIT_MS / 20);
        run_ms(20);
    }
    free(path);
}

/* ---- the cluster ---- */

static struct text said;
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

static int shell(const char *line)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)line, NULL};

    return command(argv);
}

static void cluster(const char *verb, const char *who, const char *how)
{
    char *line = mem_format("\"$HYPERTUNE_SOURCE/scripts/slurm-cluster\" %s "
                            "\"$SLURM_CLUSTER\" %s %s",
                            verb, who, how);

    ck_assert_int_eq(shell(line), 0);
    free(line);
}

/* The number of jobs of that name that the queue shows in that state. */
static long in_queue(const char *state)
{
    char *line = mem_format("squeue -h -t %s -o %%j | grep -c '%s' || :", state,
                            "^hypertune-");

    ck_assert_int_eq(shell(line), 0);
    free(line);
    return strtol(text_str(&said), NULL, 10);
}

/* ---- tests ---- */

START_TEST(a_job_runs_with_what_it_was_given)
{
    char *out;

    setup();
    start("words", "printf '%s|' \"$HANDED_ON\" \"${HYPERTUNE_TOKEN-none}\" "
                   "\"it's \\\\ \\$x\" \"$SPEC\"; pwd; echo trouble >&2");
    wait_until(one_over);
    ck_assert_int_eq(count(LAUNCHER_ALIVE), 1);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 0);
    ck_assert_int_eq(over()->signal_number, 0);
    ck_assert_str_ne(over()->node, "");
    out = read_file("words/stdout.log");
    ck_assert_msg(strncmp(out, "as it\nis|none|it's \\ $x|", 24) == 0, "%s",
                  out);
    ck_assert_ptr_nonnull(strstr(out, root));
    ck_assert_ptr_null(strstr(out, "{host"));
    free(out);
    out = read_file("words/stderr.log");
    ck_assert_str_eq(out, "trouble\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(every_end_is_told_as_it_was)
{
    static const struct {
        const char *line;
        int code, signal;
    } cases[] = {{"exit 7", 7, 0},
                 {"exit 1", 1, 0},
                 {"kill -SEGV $$", -1, SIGSEGV},
                 {"kill -KILL $$", -1, SIGKILL}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        setup();
        start("end", cases[i].line);
        wait_until(one_over);
        ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
        ck_assert_int_eq(over()->exit_code, cases[i].code);
        ck_assert_int_eq(over()->signal_number, cases[i].signal);
        ck_assert_int_eq(over()->blame, BLAME_NOBODY);
        teardown();
    }
}
END_TEST

START_TEST(ten_jobs_end_each_once)
{
    char name[NAME];
    int seen = 0;

    setup();
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "many%d", i);
        start(name, "exit 0");
    }
    wait_until(ten_over);
    run_ms(1500);
    ck_assert_int_eq(last_words(), 10);
    ck_assert_int_eq(count(LAUNCHER_ENDED), 10);
    for (int i = 0; i < n_told; i++)
        if (told[i].word == LAUNCHER_ENDED)
            seen |= 1 << (told[i].name[4] - '0');
    ck_assert_int_eq(seen, (1 << 10) - 1);
    teardown();
}
END_TEST

START_TEST(a_program_that_is_not_there_is_refused_with_its_node)
{
    char *argv[] = {"./no-such-program", NULL};
    struct job_replica r = {.name = "master-0",
                            .folder = root,
                            .argv = argv,
                            .environ_ = no_environ,
                            .workdir = root};
    struct job job = {
        .name = "absent", .folder = root, .replicas = &r, .n_replicas = 1};
    struct err e;

    setup();
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_REFUSED);
    ck_assert_ptr_nonnull(strstr(over()->text, "./no-such-program"));
    teardown();
    setup();
    r.workdir = "/no/such/folder";
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_REFUSED);
    ck_assert_ptr_nonnull(strstr(over()->text, "/no/such/folder"));
    teardown();
}
END_TEST

START_TEST(what_slurm_refuses_is_hopeless_and_said_in_its_words)
{
    struct job_of o = {.name = "wrong",
                       .lines = {"exit 0"},
                       .options = {{"partition", "no-such-partition"}}};

    setup();
    start_of(&o);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_HOPELESS);
    ck_assert_msg(strstr(over()->text, "no-such-partition") != NULL, "%s",
                  over()->text);
    teardown();
    setup();
    o.options[0] = (struct job_option){"options", "--array=1-3"};
    start_of(&o);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_HOPELESS);
    ck_assert_ptr_nonnull(strstr(over()->text, "--array"));
    teardown();
}
END_TEST

START_TEST(without_slurm_the_first_start_says_so)
{
    setup();
    close_launcher();
    setenv("PATH", "/nowhere", 1);
    open_launcher();
    start("none", "exit 0");
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_HOPELESS);
    ck_assert_ptr_nonnull(strstr(over()->text, "sbatch"));
    setenv("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", 1);
    teardown();
}
END_TEST

START_TEST(a_stopped_job_gets_one_term_and_may_end_well)
{
    char *out;

    setup();
    start("polite", "trap 'echo term; sleep 0.5; exit 5' TERM; echo up; "
                    "touch polite/up; while :; do sleep 0.1; done");
    await_file("polite/up");
    wait_until(one_alive);
    launcher->type->stop(launcher, "polite", false);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 5);
    ck_assert_int_eq(over()->blame, BLAME_NOBODY);
    out = read_file("polite/stdout.log");
    ck_assert_str_eq(out, "up\nterm\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(a_stubborn_job_is_killed_with_all_that_it_started)
{
    char *out;
    size_t n;

    setup();
    start("deaf", "trap '' TERM; (trap '' TERM; while :; do echo x; sleep "
                  "0.1; done) & touch deaf/up; while :; do sleep 0.1; done");
    await_file("deaf/up");
    wait_until(one_alive);
    launcher->type->stop(launcher, "deaf", false);
    run_ms(1000);
    ck_assert_int_eq(last_words(), 0);
    launcher->type->stop(launcher, "deaf", true);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->signal_number, SIGKILL);
    ck_assert_int_eq(over()->blame, BLAME_NOBODY);
    out = read_file("deaf/stdout.log");
    n = strlen(out);
    free(out);
    run_ms(1000);
    out = read_file("deaf/stdout.log");
    ck_assert_uint_eq(strlen(out), n);
    free(out);
    teardown();
}
END_TEST

START_TEST(a_job_that_waits_is_explained_and_can_be_stopped)
{
    struct job_of o = {.name = "big",
                       .lines = {"touch big/ran"},
                       .options = {{"partition", "short"}, {"time", "10"}}};
    char *path;

    setup();
    start_of(&o);
    wait_until(one_waits);
    while (!strstr(told[n_told - 1].text, "PartitionTimeLimit")) {
        int before = n_told;

        run_ms(200);
        ck_assert_int_lt(before, 10);
    }
    ck_assert_ptr_nonnull(strstr(told[n_told - 1].text, "more time than"));
    launcher->type->stop(launcher, "big", false);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(count(LAUNCHER_ALIVE), 0);
    for (int i = 0; in_queue("PD") > 0; i++) {
        ck_assert_int_lt(i, 100);
        run_ms(100);
    }
    path = in_root("big/ran");
    ck_assert_int_ne(access(path, F_OK), 0);
    free(path);
    teardown();
}
END_TEST

START_TEST(a_person_who_cancels_is_to_blame)
{
    setup();
    start("cut", "touch cut/up; exec sleep 100");
    await_file("cut/up");
    wait_until(one_alive);
    ck_assert_int_eq(shell("scancel -u \"$(id -u)\" -t R"), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->blame, BLAME_PERSON);
    ck_assert_int_eq(over()->signal_number, SIGTERM);
    teardown();
}
END_TEST

START_TEST(a_person_who_cancels_a_waiting_job_is_to_blame)
{
    struct job_of o = {.name = "held",
                       .lines = {"exit 0"},
                       .options = {{"options", "--hold"}}};

    setup();
    start_of(&o);
    wait_until(one_waits);
    for (int i = 0; in_queue("PD") < 1; i++) {
        ck_assert_int_lt(i, 100);
        run_ms(100);
    }
    ck_assert_int_eq(shell("scancel -u \"$(id -u)\" -t PD"), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->blame, BLAME_PERSON);
    ck_assert_int_eq(count(LAUNCHER_ALIVE), 0);
    teardown();
}
END_TEST

START_TEST(too_much_memory_is_told_as_that)
{
    struct job_of o = {
        .name = "fat",
        .lines = {"head -c 300000000 /dev/zero | tail -c 300000000 >/dev/null; "
                  "exit 1"},
        .memory = 64 << 20};
    char *conf = mem_format("%s/cgroup.conf", getenv("SLURM_CLUSTER"));

    if (access(conf, F_OK) == 0) { /* else nobody limits memory */
        setup();
        start_of(&o);
        wait_until(one_over);
        ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
        ck_assert_int_eq(over()->blame, BLAME_MEMORY);
        teardown();
    }
    free(conf);
}
END_TEST

START_TEST(a_job_that_makes_room_is_told_as_that)
{
    struct job_of o = {
        .name = "weak",
        .lines = {"touch weak/up; exec sleep 1000"},
        .options = {{"options", "--exclusive"}, {"options", "--nodes=3"}}};

    setup();
    start_of(&o);
    await_file("weak/up");
    wait_until(one_alive);
    ck_assert_int_eq(shell("sbatch -p short --exclusive --nodes=3 -o /dev/null "
                           "--wrap true"),
                     0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->blame, BLAME_PREEMPTED);
    teardown();
}
END_TEST

START_TEST(a_time_limit_is_told_as_that)
{
    struct job_of o = {.name = "long",
                       .lines = {"exec sleep 1000"},
                       .options = {{"time", "1"}}};

    if (!getenv("SLURM_SLOW"))
        return;
    setup();
    start_of(&o);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->blame, BLAME_TIME_LIMIT);
    teardown();
}
END_TEST

START_TEST(replicas_know_each_other_over_nodes)
{
    static const char line[] = "echo \"$SPEC\"; echo \"$SLURMD_NODENAME\"";
    static const char master_line[] =
        "while ! [ -s wide/worker-2/stdout.log ]; do sleep 0.1; done; "
        "echo \"$SPEC\"; echo \"$SLURMD_NODENAME\"; sleep 1";
    struct job_of o = {
        .name = "wide",
        .lines = {master_line, line, line, line, "exec sleep 1000"},
        .options = {{"options", "--ntasks-per-node=2"}}};
    char *master, *other, *where, *list;
    char hosts[5][32];
    long ports[5];
    char *rest = NULL;
    int n = 0;

    setup();
    start_of(&o);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 0);
    master = read_file("wide/stdout.log");
    list = mem_copy_text(master);
    for (char *at = strtok_r(list, ",\n", &rest); at && n < 5;
         at = strtok_r(NULL, ",\n", &rest), n++) {
        char *colon = strchr(at, ':');

        ck_assert_ptr_nonnull(colon);
        snprintf(hosts[n], sizeof hosts[n], "%.*s", (int)(colon - at), at);
        ports[n] = strtol(colon + 1, NULL, 10);
        ck_assert(ports[n] >= 20000 && ports[n] < 32000);
    }
    ck_assert_int_eq(n, 5);
    free(list);
    ck_assert_str_eq(hosts[0], hosts[1]);
    ck_assert_str_ne(hosts[0], hosts[2]);
    ck_assert_str_eq(hosts[2], hosts[3]);
    ck_assert_str_ne(hosts[2], hosts[4]);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < i; k++)
            ck_assert_int_ne(ports[i], ports[k]);
    other = read_file("wide/worker-2/stdout.log");
    where = strchr(other, '\n');
    ck_assert_ptr_nonnull(where);
    *where++ = '\0';
    *strchr(master, '\n') = '\0';
    ck_assert_str_eq(master, other);
    *strchr(where, '\n') = '\0';
    ck_assert_str_eq(where, hosts[3]);
    free(master);
    free(other);
    ck_assert_int_eq(in_queue("R"), 0);
    teardown();
}
END_TEST

START_TEST(a_replica_that_breaks_first_is_named_and_ends_the_job)
{
    struct job_of o = {
        .name = "broken",
        .lines = {"exec sleep 1000", "exec sleep 1000", "sleep 0.5; exit 9"}};

    setup();
    start_of(&o);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 9);
    ck_assert_str_eq(over()->replica, "worker-1");
    teardown();
}
END_TEST

START_TEST(a_stop_reaches_every_replica)
{
    struct job_of o = {
        .name = "all",
        .lines = {"trap 'echo term; exit 0' TERM; touch all/up; "
                  "while :; do sleep 0.1; done",
                  "trap 'echo term; exit 0' TERM; touch all/up1; "
                  "while :; do sleep 0.1; done"}};
    char *out;

    setup();
    start_of(&o);
    await_file("all/up");
    await_file("all/up1");
    wait_until(one_alive);
    launcher->type->stop(launcher, "all", false);
    wait_until(one_over);
    ck_assert_int_eq(over()->exit_code, 0);
    out = read_file("all/stdout.log");
    ck_assert_str_eq(out, "term\n");
    free(out);
    out = read_file("all/worker-0/stdout.log");
    ck_assert_str_eq(out, "term\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(a_new_launcher_finds_the_job_again)
{
    struct err e;
    char *folder;

    setup();
    start("again", "touch again/up; while ! [ -e again/go ]; do sleep 0.1; "
                   "done; echo once; exit 3");
    await_file("again/up");
    close_launcher();
    open_launcher();
    n_told = 0;
    folder = in_root("again");
    ck_assert_int_eq(launcher->type->watch(launcher, "again", folder, &e), 0);
    wait_until(one_alive);
    close_launcher();
    open_launcher();
    n_told = 0;
    start("again", "echo twice");
    wait_until(one_alive);
    close_launcher();
    open_launcher();
    n_told = 0;
    touch("again/go");
    await_file("again/slurm.ended");
    ck_assert_int_eq(launcher->type->watch(launcher, "again", folder, &e), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->exit_code, 3);
    free(folder);
    folder = read_file("again/stdout.log");
    ck_assert_str_eq(folder, "once\n");
    free(folder);
    teardown();
}
END_TEST

START_TEST(a_job_that_never_was_is_lost)
{
    struct err e;

    setup();
    ck_assert_int_eq(launcher->type->watch(launcher, "nobody", root, &e), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_LOST);
    teardown();
}
END_TEST

/* As if the service had been killed after sbatch was called: the script is
 * there, its job in the queue, and nobody knows the number. */
START_TEST(a_submission_of_which_nobody_heard_is_found_by_its_name)
{
    char *argv[] = {"sh", "-c", "echo ran; sleep 1", NULL};
    char *folder, *line;
    struct job_replica r = {.name = "master-0",
                            .argv = argv,
                            .environ_ = no_environ,
                            .workdir = "/"};
    struct job job = {.name = "orphan", .replicas = &r, .n_replicas = 1};
    struct err e;

    setup();
    folder = in_root("orphan");
    mkdir(folder, 0700);
    job.folder = r.folder = folder;
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    line = mem_format("cd %s && sed -n 's/^#: //p' slurm.sh >words && "
                      "set -- && while read -r w; do set -- \"$@\" \"$w\"; "
                      "done <words && sbatch \"$@\" slurm.sh && "
                      "sbatch \"$@\" slurm.sh",
                      folder);
    ck_assert_int_eq(shell(line), 0);
    free(line);
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 0);
    run_ms(4000);
    ck_assert_int_eq(last_words(), 1);
    line = read_file("orphan/stdout.log");
    ck_assert_str_eq(line, "ran\n");
    free(line);
    free(folder);
    teardown();
}
END_TEST

START_TEST(a_controller_that_restarts_costs_nothing)
{
    setup();
    start("calm", "touch calm/up; while ! [ -e calm/go ]; do sleep 0.1; done");
    await_file("calm/up");
    wait_until(one_alive);
    cluster("kill", "controller", "TERM");
    start("later", "exit 4");
    for (int i = 0; !strstr(told[n_told - 1].text, "does not answer"); i++) {
        ck_assert_int_lt(i, 600);
        run_ms(100);
    }
    ck_assert_int_eq(last_words(), 0);
    touch("calm/go");
    wait_until(one_over); /* its own word is enough */
    ck_assert_str_eq(over()->name, "calm");
    ck_assert_int_eq(over()->exit_code, 0);
    cluster("up", "", "");
    wait_until(two_over);
    ck_assert_str_eq(over()->name, "later");
    ck_assert_int_eq(over()->exit_code, 4);
    teardown();
}
END_TEST

START_TEST(a_controller_that_lost_its_state_runs_nothing_twice)
{
    struct job_of held = {.name = "waits",
                          .lines = {"echo ran; exit 6"},
                          .options = {{"options", "--begin=now+8"}}};
    char *out;

    setup();
    start_of(&held);
    start("runs", "touch runs/up; echo ran; while ! [ -e runs/go ]; do sleep "
                  "0.1; done; exit 5");
    await_file("runs/up");
    wait_until(one_alive);
    cluster("kill", "controller", "KILL");
    ck_assert_int_eq(shell("rm -rf \"$SLURM_CLUSTER\"/state/*"), 0);
    cluster("up", "", "");
    wait_until(two_over);
    for (int i = 0; i < n_told; i++) {
        if (told[i].word == LAUNCHER_ALIVE || told[i].word == LAUNCHER_WAITING)
            continue;
        if (strcmp(told[i].name, "waits") == 0)
            ck_assert_int_eq(told[i].exit_code, 6);
        else
            ck_assert_int_eq(told[i].word, LAUNCHER_LOST);
    }
    out = read_file("waits/stdout.log");
    ck_assert_str_eq(out, "ran\n");
    free(out);
    out = read_file("runs/stdout.log");
    ck_assert_str_eq(out, "ran\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(a_node_that_dies_loses_its_jobs_and_is_named)
{
    char *out;

    setup();
    start("fallen", "touch fallen/up; exec sleep 1000");
    await_file("fallen/up");
    wait_until(one_alive);
    ck_assert_int_eq(shell("squeue -h -t R -o %B | head -n 1"), 0);
    out = mem_copy_text(text_str(&said));
    *strchr(out, '\n') = '\0';
    cluster("kill", out, "KILL");
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_LOST);
    ck_assert_int_eq(over()->blame, BLAME_NODE);
    ck_assert_str_eq(over()->node, out);
    cluster("up", "", "");
    free(out);
    teardown();
}
END_TEST

SUITE_WITHIN(280, "slurm/slurm", a_job_runs_with_what_it_was_given,
             every_end_is_told_as_it_was, ten_jobs_end_each_once,
             a_program_that_is_not_there_is_refused_with_its_node,
             what_slurm_refuses_is_hopeless_and_said_in_its_words,
             without_slurm_the_first_start_says_so,
             a_stopped_job_gets_one_term_and_may_end_well,
             a_stubborn_job_is_killed_with_all_that_it_started,
             a_job_that_waits_is_explained_and_can_be_stopped,
             a_person_who_cancels_is_to_blame,
             a_person_who_cancels_a_waiting_job_is_to_blame,
             too_much_memory_is_told_as_that,
             a_job_that_makes_room_is_told_as_that,
             a_time_limit_is_told_as_that, replicas_know_each_other_over_nodes,
             a_replica_that_breaks_first_is_named_and_ends_the_job,
             a_stop_reaches_every_replica, a_new_launcher_finds_the_job_again,
             a_job_that_never_was_is_lost,
             a_submission_of_which_nobody_heard_is_found_by_its_name,
             a_controller_that_restarts_costs_nothing,
             a_controller_that_lost_its_state_runs_nothing_twice,
             a_node_that_dies_loses_its_jobs_and_is_named)
