/* The Slurm launcher on a real cluster whose nodes are killed, hang, or are
 * drained. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/slurm/lib/rig.h"

/* The name of the node where the only job runs; the caller frees. */
static char *node_of_job(void)
{
    char *name;

    ck_assert_int_eq(shell("squeue -h -t R -o %B | head -n 1 | tr -d '\n'"), 0);
    name = mem_copy_text(text_str(&said));
    ck_assert_str_ne(name, "");
    return name;
}

START_TEST(a_node_that_dies_loses_its_jobs_and_is_named)
{
    char *out;

    setup();
    start("fallen", "touch fallen/up; exec sleep 1000");
    await_file("fallen/up");
    wait_until(one_alive);
    out = node_of_job();
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

START_TEST(a_node_that_hangs_for_a_moment_costs_nothing)
{
    char *node;

    setup();
    start("hung", "touch hung/up; while ! [ -e hung/go ]; do sleep 0.1; done; "
                  "exit 3");
    await_file("hung/up");
    wait_until(one_alive);
    node = node_of_job();
    cluster("kill", node, "STOP");
    run_ms(2500);
    cluster("kill", node, "CONT");
    ck_assert_int_eq(last_words(), 0);
    touch("hung/go");
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(over()->exit_code, 3);
    ck_assert_int_eq(over()->blame, BLAME_NOBODY);
    free(node);
    teardown();
}
END_TEST

/* Whether that file of root has stopped growing. */
static bool is_quiet(const char *name)
{
    char *before = read_file(name);
    char *after;
    bool same;

    run_ms(1500);
    after = read_file(name);
    same = strcmp(before, after) == 0;
    free(before);
    free(after);
    return same;
}

START_TEST(a_node_that_hangs_is_given_up_and_its_job_ends_when_it_wakes)
{
    char *node;

    setup();
    start("stuck", "touch stuck/up; while :; do echo x; sleep 0.1; done");
    await_file("stuck/up");
    wait_until(one_alive);
    node = node_of_job();
    cluster("kill", node, "STOP");
    wait_until(one_over);
    ck_assert_int_eq(over()->word, LAUNCHER_LOST);
    ck_assert_int_eq(over()->blame, BLAME_NODE);
    ck_assert_str_eq(over()->node, node);
    cluster("kill", node, "CONT");
    for (int i = 0; !is_quiet("stuck/stdout.log"); i++)
        ck_assert_int_lt(i, 60);
    cluster("up", "", "");
    start("next", "exit 0");
    wait_until(two_over);
    ck_assert_int_eq(over()->word, LAUNCHER_ENDED);
    ck_assert_int_eq(last_words(), 2);
    free(node);
    teardown();
}
END_TEST

static void every_node(const char *state)
{
    char *line = mem_format("scontrol update nodename=\"$(sinfo -h -N -o %%N | "
                            "sort -u | paste -sd,)\" state=%s reason=test",
                            state);

    ck_assert_int_eq(shell(line), 0);
    free(line);
}

START_TEST(nodes_that_are_drained_end_nothing_and_are_named_as_the_reason)
{
    setup();
    start("runs", "touch runs/up; while ! [ -e runs/go ]; do sleep 0.1; done");
    await_file("runs/up");
    wait_until(one_alive);
    every_node("drain");
    start("waits", "exit 7");
    for (int i = 0; !strstr(told[n_told - 1].text, "drained"); i++) {
        ck_assert_int_lt(i, 600);
        run_ms(100);
    }
    ck_assert_int_eq(last_words(), 0);
    touch("runs/go");
    wait_until(one_over);
    ck_assert_str_eq(over()->name, "runs");
    ck_assert_int_eq(over()->exit_code, 0);
    every_node("resume");
    wait_until(two_over);
    ck_assert_int_eq(over()->exit_code, 7);
    teardown();
}
END_TEST

SUITE_WITHIN(280, "slurm/nodes",
             nodes_that_are_drained_end_nothing_and_are_named_as_the_reason,
             a_node_that_hangs_for_a_moment_costs_nothing,
             a_node_that_hangs_is_given_up_and_its_job_ends_when_it_wakes,
             a_node_that_dies_loses_its_jobs_and_is_named)
