/* Tokens are made, listed and deleted by the service; their secret alone goes
 * to stdout. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/cli/fake.h"

#include "cli/cmd.h"
#include "tests/lib/suite.h"

static const struct fake_route routes[] = {
    {SERVE_POST, "/api/tokens",
     "{\"name\":\"ci\",\"role\":\"reader\",\"days\":30}", 200,
     "{\"name\": \"ci\", \"token\": \"ht_1\"}", false, NULL},
    {SERVE_POST, "/api/tokens", NULL, 403,
     "{\"error\": {\"code\": \"forbidden\", \"message\": \"only an admin\"}}",
     false, NULL},
    {SERVE_GET, "/api/tokens", NULL, 200,
     "{\"tokens\": [{\"name\": \"ci\", \"role\": \"reader\", \"created\": 5, "
     "\"expires\": 0}]}",
     false, NULL},
    {SERVE_DELETE, "/api/tokens", NULL, 200, "{}", false, NULL},
    {0}};

/* What it prints, and what it returns. */
static char *run(struct fake *f, struct options *o, int *rc, struct err *e)
{
    o->verb = "token";
    o->text[OPTION_SERVER] = f->url;
    fake_hear(f);
    *rc = cmd_token(o, e);
    return fake_heard(f);
}

START_TEST(the_secret_alone_is_printed)
{
    struct options o = {.words = (const char *[]){"new", "ci"},
                        .n_words = 2,
                        .text = {[OPTION_ROLE] = "reader"},
                        .number = {[OPTION_DAYS] = 30}};
    struct fake f;
    struct err e = {0};
    char *out;
    int rc;

    fake_start(&f, routes);
    out = run(&f, &o, &rc, &e);
    ck_assert_msg(rc == CMD_DONE, "%s", e.text);
    ck_assert_str_eq(out, "ht_1\n");
    free(out);
    o.number[OPTION_DAYS] = 0;
    out = run(&f, &o, &rc, &e);
    ck_assert_int_eq(rc, -1);
    ck_assert_str_eq(e.text, "only an admin");
    free(out);
    fake_stop(&f);
}
END_TEST

START_TEST(tokens_are_listed_and_deleted)
{
    struct options o = {
        .words = (const char *[]){"list"}, .n_words = 1, .format = FORMAT_CSV};
    struct fake f;
    struct err e = {0};
    char *out;
    int rc;

    fake_start(&f, routes);
    out = run(&f, &o, &rc, &e);
    ck_assert_int_eq(rc, CMD_DONE);
    ck_assert_ptr_nonnull(strstr(out, "ci,reader,"));
    free(out);
    o.words = (const char *[]){"delete", "ci"};
    o.n_words = 2;
    out = run(&f, &o, &rc, &e);
    ck_assert_int_eq(rc, CMD_DONE);
    ck_assert_str_eq(out, "");
    free(out);
    fake_stop(&f);
}
END_TEST

START_TEST(what_is_not_understood_is_said_before_anybody_is_asked)
{
    static const char *const wrong[][2] = {
        {"new", NULL}, {"make", "ci"}, {"list", "ci"}, {"delete", NULL}};
    struct options o = {.text = {[OPTION_SERVER] = "unix:/nowhere"}};
    struct err e;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        o.words = (const char **)(uintptr_t)wrong[i];
        o.n_words = wrong[i][1] ? 2 : 1;
        e = (struct err){0};
        ck_assert_int_eq(cmd_token(&o, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
    }
    o.words = (const char *[]){"new", "ci"};
    o.n_words = 2;
    ck_assert_int_eq(cmd_token(&o, &e), -1);
    ck_assert_ptr_nonnull(strstr(e.text, "--role"));
}
END_TEST

SUITE("cli/cmd_token", the_secret_alone_is_printed,
      tokens_are_listed_and_deleted,
      what_is_not_understood_is_said_before_anybody_is_asked)
