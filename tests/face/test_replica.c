/* Replicas are found by the names that people and Vertex give them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/replica.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"

static struct study study_of(int workers, int ps)
{
    struct study s;

    study_init(&s);
    s.name = mem_copy_text("digits");
    s.job.tasks[ROLE_WORKER].replicas = workers;
    s.job.tasks[ROLE_PS].replicas = ps;
    return s;
}

START_TEST(each_replica_has_its_folder)
{
    static const struct {
        const char *name, *folder;
    } rows[] = {
        {"master-0", ""},
        {"master", ""},
        {"chief", ""},
        {"workerpool0-0", ""},
        {"worker-0", "worker-0"},
        {"worker-2", "worker-2"},
        {"workerpool1-1", "worker-1"},
        {"ps-0", "ps-0"},
        {"workerpool2-0", "ps-0"},
    };
    struct study s = study_of(3, 1);

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        char *folder = NULL;

        ck_assert_msg(replica_find(&s, rows[i].name, &folder, &e) == 0, "%s",
                      e.text);
        ck_assert_str_eq(folder, rows[i].folder);
        free(folder);
    }
    study_clear(&s);
}
END_TEST

START_TEST(a_name_of_none_is_answered_with_those_that_there_are)
{
    static const char *const bad[] = {"worker-3",  "worker",      "worker-",
                                      "worker--1", "ps-2",        "",
                                      "../x",      "-0",          "evaluator-0",
                                      "master-1",  "worker-0/..", "worker-0x"};
    struct study s = study_of(3, 2);

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct err e = {0};
        char *folder = NULL;

        ck_assert_msg(replica_find(&s, bad[i], &folder, &e) == -1, "%s",
                      bad[i]);
        ck_assert_int_eq(e.code, ERR_ABSENT);
        ck_assert_ptr_nonnull(
            strstr(e.text, "it has master-0, worker-0 to worker-2, ps-0, "
                           "ps-1"));
    }
    study_clear(&s);
}
END_TEST

SUITE("face/replica", each_replica_has_its_folder,
      a_name_of_none_is_answered_with_those_that_there_are)
