/* Whole studies on a pretended machine, while the service is ended without
 * warning between any two writes, the disk is full now and then, jobs break
 * and vanish, and a person pauses and resumes. At the end every promise is
 * checked. A failure prints its seed; HYPERTUNE_SIM_SEED=N runs that one,
 * HYPERTUNE_SIM_SEEDS=N that many. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

enum {
    TRIALS = 200,
    REPORTS = 3,
    CRASHED = 77,
    SEEDS = 12,
    MOST_LIVES = 3000,
    MOST_PASSES = 200000
};

/* Lives in shared memory: what the whole run has seen. */
struct run {
    uint64_t chance;
    int64_t writes_left; /* until the next crash */
    int lives, full_disks, breaks, vanishings, pauses;
    bool over;
};

static struct run *run;
static struct stage stage;

/* splitmix64: the simulation's own chance. */
static uint64_t draw(void)
{
    uint64_t z = (run->chance += 0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static bool happens(double p)
{
    return (double)(draw() >> 11) / 9007199254740992.0 < p;
}

/* ---- the wrapped write ---- */

int __real_sqlite3_step(sqlite3_stmt *stmt);
int __wrap_sqlite3_step(sqlite3_stmt *stmt);

int __wrap_sqlite3_step(sqlite3_stmt *stmt)
{
    if (!run)
        return __real_sqlite3_step(stmt);
    if (--run->writes_left <= 0)
        _exit(CRASHED); /* as kill -9 would */
    if (!sqlite3_stmt_readonly(stmt) && happens(0.0002)) {
        run->full_disks++;
        return SQLITE_FULL;
    }
    return __real_sqlite3_step(stmt);
}

/* ---- what jobs and people do ---- */

static const char study[] = "study: s\nmaximize: acc\nalgorithm: random\n"
                            "params:\n  x: 0 .. 1\n  k: int 1 .. 9\n"
                            "run: ./train\ntrials: 200\nparallel: 5\n"
                            "retries: 50\ngrace: 2s\nmax_failed: 1000\n";

/* The value that a trial's job reports depends on its number alone. */
static double value_of(int trial)
{
    return (double)((trial * 7919) % 1000) / 1000.0;
}

static int trial_of(const struct stage_job *job)
{
    return (int)strtol(job->name + strlen("s/"), NULL, 10);
}

static void job_lives(struct stage_job *job)
{
    if (job->asked_to_stop && happens(0.5)) {
        stage_end(&stage, job, 143);
    } else if (happens(0.01)) {
        run->vanishings++;
        stage_vanish(&stage, job);
    } else if (happens(0.02)) {
        run->breaks++;
        stage_end(&stage, job, 1);
    } else if (happens(0.3)) {
        for (int i = 1; i <= REPORTS; i++)
            stage_report(job, "acc", value_of(trial_of(job)), i);
        stage_end(&stage, job, 0);
    }
}

static void people_act(int64_t id)
{
    struct err e;

    if (stage_study_state(&stage, id) == STUDY_PAUSED) {
        if (happens(0.2))
            engine_resume(stage.engine, id, &e);
    } else if (happens(0.004)) {
        run->pauses++;
        engine_pause(stage.engine, id, happens(0.5), "sim", &e);
    }
}

/* One life of the service, until the study is over or it is ended. */
static void live(void)
{
    struct engine_submitted out;
    struct faults f;
    struct err e;

    stage_open(&stage);
    faults_init(&f);
    /* as `hypertune run` does after every crash; the disk may be full */
    while (engine_submit(stage.engine, study, strlen(study), "s", stage.dir,
                         &out, &f, &e))
        stage_pass(&stage, 1100);
    for (int i = 0; i < MOST_PASSES; i++) {
        struct stage_machine *m = stage.machine;

        stage_pass(&stage, 50 + (int64_t)(draw() % 400));
        for (int k = 0; k < m->n_jobs; k++)
            if (m->jobs[k].state == STAGE_RUNNING)
                job_lives(&m->jobs[k]);
        if (store_study_find(stage.store, "s", &out.id, &e)) {
            /* the very first write was undone by a full disk */
            engine_submit(stage.engine, study, strlen(study), "s", stage.dir,
                          &out, &f, &e);
            continue;
        }
        people_act(out.id);
        if (study_state_ended(stage_study_state(&stage, out.id))) {
            run->over = true;
            break;
        }
    }
    stage_close(&stage);
    _exit(0);
}

/* ---- the promises ---- */

struct seen {
    int trials, reports;
    int64_t number;
    int attempt;
};

static bool count_report(void *ctx, const struct report_row *row)
{
    struct seen *seen = ctx;

    ck_assert(row->value == value_of((int)row->number));
    seen->reports += row->attempt == seen->attempt;
    return true;
}

static bool check_trial(void *ctx, const struct trial_row *row)
{
    struct seen *seen = ctx;
    struct seen reports = {.number = row->number, .attempt = row->attempt};
    struct err e;

    seen->trials++;
    ck_assert_int_eq(row->number, seen->trials);
    ck_assert_msg(trial_state_ended(row->state), "trial %lld is %s",
                  (long long)row->number, trial_state_name(row->state));
    if (row->state != TRIAL_SUCCEEDED)
        return true;
    ck_assert(row->has_value && row->value == value_of((int)row->number));
    ck_assert_int_eq(store_report_list(stage.store, row->study_id, row->number,
                                       0, count_report, &reports, &e),
                     0);
    ck_assert_int_eq(reports.reports, REPORTS);
    return true;
}

static void check_promises(void)
{
    struct trial_filter all = {0};
    struct seen seen = {0};
    struct err e;
    int64_t id;

    ck_assert_str_eq(stage.machine->fault, "");
    ck_assert_int_eq(stage.machine->running, 0);
    ck_assert_int_le(stage.machine->most_running, 5);
    stage_open(&stage);
    ck_assert_int_eq(store_study_find(stage.store, "s", &id, &e), 0);
    ck_assert_int_eq(stage_study_state(&stage, id), STUDY_SUCCEEDED);
    ck_assert_int_eq(
        store_trial_list(stage.store, id, &all, check_trial, &seen, &e), 0);
    ck_assert_int_eq(seen.trials, stage_count(&stage, id, TRIAL_SUCCEEDED) +
                                      stage_count(&stage, id, TRIAL_FAILED));
    ck_assert_int_eq(stage_count(&stage, id, TRIAL_SUCCEEDED), TRIALS);
    for (int i = 0; i < stage.machine->n_jobs; i++)
        ck_assert_int_eq(stage.machine->jobs[i].starts, 1);
    stage_close(&stage);
}

static void simulate(uint64_t seed)
{
    struct run *shared = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(shared, MAP_FAILED);
    memset(shared, 0, sizeof *shared);
    shared->chance = seed;
    stage_init(&stage);
    while (!shared->over) {
        int status;
        pid_t child;

        ck_assert_msg(++shared->lives < MOST_LIVES, "seed %llu never ends",
                      (unsigned long long)seed);
        child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0) {
            run = shared;
            run->writes_left = 1 + (int64_t)(draw() % 700);
            live();
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
                                            WEXITSTATUS(status) == CRASHED),
                      "seed %llu: the service died (status %d) in life %d",
                      (unsigned long long)seed, status, shared->lives);
    }
    printf("seed %llu: %d lives, %d full disks, %d breaks, %d vanishings, "
           "%d pauses, %d jobs\n",
           (unsigned long long)seed, shared->lives, shared->full_disks,
           shared->breaks, shared->vanishings, shared->pauses,
           stage.machine->n_jobs);
    check_promises();
    stage_clear(&stage);
    munmap(shared, sizeof *shared);
}

START_TEST(no_trial_is_lost_or_run_twice_whenever_the_service_is_ended)
{
    const char *one = getenv("HYPERTUNE_SIM_SEED");
    const char *many = getenv("HYPERTUNE_SIM_SEEDS");
    uint64_t n = many ? strtoull(many, NULL, 10) : SEEDS;

    if (one) {
        simulate(strtoull(one, NULL, 10));
        return;
    }
    for (uint64_t seed = 1; seed <= n; seed++) {
        printf("seed %llu (HYPERTUNE_SIM_SEED=%llu repeats it)\n",
               (unsigned long long)seed, (unsigned long long)seed);
        fflush(stdout);
        simulate(seed);
    }
}
END_TEST

SUITE_WITHIN(580, "sim/crashes",
             no_trial_is_lost_or_run_twice_whenever_the_service_is_ended)
