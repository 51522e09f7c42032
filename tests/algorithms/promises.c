/* What every algorithm promises (algorithms/algorithm.h), held against all of
 * them on several spaces. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"
#include "tests/algorithms/spaces.h"
#include "tests/lib/suite.h"

static spaces_make_fn *const spaces[] = {
    spaces_continuous, spaces_stepped, spaces_mixed,  spaces_conditional,
    spaces_tiny,       spaces_huge,    spaces_single, spaces_words,
};
enum { N_SPACES = sizeof spaces / sizeof *spaces, N_ALGORITHMS = 6 };

/* One algorithm at work on one study. Trials are told in the order asked. */
struct work {
    const struct algorithm_type *type;
    struct study *study;
    void *state;
    struct trial *trials; /* all that were asked */
    size_t n, cap;
};

static bool work_open(struct work *w, const struct algorithm_type *type,
                      struct study *s)
{
    struct err e;

    *w = (struct work){.type = type, .study = s};
    w->state = mem_new(1, type->state_size);
    if (type->open(w->state, s, &e) == 0)
        return true;
    ck_assert_int_eq(e.code, ERR_INVALID);
    free(w->state);
    return false;
}

static void work_close(struct work *w)
{
    w->type->close(w->state);
    free(w->state);
    for (size_t i = 0; i < w->n; i++)
        trial_clear(&w->trials[i]);
    free(w->trials);
}

/* Asks for the next trial, the last n_running of which run; checks the point;
 * keeps the trial. */
static enum algorithm_answer ask(struct work *w, size_t n_running)
{
    const struct trial **running = mem_new(n_running, sizeof *running);
    enum algorithm_answer answer = ALGORITHM_WAIT;
    struct suggestion out = {.source = ""};
    struct err e;

    for (size_t i = 0; i < n_running; i++)
        running[i] = &w->trials[w->n - n_running + i];
    point_init(&out.point, &w->study->space);
    ck_assert_int_eq(w->type->ask(w->state, (int64_t)w->n + 1, running,
                                  n_running, &out, &answer, &e),
                     0);
    free(running);
    if (answer != ALGORITHM_POINT) {
        point_clear(&out.point);
        return answer;
    }
    ck_assert_msg(point_in(&out.point, &w->study->space), "%s %s trial %zu",
                  w->type->name, w->study->name, w->n + 1);
    ck_assert_str_ne(out.source, "");
    mem_grow((void **)&w->trials, &w->cap, w->n + 1, sizeof *w->trials);
    w->trials[w->n] = (struct trial){.number = (int64_t)w->n + 1,
                                     .state = TRIAL_RUNNING,
                                     .point = out.point};
    w->n++;
    return answer;
}

/* A smooth function of any point, smaller better: the squared distance from
 * somewhere on every axis that exists. */
static double bowl(const struct study *s, const struct point *p)
{
    double sum = 0;

    for (size_t i = 0; i < p->n; i++) {
        const struct param *q = &s->space.params[i];
        double x = 0, low = q->min, high = q->max;

        if (!p->values[i].active)
            continue;
        if (q->kind == PARAM_INTEGER) {
            low = (double)q->low;
            high = (double)q->high;
        } else if (q->kind != PARAM_DOUBLE) {
            low = 0;
            high = (double)q->n_values - 1;
        }
        x = param_number(q, &p->values[i]);
        if (q->kind == PARAM_DISCRETE)
            x = (double)p->values[i].choice;
        if (high > low)
            x = x / 2 / (high / 2 - low / 2) - low / 2 / (high / 2 - low / 2);
        sum += (x - 0.27) * (x - 0.27);
    }
    return sum;
}

/* Ends trial k with one of the ways a trial can end. */
static void end(struct work *w, size_t k, double value)
{
    struct trial *t = &w->trials[k];

    t->state = TRIAL_SUCCEEDED;
    t->has_value = true;
    t->value = value;
    if (k % 7 == 5)
        t->state = TRIAL_STOPPED;
    if (k % 11 == 6) {
        t->state = k % 2 ? TRIAL_FAILED : TRIAL_INFEASIBLE;
        t->has_value = false;
    }
    w->type->tell(w->state, t);
}

/* Runs n trials with `parallel` of them at once. Returns how many there
 * were. */
static size_t run(struct work *w, size_t n, size_t parallel)
{
    size_t told = 0;

    while (w->n < n) {
        if (ask(w, w->n - told) != ALGORITHM_POINT)
            break;
        while (w->n - told >= parallel) {
            end(w, told, bowl(w->study, &w->trials[told].point));
            told++;
        }
    }
    return w->n;
}

static bool same_values(const struct work *a, const struct work *b, size_t k)
{
    const struct space *s = &a->study->space;

    for (size_t i = 0; i < s->n; i++) {
        const struct value *x = &a->trials[k].point.values[i];
        const struct value *y = &b->trials[k].point.values[i];

        if (x->active != y->active)
            return false;
        /* bit for bit: the union's widest member */
        if (x->active && memcmp(&x->whole, &y->whole, sizeof x->whole) != 0)
            return false;
    }
    return true;
}

/* For loop tests: one number for each pair of algorithm and space. */
static bool pair(int i, struct study *s, struct work *w)
{
    spaces[i / N_ALGORITHMS](s);
    if (work_open(w, algorithms[i % N_ALGORITHMS], s))
        return true;
    spaces_clear(s);
    return false;
}

START_TEST(points_lie_in_the_space)
{
    struct study s;
    struct work w;

    if (!pair(_i, &s, &w))
        return;
    run(&w, 30, 1 + (size_t)_i % 4);
    ck_assert_uint_gt(w.n, 0);
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

/* The promise that a restart, and how often was asked, change nothing. */
static void told_again(const struct algorithm_type *type, struct study *s,
                       size_t n)
{
    struct work a, b;

    if (!work_open(&a, type, s))
        return;
    ck_assert(work_open(&b, type, s));
    n = run(&a, n, 1);
    for (size_t k = 0; k < n; k++) {
        mem_grow((void **)&b.trials, &b.cap, k + 1, sizeof *b.trials);
        trial_copy(&b.trials[k], &a.trials[k]);
        b.n++;
        type->tell(b.state, &b.trials[k]);
    }
    for (size_t k = 0; k < 3; k++) {
        enum algorithm_answer x = ask(&a, k), y = ask(&b, k);

        ck_assert_int_eq(x, y);
        if (x != ALGORITHM_POINT)
            break;
        ck_assert_msg(same_values(&a, &b, a.n - 1), "%s %s trial %zu",
                      type->name, s->name, a.n);
    }
    work_close(&a);
    work_close(&b);
}

START_TEST(told_again_it_is_never_closed)
{
    struct study s;

    spaces[_i / N_ALGORITHMS](&s);
    told_again(algorithms[_i % N_ALGORITHMS], &s, 15);
    spaces_clear(&s);
}
END_TEST

START_TEST(told_again_after_many_trials_too)
{
    static const size_t lengths[] = {59, 61, 205, 223};
    struct study s;

    spaces_cube(&s, 3);
    told_again(algorithms_find("bayesian"), &s, lengths[_i]);
    spaces_clear(&s);
}
END_TEST

START_TEST(same_seed_same_points_and_another_seed_others)
{
    struct study s, other;
    struct work a, b, c;
    bool differ = false;

    if (!pair(_i, &s, &a))
        return;
    spaces[_i / N_ALGORITHMS](&other);
    other.seed = s.seed + 1;
    ck_assert(work_open(&b, a.type, &s));
    ck_assert(work_open(&c, a.type, &other));
    run(&a, 14, 2);
    run(&b, 14, 2);
    run(&c, 14, 2);
    ck_assert_uint_eq(a.n, b.n);
    for (size_t k = 0; k < a.n; k++) {
        ck_assert(same_values(&a, &b, k));
        differ = differ || k >= c.n || !same_values(&a, &c, k);
    }
    if (strcmp(a.type->name, "grid") == 0)
        ck_assert(!differ);
    else if (strcmp(s.name, "single") != 0)
        ck_assert(differ);
    work_close(&a);
    work_close(&b);
    work_close(&c);
    spaces_clear(&s);
    spaces_clear(&other);
}
END_TEST

START_TEST(no_two_running_trials_try_the_same)
{
    struct study s;
    struct work w;
    bool chance = false;

    if (!pair(_i, &s, &w))
        return;
    chance = !w.type->learns;
    run(&w, 10, 1);
    for (size_t k = 0; k < 8 && ask(&w, k) == ALGORITHM_POINT; k++)
        ;
    for (size_t k = 0; k < w.n; k++)
        for (size_t j = 0; j < k; j++)
            if (!chance || strcmp(s.name, "continuous") == 0)
                ck_assert(!point_same(&w.trials[j].point, &w.trials[k].point,
                                      &s.space));
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

START_TEST(a_finite_space_ends_when_all_of_it_was_tried)
{
    static const struct {
        spaces_make_fn *make;
        size_t n;
    } rows[] = {{spaces_tiny, 6}, {spaces_single, 1}, {spaces_stepped, 360}};

    for (size_t i = 0; i < 3; i++)
        for (size_t a = 0; a < 2; a++) {
            const char *name = a ? "grid" : "bayesian";
            struct study s;
            struct work w;

            rows[i].make(&s);
            if (!a && rows[i].n > 100) {
                spaces_clear(&s);
                continue;
            }
            ck_assert(work_open(&w, algorithms_find(name), &s));
            ck_assert_uint_eq(run(&w, 1000, 2), rows[i].n);
            for (size_t k = 0; k < w.n; k++)
                for (size_t j = 0; j < k; j++)
                    ck_assert(!point_same(&w.trials[j].point,
                                          &w.trials[k].point, &s.space));
            work_close(&w);
            spaces_clear(&s);
        }
}
END_TEST

START_TEST(a_noisy_space_may_be_tried_again)
{
    struct study s;
    struct work w;

    spaces_tiny(&s);
    s.noisy = true;
    ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
    ck_assert_uint_eq(run(&w, 20, 2), 20);
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

START_TEST(grid_refuses_what_has_no_steps_and_says_what_to_do)
{
    const struct algorithm_type *grid = algorithms_find("grid");
    void *state = mem_new(1, grid->state_size);
    struct study s;
    struct err e;

    spaces_mixed(&s);
    ck_assert_int_eq(grid->open(state, &s, &e), -1);
    ck_assert_int_eq(e.code, ERR_INVALID);
    ck_assert_ptr_nonnull(strstr(e.text, "params.x"));
    ck_assert_ptr_nonnull(strstr(e.text, "step"));
    spaces_clear(&s);
    free(state);
}
END_TEST

/* Tells the trial `number`, which is at the k-th of two start points or was put
 * in from outside. */
static void tell_at(struct work *w, int64_t number, uint64_t choice,
                    int64_t whole)
{
    struct trial t = {.number = number,
                      .state = TRIAL_SUCCEEDED,
                      .has_value = true,
                      .value = (double)number};

    point_init(&t.point, &w->study->space);
    t.point.values[0].choice = choice;
    t.point.values[1].whole = whole;
    point_settle(&t.point, &w->study->space);
    w->type->tell(w->state, &t);
    trial_clear(&t);
}

START_TEST(grid_tries_the_rest_of_what_was_told)
{
    struct study s;
    struct work w;
    struct point p;
    struct suggestion out;
    enum algorithm_answer answer = ALGORITHM_WAIT;

    spaces_tiny(&s);
    s.n_start = 2; /* handed out by the engine as trials 1 and 2 */
    ck_assert(work_open(&w, algorithms_find("grid"), &s));
    tell_at(&w, 1, 0, -1);
    tell_at(&w, 2, 1, 1);
    point_init(&p, &s.space);
    out.point = p;
    for (int64_t k = 0; k < 4; k++) {
        uint64_t index = (uint64_t)k + 1;

        w.type->ask(w.state, k + 3, NULL, 0, &out, &answer, NULL);
        ck_assert_int_eq(answer, ALGORITHM_POINT);
        ck_assert(out.point.values[0].choice == index / 3 &&
                  out.point.values[1].whole == (int64_t)(index % 3) - 1);
        tell_at(&w, k + 3, out.point.values[0].choice,
                out.point.values[1].whole);
    }
    w.type->ask(w.state, 7, NULL, 0, &out, &answer, NULL);
    ck_assert_int_eq(answer, ALGORITHM_DONE);
    point_clear(&p);
    work_close(&w);
    s.n_start = 0;
    spaces_clear(&s);
}
END_TEST

START_TEST(declared_defaults_come_first_and_once)
{
    for (size_t a = 0; a < N_ALGORITHMS; a++) {
        struct study s;
        struct work w;
        struct param *p;

        spaces_stepped(&s);
        p = &s.space.params[s.space.n - 1];
        p->fallback = param_nth(p, 3);
        p->fallback.active = true;
        if (work_open(&w, algorithms[a], &s)) {
            bool learns = w.type->learns;

            run(&w, 12, 2);
            ck_assert_msg(param_same(p, &p->fallback,
                                     &w.trials[0].point.values[s.space.n - 1]),
                          "%s", w.type->name);
            for (size_t k = 1; learns && k < w.n; k++)
                ck_assert(!point_same(&w.trials[0].point, &w.trials[k].point,
                                      &s.space));
            work_close(&w);
        }
        spaces_clear(&s);
    }
}
END_TEST

START_TEST(many_start_points_do_not_keep_the_defaults_from_being_tried)
{
    static const char *const names[] = {"bayesian", "tpe", "cma-es", "random",
                                        "quasi-random"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct study s;
        struct work w;
        struct param *p;

        spaces_cube(&s, 3);
        p = &s.space.params[0];
        p->fallback = (struct value){.active = true, .real = 4.5};
        s.n_start = 40;
        ck_assert(work_open(&w, algorithms_find(names[i]), &s));
        run(&w, 40, 1); /* in place of the engine's */
        ck_assert_int_eq(ask(&w, 0), ALGORITHM_POINT);
        ck_assert_msg(w.trials[40].point.values[0].real == 4.5, "%s", names[i]);
        work_close(&w);
        s.n_start = 0;
        spaces_clear(&s);
    }
}
END_TEST

/* Results that teach little or nothing. */
static double awkward(int kind, size_t k)
{
    switch (kind) {
    case 0:
        return 42; /* constant */
    case 1:
        return k % 2 ? 1e308 : -1e308;
    case 2:
        return (double)(k % 3) * 1e300;
    case 3:
        return k == 4 ? 1e-300 : 0;
    case 4:
        return (k % 2 ? -1 : 1) * 1e-310;
    default:
        return exp((double)k * 20) - 1e200;
    }
}

START_TEST(awkward_results_break_nothing)
{
    for (size_t i = 0; i < N_SPACES; i++) {
        struct study s;
        struct work w;

        spaces[i](&s);
        ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
        for (size_t k = 0; k < 20 && ask(&w, 0) == ALGORITHM_POINT; k++) {
            w.trials[k].state = TRIAL_SUCCEEDED;
            w.trials[k].has_value = true;
            w.trials[k].value = awkward(_i, k);
            w.type->tell(w.state, &w.trials[k]);
        }
        work_close(&w);
        spaces_clear(&s);
    }
}
END_TEST

START_TEST(a_study_where_everything_fails_goes_on)
{
    struct study s;
    struct work w;

    spaces_mixed(&s);
    ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
    for (size_t k = 0; k < 25; k++) {
        ck_assert_int_eq(ask(&w, 0), ALGORITHM_POINT);
        w.trials[k].state = k % 3 ? TRIAL_INFEASIBLE : TRIAL_FAILED;
        w.type->tell(w.state, &w.trials[k]);
    }
    for (size_t k = 1; k < 25; k++)
        ck_assert(
            !point_same(&w.trials[k].point, &w.trials[k - 1].point, &s.space));
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

START_TEST(repeated_points_break_nothing)
{
    struct study s;
    struct work w;

    spaces_cube(&s, 2);
    ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
    ck_assert_int_eq(ask(&w, 0), ALGORITHM_POINT);
    for (size_t k = 0; k < 30; k++) {
        w.trials[0].state = TRIAL_SUCCEEDED;
        w.trials[0].has_value = true;
        w.trials[0].value = (double)(k % 2);
        w.type->tell(w.state, &w.trials[0]);
    }
    ck_assert_int_eq(ask(&w, 1), ALGORITHM_POINT);
    ck_assert(!point_same(&w.trials[0].point, &w.trials[1].point, &s.space));
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

START_TEST(five_hundred_parameters_are_searched)
{
    struct study s;
    struct work w;

    spaces_cube(&s, 500);
    ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
    ck_assert_uint_eq(run(&w, 14, 1), 14);
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

START_TEST(the_edge_of_what_works_is_found)
{
    struct study s;
    struct work w;
    double best = INFINITY;

    spaces_cube(&s, 2);
    ck_assert(work_open(&w, algorithms_find("bayesian"), &s));
    for (size_t k = 0; k < 40; k++) {
        struct trial *t = NULL;
        double x = 0, y = 0;

        ck_assert_int_eq(ask(&w, 0), ALGORITHM_POINT);
        t = &w.trials[k];
        x = t->point.values[0].real;
        y = t->point.values[1].real;
        t->has_value = x < 1;
        t->state = t->has_value ? TRIAL_SUCCEEDED : TRIAL_INFEASIBLE;
        t->value = (x - 4) * (x - 4) + y * y; /* best where it fails */
        if (t->has_value)
            best = fmin(best, t->value);
        w.type->tell(w.state, t);
    }
    /* 9 at the edge of what works; 0 beyond, where the model alone would
     * stay */
    ck_assert_double_lt(best, 9.4);
    work_close(&w);
    spaces_clear(&s);
}
END_TEST

static double sphere(double x, double y, double z)
{
    return x * x + y * y + z * z;
}

static double valley(double x, double y, double z)
{
    double a = y - x * x / 2, b = z - y * y / 2;

    return 20 * a * a + 20 * b * b + (1 - x) * (1 - x);
}

static double waves(double x, double y, double z)
{
    return sphere(x, y, z) + 3 * (3 - cos(3 * x) - cos(3 * y) - cos(3 * z));
}

/* The mean of log10 of the least value after n trials, over a few seeds. */
static double skill(const char *name, double (*f)(double, double, double),
                    size_t n)
{
    enum { SEEDS = 4 };
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct study s;
        struct work w;
        struct draw d;
        double least = INFINITY, centre[3];

        spaces_cube(&s, 3);
        s.seed = seed;
        draw_init(&d, seed, DRAW_RANDOM, UINT64_MAX);
        for (int i = 0; i < 3; i++)
            centre[i] = 8 * draw_unit(&d) - 4;
        ck_assert(work_open(&w, algorithms_find(name), &s));
        for (size_t k = 0; k < n; k++) {
            struct trial *t = NULL;

            ck_assert_int_eq(ask(&w, 0), ALGORITHM_POINT);
            t = &w.trials[k];
            t->state = TRIAL_SUCCEEDED;
            t->has_value = true;
            t->value = f(t->point.values[0].real - centre[0],
                         t->point.values[1].real - centre[1],
                         t->point.values[2].real - centre[2]);
            least = fmin(least, t->value);
            w.type->tell(w.state, t);
        }
        sum += log10(least + 1e-9);
        work_close(&w);
        spaces_clear(&s);
    }
    return sum / SEEDS;
}

START_TEST(bayesian_search_beats_random_search)
{
    static const struct {
        double (*f)(double, double, double);
        double by; /* powers of ten */
    } rows[] = {{sphere, 2}, {valley, 0.5}, {waves, 0.4}};
    double bayes = skill("bayesian", rows[_i].f, 35);
    double random = skill("random", rows[_i].f, 35);

    ck_assert_msg(bayes < random - rows[_i].by, "%g against %g", bayes, random);
    ck_assert_double_lt(skill("quasi-random", rows[_i].f, 35), random + 0.5);
}
END_TEST

/* The mean over seeds of the least bowl within n trials of a space. */
static double depth(const char *name, spaces_make_fn *make, size_t n)
{
    enum { SEEDS = 6 };
    double sum = 0;

    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct study s;
        struct work w;
        double least = INFINITY;

        make(&s);
        s.seed = seed;
        ck_assert(work_open(&w, algorithms_find(name), &s));
        run(&w, n, 2);
        for (size_t k = 0; k < w.n; k++)
            if (w.trials[k].has_value)
                least = fmin(least, bowl(&s, &w.trials[k].point));
        sum += least;
        work_close(&w);
        spaces_clear(&s);
    }
    return sum / SEEDS;
}

START_TEST(it_does_so_in_mixed_spaces_with_trials_that_fail)
{
    static const struct {
        spaces_make_fn *make;
        double least; /* that the bowl can be there */
    } rows[] = {{spaces_mixed, 0.054},
                {spaces_conditional, 0.072},
                {spaces_stepped, 0.006}};
    double least = rows[_i].least;
    double bayes = depth("bayesian", rows[_i].make, 25) - least;
    double random = depth("random", rows[_i].make, 25) - least;

    ck_assert_double_ge(bayes, 0);
    ck_assert_msg(bayes < 0.5 * random, "%g against %g", bayes, random);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("algorithms/promises");
    TCase *c = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int pairs = N_SPACES * N_ALGORITHMS, failed = 0;

    algorithms_init();
    tcase_set_timeout(c, 240);
    tcase_add_loop_test(c, points_lie_in_the_space, 0, pairs);
    tcase_add_loop_test(c, told_again_it_is_never_closed, 0, pairs);
    tcase_add_loop_test(c, told_again_after_many_trials_too, 0, 4);
    tcase_add_loop_test(c, same_seed_same_points_and_another_seed_others, 0,
                        pairs);
    tcase_add_loop_test(c, no_two_running_trials_try_the_same, 0, pairs);
    tcase_add_test(c, a_finite_space_ends_when_all_of_it_was_tried);
    tcase_add_test(c, a_noisy_space_may_be_tried_again);
    tcase_add_test(c, grid_refuses_what_has_no_steps_and_says_what_to_do);
    tcase_add_test(c, grid_tries_the_rest_of_what_was_told);
    tcase_add_test(c, declared_defaults_come_first_and_once);
    tcase_add_test(c,
                   many_start_points_do_not_keep_the_defaults_from_being_tried);
    tcase_add_loop_test(c, awkward_results_break_nothing, 0, 6);
    tcase_add_test(c, a_study_where_everything_fails_goes_on);
    tcase_add_test(c, repeated_points_break_nothing);
    tcase_add_test(c, five_hundred_parameters_are_searched);
    tcase_add_test(c, the_edge_of_what_works_is_found);
    tcase_add_loop_test(c, bayesian_search_beats_random_search, 0, 3);
    tcase_add_loop_test(c, it_does_so_in_mixed_spaces_with_trials_that_fail, 0,
                        3);
    suite_add_tcase(suite, c);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
