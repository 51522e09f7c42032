/* Vertex AI's CustomJobSpec: the worker pools of a trial, and its limits. */
/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "study/dialects.h"
#include "study/program.h"

#define OF(type, member) .offset = offsetof(struct type, member)

static const char not_yet[] =
    "this is not supported by this version; take the key away";

/* ---- machines ---- */

struct machine {
    const struct node *type;
    int count;
};

static const struct key machine_keys[] = {
    {.name = "acceleratorType", .read = key_node, OF(machine, type)},
    {.name = "acceleratorCount",
     .read = key_int,
     OF(machine, count),
     .low = 0,
     .high = 10000},
    {.name = "machineType", .read = key_ignore},
    {.name = "tpuTopology", .read = key_ignore},
    {.name = "gpuPartitionSize", .read = key_ignore},
    {.name = "minGpuDriverVersion", .read = key_ignore},
    {.name = "reservationAffinity", .read = key_ignore},
    {0},
};

static void read_machine(struct reading *r, const struct node *v,
                         struct study_task *t)
{
    struct machine m = {0};

    reading_keys(r, v, machine_keys, &m, "machineSpec");
    if (!dialect_is_tpu(r, m.type))
        t->gpus = m.count;
}

/* ---- pools ---- */

struct pool {
    const struct node *process, *container, *package, *machine, *count;
    int64_t replicas;
};

static void read_count(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    struct pool *pool = into;

    pool->count = v;
    reading_whole(r, k->name, v, 0, STUDY_MOST_REPLICAS, &pool->replicas);
}

static const struct key pool_keys[] = {
    {.name = "processSpec", .read = key_node, OF(pool, process)},
    {.name = "containerSpec", .read = key_node, OF(pool, container)},
    {.name = "pythonPackageSpec", .read = key_node, OF(pool, package)},
    {.name = "replicaCount", .read = read_count},
    {.name = "machineSpec", .read = key_node, OF(pool, machine)},
    {.name = "diskSpec", .read = key_ignore},
    {.name = "nfsMounts", .read = key_refuse_set, .why = not_yet},
    {.name = "lustreMounts", .read = key_refuse_set, .why = not_yet},
    {0},
};

static void read_program(struct reading *r, const struct node *v,
                         const struct pool *pool)
{
    if (pool->process)
        process_read(r, pool->process);
    else if (pool->container)
        process_container(r, pool->container);
    else if (pool->package)
        reading_fault(r, pool->package,
                      "Python packages are not supported by this version; "
                      "write containerSpec, or processSpec: {command: [...], "
                      "args: [...]} in their place");
    else
        reading_fault(r, v,
                      "the worker pool says nothing to run; write "
                      "containerSpec, or processSpec: {command: [...]}");
}

/* How many there are: the first pool has one, and of the others it must be
 * said. */
static int count_of(struct reading *r, const struct node *v,
                    const struct pool *pool, enum study_role role)
{
    if (role == ROLE_MASTER) {
        if (pool->replicas > 1)
            reading_fault(r, pool->count,
                          "replicaCount of the first worker pool must be 1; "
                          "write the others into the second pool");
        return 1;
    }
    if (!pool->count)
        reading_fault(r, v,
                      "the worker pool has no replicaCount; write how many "
                      "replicas it has");
    return (int)pool->replicas;
}

/* {} and a pool of no replicas are skipped. */
static void read_pool(struct reading *r, const struct node *v,
                      enum study_role role)
{
    struct study_task *t = &r->s->job.tasks[role];
    struct pool pool = {0};

    if (role != ROLE_MASTER &&
        (v->kind == NODE_NULL || (v->kind == NODE_MAP && v->n == 0)))
        return;
    reading_keys(r, v, pool_keys, &pool, "a worker pool");
    if (v->kind != NODE_MAP)
        return;
    t->replicas = count_of(r, v, &pool, role);
    if (t->replicas == 0)
        return;
    program_begin(r, t);
    read_program(r, v, &pool);
    if (pool.machine)
        read_machine(r, pool.machine, t);
}

static void read_pools(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    (void)into;
    if (v->kind != NODE_LIST || v->n == 0) {
        reading_fault(r, v, "%s must be a list with one worker pool or more",
                      k->name);
        return;
    }
    if (v->n > STUDY_ROLES)
        reading_fault(r, v->items[STUDY_ROLES].value,
                      "there are at most %d worker pools: the master, "
                      "workers, parameter servers and evaluators",
                      STUDY_ROLES);
    for (size_t i = 0; i < v->n && i < STUDY_ROLES; i++)
        read_pool(r, v->items[i].value, (enum study_role)i);
}

/* ---- the rest of the job ---- */

static const struct key scheduling_keys[] = {
    {.name = "timeout", .read = key_ms, OF(study, trial_limit_ms)},
    {.name = "restartJobOnWorkerRestart", .read = key_ignore},
    {.name = "strategy", .read = key_ignore},
    {.name = "disableRetries", .read = key_ignore},
    {.name = "maxWaitDuration", .read = key_ignore},
    {0},
};

static void read_scheduling(struct reading *r, const struct key *k,
                            const struct node *v, void *into)
{
    reading_keys(r, v, scheduling_keys, into, k->name);
}

static const struct key output_keys[] = {
    {.name = "outputUriPrefix", .read = key_folder, OF(study, job.output_dir)},
    {0},
};

static void read_output(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    reading_keys(r, v, output_keys, into, k->name);
}

static const struct key job_keys[] = {
    {.name = "workerPoolSpecs", .read = read_pools},
    {.name = "scheduling", .read = read_scheduling},
    {.name = "baseOutputDirectory", .read = read_output},
    {.name = "serviceAccount", .read = key_ignore},
    {.name = "network", .read = key_ignore},
    {.name = "reservedIpRanges", .read = key_ignore},
    {.name = "pscInterfaceConfig", .read = key_ignore},
    {.name = "tensorboard", .read = key_ignore},
    {.name = "enableWebAccess", .read = key_ignore},
    {.name = "enableDashboardAccess", .read = key_ignore},
    {.name = "experiment", .read = key_ignore},
    {.name = "experimentRun", .read = key_ignore},
    {.name = "persistentResourceId", .read = key_ignore},
    {.name = "protectedArtifactLocationId", .read = key_ignore},
    {.name = "models", .read = key_ignore},
    {0},
};

void pools_job(struct reading *r, const struct key *k, const struct node *v,
               void *into)
{
    reading_keys(r, v, job_keys, into, k->name);
    if (v->kind == NODE_MAP && !node_get(v, "workerPoolSpecs") &&
        !node_get(v, "worker_pool_specs"))
        reading_fault(r, v, "workerPoolSpecs is missing in %s", k->name);
    r->command = v;
}
