/* What becomes of trials whose attempts break, row by row of the policy. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/policy.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

#define RANDOM                                                                 \
    "study: s\nmaximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"       \
    "run: ./train\n"
#define ONE RANDOM "trials: 50\nparallel: 1\n"
#define LONG_MS 20000 /* longer than what breaks at once */

static struct stage g;

static void begin(void)
{
    stage_init(&g);
    stage_open(&g);
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

/* The whole answer of `why`; until the next call. */
static const char *why(int64_t id, int64_t number)
{
    static char said[4000];
    struct text out;
    struct err e;

    text_init(&out);
    ck_assert_int_eq(engine_why(g.engine, id, number, &out, &e), 0);
    snprintf(said, sizeof said, "%s", text_str(&out));
    text_clear(&out);
    return said;
}

static void says(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" lacks \"%s\"", text,
                  part);
}

static void says_not(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "\"%s\" has \"%s\"", text, part);
}

/* The job of the trial's attempt, once it runs. */
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

static void succeed(struct stage_job *job)
{
    stage_report(job, "acc", 0.5, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

/* ---- the table ---- */

static void blame_own(struct stage_job *job)
{
    stage_end(&g, job, 1);
}

static void blame_memory(struct stage_job *job)
{
    stage_blame(&g, job, BLAME_MEMORY);
}

static void blame_node(struct stage_job *job)
{
    stage_blame(&g, job, BLAME_NODE);
}

static void blame_time_limit(struct stage_job *job)
{
    stage_blame(&g, job, BLAME_TIME_LIMIT);
}

static void blame_preempted(struct stage_job *job)
{
    stage_blame(&g, job, BLAME_PREEMPTED);
}

static void blame_person(struct stage_job *job)
{
    stage_blame(&g, job, BLAME_PERSON);
}

static void lose(struct stage_job *job)
{
    stage_vanish(&g, job);
}

/* Each class: how it comes about, how many attempts there are in all where
 * `retries` is 2, and what the trial is then. */
static const struct row {
    enum policy_class class;
    void (*happen)(struct stage_job *job);
    int attempts;
    enum trial_state ends;
    enum trial_reason reason;
    const char *detail;
} rows[] = {
    {POLICY_OWN, blame_own, 3, TRIAL_FAILED, REASON_EXIT, "exit 1 on n1"},
    {POLICY_MEMORY, blame_memory, 1, TRIAL_INFEASIBLE, REASON_SIGNAL,
     "out of memory on n1"},
    {POLICY_NODE, blame_node, 11, TRIAL_FAILED, REASON_LOST,
     "its machine failed on n1"},
    {POLICY_TIME_LIMIT, blame_time_limit, 1, TRIAL_STOPPED, REASON_DEADLINE,
     "the launcher's time limit was reached on n1; it never reported acc"},
    {POLICY_PREEMPTED, blame_preempted, 101, TRIAL_FAILED, REASON_LOST,
     "preempted on n1"},
    {POLICY_LOST, lose, 11, TRIAL_FAILED, REASON_LOST,
     "its process vanished without a trace on n1"},
    {POLICY_PERSON, blame_person, 1, TRIAL_STOPPED, REASON_USER,
     "ended by a person, outside of Hypertune on n1"},
};

static bool check_blame(void *ctx, const struct attempt_row *row)
{
    const struct row *r = ctx;

    ck_assert_str_eq(row->blame, policy_of(r->class)->name);
    ck_assert_str_eq(row->node, "n1");
    ck_assert_int_gt(row->ended_ms, 0);
    return true;
}

static void play(const struct row *r)
{
    struct stage_trial t;
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nretries: 2\n");
    for (int attempt = 1; attempt <= r->attempts; attempt++) {
        struct stage_job *job = job_of(1, attempt);

        snprintf(job->node, sizeof job->node, "n1");
        stage_pass(&g, LONG_MS);
        r->happen(job);
        stage_pass(&g, 10);
        if (attempt % 4 == 2)
            restart(); /* how often it was is not forgotten */
    }
    t = stage_trial(&g, id, 1);
    ck_assert_msg(t.state == r->ends, "%s: %s", r->detail,
                  trial_state_name(t.state));
    ck_assert_int_eq(t.reason, r->reason);
    ck_assert_str_eq(t.detail, r->detail);
    ck_assert_int_eq(
        store_attempt_list(g.store, id, 1, check_blame, (void *)r, &e), 0);
    end();
}

START_TEST(each_class_is_tried_again_as_often_as_the_table_says)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        play(&rows[i]);
}
END_TEST

START_TEST(the_names_of_the_classes_are_read_back)
{
    for (int i = 0; i < POLICY_CLASSES; i++) {
        enum policy_class c = POLICY_CLASSES;

        ck_assert(policy_read(policy_of((enum policy_class)i)->name, &c));
        ck_assert_int_eq(c, i);
    }
    ck_assert(!policy_read("", &(enum policy_class){0}));
}
END_TEST

START_TEST(what_does_not_count_leaves_the_retries_alone)
{
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 1\nretries: 1\n");
    stage_blame(&g, job_of(1, 1), BLAME_PREEMPTED);
    stage_blame(&g, job_of(1, 2), BLAME_NODE);
    stage_end(&g, job_of(1, 3), 1); /* the first that counts */
    succeed(job_of(1, 4));
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    end();
}
END_TEST

START_TEST(a_time_limit_of_the_launcher_keeps_the_value)
{
    struct stage_job *job;
    struct stage_trial t;
    int64_t id;

    begin();
    id = stage_submit(&g, ONE);
    job = job_of(1, 1);
    stage_report(job, "acc", 0.25, 3);
    stage_blame(&g, job, BLAME_TIME_LIMIT);
    stage_pass(&g, 10);
    t = stage_trial(&g, id, 1);
    ck_assert_int_eq(t.state, TRIAL_STOPPED);
    ck_assert(t.has_value && t.value == 0.25);
    end();
}
END_TEST

START_TEST(a_job_that_ends_in_the_queue_for_a_person_is_stopped)
{
    struct stage_job *job;
    int64_t id;

    begin();
    g.machine->queues = true;
    id = stage_submit(&g, ONE);
    job = job_of(1, 1);
    job->blame = BLAME_PERSON;
    job->state = STAGE_VANISHED; /* scancel, before it began */
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPED);
    ck_assert_int_eq(stage_trial(&g, id, 1).reason, REASON_USER);
    end();
}
END_TEST

START_TEST(three_that_a_person_ended_pause_the_study)
{
    int64_t id;

    begin();
    id = stage_submit(&g, ONE);
    for (int i = 1; i <= 3; i++) {
        stage_pass(&g, LONG_MS);
        stage_blame(&g, job_of(i, 1), BLAME_PERSON);
        stage_pass(&g, 10);
    }
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    says(stage_reason(&g, id), "ended by a person");
    end();
}
END_TEST

START_TEST(the_replica_that_broke_is_named_with_its_last_words)
{
    char folder[500];
    struct stage_job *job, other;
    int64_t id;

    begin();
    id = stage_submit(&g, ONE "replicas: {worker: 2}\n");
    job = job_of(1, 1);
    snprintf(job->replica, sizeof job->replica, "worker-1");
    snprintf(job->node, sizeof job->node, "n2");
    other = *job;
    snprintf(folder, sizeof folder, "%.300s/worker-1", job->folder);
    snprintf(other.folder, sizeof other.folder, "%.390s", folder);
    stage_print(&other, "stderr.log", "no such host\n");
    stage_print(job, "stderr.log", "all is well\n");
    stage_end(&g, job, 3);
    stage_pass(&g, 10);
    ck_assert_str_eq(stage_trial(&g, id, 1).detail,
                     "worker-1: exit 3 on n2: no such host");
    end();
}
END_TEST

/* ---- memory ---- */

START_TEST(out_of_memory_beside_others_is_tried_once_more_alone_and_last)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 2\n");
    stage_blame(&g, job_of(1, 1), BLAME_MEMORY);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_PENDING);
    for (int i = 2; i <= 4; i++) { /* the places are not left empty for it */
        job = job_of(i, 1);
        stage_pass(&g, 5000);
        ck_assert_ptr_null(stage_job(&g, "s/1/2"));
        if (i < 4)
            succeed(job);
    }
    says(why(id, 1), "waits until it can run alone");
    restart();
    says(why(id, 1), "waits until it can run alone");
    succeed(stage_job(&g, "s/4/1"));
    stage_pass(&g, 10);
    job = stage_job(&g, "s/1/2");
    ck_assert_ptr_nonnull(job);
    restart();
    stage_blame(&g, job, BLAME_MEMORY);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_INFEASIBLE);
    end();
}
END_TEST

START_TEST(nothing_of_other_studies_begins_beside_one_that_is_alone)
{
    int64_t id, other;

    begin();
    id = stage_submit(&g, RANDOM "trials: 2\nparallel: 2\n");
    stage_blame(&g, job_of(1, 1), BLAME_MEMORY);
    stage_pass(&g, 10);
    succeed(job_of(2, 1));
    stage_pass(&g, 2000);
    ck_assert_ptr_nonnull(stage_job(&g, "s/1/2"));
    other = stage_submit(&g, "study: o\nmaximize: acc\nalgorithm: random\n"
                             "params:\n  x: 0 .. 1\nrun: ./train\n"
                             "trials: 3\nparallel: 1\n");
    stage_pass(&g, 100);
    ck_assert_int_eq(g.machine->running, 1);
    says(why(other, 1), "trial 1 of s ran out of memory beside others and runs "
                        "alone now");
    succeed(stage_job(&g, "s/1/2"));
    stage_pass(&g, 100);
    ck_assert_ptr_nonnull(stage_job(&g, "o/1/1"));
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(out_of_memory_is_read_from_what_the_program_wrote)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, ONE "retries: 5\n");
    job = job_of(1, 1);
    stage_print(job, "stderr.log",
                "torch.OutOfMemoryError: CUDA out of memory. Tried to "
                "allocate 20.00 GiB\n");
    stage_end(&g, job, 1);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_INFEASIBLE);
    says(stage_trial(&g, id, 1).detail, "out of memory: torch.OutOfMemory");
    end();
}
END_TEST

START_TEST(who_ran_into_his_own_limit_is_not_tried_alone)
{
    int64_t id;

    begin();
    g.memory = (int64_t)8 << 30;
    stage_close(&g);
    stage_open(&g);
    id = stage_submit(&g, RANDOM "trials: 4\nparallel: 2\nmemory: 1G\n");
    stage_blame(&g, job_of(1, 1), BLAME_MEMORY);
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_INFEASIBLE);
    end();
}
END_TEST

/* ---- what a launcher says of waiting and of hopelessness ---- */

static int n_warnings;

static bool count_warning(void *ctx, const struct event_row *row)
{
    (void)ctx;
    n_warnings += strcmp(row->kind, "warning") == 0;
    return true;
}

static int warnings(int64_t id)
{
    struct err e;

    n_warnings = 0;
    ck_assert_int_eq(
        store_event_list(g.store, id, 0, 0, count_warning, NULL, &e), 0);
    return n_warnings;
}

START_TEST(what_a_trial_waits_for_in_the_queue_is_said_and_told_once)
{
    struct stage_job *job;
    int64_t id;

    begin();
    g.machine->queues = true;
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 4\n");
    for (int i = 0; i < 20; i++)
        stage_pass(&g, 1000);
    says(why(id, 1), "trial 1 is LAUNCHING: it waits: in the queue: Priority");
    says(why(id, 0), "4 trials: waits: in the queue: Priority; first trial 1");
    ck_assert_int_eq(warnings(id), 1);
    job = stage_job(&g, "s/1/1");
    snprintf(job->text, sizeof job->text, "in the queue: Resources");
    stage_pass(&g, 1000);
    says(why(id, 1), "Resources");
    ck_assert_int_eq(warnings(id), 1); /* not more than one a minute */
    stage_begin(&g, job);
    stage_pass(&g, 1000);
    says_not(why(id, 1), "waits");
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_RUNNING);
    end();
}
END_TEST

START_TEST(a_hopeless_job_pauses_the_study_and_costs_no_attempt)
{
    int64_t id;

    begin();
    snprintf(g.machine->hopeless, sizeof g.machine->hopeless,
             "there is no image digits:1");
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 4\n");
    stage_pass(&g, 100);
    stage_pass(&g, 100);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_PAUSED);
    ck_assert_str_eq(stage_reason(&g, id),
                     "there is no image digits:1; mend it, then resume the "
                     "study");
    ck_assert_int_eq(stage_count(&g, id, TRIAL_PENDING), 4);
    says(why(id, 0), "no image digits:1");
    *g.machine->hopeless = '\0';
    restart();
    ck_assert_int_eq(engine_resume(g.engine, id, &(struct err){0}), 0);
    for (int i = 1; i <= 4; i++)
        succeed(job_of(i, 2));
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 4);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_ACTIVE);
    end();
}
END_TEST

static int n_told;

static bool count_told(void *ctx, const struct event_row *row)
{
    (void)ctx;
    n_told += strcmp(row->kind, "trial") == 0;
    return true;
}

START_TEST(of_the_trials_that_are_hopeless_only_the_first_is_told)
{
    struct err e;
    int64_t id;

    begin();
    snprintf(g.machine->hopeless, sizeof g.machine->hopeless, "no partition");
    id = stage_submit(&g, RANDOM "trials: 9\nparallel: 4\n");
    stage_pass(&g, 100);
    stage_pass(&g, 100);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_PENDING), 4);
    n_told = 0;
    ck_assert_int_eq(store_event_list(g.store, id, 0, 0, count_told, NULL, &e),
                     0);
    ck_assert_int_eq(n_told, 1);
    end();
}
END_TEST

START_TEST(errors_that_are_alike_are_said_once)
{
    int64_t id;
    const char *said;

    begin();
    id = stage_submit(&g, RANDOM "trials: 50\nparallel: 1\n");
    for (int i = 1; i <= 9; i++) {
        struct stage_job *job = job_of(i, 1);
        char line[100];

        snprintf(line, sizeof line, "%s %d\n",
                 i % 3 ? "ModuleNotFoundError: line" : "bus error at", i);
        stage_print(job, "stderr.log", line);
        stage_pass(&g, LONG_MS);
        stage_end(&g, job, 1);
        stage_pass(&g, 10);
    }
    said = why(id, 0);
    says(said, "6 trials: exit 1: ModuleNotFoundError: line 1; first trial 1");
    says(said, "3 trials: exit 1: bus error at 3; first trial 3");
    end();
}
END_TEST

SUITE_WITHIN(240, "tuner/policy",
             each_class_is_tried_again_as_often_as_the_table_says,
             the_names_of_the_classes_are_read_back,
             what_does_not_count_leaves_the_retries_alone,
             a_time_limit_of_the_launcher_keeps_the_value,
             a_job_that_ends_in_the_queue_for_a_person_is_stopped,
             three_that_a_person_ended_pause_the_study,
             the_replica_that_broke_is_named_with_its_last_words,
             out_of_memory_beside_others_is_tried_once_more_alone_and_last,
             nothing_of_other_studies_begins_beside_one_that_is_alone,
             out_of_memory_is_read_from_what_the_program_wrote,
             who_ran_into_his_own_limit_is_not_tried_alone,
             what_a_trial_waits_for_in_the_queue_is_said_and_told_once,
             a_hopeless_job_pauses_the_study_and_costs_no_attempt,
             of_the_trials_that_are_hopeless_only_the_first_is_told,
             errors_that_are_alike_are_said_once)
