/* The service's own life: its one place, its owner, its end without notice. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/service/lib/driven.h"

START_TEST(what_was_acknowledged_outlives_the_service)
{
    json_t *got;

    served_begin(&service);
    submit_driven();
    tell_trials();
    served_kill(&service);
    served_start(&service, 0);
    got = ask(200, "GET", "/api/studies/driven", NULL);
    ck_assert_str_eq(text(got, "state"), "ACTIVE");
    ck_assert_int_eq(whole(member(got, "best"), "number"), 2);
    ck_assert_int_eq(whole(member(got, "counts"), "RUNNING"), 1);
    json_decref(got);
    served_end(&service);
}
END_TEST

START_TEST(a_second_service_is_told_which_process_is_the_first)
{
    struct err e = {0};
    char pid[32];

    served_begin(&service);
    ck_assert_int_eq(served_run(service.dir, 0, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    snprintf(pid, sizeof pid, "%d", (int)service.pid);
    ck_assert_msg(strstr(e.text, pid) != NULL, "%s", e.text);
    just("GET", "/healthz", NULL);
    served_end(&service);
}
END_TEST

START_TEST(a_private_service_ends_after_its_owner)
{
    pid_t owner = fork();

    if (owner == 0) {
        pause();
        _exit(0);
    }
    served_make(&service);
    served_start(&service, owner);
    submit_driven();
    kill(owner, SIGKILL);
    waitpid(owner, NULL, 0);
    served_wait(&service);
}
END_TEST

START_TEST(a_state_directory_that_is_a_file_is_refused)
{
    char path[] = "/tmp/ht-file.XXXXXX";
    int fd = mkstemp(path);
    struct err e = {0};

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(served_run(path, 0, &e), -1);
    ck_assert_msg(strstr(e.text, path) != NULL, "%s", e.text);
    close(fd);
    unlink(path);
}
END_TEST

SUITE_WITHIN(240, "service/daemon", what_was_acknowledged_outlives_the_service,
             a_second_service_is_told_which_process_is_the_first,
             a_private_service_ends_after_its_owner,
             a_state_directory_that_is_a_file_is_refused)
