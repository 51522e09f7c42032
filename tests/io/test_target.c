/* Targets of requests are decoded once, and do not climb. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "io/target.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"

static const struct {
    const char *raw;
    const char *path; /* NULL = refused */
    const char *q;    /* the value of q; NULL = none */
} rows[] = {
    {"/", "/", NULL},
    {"/a/b", "/a/b", NULL},
    {"//v1/a", "/v1/a", NULL},
    {"///v1//a/", "/v1/a", NULL},
    {"/a/./b/.", "/a/b", NULL},
    {"/a%2Fb%20c", "/a/b c", NULL},
    {"/a%252F", "/a%2F", NULL},
    {"/...", "/...", NULL},
    {"/a?q=1&q=2", "/a", "1"},
    {"/a?p&q", "/a", ""},
    {"/a?&&q=x%26y+z", "/a", "x&y z"},
    {"/a?q=..", "/a", ".."},
    {"/a#q=1", "/a", NULL},
    {"?q=1", "/", "1"},
    {"", "/", NULL},
    {"http://h/a?q=1", "/a", "1"},
    {"http://h", "/", NULL},
    {"http://h?q=/b", "/", "/b"},
    {"/a?q=http://h/b", "/a", "http://h/b"},
    {"/..", NULL, NULL},
    {"/a/../b", NULL, NULL},
    {"/a/%2e%2E/b", NULL, NULL},
    {"http://h/..", NULL, NULL},
    {"/a%00", NULL, NULL},
    {"/a?q=%00", NULL, NULL},
    {"/a?%00=1", NULL, NULL},
    {"*", NULL, NULL},
    {"h:80", NULL, NULL},
};

START_TEST(a_target_is_decoded_once_and_does_not_climb)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        struct target t;
        int rc = target_read(&t, rows[i].raw, &e);
        const char *q = rc ? NULL : target_value(&t, "q");

        ck_assert_msg(rc == (rows[i].path ? 0 : -1), "%s", rows[i].raw);
        if (rc) {
            ck_assert_int_eq(e.code, ERR_INVALID);
        } else {
            ck_assert_str_eq(t.path, rows[i].path);
            ck_assert_msg(q ? rows[i].q && !strcmp(q, rows[i].q) : !rows[i].q,
                          "%s: %s", rows[i].raw, q);
        }
        target_clear(&t);
        target_clear(&t);
    }
}
END_TEST

START_TEST(a_host_is_what_an_absolute_target_names)
{
    size_t n = 0;

    ck_assert_ptr_null(target_host("/a?b=http://c/", &n));
    ck_assert_ptr_null(target_host("//host/a", &n));
    ck_assert_ptr_null(target_host("*", &n));
    ck_assert_int_eq(strncmp(target_host("http://h:1?x", &n), "h:1", 3), 0);
    ck_assert_uint_eq(n, 3);
    ck_assert_ptr_nonnull(target_host("http://", &n));
    ck_assert_uint_eq(n, 0);
}
END_TEST

SUITE("io/target", a_target_is_decoded_once_and_does_not_climb,
      a_host_is_what_an_absolute_target_names)
