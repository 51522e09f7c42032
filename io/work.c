/* One background thread: tasks in by a queue, their ends back by an eventfd
 * that the loop reads. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/work.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/mem.h"

struct task {
    void (*sums)(void *task);
    void (*done)(void *task);
    void *what;
    struct task *next;
};

struct queue {
    struct task *first, **last;
};

struct thread {
    struct worker worker; /* first: what others see */
    pthread_t id;
    pthread_mutex_t lock; /* guards the two queues and closing */
    pthread_cond_t more;
    struct queue waiting, ended;
    bool closing;
    int bell; /* eventfd: something ended */
    struct loop_watch *watch;
};

static void put(struct queue *q, struct task *t)
{
    t->next = NULL;
    *q->last = t;
    q->last = &t->next;
}

static struct task *take(struct queue *q)
{
    struct task *t = q->first;

    if (t) {
        q->first = t->next;
        if (!q->first)
            q->last = &q->first;
    }
    return t;
}

static struct task *take_locked(struct thread *w, struct queue *q)
{
    struct task *t;

    pthread_mutex_lock(&w->lock);
    t = take(q);
    pthread_mutex_unlock(&w->lock);
    return t;
}

static void ring(struct thread *w)
{
    uint64_t one = 1;

    while (write(w->bell, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void *run(void *arg)
{
    struct thread *w = arg;

    pthread_mutex_lock(&w->lock);
    while (!w->closing) {
        struct task *t = take(&w->waiting);

        if (!t) {
            pthread_cond_wait(&w->more, &w->lock);
            continue;
        }
        pthread_mutex_unlock(&w->lock);
        t->sums(t->what);
        pthread_mutex_lock(&w->lock);
        put(&w->ended, t);
        ring(w);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

static void finish(struct thread *w)
{
    struct task *t;

    while ((t = take_locked(w, &w->ended))) {
        void (*done)(void *task) = t->done;
        void *what = t->what;

        free(t);
        done(what);
    }
}

static void answered(void *ctx)
{
    struct thread *w = ctx;
    uint64_t rings;

    if (read(w->bell, &rings, sizeof rings) == (ssize_t)sizeof rings)
        finish(w);
}

static void give(struct worker *worker, void (*sums)(void *task),
                 void (*done)(void *task), void *what)
{
    struct thread *w = (struct thread *)worker;
    struct task *t = mem_new(1, sizeof *t);

    *t = (struct task){.sums = sums, .done = done, .what = what};
    pthread_mutex_lock(&w->lock);
    if (w->closing) {
        free(t);
    } else {
        put(&w->waiting, t);
        pthread_cond_signal(&w->more);
    }
    pthread_mutex_unlock(&w->lock);
}

/* The signals are for the loop's thread. */
static int start(struct thread *w)
{
    sigset_t all, before;
    int rc;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&w->id, NULL, run, w);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

static void release(struct thread *w)
{
    pthread_cond_destroy(&w->more);
    pthread_mutex_destroy(&w->lock);
    if (w->bell >= 0)
        close(w->bell);
    free(w);
}

int work_open(struct worker **out, struct loop *l, struct err *e)
{
    struct thread *w = mem_new(1, sizeof *w);
    int rc;

    *out = NULL;
    w->worker.give = give;
    w->waiting.last = &w->waiting.first;
    w->ended.last = &w->ended.first;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->more, NULL);
    w->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    rc = w->bell < 0 ? errno : start(w);
    if (rc) {
        release(w);
        return err_errno(e, rc, "cannot start the background thread");
    }
    w->watch = loop_readable(l, w->bell, answered, w);
    *out = &w->worker;
    return 0;
}

void work_close(struct worker *worker)
{
    struct thread *w = (struct thread *)worker;
    struct task *t;

    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_signal(&w->more);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->id, NULL);
    loop_forget(w->watch);
    finish(w);
    while ((t = take(&w->waiting)))
        free(t);
    release(w);
}

static void give_at_once(struct worker *w, void (*sums)(void *task),
                         void (*done)(void *task), void *task)
{
    (void)w;
    sums(task);
    done(task);
}

struct worker work_at_once = {.give = give_at_once};
