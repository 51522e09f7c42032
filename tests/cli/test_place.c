/* Flags win over the environment, and that over the defaults. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/place.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/suite.h"

static void clean_environment(void)
{
    (void)unsetenv("HYPERTUNE_SERVER");
    (void)unsetenv("HYPERTUNE_STATE");
    (void)unsetenv("HYPERTUNE_TOKEN");
    (void)unsetenv("XDG_STATE_HOME");
    (void)setenv("HOME", "/home/someone", 1);
}

static void state_is(const char *flag, const char *wanted)
{
    struct options o = {.text = {[OPTION_STATE] = flag}};
    struct err e;
    char *got;

    ck_assert_int_eq(place_state(&o, &got, &e), 0);
    ck_assert_str_eq(got, wanted);
    free(got);
}

static void server_is(const char *flag, const char *state, const char *wanted,
                      int wanted_told)
{
    struct options o = {
        .text = {[OPTION_SERVER] = flag, [OPTION_STATE] = state}};
    struct err e;
    char *got;
    int told = -1;

    ck_assert_int_eq(place_server(&o, &got, &told, &e), 0);
    ck_assert_str_eq(got, wanted);
    ck_assert_int_eq(told, wanted_told);
    free(got);
}

START_TEST(the_state_directory_is_found)
{
    clean_environment();
    state_is(NULL, "/home/someone/.local/state/hypertune");
    (void)setenv("XDG_STATE_HOME", "/xdg", 1);
    state_is(NULL, "/xdg/hypertune");
    (void)setenv("HYPERTUNE_STATE", "/own", 1);
    state_is(NULL, "/own");
    state_is("/flag", "/flag");
}
END_TEST

START_TEST(the_service_is_found)
{
    clean_environment();
    (void)setenv("HYPERTUNE_STATE", "/own", 1);
    server_is(NULL, NULL, "unix:/own/hypertuned.sock", 0);
    (void)setenv("HYPERTUNE_SERVER", "http://h:1", 1);
    server_is(NULL, NULL, "http://h:1", 1);
    server_is("unix:/s", NULL, "unix:/s", 1);
    server_is(NULL, "/flag", "unix:/flag/hypertuned.sock", 0);
}
END_TEST

/* A state directory with a token in it. */
static char state[32];

static void make_state(void)
{
    char path[64];
    FILE *file;

    (void)snprintf(state, sizeof state, "/tmp/ht-place.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(state));
    (void)snprintf(path, sizeof path, "%s/token", state);
    file = fopen(path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs("owners\n", file), 0);
    ck_assert_int_eq(fclose(file), 0);
}

static void drop_state(void)
{
    char path[64];

    (void)snprintf(path, sizeof path, "%s/token", state);
    (void)unlink(path);
    (void)rmdir(state);
}

START_TEST(a_token_of_the_environment_comes_first)
{
    struct options o = {.text = {[OPTION_STATE] = "/nowhere"}};
    char *token;

    clean_environment();
    ck_assert_ptr_null(place_token(&o, "http://localhost:1"));
    (void)setenv("HYPERTUNE_TOKEN", "secret", 1);
    token = place_token(&o, "https://tune.example.org");
    ck_assert_str_eq(token, "secret");
    free(token);
}
END_TEST

START_TEST(the_owners_token_stays_on_this_machine)
{
    static const char *const near[] = {
        "http://localhost:8470", "https://127.0.0.1", "http://[::1]:8470/",
        "http://LOCALHOST/"};
    static const char *const far[] = {
        "http://tune.example.org:8470", "http://localhost.example.org",
        "http://localhost@example.org", "http://localhost:x@example.org/",
        "http://127.0.0.10:1",          "unix:/s",
        "http://[::1].example.org"};
    struct options o = {.text = {[OPTION_STATE] = state}};

    clean_environment();
    make_state();
    for (size_t i = 0; i < sizeof near / sizeof *near; i++) {
        char *token = place_token(&o, near[i]);

        ck_assert_msg(token && !strcmp(token, "owners"), "%s", near[i]);
        free(token);
    }
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        ck_assert_msg(!place_token(&o, far[i]), "%s", far[i]);
    drop_state();
}
END_TEST

SUITE("cli/place", the_state_directory_is_found, the_service_is_found,
      a_token_of_the_environment_comes_first,
      the_owners_token_stays_on_this_machine)
