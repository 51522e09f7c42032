/* What trials/launcher.h promises, held against the containers' launcher with a
 * real engine: good trainers, what cannot be started, and ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/container/lib/rig.h"
#include "tests/lib/suite.h"

/* ---- good trainers ---- */

START_TEST(a_job_runs_in_its_image_and_ends_with_its_code)
{
    setup();
    start("s/1/1", "echo $MARK; pwd; ls /bin | wc -l; echo oops >&2;"
                   " echo report >$HYPERTUNE_REPORT_FILE; printf end; exit 3");
    ck_assert_int_eq(n_told, 0);
    wait_for(1, 1);
    ck_assert_int_eq(n_told, 2);
    ck_assert_int_eq(told[0].word, LAUNCHER_ALIVE);
    ck_assert_int_eq(expect_end("s/1/1", 3, 0)->blame, BLAME_NOBODY);
    ck_assert_int_lt(told[1].ran_ms, WAIT_MS);
    ck_assert_ptr_nonnull(
        strstr(file_of("s/1/1", "stdout.log"), "set here\n/\n"));
    ck_assert_ptr_nonnull(strstr(file_of("s/1/1", "stdout.log"), "\nend"));
    ck_assert_str_eq(file_of("s/1/1", "stderr.log"), "oops\n");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "report\n");
    teardown();
}
END_TEST

START_TEST(all_that_was_printed_is_there_when_the_end_is_told)
{
    setup();
    for (int i = 0; i < 4; i++) {
        char name[16];

        snprintf(name, sizeof name, "s/%d/1", i);
        start(name, "seq 1 20000; seq 1 100 >&2; printf last");
    }
    wait_for(4, 4);
    for (int i = 0; i < 4; i++) {
        char name[16];
        const char *at;

        snprintf(name, sizeof name, "s/%d/1", i);
        expect_end(name, 0, 0);
        at = file_of(name, "stdout.log");
        for (int k = 1; k <= 20000; k++, at++)
            ck_assert_msg(strtol(at, (char **)&at, 10) == k, "line %d", k);
        ck_assert_str_eq(at, "last");
    }
    teardown();
}
END_TEST

/* As when an engine leaves some out of what it sends meanwhile. */
START_TEST(lines_that_were_lost_on_the_way_are_there_in_the_end)
{
    setup();
    start("s/1/1", "log=${HYPERTUNE_REPORT_FILE%/*}/stdout.log;"
                   " seq 1 3; until grep -q 3 $log; do sleep 0.1; done;"
                   " printf '1\\n3\\n' >$log; echo 4");
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "1\n2\n3\n4\n");
    teardown();
}
END_TEST

START_TEST(words_stand_for_entrypoint_and_arguments)
{
    char *entry[] = {"echo", "from", NULL};
    char *none[] = {NULL};

    setup();
    /* The image has a command and no entrypoint: a shell without input. */
    start_with("s/1/1", (struct part){.argv = entry, .n_entry = 1}, NULL, NULL);
    start_with("s/2/1", (struct part){.argv = entry, .n_entry = 2}, NULL, NULL);
    start_with("s/3/1", (struct part){.argv = entry, .n_entry = 0}, NULL, NULL);
    start_with("s/4/1", (struct part){.argv = none}, NULL, NULL);
    wait_for(4, 4);
    for (int i = 1; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof name, "s/%d/1", i);
        expect_end(name, 0, 0);
        ck_assert_str_eq(file_of(name, "stdout.log"), i < 4 ? "from\n" : "");
    }
    teardown();
}
END_TEST

START_TEST(death_by_a_signal_is_told_as_such)
{
    setup();
    start("s/1/1", "kill -SEGV $$; sleep 5");
    wait_for(1, 1);
    expect_end("s/1/1", -1, SIGSEGV);
    teardown();
}
END_TEST

START_TEST(an_image_may_have_a_user_of_its_own)
{
    setup();
    start_with("s/1/1",
               (struct part){.script =
                                 "id -u; echo x >$HYPERTUNE_REPORT_FILE;"
                                 " mkdir ${HYPERTUNE_REPORT_FILE%/*/*}/c"},
               "user", "65534");
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "65534\n");
    ck_assert_str_eq(file_of("s/1/1", "reports"), "x\n");
    teardown();
}
END_TEST

START_TEST(a_folder_is_mounted_where_the_study_says)
{
    char *volume;

    setup();
    volume = mem_format("%s:/data:ro", root);
    start_with("s/1/1",
               (struct part){.script = "ls /data; touch /data/x || echo ro"},
               "volumes", volume);
    wait_for(1, 1);
    expect_end("s/1/1", 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "stdout.log"), "s\nro\n");
    free(volume);
    teardown();
}
END_TEST

/* ---- what cannot be started ---- */

START_TEST(a_missing_image_is_told_in_one_sentence)
{
    setup();
    start_with("s/1/1",
               (struct part){.image = "localhost/none:1", .script = "true"},
               NULL, NULL);
    wait_for(1, 0);
    expect_hopeless("s/1/1", "the image localhost/none:1 is not here");
    ck_assert_ptr_nonnull(
        strstr(last_of("s/1/1")->text, " pull localhost/none:1`"));
    ck_assert_int_eq(n_alive, 0);
    teardown();
}
END_TEST

START_TEST(an_image_that_cannot_be_pulled_is_told_with_the_reason)
{
    setup();
    start_with("s/1/1",
               (struct part){.image = "127.0.0.1:9/none:1", .script = "true"},
               "pull", "missing");
    start_with("s/2/1",
               (struct part){.image = "127.0.0.1:9/none:1", .script = "true"},
               "pull", "missing");
    wait_for(2, 0);
    ck_assert_int_eq(told[0].word, LAUNCHER_WAITING);
    ck_assert_str_eq(told[0].text, "pulling the image 127.0.0.1:9/none:1");
    expect_hopeless("s/1/1", "the image 127.0.0.1:9/none:1 cannot be pulled: ");
    expect_hopeless("s/2/1", "refused");
    teardown();
}
END_TEST

START_TEST(a_program_that_is_not_in_the_image_is_told)
{
    char *nosuch[] = {"nosuch", NULL};
    char *plain[] = {"/etc/passwd", NULL};

    setup();
    start_with("s/1/1", (struct part){.argv = nosuch}, NULL, NULL);
    start_with("s/2/1", (struct part){.argv = plain}, NULL, NULL);
    /* The program's own doing. */
    start("s/3/1", "nosuch");
    start("s/4/1", "exit 125");
    wait_for(4, 2);
    expect_hopeless("s/1/1", "nosuch");
    expect_hopeless("s/2/1", "/etc/passwd");
    ck_assert_ptr_nonnull(strstr(expect_end("s/3/1", 127, 0)->text, "127"));
    expect_end("s/4/1", 125, 0);
    teardown();
}
END_TEST

START_TEST(options_that_are_wrong_are_told)
{
    static const struct {
        const char *name, *value, *words;
    } rows[] = {{"volumes", "/no/such/folder:/x", "/no/such/folder"},
                {"volumes", "here", "HOST:CONTAINER"},
                {"pull", "always", "never or missing"},
                {"shm_size", "lots", "shm_size"},
                {"user", "nobodyhere", "nobodyhere"},
                {"network", "nosuchnet", "nosuchnet"},
                {"netwrok", "host", "did you mean network?"}};
    enum { ROWS = sizeof rows / sizeof rows[0] };
    char name[16];

    setup();
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        start_with(name, (struct part){.script = "true"}, rows[i].name,
                   rows[i].value);
    }
    wait_for(ROWS, 0);
    for (int i = 0; i < ROWS; i++) {
        snprintf(name, sizeof name, "s/%d/1", i);
        expect_hopeless(name, rows[i].words);
    }
    teardown();
}
END_TEST

/* ---- ending ---- */

START_TEST(a_trainer_that_listens_ends_when_asked)
{
    setup();
    start("s/1/1",
          "trap 'exit 5' TERM; echo ready; while :; do sleep 0.1; done");
    start("s/2/1", "sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    stop("s/1/1", false);
    stop("s/2/1", false);
    stop("unknown/1/1", false);
    wait_for(2, 2);
    expect_end("s/1/1", 5, 0);
    ck_assert_int_eq(expect_end("s/2/1", -1, SIGTERM)->blame, BLAME_NOBODY);
    teardown();
}
END_TEST

START_TEST(a_trainer_that_ignores_the_asking_is_killed_when_told)
{
    setup();
    start("s/1/1", "trap '' TERM; echo ready; while :; do sleep 0.1; done");
    wait_word("s/1/1", "stdout.log", "ready");
    stop("s/1/1", false);
    run_ms(300);
    ck_assert_int_eq(n_ended, 0);
    stop("s/1/1", true);
    wait_for(1, 1);
    ck_assert_int_eq(expect_end("s/1/1", -1, SIGKILL)->blame, BLAME_NOBODY);
    teardown();
}
END_TEST

START_TEST(a_job_told_to_end_before_it_runs_does_not_run)
{
    setup();
    start("s/1/1", "echo ran >$HYPERTUNE_REPORT_FILE; sleep 1000");
    stop("s/1/1", true);
    wait_for(1, 0);
    expect("s/1/1", LAUNCHER_LOST, 0, 0);
    ck_assert_str_eq(file_of("s/1/1", "reports"), "");
    teardown();
}
END_TEST

START_TEST(want_of_memory_is_told)
{
    static const char script[] = "x=a; while :; do x=$x$x$x$x; done";
    const char *limits = getenv("ENGINE_LIMITS");

    if (limits && strcmp(limits, "no") == 0)
        return; /* this engine lets a container have what it takes */
    setup();
    start_with("s/1/1", (struct part){.script = script, .memory = 24 << 20},
               NULL, NULL);
    wait_for(1, 1);
    ck_assert_int_eq(expect_end("s/1/1", -1, SIGKILL)->blame, BLAME_MEMORY);
    ck_assert_ptr_nonnull(strstr(last_of("s/1/1")->text, "24 MiB"));
    teardown();
}
END_TEST

/* podman may speak of a kill only after the end was seen: then it is a signal
 * like any other. */
static bool may_not_say_who(void)
{
    const char *name = getenv("ENGINE");

    return name && strcmp(name, "podman") == 0;
}

START_TEST(a_container_that_a_person_removes_is_lost)
{
    enum launcher_blame killed;

    setup();
    start("s/1/1", "echo ready; sleep 1000");
    start("s/2/1", "echo ready; sleep 1000");
    wait_word("s/1/1", "stdout.log", "ready");
    wait_word("s/2/1", "stdout.log", "ready");
    by_hand("DELETE", "s/1/1", "master-0", "?force=1");
    by_hand("POST", "s/2/1", "master-0", "/kill?signal=SIGKILL");
    wait_for(2, 2);
    ck_assert_int_eq(last_of("s/1/1")->blame, BLAME_PERSON);
    killed = expect_end("s/2/1", -1, SIGKILL)->blame;
    ck_assert(killed == BLAME_PERSON ||
              (killed == BLAME_NOBODY && may_not_say_who()));
    teardown();
}
END_TEST

SUITE_WITHIN(300, "container/promises",
             a_job_runs_in_its_image_and_ends_with_its_code,
             all_that_was_printed_is_there_when_the_end_is_told,
             lines_that_were_lost_on_the_way_are_there_in_the_end,
             words_stand_for_entrypoint_and_arguments,
             death_by_a_signal_is_told_as_such,
             an_image_may_have_a_user_of_its_own,
             a_folder_is_mounted_where_the_study_says,
             a_missing_image_is_told_in_one_sentence,
             an_image_that_cannot_be_pulled_is_told_with_the_reason,
             a_program_that_is_not_in_the_image_is_told,
             options_that_are_wrong_are_told,
             a_trainer_that_listens_ends_when_asked,
             a_trainer_that_ignores_the_asking_is_killed_when_told,
             a_job_told_to_end_before_it_runs_does_not_run,
             want_of_memory_is_told, a_container_that_a_person_removes_is_lost)
