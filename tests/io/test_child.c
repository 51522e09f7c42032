/* Programs run from the loop: what goes in, what comes out, how they end. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "io/child.h"
#include "tests/lib/suite.h"

static struct loop *loop;
static struct child_end seen;
static char *out, *err;
static int ends, wanted;

static void on_end(void *ctx, const struct child_end *end)
{
    (void)ctx;
    free(out);
    free(err);
    seen = *end;
    out = mem_copy_bytes(end->out, end->n_out);
    err = mem_copy_bytes(end->err, end->n_err);
    if (++ends == wanted)
        loop_stop(loop);
}

static void setup(void)
{
    struct err e;

    ends = 0;
    wanted = 1;
    ck_assert_int_eq(loop_open(&loop, &e), 0);
}

static void teardown(void)
{
    loop_close(loop);
    free(out);
    free(err);
    out = err = NULL;
}

/* Runs a line of shell; its end is in `seen`. */
static void shell(const char *line, struct child_order o)
{
    char *argv[] = {"sh", "-c", (char *)(uintptr_t)line, NULL};
    struct child *c;
    struct err e;

    o.argv = argv;
    o.environ_ = o.environ_ ? o.environ_ : environ;
    o.fn = on_end;
    setup();
    ck_assert_msg(child_start(&c, loop, &o, &e) == 0, "%s", e.text);
    loop_run(loop, NULL, NULL);
    ck_assert_int_eq(ends, 1);
}

START_TEST(a_program_says_what_it_says_and_how_it_ended)
{
    shell("echo hello; echo trouble >&2; exit 7", (struct child_order){0});
    ck_assert_str_eq(out, "hello\n");
    ck_assert_str_eq(err, "trouble\n");
    ck_assert_int_eq(seen.exit_code, 7);
    ck_assert_int_eq(seen.signal_number, 0);
    ck_assert(!seen.timed_out && !seen.cut);
    teardown();
}
END_TEST

START_TEST(a_signal_is_told_as_one)
{
    shell("kill -SEGV $$", (struct child_order){0});
    ck_assert_int_eq(seen.exit_code, -1);
    ck_assert_int_eq(seen.signal_number, SIGSEGV);
    teardown();
}
END_TEST

START_TEST(a_large_input_is_read_to_its_end)
{
    size_t n = 3 << 20;
    char *bytes = mem_new(n, 1);

    memset(bytes, 'a', n);
    shell("wc -c", (struct child_order){.input = bytes, .n_input = n});
    ck_assert_int_eq(strtol(out, NULL, 10), (long)n);
    free(bytes);
    teardown();
}
END_TEST

START_TEST(no_input_is_an_empty_one)
{
    shell("cat; echo done", (struct child_order){0});
    ck_assert_str_eq(out, "done\n");
    teardown();
}
END_TEST

START_TEST(only_so_much_output_is_kept)
{
    shell("head -c 5000000 /dev/zero; echo small >&2",
          (struct child_order){.most_bytes = 1000});
    ck_assert_uint_eq(seen.n_out, 1000);
    ck_assert(seen.cut);
    ck_assert_str_eq(err, "small\n");
    ck_assert_int_eq(seen.exit_code, 0);
    teardown();
}
END_TEST

START_TEST(all_of_a_large_output_comes)
{
    shell("head -c 900000 /dev/zero", (struct child_order){0});
    ck_assert_uint_eq(seen.n_out, 900000);
    ck_assert(!seen.cut);
    teardown();
}
END_TEST

START_TEST(the_limit_ends_it_with_its_children)
{
    shell("sleep 1000 & echo $!; wait", (struct child_order){.limit_ms = 300});
    ck_assert(seen.timed_out);
    ck_assert_int_eq(seen.signal_number, SIGKILL);
    for (int i = 0; i < 500; i++) {
        FILE *f;
        char path[64];
        char state = 'X';

        snprintf(path, sizeof path, "/proc/%ld/stat", strtol(out, NULL, 10));
        f = fopen(path, "r");
        if (f) {
            ck_assert_int_eq(fscanf(f, "%*d (%*[^)]) %c", &state), 1);
            fclose(f);
        }
        if (state == 'X' || state == 'Z')
            break;
        ck_assert_int_lt(i, 499);
        usleep(10000);
    }
    teardown();
}
END_TEST

START_TEST(a_descendant_that_holds_the_pipe_delays_nothing)
{
    int64_t before = clock_steady_ms(&clock_real);

    shell("sleep 20 & echo $!", (struct child_order){0});
    ck_assert_int_eq(seen.exit_code, 0);
    ck_assert_int_lt(clock_steady_ms(&clock_real) - before, 15000);
    kill((pid_t)strtol(out, NULL, 10), SIGKILL);
    teardown();
}
END_TEST

START_TEST(a_program_that_is_not_there_is_refused)
{
    char *argv[] = {"no-such-program-here", NULL};
    struct child_order o = {.argv = argv, .environ_ = environ, .fn = on_end};
    struct child *c;
    struct err e;

    setup();
    ck_assert_int_eq(child_start(&c, loop, &o, &e), -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    ck_assert_ptr_null(c);
    ck_assert_ptr_nonnull(strstr(e.text, "no-such-program-here"));
    teardown();
}
END_TEST

START_TEST(it_has_the_environment_that_it_is_given)
{
    char *environ_[] = {"ONLY=this\nand that", NULL};

    shell("printf '%s|%s' \"$ONLY\" \"${HOME-none}\"",
          (struct child_order){.environ_ = environ_});
    ck_assert_str_eq(out, "this\nand that|none");
    teardown();
}
END_TEST

START_TEST(its_limit_on_open_files_can_be_lower_than_ours)
{
    struct rlimit before, after;

    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    shell("ulimit -S -n", (struct child_order){.most_open = 77});
    ck_assert_str_eq(out, "77\n");
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &after), 0);
    ck_assert_uint_eq(before.rlim_cur, after.rlim_cur);
    teardown();
}
END_TEST

START_TEST(many_run_side_by_side_and_other_children_are_left_alone)
{
    char *argv[] = {"sh", "-c", "exit 3", NULL};
    struct child_order o = {.argv = argv, .environ_ = environ, .fn = on_end};
    pid_t other = fork();
    int how = 0;

    if (other == 0)
        _exit(5);
    setup();
    wanted = 40;
    for (int i = 0; i < wanted; i++) {
        struct child *c;
        struct err e;

        ck_assert_int_eq(child_start(&c, loop, &o, &e), 0);
    }
    loop_run(loop, NULL, NULL);
    ck_assert_int_eq(ends, 40);
    ck_assert_int_eq(waitpid(other, &how, 0), other);
    ck_assert_int_eq(WEXITSTATUS(how), 5);
    teardown();
}
END_TEST

START_TEST(a_freed_child_is_dead_and_says_nothing)
{
    char *argv[] = {"sleep", "1000", NULL};
    struct child_order o = {.argv = argv, .environ_ = environ, .fn = on_end};
    struct child *c;
    struct err e;

    setup();
    ck_assert_int_eq(child_start(&c, loop, &o, &e), 0);
    child_free(c);
    child_free(NULL);
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
    ck_assert_int_eq(errno, ECHILD);
    ck_assert_int_eq(ends, 0);
    teardown();
}
END_TEST

SUITE("io/child", a_program_says_what_it_says_and_how_it_ended,
      a_signal_is_told_as_one, a_large_input_is_read_to_its_end,
      no_input_is_an_empty_one, only_so_much_output_is_kept,
      all_of_a_large_output_comes, the_limit_ends_it_with_its_children,
      a_descendant_that_holds_the_pipe_delays_nothing,
      a_program_that_is_not_there_is_refused,
      it_has_the_environment_that_it_is_given,
      its_limit_on_open_files_can_be_lower_than_ours,
      many_run_side_by_side_and_other_children_are_left_alone,
      a_freed_child_is_dead_and_says_nothing)
