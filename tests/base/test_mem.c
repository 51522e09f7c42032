/* Memory is there, or the program ends at once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/mem.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/suite.h"

START_TEST(new_memory_is_zeroed_and_none_is_still_a_pointer)
{
    int *numbers = mem_new(100, sizeof *numbers);
    void *none = mem_new(0, 8);

    for (int i = 0; i < 100; i++)
        ck_assert_int_eq(numbers[i], 0);
    ck_assert_ptr_nonnull(none);
    free(none);
    none = mem_resize(NULL, 0, 8);
    ck_assert_ptr_nonnull(none);
    free(none);
    free(numbers);
}
END_TEST

START_TEST(growing_keeps_what_was_there)
{
    size_t cap = 0;
    void *data = NULL;

    for (size_t n = 1; n <= 1000; n++) {
        mem_grow(&data, &cap, n, sizeof(size_t));
        ck_assert_uint_ge(cap, n);
        ((size_t *)data)[n - 1] = n;
    }
    for (size_t n = 1; n <= 1000; n++)
        ck_assert_uint_eq(((size_t *)data)[n - 1], n);
    free(data);
}
END_TEST

START_TEST(enough_room_is_left_alone)
{
    size_t cap = 0;
    void *data = NULL, *before;

    mem_grow(&data, &cap, 5, 4);
    before = data;
    mem_grow(&data, &cap, cap, 4);
    ck_assert_ptr_eq(data, before);
    free(data);
}
END_TEST

START_TEST(copies_are_ones_own)
{
    char *text = mem_copy_text("trial"), *bytes = mem_copy_bytes("abcdef", 3);
    char *made = mem_format("%s-%d", "digits", 7);

    ck_assert_str_eq(text, "trial");
    ck_assert_str_eq(bytes, "abc");
    ck_assert_str_eq(made, "digits-7");
    ck_assert_ptr_null(mem_copy_text(NULL));
    free(text);
    free(bytes);
    free(made);
}
END_TEST

START_TEST(what_no_memory_can_hold_ends_the_program)
{
    pid_t child = fork();
    int status;

    ck_assert_int_ge(child, 0);
    if (!child) {
        volatile size_t half = SIZE_MAX / 2;

        if (dup2(open("/dev/null", O_WRONLY), STDERR_FILENO) < 0)
            _exit(2);
        free(mem_resize(NULL, half, 4));
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}
END_TEST

SUITE("base/mem", new_memory_is_zeroed_and_none_is_still_a_pointer,
      growing_keeps_what_was_there, enough_room_is_left_alone,
      copies_are_ones_own, what_no_memory_can_hold_ends_the_program)
