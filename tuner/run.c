/* The one door through which every state changes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/quote.h"
#include "study/front.h"
#include "tuner/early.h"
#include "tuner/mind.h"

static int begin(struct board *b)
{
    struct err e;

    if (b->broken)
        return -1;
    if (store_begin(b->parts.store, &e))
        return board_fail(b, &e);
    return 0;
}

static int tell(struct board *b, struct live_study *s, const char *kind,
                const struct text *body)
{
    struct event_row row = {.study_id = s->id,
                            .time_ms = board_now(b),
                            .kind = kind,
                            .body = text_str(body)};
    struct err e;
    int64_t id;

    board_touch(b, s->id);
    if (store_event_add(b->parts.store, &row, &id, &e))
        return board_fail(b, &e);
    return 0;
}

static void add_value(struct text *body, const char *name, bool has,
                      double value)
{
    text_addf(body, ", \"%s\": ", name);
    if (has)
        quote_number(body, value);
    else
        text_add(body, "null");
}

static int tell_move(struct board *b, const struct live_trial *t,
                     enum trial_state from, enum trial_state to,
                     const struct run_cause *why, const char *values)
{
    struct live_study *s = t->study;
    struct text body;
    int rc;

    text_init(&body);
    text_addf(&body, "{\"number\": %lld, \"from\": \"%s\", \"to\": \"%s\", ",
              (long long)t->trial.number, trial_state_name(from),
              trial_state_name(to));
    text_addf(&body, "\"reason\": \"%s\", \"detail\": ",
              trial_reason_name(why->reason));
    quote_json(&body, why->detail ? why->detail : "");
    text_add(&body, ", \"params\": ");
    point_write_json(&t->trial.point, &s->study.space, &body);
    add_value(&body, "value", why->has_value, why->value);
    if (*values)
        text_addf(&body, ", \"values\": %s", values);
    text_addf(&body, ", \"attempt\": %d, \"best_number\": %lld", t->attempt,
              (long long)s->best_number);
    add_value(&body, "best_value", s->best_number > 0, s->best_value);
    text_add(&body, "}");
    rc = tell(b, s, "trial", &body);
    text_clear(&body);
    return rc;
}

static void log_move(const struct live_trial *t, enum trial_state from,
                     enum trial_state to, const struct run_cause *why)
{
    const char *reason = trial_reason_name(why->reason);
    char number[NUMBER_TEXT];
    struct text more;

    text_init(&more);
    if (*reason)
        text_addf(&more, " reason=%s", reason);
    if (why->has_value)
        text_addf(&more, " value=%s", number_print(why->value, number));
    if (why->detail && *why->detail)
        text_addf(&more, " detail=\"%s\"", why->detail);
    log_write(LOG_LEVEL_INFO, "trial_moved",
              "study=%s trial=%lld attempt=%d from=%s to=%s%s", t->study->name,
              (long long)t->trial.number, t->attempt, trial_state_name(from),
              trial_state_name(to), text_str(&more));
    text_clear(&more);
}

/* LAUNCHING and STOPPING are steps on the way: a person follows the others. */
static bool is_news(enum trial_state to)
{
    return to != TRIAL_LAUNCHING && to != TRIAL_STOPPING;
}

/* The mind is away, thinking: it will hear of the trial when it is back. */
static void miss(struct live_study *s, const struct trial *ended)
{
    void *missed = s->missed;

    mem_grow(&missed, &s->missed_cap, s->n_missed + 1, sizeof *s->missed);
    s->missed = missed;
    trial_copy(&s->missed[s->n_missed++], ended);
}

/* The trial is over: the algorithm hears of it, and it leaves the board. */
static void retire(struct live_trial *t, const struct run_cause *why,
                   const struct trial_change *change)
{
    struct live_study *s = t->study;

    t->trial.has_value = why->has_value;
    t->trial.value = why->value;
    memcpy(t->trial.others, why->others, sizeof t->trial.others);
    t->trial.step = why->step;
    t->trial.is_foreseen = change->is_foreseen;
    t->trial.foreseen = change->foreseen;
    t->trial.unsure = change->unsure;
    if (s->mind)
        mind_hear(s->mind, &t->trial);
    else if (s->thinking)
        miss(s, &t->trial);
    s->waits = false;
    board_drop_trial(t);
}

static struct trial_change change_of(struct board *b,
                                     const struct live_trial *t,
                                     enum trial_state to,
                                     const struct run_cause *why)
{
    return (struct trial_change){.study_id = t->study->id,
                                 .number = t->trial.number,
                                 .from = t->trial.state,
                                 .to = to,
                                 .reason = why->reason,
                                 .detail = why->detail ? why->detail : "",
                                 .attempt = t->attempt,
                                 .broken = t->broken,
                                 .given = t->given,
                                 .has_value = why->has_value,
                                 .value = why->value,
                                 .step = why->step,
                                 .now_ms = board_now(b)};
}

static void note(struct live_trial *t, const struct run_cause *why)
{
    free(t->detail);
    t->reason = why->reason;
    t->detail = mem_copy_text(why->detail ? why->detail : "");
}

/* What it had of this machine is free: its attempt is over. */
static void give_back(struct board *b, struct live_trial *t)
{
    if (t->gpus)
        b->gpus_freed = board_steady(b);
    if (t->trial.state == TRIAL_PENDING) {
        free(t->gpus);
        t->gpus = NULL;
    }
    board_freed(b);
}

int run_restop(struct board *b, struct live_trial *t,
               const struct run_cause *why)
{
    struct trial_change change = change_of(b, t, TRIAL_STOPPING, why);
    struct err e;

    assert(t->trial.state == TRIAL_STOPPING);
    if (begin(b))
        return -1;
    if (store_trial_move(b->parts.store, &change, &e))
        return board_fail(b, &e);
    note(t, why);
    log_move(t, TRIAL_STOPPING, TRIAL_STOPPING, why);
    board_touch(b, t->study->id);
    return 0;
}

/* The move is in the store's hands, and told of. */
static int keep_move(struct board *b, struct live_trial *t,
                     const struct trial_change *change,
                     const struct run_cause *why)
{
    struct live_study *s = t->study;
    enum trial_state from = t->trial.state, to = change->to;
    struct err e;

    if (trial_state_move(&t->trial.state, to, &e) ||
        store_trial_move(b->parts.store, change, &e) || board_recount(b, s, &e))
        return board_fail(b, &e);
    note(t, why);
    early_moved(t, change);
    log_move(t, from, to, why);
    if (is_news(to) && !why->quiet &&
        tell_move(b, t, from, to, why, change->objectives))
        return -1;
    return 0;
}

int run_move(struct board *b, struct live_trial *t, enum trial_state to,
             const struct run_cause *why)
{
    struct live_study *s = t->study;
    enum trial_state from = t->trial.state;
    struct trial_change change = change_of(b, t, to, why);
    struct text values;
    int rc;

    assert(!t->given || (from == TRIAL_PENDING && trial_state_ended(to)));
    assert(t->given || from != TRIAL_PENDING || to == TRIAL_STOPPED ||
           !trial_state_ended(to));
    if (begin(b))
        return -1;
    if (to == TRIAL_STOPPED && early_foresee(b, t, &change))
        return -1;
    text_init(&values);
    if (why->has_value)
        front_write_values(&s->study, why->value, why->others, &values);
    change.objectives = text_str(&values);
    rc = keep_move(b, t, &change, why);
    text_clear(&values);
    if (rc)
        return -1;
    s->dirty = true;
    board_touch(b, s->id);
    if (to == TRIAL_RUNNING)
        t->started_ms = change.now_ms;
    if (to == TRIAL_PENDING || trial_state_ended(to))
        give_back(b, t);
    if (trial_state_ended(to))
        retire(t, why, &change);
    return 0;
}

/* What the algorithm expected, as JSON; nothing if it expected nothing. */
static void write_forecast(const struct suggestion *at, struct text *out)
{
    if (!at->foreseen)
        return;
    text_add(out, "{\"mean\": ");
    quote_number(out, at->mean);
    text_add(out, ", \"low\": ");
    quote_number(out, at->low);
    text_add(out, ", \"high\": ");
    quote_number(out, at->high);
    text_add(out, ", \"improvement\": ");
    quote_number(out, at->improvement);
    text_add(out, "}");
}

static int add(struct board *b, struct live_study *s,
               const struct suggestion *at, const char *client, bool given,
               struct live_trial **out)
{
    struct trial_row row = {.study_id = s->id,
                            .state = TRIAL_PENDING,
                            .detail = "",
                            .source = at->source,
                            .client = client ? client : "",
                            .given = given,
                            .created_ms = board_now(b)};
    struct text json, forecast;
    struct err e;
    int rc = -1;

    if (begin(b))
        return -1;
    text_init(&json);
    text_init(&forecast);
    write_forecast(at, &forecast);
    row.forecast = text_str(&forecast);
    point_write_json(&at->point, &s->study.space, &json);
    row.point = text_str(&json);
    if (store_trial_add(b->parts.store, &row, &row.number, &e) ||
        board_recount(b, s, &e) || board_take_trial(s, &row, out, &e))
        board_fail(b, &e);
    else
        rc = 0;
    text_clear(&forecast);
    text_clear(&json);
    board_touch(b, s->id);
    return rc;
}

int run_add(struct board *b, struct live_study *s, const struct suggestion *at,
            const char *client, struct live_trial **out)
{
    return add(b, s, at, client, false, out);
}

int run_give(struct board *b, struct live_study *s, const struct suggestion *at,
             struct live_trial **out)
{
    return add(b, s, at, "", true, out);
}

int run_study(struct board *b, struct live_study *s, enum study_state to,
              const char *reason, bool cancelled)
{
    enum study_state from = s->state;
    struct text body;
    struct err e;
    int rc;

    if (begin(b))
        return -1;
    if (store_study_move(b->parts.store, s->id, to, reason, cancelled,
                         board_now(b), &e) ||
        board_refresh(b, s, &e))
        return board_fail(b, &e);
    log_write(LOG_LEVEL_INFO, "study_moved",
              "study=%s from=%s to=%s reason=\"%s\"", s->name,
              study_state_name(from), study_state_name(to), reason);
    text_init(&body);
    text_addf(&body, "{\"from\": \"%s\", \"to\": \"%s\", \"reason\": ",
              study_state_name(from), study_state_name(to));
    quote_json(&body, reason);
    text_add(&body, "}");
    rc = tell(b, s, "study", &body);
    text_clear(&body);
    s->dirty = true;
    board_freed(b); /* what its trials waited for may be another's */
    return rc;
}

int run_warn(struct board *b, struct live_study *s, const char *sentence)
{
    struct text body;
    int rc;

    log_write(LOG_LEVEL_WARN, "study_warning", "study=%s text=\"%s\"", s->name,
              sentence);
    if (begin(b))
        return -1;
    text_init(&body);
    text_add(&body, "{\"text\": ");
    quote_json(&body, sentence);
    text_add(&body, "}");
    rc = tell(b, s, "warning", &body);
    text_clear(&body);
    return rc;
}
