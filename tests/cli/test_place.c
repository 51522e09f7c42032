/* Flags win over the environment, and that over the defaults. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/place.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

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

START_TEST(a_token_of_the_environment_comes_first)
{
    struct options o = {.text = {[OPTION_STATE] = "/nowhere"}};
    char *token;

    clean_environment();
    ck_assert_ptr_null(place_token(&o));
    (void)setenv("HYPERTUNE_TOKEN", "secret", 1);
    token = place_token(&o);
    ck_assert_str_eq(token, "secret");
    free(token);
}
END_TEST

SUITE("cli/place", the_state_directory_is_found, the_service_is_found,
      a_token_of_the_environment_comes_first)
