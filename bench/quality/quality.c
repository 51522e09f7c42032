/* What the algorithms find: each on every problem of a suite, in several
 * dimensions, instances and seeds, against random search and against each
 * other (docs/performance.md).
 *
 *     quality [--suite bbob] [--dims 5,10] [--instances even|odd|LIST]
 *             [--seeds 5] [--trials 100] [--parallel 1] [--jobs 2]
 *             [--algorithm bayesian] [--against NAME]
 *             [--save FILE] [--beside FILE] [--problems yes] */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/mem.h"
#include "bench/quality/races.h"
#include "bench/quality/scores.h"

enum { MOST = 32, RANDOM_RUNS = 20, RANDOM_SEED = 90000 };

static const double least = 1e-6; /* a share of random's regret */

struct settings {
    const char *suite, *dims, *instances, *seeds, *trials, *parallel, *jobs,
        *algorithm, *against, *save, *beside, *problems;
};

static const struct {
    const char *flag;
    size_t offset;
} flags[] = {
    {"--suite", offsetof(struct settings, suite)},
    {"--dims", offsetof(struct settings, dims)},
    {"--instances", offsetof(struct settings, instances)},
    {"--seeds", offsetof(struct settings, seeds)},
    {"--trials", offsetof(struct settings, trials)},
    {"--parallel", offsetof(struct settings, parallel)},
    {"--jobs", offsetof(struct settings, jobs)},
    {"--algorithm", offsetof(struct settings, algorithm)},
    {"--against", offsetof(struct settings, against)},
    {"--save", offsetof(struct settings, save)},
    {"--beside", offsetof(struct settings, beside)},
    {"--problems", offsetof(struct settings, problems)},
};

static const struct settings defaults = {.suite = "bbob",
                                         .dims = "5,10",
                                         .instances = "even",
                                         .seeds = "5",
                                         .trials = "100",
                                         .parallel = "1",
                                         .jobs = "2",
                                         .algorithm = "bayesian"};

static const char **flag(struct settings *s, const char *name)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i].flag, name) == 0)
            return (const char **)(void *)((char *)s + flags[i].offset);
    return NULL;
}

/* The numbers of a list with commas; how many. */
static size_t numbers(const char *text, int *out)
{
    size_t n = 0;

    while (*text && n < MOST) {
        char *end = NULL;
        long x = strtol(text, &end, 10);

        if (end == text || x < 1 || x > 1000000)
            return 0;
        out[n++] = (int)x;
        text = *end == ',' ? end + 1 : end;
        if (*end && *end != ',')
            return 0;
    }
    return n;
}

/* What is run, with its lists read. */
struct plan {
    const struct problem_suite *suite;
    const struct algorithm_type *type;
    int dims[MOST], instances[MOST];
    size_t n_dims, n_instances;
    int seeds, trials, parallel, jobs;
};

static bool one(const char *text, int *out)
{
    int list[MOST];

    if (numbers(text, list) != 1)
        return false;
    *out = list[0];
    return true;
}

static const char *instances(const char *text)
{
    if (strcmp(text, "even") == 0)
        return "2,4";
    return strcmp(text, "odd") == 0 ? "1,3,5" : text;
}

static bool plan_read(struct plan *p, const struct settings *s,
                      const char *algorithm)
{
    p->suite = problem_suites;
    while (p->suite->name && strcmp(p->suite->name, s->suite) != 0)
        p->suite++;
    p->type = algorithms_find(algorithm);
    p->n_dims = numbers(s->dims, p->dims);
    p->n_instances = numbers(instances(s->instances), p->instances);
    for (size_t i = 0; i < p->n_dims; i++)
        if (p->dims[i] < 2 || p->dims[i] > PROBLEM_AXES)
            return false;
    return p->suite->name && p->type && p->n_dims && p->n_instances &&
           one(s->seeds, &p->seeds) && one(s->trials, &p->trials) &&
           one(s->parallel, &p->parallel) && one(s->jobs, &p->jobs);
}

/* What random search leaves at each budget, on average. */
static void leave_random(struct problem *p, const struct plan *plan,
                         double *mean)
{
    size_t n = (size_t)plan->trials;
    double *left = mem_new(n, sizeof *left), ms = 0;

    memset(mean, 0, SCORES_BUDGETS * sizeof *mean);
    for (uint64_t seed = 0; seed < RANDOM_RUNS; seed++) {
        races_run(p, algorithms_find("random"), RANDOM_SEED + seed, n, 1, left,
                  &ms);
        for (size_t b = 0; b < SCORES_BUDGETS; b++)
            if (scores_budgets[b] <= n && isfinite(left[scores_budgets[b] - 1]))
                mean[b] += left[scores_budgets[b] - 1] / RANDOM_RUNS;
    }
    free(left);
}

/* All seeds of one problem. */
static void run_problem(const struct plan *plan, size_t k, int d, int instance,
                        struct scores *out)
{
    double mean[SCORES_BUDGETS];
    size_t n = (size_t)plan->trials;
    double *left = mem_new(n, sizeof *left);
    struct problem p;

    problem_init(&p, plan->suite, k, (size_t)d, instance);
    leave_random(&p, plan, mean);
    for (int seed = 1; seed <= plan->seeds; seed++) {
        struct score s = {.d = d, .instance = instance, .seed = seed};

        snprintf(s.algorithm, sizeof s.algorithm, "%s", plan->type->name);
        snprintf(s.suite, sizeof s.suite, "%s", plan->suite->name);
        snprintf(s.problem, sizeof s.problem, "%s", p.name);
        races_run(&p, plan->type, (uint64_t)seed + 1000 * (uint64_t)instance, n,
                  (size_t)plan->parallel, left, &s.ms);
        s.ms /= (double)n;
        for (size_t b = 0; b < SCORES_BUDGETS; b++) {
            size_t at = scores_budgets[b];

            s.at[b] = at > n ? NAN
                             : log10(fmin(fmax(left[at - 1] / mean[b], least),
                                          1 / least));
        }
        scores_add(out, &s);
    }
    problem_clear(&p);
    free(left);
}

/* Every jobs-th problem, beginning with that of `job`. */
static void run_share(const struct plan *plan, int job, struct scores *out)
{
    int turn = 0;

    for (size_t i = 0; i < plan->n_dims; i++)
        for (size_t k = 0; k < plan->suite->n; k++)
            for (size_t m = 0; m < plan->n_instances; m++)
                if (turn++ % plan->jobs == job)
                    run_problem(plan, k, plan->dims[i], plan->instances[m],
                                out);
}

/* All of the plan, in `jobs` processes. */
static void run_plan(const struct plan *plan, struct scores *out)
{
    FILE *files[MOST];
    pid_t children[MOST];
    int n = plan->jobs < MOST ? plan->jobs : MOST;

    fflush(stdout);
    for (int job = 0; job < n; job++) {
        struct scores part = {0};

        files[job] = tmpfile();
        children[job] = files[job] ? fork() : -1;
        if (children[job] < 0)
            abort();
        if (children[job] > 0)
            continue;
        run_share(plan, job, &part);
        scores_write(&part, files[job]);
        fflush(files[job]);
        _exit(0);
    }
    for (int job = 0; job < n; job++) {
        waitpid(children[job], NULL, 0);
        rewind(files[job]);
        scores_read(out, files[job]);
        fclose(files[job]);
    }
}

static int usage(void)
{
    fputs("usage: quality [FLAG VALUE]...; flags:\n", stderr);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        fprintf(stderr, "  %s\n", flags[i].flag);
    return 2;
}

static void read_from(struct scores *s, const char *path)
{
    FILE *in = path ? fopen(path, "r") : NULL;

    if (!in)
        return;
    scores_read(s, in);
    fclose(in);
}

static void save(const struct scores *s, const char *path)
{
    FILE *out = path ? fopen(path, "w") : NULL;

    if (!out)
        return;
    scores_write(s, out);
    fclose(out);
}

int main(int argc, char **argv)
{
    struct settings settings = defaults;
    struct scores mine = {0}, theirs = {0};
    struct plan plan;

    algorithms_init();
    for (int i = 1; i < argc; i += 2) {
        const char **to = flag(&settings, argv[i]);

        if (!to || i + 1 == argc)
            return usage();
        *to = argv[i + 1];
    }
    if (!plan_read(&plan, &settings, settings.algorithm))
        return usage();
    run_plan(&plan, &mine);
    save(&mine, settings.save);
    read_from(&theirs, settings.beside);
    if (settings.against && plan_read(&plan, &settings, settings.against))
        run_plan(&plan, &theirs);
    scores_table(&mine);
    if (settings.against)
        scores_table(&theirs);
    if (theirs.n)
        scores_compare(&mine, &theirs);
    if (settings.problems)
        scores_by_problem(&mine, theirs.n ? &theirs : NULL);
    scores_clear(&mine);
    scores_clear(&theirs);
    return 0;
}
