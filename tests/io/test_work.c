/* Sums run on the worker, and their ends come back on the loop in order. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/work.h"

#include <check.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/lib/suite.h"

struct sum {
    int n;
    int result;
    pthread_t by;
};

static struct loop *loop;
static int order[8];
static int n_done;
static int n_wanted;

static void square(void *task)
{
    struct sum *s = task;

    s->result = s->n * s->n;
    s->by = pthread_self();
}

static void note(void *task)
{
    const struct sum *s = task;

    order[n_done++] = s->n;
    if (n_done == n_wanted)
        loop_stop(loop);
}

START_TEST(ends_come_back_on_the_loop_in_the_order_given)
{
    struct sum sums[8];
    struct worker *w;
    struct err e;

    n_done = 0;
    n_wanted = 8;
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(work_open(&w, loop, &e), 0);
    for (int i = 0; i < 8; i++) {
        sums[i] = (struct sum){.n = i};
        w->give(w, square, note, &sums[i]);
    }
    loop_run(loop, NULL, NULL);
    for (int i = 0; i < 8; i++) {
        ck_assert_int_eq(order[i], i);
        ck_assert(sums[i].result == i * i);
        ck_assert(!pthread_equal(sums[i].by, pthread_self()));
    }
    work_close(w);
    loop_close(loop);
}
END_TEST

static atomic_int begun;

static void slow(void *task)
{
    (void)task;
    atomic_store(&begun, 1);
    usleep(100 * 1000);
}

START_TEST(closing_waits_for_the_task_under_way_and_drops_the_rest)
{
    struct sum sums[3] = {{.n = 1}, {.n = 2}, {.n = 3}};
    struct worker *w;
    struct err e;

    n_done = 0;
    n_wanted = -1;
    atomic_store(&begun, 0);
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(work_open(&w, loop, &e), 0);
    for (int i = 0; i < 3; i++)
        w->give(w, slow, note, &sums[i]);
    while (!atomic_load(&begun))
        usleep(1000);
    work_close(w);
    ck_assert_int_eq(n_done, 1);
    ck_assert_int_eq(order[0], 1);
    loop_close(loop);
}
END_TEST

START_TEST(without_a_thread_all_is_done_at_once)
{
    struct sum sum = {.n = 7};

    n_done = 0;
    n_wanted = -1;
    work_at_once.give(&work_at_once, square, note, &sum);
    ck_assert_int_eq(n_done, 1);
    ck_assert_int_eq(sum.result, 49);
}
END_TEST

SUITE("io/work", ends_come_back_on_the_loop_in_the_order_given,
      closing_waits_for_the_task_under_way_and_drops_the_rest,
      without_a_thread_all_is_done_at_once)
