/* What the words of Slurm mean to a job. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "slurm/slurm_words.h"
#include "tests/lib/suite.h"

START_TEST(states_have_phases_and_blames)
{
    static const struct {
        const char *word;
        enum slurm_phase phase;
        enum launcher_blame blame;
    } cases[] = {
        {"PENDING", SLURM_WAITS, BLAME_NOBODY},
        {"CONFIGURING", SLURM_WAITS, BLAME_NOBODY},
        {"RUNNING", SLURM_RUNS, BLAME_NOBODY},
        {"SUSPENDED", SLURM_RUNS, BLAME_NOBODY},
        {"COMPLETING", SLURM_ENDING, BLAME_NOBODY},
        {"COMPLETED", SLURM_OVER, BLAME_NOBODY},
        {"FAILED", SLURM_OVER, BLAME_NOBODY},
        {"CANCELLED by 1000", SLURM_OVER, BLAME_PERSON},
        {"TIMEOUT", SLURM_OVER, BLAME_TIME_LIMIT},
        {"OUT_OF_MEMORY", SLURM_OVER, BLAME_MEMORY},
        {"PREEMPTED", SLURM_OVER, BLAME_PREEMPTED},
        {"NODE_FAIL", SLURM_OVER, BLAME_NODE},
        {"A_STATE_OF_TOMORROW", SLURM_RUNS, BLAME_NOBODY},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct slurm_state *s = slurm_words_state(cases[i].word);

        ck_assert_msg(s->phase == cases[i].phase, "%s", cases[i].word);
        ck_assert_msg(s->blame == cases[i].blame, "%s", cases[i].word);
    }
    ck_assert(slurm_words_state("BOOT_FAIL")->lost);
    ck_assert(!slurm_words_state("TIMEOUT")->lost);
}
END_TEST

START_TEST(a_row_is_cut_up_and_odd_ones_are_not)
{
    char good[] = "17|PENDING|Resources|n/a|hypertune-a-1-1-aabbccddee";
    char named[] = "38_4|RUNNING|None|n[1-2]|odd|name";
    char odd[] = "slurm_load_jobs error: Unable to contact slurm controller";
    char none[] = "|RUNNING|None|n1|x";
    struct slurm_row row;

    ck_assert(slurm_words_row(good, &row));
    ck_assert_int_eq(row.id, 17);
    ck_assert_int_eq(row.state->phase, SLURM_WAITS);
    ck_assert_str_eq(row.reason, "Resources");
    ck_assert_str_eq(row.node, "");
    ck_assert_str_eq(row.name, "hypertune-a-1-1-aabbccddee");
    ck_assert(slurm_words_row(named, &row));
    ck_assert_str_eq(row.reason, "");
    ck_assert_str_eq(row.name, "odd|name");
    ck_assert(!slurm_words_row(odd, &row));
    ck_assert(!slurm_words_row(none, &row));
}
END_TEST

static void waits(const char *reason, const char *has)
{
    struct text t;

    text_init(&t);
    slurm_words_waiting(&t, 9, reason);
    ck_assert_msg(strstr(text_str(&t), has) != NULL, "%s", text_str(&t));
    ck_assert_ptr_nonnull(strstr(text_str(&t), "job 9"));
    text_clear(&t);
}

START_TEST(reasons_to_wait_are_said_in_words_and_named)
{
    waits("Priority", "others come first (Priority)");
    waits("PartitionNodeLimit", "more nodes than its partition allows");
    waits("QOSMaxJobsPerUserLimit", "a limit of its QOS is reached");
    waits("ReqNodeNotAvail, UnavailableNodes:n1", "UnavailableNodes:n1");
    waits("Nodes required for job are DOWN, DRAINED or reserved for jobs in "
          "higher priority partitions",
          "nodes that it needs are down, drained or reserved (");
    waits("SomethingNew", "(SomethingNew)");
    waits("", "in Slurm's queue as job 9");
}
END_TEST

static void refused(const char *said, enum slurm_refusal is, const char *has)
{
    struct text t;

    text_init(&t);
    ck_assert_int_eq(slurm_words_refusal(said, &t), is);
    ck_assert_str_eq(text_str(&t), has);
    text_clear(&t);
}

START_TEST(refusals_are_passing_or_for_good)
{
    refused("sbatch: error: invalid partition specified: x\n"
            "sbatch: error: Batch job submission failed: Invalid partition "
            "name specified\n",
            SLURM_NEVER,
            "invalid partition specified: x; Batch job submission failed: "
            "Invalid partition name specified");
    refused("sbatch: error: Batch job submission failed: Unable to contact "
            "slurm controller (connect failure)\n",
            SLURM_AWAY,
            "Batch job submission failed: Unable to contact slurm controller "
            "(connect failure)");
    refused("sbatch: error: Batch job submission failed: Socket timed out on "
            "send/recv operation",
            SLURM_UNSURE,
            "Batch job submission failed: Socket timed out on send/recv "
            "operation");
    refused("sbatch: error: QOSMaxSubmitJobPerUserLimit\nsbatch: error: Batch "
            "job submission failed: Job violates accounting/QOS policy (job "
            "submit limit, user's size and/or time limits)\n",
            SLURM_LIMIT,
            "QOSMaxSubmitJobPerUserLimit; Batch job submission failed: Job "
            "violates accounting/QOS policy (job submit limit, user's size "
            "and/or time limits)");
    refused("sbatch: error: QOSMaxCpuPerJobLimit\nsbatch: error: Batch job "
            "submission failed: Job violates accounting/QOS policy\n",
            SLURM_NEVER,
            "QOSMaxCpuPerJobLimit; Batch job submission failed: Job violates "
            "accounting/QOS policy");
    refused("", SLURM_NEVER, "");
}
END_TEST

START_TEST(exit_codes_are_read_as_scontrol_prints_them)
{
    int code = 0;
    int number = 0;

    ck_assert(slurm_words_exit("7:0", &code, &number));
    ck_assert(code == 7 && number == 0);
    ck_assert(slurm_words_exit("0:9", &code, &number));
    ck_assert(code == -1 && number == 9);
    ck_assert(!slurm_words_exit("", &code, &number));
    ck_assert(!slurm_words_exit("7", &code, &number));
    ck_assert(!slurm_words_exit("7:", &code, &number));
    ck_assert(!slurm_words_exit("300:0", &code, &number));
}
END_TEST

START_TEST(values_are_found_by_whole_keys)
{
    static const char line[] = "JobId=3 JobName=a DerivedExitCode=1:0 "
                               "ExitCode=0:15 Reason=\n";
    char out[8];

    ck_assert(slurm_words_value(line, "ExitCode", out, sizeof out));
    ck_assert_str_eq(out, "0:15");
    ck_assert(slurm_words_value(line, "JobId", out, sizeof out));
    ck_assert_str_eq(out, "3");
    ck_assert(slurm_words_value(line, "Reason", out, sizeof out));
    ck_assert_str_eq(out, "");
    ck_assert(!slurm_words_value(line, "Job", out, sizeof out));
}
END_TEST

SUITE("slurm/slurm_words", states_have_phases_and_blames,
      a_row_is_cut_up_and_odd_ones_are_not,
      reasons_to_wait_are_said_in_words_and_named,
      refusals_are_passing_or_for_good,
      exit_codes_are_read_as_scontrol_prints_them,
      values_are_found_by_whole_keys)
