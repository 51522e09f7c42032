/* Looks at the memory of GPUs, by a pretended NVML. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/gpu_watch.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static struct loop *loop;
static struct gpus gpus;
static struct gpu_watch *watch;

static void begin(void)
{
    char *library = mem_format("%s/tests/trials/libpretended-nvml.so",
                               getenv("HYPERTUNE_BUILD"));
    struct err e;

    setenv("PRETENDED_GPUS", "2", 1);
    ck_assert_int_eq(loop_open(&loop, &e), 0);
    gpus_find(&gpus, library);
    ck_assert_uint_eq(gpus.n, 2);
    ck_assert_int_eq(gpu_watch_open(&watch, loop, &gpus, library, &e), 0);
    ck_assert_ptr_nonnull(watch);
    free(library);
}

static void end(void)
{
    gpu_watch_close(watch);
    gpus_clear(&gpus);
    loop_close(loop);
}

static void late(void *ctx)
{
    (void)ctx;
    ck_abort_msg("no look in time");
}

static void stop_if_looked(void *ctx)
{
    (void)ctx;
    if (gpus.looked)
        loop_stop(loop);
}

static void look(void)
{
    struct loop_watch *limit = loop_after(loop, 60000, late, NULL);
    struct loop_watch *often = loop_every(loop, 5, stop_if_looked, NULL);

    gpus.looked = 0;
    gpu_watch_ask(watch);
    loop_run(loop, NULL, NULL);
    loop_forget(often);
    loop_forget(limit);
}

START_TEST(each_look_says_what_is_used_then)
{
    char path[] = "/tmp/hypertune-used-XXXXXX";
    FILE *f = fdopen(mkstemp(path), "w");

    ck_assert_ptr_nonnull(f);
    setenv("PRETENDED_USED", path, 1);
    begin();
    look();
    ck_assert_int_eq(gpus.items[0].used, (int64_t)1 << 30);
    fputs("1 100\n", f);
    fclose(f);
    look();
    ck_assert_int_eq(gpus.items[0].used, (int64_t)1 << 30);
    ck_assert_int_eq(gpus.items[1].used, (int64_t)100 << 30);
    end();
    unsetenv("PRETENDED_USED");
    unlink(path);
}
END_TEST

START_TEST(who_asks_during_a_look_is_given_another)
{
    int64_t first;

    begin();
    gpu_watch_ask(watch);
    look();
    first = gpus.looked;
    look();
    ck_assert_int_ge(gpus.looked, first);
    end();
}
END_TEST

START_TEST(a_watch_can_end_while_it_looks)
{
    begin();
    gpu_watch_ask(watch);
    gpu_watch_ask(watch);
    end();
}
END_TEST

START_TEST(without_known_memory_there_is_nothing_to_watch)
{
    struct gpus by_hand;
    struct gpu_watch *w;
    struct err e;

    ck_assert_int_eq(loop_open(&loop, &e), 0);
    ck_assert_int_eq(gpus_read(&by_hand, "0,1", &e), 0);
    ck_assert_int_eq(gpu_watch_open(&w, loop, &by_hand, NULL, &e), 0);
    ck_assert_ptr_null(w);
    gpu_watch_close(w);
    gpus_clear(&by_hand);
    loop_close(loop);
}
END_TEST

SUITE("trials/gpu_watch", each_look_says_what_is_used_then,
      who_asks_during_a_look_is_given_another, a_watch_can_end_while_it_looks,
      without_known_memory_there_is_nothing_to_watch)
