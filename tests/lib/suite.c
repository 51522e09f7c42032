/* Runs a list of Check tests as one suite. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/lib/suite.h"

#include <stdlib.h>

int suite_run(const char *name, const TTest *const *tests, size_t n,
              int seconds)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    SRunner *runner;
    int failed;

    tcase_set_timeout(tcase, seconds);
    for (size_t i = 0; i < n; i++)
        tcase_add_test(tcase, tests[i]);
    suite_add_tcase(suite, tcase);
    runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
