/* The states after --only are read before anybody is asked. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/cmd.h"
#include "tests/cli/fake.h"
#include "tests/lib/suite.h"

static const struct fake_route routes[] = {
    {SERVE_GET, "/api/studies/s", NULL, 200,
     "{\"spec\": {\"params\": {}, \"maximize\": \"a\"}}", false, NULL},
    {SERVE_GET, "/api/studies/s/trials", "FAILED,STOPPED", 200,
     "{\"trials\": [{\"number\": 4}], \"next\": 0}", false, NULL},
    {SERVE_OTHER, NULL, NULL, 0, NULL, false, NULL}};

/* What the command prints with that after --only; *rc is how it ends. Yours
 * to free. */
static char *listed(const char *only, int *rc, struct err *e)
{
    static const char *words[] = {"s"};
    struct options o = {.words = words, .n_words = 1, .format = FORMAT_JSON};
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    o.text[OPTION_SERVER] = fake.url;
    o.text[OPTION_ONLY] = only;
    fake_hear(&fake);
    *rc = cmd_trials(&o, e);
    heard = fake_heard(&fake);
    fake_stop(&fake);
    return heard;
}

START_TEST(states_may_be_written_small)
{
    static const char *const rows[] = {"FAILED,STOPPED", "failed,Stopped"};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        int rc;
        char *heard = listed(rows[i], &rc, &e);

        ck_assert_msg(rc == CMD_DONE, "%s", e.text);
        ck_assert_ptr_nonnull(strstr(heard, "\"number\": 4"));
        free(heard);
    }
}
END_TEST

START_TEST(a_word_that_is_no_state_is_told_with_those_that_are)
{
    static const struct {
        const char *only, *says;
    } rows[] = {
        {"faild", "--only names no state of a trial: \"faild\"; did you mean "
                  "FAILED?; the states are PENDING, LAUNCHING, RUNNING, "
                  "STOPPING, SUCCEEDED, STOPPED, INFEASIBLE, FAILED"},
        {"failed,green", "--only names no state of a trial: \"green\"; the "
                         "states are PENDING, LAUNCHING, RUNNING, STOPPING, "
                         "SUCCEEDED, STOPPED, INFEASIBLE, FAILED"},
        {"", "--only names no state of a trial: \"\"; the states are PENDING, "
             "LAUNCHING, RUNNING, STOPPING, SUCCEEDED, STOPPED, INFEASIBLE, "
             "FAILED"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err e = {0};
        int rc;
        char *heard = listed(rows[i].only, &rc, &e);

        ck_assert_int_eq(rc, -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_str_eq(e.text, rows[i].says);
        ck_assert_str_eq(heard, "");
        free(heard);
    }
}
END_TEST

SUITE("cli/cmd_trials", states_may_be_written_small,
      a_word_that_is_no_state_is_told_with_those_that_are)
