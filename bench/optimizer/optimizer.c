/* The algorithms behind JSON lines: an adapter for benchmark stands that ask
 * an optimizer for trials on its standard input and read them from its
 * standard output (docs/performance.md). Calls the algorithms and nothing
 * else: no store, no engine, no processes.
 *
 *     optimizer [--algorithm NAME] [--noisy] [--stop asha|median|none] */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/stop.h"
#include "base/mem.h"
#include "bench/optimizer/wire.h"

/* One study, from init to the next init. */
struct session {
    const struct algorithm_type *type;
    struct stop_rule rule; /* type NULL: nothing is stopped */
    struct stop_book book;
    struct study study;
    struct wire wire;
    void *state; /* NULL before init */
    struct trial *trials;
    bool *open; /* which of them have not ended */
    size_t n, cap, open_cap;
};

static void session_clear(struct session *s)
{
    if (!s->state)
        return;
    s->type->close(s->state);
    free(s->state);
    for (size_t i = 0; i < s->n; i++)
        trial_clear(&s->trials[i]);
    free(s->trials);
    free(s->open);
    wire_clear(&s->wire);
    study_clear(&s->study);
    stop_clear(&s->book);
    *s = (struct session){
        .type = s->type, .rule = s->rule, .study.noisy = s->study.noisy};
}

static int read_direction(const json_t *goal, bool *maximize, struct err *e)
{
    const char *text = json_string_value(goal);

    if (!text ||
        (strcmp(text, "minimize") != 0 && strcmp(text, "maximize") != 0))
        return err_set(e, ERR_INVALID, "goal: must be minimize or maximize");
    *maximize = strcmp(text, "maximize") == 0;
    return 0;
}

/* One direction, or a list of them. */
static int read_goal(struct study *study, const json_t *goal, struct err *e)
{
    size_t n = json_array_size(goal);

    if (!json_is_array(goal))
        return read_direction(goal, &study->maximize, e);
    if (n < 1 || n > 1 + TRIAL_OTHERS)
        return err_set(e, ERR_INVALID, "goal: must be 1 to %d directions",
                       1 + TRIAL_OTHERS);
    study->others = mem_new(n, sizeof *study->others);
    study->n_others = n - 1;
    for (size_t i = 0; i < n; i++)
        if (read_direction(
                json_array_get(goal, i),
                i ? &study->others[i - 1].maximize : &study->maximize, e) != 0)
            return -1;
    return 0;
}

static json_t *op_init(struct session *s, const json_t *request, struct err *e)
{
    json_int_t budget = json_integer_value(json_object_get(request, "budget"));
    bool noisy = s->study.noisy;

    session_clear(s);
    study_init(&s->study);
    s->study.noisy = noisy;
    s->study.algorithm = s->type->name;
    s->study.seed =
        (uint64_t)json_integer_value(json_object_get(request, "seed"));
    s->study.trials = budget > 0 ? budget : 1;
    s->study.parallel =
        (int)json_integer_value(json_object_get(request, "parallel"));
    if (read_goal(&s->study, json_object_get(request, "goal"), e) != 0 ||
        wire_space(&s->wire, json_object_get(request, "space"), &s->study.space,
                   e) != 0)
        goto refuse;
    stop_init(&s->book, s->study.maximize, false);
    s->state = mem_new(1, s->type->state_size);
    if (s->type->open(s->state, &s->study, e) != 0)
        goto refuse;
    return json_pack("{ss}", "op", "ok");
refuse:
    free(s->state);
    s->state = NULL;
    wire_clear(&s->wire);
    study_clear(&s->study);
    return NULL;
}

/* A new trial at the end; its point is initialised. */
static struct trial *add(struct session *s)
{
    struct trial *t = NULL;

    mem_grow((void **)&s->trials, &s->cap, s->n + 1, sizeof *s->trials);
    mem_grow((void **)&s->open, &s->open_cap, s->n + 1, sizeof *s->open);
    t = &s->trials[s->n];
    *t = (struct trial){.number = (int64_t)s->n + 1, .state = TRIAL_RUNNING};
    point_init(&t->point, &s->study.space);
    s->open[s->n++] = true;
    return t;
}

/* A stand wants a point even when every point of the space was tried or the
 * algorithm would wait: any will do then. */
static void any_point(const struct session *s, int64_t number,
                      struct suggestion *out)
{
    const struct algorithm_type *random = algorithms_find("random");
    enum algorithm_answer answer = ALGORITHM_POINT;
    void *state = mem_new(1, random->state_size);
    struct err e;

    if (random->open(state, &s->study, &e) == 0) {
        random->ask(state, number, NULL, 0, out, &answer, &e);
        random->close(state);
    }
    free(state);
}

static int suggest(struct session *s, json_t *list, struct err *e)
{
    const struct trial **running = mem_new(s->n, sizeof *running);
    enum algorithm_answer answer = ALGORITHM_POINT;
    struct suggestion out = {.source = ""};
    struct trial *t = NULL;
    size_t n = 0;
    int rc = 0;

    for (size_t i = 0; i < s->n; i++)
        if (s->open[i])
            running[n++] = &s->trials[i];
    point_init(&out.point, &s->study.space);
    rc =
        s->type->ask(s->state, (int64_t)s->n + 1, running, n, &out, &answer, e);
    free(running);
    if (rc == 0) {
        t = add(s);
        if (answer != ALGORITHM_POINT)
            any_point(s, t->number, &out);
        point_clear(&t->point);
        point_copy(&t->point, &out.point);
        json_array_append_new(
            list, json_pack("{sI so}", "id", (json_int_t)t->number, "params",
                            wire_params(&s->wire, &s->study.space, &t->point)));
    }
    point_clear(&out.point);
    return rc;
}

static json_t *op_suggest(struct session *s, const json_t *request,
                          struct err *e)
{
    json_int_t count = json_integer_value(json_object_get(request, "count"));
    json_t *list = json_array();

    for (json_int_t i = 0; i < count; i++)
        if (suggest(s, list, e) != 0) {
            json_decref(list);
            return NULL;
        }
    return json_pack("{so}", "trials", list);
}

/* The trial that the request names, which must not have ended. */
static struct trial *named(struct session *s, const json_t *request,
                           struct err *e)
{
    const json_t *id = json_object_get(request, "id");
    json_int_t k = json_integer_value(id);

    if (!json_is_integer(id) || k < 1 || (size_t)k > s->n || !s->open[k - 1]) {
        err_set(e, ERR_INVALID, "id: no such trial is running");
        return NULL;
    }
    return &s->trials[k - 1];
}

static json_t *end(struct session *s, struct trial *t)
{
    s->open[t->number - 1] = false;
    if (t->state == TRIAL_STOPPED)
        t->is_foreseen =
            stop_foresee(&s->book, t->number, &t->foreseen, &t->unsure);
    stop_end(&s->book, t->number, t->state, t->has_value ? &t->value : NULL);
    s->type->tell(s->state, t);
    return json_pack("{ss}", "op", "ok");
}

/* A number of the study's goal, or a list of one for each objective. */
static bool read_values(const struct study *study, const json_t *value,
                        struct trial *t)
{
    const json_t *first = json_array_get(value, 0);
    bool all = true;

    if (!json_is_array(value))
        first = value;
    else
        all = json_array_size(value) == 1 + study->n_others;
    t->value = json_number_value(first);
    all = all && json_is_number(first) && isfinite(t->value);
    for (size_t i = 0; i < study->n_others; i++) {
        const json_t *one = json_array_get(value, i + 1);

        t->others[i] = json_number_value(one);
        all = all && json_is_number(one) && isfinite(t->others[i]);
    }
    return all;
}

static void give(const struct study *study, struct trial *t,
                 const json_t *value)
{
    t->has_value = read_values(study, value, t);
    if (t->has_value && t->state == TRIAL_RUNNING)
        t->state = TRIAL_SUCCEEDED;
    else if (!t->has_value)
        t->state = TRIAL_INFEASIBLE;
}

static json_t *op_complete(struct session *s, const json_t *request,
                           struct err *e)
{
    struct trial *t = named(s, request, e);

    if (!t)
        return NULL;
    if (json_is_true(json_object_get(request, "stopped")))
        t->state = TRIAL_STOPPED;
    give(&s->study, t, json_object_get(request, "value"));
    return end(s, t);
}

static json_t *op_fail(struct session *s, const json_t *request, struct err *e)
{
    struct trial *t = named(s, request, e);

    if (!t)
        return NULL;
    t->state = TRIAL_INFEASIBLE;
    return end(s, t);
}

static json_t *op_observe(struct session *s, const json_t *request,
                          struct err *e)
{
    struct trial *t = add(s);

    if (wire_point(&s->wire, &s->study.space,
                   json_object_get(request, "params"), &t->point, e) != 0) {
        s->n--;
        trial_clear(t);
        return NULL;
    }
    give(&s->study, t, json_object_get(request, "value"));
    return end(s, t);
}

static json_t *op_report(struct session *s, const json_t *request,
                         struct err *e)
{
    const struct trial *t = named(s, request, e);
    const json_t *value = json_object_get(request, "value");
    json_int_t step = json_integer_value(json_object_get(request, "step"));
    bool stop = false;

    if (!t)
        return NULL;
    /* steps are 1, 2, and so on: they count the measurements, too */
    stop =
        stop_measure(&s->book, t->number, step, step,
                     json_is_number(value) ? json_number_value(value) : NAN) &&
        stop_hopeless(&s->rule, &s->book, t->number);
    return json_pack("{sb}", "stop", stop);
}

static const struct {
    const char *name;
    json_t *(*answer)(struct session *s, const json_t *request, struct err *e);
} ops[] = {{"init", op_init},         {"suggest", op_suggest},
           {"complete", op_complete}, {"fail", op_fail},
           {"observe", op_observe},   {"report", op_report}};

/* What to answer to one line. Yours to decref. */
static json_t *answer(struct session *s, const char *line)
{
    struct err e = {0};
    json_error_t where;
    json_t *request = json_loads(line, 0, &where), *reply = NULL;
    const char *op = json_string_value(json_object_get(request, "op"));

    err_set(&e, ERR_INVALID, "op: not one of the protocol's");
    for (size_t i = 0; op && i < sizeof ops / sizeof *ops; i++) {
        if (strcmp(ops[i].name, op) != 0)
            continue;
        if (i && !s->state)
            err_set(&e, ERR_INVALID, "init must come first");
        else
            reply = ops[i].answer(s, request, &e);
    }
    if (!request)
        err_set(&e, ERR_INVALID, "not JSON: %s", where.text);
    if (!reply)
        reply = json_pack("{ss}", "error", e.text);
    json_decref(request);
    return reply;
}

static int serve(struct session *s)
{
    char *line = NULL;
    size_t cap = 0;

    while (getline(&line, &cap, stdin) > 0) {
        json_t *reply = answer(s, line);

        json_dumpf(reply, stdout, JSON_COMPACT | JSON_REAL_PRECISION(17));
        fputc('\n', stdout);
        fflush(stdout);
        json_decref(reply);
    }
    free(line);
    session_clear(s);
    return 0;
}

static bool stop_read(struct stop_rule *rule, const char *name)
{
    rule->type = stop_find(name);
    return rule->type || strcmp(name, "none") == 0;
}

int main(int argc, char **argv)
{
    struct session s = {.type = algorithms_find("bayesian"),
                        .rule.type = &stop_median};

    algorithms_init();
    for (int i = 1; i < argc && s.type; i++) {
        if (strcmp(argv[i], "--noisy") == 0)
            s.study.noisy = true;
        else if (strcmp(argv[i], "--algorithm") == 0 && i + 1 < argc)
            s.type = algorithms_find(argv[++i]);
        else if (strcmp(argv[i], "--stop") == 0 && i + 1 < argc)
            s.type = stop_read(&s.rule, argv[++i]) ? s.type : NULL;
        else
            s.type = NULL;
    }
    if (!s.type) {
        fputs("usage: optimizer [--algorithm NAME] [--noisy]"
              " [--stop asha|median|none]\n",
              stderr);
        for (size_t i = 0; algorithms[i]; i++)
            fprintf(stderr, "  %s\n", algorithms[i]->name);
        return 2;
    }
    return serve(&s);
}
