/* AI Platform Training's job: config.yaml with trainingInput. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/dialects.h"
#include "study/program.h"

#define OF(type, member) .offset = offsetof(struct type, member)

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

static void read_early(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    bool early = false;

    (void)into;
    key_flag(r, &(struct key){.name = k->name}, v, &early);
    if (early)
        r->s->stop = "median";
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
    {.name = "enableTrialEarlyStopping", .read = read_early},
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

/* --- limits -------------------------------------------------------------- */

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

/* --- what runs ----------------------------------------------------------- */

/* What a role's config says: masterConfig and so on. */
struct config {
    const struct node *process, *image, *command, *args, *type;
    int gpus;
};

struct input {
    struct config configs[STUDY_ROLES];
    const struct node *counts[STUDY_ROLES]; /* of the master none */
    const struct node *process, *module, *args, *tier, *runtime;
    bool has_hyper, use_chief;
};

static const struct key accelerator_keys[] = {
    {.name = "count",
     .read = key_int,
     OF(config, gpus),
     .low = 0,
     .high = 10000},
    {.name = "type", .read = key_node, OF(config, type)},
    {0},
};

static void read_accelerator(struct reading *r, const struct key *k,
                             const struct node *v, void *into)
{
    struct config *c = into;

    reading_keys(r, v, accelerator_keys, c, k->name);
    if (dialect_is_tpu(r, c->type))
        c->gpus = 0;
}

static const struct key config_keys[] = {
    {.name = "processSpec", .read = key_node, OF(config, process)},
    {.name = "imageUri", .read = key_node, OF(config, image)},
    {.name = "containerCommand", .read = key_node, OF(config, command)},
    {.name = "containerArgs", .read = key_node, OF(config, args)},
    {.name = "acceleratorConfig", .read = read_accelerator},
    {.name = "tpuTfVersion", .read = key_ignore},
    {.name = "diskConfig", .read = key_ignore},
    {0},
};

/* Empty is absent. */
static void drop_empty(const struct node **v)
{
    if (*v && ((*v)->kind == NODE_SCALAR ? !*(*v)->text : (*v)->n == 0))
        *v = NULL;
}

static void read_config(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    struct config *c = &((struct input *)into)->configs[k->low];

    reading_keys(r, v, config_keys, c, k->name);
    drop_empty(&c->image);
    drop_empty(&c->command);
    drop_empty(&c->args);
}

static void read_count(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    int64_t count = 0;

    ((struct input *)into)->counts[k->low] = v;
    reading_whole(r, k->name, v, 0, STUDY_MOST_REPLICAS, &count);
    r->s->job.tasks[k->low].replicas = (int)count;
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

static const struct key input_keys[] = {
    {.name = "scaleTier", .read = key_node, OF(input, tier)},
    {.name = "masterType", .read = key_ignore},
    {.name = "workerType", .read = key_ignore},
    {.name = "parameterServerType", .read = key_ignore},
    {.name = "evaluatorType", .read = key_ignore},
    {.name = "workerCount", .read = read_count, .low = ROLE_WORKER},
    {.name = "parameterServerCount", .read = read_count, .low = ROLE_PS},
    {.name = "evaluatorCount", .read = read_count, .low = ROLE_EVALUATOR},
    {.name = "masterConfig", .read = read_config, .low = ROLE_MASTER},
    {.name = "workerConfig", .read = read_config, .low = ROLE_WORKER},
    {.name = "parameterServerConfig", .read = read_config, .low = ROLE_PS},
    {.name = "evaluatorConfig", .read = read_config, .low = ROLE_EVALUATOR},
    {.name = "packageUris", .read = key_ignore},
    {.name = "pythonModule", .read = key_node, OF(input, module)},
    {.name = "args", .read = key_node, OF(input, args)},
    {.name = "processSpec", .read = key_node, OF(input, process)},
    {.name = "hyperparameters", .read = input_hyper},
    {.name = "region", .read = key_ignore},
    {.name = "jobDir", .read = input_job_dir, OF(study, job.job_dir)},
    {.name = "runtimeVersion", .read = key_node, OF(input, runtime)},
    {.name = "pythonVersion", .read = key_ignore},
    {.name = "scheduling", .read = input_scheduling},
    {.name = "network", .read = key_ignore},
    {.name = "serviceAccount", .read = key_ignore},
    {.name = "encryptionConfig", .read = key_ignore},
    {.name = "enableWebAccess", .read = key_ignore},
    {.name = "useChiefInTfConfig", .read = key_flag, OF(input, use_chief)},
    {.name = "nasJobSpec",
     .read = key_refuse,
     .why = "architecture search is not supported; take the key away"},
    {0},
};

/* ---- how many ---- */

static const struct choice tiers[] = {
    {"BASIC", 0, 0},     {"STANDARD_1", 1, 1}, {"PREMIUM_1", 2, 3},
    {"BASIC_GPU", 3, 6}, {"BASIC_TPU", 4, 7},  {"CUSTOM", 5, 5},
    {NULL, 0, 0},
};
enum { TIER_CUSTOM = 5 };

static const struct {
    int workers, servers, gpus; /* GPUs of the master */
} tier_sizes[] = {{0, 0, 0}, {4, 3, 0}, {19, 11, 0}, {0, 0, 1}, {0, 0, 0}};

static void settle_tier(struct reading *r, struct input *in)
{
    struct study_task *tasks = r->s->job.tasks;
    int tier;

    if (!in->tier ||
        reading_choice(r, "scaleTier", in->tier, tiers, &tier) < 0 ||
        tier == TIER_CUSTOM)
        return;
    for (int i = ROLE_WORKER; i < STUDY_ROLES; i++) {
        if (tasks[i].replicas) {
            reading_fault(r, in->counts[i],
                          "scaleTier %s says how many replicas there are; "
                          "write scaleTier: CUSTOM to say it yourself",
                          in->tier->text);
            return;
        }
    }
    tasks[ROLE_WORKER].replicas = tier_sizes[tier].workers;
    tasks[ROLE_PS].replicas = tier_sizes[tier].servers;
    if (!in->configs[ROLE_MASTER].type)
        in->configs[ROLE_MASTER].gpus = tier_sizes[tier].gpus;
}

/* TensorFlow 2.1 and later call the master chief. */
static bool is_newer(struct reading *r, const struct node *runtime)
{
    const char *text =
        runtime ? reading_text(r, "runtimeVersion", runtime) : NULL;
    char *end;
    long major, minor = 0;

    if (!text)
        return false;
    major = strtol(text, &end, 10);
    if (*end == '.')
        minor = strtol(end + 1, &end, 10);
    return major > 2 || (major == 2 && minor >= 1);
}

static bool has_chief(struct reading *r, const struct input *in)
{
    const struct study_job *job = &r->s->job;

    if (in->module && !in->configs[ROLE_MASTER].image && !in->process &&
        !in->configs[ROLE_MASTER].process)
        return study_replicas(r->s) > 1 && is_newer(r, in->runtime);
    return in->use_chief || job->tasks[ROLE_EVALUATOR].replicas > 0;
}

/* ---- words ---- */

static void read_module(struct reading *r, const struct node *v)
{
    const char *module = reading_text(r, "pythonModule", v);

    program_word(r, "", v, "python3");
    program_word(r, "", v, "-m");
    if (module)
        program_word(r, "pythonModule", v, module);
}

static void read_image(struct reading *r, const struct node *image,
                       const struct config *c)
{
    program_image(r, "imageUri", image);
    process_image_words(r, "containerCommand", c->command, "containerArgs",
                        c->args);
}

/* Returns whether there is something to run. */
static bool read_master(struct reading *r, const struct node *v,
                        const struct input *in)
{
    const struct config *c = &in->configs[ROLE_MASTER];

    program_begin(r, &r->s->job.tasks[ROLE_MASTER]);
    if (in->process || c->process) {
        process_read(r, in->process ? in->process : c->process);
    } else if (c->image) {
        read_image(r, c->image, c);
        if (in->module)
            reading_fault(r, in->module,
                          "pythonModule: an image says itself what runs; "
                          "take pythonModule or imageUri away");
    } else if (c->command || c->args) {
        reading_fault(r, c->command ? c->command : c->args,
                      "masterConfig has no imageUri to run this in; write "
                      "it, or processSpec: {command: [...], args: [...]}");
        return false;
    } else if (in->module) {
        read_module(r, in->module);
    } else {
        reading_fault(r, v,
                      "trainingInput says nothing to run; write pythonModule, "
                      "masterConfig.imageUri, or processSpec: {command: "
                      "[...]}");
        return false;
    }
    return true;
}

/* Of an image only the name is taken over from the master, as there; a program
 * is taken over whole. */
static void read_other(struct reading *r, const struct input *in,
                       enum study_role role)
{
    const struct study_task *master = &r->s->job.tasks[ROLE_MASTER];
    const struct config *own = &in->configs[role];
    const struct config *first = &in->configs[ROLE_MASTER];
    struct study_task *t = &r->s->job.tasks[role];
    int n = t->replicas;

    program_begin(r, t);
    if (!own->image && !master->image && (own->command || own->args))
        reading_fault(r, own->command ? own->command : own->args,
                      "there is no imageUri to run this in; write it, or "
                      "processSpec: {command: [...], args: [...]}");
    if (own->process)
        process_read(r, own->process);
    else if (own->image)
        read_image(r, own->image, own);
    else if (master->image)
        read_image(r, first->image, own);
    else
        study_task_copy(t, master);
    t->replicas = n;
    if (in->args && (own->process || t->image))
        program_words(r, "args", in->args);
}

static void settle_roles(struct reading *r, const struct node *v,
                         struct input *in)
{
    struct study_task *tasks = r->s->job.tasks;

    settle_tier(r, in);
    r->s->job.chief = has_chief(r, in);
    if (!read_master(r, v, in))
        return;
    if (in->args)
        program_words(r, "args", in->args);
    for (int i = ROLE_WORKER; i < STUDY_ROLES; i++)
        if (tasks[i].replicas)
            read_other(r, in, (enum study_role)i);
    for (int i = 0; i < STUDY_ROLES; i++)
        if (tasks[i].replicas)
            tasks[i].gpus = in->configs[i].gpus;
}

/* --- the file ------------------------------------------------------------ */

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
    settle_roles(r, v, &in);
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
