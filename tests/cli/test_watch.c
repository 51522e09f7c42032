/* Watching goes on to the study's end, through losses and interruptions. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch.h"

#include <sys/wait.h>

#include "cli/cmd.h"
#include "cli/interrupt.h"
#include "tests/cli/fake.h"
#include "tests/lib/suite.h"

#define STUDY(state, running)                                                  \
    "\"study\": {\"name\": \"s\", \"state\": \"" state                         \
    "\", \"metric\": \"a\","                                                   \
    " \"created\": 1000, \"ended\": 2000, \"counts\": {\"RUNNING\": " running  \
    ", \"SUCCEEDED\": 1}, \"best\": {\"number\": 1, \"value\": 0.5,"           \
    " \"params\": {\"x\": 3}}}"
#define TRIAL_ONE                                                              \
    "{\"id\": 4, \"kind\": \"trial\", \"body\": {\"number\": 1, \"from\":"     \
    " \"RUNNING\", \"to\": \"SUCCEEDED\", \"value\": 0.5, \"params\":"         \
    " {\"x\": 3}, \"best_number\": 1, \"best_value\": 0.5}}"
#define NONE                                                                   \
    {                                                                          \
        SERVE_OTHER, NULL, NULL, 0, NULL, false, NULL                          \
    }

static const char events[] = "/api/studies/s/events";

/* Watches by the command, and says how it ended. Yours to free: *heard. */
static int watch(struct fake *f, char **heard, bool interrupted, bool pauses,
                 enum watch_end *end)
{
    struct options o = {.text = {[OPTION_SERVER] = f->url}};
    struct watch w = {.study = "s", .pauses = pauses};
    struct client *c;
    struct err e;
    int rc;

    ck_assert_int_eq(client_open(&c, &o, &e), 0);
    interrupt_catch();
    if (interrupted)
        interrupt_raise();
    w.client = c;
    fake_hear(f);
    rc = watch_study(&w, end, &e);
    *heard = fake_heard(f);
    client_close(c);
    return rc;
}

START_TEST(every_event_has_its_line_and_the_end_its_summary)
{
    static const struct fake_route routes[] = {
        {SERVE_GET, events, "0", 200,
         "{\"events\": [" TRIAL_ONE "], " STUDY("ACTIVE", "1") "}", true, NULL},
        {SERVE_GET, events, "4", 200,
         "{\"events\": [], " STUDY("ACTIVE", "1") "}", true, NULL},
        {SERVE_GET, events, "4", 200,
         "{\"events\": [], " STUDY("SUCCEEDED", "0") "}", true, NULL},
        {SERVE_GET, "/api/studies/s/trials/1", NULL, 200,
         "{\"number\": 1, \"folder\": \"/there/1\"}", false, NULL},
        NONE};
    enum watch_end end;
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    ck_assert_int_eq(watch(&fake, &heard, false, true, &end), 0);
    ck_assert_int_eq(end, WATCH_SUCCEEDED);
    ck_assert_str_eq(heard, "Trial 1 SUCCEEDED a=0.5 x=3  best: trial 1 0.5\n"
                            "Study s SUCCEEDED: 1 succeeded in 1.0s\n"
                            "Best: trial 1  a=0.5\n"
                            "  x       3\n"
                            "  output  /there/1\n");
    free(heard);
    fake_stop(&fake);
}
END_TEST

START_TEST(an_interruption_pauses_and_waits_until_nothing_runs)
{
    static const struct fake_route routes[] = {
        {SERVE_POST, "/api/studies/s:pause", "\"interrupt\":true", 200,
         "{\"state\": \"PAUSED\"}", true, NULL},
        {SERVE_GET, events, NULL, 200,
         "{\"events\": [], " STUDY("PAUSED", "2") "}", true, NULL},
        {SERVE_GET, events, NULL, 200,
         "{\"events\": [], " STUDY("PAUSED", "0") "}", true, NULL},
        NONE};
    enum watch_end end;
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    ck_assert_int_eq(watch(&fake, &heard, true, true, &end), 0);
    ck_assert_int_eq(end, WATCH_INTERRUPTED);
    ck_assert_ptr_nonnull(strstr(heard, "Study s PAUSED"));
    free(heard);
    fake_stop(&fake);
}
END_TEST

START_TEST(a_study_paused_by_others_is_told_with_its_reason)
{
    static const struct fake_route routes[] = {
        {SERVE_GET, events, NULL, 200,
         "{\"events\": [], " STUDY("PAUSED", "0") "}", false, NULL},
        {SERVE_GET, "/api/studies/s/why", NULL, 200,
         "{\"why\": \"three trials ended at once\"}", false, NULL},
        NONE};
    enum watch_end end;
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    ck_assert_int_eq(watch(&fake, &heard, false, true, &end), 0);
    ck_assert_int_eq(end, WATCH_PAUSED);
    ck_assert_ptr_nonnull(strstr(heard, "three trials ended at once\n"));
    free(heard);
    fake_stop(&fake);
}
END_TEST

START_TEST(a_service_that_goes_away_for_good_is_an_error)
{
    static const struct fake_route routes[] = {NONE};
    enum watch_end end = WATCH_LEFT;
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    (void)kill(fake.pid, SIGKILL);
    (void)waitpid(fake.pid, NULL, 0);
    ck_assert_int_eq(watch(&fake, &heard, false, true, &end), -1);
    ck_assert_str_eq(heard, "");
    free(heard);
    fake_stop(&fake);
}
END_TEST

START_TEST(who_only_watches_pauses_nothing)
{
    static const struct fake_route routes[] = {NONE};
    enum watch_end end;
    struct fake fake;
    char *heard;

    fake_start(&fake, routes);
    ck_assert_int_eq(watch(&fake, &heard, true, false, &end), 0);
    ck_assert_int_eq(end, WATCH_INTERRUPTED);
    free(heard);
    fake_stop(&fake);
}
END_TEST

SUITE("cli/watch", every_event_has_its_line_and_the_end_its_summary,
      an_interruption_pauses_and_waits_until_nothing_runs,
      a_study_paused_by_others_is_told_with_its_reason,
      a_service_that_goes_away_for_good_is_an_error,
      who_only_watches_pauses_nothing)
