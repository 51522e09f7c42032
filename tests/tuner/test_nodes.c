/* Machines on which trials break that go well elsewhere are avoided. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/nodes.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

#define SLURM                                                                  \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\nlauncher: slurm\n"

static struct stage g;
static int64_t id;

static void begin(const char *yaml)
{
    stage_init(&g);
    stage_open(&g);
    id = stage_submit(&g, yaml);
}

static void end(void)
{
    ck_assert_str_eq(g.machine->fault, "");
    stage_clear(&g);
}

static struct stage_job *job_of(int trial, int attempt)
{
    char name[64];
    struct stage_job *job = NULL;

    snprintf(name, sizeof name, "s/%d/%d", trial, attempt);
    for (int i = 0; i < 70 && !(job = stage_job(&g, name)); i++)
        stage_pass(&g, 1000);
    ck_assert_msg(job != NULL, "%s never began", name);
    return job;
}

/* The trial runs there from now on. */
static struct stage_job *put_on(struct stage_job *job, const char *node)
{
    snprintf(job->node, sizeof job->node, "%s", node);
    return job;
}

static void break_on(struct stage_job *job, const char *node, const char *said)
{
    put_on(job, node);
    stage_print(job, "stderr.log", said);
    stage_end(&g, job, 1);
    stage_pass(&g, 10);
}

static void succeed_on(struct stage_job *job, const char *node)
{
    put_on(job, node);
    stage_report(job, "acc", 0.5, 1);
    stage_pass(&g, 20000);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

static const char *why(void)
{
    static char said[4000];
    struct text out;
    struct err e;

    text_init(&out);
    ck_assert_int_eq(engine_why(g.engine, id, 0, &out, &e), 0);
    snprintf(said, sizeof said, "%s", text_str(&out));
    text_clear(&out);
    return said;
}

static const char gpu[] = "no device found\n";

/* Trial 1 goes well on n1, and three after it break on n2. */
static void break_three(void)
{
    succeed_on(job_of(1, 1), "n1");
    for (int i = 2; i <= 4; i++)
        break_on(job_of(i, 1), "n2", gpu);
}

START_TEST(a_node_that_breaks_what_goes_well_elsewhere_is_avoided)
{
    begin(SLURM "trials: 50\nparallel: 1\nslurm: {exclude: n9}\n");
    break_three();
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_FAILED), 0);
    ck_assert_ptr_nonnull(strstr(why(), "node n2 is avoided"));
    ck_assert_ptr_nonnull(strstr(why(), "no device found"));
    for (int i = 2; i <= 4; i++) {
        struct stage_job *job = job_of(i, 2);

        ck_assert_str_eq(job->exclude, "n2,n9");
        succeed_on(job, "n1");
    }
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 4);
    end();
}
END_TEST

START_TEST(what_was_on_its_way_there_does_not_count_either)
{
    begin(SLURM "trials: 50\nparallel: 1\nmax_failed: 2\n");
    succeed_on(job_of(1, 1), "n1");
    for (int i = 2; i <= 4; i++)
        break_on(job_of(i, 1), "n2", gpu);
    for (int i = 2; i <= 3; i++)
        break_on(job_of(i, 2), "n2", gpu);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_FAILED), 0);
    end();
}
END_TEST

START_TEST(a_trial_that_lives_elsewhere_is_evidence_enough)
{
    begin(SLURM "trials: 50\nparallel: 2\n");
    put_on(job_of(1, 1), "n1");
    stage_pass(&g, 10);
    stage_pass(&g, 20000);
    stage_end(&g, job_of(2, 1), 1); /* nobody knows where that was */
    stage_pass(&g, 10);
    for (int i = 3; i <= 5; i++)
        break_on(job_of(i, 1), "n2", gpu);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_FAILED), 1);
    ck_assert_ptr_nonnull(strstr(why(), "node n2 is avoided"));
    end();
}
END_TEST

START_TEST(without_a_word_from_elsewhere_the_study_is_paused_instead)
{
    begin(SLURM "trials: 50\nparallel: 1\n");
    for (int i = 1; i <= 3; i++)
        break_on(job_of(i, 1), "n2", gpu);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_ptr_nonnull(strstr(stage_reason(&g, id), "all of them on n2"));
    ck_assert_ptr_null(strstr(why(), "is avoided"));
    end();
}
END_TEST

START_TEST(the_same_error_on_two_nodes_is_the_fault_of_neither)
{
    begin(SLURM "trials: 50\nparallel: 1\n");
    break_three();
    ck_assert_ptr_nonnull(strstr(why(), "node n2 is avoided"));
    break_on(job_of(2, 2), "n1", gpu);
    ck_assert_ptr_null(strstr(why(), "is avoided"));
    end();
}
END_TEST

START_TEST(a_success_in_between_clears_a_node)
{
    begin(SLURM "trials: 50\nparallel: 1\n");
    succeed_on(job_of(1, 1), "n1");
    break_on(job_of(2, 1), "n2", gpu);
    break_on(job_of(3, 1), "n2", gpu);
    succeed_on(job_of(4, 1), "n2");
    break_on(job_of(5, 1), "n2", gpu);
    ck_assert_ptr_null(strstr(why(), "is avoided"));
    ck_assert_int_eq(stage_count(&g, id, TRIAL_FAILED), 3);
    end();
}
END_TEST

START_TEST(a_node_is_forgiven_after_an_hour_and_by_resume)
{
    begin(SLURM "trials: 500\nparallel: 1\n");
    break_three();
    ck_assert_ptr_nonnull(strstr(why(), "node n2 is avoided"));
    ck_assert_int_eq(engine_resume(g.engine, id, &(struct err){0}), 0);
    ck_assert_ptr_null(strstr(why(), "is avoided"));
    succeed_on(job_of(2, 2), "n1");
    for (int i = 3; i <= 5; i++)
        break_on(job_of(i, i < 5 ? 2 : 1), "n3", "bus error\n");
    ck_assert_ptr_nonnull(strstr(why(), "node n3 is avoided"));
    stage_pass(&g, 3600001);
    ck_assert_ptr_null(strstr(why(), "is avoided"));
    end();
}
END_TEST

START_TEST(attempts_that_the_node_broke_are_given_back)
{
    begin("study: o\nmaximize: acc\nalgorithm: random\nparams:\n"
          "  x: 0 .. 1\nrun: ./train\nlauncher: slurm\ntrials: 5\n"
          "parallel: 1\n");
    put_on(stage_job(&g, "o/1/1"), "n1");
    stage_pass(&g, 10);
    stage_pass(&g, 20000);
    id = stage_submit(&g, SLURM "trials: 1\nretries: 2\n");
    for (int i = 1; i <= 3; i++)
        break_on(job_of(1, i), "n2", gpu);
    for (int i = 4; i <= 5; i++) /* all of its retries are there again */
        break_on(job_of(1, i), "n3", i == 4 ? "bad luck\n" : "worse\n");
    stage_report(job_of(1, 6), "acc", 0.5, 1);
    stage_end(&g, job_of(1, 6), 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    end();
}
END_TEST

SUITE_WITHIN(120, "tuner/nodes",
             a_node_that_breaks_what_goes_well_elsewhere_is_avoided,
             what_was_on_its_way_there_does_not_count_either,
             a_trial_that_lives_elsewhere_is_evidence_enough,
             without_a_word_from_elsewhere_the_study_is_paused_instead,
             the_same_error_on_two_nodes_is_the_fault_of_neither,
             a_success_in_between_clears_a_node,
             a_node_is_forgiven_after_an_hour_and_by_resume,
             attempts_that_the_node_broke_are_given_back)
