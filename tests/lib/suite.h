/* One line makes a test program of a file of tests:
 *
 *     SUITE("room/file", first_test, second_test)
 *
 * Check forks each test unless CK_FORK=no (sanitizers, debuggers). */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_LIB_SUITE_H
#define TESTS_LIB_SUITE_H

#include <check.h>
#include <stddef.h>

/* Runs the n tests, each with `seconds` to live; returns main's exit status. */
int suite_run(const char *name, const TTest *const *tests, size_t n,
              int seconds);

#define SUITE_WITHIN(seconds, name, ...)                                       \
    int main(void)                                                             \
    {                                                                          \
        const TTest *const tests[] = {__VA_ARGS__};                            \
        return suite_run(name, tests, sizeof tests / sizeof tests[0],          \
                         seconds);                                             \
    }
#define SUITE(name, ...) SUITE_WITHIN(60, name, __VA_ARGS__)

#endif
