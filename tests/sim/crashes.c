/* Whole studies on a pretended machine, while the service is ended without
 * warning between any two writes, the disk is full now and then, jobs break,
 * hang and vanish, machines fail and have too few GPUs, clients ask and tell,
 * and people pause, stop, retry and cancel. After every life the counts are
 * checked, at the end every promise. A failure prints its seed;
 * HYPERTUNE_SIM_SEED=N runs that one, HYPERTUNE_SIM_SEEDS=N that many. */
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
    REPORTS = 3,
    CLIENTS = 3,
    MOST_TRIALS = 1000,
    CRASHED = 77,
    SEEDS = 30,
    MOST_LIVES = 3000,
    MOST_PASSES = 200000,
    GIVEN = 3,     /* trials that are put in at once */
    MOST_GIFTS = 9 /* how often */
};

/* What is played: a seed plays the one of its remainder. */
#define HEAD "study: s\nmaximize: acc\nparams:\n  x: 0 .. 1\n  k: int 1 .. 9\n"
#define RUN "run: ./train\nmax_failed: 1000\ngrace: 2s\n"
static const struct play {
    const char *yaml;
    int trials, parallel;
    bool slow;    /* the algorithm takes its time */
    bool asked;   /* clients carry the trials */
    bool stops;   /* people stop trials and retry failed ones */
    bool cancels; /* and cancel the study */
    bool gives;   /* and put in trials that were run elsewhere */
    bool fails;   /* the machines do: nodes, memory, preemption, queues, and
                     what is hopeless */
    int gpus;     /* of the machine */
    int hangs;    /* every so manyth trial never ends by itself */
    bool early; /* trials report step by step, and hopeless ones are stopped */
    int life;   /* steps of the store, at most */
} plays[] = {
    {.yaml = HEAD RUN "algorithm: random\ntrials: 200\nparallel: 5\n"
                      "retries: 50\n",
     .trials = 200,
     .parallel = 5,
     .gives = true,
     .life = 700},
    {.yaml = HEAD RUN "algorithm: random\ntrials: 100\nparallel: 6\n"
                      "retries: 1\ntrial_limit: 3s\n",
     .trials = 100,
     .parallel = 6,
     .stops = true,
     .hangs = 7,
     .life = 700},
    {.yaml = HEAD RUN "trials: 20\nparallel: 3\nretries: 2\n",
     .trials = 20,
     .parallel = 3,
     .slow = true,
     .stops = true,
     .life = 300},
    {.yaml = HEAD "algorithm: random\ntrials: 60\n",
     .trials = 60,
     .asked = true,
     .gives = true,
     .life = 300},
    {.yaml = HEAD "trials: 12\n",
     .trials = 12,
     .asked = true,
     .slow = true,
     .life = 200},
    {.yaml = HEAD RUN "algorithm: random\ntrials: 100\nparallel: 4\n",
     .trials = 100,
     .parallel = 4,
     .stops = true,
     .cancels = true,
     .hangs = 5,
     .life = 500},
    {.yaml = HEAD RUN "algorithm: random\ntrials: 60\nparallel: 5\n"
                      "retries: 50\nlauncher: slurm\n",
     .trials = 60,
     .parallel = 5,
     .fails = true,
     .life = 250},
    {.yaml = HEAD RUN "algorithm: random\ntrials: 60\nparallel: 6\n"
                      "retries: 50\ngpus: 2\n",
     .trials = 60,
     .parallel = 3, /* the GPUs allow no more */
     .stops = true,
     .fails = true,
     .gpus = 7,
     .life = 250},
    {.yaml = HEAD RUN "algorithm: random\ntrials: 60\nparallel: 4\n"
                      "retries: 50\nstop_early: median\n",
     .trials = 60,
     .parallel = 4,
     .early = true,
     .life = 700},
    {.yaml = HEAD RUN "trials: 25\nparallel: 3\nretries: 2\n"
                      "stop_early: asha after 1\n",
     .trials = 25,
     .parallel = 3,
     .slow = true,
     .stops = true,
     .early = true,
     .life = 600},
};
enum { PLAYS = sizeof plays / sizeof plays[0] };

/* Somebody who carries trials; outlives the service. */
struct client {
    int64_t holds; /* a trial, or 0 */
    bool waiting;  /* for the service that lives now */
    bool telling;
};

/* Lives in shared memory: what the whole run has seen. */
struct run {
    uint64_t chance;
    int64_t writes_left; /* until the next crash */
    int lives, full_disks, breaks, vanishings, pauses, stops, retries, tells;
    int gifts, gifts_kept, failures, hopeless;
    bool over;
    struct client clients[CLIENTS];
    bool told[MOST_TRIALS + 1]; /* and acknowledged */
};

static struct gpu gpus[] = {
    {(char *)"GPU-a", (char *)"", 0, 0}, {(char *)"GPU-b", (char *)"", 0, 0},
    {(char *)"GPU-c", (char *)"", 0, 0}, {(char *)"GPU-d", (char *)"", 0, 0},
    {(char *)"GPU-e", (char *)"", 0, 0}, {(char *)"GPU-f", (char *)"", 0, 0},
    {(char *)"GPU-g", (char *)"", 0, 0}};

static const struct play *play;
static struct run *run;
static bool opened; /* a service that cannot even begin is another test's */
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
    if (opened && !sqlite3_stmt_readonly(stmt) && happens(0.0008)) {
        run->full_disks++;
        return SQLITE_FULL;
    }
    return __real_sqlite3_step(stmt);
}

/* ---- what jobs and people do ---- */

/* The value that a trial's job reports depends on its number alone. */
static double value_of(int trial)
{
    return (double)((trial * 7919) % 1000) / 1000.0;
}

static int trial_of(const struct stage_job *job)
{
    return (int)strtol(job->name + strlen("s/"), NULL, 10);
}

/* What is to blame, and where it was. */
static void machine_fails(struct stage_job *job)
{
    static const enum launcher_blame all[] = {BLAME_MEMORY, BLAME_PREEMPTED,
                                              BLAME_NODE};

    run->failures++;
    stage_blame(&stage, job, all[draw() % 3]);
}

static void job_lives(struct stage_job *job)
{
    bool hangs = play->hangs && trial_of(job) % play->hangs == 0;

    if (play->fails && !*job->node)
        snprintf(job->node, sizeof job->node, "n%d", (int)(draw() % 3));
    if (play->fails && happens(0.08)) {
        machine_fails(job);
        return;
    }
    if (job->asked_to_stop && happens(0.5)) {
        stage_end(&stage, job, 143);
    } else if (happens(0.01)) {
        run->vanishings++;
        stage_vanish(&stage, job);
    } else if (happens(play->fails ? 0.1 : 0.02)) {
        run->breaks++;
        stage_end(&stage, job, 1);
    } else if (play->early && job->reports < REPORTS) {
        if (happens(0.4))
            stage_report(job, "acc", value_of(trial_of(job)), ++job->reports);
    } else if (play->early && !job->asked_to_stop && happens(0.3)) {
        stage_end(&stage, job, 0);
    } else if (!play->early && !hangs && happens(0.3)) {
        for (int i = 1; i <= REPORTS; i++)
            stage_report(job, "acc", value_of(trial_of(job)), i);
        stage_end(&stage, job, 0);
    }
}

static void people_stop(int64_t id)
{
    struct stage_job *job = stage_running(&stage, (int)(draw() % 8));
    struct err e;

    if (job && happens(0.05) &&
        engine_stop_trial(stage.engine, id, trial_of(job), &e) == 0)
        run->stops++;
    if (happens(0.02) && engine_retry(stage.engine, id, 0, NULL, &e) == 0)
        run->retries++;
}

static void gift_kept(void *ctx, bool ok)
{
    (void)ctx;
    run->gifts_kept += ok;
}

static void people_give(int64_t id)
{
    static const char gift[] = "x,k,value,state\n0.25,3,0.5,\n0.5,1,,FAILED\n"
                               "0.75,9,,INFEASIBLE\n";
    struct engine_given given;
    struct faults f;
    struct err e;

    faults_init(&f);
    if (engine_give(stage.engine, id, gift, sizeof gift - 1, "imported", &given,
                    &f, &e) == 0) {
        run->gifts++;
        engine_when_kept(stage.engine, gift_kept, NULL);
    }
    ck_assert_uint_eq(f.n, 0);
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
    if (play->stops)
        people_stop(id);
    if (play->cancels && happens(0.005))
        engine_cancel(stage.engine, id, &e);
    if (play->gives && run->gifts < MOST_GIFTS && happens(0.05))
        people_give(id);
}

/* ---- what clients do ---- */

static void client_has(void *ctx, int64_t number, const struct err *e)
{
    struct client *c = ctx;

    (void)e;
    ck_assert(c->waiting); /* one answer for one question */
    c->waiting = false;
    c->holds = number;
}

static void client_told(void *ctx, bool ok)
{
    struct client *c = ctx;

    c->telling = false;
    if (!ok)
        return;
    run->told[c->holds] = true;
    run->tells++;
    c->holds = 0;
}

static void client_tells(struct client *c, int64_t id)
{
    double value = value_of((int)c->holds);
    struct err e;

    if (happens(0.5)) {
        engine_report(stage.engine, id, c->holds, "acc", value, 1, &e);
        return;
    }
    if (engine_tell(stage.engine, id, c->holds, &value, NULL, &e) == 0) {
        c->telling = true;
        engine_when_kept(stage.engine, client_told, c);
    } else if (e.code == ERR_CONFLICT || e.code == ERR_ABSENT) {
        c->holds = 0; /* told before, but not acknowledged */
    }
}

static void clients_act(int64_t id)
{
    for (int i = 0; i < CLIENTS; i++) {
        struct client *c = &run->clients[i];
        char name[2] = {(char)('a' + i), '\0'};
        struct err e;

        if (c->waiting || c->telling || happens(0.5))
            continue;
        if (c->holds)
            client_tells(c, id);
        else if (engine_ask(stage.engine, id, name, client_has, c, &e) == 0)
            c->waiting = true;
    }
}

/* ---- one life ---- */

static bool submit(int64_t *id)
{
    struct engine_submitted out;
    struct faults f;
    struct err e;

    faults_init(&f);
    if (engine_submit(stage.engine, play->yaml, strlen(play->yaml), "s",
                      stage.dir, &out, &f, &e)) {
        stage_pass(&stage, 1100); /* the disk was full */
        return false;
    }
    *id = out.id;
    return true;
}

/* The queue is long or empty, and now and then nothing can begin at all. */
static void machine_changes(struct stage_machine *m)
{
    if (happens(0.05))
        m->queues = !m->queues;
    if (*m->hopeless) {
        if (happens(0.3))
            *m->hopeless = '\0';
    } else if (happens(0.01)) {
        run->hopeless++;
        snprintf(m->hopeless, sizeof m->hopeless, "no such partition");
    }
}

static void all_act(int64_t id)
{
    struct stage_machine *m = stage.machine;

    for (int k = 0; k < m->n_jobs; k++)
        if (m->jobs[k].state == STAGE_RUNNING)
            job_lives(&m->jobs[k]);
        else if (m->jobs[k].state == STAGE_QUEUED && happens(0.3))
            stage_begin(&stage, &m->jobs[k]);
    if (play->fails)
        machine_changes(m);
    people_act(id);
    if (play->asked)
        clients_act(id);
    if (happens(0.5))
        stage_think(&stage);
}

/* One life of the service, until the study is over or it is ended. */
/* The study has ended: they may want what failed to be tried again. */
static bool people_are_content(int64_t id)
{
    struct err e;
    int64_t n = 0;

    if (!play->stops || happens(0.3) ||
        engine_retry(stage.engine, id, 0, &n, &e) || n == 0)
        return true;
    run->retries++;
    return false;
}

static void live(void)
{
    struct err e;
    int64_t id;

    for (int i = 0; i < CLIENTS; i++)
        run->clients[i].waiting = run->clients[i].telling = false;
    stage.slow = play->slow;
    stage_open(&stage);
    opened = true;
    while (!submit(&id)) /* as `hypertune run` does after every crash */
        ;
    for (int i = 0; i < MOST_PASSES && !run->over; i++) {
        stage_pass(&stage, 50 + (int64_t)(draw() % 400));
        if (store_study_find(stage.store, "s", &id, &e)) {
            submit(&id); /* the very first write was undone by a full disk */
            continue;
        }
        run->over = study_state_ended(stage_study_state(&stage, id));
        if (run->over)
            run->over = people_are_content(id);
        else
            all_act(id);
    }
    stage_close(&stage);
    _exit(0);
}

/* ---- the promises ---- */

struct seen {
    int trials, reports, early;
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

/* Succeeded with a better value than that of the row. */
static bool count_better(void *ctx, const struct trial_row *row)
{
    double *than = ctx; /* value, how many */

    than[1] += row->value > than[0];
    return true;
}

/* It was stopped by the rule, measured something, and is not the best. */
static void check_early(const struct trial_row *row)
{
    struct trial_filter good = {.states = 1U << TRIAL_SUCCEEDED};
    double than[2] = {row->value, 0};
    struct err e;

    ck_assert_int_eq(row->state, TRIAL_STOPPED);
    ck_assert(play->early && row->has_value);
    ck_assert(row->value == value_of((int)row->number));
    /* no curve of the play rises or falls: nothing more was to come */
    ck_assert(!row->is_foreseen || row->foreseen == row->value);
    if (play->stops)
        return;
    ck_assert(row->is_foreseen);
    ck_assert_int_eq(store_trial_list(stage.store, row->study_id, &good,
                                      count_better, than, &e),
                     0);
    ck_assert_double_ge(than[1], 3); /* of five, by the median */
}

static bool check_trial(void *ctx, const struct trial_row *row)
{
    struct seen *seen = ctx;
    struct seen reports = {.number = row->number, .attempt = row->attempt};
    struct err e;

    seen->trials++;
    seen->early += row->reason == REASON_EARLY;
    ck_assert_int_eq(row->number, seen->trials);
    ck_assert_msg(trial_state_ended(row->state), "trial %lld is %s",
                  (long long)row->number, trial_state_name(row->state));
    /* whatever was begun or retried was seen to its end */
    ck_assert_msg(play->cancels || strcmp(row->detail, "the study ended") != 0,
                  "trial %lld was dropped", (long long)row->number);
    if (row->reason == REASON_EARLY)
        check_early(row);
    if (row->state != TRIAL_SUCCEEDED || row->given)
        return true;
    ck_assert(row->has_value && row->value == value_of((int)row->number));
    ck_assert_int_eq(store_report_list(stage.store, row->study_id, row->number,
                                       0, count_report, &reports, &e),
                     0);
    ck_assert_int_ge(reports.reports, play->asked ? 1 : REPORTS);
    ck_assert(play->asked || reports.reports == REPORTS);
    return true;
}

/* ---- after every life ---- */

struct census {
    int64_t counts[TRIAL_STATES], given;
};

static bool add_state(void *ctx, const struct trial_row *row)
{
    struct census *census = ctx;

    census->given += row->given;
    census->counts[row->state] += !row->given;
    return true;
}

static bool check_row(void *ctx, const struct study_row *row)
{
    struct trial_filter all = {0};
    struct census census = {0};
    const struct run *seen = ctx;
    int64_t n = 0;
    struct err e;

    ck_assert_int_eq(
        store_trial_list(stage.store, row->id, &all, add_state, &census, &e),
        0);
    for (int i = 0; i < TRIAL_STATES; i++) {
        ck_assert_int_eq(row->counts[i], census.counts[i]);
        n += census.counts[i];
    }
    ck_assert_int_eq(row->given, census.given);
    ck_assert_int_eq(row->given % GIVEN, 0); /* all at once or none */
    ck_assert_int_ge(row->given, GIVEN * seen->gifts_kept);
    ck_assert_int_eq(row->next_number, n + row->given + 1);
    return false;
}

/* What the study says of its trials is what they are. */
static void check_counts(struct run *seen)
{
    char path[400];
    struct err e;
    int64_t id;

    snprintf(path, sizeof path, "%s/hypertune.db", stage.dir);
    ck_assert_int_eq(store_open(&stage.store, path, &e), 0);
    if (store_study_find(stage.store, "s", &id, &e) == 0)
        ck_assert_int_eq(store_study_get(stage.store, id, check_row, seen, &e),
                         0);
    store_close(stage.store);
}

/* ---- at the end ---- */

static void check_end(const struct run *seen, int64_t id)
{
    enum study_state state = stage_study_state(&stage, id);
    int64_t done;

    if (play->cancels && state == STUDY_CANCELLED)
        return;
    ck_assert_int_eq(state, STUDY_SUCCEEDED);
    done = stage_count(&stage, id, TRIAL_SUCCEEDED) +
           stage_count(&stage, id, TRIAL_STOPPED) +
           (play->fails ? stage_count(&stage, id, TRIAL_INFEASIBLE) : 0);
    /* a failed trial is replaced by another; tried again, it is one more */
    ck_assert_int_ge(done, play->trials);
    if (!play->stops && !play->fails && !play->early)
        ck_assert_int_eq(stage_count(&stage, id, TRIAL_SUCCEEDED),
                         play->trials);
    for (int i = 1; i <= MOST_TRIALS; i++)
        if (seen->told[i])
            ck_assert_int_eq(stage_trial(&stage, id, i).state, TRIAL_SUCCEEDED);
}

static void check_promises(const struct run *shared)
{
    struct trial_filter all = {0};
    struct seen seen = {0};
    struct err e;
    int64_t id;

    ck_assert_str_eq(stage.machine->fault, "");
    ck_assert_int_eq(stage.machine->running, 0);
    ck_assert_int_le(stage.machine->most_running, play->parallel);
    stage_open(&stage);
    ck_assert_int_eq(store_study_find(stage.store, "s", &id, &e), 0);
    check_end(shared, id);
    ck_assert_int_eq(
        store_trial_list(stage.store, id, &all, check_trial, &seen, &e), 0);
    ck_assert_int_eq(seen.early > 0, play->early);
    for (int i = 0; i < stage.machine->n_jobs; i++) {
        ck_assert_int_ne(stage.machine->jobs[i].state, STAGE_QUEUED);
        ck_assert_int_le(stage.machine->jobs[i].starts, 1);
        ck_assert(play->fails || stage.machine->jobs[i].starts == 1);
    }
    stage_close(&stage);
}

/* Begins the service, and waits for its end. */
static void live_once(struct run *shared, uint64_t seed)
{
    int status;
    pid_t child;

    ck_assert_msg(++shared->lives < MOST_LIVES, "seed %llu never ends",
                  (unsigned long long)seed);
    child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        run = shared;
        run->writes_left = 1 + (int64_t)(draw() % (uint64_t)play->life);
        live();
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && (WEXITSTATUS(status) == 0 ||
                                        WEXITSTATUS(status) == CRASHED),
                  "seed %llu: the service died (status %d) in life %d",
                  (unsigned long long)seed, status, shared->lives);
    check_counts(shared);
}

static void simulate(uint64_t seed)
{
    struct run *shared = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(shared, MAP_FAILED);
    memset(shared, 0, sizeof *shared);
    shared->chance = seed;
    play = &plays[seed % PLAYS];
    stage_init(&stage);
    stage.gpus = (struct gpus){.items = gpus, .n = (size_t)play->gpus};
    printf("seed %llu (HYPERTUNE_SIM_SEED=%llu repeats it)\n",
           (unsigned long long)seed, (unsigned long long)seed);
    fflush(stdout);
    while (!shared->over)
        live_once(shared, seed);
    printf("  %d lives, %d full disks, %d breaks, %d vanishings, %d pauses, "
           "%d stops, %d retries, %d tells, %d gifts, %d failures, "
           "%d hopeless, %d jobs\n",
           shared->lives, shared->full_disks, shared->breaks,
           shared->vanishings, shared->pauses, shared->stops, shared->retries,
           shared->tells, shared->gifts_kept, shared->failures,
           shared->hopeless, stage.machine->n_jobs);
    check_promises(shared);
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
    for (uint64_t seed = 1; seed <= n; seed++)
        simulate(seed);
}
END_TEST

SUITE_WITHIN(580, "sim/crashes",
             no_trial_is_lost_or_run_twice_whenever_the_service_is_ended)
