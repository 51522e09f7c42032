/* A worker that is timed: wraps each task, and measures it where it runs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/timed.h"

#include <stdlib.h>
#include <time.h>

#include "base/mem.h"

struct timed {
    struct worker worker; /* the first: what others see of it */
    struct worker *inner;
    struct timed_counts counts;
    struct task *tasks; /* not back yet */
};

struct task {
    struct task *prev, *next;
    struct timed *of;
    void (*sums)(void *task);
    void (*done)(void *task);
    void *task;
    double seconds; /* written on the worker, read after it */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void sums(void *task)
{
    struct task *t = task;
    double began = now();

    t->sums(t->task);
    t->seconds = now() - began;
}

static void task_free(struct task *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        t->of->tasks = t->next;
    if (t->next)
        t->next->prev = t->prev;
    free(t);
}

static void done(void *task)
{
    struct task *t = task;
    void (*fn)(void *task) = t->done;
    void *theirs = t->task;

    t->of->counts.done++;
    t->of->counts.waiting--;
    t->of->counts.seconds += t->seconds;
    task_free(t);
    fn(theirs);
}

static void give(struct worker *w, void (*sums_fn)(void *task),
                 void (*done_fn)(void *task), void *task)
{
    struct timed *of = (struct timed *)w;
    struct task *t = mem_new(1, sizeof *t);

    *t = (struct task){.next = of->tasks,
                       .of = of,
                       .sums = sums_fn,
                       .done = done_fn,
                       .task = task};
    if (t->next)
        t->next->prev = t;
    of->tasks = t;
    of->counts.waiting++;
    of->inner->give(of->inner, sums, done, t);
}

struct timed *timed_new(struct worker *inner)
{
    struct timed *t;

    if (!inner)
        return NULL;
    t = mem_new(1, sizeof *t);
    t->worker.give = give;
    t->inner = inner;
    return t;
}

void timed_free(struct timed *t)
{
    struct task *next;

    for (struct task *task = t ? t->tasks : NULL; task; task = next) {
        next = task->next;
        free(task);
    }
    free(t);
}

struct worker *timed_worker(struct timed *t)
{
    return t ? &t->worker : NULL;
}

struct timed_counts timed_counts(const struct timed *t)
{
    return t->counts;
}
