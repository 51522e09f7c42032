/* The owner's token is made once, for its owner's eyes, and then kept. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/owner.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/lib/suite.h"

static char folder[32], path[48];

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/ht-owner.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/token", folder);
}

static void teardown(void)
{
    unlink(path);
    ck_assert_int_eq(rmdir(folder), 0);
}

static void write_token(const char *text)
{
    FILE *file = fopen(path, "we");

    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs(text, file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(it_is_made_once_and_for_its_owner_alone)
{
    char *first = NULL, *again = NULL, *other = NULL;
    struct stat st;
    struct err e = {0};

    setup();
    ck_assert_msg(owner_token(folder, &first, &e) == 0, "%s", e.text);
    ck_assert_uint_eq(strlen(first), strlen(OWNER_PREFIX) + 64);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 07777, 0600);
    ck_assert_int_eq(owner_token(folder, &again, &e), 0);
    ck_assert_str_eq(first, again);
    unlink(path); /* how it is changed */
    ck_assert_int_eq(owner_token(folder, &other, &e), 0);
    ck_assert_str_ne(first, other);
    free(first);
    free(again);
    free(other);
    teardown();
}
END_TEST

START_TEST(a_token_of_ones_own_is_taken_if_it_is_long_enough)
{
    static const char mine[] = "a-token-of-one-s-own.forty-characters-xx";
    char *token = NULL;
    struct err e = {0};

    setup();
    write_token("a-token-of-one-s-own.forty-characters-xx\r\nand more\n");
    ck_assert_int_eq(owner_token(folder, &token, &e), 0);
    ck_assert_str_eq(token, mine);
    free(token);
    teardown();
}
END_TEST

START_TEST(a_file_that_holds_no_token_is_left_alone)
{
    static const char *const wrong[] = {
        "", "\n", "short\n", "a token of forty characters with blanks xx\n",
        "\na-token-of-one-s-own.forty-characters-xx\n"};
    struct err e;

    setup();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char *token = NULL;
        struct stat st;

        write_token(wrong[i]);
        ck_assert_int_eq(owner_token(folder, &token, &e), -1);
        ck_assert_int_eq(e.code, ERR_IO);
        ck_assert_ptr_nonnull(strstr(e.text, path));
        ck_assert_ptr_null(token);
        ck_assert_int_eq(stat(path, &st), 0);
        ck_assert_int_eq(st.st_size, (off_t)strlen(wrong[i]));
    }
    teardown();
    e = (struct err){0};
    ck_assert_int_eq(owner_token("/nowhere/at/all", &(char *){NULL}, &e), -1);
}
END_TEST

SUITE("face/owner", it_is_made_once_and_for_its_owner_alone,
      a_token_of_ones_own_is_taken_if_it_is_long_enough,
      a_file_that_holds_no_token_is_left_alone)
