/* Batch scripts: what is asked of sbatch, and what the shell makes of them,
 * run without Slurm. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "slurm/slurm_files.h"
#include "slurm/slurm_script.h"
#include "tests/lib/suite.h"

static char folder[64];
static char *argv[] = {"sh",
                       "-c",
                       "printf '%s|' \"$@\" \"$ODD\"; exit 4",
                       "it's",
                       "a\nline",
                       "$HOME `x` \"y\"",
                       "--at={host-0}",
                       "{host-7}",
                       NULL};
static char *environ_[] = {"ODD=q'uo\"te\n$x\\", "AT={host-0}:{port-0}",
                           "not-a-name=1", NULL};
static struct job_replica replica;
static struct job job;

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/hypertune-script-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    replica = (struct job_replica){.name = "master-0",
                                   .folder = folder,
                                   .argv = argv,
                                   .environ_ = environ_,
                                   .workdir = "/"};
    job = (struct job){.name = "study/3/1",
                       .folder = folder,
                       .replicas = &replica,
                       .n_replicas = 1};
}

static char *read_file(const char *name)
{
    char *path = mem_format("%s/%s", folder, name);
    char *bytes = mem_new(20000, 1);
    FILE *f = fopen(path, "re");

    free(path);
    if (f) {
        ck_assert_uint_lt(fread(bytes, 1, 19999, f), 19999);
        fclose(f);
    }
    return bytes;
}

static void teardown(void)
{
    static const char *const names[] = {"slurm.sh",    "slurm.began",
                                        "slurm.ended", "stdout.log",
                                        "stderr.log",  "slurm.sh.new"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *path = mem_format("%s/%s", folder, names[i]);

        unlink(path);
        free(path);
    }
    ck_assert_int_eq(rmdir(folder), 0);
}

/* Runs the script as slurmd would; returns its exit status. */
static int run(const char *shell)
{
    char *path = mem_format("%s/slurm.sh", folder);
    pid_t pid;
    int how = 0;

    pid = fork();
    if (pid == 0) {
        setenv("SLURM_JOB_ID", "41", 1);
        setenv("SLURMD_NODENAME", "node9", 1);
        execlp(shell, shell, path, (char *)NULL);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    free(path);
    return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static void runs_under(const char *shell)
{
    struct slurm_began began;
    struct slurm_ended ended;
    struct err e;
    char *out;

    setup();
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert_int_eq(run(shell), 4);
    ck_assert(slurm_files_began(folder, &began));
    ck_assert_int_eq(began.id, 41);
    ck_assert_str_eq(began.node, "node9");
    ck_assert(slurm_files_ended(folder, &ended));
    ck_assert_int_eq(ended.exit_code, 4);
    ck_assert(!ended.terminated);
    ck_assert_str_eq(ended.replica, "master-0");
    out = read_file("stdout.log");
    ck_assert_str_eq(out, "a\nline|$HOME `x` \"y\"|--at=node9|{host-7}|"
                          "q'uo\"te\n$x\\|");
    free(out);
    ck_assert_int_eq(run(shell), SLURM_SCRIPT_SECOND); /* it runs once */
    out = read_file("stdout.log");
    ck_assert_ptr_null(strstr(out, "|a\nline"));
    free(out);
    teardown();
}

START_TEST(words_and_environment_survive_any_shell)
{
    runs_under("sh");
    if (access("/bin/bash", X_OK) == 0)
        runs_under("bash");
}
END_TEST

START_TEST(a_claimed_folder_never_begins)
{
    struct slurm_began began;
    struct err e;

    setup();
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(slurm_files_claim(folder));
    ck_assert(!slurm_files_claim(folder));
    ck_assert_int_eq(run("sh"), SLURM_SCRIPT_SECOND);
    ck_assert(slurm_files_began(folder, &began));
    ck_assert_int_eq(began.id, 0);
    teardown();
}
END_TEST

START_TEST(setup_comes_first_and_prints_into_the_logs)
{
    struct job_option options[] = {{"setup", "echo prepared; MARK=set"},
                                   {"setup", "export MARK"}};
    char *words[] = {"sh", "-c", "echo $MARK", NULL};
    struct err e;
    char *out;

    setup();
    replica.argv = words;
    job.options = options;
    job.n_options = 2;
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert_int_eq(run("sh"), 0);
    out = read_file("stdout.log");
    ck_assert_str_eq(out, "prepared\nset\n");
    free(out);
    teardown();
}
END_TEST

START_TEST(a_module_that_is_not_there_refuses_the_job)
{
    struct job_option options[] = {{"modules", "no/such'module"}};
    struct slurm_ended ended;
    struct err e;

    setup();
    job.options = options;
    job.n_options = 1;
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert_int_eq(run("sh"), 127);
    ck_assert(slurm_files_ended(folder, &ended));
    ck_assert_str_eq(ended.refused,
                     "cannot load the module no/such'module on node9");
    teardown();
}
END_TEST

static char *words_of(void)
{
    char name[SLURM_SCRIPT_NAME];
    struct text words;
    struct err e;
    bool tasks;

    text_init(&words);
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(slurm_script_read(folder, name, &words, &tasks));
    ck_assert_int_eq(strncmp(name, "hypertune-study-3-1-", 20), 0);
    ck_assert_uint_eq(strlen(name), 30);
    ck_assert_int_eq(tasks, job.n_replicas > 1);
    return text_take(&words);
}

START_TEST(what_the_study_says_is_what_sbatch_is_told)
{
    static const char *const wanted[] = {
        "--partition=gpu\n",      "--account=a\n", "--gres=gpu:a100:2\n",
        "--cpus-per-task=3\n",    "--mem=1025M\n", "--time=2\n",
        "--constraint=a&(b|c)\n", "--nodes\n2\n",  "--exclusive\n",
        "--no-requeue\n"};
    struct job_option options[] = {
        {"partition", "gpu"},      {"account", "a"},
        {"gres", "gpu:a100:2"},    {"constraint", "a&(b|c)"},
        {"options", "--nodes  2"}, {"options", "--exclusive"}};
    char *words;

    setup();
    job.options = options;
    job.n_options = 6;
    job.limit_ms = 60001;
    replica.cpus = 2.5;
    replica.memory = (INT64_C(1) << 30) + 1;
    replica.gpus = 2;
    words = words_of();
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        ck_assert_msg(strstr(words, wanted[i]) != NULL, "%s in %s", wanted[i],
                      words);
    ck_assert_ptr_null(strstr(words, "gres=gpu:2"));
    free(words);
    teardown();
}
END_TEST

START_TEST(replicas_ask_for_the_most_that_one_of_them_needs)
{
    struct job_replica many[3];
    char *words;

    setup();
    for (int i = 0; i < 3; i++)
        many[i] = replica;
    many[1].cpus = 4;
    many[1].memory = INT64_C(8) << 30;
    many[2].gpus = 1;
    job.replicas = many;
    job.n_replicas = 3;
    words = words_of();
    ck_assert_ptr_nonnull(strstr(words, "--ntasks=3\n"));
    ck_assert_ptr_nonnull(strstr(words, "--cpus-per-task=4\n"));
    ck_assert_ptr_nonnull(strstr(words, "--mem-per-cpu=2048M\n"));
    ck_assert_ptr_nonnull(strstr(words, "--gpus-per-task=1\n"));
    free(words);
    teardown();
}
END_TEST

START_TEST(names_are_never_the_same)
{
    char first[SLURM_SCRIPT_NAME], second[SLURM_SCRIPT_NAME];
    struct text words;
    struct err e;
    bool tasks;

    setup();
    text_init(&words);
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(slurm_script_read(folder, first, &words, &tasks));
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(slurm_script_read(folder, second, &words, &tasks));
    ck_assert_str_ne(first, second);
    text_clear(&words);
    teardown();
}
END_TEST

START_TEST(options_that_would_lose_the_job_are_refused)
{
    static const char *const bad[] = {"--array=1-3",  "-a1-3",    "-Jname",
                                      "--requeue",    "--wrap=x", "-o/dev/null",
                                      "--export=NONE"};
    static const char *const good[] = {"--exclusive", "--nodes=2", "-N2",
                                       "--ntasks-per-node=1",
                                       "--mail-type=END"};
    struct job_option o = {"options", NULL};
    struct err e;

    setup();
    job.options = &o;
    job.n_options = 1;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        o.value = bad[i];
        ck_assert_msg(slurm_script_check(&job, &e) == -1, "%s", bad[i]);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        o.value = good[i];
        ck_assert_msg(slurm_script_check(&job, &e) == 0, "%s", good[i]);
    }
    replica.image = "docker.io/library/busybox";
    ck_assert_int_eq(slurm_script_check(&job, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "busybox"));
    teardown();
}
END_TEST

/* ---- folders that the nodes do not see ---- */

static struct job_option apart_options[] = {{"shared", "false"},
                                            {"courier", NULL}};
static char apart_folder[80], courier[80], tmp[80];

/* A courier that says what it was started with, waits for the end, and ends
 * with $SENT. */
static const char courier_text[] =
    "#!/bin/sh\necho \"$@\" >\"$2/said\"\n"
    "until [ -e \"$2/courier.end\" ]; do sleep 0.05; done\n"
    "cp \"$2\"/*.log \"$2/said\" \"$OUT\"\nexit ${SENT:-0}\n";

/* The trial's folder is FOLDER/3 and the node's TMPDIR is FOLDER/tmp; what the
 * courier saw comes to FOLDER. */
static void setup_apart(void)
{
    static char *words[] = {"sh", "-c", "echo \"$1 $AT\"; exit ${EXIT:-0}",
                            "sh", NULL, NULL};
    static char *variables[] = {"HYPERTUNE_REPORT_TOKEN=t", NULL, NULL};
    static char word[160], variable[160];
    FILE *f;

    setup();
    snprintf(apart_folder, sizeof apart_folder, "%s/3/1", folder);
    snprintf(courier, sizeof courier, "%s/courier", folder);
    snprintf(tmp, sizeof tmp, "%s/tmp", folder);
    snprintf(word, sizeof word, "%s/a", apart_folder);
    snprintf(variable, sizeof variable, "AT=x:%s/3/b:%s/33", folder, folder);
    words[4] = word;
    variables[1] = variable;
    f = fopen(courier, "we");
    ck_assert_ptr_nonnull(f);
    ck_assert_int_ge(fputs(courier_text, f), 0);
    ck_assert_int_eq(fclose(f) + chmod(courier, 0700) + mkdir(tmp, 0700), 0);
    apart_options[1].value = courier;
    job.folder = replica.folder = apart_folder;
    job.options = apart_options;
    job.n_options = 2;
    job.pattern = "acc={value}";
    job.lines_file = "m.jsonl";
    replica.argv = words;
    replica.environ_ = variables;
    setenv("TMPDIR", tmp, 1);
    setenv("OUT", folder, 1);
}

/* Writes the script where the other tests have it, and runs it there. */
static int run_apart(void)
{
    struct text text;
    char *path = mem_format("%s/slurm.sh", folder);
    FILE *f = fopen(path, "we");
    int rc;

    ck_assert_ptr_nonnull(f);
    text_init(&text);
    slurm_script_print(&text, &job, "hypertune-study-3-1-abc");
    ck_assert_int_ge(fputs(text_str(&text), f), 0);
    ck_assert_int_eq(fclose(f), 0);
    rc = run("sh");
    text_clear(&text);
    free(path);
    return rc;
}

static void teardown_apart(void)
{
    char *all = mem_format("rm -rf '%s'", folder);
    char *words[] = {"sh", "-c", all, NULL};
    pid_t pid = fork();
    int how;

    if (pid == 0) {
        execv("/bin/sh", words);
        _exit(99);
    }
    ck_assert_int_eq(waitpid(pid, &how, 0), pid);
    free(all);
    unsetenv("TMPDIR");
    unsetenv("OUT");
    unsetenv("SENT");
    unsetenv("EXIT");
}

static void is_in(const char *file, const char *wanted)
{
    char *got = read_file(file);

    ck_assert_msg(strcmp(got, wanted) == 0, "%s: %s, not %s", file, got,
                  wanted);
    free(got);
}

START_TEST(paths_of_the_folder_become_those_of_the_node)
{
    char *said = NULL;

    setup_apart();
    ck_assert_int_eq(run_apart(), 0);
    said = mem_format("%s/hypertune-study-3-1-abc/1/a x:%s/"
                      "hypertune-study-3-1-abc/b:%s/33\n",
                      tmp, tmp, folder);
    is_in("stdout.log", said);
    free(said);
    said = mem_format("courier %s/hypertune-study-3-1-abc/1 --pattern "
                      "acc={value} --lines //m.jsonl\n",
                      tmp);
    is_in("said", said);
    free(said);
    ck_assert_int_eq(run_apart(), SLURM_SCRIPT_SECOND); /* on that node */
    teardown_apart();
}
END_TEST

START_TEST(the_exit_status_says_what_files_cannot)
{
    setup_apart();
    setenv("EXIT", "7", 1);
    ck_assert_int_eq(run_apart(), 7);
    teardown_apart();
    setup_apart();
    setenv("EXIT", "114", 1); /* it is not what it would mean of us */
    ck_assert_int_eq(run_apart(), 1);
    teardown_apart();
    setup_apart();
    setenv("SENT", "4", 1);
    ck_assert_int_eq(run_apart(), SLURM_SCRIPT_UNSENT);
    teardown_apart();
    setup_apart();
    apart_options[1].value = "/no/such/courier";
    ck_assert_int_eq(run_apart(), SLURM_SCRIPT_NO_COURIER);
    teardown_apart();
    setup_apart();
    setenv("TMPDIR", "/no/such/folder", 1);
    ck_assert_int_eq(run_apart(), SLURM_SCRIPT_NO_FOLDER);
    teardown_apart();
    setup_apart();
    replica.workdir = "/no/such/folder";
    ck_assert_int_eq(run_apart(), 127);
    is_in("stderr.log", "hypertune: cannot enter the folder /no/such/folder "
                        "on node9\n");
    teardown_apart();
}
END_TEST

START_TEST(who_cannot_report_is_refused)
{
    char *none[] = {"HYPERTUNE_STUDY=s", NULL};
    struct job_replica two[2];
    struct err e;

    setup_apart();
    ck_assert_int_eq(slurm_script_check(&job, &e), 0);
    two[0] = two[1] = replica;
    job.replicas = two;
    job.n_replicas = 2;
    ck_assert_int_eq(slurm_script_check(&job, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "one process"));
    job.n_replicas = 1;
    two[0].environ_ = none;
    ck_assert_int_eq(slurm_script_check(&job, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "--listen"));
    teardown_apart();
}
END_TEST

START_TEST(a_script_says_that_its_folder_is_apart)
{
    struct err e;

    setup();
    ck_assert(!slurm_script_is_apart(folder));
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(!slurm_script_is_apart(folder));
    job.options = apart_options;
    job.n_options = 1;
    ck_assert_int_eq(slurm_script_write(&job, &e), 0);
    ck_assert(slurm_script_is_apart(folder));
    teardown();
}
END_TEST

SUITE("slurm/slurm_script", words_and_environment_survive_any_shell,
      a_claimed_folder_never_begins, setup_comes_first_and_prints_into_the_logs,
      a_module_that_is_not_there_refuses_the_job,
      what_the_study_says_is_what_sbatch_is_told,
      replicas_ask_for_the_most_that_one_of_them_needs,
      names_are_never_the_same, options_that_would_lose_the_job_are_refused,
      paths_of_the_folder_become_those_of_the_node,
      the_exit_status_says_what_files_cannot, who_cannot_report_is_refused,
      a_script_says_that_its_folder_is_apart)
