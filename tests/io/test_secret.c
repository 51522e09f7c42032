/* Secrets are random, and their hashes those of the standards. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/secret.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

START_TEST(hashes_are_those_of_the_standards)
{
    char out[SECRET_TEXT];

    secret_hash("abc", out); /* FIPS 180-2, appendix B.1 */
    ck_assert_str_eq(
        out,
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    /* RFC 4231, test case 2 */
    secret_sign("Jefe", "what do ya want for nothing?", out);
    ck_assert_str_eq(
        out,
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}
END_TEST

START_TEST(no_secret_comes_twice)
{
    char a[SECRET_TEXT], b[SECRET_TEXT];

    ck_assert_int_eq(secret_make(a, NULL), 0);
    ck_assert_int_eq(secret_make(b, NULL), 0);
    ck_assert_uint_eq(strlen(a), SECRET_TEXT - 1);
    ck_assert_uint_eq(strspn(a, "0123456789abcdef"), SECRET_TEXT - 1);
    ck_assert_str_ne(a, b);
}
END_TEST

START_TEST(only_the_same_text_is_the_same)
{
    ck_assert(secret_same("", ""));
    ck_assert(secret_same("abc", "abc"));
    ck_assert(!secret_same("abc", "abd"));
    ck_assert(!secret_same("abc", "ab"));
    ck_assert(!secret_same("abc", "abcd"));
    ck_assert(!secret_same("abc", ""));
}
END_TEST

SUITE("io/secret", hashes_are_those_of_the_standards, no_secret_comes_twice,
      only_the_same_text_is_the_same)
