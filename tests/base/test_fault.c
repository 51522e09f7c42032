/* Faults are kept in order, and near words are found. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fault.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(faults_keep_their_places_and_order)
{
    struct faults f;

    faults_init(&f);
    for (int i = 0; i < 100; i++)
        faults_add(&f, i, 2 * i, "fault %d of %s", i, "many");
    ck_assert_uint_eq(f.n, 100);
    ck_assert_int_eq(f.items[99].line, 99);
    ck_assert_int_eq(f.items[99].column, 198);
    ck_assert_str_eq(f.items[0].text, "fault 0 of many");
    ck_assert_str_eq(f.items[99].text, "fault 99 of many");
    faults_clear(&f);
    ck_assert_uint_eq(f.n, 0);
    faults_clear(&f);
}
END_TEST

START_TEST(a_mistyped_word_finds_what_was_meant)
{
    static const char *const names[] = {"maximize", "minimize", "params",
                                        "parallel", "run",      "x"};
    static const char long_word[] = "a word that is much longer than any of "
                                    "those that a person mistypes by chance";
    static const struct {
        const char *word, *near; /* NULL: nothing is near */
    } rows[] = {
        {"maximise", "maximize"},
        {"minimise", "minimize"},
        {"parms", "params"},
        {"praams", "params"},
        {"paralel", "parallel"},
        {"rnu", "run"},
        {"runs", "run"},
        {"rn", "run"},
        {"run", "run"},
        {"colour", NULL},
        {"", NULL},
        {"y", NULL},
        {"xy", "x"},
        {long_word, NULL},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *near =
            fault_near(rows[i].word, names, sizeof names / sizeof names[0]);

        ck_assert_msg((near == NULL) == (rows[i].near == NULL), "%s: %s",
                      rows[i].word, near ? near : "nothing");
        if (near)
            ck_assert_str_eq(near, rows[i].near);
    }
    ck_assert_ptr_null(fault_near("run", names, 0));
}
END_TEST

SUITE("base/fault", faults_keep_their_places_and_order,
      a_mistyped_word_finds_what_was_meant)
