/* A real engine on a pretended machine. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/tuner/lib/stage.h"

#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/log.h"

/* ---- the launcher ---- */

struct watched {
    struct stage_job *job;
    bool said_alive, said_end;
};

struct stage_list {
    struct watched *watched;
    int n, cap;
};

struct pretended {
    struct launcher base;
    struct stage *stage;
};

static void see_fault(struct stage *g, const char *what, const char *name)
{
    if (!*g->machine->fault)
        snprintf(g->machine->fault, sizeof g->machine->fault, "%s: %s", what,
                 name);
}

/* Jobs of one trial never overlap. */
static void check_overlap(struct stage *g, const struct stage_job *job)
{
    size_t stem = (size_t)(strrchr(job->name, '/') - job->name);

    for (int i = 0; i < g->machine->n_jobs; i++) {
        struct stage_job *other = &g->machine->jobs[i];

        if (other != job && other->state == STAGE_RUNNING &&
            strncmp(other->name, job->name, stem + 1) == 0 &&
            !strchr(other->name + stem + 1, '/'))
            see_fault(g, "two attempts run at once", job->name);
    }
}

static bool lists(const char *list, const char *id, size_t n)
{
    for (const char *at = list; *at; at += *at == ',') {
        size_t len = strcspn(at, ",");

        if (len == n && strncmp(at, id, n) == 0)
            return true;
        at += len;
    }
    return false;
}

/* No GPU has two jobs. */
static void check_gpus(struct stage *g, const struct stage_job *job)
{
    for (int i = 0; i < g->machine->n_jobs; i++) {
        struct stage_job *other = &g->machine->jobs[i];

        if (other == job || other->state != STAGE_RUNNING)
            continue;
        for (const char *at = job->gpus; *at; at += *at == ',') {
            size_t n = strcspn(at, ",");

            if (lists(other->gpus, at, n))
                see_fault(g, "a GPU has two jobs", job->name);
            at += n;
        }
    }
}

static void note_job(struct stage_job *out, const struct job *job)
{
    size_t n = 0;

    for (size_t i = 0; i < job->n_replicas; i++)
        if (job->replicas[i].gpu_ids)
            n += (size_t)snprintf(out->gpus + n, sizeof out->gpus - n, "%s%s",
                                  n ? "," : "", job->replicas[i].gpu_ids);
    for (size_t i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i].name, "exclude") == 0)
            snprintf(out->exclude, sizeof out->exclude, "%s",
                     job->options[i].value);
    snprintf(out->visible, sizeof out->visible, "-");
    for (char *const *v = job->replicas[0].environ_; *v; v++)
        if (strncmp(*v, "CUDA_VISIBLE_DEVICES=", 21) == 0)
            snprintf(out->visible, sizeof out->visible, "%s", *v + 21);
}

static void attend(struct stage_list *p, struct stage_job *job)
{
    for (int i = 0; i < p->n; i++)
        if (p->watched[i].job == job) {
            p->watched[i].said_alive = false;
            return;
        }
    if (p->n == p->cap) {
        p->cap = p->cap ? p->cap * 2 : 64;
        p->watched = realloc(p->watched, (size_t)p->cap * sizeof *p->watched);
    }
    p->watched[p->n++] = (struct watched){.job = job};
}

static void begin_job(struct stage *g, struct stage_job *job)
{
    struct stage_machine *m = g->machine;

    ck_assert_int_eq(job->state, STAGE_QUEUED);
    *job->text = '\0';
    job->state = STAGE_RUNNING;
    job->starts++;
    job->began_ms = m->now_ms;
    check_overlap(g, job);
    check_gpus(g, job);
    if (++m->running > m->most_running)
        m->most_running = m->running;
}

void stage_begin(struct stage *g, struct stage_job *job)
{
    begin_job(g, job);
}

static int start(struct launcher *l, const struct job *job, struct err *e)
{
    struct pretended *p = (struct pretended *)l;
    struct stage_machine *m = p->stage->machine;
    struct stage_job *found = stage_job(p->stage, job->name);

    if (m->refuse)
        return err_set(e, ERR_ABSENT, "cannot run %s: no such program",
                       job->replicas[0].argv[0]);
    if (!found) {
        ck_assert_int_lt(m->n_jobs, STAGE_JOBS);
        found = &m->jobs[m->n_jobs];
        memset(found, 0, sizeof *found);
        snprintf(found->name, sizeof found->name, "%s", job->name);
        snprintf(found->folder, sizeof found->folder, "%s", job->folder);
        note_job(found, job);
        m->n_jobs++;
        if (*m->hopeless) {
            found->state = STAGE_HOPELESS;
            snprintf(found->text, sizeof found->text, "%s", m->hopeless);
        } else if (m->queues) {
            snprintf(found->text, sizeof found->text, "in the queue: Priority");
        } else {
            begin_job(p->stage, found);
        }
    }
    attend(p->stage->list, found);
    return 0;
}

static int watch(struct launcher *l, const char *name, const char *folder,
                 struct err *e)
{
    struct pretended *p = (struct pretended *)l;
    struct stage_job *found = stage_job(p->stage, name);

    (void)folder;
    if (!found)
        return err_set(e, ERR_ABSENT, "no job %s", name);
    attend(p->stage->list, found);
    return 0;
}

static void stop(struct launcher *l, const char *name, bool kill_now)
{
    struct pretended *p = (struct pretended *)l;
    struct stage_job *job = stage_job(p->stage, name);

    if (job && job->state == STAGE_QUEUED) {
        job->state = STAGE_VANISHED; /* it leaves the queue */
        return;
    }
    if (!job || job->state != STAGE_RUNNING)
        return;
    job->asked_to_stop = true;
    job->killed = job->killed || kill_now;
    if (kill_now) {
        job->signal_number = 9;
        stage_end(p->stage, job, -1);
    }
}

static void close_launcher(struct launcher *l)
{
    free(l);
}

static int addresses(struct launcher *l, const char *name, size_t n,
                     char (*out)[LAUNCHER_ADDRESS], struct err *e)
{
    (void)l, (void)name, (void)e;
    for (size_t i = 0; i < n; i++)
        snprintf(out[i], LAUNCHER_ADDRESS, "127.0.0.1:%zu", 20000 + i);
    return 0;
}

static const struct launcher_type types[] = {
    {"local", addresses, start, watch, stop, close_launcher},
    {"slurm", addresses, start, watch, stop, close_launcher}};

static const char *said(const char *text)
{
    return *text ? text : NULL;
}

static struct launcher_news news_of(const struct stage_job *job)
{
    static const enum launcher_word words[] = {
        [STAGE_QUEUED] = LAUNCHER_WAITING,    [STAGE_RUNNING] = LAUNCHER_ALIVE,
        [STAGE_ENDED] = LAUNCHER_ENDED,       [STAGE_VANISHED] = LAUNCHER_LOST,
        [STAGE_HOPELESS] = LAUNCHER_HOPELESS,
    };

    return (struct launcher_news){.job_name = job->name,
                                  .word = words[job->state],
                                  .exit_code = job->exit_code,
                                  .signal_number = job->signal_number,
                                  .ran_ms = job->ended_ms - job->began_ms,
                                  .blame = job->blame,
                                  .replica = said(job->replica),
                                  .node = said(job->node),
                                  .text = said(job->text)};
}

/* Every news that is due, as a real launcher would bring it. */
static void bring_news(struct stage *g)
{
    struct stage_list *p = g->list;

    for (int i = 0; i < p->n; i++) {
        struct watched w = p->watched[i];
        struct launcher_news news = news_of(w.job);
        bool ends =
            news.word != LAUNCHER_ALIVE && news.word != LAUNCHER_WAITING;

        if (news.word == LAUNCHER_ALIVE && w.said_alive)
            continue;
        p->watched[i].said_alive = news.word == LAUNCHER_ALIVE;
        if (ends)
            p->watched[i--] = p->watched[--p->n];
        engine_news(g->engine, &news);
    }
}

/* ---- the slow worker ---- */

static void give(struct worker *w, void (*sums)(void *task),
                 void (*done)(void *task), void *what)
{
    struct stage *g =
        (struct stage *)(void *)((char *)w - offsetof(struct stage, worker));

    ck_assert_int_lt(g->n_tasks, 64);
    g->tasks[g->n_tasks++] = (struct stage_task){sums, done, what};
}

void stage_think(struct stage *g)
{
    struct stage_task tasks[64];
    int n = g->n_tasks;

    memcpy(tasks, g->tasks, sizeof tasks);
    g->n_tasks = 0;
    for (int i = 0; i < n; i++) {
        tasks[i].sums(tasks[i].what);
        tasks[i].done(tasks[i].what);
    }
}

/* ---- the stage ---- */

static int64_t pretended_now(void *ctx)
{
    return ((struct stage_machine *)ctx)->now_ms;
}

static void changed(void *ctx, int64_t study)
{
    (void)study;
    ((struct stage *)ctx)->changes++;
}

void stage_init(struct stage *g)
{
    memset(g, 0, sizeof *g);
    g->machine = mmap(NULL, sizeof *g->machine, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g->machine, MAP_FAILED);
    g->machine->now_ms = 1700000000000;
    snprintf(g->dir, sizeof g->dir, "%s/hypertune-stage-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(g->dir));
    g->clock = (struct clock){pretended_now, pretended_now, g->machine};
    log_limit(LOG_LEVEL_ERROR);
    algorithms_init();
}

static int remove_one(const char *path, const struct stat *st, int kind,
                      struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

void stage_clear(struct stage *g)
{
    stage_close(g);
    nftw(g->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    munmap(g->machine, sizeof *g->machine);
}

void stage_open(struct stage *g)
{
    static char *no_environ[] = {NULL};
    struct engine_parts parts = {.clock = &g->clock,
                                 .worker = g->slow ? &g->worker : &work_at_once,
                                 .state_dir = g->dir,
                                 .environ_ = no_environ,
                                 .processors =
                                     g->processors ? g->processors : 4,
                                 .memory = g->memory,
                                 .gpus = &g->gpus,
                                 .look = g->look,
                                 .lease_ms = g->lease_ms,
                                 .changed = changed,
                                 .ctx = g};
    struct err e;
    char path[400];

    g->worker.give = give;
    g->n_tasks = 0;
    g->list = calloc(1, sizeof *g->list);
    for (int i = 0; i < 2; i++) {
        struct pretended *p = calloc(1, sizeof *p);

        p->base.type = &types[i];
        p->stage = g;
        g->launchers[i] = &p->base;
    }
    snprintf(path, sizeof path, "%s/hypertune.db", g->dir);
    ck_assert_msg(store_open(&g->store, path, &e) == 0, "%s", e.text);
    parts.store = g->store;
    parts.launchers = g->launchers;
    ck_assert_int_eq(engine_open(&g->engine, &parts, &e), 0);
    ck_assert_msg(engine_recover(g->engine, &e) == 0, "%s", e.text);
}

void stage_close(struct stage *g)
{
    if (!g->engine)
        return;
    engine_close(g->engine);
    for (int i = 0; i < 2; i++)
        g->launchers[i]->type->close(g->launchers[i]);
    free(g->list->watched);
    free(g->list);
    store_close(g->store);
    g->engine = NULL;
    g->n_tasks = 0;
}

void stage_pass(struct stage *g, int64_t ms)
{
    g->machine->now_ms += ms;
    bring_news(g);
    engine_tick(g->engine);
    engine_turn(g->engine);
    bring_news(g);
    engine_turn(g->engine);
}

int64_t stage_submit(struct stage *g, const char *yaml)
{
    struct engine_submitted out;
    struct faults f;
    struct err e = {0};
    int rc;

    faults_init(&f);
    rc = engine_submit(g->engine, yaml, strlen(yaml), "study", g->dir, &out, &f,
                       &e);
    ck_assert_msg(rc == 0, "%s", f.n ? f.items[0].text : e.text);
    faults_clear(&f);
    engine_turn(g->engine);
    return out.id;
}

struct stage_job *stage_job(struct stage *g, const char *name)
{
    for (int i = 0; i < g->machine->n_jobs; i++)
        if (strcmp(g->machine->jobs[i].name, name) == 0)
            return &g->machine->jobs[i];
    return NULL;
}

struct stage_job *stage_running(struct stage *g, int n)
{
    for (int i = 0; i < g->machine->n_jobs; i++)
        if (g->machine->jobs[i].state == STAGE_RUNNING && n-- == 0)
            return &g->machine->jobs[i];
    return NULL;
}

void stage_print(const struct stage_job *job, const char *file,
                 const char *line)
{
    char path[500];
    int fd;

    snprintf(path, sizeof path, "%s/%s", job->folder, file);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, line, strlen(line)), (ssize_t)strlen(line));
    close(fd);
}

void stage_report(const struct stage_job *job, const char *metric, double value,
                  int64_t step)
{
    char line[300];

    snprintf(line, sizeof line,
             "{\"%s\": \"%.17g\", \"checkpoint_path\": \"\", "
             "\"global_step\": \"%lld\", \"timestamp\": 1.5, "
             "\"trial\": \"1\"}\n",
             metric, value, (long long)step);
    stage_print(job, "reports", line);
}

static void over(struct stage *g, struct stage_job *job,
                 enum stage_job_state state)
{
    ck_assert_int_eq(job->state, STAGE_RUNNING);
    job->state = state;
    job->ended_ms = g->machine->now_ms;
    g->machine->running--;
}

void stage_end(struct stage *g, struct stage_job *job, int exit_code)
{
    job->exit_code = exit_code;
    over(g, job, STAGE_ENDED);
}

void stage_vanish(struct stage *g, struct stage_job *job)
{
    over(g, job, STAGE_VANISHED);
}

void stage_blame(struct stage *g, struct stage_job *job,
                 enum launcher_blame blame)
{
    job->blame = blame;
    if (blame == BLAME_NODE) {
        stage_vanish(g, job);
        return;
    }
    job->signal_number = blame == BLAME_MEMORY ? 9 : 15;
    stage_end(g, job, -1);
}

/* ---- looking ---- */

static struct {
    enum study_state state;
    int64_t counts[TRIAL_STATES];
    char reason[600];
} seen;

static bool see_study(void *ctx, const struct study_row *row)
{
    (void)ctx;
    seen.state = row->state;
    memcpy(seen.counts, row->counts, sizeof seen.counts);
    snprintf(seen.reason, sizeof seen.reason, "%s", row->reason);
    return false;
}

static void look(struct stage *g, int64_t id)
{
    struct err e;

    ck_assert_msg(store_study_get(g->store, id, see_study, NULL, &e) == 0, "%s",
                  e.text);
}

enum study_state stage_study_state(struct stage *g, int64_t id)
{
    look(g, id);
    return seen.state;
}

int64_t stage_count(struct stage *g, int64_t id, enum trial_state state)
{
    look(g, id);
    return seen.counts[state];
}

const char *stage_reason(struct stage *g, int64_t id)
{
    look(g, id);
    return seen.reason;
}

static bool see_trial(void *ctx, const struct trial_row *row)
{
    struct stage_trial *t = ctx;

    t->state = row->state;
    t->reason = row->reason;
    t->attempt = row->attempt;
    t->has_value = row->has_value;
    t->value = row->value;
    t->foreseen = row->is_foreseen ? row->foreseen : 0;
    snprintf(t->detail, sizeof t->detail, "%s", row->detail);
    snprintf(t->point, sizeof t->point, "%s", row->point);
    return false;
}

struct stage_trial stage_trial(struct stage *g, int64_t id, int64_t number)
{
    struct stage_trial t = {0};
    struct err e;

    ck_assert_msg(store_trial_get(g->store, id, number, see_trial, &t, &e) == 0,
                  "%s", e.text);
    return t;
}
