/* What trials hold of the machine: GPUs, processors and memory. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/hold.h"

#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

#define SPACE "maximize: acc\nalgorithm: random\nparams:\n  x: 0 .. 1\n"
#define STUDY(name) "study: " name "\n" SPACE "run: ./train\n"

static struct stage g;
static struct gpu four[] = {
    {(char *)"GPU-a", (char *)"", 0, 0},
    {(char *)"GPU-b", (char *)"", 0, 0},
    {(char *)"GPU-c", (char *)"", 0, 0},
    {(char *)"GPU-d", (char *)"", 0, 0},
};
static struct gpu by_index[] = {{(char *)"0", (char *)"", 0, 0},
                                {(char *)"1", (char *)"", 0, 0}};

static void begin_with(struct gpu *gpus, size_t n)
{
    stage_init(&g);
    g.gpus = (struct gpus){.items = gpus, .n = n};
    g.memory = (int64_t)8 << 30;
    stage_open(&g);
}

static void begin(void)
{
    begin_with(four, 4);
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

static void succeed(const char *name)
{
    struct stage_job *job = stage_job(&g, name);

    ck_assert_msg(job != NULL, "%s never began", name);
    stage_report(job, "acc", 0.5, 1);
    stage_end(&g, job, 0);
    stage_pass(&g, 10);
}

static const char *why(int64_t id, int64_t number)
{
    static char said[2000];
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

static void refused(const char *yaml, const char *sentence)
{
    struct engine_submitted out;
    struct faults f;
    struct err e = {0};

    faults_init(&f);
    ck_assert_int_eq(
        engine_submit(g.engine, yaml, strlen(yaml), "f", g.dir, &out, &f, &e),
        -1);
    ck_assert_uint_eq(f.n, 0);
    ck_assert_int_eq(e.code, ERR_INVALID);
    says(e.text, sentence);
    faults_clear(&f);
    engine_turn(g.engine);
}

/* ---- GPUs ---- */

START_TEST(each_trial_has_gpus_of_its_own)
{
    begin();
    stage_submit(&g, STUDY("s") "trials: 9\ngpus: 2\n");
    ck_assert_int_eq(g.machine->running, 2); /* as many as the GPUs allow */
    ck_assert_str_eq(stage_job(&g, "s/1/1")->gpus, "GPU-a,GPU-b");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->visible, "GPU-a,GPU-b");
    ck_assert_str_eq(stage_job(&g, "s/2/1")->gpus, "GPU-c,GPU-d");
    succeed("s/1/1");
    ck_assert_str_eq(stage_job(&g, "s/3/1")->gpus, "GPU-a,GPU-b");
    end();
}
END_TEST

START_TEST(all_replicas_of_a_trial_get_theirs_or_none)
{
    int64_t id;

    begin();
    stage_submit(&g, STUDY("one") "trials: 1\ngpus: 1\n");
    id = stage_submit(&g, STUDY("s") "trials: 9\nparallel: 2\ngpus: 1\n"
                                     "replicas: {worker: 2}\n");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->gpus, "GPU-b,GPU-c,GPU-d");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->visible, "GPU-b");
    ck_assert_int_eq(g.machine->running, 2);
    stage_pass(&g, 100);
    says(why(id, 2), "needs 3 GPUs, 0 are free; trial 1 of one holds GPU-a; "
                     "trial 1 of s holds GPU-b,GPU-c,GPU-d");
    says(why(id, 0), "waits: needs 3 GPUs");
    end();
}
END_TEST

START_TEST(a_replica_without_gpus_beside_others_sees_none)
{
    begin();
    stage_submit(&g, STUDY("s") "trials: 1\n"
                                "replicas: {worker: {count: 1, gpus: 2}}\n");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->gpus, "GPU-a,GPU-b");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->visible, "");
    end();
}
END_TEST

START_TEST(a_study_that_asks_for_no_gpus_is_told_nothing_of_them)
{
    begin();
    stage_submit(&g, STUDY("s") "trials: 1\n");
    ck_assert_str_eq(stage_job(&g, "s/1/1")->visible, "-");
    end();
}
END_TEST

START_TEST(an_index_is_given_where_no_uuid_is_known)
{
    begin_with(by_index, 2);
    stage_submit(&g, STUDY("s") "trials: 9\ngpus: 1\n");
    ck_assert_str_eq(stage_job(&g, "s/2/1")->visible, "1");
    end();
}
END_TEST

START_TEST(after_a_restart_the_same_gpus_are_held)
{
    begin();
    stage_submit(&g, STUDY("s") "trials: 9\nparallel: 3\ngpus: 1\n");
    ck_assert_int_eq(g.machine->running, 3);
    succeed("s/1/1"); /* GPU-a is the fourth's now */
    restart();
    stage_submit(&g, STUDY("t") "trials: 9\nparallel: 3\ngpus: 1\n");
    ck_assert_str_eq(stage_job(&g, "s/4/1")->gpus, "GPU-a");
    ck_assert_str_eq(stage_job(&g, "t/1/1")->gpus, "GPU-d");
    ck_assert_int_eq(g.machine->running, 4);
    end();
}
END_TEST

/* As a newer version may have written it. */
static void make_unreadable(void)
{
    char path[400];
    sqlite3 *db;

    snprintf(path, sizeof path, "%s/hypertune.db", g.dir);
    ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(db, "UPDATE study SET spec = '{\"new\": 1}'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
}

START_TEST(jobs_of_a_study_that_cannot_be_read_keep_their_gpus)
{
    int64_t id;

    begin();
    stage_submit(&g, STUDY("s") "trials: 9\nparallel: 3\ngpus: 1\n");
    succeed("s/2/1");
    stage_close(&g);
    make_unreadable();
    stage_open(&g);
    id = stage_submit(&g, STUDY("t") "trials: 9\nparallel: 3\ngpus: 1\n");
    ck_assert_str_eq(stage_job(&g, "t/1/1")->gpus, "GPU-d");
    ck_assert_ptr_null(stage_job(&g, "t/2/1"));
    says(why(id, 2), "studies that cannot be read hold GPU-a,GPU-c,GPU-b");
    end();
}
END_TEST

START_TEST(a_trial_that_is_stopping_still_holds_its_gpus)
{
    struct stage_job *job;
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY("s") "trials: 9\nparallel: 1\ngpus: 3\n");
    stage_submit(&g, STUDY("t") "trials: 9\nparallel: 1\ngpus: 3\n");
    ck_assert_int_eq(engine_stop_trial(g.engine, id, 1, &(struct err){0}), 0);
    stage_pass(&g, 100);
    ck_assert_ptr_null(stage_job(&g, "t/1/1"));
    job = stage_job(&g, "s/1/1");
    stage_end(&g, job, 143);
    stage_pass(&g, 10);
    ck_assert_ptr_nonnull(stage_job(&g, "t/1/1")); /* it has waited longer */
    end();
}
END_TEST

START_TEST(what_the_machine_has_not_is_refused_at_once)
{
    begin();
    refused(STUDY("s") "gpus: 5\n",
            "gpus: a trial needs 5, this machine has 4");
    refused(STUDY("s") "gpus: 2\nreplicas: {worker: 2}\n",
            "gpus: a trial needs 6, this machine has 4");
    refused(STUDY("s") "cpus: 4.5\n",
            "cpus: a trial needs 4.5, this machine has 4");
    refused(STUDY("s") "memory: 3G\nreplicas: {worker: 2}\n",
            "memory: a trial needs 9 GiB, this machine has 8 GiB");
    /* four times 2^62 bytes are not nothing */
    refused(STUDY("s") "memory: 4194304T\nreplicas: {worker: 3}\n",
            "memory: a trial needs 8.59e+09 GiB, this machine has 8 GiB");
    stage_submit(&g, STUDY("s") "gpus: 500\nlauncher: slurm\n");
    end();
}
END_TEST

/* ---- GPUs that others use ---- */

#define GIB ((int64_t)1 << 30)

static bool hangs;

static void look(void *ctx)
{
    struct stage *stage = ctx;

    if (!hangs)
        stage->gpus.looked = stage->machine->now_ms;
}

static void begin_looking(void)
{
    static struct gpu items[4];

    for (int i = 0; i < 4; i++) {
        items[i] = four[i];
        items[i].memory = 80 * GIB;
    }
    hangs = false;
    stage_init(&g);
    g.gpus = (struct gpus){.items = items, .n = 4};
    g.memory = 8 * GIB;
    g.look = look;
    stage_open(&g);
}

/* In steps, as the service has them. */
static void pass(int64_t ms)
{
    for (int64_t at = 0; at < ms; at += 100)
        stage_pass(&g, 100);
}

START_TEST(a_gpu_that_others_use_is_not_given_out)
{
    const char *said;

    begin_looking();
    g.gpus.items[0].used = 70 * GIB;
    g.gpus.items[1].used = 2 * GIB; /* little more than a desktop */
    stage_submit(&g, STUDY("s") "trials: 4\ngpus: 1\n");
    pass(200);
    ck_assert_int_eq(g.machine->running, 3);
    ck_assert_str_eq(stage_job(&g, "s/1/1")->gpus, "GPU-b");
    said = why(1, 4);
    says(said, "needs 1 GPU, 0 are free");
    says(said, "GPU-a has 10 GiB of 80 GiB free, and no trial of this "
               "service uses it");
    g.gpus.items[0].used = 0;
    pass(8000);
    ck_assert_int_eq(g.machine->running, 4);
    ck_assert_str_eq(stage_job(&g, "s/4/1")->gpus, "GPU-a");
    end();
}
END_TEST

START_TEST(what_a_trial_used_itself_keeps_nobody_from_its_gpu)
{
    begin_looking();
    stage_submit(&g, STUDY("s") "trials: 3\ngpus: 4\n");
    pass(200);
    ck_assert_int_eq(g.machine->running, 1);
    for (int i = 0; i < 4; i++)
        g.gpus.items[i].used = 79 * GIB;
    pass(20000); /* there are looks while the second waits */
    for (int i = 0; i < 4; i++)
        g.gpus.items[i].used = 0;
    succeed("s/1/1");
    pass(300);
    ck_assert_ptr_nonnull(stage_job(&g, "s/2/1"));
    end();
}
END_TEST

START_TEST(a_look_that_does_not_end_is_not_waited_for)
{
    begin_looking();
    hangs = true;
    stage_submit(&g, STUDY("s") "trials: 1\ngpus: 1\n");
    pass(200);
    ck_assert_int_eq(g.machine->running, 0);
    says(why(1, 1), "whether others use its GPUs is being looked at");
    pass(3000);
    ck_assert_int_eq(g.machine->running, 1);
    end();
}
END_TEST

/* ---- processors and memory ---- */

START_TEST(trials_do_not_ask_for_more_processors_than_there_are)
{
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY("s") "trials: 9\nparallel: 9\ncpus: 1.5\n");
    ck_assert_int_eq(g.machine->running, 2);
    stage_pass(&g, 100);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_PENDING), 1); /* and no more */
    says(why(id, 3), "needs 1.5 processors, 1 are free");
    succeed("s/1/1");
    ck_assert_int_eq(g.machine->running, 2);
    end();
}
END_TEST

START_TEST(trials_do_not_ask_for_more_memory_than_there_is)
{
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY("s") "trials: 9\nparallel: 9\nmemory: 3G\n");
    ck_assert_int_eq(g.machine->running, 2);
    says(why(id, 3), "needs 3 GiB of memory, 2 GiB are free");
    end();
}
END_TEST

/* ---- who comes first ---- */

START_TEST(what_is_short_of_one_thing_lets_others_pass)
{
    begin();
    stage_submit(&g, STUDY("big") "trials: 9\nparallel: 2\ngpus: 3\n");
    stage_submit(&g, STUDY("small") "trials: 2\nparallel: 1\ngpus: 1\n");
    ck_assert_ptr_nonnull(stage_job(&g, "small/1/1"));
    succeed("small/1/1");
    ck_assert_ptr_nonnull(stage_job(&g, "small/2/1"));
    end();
}
END_TEST

START_TEST(after_ten_minutes_what_becomes_free_is_kept_for_it)
{
    int64_t small;

    begin();
    small = stage_submit(&g, STUDY("small") "trials: 99\nparallel: 2\n"
                                            "gpus: 1\n");
    stage_submit(&g, STUDY("big") "trials: 1\nparallel: 1\ngpus: 4\n");
    succeed("small/1/1");
    ck_assert_ptr_nonnull(stage_job(&g, "small/3/1"));
    stage_pass(&g, HOLD_PASS_MS);
    succeed("small/2/1");
    ck_assert_ptr_null(stage_job(&g, "small/4/1"));
    says(why(small, 4), "what it needs is kept for");
    ck_assert_ptr_null(stage_job(&g, "big/1/1"));
    succeed("small/3/1");
    ck_assert_ptr_nonnull(stage_job(&g, "big/1/1"));
    succeed("big/1/1");
    ck_assert_ptr_nonnull(stage_job(&g, "small/4/1"));
    end();
}
END_TEST

START_TEST(one_that_only_wants_processors_passes_one_that_waits_for_gpus)
{
    begin();
    stage_submit(&g, STUDY("a") "trials: 9\nparallel: 1\ngpus: 4\n");
    stage_submit(&g, STUDY("b") "trials: 9\nparallel: 1\ngpus: 4\n");
    stage_pass(&g, HOLD_PASS_MS + 1000);
    stage_submit(&g, STUDY("c") "trials: 9\nparallel: 1\ncpus: 1\n");
    ck_assert_ptr_nonnull(stage_job(&g, "c/1/1"));
    end();
}
END_TEST

START_TEST(studies_take_turns)
{
    begin();
    stage_submit(&g, STUDY("a") "trials: 9\nparallel: 4\ngpus: 4\n");
    stage_submit(&g, STUDY("b") "trials: 9\nparallel: 4\ngpus: 4\n");
    stage_pass(&g, 10);
    succeed("a/1/1");
    succeed("a/2/1"); /* it has waited since before there was another study */
    succeed("b/1/1");
    succeed("a/3/1");
    succeed("b/2/1");
    end();
}
END_TEST

START_TEST(a_study_that_is_paused_keeps_nothing_from_others)
{
    int64_t big;

    begin();
    stage_submit(&g, STUDY("s") "trials: 9\nparallel: 1\ngpus: 1\n");
    big = stage_submit(&g, STUDY("big") "trials: 1\ngpus: 4\n");
    stage_submit(&g, STUDY("t") "trials: 9\nparallel: 4\ngpus: 1\n");
    stage_pass(&g, HOLD_PASS_MS + 1000);
    succeed("t/1/1");
    ck_assert_int_eq(g.machine->running, 3); /* one GPU is kept */
    ck_assert_int_eq(
        engine_pause(g.engine, big, false, "lunch", &(struct err){0}), 0);
    stage_pass(&g, 10);
    ck_assert_int_eq(g.machine->running, 4);
    end();
}
END_TEST

START_TEST(what_no_longer_fits_the_machine_says_so_and_blocks_nobody)
{
    int64_t id;

    begin();
    id = stage_submit(&g, STUDY("s") "trials: 9\nparallel: 1\ngpus: 4\n");
    stage_end(&g, stage_job(&g, "s/1/1"), 1);
    g.gpus.n = 2; /* two of them broke */
    restart();
    stage_pass(&g, HOLD_PASS_MS + 1000);
    says(why(id, 2), "gpus: a trial needs 4, this machine has 2");
    stage_submit(&g, STUDY("t") "trials: 9\nparallel: 2\ngpus: 1\n");
    ck_assert_int_eq(g.machine->running, 2);
    end();
}
END_TEST

START_TEST(a_client_that_asks_holds_nothing_of_the_machine)
{
    begin();
    stage_submit(&g, "study: asked\n" SPACE "trials: 9\n");
    stage_submit(&g, STUDY("s") "trials: 4\nparallel: 4\ngpus: 1\n");
    ck_assert_int_eq(g.machine->running, 4);
    end();
}
END_TEST

SUITE_WITHIN(120, "tuner/hold", a_gpu_that_others_use_is_not_given_out,
             what_a_trial_used_itself_keeps_nobody_from_its_gpu,
             a_look_that_does_not_end_is_not_waited_for,
             each_trial_has_gpus_of_its_own,
             all_replicas_of_a_trial_get_theirs_or_none,
             a_replica_without_gpus_beside_others_sees_none,
             a_study_that_asks_for_no_gpus_is_told_nothing_of_them,
             an_index_is_given_where_no_uuid_is_known,
             after_a_restart_the_same_gpus_are_held,
             jobs_of_a_study_that_cannot_be_read_keep_their_gpus,
             a_trial_that_is_stopping_still_holds_its_gpus,
             what_the_machine_has_not_is_refused_at_once,
             trials_do_not_ask_for_more_processors_than_there_are,
             trials_do_not_ask_for_more_memory_than_there_is,
             what_is_short_of_one_thing_lets_others_pass,
             after_ten_minutes_what_becomes_free_is_kept_for_it,
             one_that_only_wants_processors_passes_one_that_waits_for_gpus,
             studies_take_turns,
             a_study_that_is_paused_keeps_nothing_from_others,
             what_no_longer_fits_the_machine_says_so_and_blocks_nobody,
             a_client_that_asks_holds_nothing_of_the_machine)
