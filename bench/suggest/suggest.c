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

#include "algorithms/algorithms.h"
#include "algorithms/draw.h"
#include "base/clock.h"
#include "base/mem.h"

enum { MOST_AXES = 10, TRIALS = 100 };

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

static void study_make(struct study *s, size_t d, uint64_t seed)
{
    memset(s, 0, sizeof *s);
    s->seed = seed;
    s->trials = TRIALS;
    s->space.params = mem_new(d, sizeof *s->space.params);
    s->space.n = d;
    for (size_t i = 0; i < d; i++)
        s->space.params[i] = (struct param){
            .kind = PARAM_DOUBLE, .min = -5, .max = 5, .parent = -1};
}

/* The function with its optimum moved off the centre, by the seed. */
static double value_at(double (*f)(const double *, size_t), uint64_t seed,
                       const struct point *p)
{
    double x[MOST_AXES] = {0};
    struct draw d;

    draw_init(&d, seed, DRAW_RANDOM, UINT64_MAX);
    for (size_t i = 0; i < p->n; i++)
        x[i] = p->values[i].real - (8 * draw_unit(&d) - 4);
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
    int64_t start = clock_steady_ms(&clock_real);
    void *state = mem_new(1, a->state_size);

    study_make(&s, d, seed);
    point_init(&out.point, &s.space);
    if (a->open(state, &s, NULL) != 0)
        abort();
    for (int i = 1; i <= n; i++) {
        struct trial t = {
            .number = i, .state = TRIAL_SUCCEEDED, .has_value = true};

        a->ask(state, i, NULL, 0, &out, &answer, NULL);
        t.point = out.point;
        t.value = value_at(f, seed, &out.point);
        best = fmin(best, t.value);
        a->tell(state, &t);
    }
    *ms += (double)(clock_steady_ms(&clock_real) - start);
    a->close(state);
    free(state);
    point_clear(&out.point);
    free(s.space.params);
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

/* Milliseconds of an ask with n random trials told: the first, which fits, and
 * the next ones, each after one more result. */
static void times(int n)
{
    const struct algorithm_type *a = algorithms_find("bayesian");
    const struct algorithm_type *random = algorithms_find("random");
    enum { AGAIN = 5 };
    struct study s;
    struct suggestion out;
    enum algorithm_answer answer = ALGORITHM_POINT;
    void *state = mem_new(1, a->state_size);
    void *chance = mem_new(1, random->state_size);
    int64_t start = 0, first = 0;

    study_make(&s, MOST_AXES, 1);
    point_init(&out.point, &s.space);
    if (a->open(state, &s, NULL) != 0 || random->open(chance, &s, NULL) != 0)
        abort();
    for (int i = 1; i <= n + AGAIN; i++) {
        struct trial t = {
            .number = i, .state = TRIAL_SUCCEEDED, .has_value = true};

        if (i == n + 1)
            first = clock_steady_ms(&clock_real) - start;
        if (i <= n)
            random->ask(chance, i, NULL, 0, &out, &answer, NULL);
        else
            a->ask(state, i, NULL, 0, &out, &answer, NULL);
        t.point = out.point;
        t.value = value_at(rosenbrock, 1, &out.point);
        a->tell(state, &t);
        if (i == n) {
            start = clock_steady_ms(&clock_real);
            a->ask(state, n + 1, NULL, 0, &out, &answer, NULL);
        }
    }
    printf("n=%-5d first %5.0f ms, then %6.1f ms\n", n, (double)first,
           (double)(clock_steady_ms(&clock_real) - start - first) / AGAIN);
    a->close(state);
    random->close(chance);
    free(state);
    free(chance);
    point_clear(&out.point);
    free(s.space.params);
}

int main(int argc, char **argv)
{
    static const int sizes[] = {20, 50, 100, 300, 1000, 3000};
    const char *what = argc > 1 ? argv[1] : "";
    uint64_t seeds = argc > 2 ? strtoull(argv[2], NULL, 10) : 3;

    algorithms_init();
    for (size_t i = 0; i < 6 && strcmp(what, "regret") != 0; i++)
        times(sizes[i]);
    if (strcmp(what, "time") != 0)
        regrets(seeds ? seeds : 1);
    return 0;
}
