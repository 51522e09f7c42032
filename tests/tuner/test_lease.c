/* Leases: a silent client's trial is suspect, not dead. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/lease.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

enum { LEASE_MS = 60000 };

static struct stage g;

static int64_t begin(const char *rest, int64_t lease_ms)
{
    char yaml[300];

    stage_init(&g);
    g.lease_ms = lease_ms;
    stage_open(&g);
    snprintf(yaml, sizeof yaml,
             "study: s\nminimize: loss\nparams:\n  x: 0 .. 1\n%s", rest);
    return stage_submit(&g, yaml);
}

static void end(void)
{
    stage_clear(&g);
}

static void came(void *ctx, int64_t number, const struct err *e)
{
    (void)e;
    *(int64_t *)ctx = number;
}

static int64_t ask(int64_t id, const char *client)
{
    int64_t number = -1;
    struct err e;

    ck_assert_msg(engine_ask(g.engine, id, client, came, &number, &e) == 0,
                  "%s", e.text);
    engine_turn(g.engine);
    return number;
}

static void why(int64_t id, int64_t number, const char *says, bool does)
{
    struct text out;
    struct err e;

    text_init(&out);
    ck_assert_int_eq(engine_why(g.engine, id, number, &out, &e), 0);
    ck_assert_msg((strstr(text_str(&out), says) != NULL) == does, "%s",
                  text_str(&out));
    text_clear(&out);
}

START_TEST(a_silent_clients_trial_is_suspect_and_handed_on)
{
    double value = 0.5;
    struct err e;
    int64_t id = begin("trials: 2\n", LEASE_MS);

    ck_assert_int_eq(ask(id, "a"), 1);
    ck_assert_int_eq(ask(id, "b"), 2);
    stage_pass(&g, LEASE_MS - 1);
    why(id, 1, "suspect", false);
    ck_assert_int_eq(ask(id, "c"), 0);
    ck_assert_int_eq(engine_report(g.engine, id, 2, "loss", 1, 1, &e), 0);
    stage_pass(&g, 1);
    why(id, 1, "suspect, for the client a has been silent for 60 s", true);
    why(id, 0, "longer than the lease: 1", true);
    why(id, 2, "suspect", false); /* it has reported */
    ck_assert_int_eq(ask(id, "c"), 1);
    why(id, 1, "suspect", false);
    ck_assert_int_eq(ask(id, "d"), 0); /* once to one */
    ck_assert_int_eq(ask(id, "c"), 1);

    /* the first was only slow: what it tells counts, and what comes after is
     * refused */
    ck_assert_int_eq(engine_tell(g.engine, id, 1, &value, NULL, &e), 0);
    engine_turn(g.engine);
    ck_assert(stage_trial(&g, id, 1).value == 0.5);
    ck_assert_int_eq(engine_tell(g.engine, id, 1, &value, NULL, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    end();
}
END_TEST

START_TEST(new_trials_come_before_suspect_ones)
{
    int64_t id = begin("trials: 3\n", LEASE_MS);

    ck_assert_int_eq(ask(id, "a"), 1);
    stage_pass(&g, 1000);
    ck_assert_int_eq(ask(id, "b"), 2);
    stage_pass(&g, 10 * LEASE_MS);
    ck_assert_int_eq(ask(id, "c"), 3);
    ck_assert_int_eq(ask(id, "d"), 1); /* the longest silent first */
    ck_assert_int_eq(ask(id, "e"), 2);
    ck_assert_int_eq(ask(id, "f"), 0);
    end();
}
END_TEST

START_TEST(asking_again_is_a_sign_of_life)
{
    int64_t id = begin("trials: 1\n", LEASE_MS);

    ck_assert_int_eq(ask(id, "a"), 1);
    stage_pass(&g, LEASE_MS - 1);
    ck_assert_int_eq(ask(id, "a"), 1);
    stage_pass(&g, LEASE_MS - 1);
    ck_assert_int_eq(ask(id, "b"), 0);
    stage_pass(&g, 1);
    ck_assert_int_eq(ask(id, "b"), 1);
    end();
}
END_TEST

START_TEST(a_restart_begins_all_leases_anew)
{
    int64_t id = begin("trials: 1\n", LEASE_MS);

    ck_assert_int_eq(ask(id, "a"), 1);
    stage_pass(&g, LEASE_MS);
    stage_close(&g);
    stage_open(&g);
    ck_assert_int_eq(ask(id, "b"), 0);
    stage_pass(&g, LEASE_MS);
    ck_assert_int_eq(ask(id, "b"), 1);
    stage_close(&g);
    stage_open(&g);
    ck_assert_int_eq(ask(id, "b"), 1); /* it is still that client's */
    end();
}
END_TEST

START_TEST(without_a_lease_nothing_is_handed_on)
{
    int64_t id = begin("trials: 1\n", 0);

    ck_assert_int_eq(ask(id, "a"), 1);
    stage_pass(&g, (int64_t)1000 * LEASE_MS);
    why(id, 1, "suspect", false);
    ck_assert_int_eq(ask(id, "b"), 0);
    end();
}
END_TEST

SUITE("tuner/lease", a_silent_clients_trial_is_suspect_and_handed_on,
      new_trials_come_before_suspect_ones, asking_again_is_a_sign_of_life,
      a_restart_begins_all_leases_anew, without_a_lease_nothing_is_handed_on)
