/* GPUs as NVML tells of them: of a pretended one, which this program builds by
 * the compiler that built it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trials/gpus.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tests/lib/suite.h"

/* Where CMake has put the pretended library. */
static const char *library(void)
{
    static char path[500];
    const char *build = getenv("HYPERTUNE_BUILD");

    snprintf(path, sizeof path, "%s/tests/trials/libpretended-nvml.so",
             build ? build : ".");
    return path;
}

START_TEST(gpus_are_known_by_uuid_name_and_memory)
{
    struct gpus g;

    setenv("PRETENDED_GPUS", "3", 1);
    gpus_find(&g, library());
    ck_assert_uint_eq(g.n, 3);
    ck_assert_str_eq(g.items[0].id, "GPU-00000000-1111-2222-3333-000000000000");
    ck_assert_str_eq(g.items[2].id, "GPU-00000000-1111-2222-3333-000000000002");
    ck_assert_str_eq(g.items[1].name, "Pretended H200");
    ck_assert_int_eq(g.items[1].memory, (int64_t)141 << 30);
    gpus_clear(&g);
    gpus_clear(&g);
}
END_TEST

START_TEST(one_that_cannot_be_used_is_passed_over)
{
    struct gpus g;

    log_limit(LOG_LEVEL_ERROR);
    setenv("PRETENDED_GPUS", "3", 1);
    setenv("PRETENDED_BROKEN", "1", 1);
    gpus_find(&g, library());
    unsetenv("PRETENDED_BROKEN");
    ck_assert_uint_eq(g.n, 2);
    ck_assert_str_eq(g.items[1].id, "GPU-00000000-1111-2222-3333-000000000002");
    gpus_clear(&g);
}
END_TEST

/* As after an update of the driver, until the machine is started again. */
START_TEST(a_driver_that_does_not_answer_is_as_none)
{
    struct gpus g, none;

    setenv("PRETENDED_GPUS", "-1", 1);
    gpus_find(&g, library());
    gpus_find(&none, "/nowhere/libnvidia-ml.so.1");
    ck_assert_uint_eq(g.n, none.n); /* the devices that this machine has */
    for (size_t i = 0; i < g.n; i++)
        ck_assert(gpus_is_index(g.items[i].id));
    gpus_clear(&g);
    gpus_clear(&none);
}
END_TEST

START_TEST(gpus_are_taken_as_they_are_written)
{
    struct gpus g;
    struct err e;

    ck_assert_int_eq(gpus_read(&g, "1,0, GPU-5f, MIG-0a-bc", &e), 0);
    ck_assert_uint_eq(g.n, 4);
    ck_assert_str_eq(g.items[0].id, "1");
    ck_assert_str_eq(g.items[2].id, "GPU-5f");
    ck_assert_str_eq(g.items[3].id, "MIG-0a-bc");
    gpus_clear(&g);
    ck_assert_int_eq(gpus_read(&g, "none", &e), 0);
    ck_assert_uint_eq(g.n, 0);
}
END_TEST

START_TEST(what_is_no_gpu_is_refused)
{
    static const char *const bad[] = {"",      "all",     "0,,1",    "-1",
                                      "GPU-",  "0,1,0",   "GPU-a b", "1.5",
                                      "99999", "GPU-x;y", "none,0"};
    struct gpus g;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err e = {0};

        ck_assert_msg(gpus_read(&g, bad[i], &e) == -1, "%s", bad[i]);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_uint_eq(g.n, 0);
    }
}
END_TEST

SUITE("trials/gpus", gpus_are_known_by_uuid_name_and_memory,
      one_that_cannot_be_used_is_passed_over,
      a_driver_that_does_not_answer_is_as_none,
      gpus_are_taken_as_they_are_written, what_is_no_gpu_is_refused)
