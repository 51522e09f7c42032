/* Trials that clients carry: several to a client, requested ones, those that
 * should stop, and those that are forgotten. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/request.h"

#include <check.h>
#include <string.h>

#include "tests/lib/suite.h"
#include "tests/tuner/lib/stage.h"

static struct stage g;

#define GRID                                                                   \
    "study: s\nminimize: loss\nparams:\n  x: [1, 2, 3, 4]\n"                   \
    "algorithm: grid\n"

static void begin(void)
{
    stage_init(&g);
    stage_open(&g);
}

static void end(void)
{
    ck_assert_str_eq(g.machine->fault, "");
    stage_clear(&g);
}

static void restart(void)
{
    stage_close(&g);
    stage_open(&g);
}

/* What one question came to. */
struct answer {
    int64_t number;
    struct err why;
    int times;
};

static void came(void *ctx, int64_t number, const struct err *e)
{
    struct answer *answer = ctx;

    answer->number = number;
    if (number == 0)
        answer->why = *e;
    answer->times++;
}

/* The number of the nth trial of the client, or 0. */
static int64_t ask(int64_t id, const char *client, int nth)
{
    struct answer answer = {0};
    struct err e;

    ck_assert_msg(
        engine_ask_nth(g.engine, id, client, nth, came, &answer, &e) == 0, "%s",
        e.text);
    engine_turn(g.engine);
    ck_assert_int_eq(answer.times, 1);
    return answer.number;
}

static int64_t request(int64_t id, const char *point)
{
    struct err e;
    int64_t number = 0;

    ck_assert_msg(engine_request(g.engine, id, point, &number, &e) == 0, "%s",
                  e.text);
    engine_turn(g.engine);
    return number;
}

static void tell(int64_t id, int64_t number, double value)
{
    struct err e;

    ck_assert_msg(engine_tell(g.engine, id, number, &value, NULL, &e) == 0,
                  "%s", e.text);
    engine_turn(g.engine);
}

static void forget(int64_t id, int64_t number)
{
    struct err e;

    ck_assert_msg(engine_forget(g.engine, id, number, &e) == 0, "%s", e.text);
    engine_turn(g.engine);
}

START_TEST(a_client_holds_several_trials_over_a_restart)
{
    int64_t id;

    begin();
    id = stage_submit(&g, GRID);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    ck_assert_int_eq(ask(id, "a", 1), 2);
    restart();
    ck_assert_int_eq(ask(id, "a", 1), 2);
    ck_assert_int_eq(ask(id, "b", 0), 3);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    tell(id, 1, 1);
    ck_assert_int_eq(ask(id, "a", 0), 2);
    end();
}
END_TEST

START_TEST(a_requested_point_takes_no_turn_of_the_grid)
{
    int64_t id;

    begin();
    id = stage_submit(&g, GRID);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    ck_assert_int_eq(request(id, "{\"x\": 4}"), 2);
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_PENDING);
    restart();
    ck_assert_int_eq(ask(id, "b", 0), 2);
    ck_assert_int_eq(stage_trial(&g, id, 2).state, TRIAL_RUNNING);
    ck_assert_int_eq(ask(id, "b", 1), 3);
    ck_assert_str_eq(stage_trial(&g, id, 3).point, "{\"x\": 2}");
    restart();
    ck_assert_int_eq(ask(id, "b", 2), 4);
    ck_assert_str_eq(stage_trial(&g, id, 4).point, "{\"x\": 3}");
    end();
}
END_TEST

START_TEST(a_point_that_is_not_in_the_space_is_not_requested)
{
    struct err e;
    int64_t id, number;

    begin();
    id = stage_submit(&g, GRID);
    ck_assert_int_eq(engine_request(g.engine, id, "{\"x\": 7}", &number, &e),
                     -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    engine_turn(g.engine);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    end();
}
END_TEST

START_TEST(a_trial_that_should_stop_is_its_clients_until_he_tells)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, GRID);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    ck_assert_int_eq(engine_should_stop(g.engine, id, 1, true, &e), 0);
    ck_assert_int_eq(engine_should_stop(g.engine, id, 1, true, &e), 0);
    engine_turn(g.engine);
    restart();
    stage_pass(&g, 100000);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_STOPPING);
    ck_assert_int_eq(ask(id, "a", 0), 2); /* it is not given again */
    ck_assert_int_eq(engine_report(g.engine, id, 1, "loss", 0.5, 1, &e), 0);
    tell(id, 1, 0.25);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_SUCCEEDED);
    ck_assert_double_eq(stage_trial(&g, id, 1).value, 0.25);
    ck_assert_int_eq(engine_should_stop(g.engine, id, 1, true, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    end();
}
END_TEST

START_TEST(a_cancelled_study_waits_for_no_client)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, GRID);
    ck_assert_int_eq(ask(id, "a", 0), 1);
    ck_assert_int_eq(ask(id, "a", 1), 2);
    ck_assert_int_eq(engine_should_stop(g.engine, id, 1, false, &e), 0);
    request(id, "{\"x\": 4}");
    ck_assert_int_eq(engine_cancel(g.engine, id, &e), 0);
    engine_turn(g.engine);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_CANCELLED);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_STOPPED), 3);
    end();
}
END_TEST

START_TEST(a_forgotten_trial_is_as_if_it_had_not_been)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, GRID);
    for (int i = 1; i <= 3; i++) {
        ck_assert_int_eq(ask(id, "a", 0), i);
        tell(id, i, 4 - i);
    }
    ck_assert_int_eq(ask(id, "a", 0), 4);
    forget(id, 3);
    forget(id, 4);
    ck_assert_int_eq(engine_forget(g.engine, id, 3, &e), -1);
    ck_assert_int_eq(e.code, ERR_ABSENT);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 2);
    ck_assert_int_eq(stage_count(&g, id, TRIAL_RUNNING), 0);
    restart();
    ck_assert_int_eq(stage_count(&g, id, TRIAL_SUCCEEDED), 2);
    /* as if they had not been: the grid tries their points again */
    ck_assert_int_eq(ask(id, "a", 0), 5);
    ck_assert_str_eq(stage_trial(&g, id, 5).point, "{\"x\": 3}");
    ck_assert_int_eq(ask(id, "a", 1), 6);
    ck_assert_str_eq(stage_trial(&g, id, 6).point, "{\"x\": 4}");
    tell(id, 5, 5);
    tell(id, 6, 6);
    ck_assert_int_eq(ask(id, "a", 0), 0);
    ck_assert_int_eq(stage_study_state(&g, id), STUDY_SUCCEEDED);
    end();
}
END_TEST

START_TEST(what_runs_as_a_process_is_not_forgotten)
{
    struct err e;
    int64_t id;

    begin();
    id = stage_submit(&g, GRID "run: ./train\nparallel: 1\n");
    stage_pass(&g, 10);
    ck_assert_int_eq(stage_trial(&g, id, 1).state, TRIAL_RUNNING);
    ck_assert_int_eq(engine_forget(g.engine, id, 1, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    ck_assert_int_eq(engine_should_stop(g.engine, id, 1, true, &e), -1);
    ck_assert_int_eq(e.code, ERR_CONFLICT);
    end();
}
END_TEST

SUITE_WITHIN(240, "tuner/request", a_client_holds_several_trials_over_a_restart,
             a_requested_point_takes_no_turn_of_the_grid,
             a_point_that_is_not_in_the_space_is_not_requested,
             a_trial_that_should_stop_is_its_clients_until_he_tells,
             a_cancelled_study_waits_for_no_client,
             a_forgotten_trial_is_as_if_it_had_not_been,
             what_runs_as_a_process_is_not_forgotten)
