/* Studies of several objectives: what algorithm.h promises, and that bayesian
 * finds their fronts. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "algorithms/sight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"
#include "study/front.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

enum { MOST = 64 };

static spaces_make_fn *const spaces[] = {
    spaces_continuous, spaces_stepped, spaces_mixed,  spaces_conditional,
    spaces_tiny,       spaces_huge,    spaces_single, spaces_words,
};
enum { N_SPACES = sizeof spaces / sizeof *spaces };

/* One algorithm at work on one study; trials are told in the order asked. */
struct work {
    const struct algorithm_type *type;
    struct study study;
    void *state;
    struct trial trials[MOST];
    size_t n;
};

/* Every second objective is maximised, the goal is not. */
static void want_several(struct study *s, size_t n)
{
    s->others = mem_new(n, sizeof *s->others);
    for (size_t k = 0; k < n - 1; k++)
        s->others[s->n_others++] = (struct study_objective){
            mem_format("other%zu", k), .maximize = k % 2 == 0};
}

static void work_init(struct work *w, const char *name, spaces_make_fn *make,
                      size_t objectives)
{
    struct err e;

    *w = (struct work){.type = algorithms_find(name)};
    if (make)
        make(&w->study);
    else
        spaces_cube(&w->study, 5);
    want_several(&w->study, objectives);
    w->state = mem_new(1, w->type->state_size);
    ck_assert_int_eq(w->type->open(w->state, &w->study, &e), 0);
}

static void work_clear(struct work *w)
{
    w->type->close(w->state);
    free(w->state);
    for (size_t i = 0; i < w->n; i++)
        trial_clear(&w->trials[i]);
    for (size_t k = 0; k < w->study.n_others; k++)
        free(w->study.others[k].name);
    free(w->study.others);
    w->study.others = NULL;
    w->study.n_others = 0;
    spaces_clear(&w->study);
}

/* The next trial, the last n_running of which run; NULL at the end. */
static struct trial *ask(struct work *w, size_t n_running)
{
    const struct trial *running[MOST];
    enum algorithm_answer answer = ALGORITHM_WAIT;
    struct suggestion out = {.source = ""};
    struct err e;

    ck_assert_uint_lt(w->n, MOST);
    for (size_t i = 0; i < n_running; i++)
        running[i] = &w->trials[w->n - n_running + i];
    point_init(&out.point, &w->study.space);
    ck_assert_int_eq(w->type->ask(w->state, (int64_t)w->n + 1, running,
                                  n_running, &out, &answer, &e),
                     0);
    if (answer != ALGORITHM_POINT) {
        point_clear(&out.point);
        return NULL;
    }
    ck_assert(point_in(&out.point, &w->study.space));
    w->trials[w->n] = (struct trial){.number = (int64_t)w->n + 1,
                                     .state = TRIAL_RUNNING,
                                     .point = out.point};
    return &w->trials[w->n++];
}

/* Objective k of a point: the squared distance, over all that exists, from a
 * place of its own. */
static double bowl(const struct work *w, const struct point *p, size_t k)
{
    double sum = 0, sign = k % 2 ? -1 : 1;

    for (size_t i = 0; i < p->n; i++) {
        const struct param *q = &w->study.space.params[i];
        const struct value *v = &p->values[i];
        int64_t stair = v->whole / 4 - q->low / 4;
        int64_t stairs = q->high / 4 - q->low / 4;
        double x = 0;

        if (!v->active)
            continue;
        if (q->kind == PARAM_DOUBLE)
            x = (v->real - q->min) / (q->max - q->min);
        else if (q->kind == PARAM_INTEGER)
            x = (double)stair / fmax(1, (double)stairs);
        else
            x = (double)v->choice / (double)q->n_values;
        x -= 0.35 + 0.4 * (double)(i % 3 == k % 3);
        sum += x * x;
    }
    return sign * sum;
}

static void end(struct work *w, struct trial *t, enum trial_state state)
{
    t->state = state;
    t->has_value = state == TRIAL_SUCCEEDED || state == TRIAL_STOPPED;
    t->value = bowl(w, &t->point, 0);
    for (size_t k = 0; k < w->study.n_others; k++)
        t->others[k] = bowl(w, &t->point, k + 1);
    w->type->tell(w->state, t);
}

/* The k-th trial's end. */
static enum trial_state fate(size_t k)
{
    if (k % 11 == 6)
        return k % 2 ? TRIAL_FAILED : TRIAL_INFEASIBLE;
    return k % 7 == 5 ? TRIAL_STOPPED : TRIAL_SUCCEEDED;
}

static void run(struct work *w, size_t n, size_t parallel)
{
    size_t told = 0;

    while (w->n < n && ask(w, w->n - told))
        for (; w->n - told >= parallel; told++)
            end(w, &w->trials[told], fate(told));
}

static const size_t numbers[] = {2, 3, 5, 1 + TRIAL_OTHERS};
enum { N_NUMBERS = sizeof numbers / sizeof *numbers };

START_TEST(points_lie_in_the_space)
{
    struct work w;

    work_init(&w, "bayesian", spaces[_i / N_NUMBERS], numbers[_i % N_NUMBERS]);
    run(&w, 20, 1 + (size_t)_i % 3);
    ck_assert_uint_gt(w.n, 0);
    work_clear(&w);
}
END_TEST

START_TEST(told_again_it_is_never_closed)
{
    struct work a, b;

    work_init(&a, "bayesian", spaces[_i / N_NUMBERS], numbers[_i % N_NUMBERS]);
    work_init(&b, "bayesian", spaces[_i / N_NUMBERS], numbers[_i % N_NUMBERS]);
    run(&a, 16, 1);
    for (; b.n < a.n; b.n++) {
        trial_copy(&b.trials[b.n], &a.trials[b.n]);
        b.type->tell(b.state, &b.trials[b.n]);
    }
    for (size_t k = 0; k < 3; k++) {
        const struct trial *x = ask(&a, k), *y = ask(&b, k);

        ck_assert_int_eq(!x, !y);
        if (!x)
            break;
        for (size_t i = 0; i < x->point.n; i++)
            ck_assert(!x->point.values[i].active ||
                      x->point.values[i].whole == y->point.values[i].whole);
    }
    work_clear(&a);
    work_clear(&b);
}
END_TEST

START_TEST(what_does_not_learn_searches_them_too)
{
    static const char *const names[] = {"random", "quasi-random", "grid"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct work w;

        work_init(&w, names[i], spaces_tiny, 3);
        run(&w, 6, 2);
        ck_assert_uint_eq(w.n, 6);
        work_clear(&w);
    }
}
END_TEST

START_TEST(what_searches_for_one_objective_says_so)
{
    static const char *const names[] = {"tpe", "cma-es"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct algorithm_type *type = algorithms_find(names[i]);
        void *state = mem_new(1, type->state_size);
        struct work w;
        struct err e;

        work_init(&w, "random", NULL, 2);
        w.study.algorithm = names[i];
        ck_assert_int_eq(type->open(state, &w.study, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_ptr_nonnull(strstr(e.text, names[i]));
        ck_assert_ptr_nonnull(strstr(e.text, "bayesian"));
        free(state);
        work_clear(&w);
    }
}
END_TEST

START_TEST(awkward_results_break_nothing)
{
    static const double odd[] = {1e308, -1e308, 0, 1e-310, 42};

    for (size_t i = 0; i < N_NUMBERS; i++) {
        struct work w;

        work_init(&w, "bayesian", NULL, numbers[i]);
        for (size_t k = 0; k < 16; k++) {
            struct trial *t = ask(&w, 0);

            t->state = TRIAL_SUCCEEDED;
            t->has_value = true;
            t->value = _i < 5 ? odd[_i] : odd[k % 5];
            for (size_t j = 0; j < w.study.n_others; j++)
                t->others[j] = _i == 6 ? -t->value : odd[(k + j) % 5];
            w.type->tell(w.state, t);
        }
        work_clear(&w);
    }
}
END_TEST

START_TEST(a_result_that_lacks_an_objective_teaches_nothing)
{
    struct work w;

    work_init(&w, "bayesian", NULL, 2);
    for (size_t k = 0; k < 12; k++) {
        struct trial *t = ask(&w, 0);

        t->state = TRIAL_SUCCEEDED;
        t->has_value = true;
        t->value = (double)k;
        t->others[0] = k % 2 ? NAN : (double)k;
        w.type->tell(w.state, t);
    }
    ck_assert_ptr_nonnull(ask(&w, 0));
    work_clear(&w);
}
END_TEST

/* How much of the square or cube below 0.5 a run dominates; with more
 * objectives, how good its best is under many weights, on average. */
static double worth(const struct work *w)
{
    static const double reference[VOLUME_MOST] = {-0.5, -0.5, -0.5};
    size_t m = front_objectives(&w->study);
    double rows[MOST * (1 + TRIAL_OTHERS)], sum = 0;
    struct draw d;

    for (size_t i = 0; i < w->n; i++)
        for (size_t k = 0; k < m; k++)
            rows[i * m + k] = front_value(&w->study, &w->trials[i], k);
    if (m <= VOLUME_MOST)
        return volume_below(rows, w->n, m, reference);
    draw_init(&d, 1, DRAW_RANDOM, 9);
    for (size_t r = 0; r < 64; r++) {
        double weights[1 + TRIAL_OTHERS], best = -INFINITY;

        for (size_t k = 0; k < m; k++)
            weights[k] = draw_unit(&d);
        for (size_t i = 0; i < w->n; i++) {
            double least = INFINITY;

            for (size_t k = 0; k < m; k++)
                least = fmin(least, weights[k] * (0.5 + rows[i * m + k]));
            best = fmax(best, least);
        }
        sum += best / 64;
    }
    return sum;
}

static double skill(const char *name, size_t objectives, size_t n)
{
    enum { SEEDS = 4 };
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct work w;

        work_init(&w, name, NULL, objectives);
        w.study.seed = seed;
        for (size_t k = 0; k < n; k++)
            end(&w, ask(&w, 0), TRIAL_SUCCEEDED);
        sum += worth(&w) / SEEDS;
        work_clear(&w);
    }
    return sum;
}

START_TEST(bayesian_search_beats_random_search)
{
    static const struct {
        size_t objectives;
        double by;
    } rows[] = {{2, 0.05}, {3, 0.05}, {5, 0.02}};
    double bayes = skill("bayesian", rows[_i].objectives, 30);
    double random = skill("random", rows[_i].objectives, 30);

    ck_assert_msg(bayes > random + rows[_i].by, "%g against %g", bayes, random);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/sight");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int pairs = N_SPACES * N_NUMBERS, failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 240);
    tcase_add_loop_test(c, points_lie_in_the_space, 0, pairs);
    tcase_add_loop_test(c, told_again_it_is_never_closed, 0, pairs);
    tcase_add_test(c, what_does_not_learn_searches_them_too);
    tcase_add_test(c, what_searches_for_one_objective_says_so);
    tcase_add_loop_test(c, awkward_results_break_nothing, 0, 7);
    tcase_add_test(c, a_result_that_lacks_an_objective_teaches_nothing);
    tcase_add_loop_test(c, bayesian_search_beats_random_search, 0, 3);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
