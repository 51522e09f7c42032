/* The loop calls back, and may be told to forget at any moment. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/loop.h"

#include <check.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/lib/suite.h"

static struct loop *loop;
static char seen[64]; /* what was called, one letter a call */
static struct loop_watch *first, *second;
static int ends[2];

static void note(const char *letter)
{
    strncat(seen, letter, sizeof seen - strlen(seen) - 1);
}

static void open_loop(void)
{
    struct err e;

    seen[0] = '\0';
    ck_assert_int_eq(loop_open(&loop, &e), 0);
}

static void say_a(void *ctx)
{
    (void)ctx;
    note("a");
}

static void say_b(void *ctx)
{
    (void)ctx;
    note("b");
}

static void say_turn(void *ctx)
{
    (void)ctx;
    note(".");
}

static void stop(void *ctx)
{
    (void)ctx;
    note("s");
    loop_stop(loop);
}

START_TEST(timers_come_in_the_order_of_their_delays)
{
    int64_t begin = clock_steady_ms(&clock_real);

    open_loop();
    loop_after(loop, 60, stop, NULL);
    loop_after(loop, 30, say_b, NULL);
    loop_after(loop, 0, say_a, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_str_eq(seen, "abs");
    ck_assert_int_ge(clock_steady_ms(&clock_real) - begin, 55);
    loop_close(loop);
}
END_TEST

START_TEST(each_round_is_closed_by_one_turn)
{
    open_loop();
    loop_after(loop, 0, say_a, NULL);
    loop_after(loop, 40, stop, NULL);
    loop_run(loop, say_turn, NULL);
    ck_assert_str_eq(seen, "a.s.");
    loop_close(loop);
}
END_TEST

static void three_times(void *ctx)
{
    (void)ctx;
    note("t");
    if (strlen(seen) == 3) {
        loop_forget(first);
        loop_after(loop, 30, stop, NULL);
    }
}

static void gather(void *ctx)
{
    (void)ctx;
    loop_after(loop, 0, say_b, NULL);
    note("g");
    loop_gather(loop);
    loop_gather(loop); /* waits for nothing */
    note(".");
}

START_TEST(a_turn_may_gather_what_is_ready)
{
    open_loop();
    loop_after(loop, 100, stop, NULL);
    loop_after(loop, 0, say_a, NULL);
    loop_run(loop, gather, NULL);
    loop_close(loop);
    ck_assert_str_eq(seen, "agb.sgb.");
}
END_TEST

START_TEST(a_period_goes_on_until_it_forgets_itself)
{
    open_loop();
    first = loop_every(loop, 5, three_times, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_str_eq(seen, "ttts");
    loop_close(loop);
}
END_TEST

/* Due in the same round as its twin, which it forgets. */
static void forget_other(void *ctx)
{
    struct loop_watch **other = ctx;

    note("f");
    loop_forget(*other);
    loop_stop(loop);
}

START_TEST(a_watch_forgotten_by_another_is_never_called)
{
    open_loop();
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "x", 1), 1);
    first = loop_readable(loop, ends[0], forget_other, &second);
    second = loop_readable(loop, ends[0], forget_other, &first);
    loop_run(loop, NULL, NULL);
    ck_assert_str_eq(seen, "f");
    loop_close(loop);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

static void take_byte(void *ctx)
{
    char byte;

    (void)ctx;
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    note("r");
    if (byte == 'z')
        loop_stop(loop);
}

START_TEST(a_descriptor_calls_as_long_as_it_can_be_read)
{
    open_loop();
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_eq(write(ends[1], "xyz", 3), 3);
    first = loop_readable(loop, ends[0], take_byte, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_str_eq(seen, "rrr");
    loop_forget(first);
    loop_close(loop);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

static void raise_it(void *ctx)
{
    (void)ctx;
    raise(SIGUSR2);
}

START_TEST(a_signal_becomes_a_call)
{
    open_loop();
    loop_signal(loop, SIGUSR2, stop, NULL);
    loop_after(loop, 0, raise_it, NULL);
    loop_run(loop, NULL, NULL);
    ck_assert_str_eq(seen, "s");
    loop_close(loop);
}
END_TEST

SUITE("io/loop", timers_come_in_the_order_of_their_delays,
      each_round_is_closed_by_one_turn, a_turn_may_gather_what_is_ready,
      a_period_goes_on_until_it_forgets_itself,
      a_watch_forgotten_by_another_is_never_called,
      a_descriptor_calls_as_long_as_it_can_be_read, a_signal_becomes_a_call)
