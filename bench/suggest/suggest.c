/* What a suggestion costs and what it is worth: milliseconds at several
 * numbers of trials, and regret on five functions as a share of that of random
 * search.
 *
 *     bench_suggest [time|regret] [SEEDS] */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/mem.h"

enum { MOST_AXES = 40, TRIALS = 100 };

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static double sphere(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static double ellipsoid(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += pow(1e3, (double)i / (double)(n - 1)) * x[i] * x[i];
    return sum;
}

static double rosenbrock(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i + 1 < n; i++) {
        double a = x[i] + 1, b = x[i + 1] + 1;

        sum += 100 * (b - a * a) * (b - a * a) + (1 - a) * (1 - a);
    }
    return sum;
}

static double rastrigin(const double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += 10 + x[i] * x[i] - 10 * cos(2 * M_PI * x[i]);
    return sum;
}

static double ackley(const double *x, size_t n)
{
    double squares = 0, waves = 0;

    for (size_t i = 0; i < n; i++) {
        squares += x[i] * x[i] / (double)n;
        waves += cos(2 * M_PI * x[i]) / (double)n;
    }
    return 20 + M_E - 20 * exp(-0.2 * sqrt(squares)) - exp(waves);
}

static const struct {
    const char *name;
    double (*f)(const double *x, size_t n);
} functions[] = {{"sphere", sphere},
                 {"ellipsoid", ellipsoid},
                 {"rosenbrock", rosenbrock},
                 {"rastrigin", rastrigin},
                 {"ackley", ackley}};

static struct param *add(struct study *s, enum param_kind kind)
{
    struct param *p = NULL;

    s->space.params =
        mem_resize(s->space.params, s->space.n + 1, sizeof *s->space.params);
    p = &s->space.params[s->space.n++];
    *p = (struct param){.kind = kind,
                        .min = -5,
                        .max = 5,
                        .high = 9,
                        .int_step = 1,
                        .parent = -1};
    if (kind == PARAM_CATEGORICAL) {
        p->n_values = 5;
        p->words = mem_new(p->n_values, sizeof *p->words);
        for (size_t k = 0; k < p->n_values; k++)
            p->words[k] = mem_format("w%zu", k);
    }
    return p;
}

/* All real; half of them integers and words; few enough values for a list of
 * all points. */
enum sort { REALS, MIXED, LISTED };
static const char *const sorts[] = {"reals", "mixed", "list"};

static void study_make(struct study *s, size_t d, enum sort sort, uint64_t seed)
{
    study_init(s);
    s->maximize = false;
    s->seed = seed;
    s->trials = TRIALS;
    for (size_t i = 0; i < d; i++)
        if (sort == LISTED)
            add(s, i % 2 ? PARAM_INTEGER : PARAM_CATEGORICAL);
        else
            add(s, sort == REALS || i % 2 == 0 ? PARAM_DOUBLE
                   : i % 4 == 1                ? PARAM_INTEGER
                                               : PARAM_CATEGORICAL);
}

/* The function with its optimum moved off the centre, by the seed. */
static double value_at(double (*f)(const double *, size_t),
                       const struct study *s, const struct point *p)
{
    double x[MOST_AXES] = {0};
    struct draw d;

    draw_init(&d, s->seed, DRAW_RANDOM, UINT64_MAX);
    for (size_t i = 0; i < s->space.n; i++)
        x[i] = param_number(&s->space.params[i], &p->values[i]) -
               (8 * draw_unit(&d) - 4);
    return f(x, p->n);
}

/* The least value after n trials. Adds the milliseconds of asks. */
static double run(const struct algorithm_type *a, size_t d, uint64_t seed,
                  double (*f)(const double *, size_t), int n, double *ms)
{
    struct study s;
    struct suggestion out;
    enum algorithm_answer answer = ALGORITHM_POINT;
    double best = INFINITY;
    double start = cpu_ms();
    void *state = mem_new(1, a->state_size);

    study_make(&s, d, REALS, seed);
    point_init(&out.point, &s.space);
    if (a->open(state, &s, NULL) != 0)
        abort();
    for (int i = 1; i <= n; i++) {
        struct trial t = {
            .number = i, .state = TRIAL_SUCCEEDED, .has_value = true};

        a->ask(state, i, NULL, 0, &out, &answer, NULL);
        t.point = out.point;
        t.value = value_at(f, &s, &out.point);
        best = fmin(best, t.value);
        a->tell(state, &t);
    }
    *ms += cpu_ms() - start;
    a->close(state);
    free(state);
    point_clear(&out.point);
    study_clear(&s);
    return best;
}

static void regrets(uint64_t seeds)
{
    printf("log10(regret / regret of random), %d trials\n", TRIALS);
    printf("%-12s %8s %8s %8s %8s\n", "function", "d=5", "d=10", "sobol d=10",
           "ms/ask");
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++) {
        double sums[3] = {0}, ms = 0, other = 0;

        for (uint64_t seed = 1; seed <= seeds; seed++) {
            double (*f)(const double *, size_t) = functions[k].f;
            const struct algorithm_type *random = algorithms_find("random");
            double five = run(random, 5, seed, f, TRIALS, &other);
            double ten = run(random, 10, seed, f, TRIALS, &other);

            sums[0] += log10(
                run(algorithms_find("bayesian"), 5, seed, f, TRIALS, &other) /
                five);
            sums[1] += log10(
                run(algorithms_find("bayesian"), 10, seed, f, TRIALS, &ms) /
                ten);
            sums[2] += log10(run(algorithms_find("quasi-random"), 10, seed, f,
                                 TRIALS, &other) /
                             ten);
        }
        printf("%-12s %8.2f %8.2f %8.2f %8.1f\n", functions[k].name,
               sums[0] / (double)seeds, sums[1] / (double)seeds,
               sums[2] / (double)seeds, ms / (double)seeds / TRIALS);
    }
}

/* Milliseconds of processor time of an ask with n random trials told: the
 * first, which fits from nothing, then the mean and the longest of the next
 * ones, each after one more result, while `running` trials run. */
static void times(int n, size_t d, enum sort sort, int running)
{
    const struct algorithm_type *a = algorithms_find("bayesian");
    const struct algorithm_type *random = algorithms_find("random");
    enum { AGAIN = 20 };
    struct study s;
    struct suggestion out;
    enum algorithm_answer answer = ALGORITHM_POINT;
    void *state = mem_new(1, a->state_size);
    void *chance = mem_new(1, random->state_size);
    const struct trial **others = mem_new((size_t)running, sizeof *others);
    struct trial *run = mem_new((size_t)running, sizeof *run);
    double first = 0, sum = 0, most = 0;

    study_make(&s, d, sort, 1);
    point_init(&out.point, &s.space);
    if (a->open(state, &s, NULL) != 0 || random->open(chance, &s, NULL) != 0)
        abort();
    for (int i = 0; i < running; i++) {
        run[i].number = n + 100 + i;
        others[i] = &run[i];
        point_init(&run[i].point, &s.space);
        random->ask(chance, n + 100 + i, NULL, 0,
                    &(struct suggestion){.point = run[i].point}, &answer, NULL);
    }
    for (int i = 1; i <= n + 1 + AGAIN; i++) {
        struct trial t = {
            .number = i, .state = TRIAL_SUCCEEDED, .has_value = true};
        double start = cpu_ms(), used = 0;

        (i <= n ? random : a)
            ->ask(i <= n ? chance : state, i, others, (size_t)running, &out,
                  &answer, NULL);
        used = cpu_ms() - start;
        if (i == n + 1)
            first = used;
        if (i > n + 1) {
            sum += used;
            most = fmax(most, used);
        }
        t.point = out.point;
        t.value = value_at(rosenbrock, &s, &out.point);
        a->tell(state, &t);
    }
    printf("%-3zu %s, %2d running, n=%-6d first %6.1f, then %6.1f, at most "
           "%6.1f ms\n",
           d, sorts[sort], running, n, first, sum / AGAIN, most);
    fflush(stdout);
    a->close(state);
    random->close(chance);
    free(state);
    free(chance);
    for (int i = 0; i < running; i++)
        point_clear(&run[i].point);
    free(run);
    free(others);
    point_clear(&out.point);
    study_clear(&s);
}

int main(int argc, char **argv)
{
    static const struct {
        size_t d;
        enum sort sort;
        int running, n;
    } cases[] = {
        {10, REALS, 0, 20},    {10, REALS, 0, 100},   {10, REALS, 0, 300},
        {10, REALS, 0, 500},   {10, REALS, 0, 1000},  {10, REALS, 0, 5000},
        {10, REALS, 0, 20000}, {10, REALS, 8, 100},   {10, REALS, 8, 1000},
        {10, MIXED, 0, 100},   {10, MIXED, 0, 1000},  {10, MIXED, 16, 1000},
        {40, MIXED, 0, 1000},  {40, MIXED, 16, 1000}, {5, LISTED, 0, 100},
        {5, LISTED, 8, 300},   {5, LISTED, 8, 1000},
    };
    bool regret = argc > 1 && strcmp(argv[1], "regret") == 0;
    const char *what = argc > 1 ? argv[1] : "";
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;

    algorithms_init();
    for (size_t i = 0; i < sizeof cases / sizeof *cases && !regret; i++)
        times(cases[i].n, cases[i].d, cases[i].sort, cases[i].running);
    if (strcmp(what, "time") != 0)
        regrets(seeds ? seeds : 1);
    return 0;
}
