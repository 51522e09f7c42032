/* What the algorithms find: each on every problem of a suite, in several
 * dimensions, instances and seeds, against random search and against each
 * other (docs/performance.md).
 *
 *     quality [--suite bbob] [--dims 5,10] [--instances even|odd|LIST]
 *             [--seeds 5] [--trials 100] [--parallel 1] [--jobs 2]
 *             [--algorithm bayesian | --optimizer COMMAND] [--name NAME]
 *             [--against NAME] [--save FILE] [--run no] [--beside FILE]
 *             [--problems yes]
 *
 * A run that --save's file has already is not run again, and each new one is
 * added to it as it ends. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "algorithms/algorithms.h"
#include "base/mem.h"
#include "bench/quality/peer.h"
#include "bench/quality/races.h"
#include "bench/quality/scores.h"

enum { MOST = 32, RANDOM_RUNS = 20, RANDOM_SEED = 90000 };

static const double least = 1e-6; /* a share of random's regret */

struct settings {
    const char *suite, *dims, *instances, *seeds, *trials, *parallel, *jobs,
        *algorithm, *optimizer, *name, *against, *save, *run, *beside,
        *problems;
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
    {"--optimizer", offsetof(struct settings, optimizer)},
    {"--name", offsetof(struct settings, name)},
    {"--against", offsetof(struct settings, against)},
    {"--save", offsetof(struct settings, save)},
    {"--run", offsetof(struct settings, run)},
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
                                         .algorithm = "bayesian",
                                         .run = "yes"};

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
    const char *name; /* of the algorithm, in files and tables */
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

static bool plan_read(struct plan *p, const struct settings *s)
{
    p->suite = problem_suites;
    while (p->suite->name && strcmp(p->suite->name, s->suite) != 0)
        p->suite++;
    p->type = algorithms_find(s->algorithm);
    p->name = s->name ? s->name : s->algorithm;
    if (s->optimizer) {
        peer_use(s->optimizer);
        p->type = &peer_algorithm;
        p->name = s->name ? s->name : p->type->name;
    }
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
        struct err e;

        if (races_run(p, algorithms_find("random"), RANDOM_SEED + seed, n, 1,
                      left, &ms, &e) != 0)
            abort();
        for (size_t b = 0; b < SCORES_BUDGETS; b++)
            if (scores_budgets[b] <= n && isfinite(left[scores_budgets[b] - 1]))
                mean[b] += left[scores_budgets[b] - 1] / RANDOM_RUNS;
    }
    free(left);
}

/* One process of those that share a plan's runs. */
struct worker {
    const struct plan *plan;
    const struct scores *done; /* before it began */
    int log;                   /* where scores go */
    bool failed;
};

static void complain(struct worker *w, const struct score *s,
                     const struct err *e)
{
    fprintf(stderr, "quality: %s on %s, d=%d, instance %d, seed %d: %s\n",
            s->algorithm, s->problem, s->d, s->instance, s->seed, e->text);
    w->failed = true;
}

/* One run, whose figures are added to *s. */
static int run_one(const struct plan *plan, struct problem *p,
                   const double *mean, struct score *s, struct err *e)
{
    size_t n = (size_t)plan->trials;
    double *left = mem_new(n, sizeof *left);
    uint64_t seed = (uint64_t)s->seed + 1000 * (uint64_t)s->instance;
    int rc = races_run(p, plan->type, seed, n, (size_t)plan->parallel, left,
                       &s->ms, e);

    s->ms /= (double)n;
    for (size_t b = 0; b < SCORES_BUDGETS; b++) {
        size_t at = scores_budgets[b];

        s->at[b] =
            rc != 0 || at > n
                ? NAN
                : log10(fmin(fmax(left[at - 1] / mean[b], least), 1 / least));
    }
    free(left);
    return rc;
}

/* All seeds of one problem, less those that are done. */
static void run_problem(struct worker *w, size_t k, int d, int instance)
{
    const struct plan *plan = w->plan;
    double mean[SCORES_BUDGETS];
    bool compared = false;
    struct problem p;

    problem_init(&p, plan->suite, k, (size_t)d, instance);
    for (int seed = 1; seed <= plan->seeds; seed++) {
        struct score s = {.d = d,
                          .instance = instance,
                          .seed = seed,
                          .trials = plan->trials,
                          .parallel = plan->parallel};
        struct err e;

        snprintf(s.algorithm, sizeof s.algorithm, "%s", plan->name);
        snprintf(s.suite, sizeof s.suite, "%s", plan->suite->name);
        snprintf(s.problem, sizeof s.problem, "%s", p.name);
        if (scores_have(w->done, &s))
            continue;
        if (!compared)
            leave_random(&p, plan, mean);
        compared = true;
        if (run_one(plan, &p, mean, &s, &e) != 0 ||
            scores_append(w->log, &s, &e) != 0)
            complain(w, &s, &e);
    }
    problem_clear(&p);
}

/* Every jobs-th problem, beginning with that of `job`. */
static void run_share(struct worker *w, int job)
{
    const struct plan *plan = w->plan;
    int turn = 0;

    for (size_t i = 0; i < plan->n_dims; i++)
        for (size_t k = 0; k < plan->suite->n; k++)
            for (size_t m = 0; m < plan->n_instances; m++)
                if (turn++ % plan->jobs == job)
                    run_problem(w, k, plan->dims[i], plan->instances[m]);
    peer_end();
}

static bool among(int x, const int *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

/* Takes from `all` what the plan would run, once each. */
static void take_planned(const struct plan *plan, const struct scores *all,
                         struct scores *out)
{
    for (size_t i = 0; i < all->n; i++) {
        const struct score *s = &all->items[i];

        if (strcmp(s->algorithm, plan->name) == 0 &&
            strcmp(s->suite, plan->suite->name) == 0 &&
            s->trials == plan->trials && s->parallel == plan->parallel &&
            s->seed <= plan->seeds && among(s->d, plan->dims, plan->n_dims) &&
            among(s->instance, plan->instances, plan->n_instances) &&
            !scores_have(out, s))
            scores_add(out, s);
    }
}

/* Runs what of the plan is not in `done`, in `jobs` processes. False if
 * something failed. */
static bool run_rest(const struct plan *plan, const struct scores *done,
                     int log)
{
    pid_t children[MOST];
    int n = plan->jobs < MOST ? plan->jobs : MOST;
    bool good = true;

    fflush(stdout);
    for (int job = 0; job < n; job++) {
        struct worker w = {.plan = plan, .done = done, .log = log};

        children[job] = fork();
        if (children[job] < 0)
            abort();
        if (children[job] > 0)
            continue;
        run_share(&w, job);
        _exit(w.failed);
    }
    for (int job = 0; job < n; job++) {
        int status = 0;

        waitpid(children[job], &status, 0);
        good = good && status == 0;
    }
    return good;
}

/* The file of scores, at its beginning; a file without a name if path is
 * NULL. */
static FILE *open_log(const char *path)
{
    FILE *log = path ? fopen(path, "a+") : tmpfile();

    if (!log) {
        fprintf(stderr, "quality: %s cannot be written\n",
                path ? path : "a temporary file");
        exit(1);
    }
    fcntl(fileno(log), F_SETFL, O_APPEND);
    if (fseek(log, -1, SEEK_END) == 0 && getc(log) != '\n')
        dprintf(fileno(log), "\n"); /* after a line that was cut off */
    rewind(log);
    return log;
}

/* All scores of the plan, of which the file at `path` may have some. False if
 * something failed. */
static bool run_plan(const struct plan *plan, const char *path, bool run,
                     struct scores *out)
{
    FILE *log = open_log(path);
    struct scores done = {0}, all = {0};
    bool good = true;

    scores_read(&done, log);
    if (run)
        good = run_rest(plan, &done, fileno(log));
    rewind(log);
    scores_read(&all, log);
    fclose(log);
    take_planned(plan, &all, out);
    scores_clear(&done);
    scores_clear(&all);
    return good;
}

static int usage(void)
{
    fputs("usage: quality [FLAG VALUE]...; flags:\n", stderr);
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        fprintf(stderr, "  %s\n", flags[i].flag);
    return 2;
}

static bool read_from(struct scores *s, const char *path)
{
    FILE *in = fopen(path, "r");

    if (!in)
        return false;
    scores_read(s, in);
    fclose(in);
    return true;
}

/* Mine less each other algorithm's, one after the other. */
static void compare(const struct scores *mine, const struct scores *theirs,
                    bool problems)
{
    for (size_t i = 0; i < theirs->n; i++) {
        const char *name = theirs->items[i].algorithm;
        struct scores one = {0};
        bool seen = false;

        for (size_t k = 0; k < i && !seen; k++)
            seen = strcmp(theirs->items[k].algorithm, name) == 0;
        for (size_t k = i; k < theirs->n && !seen; k++)
            if (strcmp(theirs->items[k].algorithm, name) == 0)
                scores_add(&one, &theirs->items[k]);
        if (one.n) {
            scores_compare(mine, &one);
            if (problems)
                scores_by_problem(mine, &one);
        }
        scores_clear(&one);
    }
}

int main(int argc, char **argv)
{
    struct settings settings = defaults;
    struct scores mine = {0}, theirs = {0};
    struct plan plan;
    bool good = true, run = true;

    algorithms_init();
    for (int i = 1; i < argc; i += 2) {
        const char **to = flag(&settings, argv[i]);

        if (!to || i + 1 == argc)
            return usage();
        *to = argv[i + 1];
    }
    if (!plan_read(&plan, &settings))
        return usage();
    run = strcmp(settings.run, "no") != 0;
    good = run_plan(&plan, settings.save, run, &mine);
    if (settings.beside && !read_from(&theirs, settings.beside)) {
        fprintf(stderr, "quality: %s cannot be read\n", settings.beside);
        good = false;
    }
    scores_table(&mine);
    if (settings.against) {
        settings.algorithm = settings.against;
        settings.optimizer = settings.name = NULL;
        if (!plan_read(&plan, &settings))
            return usage();
        good = run_plan(&plan, settings.save, run, &theirs) && good;
    }
    if (theirs.n)
        scores_table(&theirs);
    compare(&mine, &theirs, settings.problems);
    if (settings.problems && !theirs.n)
        scores_by_problem(&mine, NULL);
    scores_clear(&mine);
    scores_clear(&theirs);
    return good ? 0 : 1;
}
