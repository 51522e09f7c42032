/* Every replica of a trial is heard, and a report counts once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/listen.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

#define CREW                                                                   \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\ntrials: 5\nparallel: 1\nreplicas: {worker: 2, ps: 1}\n"

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

static void restart(void)
{
    stage_close(&g);
    stage_open(&g);
    stage_pass(&g, 10);
}

/* The job as that replica of it sees it. */
static struct stage_job replica(const char *name)
{
    struct stage_job job = *stage_job(&g, "s/1/1");
    size_t n = strlen(job.folder);

    snprintf(job.folder + n, sizeof job.folder - n, "/%s", name);
    return job;
}

static void report(const char *name, double value, int64_t step)
{
    struct stage_job job = replica(name);

    stage_report(&job, "acc", value, step);
}

static struct heard {
    int n;
    double sum;
} heard;

static bool add(void *ctx, const struct report_row *row)
{
    (void)ctx;
    heard.n++;
    heard.sum += row->value;
    return true;
}

static void check_heard(int n, double sum)
{
    struct err e;

    heard = (struct heard){0};
    ck_assert_int_eq(store_report_list(g.store, id, 1, 0, add, NULL, &e), 0);
    ck_assert_int_eq(heard.n, n);
    ck_assert_double_eq_tol(heard.sum, sum, 1e-9);
}

START_TEST(every_replica_reports_into_the_same_curves)
{
    begin(CREW);
    stage_report(stage_job(&g, "s/1/1"), "acc", 1, 1);
    report("worker-0", 2, 1);
    report("worker-1", 4, 1);
    stage_pass(&g, 100);
    check_heard(3, 7);
    report("worker-1", 8, 2);
    stage_end(&g, stage_job(&g, "s/1/1"), 0);
    stage_pass(&g, 100);
    check_heard(4, 15);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_double_eq(stage_trial(&g, id, 1).value, 8);
    end();
}
END_TEST

START_TEST(a_parameter_server_has_nothing_to_report)
{
    begin(CREW);
    report("ps-0", 2, 1);
    stage_pass(&g, 100);
    check_heard(0, 0);
    end();
}
END_TEST

START_TEST(after_a_restart_a_report_of_a_worker_counts_once)
{
    begin(CREW);
    stage_report(stage_job(&g, "s/1/1"), "acc", 1, 1);
    report("worker-0", 2, 1);
    report("worker-1", 4, 1);
    stage_pass(&g, 100);
    restart();
    report("worker-1", 8, 2);
    stage_pass(&g, 100);
    restart();
    check_heard(4, 15);
    end();
}
END_TEST

START_TEST(a_pattern_reads_what_the_master_prints_only)
{
    struct stage_job worker;

    begin(CREW "metrics: {pattern: 'acc={value}'}\n");
    worker = replica("worker-0");
    stage_print(&worker, "stdout.log", "acc=4\n");
    stage_print(stage_job(&g, "s/1/1"), "stdout.log", "acc=1\n");
    stage_pass(&g, 100);
    check_heard(1, 1);
    end();
}
END_TEST

static char old_marks[2000];

static bool keep_marks(void *ctx, const struct attempt_row *row)
{
    (void)ctx;
    snprintf(old_marks, sizeof old_marks, "%s", row->marks);
    return true;
}

/* As a version wrote them that knew the master's folder only. */
static void forget_others(void)
{
    struct err e;
    char *others;

    ck_assert_int_eq(store_attempt_list(g.store, id, 1, keep_marks, NULL, &e),
                     0);
    others = strstr(old_marks, ",\"others\"");
    ck_assert_ptr_nonnull(others);
    snprintf(others, 2, "}");
    ck_assert_int_eq(store_begin(g.store, &e), 0);
    ck_assert_int_eq(store_attempt_marks(g.store, id, 1, 1, old_marks, 1, &e),
                     0);
    ck_assert_int_eq(store_commit(g.store, &e), 0);
}

START_TEST(marks_of_an_older_version_are_read_on)
{
    begin(CREW);
    stage_report(stage_job(&g, "s/1/1"), "acc", 1, 1);
    stage_pass(&g, 100);
    forget_others();
    restart();
    stage_report(stage_job(&g, "s/1/1"), "acc", 2, 2);
    report("worker-0", 4, 1);
    stage_pass(&g, 100);
    check_heard(3, 7);
    end();
}
END_TEST

/* ---- reports that are forwarded ---- */

#define APART                                                                  \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\ntrials: 5\nparallel: 1\nlauncher: slurm\n"                  \
    "slurm: {shared: false}\n"

/* The sender has numbered 1, 2, 4, 8 … and sends those from `from` to `to`. */
static struct engine_heard forward(const char *sender, int from, int to)
{
    struct report all[16];
    struct engine_batch batch = {.sender = sender,
                                 .from = from,
                                 .reports = all + from,
                                 .n = (size_t)(to - from)};
    struct engine_heard known;
    struct err e;

    for (int i = 0; i < 16; i++)
        all[i] = (struct report){"acc", 1 << i, i, 0};
    ck_assert_int_eq(engine_hear(g.engine, id, 1, &batch, &known, &e), 0);
    return known;
}

START_TEST(what_is_forwarded_twice_counts_once)
{
    begin(APART);
    ck_assert_int_eq(forward("master-0", 0, 3).next, 3);
    check_heard(3, 7);
    ck_assert_int_eq(forward("master-0", 0, 3).next, 3);
    ck_assert_int_eq(forward("master-0", 1, 4).next, 4);
    check_heard(4, 15);
    ck_assert_int_eq(forward("worker-0", 0, 1).next, 1);
    check_heard(5, 16);
    end();
}
END_TEST

START_TEST(what_comes_after_a_gap_waits_for_the_rest)
{
    begin(APART);
    ck_assert_int_eq(forward("master-0", 0, 1).next, 1);
    ck_assert_int_eq(forward("master-0", 3, 5).next, 1);
    check_heard(1, 1);
    ck_assert_int_eq(forward("master-0", 0, 5).next, 5);
    check_heard(5, 31);
    end();
}
END_TEST

START_TEST(what_senders_sent_is_known_after_a_restart)
{
    begin(APART);
    forward("master-0", 0, 3);
    forward("worker-0", 0, 2);
    stage_pass(&g, 10);
    restart();
    ck_assert_int_eq(forward("master-0", 0, 4).next, 4);
    ck_assert_int_eq(forward("worker-0", 0, 2).next, 2);
    check_heard(6, 15 + 3);
    end();
}
END_TEST

START_TEST(what_was_not_kept_is_taken_again)
{
    begin(APART);
    forward("master-0", 0, 2);
    stage_pass(&g, 10);
    forward("master-0", 0, 4);
    store_rollback(g.store); /* the service is killed before its commit */
    restart();
    check_heard(2, 3);
    ck_assert_int_eq(forward("master-0", 2, 4).next, 4);
    check_heard(4, 15);
    end();
}
END_TEST

START_TEST(of_a_folder_apart_nothing_is_followed)
{
    begin(APART);
    stage_report(stage_job(&g, "s/1/1"), "acc", 1, 1);
    stage_pass(&g, 100);
    check_heard(0, 0);
    forward("master-0", 0, 1);
    stage_end(&g, stage_job(&g, "s/1/1"), 0);
    stage_pass(&g, 100);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_double_eq(stage_trial(&g, id, 1).value, 1);
    end();
}
END_TEST

START_TEST(a_sender_is_told_when_its_trial_should_stop)
{
    struct err e;

    begin(APART);
    ck_assert(!forward("master-0", 0, 1).stop);
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &e), 0);
    ck_assert(forward("master-0", 1, 1).stop);
    end();
}
END_TEST

static void send_output(struct engine_batch batch, const char *text)
{
    struct engine_heard known;
    struct err e;

    batch.outputs[0] = text;
    ck_assert_int_eq(engine_hear(g.engine, id, 1, &batch, &known, &e), 0);
}

static void check_output(const char *wanted)
{
    struct text tail;

    text_init(&tail);
    listen_tail(stage_job(&g, "s/1/1")->folder, "stdout.log", &tail);
    ck_assert_str_eq(text_str(&tail), wanted);
    text_clear(&tail);
}

START_TEST(an_output_is_kept_where_the_folder_is_apart)
{
    begin(APART);
    send_output((struct engine_batch){.sender = "master-0"}, "bye\n");
    check_output("bye");
    send_output((struct engine_batch){.sender = "worker-7"}, "odd\n");
    check_output("bye");
    end();
    begin(CREW);
    stage_print(stage_job(&g, "s/1/1"), "stdout.log", "its own\n");
    send_output((struct engine_batch){.sender = "master-0"}, "bye\n");
    check_output("its own");
    end();
}
END_TEST

START_TEST(last_words_are_one_line_without_wide_blanks)
{
    begin(CREW);
    stage_print(stage_job(&g, "s/1/1"), "stdout.log",
                "gone\n  usage: train [-h]\n          [--lr LR]   \n"
                "train: error: no such  flag\n");
    check_output("usage: train [-h] | [--lr LR] | train: error: no such flag");
    end();
}
END_TEST

SUITE("tuner/listen", every_replica_reports_into_the_same_curves,
      a_parameter_server_has_nothing_to_report,
      after_a_restart_a_report_of_a_worker_counts_once,
      a_pattern_reads_what_the_master_prints_only,
      marks_of_an_older_version_are_read_on,
      what_is_forwarded_twice_counts_once,
      what_comes_after_a_gap_waits_for_the_rest,
      what_senders_sent_is_known_after_a_restart,
      what_was_not_kept_is_taken_again, of_a_folder_apart_nothing_is_followed,
      a_sender_is_told_when_its_trial_should_stop,
      an_output_is_kept_where_the_folder_is_apart,
      last_words_are_one_line_without_wide_blanks)
