/* The launcher's table, and the tick that looks after all of its jobs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "base/mem.h"
#include "slurm/slurm_call.h"
#include "slurm/slurm_finish.h"
#include "slurm/slurm_job.h"
#include "slurm/slurm_look.h"
#include "slurm/slurm_script.h"
#include "slurm/slurm_submit.h"

enum {
    TICK_MS = 100,
    PEEKS = 200,        /* of jobs that run, in a tick */
    PEEKS_WAITING = 40, /* of others; the queue tells of their beginning too */
    SLOWEST_MS = 5000,  /* between two looks at the queue */
    MOST_WINDOW = 5000
};

/* ---- the tick ---- */

/* Whenever a command ended too, so that four of them are always under way. */
static void due(struct slurm *l)
{
    int64_t now = slurm_job_now();

    if (l->unmet >= SLURM_CALL_UNMET)
        slurm_submit_none(l);
    if (!l->first || (l->away && now < l->away_until))
        return;
    slurm_look_due(l, now);
    if (l->away) /* one probe at a time */
        return;
    slurm_submit_due(l, now);
    slurm_finish_due(l, now);
}

static bool is_running(const struct slurm_job *j)
{
    return j->told_alive;
}

/* Each job is looked at in every so manieth tick, so that a thousand of them
 * cost no more than a few hundred. */
static void peek_due(struct slurm *l)
{
    int64_t n[2] = {0};
    int64_t at[2] = {0};
    int64_t every[2];
    struct slurm_job *next;

    for (const struct slurm_job *j = l->first; j; j = j->next)
        n[is_running(j)]++;
    every[0] = n[0] / PEEKS_WAITING + 1;
    every[1] = n[1] / PEEKS + 1;
    for (struct slurm_job *j = l->first; j; j = next) {
        int kind = is_running(j);

        next = j->next;
        if (at[kind]++ % every[kind] != l->round % every[kind])
            continue;
        if (j->step != SLURM_HELD)
            slurm_job_peek(j);
        slurm_job_decide(j);
    }
}

static void rest_if_idle(struct slurm *l)
{
    if (l->first)
        return;
    loop_forget(l->tick);
    l->tick = NULL;
}

static void tick(void *ctx)
{
    struct slurm *l = ctx;

    l->round++;
    peek_due(l);
    due(l);
    rest_if_idle(l);
}

/* After start, watch and stop: news never comes from inside them. */
static void at_once(void *ctx)
{
    struct slurm *l = ctx;

    l->soon = NULL;
    for (struct slurm_job *j = l->first, *next; j; j = next) {
        next = j->next;
        if (!j->fresh)
            continue;
        j->fresh = false;
        if (j->step != SLURM_HELD)
            slurm_job_peek(j);
        slurm_job_decide(j);
    }
    due(l);
    rest_if_idle(l);
}

static void stir(struct slurm_job *j)
{
    struct slurm *l = j->slurm;

    j->fresh = true;
    if (!l->tick)
        l->tick = loop_every(l->loop, TICK_MS, tick, l);
    if (!l->soon)
        l->soon = loop_after(l->loop, 0, at_once, l);
}

/* ---- starting ---- */

static int addresses(struct launcher *launcher, const char *job_name, size_t n,
                     char (*out)[LAUNCHER_ADDRESS], struct err *e)
{
    (void)launcher;
    (void)job_name;
    (void)e;
    for (size_t i = 0; i < n; i++)
        slurm_script_address(i, out[i]);
    return 0;
}

/* Finds the job by its script. Whether it was submitted the queue will say. */
static bool adopt(struct slurm *l, const char *name, const char *folder)
{
    char tag[SLURM_SCRIPT_NAME];
    struct text words;
    struct slurm_job *j;
    bool tasks, found;

    text_init(&words);
    found = slurm_script_read(folder, tag, &words, &tasks);
    text_clear(&words);
    if (!found)
        return false;
    j = slurm_job_new(l, name, folder);
    slurm_job_set_tag(j, tag);
    j->tasks = tasks;
    j->apart = slurm_script_is_apart(folder);
    slurm_job_step(j, SLURM_UNSEEN);
    l->next_look = 0;
    stir(j);
    return true;
}

/* A new job: its script is written, and it waits to be submitted. */
static int begin(struct slurm *l, const struct job *job, struct err *e)
{
    struct err why;
    struct slurm_job *j;

    if (slurm_script_check(job, &why)) {
        j = slurm_job_new(l, job->name, job->folder);
        j->hopeless = mem_copy_text(why.text);
        stir(j);
        return 0;
    }
    if (slurm_script_write(job, e))
        return -1;
    if (!adopt(l, job->name, job->folder))
        return err_set(e, ERR_IO, "cannot read %s/%s", job->folder,
                       SLURM_SCRIPT_FILE);
    slurm_job_step(l->last, SLURM_HELD);
    return 0;
}

static int start(struct launcher *launcher, const struct job *job,
                 struct err *e)
{
    struct slurm *l = (struct slurm *)launcher;
    struct slurm_job *known = slurm_job_find(l, job->name);

    if (known) {
        known->told_alive = false;
        free(known->waiting);
        known->waiting = NULL;
        stir(known);
        return 0;
    }
    if (adopt(l, job->name, job->folder))
        return 0;
    return begin(l, job, e);
}

static int watch(struct launcher *launcher, const char *job_name,
                 const char *folder, struct err *e)
{
    struct slurm *l = (struct slurm *)launcher;
    struct slurm_job *j;

    (void)e;
    if (slurm_job_find(l, job_name))
        return 0;
    if (adopt(l, job_name, folder)) {
        l->met = true;
        return 0;
    }
    j = slurm_job_new(l, job_name, folder);
    j->absent = true;
    stir(j);
    return 0;
}

/* ---- stopping ---- */

/* What has not begun never will, once its place is taken. */
static void stop(struct launcher *launcher, const char *job_name, bool kill_now)
{
    struct slurm_job *j = slurm_job_find((struct slurm *)launcher, job_name);

    if (!j || j->hopeless || j->absent)
        return;
    if (j->step == SLURM_HELD ||
        (!j->apart && slurm_files_claim(j->folder))) {
        j->has_began = true;
        j->began = (struct slurm_began){0};
    } else if (kill_now) {
        j->wish = SLURM_STOP_CANCEL;
    } else if (!j->wish) {
        j->wish = SLURM_STOP_TERM;
    }
    stir(j);
}

static void slurm_close(struct launcher *launcher)
{
    struct slurm *l = (struct slurm *)launcher;

    loop_forget(l->tick);
    loop_forget(l->soon);
    while (l->first)
        slurm_job_free(l->first);
    child_free(l->look);
    child_free(l->config);
    slurm_call_environ_free(l->environ_);
    free(l->away_text);
    free(l->limit_text);
    free(l);
}

static const struct launcher_type launcher_slurm = {
    .name = "slurm",
    .addresses = addresses,
    .start = start,
    .watch = watch,
    .stop = stop,
    .close = slurm_close,
};

void slurm_open(struct launcher **out, struct loop *l, char *const *environ_,
                launcher_news_fn *news, void *ctx)
{
    struct slurm *slurm = mem_new(1, sizeof *slurm);
    struct rlimit files;

    slurm->launcher.type = &launcher_slurm;
    slurm->loop = l;
    slurm->due = due;
    slurm->environ_ = slurm_call_environ(environ_);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 &&
        files.rlim_cur != RLIM_INFINITY)
        slurm->most_open = files.rlim_cur;
    slurm->news = news;
    slurm->ctx = ctx;
    slurm->slowest_ms = SLOWEST_MS;
    slurm->window = slurm->most_window = MOST_WINDOW;
    *out = &slurm->launcher;
}
