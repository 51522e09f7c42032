/* Studies: their defaults, their states, and which value is better. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/study.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const study_algorithms[] = {
    "bayesian", "grid", "random", "quasi-random", "cma-es", "tpe", NULL};

const char *const study_stops[] = {"none", "median", "asha", NULL};

static const char *const states[STUDY_STATES] = {
    [STUDY_ACTIVE] = "ACTIVE", [STUDY_PAUSED] = "PAUSED",
    [STUDY_ENDING] = "ENDING", [STUDY_SUCCEEDED] = "SUCCEEDED",
    [STUDY_FAILED] = "FAILED", [STUDY_CANCELLED] = "CANCELLED",
};

const char *study_state_name(enum study_state s)
{
    assert(s < STUDY_STATES);
    return states[s];
}

bool study_state_read(const char *name, enum study_state *out)
{
    for (unsigned i = 0; i < STUDY_STATES; i++) {
        if (strcmp(states[i], name) != 0)
            continue;
        *out = (enum study_state)i;
        return true;
    }
    return false;
}

bool study_state_ended(enum study_state s)
{
    return s >= STUDY_SUCCEEDED;
}

void study_init(struct study *s)
{
    *s = (struct study){
        .dialect = DIALECT_SHORT,
        .maximize = true,
        .algorithm = study_algorithms[0],
        .stop = study_stops[0],
        .trials = 40,
        .max_failed = -1,
        .grace_ms = 10000,
    };
    space_init(&s->space);
    s->job.launcher = mem_copy_text("lease");
    s->job.tasks[ROLE_MASTER].replicas = 1;
}

void study_task_clear(struct study_task *t)
{
    for (size_t i = 0; i < t->n_argv; i++)
        free(t->argv[i]);
    for (size_t i = 0; i < t->n_env; i++) {
        free(t->env[i].name);
        free(t->env[i].value);
    }
    free(t->image);
    free(t->argv);
    free(t->env);
    free(t->workdir);
    *t = (struct study_task){0};
}

void study_task_copy(struct study_task *to, const struct study_task *from)
{
    *to = *from;
    to->image = mem_copy_text(from->image);
    to->workdir = mem_copy_text(from->workdir);
    to->argv = NULL;
    if (from->argv)
        to->argv = mem_new(from->n_argv, sizeof *to->argv);
    for (size_t i = 0; to->argv && i < from->n_argv; i++)
        to->argv[i] = mem_copy_text(from->argv[i]);
    to->env = NULL;
    if (from->env)
        to->env = mem_new(from->n_env, sizeof *to->env);
    for (size_t i = 0; to->env && i < from->n_env; i++)
        to->env[i] = (struct study_env){mem_copy_text(from->env[i].name),
                                        mem_copy_text(from->env[i].value)};
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

bool study_task_same(const struct study_task *a, const struct study_task *b)
{
    if (a->n_argv != b->n_argv || a->n_entry != b->n_entry ||
        a->n_env != b->n_env || a->cpus != b->cpus || a->gpus != b->gpus ||
        a->memory != b->memory || !same_text(a->image, b->image) ||
        !same_text(a->workdir, b->workdir))
        return false;
    for (size_t i = 0; i < a->n_argv; i++)
        if (strcmp(a->argv[i], b->argv[i]) != 0)
            return false;
    for (size_t i = 0; i < a->n_env; i++)
        if (strcmp(a->env[i].name, b->env[i].name) != 0 ||
            strcmp(a->env[i].value, b->env[i].value) != 0)
            return false;
    return true;
}

static void job_clear(struct study_job *j)
{
    for (size_t i = 0; i < STUDY_ROLES; i++)
        study_task_clear(&j->tasks[i]);
    for (size_t i = 0; i < j->n_options; i++) {
        free(j->options[i].name);
        free(j->options[i].value);
    }
    free(j->options);
    free(j->job_dir);
    free(j->output_dir);
    free(j->launcher);
    free(j->pattern);
    free(j->lines_file);
    *j = (struct study_job){0};
}

void study_clear(struct study *s)
{
    for (size_t i = 0; i < s->n_start; i++)
        point_clear(&s->start[i]);
    free(s->start);
    free(s->name);
    free(s->metric);
    for (size_t i = 0; i < s->n_others; i++)
        free(s->others[i].name);
    free(s->others);
    space_clear(&s->space);
    job_clear(&s->job);
    *s = (struct study){0};
}

bool study_tunes(const struct study *s)
{
    return s->space.n > 0;
}

const char *study_role_name(enum study_role r)
{
    static const char *const names[STUDY_ROLES] = {"master", "worker", "ps",
                                                   "evaluator"};

    return names[r];
}

bool study_launches(const struct study *s)
{
    const struct study_task *master = &s->job.tasks[ROLE_MASTER];

    return master->argv || master->image;
}

bool study_shares(const struct study *s)
{
    const struct study_job *job = &s->job;

    for (size_t i = 0; i < job->n_options; i++)
        if (strcmp(job->options[i].name, "shared") == 0)
            return strcmp(job->options[i].value, "false") != 0;
    return true;
}

int study_replicas(const struct study *s)
{
    int n = 0;

    for (size_t i = 0; i < STUDY_ROLES; i++)
        n += s->job.tasks[i].replicas;
    return n;
}

void study_replica(const struct study *s, int rank, enum study_role *role,
                   int *index)
{
    unsigned r = ROLE_MASTER;

    for (; r + 1 < STUDY_ROLES && rank >= s->job.tasks[r].replicas; r++)
        rank -= s->job.tasks[r].replicas;
    *role = (enum study_role)r;
    *index = rank;
}

bool study_wants(const struct study *s, const char *metric)
{
    if (strcmp(s->metric, metric) == 0)
        return true;
    for (size_t i = 0; i < s->n_others; i++)
        if (strcmp(s->others[i].name, metric) == 0)
            return true;
    return false;
}

bool study_better(const struct study *s, double a, double b)
{
    return s->maximize ? a > b : a < b;
}

bool study_stops_early(const struct study *s)
{
    return s->stop != study_stops[0];
}
