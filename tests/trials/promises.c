/* What trials/launcher.h promises, held against the local launcher with real
 * processes: good trainers, bad trainers, and programs that cannot run. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/trials/lib/rig.h"

/* ---- good trainers ---- */

START_TEST(a_job_runs_in_its_place_and_ends_with_its_code)
{
    setup();
    start("1", "echo \"$MARK $0\"; pwd; echo oops >&2; sleep 0.1; exit 3");
    ck_assert_int_eq(n_told, 0);
    wait_for(1, 1);
    ck_assert_int_eq(n_told, 2);
    ck_assert_int_eq(told[0].word, LAUNCHER_ALIVE);
    expect_end("1", 3, 0);
    ck_assert_int_ge(told[1].ran_ms, 90);
    ck_assert_int_lt(told[1].ran_ms, WAIT_MS);
    ck_assert_ptr_nonnull(strstr(file_of("1", "stdout.log"), "set here sh\n"));
    ck_assert_ptr_nonnull(strstr(file_of("1", "stdout.log"), "/1\n"));
    ck_assert_str_eq(file_of("1", "stderr.log"), "oops\n");
    teardown();
}
END_TEST

START_TEST(a_job_has_a_group_of_its_own_and_no_descriptor_of_ours)
{
    int leak;

    setup();
    leak = open("/dev/null", O_RDONLY); /* NOLINT: not close-on-exec */
    ck_assert_int_eq(dup2(leak, 77), 77);
    start("1", "ls /proc/self/fd | sort | tr '\\n' ' ' >fds; echo >>fds; "
               "cat </dev/stdin; cut -d' ' -f5,6 /proc/$$/stat >ids; echo $$");
    wait_for(1, 1);
    expect_end("1", 0, 0);
    ck_assert_str_eq(file_of("1", "fds"), "0 1 2 3 \n");
    /* The group is the command itself, the session its shim. */
    ck_assert_int_eq(pid_in("1", "ids"), pid_in("1", "stdout.log"));
    ck_assert_ptr_null(strstr(file_of("1", "ids"), "\n\n"));
    close(leak);
    close(77);
    teardown();
}
END_TEST

START_TEST(a_job_that_ends_at_once_was_alive_before_it_ended)
{
    char *argv[] = {"true", NULL};
    char name[32];
    struct err e;

    setup();
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, NULL, &e), 0);
        wait_for(i + 1, i + 1);
        ck_assert_int_eq(told[n_told - 2].word, LAUNCHER_ALIVE);
        expect_end(name, 0, 0);
    }
    teardown();
}
END_TEST

START_TEST(death_by_a_signal_is_told_as_such)
{
    setup();
    start("1", "kill -SEGV $$");
    start("2", "kill -KILL $$");
    wait_for(2, 2);
    expect_end("1", -1, SIGSEGV);
    expect_end("2", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(two_hundred_jobs_leave_no_descriptor_and_no_child)
{
    char *argv[] = {"true", NULL};
    char name[32];
    struct err e;
    int probe[2];

    setup();
    probe[0] = dup(0);
    close(probe[0]);
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, NULL, &e), 0);
        if (i >= 7)
            wait_for(i - 6, 0);
    }
    wait_for(200, 200);
    probe[1] = dup(0);
    close(probe[1]);
    ck_assert_int_eq(probe[1], probe[0]);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    teardown();
}
END_TEST

/* ---- what cannot be started ---- */

START_TEST(what_cannot_run_is_refused_with_the_reason)
{
    static const struct {
        const char *program, *workdir, *sentence;
    } rows[] = {
        {"./train", NULL, "cannot run ./train: No such file or directory"},
        {"no-such-program-here", NULL,
         "cannot run no-such-program-here: No such file or directory"},
        {"../plain", NULL, "cannot run ../plain: Permission denied"},
        {"../lone", NULL,
         "cannot run ../lone: the interpreter that it names is not there"},
        {"true", "/no/such/folder",
         "cannot enter the folder /no/such/folder: No such file or directory"},
    };
    char name[32];
    struct err e;

    setup();
    put_script("plain", "echo\n", 0600);
    put_script("lone", "#!/no/such/interpreter\n", 0700);
    for (int i = 0; i < 5; i++) {
        char *argv[] = {(char *)(uintptr_t)rows[i].program, NULL};

        snprintf(name, sizeof name, "%d", i);
        ck_assert_int_eq(start_argv(launcher, name, argv, rows[i].workdir, &e),
                         0);
        wait_for(i + 1, 0);
        ck_assert_int_eq(last_of(name)->word, LAUNCHER_REFUSED);
        ck_assert_str_eq(last_of(name)->text, rows[i].sentence);
    }
    ck_assert_int_eq(n_told, 5);
    teardown();
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_refused)
{
    char *argv[] = {"true", NULL};
    char *env[] = {NULL};
    struct job_replica master = {.name = "master-0",
                                 .folder = "/no/such/folder",
                                 .argv = argv,
                                 .environ_ = env,
                                 .workdir = "/"};
    struct job job = {.name = "1",
                      .folder = "/no/such/folder",
                      .replicas = &master,
                      .n_replicas = 1};
    struct err e;

    setup();
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), 0);
    wait_for(1, 0);
    ck_assert_int_eq(last_of("1")->word, LAUNCHER_REFUSED);
    ck_assert_ptr_nonnull(strstr(last_of("1")->text, "/no/such/folder"));
    argv[0] = NULL;
    job.name = "2";
    ck_assert_int_eq(launcher->type->start(launcher, &job, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    teardown();
}
END_TEST

START_TEST(a_missing_shim_is_found_at_once)
{
    struct launcher *l;
    struct err e;

    setup();
    ck_assert_int_eq(local_open(&l, loop, ports, "/no/shim", on_news, NULL, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    teardown();
}
END_TEST

/* ---- bad trainers ---- */

START_TEST(a_trainer_may_close_its_output)
{
    setup();
    start("1", "exec >&- 2>&- <&-; sleep 0.05; exit 4");
    wait_for(1, 1);
    expect_end("1", 4, 0);
    teardown();
}
END_TEST

START_TEST(a_trainer_that_listens_ends_when_asked)
{
    setup();
    start("1", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.02; done");
    start("2", "sleep 1000 & echo $! >child; wait; echo over");
    wait_for(0, 2);
    file_of("1", "stdout.log");
    stop("1", false);
    wait_for(1, 2);
    expect_end("1", 5, 0);
    pid_in("2", "child");
    stop("2", false);
    wait_for(2, 2);
    expect_end("2", -1, SIGTERM);
    ck_assert(!runs(pid_in("2", "child")));
    teardown();
}
END_TEST

START_TEST(a_trainer_that_ignores_the_asking_is_killed_when_told)
{
    setup();
    start("1", "trap '' TERM; echo ready; while :; do sleep 0.02; done");
    wait_for(0, 1);
    file_of("1", "stdout.log");
    stop("1", false);
    stop("unknown", true);
    run_ms(200);
    ck_assert_int_eq(n_ended, 0);
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(a_stopped_trainer_hears_that_it_shall_end)
{
    setup();
    start("1", "echo ready; kill -STOP $$; sleep 1000");
    wait_for(0, 1);
    file_of("1", "stdout.log");
    run_ms(50);
    stop("1", false);
    wait_for(1, 1);
    expect_end("1", -1, SIGTERM);
    teardown();
}
END_TEST

START_TEST(a_job_told_to_end_before_it_runs_still_ends)
{
    setup();
    start("1", "sleep 1000");
    stop("1", false);
    start("2", "trap '' TERM; sleep 1000");
    stop("2", true);
    wait_for(2, 2);
    expect_end("1", -1, SIGTERM);
    expect_end("2", -1, SIGKILL);
    teardown();
}
END_TEST

START_TEST(what_forked_away_ends_with_the_job)
{
    setup();
    start("1", "sleep 1000 & echo $! >child; exit 0");
    start("2", "setsid sh -c 'echo $$ >daemon; trap \"\" TERM HUP;"
               " sleep 1000 & echo $! >below; wait' >/dev/null 2>&1 &"
               " until [ -s below ]; do sleep 0.01; done; exit 6");
    wait_for(2, 2);
    expect_end("1", 0, 0);
    expect_end("2", 6, 0);
    ck_assert(!runs(pid_in("1", "child")));
    ck_assert(!runs(pid_in("2", "daemon")));
    ck_assert(!runs(pid_in("2", "below")));
    teardown();
}
END_TEST

START_TEST(killed_now_means_every_descendant)
{
    setup();
    start("1", "setsid sh -c 'trap \"\" TERM HUP; echo $$ >daemon;"
               " setsid sleep 1000 & echo $! >below; wait' &"
               " sleep 1000; echo never >never");
    wait_for(0, 1);
    pid_in("1", "below");
    stop("1", true);
    wait_for(1, 1);
    expect_end("1", -1, SIGKILL);
    ck_assert(!runs(pid_in("1", "daemon")));
    ck_assert(!runs(pid_in("1", "below")));
    teardown();
}
END_TEST

SUITE_WITHIN(240, "trials/promises",
             a_job_runs_in_its_place_and_ends_with_its_code,
             a_job_has_a_group_of_its_own_and_no_descriptor_of_ours,
             a_job_that_ends_at_once_was_alive_before_it_ended,
             death_by_a_signal_is_told_as_such,
             two_hundred_jobs_leave_no_descriptor_and_no_child,
             what_cannot_run_is_refused_with_the_reason,
             a_folder_that_is_not_there_is_refused,
             a_missing_shim_is_found_at_once, a_trainer_may_close_its_output,
             a_trainer_that_listens_ends_when_asked,
             a_trainer_that_ignores_the_asking_is_killed_when_told,
             a_stopped_trainer_hears_that_it_shall_end,
             a_job_told_to_end_before_it_runs_still_ends,
             what_forked_away_ends_with_the_job,
             killed_now_means_every_descendant)
