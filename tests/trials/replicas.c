/* Jobs of several replicas with real processes: masters, workers that hang,
 * fail, end early or cannot run, and whose end a job's end is. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/trials/lib/rig.h"

#define PARTS(name, ...)                                                       \
    start_parts(name, (const struct part[]){__VA_ARGS__},                      \
                sizeof(const struct part[]){__VA_ARGS__} /                     \
                    sizeof(struct part))

#define FOREVER "while :; do sleep 0.02; done"
#define UNTIL(file) "until [ -s $JOB/" file " ]; do sleep 0.01; done; "

/* ---- all together ---- */

START_TEST(every_replica_has_its_own_folder_environment_and_group)
{
    pid_t groups[3];

    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "echo \"I am $ME\"; cut -d' ' -f5 /proc/$$/stat >group;" //
           UNTIL("worker-0/group") UNTIL("ps-0/group") "exit 3"},
          {.name = "worker-0",
           .script = "echo \"I am $ME\"; echo \"oops $ME\" >&2;"
                     "cut -d' ' -f5 /proc/$$/stat >group; sleep 1000"},
          {.name = "ps-0",
           .script = "pwd; cut -d' ' -f5 /proc/$$/stat >group; sleep 1000"});
    ck_assert_int_eq(n_told, 0);
    wait_for(1, 1);
    ck_assert_int_eq(n_told, 2);
    expect_end("1", 3, 0);
    ck_assert_str_eq(file_of("1", "stdout.log"), "I am master-0\n");
    ck_assert_str_eq(file_of("1", "worker-0/stdout.log"), "I am worker-0\n");
    ck_assert_str_eq(file_of("1", "worker-0/stderr.log"), "oops worker-0\n");
    ck_assert_ptr_nonnull(strstr(file_of("1", "ps-0/stdout.log"), "/1/ps-0\n"));
    groups[0] = pid_in("1", "group");
    groups[1] = pid_in("1", "worker-0/group");
    groups[2] = pid_in("1", "ps-0/group");
    ck_assert_int_ne(groups[0], groups[1]);
    ck_assert_int_ne(groups[1], groups[2]);
    for (int i = 0; i < 3; i++)
        ck_assert(!runs(groups[i]));
    teardown();
}
END_TEST

START_TEST(what_replicas_are_told_is_on_no_command_line)
{
    char path[64];
    char line[4096];
    ssize_t n;

    setup();
    PARTS("1", {.name = "master-0", .script = "sleep 1000 # a secret"},
          {.name = "worker-0", .script = "sleep 1000"});
    wait_for(0, 1);
    snprintf(path, sizeof path, "/proc/%d/cmdline", (int)shim_of("1"));
    n = proc_file(path, line, sizeof line);
    ck_assert_int_gt(n, 0);
    for (ssize_t i = 0; i < n - 1; i++)
        line[i] = line[i] ? line[i] : ' ';
    ck_assert_ptr_null(strstr(line, "secret"));
    ck_assert_ptr_null(strstr(line, "PATH"));
    ck_assert_ptr_nonnull(strstr(line, "/1"));
    stop("1", true);
    wait_for(1, 1);
    teardown();
}
END_TEST

START_TEST(thirty_jobs_of_four_leave_no_descriptor_and_no_child)
{
    char name[32];
    int probe[2];

    setup();
    probe[0] = dup(0);
    close(probe[0]);
    for (int i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "%d", i);
        PARTS(name, {.name = "master-0", .program = "true"},
              {.name = "worker-0", .program = "true"},
              {.name = "worker-1", .program = "true"},
              {.name = "ps-0", .script = "sleep 1000"});
        if (i >= 3)
            wait_for(i - 2, 0);
    }
    wait_for(30, 30);
    for (int i = 0; i < n_told; i++)
        ck_assert_int_eq(told[i].exit_code, 0);
    probe[1] = dup(0);
    close(probe[1]);
    ck_assert_int_eq(probe[1], probe[0]);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    teardown();
}
END_TEST

/* ---- whose end it is ---- */

START_TEST(the_masters_end_is_the_jobs_and_ends_those_who_hang)
{
    setup();
    PARTS(
        "1",
        {.name = "master-0",
         .script = UNTIL("worker-0/pid") UNTIL("worker-1/pid")
             UNTIL("worker-2/pid") "exit 0"},
        {.name = "worker-0",
         .script = "trap 'echo bye >bye; exit 1' TERM; echo $$ >pid;" FOREVER},
        {.name = "worker-1", .script = "echo $$ >pid; sleep 1000"},
        {.name = "worker-2", .script = "trap '' TERM; echo $$ >pid; " FOREVER});
    wait_for(1, 1);
    expect_end("1", 0, 0);
    ck_assert_str_eq(file_of("1", "worker-0/bye"), "bye\n");
    ck_assert(!runs(pid_in("1", "worker-1/pid")));
    ck_assert(!runs(pid_in("1", "worker-2/pid")));
    ck_assert(!is_left("1"));
    /* The run is the master's, without the wait for those who hang. */
    ck_assert_int_lt(last_of("1")->ran_ms, 5000);
    teardown();
}
END_TEST

START_TEST(a_replica_that_fails_fails_the_job)
{
    setup();
    PARTS("1", {.name = "master-0", .script = "echo $$ >pid; sleep 1000"},
          {.name = "worker-0", .script = "echo $$ >pid; sleep 1000"},
          {.name = "worker-1",
           .script = UNTIL("pid") UNTIL("worker-0/pid") "exit 3"});
    PARTS("2", {.name = "master-0", .script = "echo $$ >pid; sleep 1000"},
          {.name = "ps-0", .script = UNTIL("pid") "kill -SEGV $$"});
    wait_for(2, 2);
    expect_end_by("1", "worker-1", 3, 0);
    expect_end_by("2", "ps-0", -1, SIGSEGV);
    ck_assert(!runs(pid_in("1", "pid")));
    ck_assert(!runs(pid_in("1", "worker-0/pid")));
    ck_assert(!is_left("1"));
    ck_assert(!is_left("2"));
    teardown();
}
END_TEST

START_TEST(a_worker_that_ends_well_before_the_master_is_fine)
{
    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "until [ -e go ]; do sleep 0.01; done; exit 4"},
          {.name = "worker-0", .program = "true"},
          {.name = "worker-1", .script = "echo $$ >pid; exit 0"});
    wait_for(0, 1);
    while (runs(pid_in("1", "worker-1/pid")))
        run_ms(10);
    run_ms(100);
    ck_assert_int_eq(n_ended, 0);
    put_script("1/go", "", 0600);
    wait_for(1, 1);
    expect_end("1", 4, 0);
    teardown();
}
END_TEST

START_TEST(a_master_that_succeeds_outweighs_who_failed_with_its_leaving)
{
    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "until [ -e worker-0/failed ]; do :; done; exit 0"},
          {.name = "worker-0", .script = "echo >failed; exit 1"});
    wait_for(1, 1);
    expect_end("1", 0, 0);
    teardown();
}
END_TEST

START_TEST(a_master_that_fails_after_its_worker_does_not_hide_that)
{
    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "until [ -e worker-0/failed ]; do :; done;"
                     "sleep 0.1; exit 1"},
          {.name = "worker-0", .script = "echo >failed; kill -KILL $$"});
    wait_for(1, 1);
    expect_end_by("1", "worker-0", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(a_replica_that_cannot_run_refuses_the_whole_job)
{
    setup();
    PARTS("1", {.name = "master-0", .script = "echo up; sleep 1000"},
          {.name = "worker-0", .script = "setsid sleep 1000 & sleep 1000"},
          {.name = "worker-1", .program = "./train"});
    wait_for(1, 0);
    ck_assert_int_eq(n_told, 1);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_REFUSED);
    ck_assert_str_eq(last_of("1")->text,
                     "worker-1: cannot run ./train: No such file or directory");
    ck_assert(!is_left("1"));
    teardown();
}
END_TEST

START_TEST(a_replica_without_a_folder_or_words_is_refused)
{
    char *argv[] = {"true", NULL};
    char *none[] = {NULL};
    struct job_replica r[] = {
        {.name = "master-0", .argv = argv, .environ_ = none, .workdir = "/"},
        {.name = "worker-0",
         .folder = "/no/such/folder",
         .argv = argv,
         .environ_ = none,
         .workdir = "/"}};
    struct job job = {.name = "1", .replicas = r, .n_replicas = 2};
    char *folder;
    struct err e;

    setup();
    folder = folder_of("1");
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    job.folder = r[0].folder = folder;
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_REFUSED);
    ck_assert_ptr_nonnull(strstr(last_of("1")->text, "worker-0: cannot write"
                                                     " the logs in /no/such"));
    r[1].argv = none;
    job.name = "2";
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_str_eq(e.text, "there is no program for worker-0 to run");
    free(folder);
    teardown();
}
END_TEST

/* ---- told to end ---- */

START_TEST(all_who_listen_end_when_asked_and_the_master_has_the_word)
{
    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "trap '" UNTIL("worker-1/bye") "exit 5' TERM;"
                                                    "echo >up; " FOREVER},
          {.name = "worker-0", .script = "echo >up; sleep 1000"},
          {.name = "worker-1",
           .script = "trap 'echo x >bye; exit 1' TERM; echo >up; " FOREVER});
    wait_for(0, 1);
    file_of("1", "up");
    file_of("1", "worker-0/up");
    file_of("1", "worker-1/up");
    stop("1", false);
    wait_for(1, 1);
    expect_end("1", 5, 0);
    teardown();
}
END_TEST

START_TEST(all_who_ignore_it_are_killed_when_told)
{
    setup();
    PARTS("1",
          {.name = "master-0", .script = "trap '' TERM; echo >up; " FOREVER},
          {.name = "worker-0",
           .script = "setsid sh -c 'trap \"\" TERM HUP; echo $$ >daemon;"
                     " sleep 1000' & trap '' TERM; echo >up; " FOREVER});
    wait_for(0, 1);
    file_of("1", "up");
    pid_in("1", "worker-0/daemon");
    stop("1", false);
    run_ms(200);
    ck_assert_int_eq(n_ended, 0);
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", -1, SIGKILL);
    ck_assert(!runs(pid_in("1", "worker-0/daemon")));
    ck_assert(!is_left("1"));
    teardown();
}
END_TEST

START_TEST(those_left_over_are_killed_at_once_when_told)
{
    setup();
    PARTS("1", {.name = "master-0", .script = UNTIL("worker-0/up") "exit 0"},
          {.name = "worker-0",
           .script = "trap 'echo x >asked' TERM; echo x >up; " FOREVER});
    wait_for(0, 1);
    file_of("1", "worker-0/asked");
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", 0, 0);
    teardown();
}
END_TEST

/* ---- while nobody looks ---- */

START_TEST(a_killed_shim_takes_all_replicas_along)
{
    setup();
    PARTS("1",
          {.name = "master-0",
           .script = "trap '' TERM HUP; echo $$ >pid; " FOREVER},
          {.name = "worker-0",
           .script = "sleep 1000 & echo $! >below; echo $$ >pid; wait"},
          {.name = "worker-1",
           .script = "setsid setsid sleep 1000 & echo $! >pid; wait"});
    wait_for(0, 1);
    pid_in("1", "pid");
    pid_in("1", "worker-0/pid");
    pid_in("1", "worker-1/pid");
    launcher->type->close(launcher);
    kill(shim_of("1"), SIGKILL);
    launcher = opened();
    watch(launcher, "1");
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_LOST);
    ck_assert(!runs(pid_in("1", "pid")));
    ck_assert(!runs(pid_in("1", "worker-0/pid")));
    ck_assert(!runs(pid_in("1", "worker-0/below")));
    ck_assert(!is_left("1"));
    teardown();
}
END_TEST

START_TEST(a_failure_that_nobody_saw_is_told_with_its_replica)
{
    pid_t shim;

    setup();
    PARTS("1", {.name = "master-0", .script = "sleep 1000"},
          {.name = "evaluator-0",
           .script = "until [ -e go ]; do sleep 0.01; done; exit 9"});
    wait_for(0, 1);
    shim = shim_of("1");
    launcher->type->close(launcher);
    put_script("1/evaluator-0/go", "", 0600);
    while (runs(shim))
        usleep(10 * 1000);
    launcher = opened();
    watch(launcher, "1");
    wait_for(1, 2);
    expect_end_by("1", "evaluator-0", 9, 0);
    teardown();
}
END_TEST

START_TEST(a_job_of_several_started_twice_runs_once)
{
    setup();
    for (int i = 0; i < 2; i++)
        PARTS("1",
              {.name = "master-0",
               .script = "until [ -e go ]; do sleep 0.01; done; exit 0"},
              {.name = "worker-0", .script = "echo once; sleep 1000"});
    wait_for(0, 1);
    launcher->type->close(launcher);
    launcher = opened();
    PARTS("1", {.name = "master-0", .script = "exit 1"},
          {.name = "worker-0", .script = "echo twice"});
    wait_for(0, 2);
    file_of("1", "worker-0/stdout.log");
    put_script("1/go", "", 0600);
    wait_for(1, 2);
    expect_end("1", 0, 0);
    ck_assert_str_eq(file_of("1", "worker-0/stdout.log"), "once\n");
    teardown();
}
END_TEST

SUITE_WITHIN(240, "trials/replicas",
             every_replica_has_its_own_folder_environment_and_group,
             what_replicas_are_told_is_on_no_command_line,
             thirty_jobs_of_four_leave_no_descriptor_and_no_child,
             the_masters_end_is_the_jobs_and_ends_those_who_hang,
             a_replica_that_fails_fails_the_job,
             a_worker_that_ends_well_before_the_master_is_fine,
             a_master_that_succeeds_outweighs_who_failed_with_its_leaving,
             a_master_that_fails_after_its_worker_does_not_hide_that,
             a_replica_that_cannot_run_refuses_the_whole_job,
             a_replica_without_a_folder_or_words_is_refused,
             all_who_listen_end_when_asked_and_the_master_has_the_word,
             all_who_ignore_it_are_killed_when_told,
             those_left_over_are_killed_at_once_when_told,
             a_killed_shim_takes_all_replicas_along,
             a_failure_that_nobody_saw_is_told_with_its_replica,
             a_job_of_several_started_twice_runs_once)
