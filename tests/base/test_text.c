/* Growing text grows, and is handed over whole. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(text_that_holds_nothing_is_empty_and_not_null)
{
    struct text t;
    char *taken;

    text_init(&t);
    ck_assert_str_eq(text_str(&t), "");
    taken = text_take(&t);
    ck_assert_str_eq(taken, "");
    free(taken);
    text_clear(&t);
    text_clear(&t);
}
END_TEST

START_TEST(what_is_added_stands_one_after_the_other)
{
    struct text t;

    text_init(&t);
    text_add(&t, "trial ");
    text_addf(&t, "%d of %s", 7, "digits");
    text_addf(&t, "%s", "");
    text_add_bytes(&t, "; cut here", 1);
    ck_assert_str_eq(text_str(&t), "trial 7 of digits;");
    ck_assert_uint_eq(t.len, strlen("trial 7 of digits;"));
    text_reset(&t);
    ck_assert_str_eq(text_str(&t), "");
    text_add(&t, "anew");
    ck_assert_str_eq(text_str(&t), "anew");
    text_clear(&t);
}
END_TEST

START_TEST(bytes_with_a_nul_among_them_are_kept)
{
    struct text t;

    text_init(&t);
    text_add_bytes(&t, "a\0b", 3);
    text_add(&t, "c");
    ck_assert_uint_eq(t.len, 4);
    ck_assert_mem_eq(t.data, "a\0bc", 5);
    text_clear(&t);
}
END_TEST

START_TEST(a_megabyte_grows_in_small_steps)
{
    struct text t;

    text_init(&t);
    for (int i = 0; i < 100000; i++)
        text_addf(&t, "%09d\n", i);
    ck_assert_uint_eq(t.len, 1000000);
    ck_assert_str_eq(t.data + t.len - 10, "000099999\n");
    text_clear(&t);
}
END_TEST

START_TEST(taken_text_is_the_takers_and_leaves_none)
{
    struct text t;
    char *taken;

    text_init(&t);
    text_add(&t, "mine");
    taken = text_take(&t);
    text_add(&t, "another");
    ck_assert_str_eq(taken, "mine");
    ck_assert_str_eq(text_str(&t), "another");
    free(taken);
    text_clear(&t);
}
END_TEST

SUITE("base/text", text_that_holds_nothing_is_empty_and_not_null,
      what_is_added_stands_one_after_the_other,
      bytes_with_a_nul_among_them_are_kept, a_megabyte_grows_in_small_steps,
      taken_text_is_the_takers_and_leaves_none)
