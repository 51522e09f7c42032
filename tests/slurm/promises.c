/* What trials/launcher.h promises, held against the Slurm launcher on a real
 * cluster that is well. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "slurm/slurm_script.h"
#include "tests/lib/suite.h"
#include "tests/slurm/lib/rig.h"

static char *const no_environ[] = {NULL};

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

/* Makes SLURM_CONF another file in root, empty or a copy. */
static void configure(const char *how)
{
    static char conf[100];
    char *line = mem_format("%s \"$SLURM_CLUSTER/slurm.conf\" >%s/slurm.conf",
                            how, root);

    ck_assert_int_eq(shell(line), 0);
    free(line);
    snprintf(conf, sizeof conf, "%s/slurm.conf", root);
    setenv("SLURM_CONF", conf, 1);
}

START_TEST(without_a_cluster_the_study_is_told_what_is_missing)
{
    char *conf = mem_copy_text(getenv("SLURM_CONF"));

    setup();
    close_launcher();
    configure("true");
    open_launcher();
    for (int i = 0; i < 2; i++) { /* and after it was resumed */
        n_told = 0;
        start(i ? "again" : "none", "exit 0");
        wait_until(one_over);
        ck_assert_int_eq(over()->word, LAUNCHER_HOPELESS);
        ck_assert_ptr_nonnull(strstr(over()->text, "start hypertuned with "
                                                   "SLURM_CONF"));
        ck_assert_ptr_null(strstr(over()->text, "; "));
    }
    setenv("SLURM_CONF", conf, 1);
    free(conf);
    teardown();
}
END_TEST

/* As while it is written anew, or its file system is away. */
START_TEST(a_configuration_that_was_there_is_waited_for)
{
    char *conf = mem_copy_text(getenv("SLURM_CONF"));

    setup();
    close_launcher();
    configure("cat");
    open_launcher();
    start("before", "exit 0");
    wait_until(one_over);
    configure("true");
    start("after", "exit 4");
    wait_until(one_waits);
    run_ms(6000); /* longer than a cluster is looked for that never was */
    ck_assert_int_eq(last_words(), 1);
    ck_assert_ptr_nonnull(strstr(told[n_told - 1].text, "configuration file"));
    configure("cat");
    wait_until(two_over);
    ck_assert_int_eq(over()->exit_code, 4);
    setenv("SLURM_CONF", conf, 1);
    free(conf);
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

SUITE_WITHIN(280, "slurm/slurm", a_job_runs_with_what_it_was_given,
             every_end_is_told_as_it_was, ten_jobs_end_each_once,
             a_program_that_is_not_there_is_refused_with_its_node,
             what_slurm_refuses_is_hopeless_and_said_in_its_words,
             without_slurm_the_first_start_says_so,
             without_a_cluster_the_study_is_told_what_is_missing,
             a_configuration_that_was_there_is_waited_for,
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
             a_submission_of_which_nobody_heard_is_found_by_its_name)
