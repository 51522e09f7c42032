/* Our own dialect: every key of a study file but the parameters. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/dialects.h"
#include "study/literal.h"

/* --- the goal ------------------------------------------------------------ */

static void set_goal(struct reading *r, const struct node *at,
                     const char *metric, bool maximize)
{
    if (r->goal) {
        reading_fault(r, at,
                      "this is a second goal (the first is on line %d); write "
                      "several as objectives: {accuracy: max, latency: min}",
                      r->goal->line);
        return;
    }
    r->goal = at;
    goals_add(r, at, metric, maximize);
}

static void read_goal(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    const char *metric = reading_text(r, k->name, v);

    (void)into;
    if (metric)
        set_goal(r, v, metric, strcmp(k->name, "maximize") == 0);
    else if (!r->goal)
        r->goal = v;
}

static const struct choice directions[] = {
    {"max", 1, -1},      {"min", 0, -1}, {"maximize", 1, -1},
    {"minimize", 0, -1}, {NULL, 0, 0},
};

static void read_objectives(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    (void)into;
    if (v->kind != NODE_MAP || v->n == 0) {
        reading_fault(r, v,
                      "%s must be a map such as {accuracy: max, latency: min}",
                      k->name);
        if (!r->goal)
            r->goal = v;
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node_item *item = &v->items[i];
        int direction = 1;

        reading_choice(r, item->key, item->value, directions, &direction);
        if (i)
            goals_add(r, item->value, item->key, direction == 1);
        else
            set_goal(r, item->value, item->key, direction == 1);
    }
}

/* --- metrics ------------------------------------------------------------- */

static const struct key metrics_keys[] = {
    {.name = "pattern",
     .read = key_text,
     .offset = offsetof(struct study, job.pattern)},
    {.name = "file",
     .read = key_text,
     .offset = offsetof(struct study, job.lines_file)},
    {.name = "tensorboard",
     .read = key_refuse,
     .why = "TensorBoard files are not read by this version; report from the "
            "program, or with a pattern"},
    {0},
};

/* A text alone is a pattern. Whether it is a regular expression is for those
 * to say who search with it (metrics/follow.h). */
static void read_metrics(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    struct key pattern = metrics_keys[0];

    (void)into;
    pattern.name = k->name;
    if (v->kind == NODE_SCALAR)
        key_text(r, &pattern, v, r->s);
    else
        reading_keys(r, v, metrics_keys, r->s, "metrics");
}

/* --- the rest ------------------------------------------------------------ */

static void read_algorithm(struct reading *r, const struct key *k,
                           const struct node *v, void *into)
{
    const char *text = reading_text(r, k->name, v), *near;
    size_t n = 0;

    (void)into;
    if (!text)
        return;
    for (; study_algorithms[n]; n++)
        if (strcmp(study_algorithms[n], text) == 0) {
            r->s->algorithm = study_algorithms[n];
            return;
        }
    near = fault_near(text, study_algorithms, n);
    if (near)
        reading_fault(r, v, "%s: there is no \"%.60s\"; did you mean %s?",
                      k->name, text, near);
    else
        reading_fault(r, v,
                      "%s: there is no \"%.60s\"; take bayesian, tpe, cma-es, "
                      "random, quasi-random or grid",
                      k->name, text);
}

#define MANY 1000000000

/* A rule, perhaps with " after N". */
static void read_stop_early(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    static const char word[] = " after ";
    const char *text = reading_text(r, k->name, v), *rest;
    size_t n = text ? strcspn(text, " ") : 0, i = 0;

    (void)into;
    if (!text)
        return;
    while (study_stops[i] && (strncmp(study_stops[i], text, n) != 0 ||
                              strlen(study_stops[i]) != n))
        i++;
    if (!study_stops[i]) {
        reading_fault(r, v,
                      "%s: there is no \"%.60s\"; take none, median or asha",
                      k->name, text);
        return;
    }
    r->s->stop = study_stops[i];
    r->s->stop_after = 0;
    rest = text + n;
    if (*rest &&
        (i == 0 || strncmp(rest, word, sizeof word - 1) != 0 ||
         !literal_read_whole(rest + sizeof word - 1, &r->s->stop_after) ||
         r->s->stop_after < 1 || r->s->stop_after > MANY))
        reading_fault(r, v,
                      "%s: \"%.60s\" names no rule and step; write a step "
                      "from 1 to %d so: median after 5",
                      k->name, text, MANY);
}

static void read_target(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    key_real(r, k, v, into);
    r->s->has_target = true;
}

static const struct choice dialects[] = {
    {"short", DIALECT_SHORT, -1},
    {"ai-platform", DIALECT_AI_PLATFORM, -1},
    {"vertex", DIALECT_VERTEX, -1},
    {NULL, 0, 0},
};

static const struct choice selections[] = {
    {"last", SELECT_LAST, -1},
    {"best", SELECT_BEST, -1},
    {NULL, 0, 0},
};

static const struct choice styles[] = {
    {"equals", ARGS_EQUALS, -1},
    {"space", ARGS_SPACE, -1},
    {"hydra", ARGS_HYDRA, -1},
    {"flags", ARGS_FLAGS, -1},
    {"env", ARGS_ENV, -1},
    {"json", ARGS_JSON, -1},
    {NULL, 0, 0},
};

#define OF_STUDY(member) .offset = offsetof(struct study, member)
#define OF_READING(member) .offset = offsetof(struct reading, member)

/* Members of struct reading are set by keys of this second kind. */
static void into_reading(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    (void)into;
    key_node(r, k, v, r);
}

static const char no_kubernetes[] =
    "Kubernetes is not supported; take launcher local, container or slurm";

#define OF_MASTER(member) OF_READING(master.member)
#define OF_OPTIONS(kind) OF_READING(options[LAUNCHING_##kind])

const struct key short_keys[] = {
    {.name = "study", .read = into_reading, OF_READING(name)},
    {.name = "maximize", .read = read_goal},
    {.name = "minimize", .read = read_goal},
    {.name = "objectives", .read = read_objectives},
    {.name = "selection",
     .read = key_choice,
     OF_STUDY(selection),
     .choices = selections},
    {.name = "noisy", .read = key_flag, OF_STUDY(noisy)},
    {.name = "params", .read = short_params},
    {.name = "run", .read = into_reading, OF_MASTER(run)},
    {.name = "args", .read = key_choice, OF_STUDY(job.args), .choices = styles},
    {.name = "trials",
     .read = key_whole,
     OF_STUDY(trials),
     .low = 1,
     .high = STUDY_MOST_TRIALS},
    {.name = "parallel",
     .read = key_int,
     OF_STUDY(parallel),
     .low = 0,
     .high = 10000},
    {.name = "algorithm", .read = read_algorithm},
    {.name = "seed", .read = key_seed, OF_STUDY(seed)},
    {.name = "start", .read = into_reading, OF_READING(start)},
    {.name = "stop_early", .read = read_stop_early},
    {.name = "trial_limit", .read = key_ms, OF_STUDY(trial_limit_ms)},
    {.name = "time_limit", .read = key_ms, OF_STUDY(time_limit_ms)},
    {.name = "grace", .read = key_ms, OF_STUDY(grace_ms)},
    {.name = "max_failed",
     .read = key_whole,
     OF_STUDY(max_failed),
     .low = 0,
     .high = MANY},
    {.name = "retries",
     .read = key_int,
     OF_STUDY(retries),
     .low = 0,
     .high = 1000},
    {.name = "target", .read = read_target, OF_STUDY(target)},
    {.name = "patience",
     .read = key_whole,
     OF_STUDY(patience),
     .low = 0,
     .high = MANY},
    {.name = "image", .read = into_reading, OF_MASTER(image)},
    {.name = "entrypoint", .read = into_reading, OF_MASTER(entrypoint)},
    {.name = "cpus", .read = into_reading, OF_MASTER(cpus)},
    {.name = "gpus", .read = into_reading, OF_MASTER(gpus)},
    {.name = "memory", .read = into_reading, OF_MASTER(memory)},
    {.name = "env", .read = into_reading, OF_MASTER(env)},
    {.name = "workdir", .read = into_reading, OF_MASTER(workdir)},
    {.name = "replicas", .read = into_reading, OF_READING(replicas)},
    {.name = "chief", .read = into_reading, OF_READING(chief)},
    {.name = "job_dir", .read = key_folder, OF_STUDY(job.job_dir)},
    {.name = "output_dir", .read = key_folder, OF_STUDY(job.output_dir)},
    {.name = "metrics", .read = read_metrics},
    {.name = "launcher", .read = into_reading, OF_READING(launcher)},
    {.name = "local", .read = into_reading, OF_OPTIONS(LOCAL)},
    {.name = "container", .read = into_reading, OF_OPTIONS(CONTAINER)},
    {.name = "slurm", .read = into_reading, OF_OPTIONS(SLURM)},
    {.name = "kubernetes", .read = key_refuse, .why = no_kubernetes},
    {.name = "dialect",
     .read = key_choice,
     OF_STUDY(dialect),
     .choices = dialects},
    {0},
};

void short_read(struct reading *r)
{
    reading_keys(r, r->doc, short_keys, r->s, "a study file");
    roles_settle(r);
}
