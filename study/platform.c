/* AI Platform Training's job: config.yaml with trainingInput. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/dialects.h"
#include "study/program.h"

#define OF(type, member) .offset = offsetof(struct type, member)

static const char one_replica[] =
    "a trial is one process in this version; write 0 or take the key away";

/* --- hyperparameters ----------------------------------------------------- */

struct param_spec {
    const struct node *name, *type, *min, *max, *words, *numbers, *scale;
};

static const struct key param_keys[] = {
    {.name = "parameterName", .read = key_node, OF(param_spec, name)},
    {.name = "type", .read = key_node, OF(param_spec, type)},
    {.name = "minValue", .read = key_node, OF(param_spec, min)},
    {.name = "maxValue", .read = key_node, OF(param_spec, max)},
    {.name = "categoricalValues", .read = key_node, OF(param_spec, words)},
    {.name = "discreteValues", .read = key_node, OF(param_spec, numbers)},
    {.name = "scaleType", .read = key_node, OF(param_spec, scale)},
    {0},
};

static const struct choice types[] = {
    {"DOUBLE", PARAM_DOUBLE, 1},
    {"INTEGER", PARAM_INTEGER, 2},
    {"CATEGORICAL", PARAM_CATEGORICAL, 3},
    {"DISCRETE", PARAM_DISCRETE, 4},
    {NULL, 0, 0},
};

static void read_values(struct reading *r, const struct param_spec *spec,
                        struct draft *d)
{
    switch (d->kind) {
    case PARAM_DOUBLE:
    case PARAM_INTEGER:
        dialect_number(r, "minValue", spec->min, d, &d->min);
        dialect_number(r, "maxValue", spec->max, d, &d->max);
        break;
    case PARAM_DISCRETE:
        dialect_values(r, "discreteValues", spec->numbers, true, &d->values);
        break;
    case PARAM_CATEGORICAL:
        dialect_values(r, "categoricalValues", spec->words, false, &d->values);
        break;
    }
}

static void read_param(struct reading *r, const struct node *v)
{
    struct param_spec spec = {0};
    const char *name;
    struct draft *d;
    int kind;

    reading_keys(r, v, param_keys, &spec, "a parameter");
    if (v->kind != NODE_MAP)
        return;
    if (!spec.name) {
        reading_fault(r, v, "the parameter has no parameterName");
        return;
    }
    name = reading_text(r, "parameterName", spec.name);
    if (!name)
        return;
    d = drafts_add(&r->drafts, name, spec.name->line, spec.name->column);
    d->broken = true;
    if (!spec.type) {
        reading_fault(r, v, "%.100s: type is missing", name);
        return;
    }
    if (reading_choice(r, "type", spec.type, types, &kind) < 0)
        return;
    d->broken = false;
    d->kind = (enum param_kind)kind;
    dialect_scale(r, spec.scale, d);
    read_values(r, &spec, d);
}

static void read_params(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    (void)into;
    if (v->kind != NODE_LIST) {
        reading_fault(r, v, "%s must be a list", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        read_param(r, v->items[i].value);
}

static const struct choice algorithms[] = {
    {"ALGORITHM_UNSPECIFIED", 0, 0},
    {"GRID_SEARCH", 1, 1},
    {"RANDOM_SEARCH", 2, 2},
    {NULL, 0, 0},
};

static void read_goal(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    int goal;

    (void)into;
    if (reading_choice(r, k->name, v, dialect_goals, &goal) == 0)
        r->s->maximize = goal == 1;
}

static void read_failed(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    int64_t failed = 0;

    (void)into;
    reading_whole(r, k->name, v, 0, INT32_MAX, &failed);
    dialect_failed(r, failed);
}

/* Empty is absent: the default stays. */
static void read_tag(struct reading *r, const struct key *k,
                     const struct node *v, void *into)
{
    const char *tag = reading_text(r, k->name, v);

    (void)into;
    if (!tag || !*tag)
        return;
    free(r->s->metric);
    r->s->metric = mem_copy_text(tag);
}

static const struct key hyper_keys[] = {
    {.name = "goal", .read = read_goal},
    {.name = "params", .read = read_params},
    {.name = "maxTrials",
     .read = key_whole,
     OF(study, trials),
     .low = 1,
     .high = INT32_MAX},
    {.name = "maxParallelTrials",
     .read = key_int,
     OF(study, parallel),
     .low = 1,
     .high = 10000},
    {.name = "maxFailedTrials", .read = read_failed},
    {.name = "hyperparameterMetricTag", .read = read_tag},
    {.name = "enableTrialEarlyStopping",
     .read = key_refuse_set,
     .why = "stopping trials early is not supported by this version; set it "
            "to false"},
    {.name = "resumePreviousJobId",
     .read = key_refuse_set,
     .why = "going on from another job is not supported by this version; "
            "take the key away"},
    {.name = "algorithm", .read = dialect_algorithm, .choices = algorithms},
    {0},
};

static void read_hyper(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    r->goal = v;
    reading_keys(r, v, hyper_keys, into, k->name);
}

/* --- the job ------------------------------------------------------------- */

static const struct key scheduling_keys[] = {
    {.name = "maxRunningTime", .read = key_ms, OF(study, trial_limit_ms)},
    {.name = "maxWaitTime", .read = key_ignore},
    {.name = "priority", .read = key_ignore},
    {.name = "resilientToWorkerRestart", .read = key_ignore},
    {.name = "strategy", .read = key_ignore},
    {0},
};

static void read_scheduling(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    reading_keys(r, v, scheduling_keys, into, k->name);
}

/* What the trainingInput says to run. */
struct job {
    const struct node *process, *image, *command, *module, *args;
};

static const struct key master_keys[] = {
    {.name = "processSpec", .read = key_node, OF(job, process)},
    {.name = "imageUri", .read = key_node, OF(job, image)},
    {.name = "containerCommand", .read = key_node, OF(job, command)},
    {.name = "containerArgs", .read = key_node, OF(job, command)},
    {.name = "acceleratorConfig", .read = key_ignore},
    {.name = "tpuTfVersion", .read = key_ignore},
    {.name = "diskConfig", .read = key_ignore},
    {0},
};

struct input {
    struct job job;
    bool has_hyper;
};

static void read_master(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    struct input *in = into;

    reading_keys(r, v, master_keys, &in->job, k->name);
}

static void input_hyper(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    ((struct input *)into)->has_hyper = true;
    read_hyper(r, k, v, r->s);
}

static void input_scheduling(struct reading *r, const struct key *k,
                             const struct node *v, void *into)
{
    (void)into;
    read_scheduling(r, k, v, r->s);
}

static void input_job_dir(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    (void)into;
    key_folder(r, k, v, r->s);
}

static const struct choice tiers[] = {
    {"BASIC", 0, 0},     {"STANDARD_1", 1, 1}, {"PREMIUM_1", 1, 3},
    {"BASIC_GPU", 0, 6}, {"BASIC_TPU", 0, 7},  {"CUSTOM", 0, 5},
    {NULL, 0, 0},
};

static void input_tier(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    int cluster;

    (void)into;
    if (reading_choice(r, k->name, v, tiers, &cluster) == 0 && cluster)
        reading_fault(r, v,
                      "%s: %s stands for several replicas, and a trial is one "
                      "process in this version; write BASIC",
                      k->name, v->text);
}

static const struct key input_keys[] = {
    {.name = "scaleTier", .read = input_tier},
    {.name = "masterType", .read = key_ignore},
    {.name = "workerType", .read = key_ignore},
    {.name = "parameterServerType", .read = key_ignore},
    {.name = "evaluatorType", .read = key_ignore},
    {.name = "workerCount", .read = key_refuse_set, .why = one_replica},
    {.name = "parameterServerCount",
     .read = key_refuse_set,
     .why = one_replica},
    {.name = "evaluatorCount", .read = key_refuse_set, .why = one_replica},
    {.name = "masterConfig", .read = read_master},
    {.name = "workerConfig", .read = key_ignore},
    {.name = "parameterServerConfig", .read = key_ignore},
    {.name = "evaluatorConfig", .read = key_ignore},
    {.name = "packageUris", .read = key_ignore},
    {.name = "pythonModule", .read = key_node, OF(input, job.module)},
    {.name = "args", .read = key_node, OF(input, job.args)},
    {.name = "processSpec", .read = key_node, OF(input, job.process)},
    {.name = "hyperparameters", .read = input_hyper},
    {.name = "region", .read = key_ignore},
    {.name = "jobDir", .read = input_job_dir, OF(study, job.job_dir)},
    {.name = "runtimeVersion", .read = key_ignore},
    {.name = "pythonVersion", .read = key_ignore},
    {.name = "scheduling", .read = input_scheduling},
    {.name = "network", .read = key_ignore},
    {.name = "serviceAccount", .read = key_ignore},
    {.name = "encryptionConfig", .read = key_ignore},
    {.name = "enableWebAccess", .read = key_ignore},
    {.name = "useChiefInTfConfig", .read = key_ignore},
    {.name = "nasJobSpec",
     .read = key_refuse,
     .why = "architecture search is not supported; take the key away"},
    {0},
};

static void settle_command(struct reading *r, const struct node *v,
                           const struct job *job)
{
    if (job->process) {
        process_read(r, job->process);
    } else if (job->image || job->command) {
        reading_fault(r, job->image ? job->image : job->command,
                      "containers are not supported by this version; write "
                      "processSpec: {command: [...], args: [...]} beside it");
        return;
    } else if (job->module) {
        const char *module = reading_text(r, "pythonModule", job->module);

        program_word(r, "", v, "python3");
        program_word(r, "", v, "-m");
        if (module)
            program_word(r, "pythonModule", job->module, module);
    } else {
        reading_fault(r, v,
                      "trainingInput says nothing to run; write pythonModule, "
                      "or processSpec: {command: [...]}");
        return;
    }
    if (job->args)
        program_words(r, "args", job->args);
}

static void read_input(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    struct input in = {0};

    (void)into;
    r->command = v;
    reading_keys(r, v, input_keys, &in, k->name);
    if (v->kind != NODE_MAP)
        return;
    if (!in.has_hyper && !r->alone)
        reading_fault(r, v,
                      "trainingInput has no hyperparameters: this job tunes "
                      "nothing");
    settle_command(r, v, &in.job);
}

static void read_name(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    (void)k, (void)into;
    r->name = v;
}

static const char only_training[] =
    "only training jobs with hyperparameters can be run here";

static const struct key top_keys[] = {
    {.name = "jobId", .read = read_name},
    {.name = "trainingInput", .read = read_input},
    {.name = "labels", .read = key_ignore},
    {.name = "predictionInput", .read = key_refuse, .why = only_training},
    {.name = "explanationInput", .read = key_refuse, .why = only_training},
    {.name = "trainingOutput", .read = key_ignore},
    {.name = "createTime", .read = key_ignore},
    {.name = "startTime", .read = key_ignore},
    {.name = "endTime", .read = key_ignore},
    {.name = "state", .read = key_ignore},
    {.name = "errorMessage", .read = key_ignore},
    {.name = "etag", .read = key_ignore},
    {.name = "jobPosition", .read = key_ignore},
    {0},
};

void platform_read(struct reading *r)
{
    r->s->trials = 1;
    r->s->parallel = 1;
    r->s->metric = mem_copy_text("training/hptuning/metric");
    reading_keys(r, r->doc, top_keys, r->s, "an AI Platform job");
    if (!r->command)
        reading_fault(r, r->doc, "trainingInput is missing");
}
