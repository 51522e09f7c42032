/* Who is who among a trial's replicas: CLUSTER_SPEC and TF_CONFIG. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/cluster.h"

#include <string.h>

#include "base/quote.h"

/* ---- the job ---- */

/* Whether the word gets its meaning from the trial: {args} or a {NAME}. */
static bool is_filled_in(const struct study *s, const char *word)
{
    size_t n;

    if (strstr(word, "{args}"))
        return true;
    for (; *word; word++)
        if (space_named(&s->space, word, &n) >= 0)
            return true;
    return false;
}

/* The module that a Python job of Google's formats names, or NULL. */
static const char *module_of(const struct study *s)
{
    const struct study_task *t = &s->job.tasks[ROLE_MASTER];

    if (s->dialect != DIALECT_SHORT && !t->image && t->n_argv > 2 &&
        strcmp(t->argv[0], "python3") == 0 && strcmp(t->argv[1], "-m") == 0)
        return t->argv[2];
    return NULL;
}

/* What the formats call args: the declared ones, without the trial's. They
 * stand behind the module, the program or the image's entrypoint. */
static void add_job_args(const struct study *s, struct text *out)
{
    const struct study_task *t = &s->job.tasks[ROLE_MASTER];
    size_t first = t->image ? t->n_entry : module_of(s) ? 3 : 1;
    const char *comma = "";

    text_add(out, "[");
    for (size_t i = first; i < t->n_argv; i++) {
        if (is_filled_in(s, t->argv[i]))
            continue;
        text_add(out, comma);
        quote_json(out, t->argv[i]);
        comma = ",";
    }
    text_add(out, "]");
}

/* On Vertex only a Python package has arguments there; those of a container
 * stand in its own spec. */
static void vertex_job(const struct study *s, struct text *out)
{
    const char *module = module_of(s);

    text_add(out, "{\"python_module\":");
    quote_json(out, module ? module : "");
    text_add(out, ",\"package_uris\":[],\"job_args\":");
    if (module)
        add_job_args(s, out);
    else
        text_add(out, "[]");
    text_add(out, "}");
}

/* 64-bit integers are text there. */
static void platform_job(const struct study *s, struct text *out)
{
    static const char *const counts[STUDY_ROLES] = {
        NULL, "worker_count", "parameter_server_count", "evaluator_count"};
    const struct study_task *tasks = s->job.tasks;

    text_addf(out, "{\"scale_tier\":\"%s\"",
              study_replicas(s) > 1 ? "CUSTOM" : "BASIC");
    for (int i = ROLE_WORKER; i < STUDY_ROLES; i++)
        if (tasks[i].replicas)
            text_addf(out, ",\"%s\":\"%d\"", counts[i], tasks[i].replicas);
    if (tasks[ROLE_MASTER].image) {
        text_add(out, ",\"master_config\":{\"image_uri\":");
        quote_json(out, tasks[ROLE_MASTER].image);
        text_add(out, "}");
    }
    text_add(out, ",\"args\":");
    add_job_args(s, out);
    text_add(out, "}");
}

void cluster_job(const struct study *s, struct text *out)
{
    if (s->dialect == DIALECT_VERTEX)
        vertex_job(s, out);
    else
        platform_job(s, out);
}

/* ---- the cluster ---- */

/* The names of the roles, by enum study_role. */
typedef const char *names[STUDY_ROLES];

static const names roles = {"master", "worker", "ps", "evaluator"};
static const names pools = {"workerpool0", "workerpool1", "workerpool2",
                            "workerpool3"};
static const names tf_roles = {"chief", "worker", "ps", "evaluator"};

/* {"master":["host:port"],"worker":[...]}: the first `n` roles, those without
 * replicas left out. */
static void add_cluster(const struct study *s, const struct places *at,
                        const names called, int n, struct text *out)
{
    const char *comma = "{";
    int rank = 0;

    for (int i = 0; i < n; i++) {
        if (!s->job.tasks[i].replicas)
            continue;
        text_addf(out, "%s\"%s\":[", comma, called[i]);
        for (int k = 0; k < s->job.tasks[i].replicas; k++) {
            text_add(out, k ? "," : "");
            quote_json(out, at->addresses[rank++]);
        }
        text_add(out, "]");
        comma = ",";
    }
    text_add(out, "}");
}

/* The trial's number is there where there are trials: programs look for it to
 * know. */
static void add_task(const struct study *s, const struct places *at,
                     const names called, struct text *out)
{
    enum study_role role;
    int index;

    study_replica(s, at->rank, &role, &index);
    text_addf(out, "\"task\":{\"type\":\"%s\",\"index\":%d", called[role],
              index);
    if (study_tunes(s))
        text_addf(out, ",\"trial\":\"%lld\"", (long long)at->trial);
    text_add(out, "}");
}

/* Of Vertex, `job` is text that holds an object. */
void cluster_spec(const struct study *s, const struct places *at,
                  struct text *out)
{
    bool vertex = s->dialect == DIALECT_VERTEX;
    const char *const *called = vertex ? pools : roles;
    struct text job;

    text_add(out, "{\"cluster\":");
    add_cluster(s, at, called, STUDY_ROLES, out);
    text_add(out, vertex ? ",\"environment\":\"cloud\"," : ",");
    add_task(s, at, called, out);
    text_add(out, ",\"job\":");
    text_init(&job);
    cluster_job(s, &job);
    if (vertex)
        quote_json(out, text_str(&job));
    else
        text_add(out, text_str(&job));
    text_clear(&job);
    text_add(out, "}");
}

/* ---- TF_CONFIG ---- */

/* The CustomJobSpec, as far as it is known here; a pool that was skipped is
 * empty. */
static void add_custom_job(const struct study *s, struct text *out)
{
    int last = STUDY_ROLES - 1;

    while (last > 0 && !s->job.tasks[last].replicas)
        last--;
    text_add(out, "{\"worker_pool_specs\":[");
    for (int i = 0; i <= last; i++) {
        const struct study_task *t = &s->job.tasks[i];

        text_add(out, i ? ",{" : "{");
        if (t->replicas)
            text_addf(out, "\"replica_count\":\"%d\"", t->replicas);
        if (t->replicas && t->image) {
            text_add(out, ",\"container_spec\":{\"image_uri\":");
            quote_json(out, t->image);
            text_add(out, "}");
        }
        text_add(out, "}");
    }
    text_add(out, "]}");
}

/* AI Platform sets it always; Vertex only with several replicas, since its
 * mere presence changes what some programs do. Evaluators are told of the
 * cluster, but are no part of it. */
bool cluster_tf_config(const struct study *s, const struct places *at,
                       struct text *out)
{
    bool vertex = s->dialect == DIALECT_VERTEX;
    const char *const *called = vertex || s->job.chief ? tf_roles : roles;

    if (vertex && study_replicas(s) == 1)
        return false;
    text_add(out, "{\"cluster\":");
    add_cluster(s, at, called, ROLE_EVALUATOR, out);
    text_add(out, ",\"environment\":\"cloud\",\"job\":");
    if (vertex)
        add_custom_job(s, out);
    else
        cluster_job(s, out);
    text_add(out, ",");
    add_task(s, at, called, out);
    text_add(out, "}");
    return true;
}
