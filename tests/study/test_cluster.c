/* CLUSTER_SPEC and TF_CONFIG of every replica, byte for byte. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/cluster.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/environ.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

static const char *const addresses[] = {"h0:1", "h1:2", "h2:3", "h3:4", "h4:5"};

/* {spec, tf_config} of one replica; the latter is "" if it has none. */
struct told {
    char *spec, *config;
};

static void tell(const struct study *s, int rank, struct told *out)
{
    struct places at = {.trial = 3,
                        .attempt = 1,
                        .folder = "/f",
                        .base_dir = "/b",
                        .rank = rank,
                        .addresses = addresses};
    struct text text;

    text_init(&text);
    cluster_spec(s, &at, &text);
    out->spec = text_take(&text);
    text_init(&text);
    if (!cluster_tf_config(s, &at, &text))
        text_add(&text, "");
    out->config = text_take(&text);
}

/* The text begins and ends so. */
static void check_ends(const char *text, const char *begin, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    ck_assert_msg(strncmp(text, begin, strlen(begin)) == 0, "%s\nnot %s", text,
                  begin);
    ck_assert_msg(n >= m && strcmp(text + n - m, end) == 0, "%s\nnot %s", text,
                  end);
}

/* Each replica's texts: what is said of the cluster and the job is the same
 * for all, and its task is its own. */
struct expected {
    const char *cluster, *job;       /* of CLUSTER_SPEC */
    const char *tf_cluster, *tf_job; /* NULL = there is no TF_CONFIG */
    const char *tasks[5], *tf_tasks[5];
};

static void check_all(const char *file, const struct expected *e)
{
    struct study s;

    read_good(file, &s);
    for (int i = 0; i < study_replicas(&s); i++) {
        char *end = mem_format(",\"task\":%s,\"job\":%s}", e->tasks[i], e->job);
        char *begin = mem_format("{\"cluster\":%s", e->cluster);
        struct told is;

        tell(&s, i, &is);
        check_ends(is.spec, begin, end);
        free(begin);
        free(end);
        begin = e->tf_cluster
                    ? mem_format("{\"cluster\":%s,\"environment\":"
                                 "\"cloud\",\"job\":%s,\"task\":%s}",
                                 e->tf_cluster, e->tf_job, e->tf_tasks[i])
                    : mem_copy_text("");
        ck_assert_str_eq(is.config, begin);
        free(begin);
        free(is.spec);
        free(is.config);
    }
    study_clear(&s);
}

#define TASK(type, index)                                                      \
    "{\"type\":\"" type "\",\"index\":" index ",\"trial\":\"3\"}"

START_TEST(ai_platform_knows_master_worker_ps_and_evaluator)
{
    static const char job[] =
        "{\"scale_tier\":\"CUSTOM\",\"worker_count\":\"2\","
        "\"parameter_server_count\":\"1\",\"evaluator_count\":\"1\","
        "\"master_config\":{\"image_uri\":\"gcr.io/p/i\"},\"args\":["
        "\"--epochs=5\"]}";
    struct expected e = {
        .cluster = "{\"master\":[\"h0:1\"],\"worker\":[\"h1:2\",\"h2:3\"],"
                   "\"ps\":[\"h3:4\"],\"evaluator\":[\"h4:5\"]}",
        .job = job,
        .tf_cluster = "{\"chief\":[\"h0:1\"],\"worker\":[\"h1:2\",\"h2:3\"],"
                      "\"ps\":[\"h3:4\"]}",
        .tf_job = job,
        .tasks = {TASK("master", "0"), TASK("worker", "0"), TASK("worker", "1"),
                  TASK("ps", "0"), TASK("evaluator", "0")},
        .tf_tasks = {TASK("chief", "0"), TASK("worker", "0"),
                     TASK("worker", "1"), TASK("ps", "0"),
                     TASK("evaluator", "0")}};

    check_all("trainingInput:\n"
              "  scaleTier: CUSTOM\n"
              "  masterConfig: {imageUri: gcr.io/p/i}\n"
              "  args: [--epochs=5]\n"
              "  workerCount: 2\n"
              "  parameterServerCount: 1\n"
              "  evaluatorCount: 1\n"
              "  hyperparameters: {params: [{parameterName: x, type: DOUBLE, "
              "maxValue: 1}]}\n",
              &e);
}
END_TEST

START_TEST(the_master_of_an_older_program_is_no_chief)
{
    static const char job[] = "{\"scale_tier\":\"CUSTOM\",\"worker_count\":"
                              "\"1\",\"args\":[]}";
    struct expected e = {
        .cluster = "{\"master\":[\"h0:1\"],\"worker\":[\"h1:2\"]}",
        .job = job,
        .tf_cluster = "{\"master\":[\"h0:1\"],\"worker\":[\"h1:2\"]}",
        .tf_job = job,
        .tasks = {TASK("master", "0"), TASK("worker", "0")},
        .tf_tasks = {TASK("master", "0"), TASK("worker", "0")}};

    check_all("trainingInput:\n"
              "  pythonModule: t\n"
              "  workerCount: 1\n"
              "  hyperparameters: {params: [{parameterName: x, type: DOUBLE, "
              "maxValue: 1}]}\n",
              &e);
}
END_TEST

START_TEST(a_short_study_has_the_roles_of_ai_platform)
{
    static const char job[] = "{\"scale_tier\":\"CUSTOM\","
                              "\"parameter_server_count\":\"1\","
                              "\"evaluator_count\":\"2\",\"args\":[\"a\"]}";
    struct expected e = {
        .cluster = "{\"master\":[\"h0:1\"],\"ps\":[\"h1:2\"],\"evaluator\":["
                   "\"h2:3\",\"h3:4\"]}",
        .job = job,
        .tf_cluster = "{\"chief\":[\"h0:1\"],\"ps\":[\"h1:2\"]}",
        .tf_job = job,
        .tasks = {TASK("master", "0"), TASK("ps", "0"), TASK("evaluator", "0"),
                  TASK("evaluator", "1")},
        .tf_tasks = {TASK("chief", "0"), TASK("ps", "0"),
                     TASK("evaluator", "0"), TASK("evaluator", "1")}};

    check_all("maximize: a\nparams: {x: 0 .. 1}\nrun: ./t a\n"
              "replicas: {ps: 1, evaluator: 2}\n",
              &e);
}
END_TEST

#define POOLS                                                                  \
    "studySpec: {metrics: [{metricId: a}], parameters: [{parameterId: x, "     \
    "doubleValueSpec: {maxValue: 1}}]}\n"                                      \
    "trialJobSpec:\n"                                                          \
    "  workerPoolSpecs:\n"                                                     \
    "  - containerSpec: {imageUri: i, args: [--epochs=5]}\n"

#define VERTEX_JOB                                                             \
    "\"{\\\"python_module\\\":\\\"\\\",\\\"package_uris\\\":[],"               \
    "\\\"job_args\\\":[]}\""

START_TEST(vertex_numbers_its_pools_and_leaves_out_the_skipped)
{
    struct expected e = {
        .cluster = "{\"workerpool0\":[\"h0:1\"],\"workerpool1\":[\"h1:2\","
                   "\"h2:3\"],\"workerpool3\":[\"h3:4\"]},\"environment\":"
                   "\"cloud\"",
        .job = VERTEX_JOB,
        .tf_cluster = "{\"chief\":[\"h0:1\"],\"worker\":[\"h1:2\",\"h2:3\"]}",
        .tf_job = "{\"worker_pool_specs\":[{\"replica_count\":\"1\","
                  "\"container_spec\":{\"image_uri\":\"i\"}},{"
                  "\"replica_count\":\"2\",\"container_spec\":{\"image_uri\":"
                  "\"w\"}},{},{\"replica_count\":\"1\",\"container_spec\":{"
                  "\"image_uri\":\"e\"}}]}",
        .tasks = {TASK("workerpool0", "0"), TASK("workerpool1", "0"),
                  TASK("workerpool1", "1"), TASK("workerpool3", "0")},
        .tf_tasks = {TASK("chief", "0"), TASK("worker", "0"),
                     TASK("worker", "1"), TASK("evaluator", "0")}};

    check_all(POOLS "  - {replicaCount: 2, containerSpec: {imageUri: w}}\n"
                    "  - {}\n"
                    "  - {replicaCount: '1', containerSpec: {imageUri: e}}\n",
              &e);
}
END_TEST

START_TEST(one_replica_of_vertex_has_no_tf_config)
{
    struct expected e = {
        .cluster = "{\"workerpool0\":[\"h0:1\"]},\"environment\":\"cloud\"",
        .job = VERTEX_JOB,
        .tasks = {TASK("workerpool0", "0")}};

    check_all(POOLS, &e);
}
END_TEST

/* Words that a launcher replaces later are left as they are. */
START_TEST(addresses_may_be_words_of_the_launcher)
{
    static const char *const words[] = {"{host-0}:{port-0}",
                                        "{host-1}:{port-1}"};
    struct places at = {.trial = 1,
                        .attempt = 1,
                        .folder = "/f",
                        .base_dir = "/b",
                        .rank = 1,
                        .addresses = words};
    struct words env;
    struct study s;
    struct point p;
    int found = 0;

    read_good("maximize: a\nparams: {x: 0 .. 1}\nrun: t\n"
              "replicas: {worker: 1}\n",
              &s);
    point_init(&p, &s.space);
    words_init(&env);
    environ_set(&s, &p, &at, &env);
    for (size_t i = 0; i < env.n; i++) {
        found += strcmp(env.items[i], "MASTER_ADDR={host-0}") == 0;
        found += strcmp(env.items[i], "MASTER_PORT={port-0}") == 0;
        found += strncmp(env.items[i],
                         "CLUSTER_SPEC={\"cluster\":{\"master\":["
                         "\"{host-0}:{port-0}\"],\"worker\":[\"{host-1}:"
                         "{port-1}\"]}",
                         79) == 0;
    }
    ck_assert_int_eq(found, 3);
    words_clear(&env);
    point_clear(&p);
    study_clear(&s);
}
END_TEST

SUITE("study/cluster", ai_platform_knows_master_worker_ps_and_evaluator,
      the_master_of_an_older_program_is_no_chief,
      a_short_study_has_the_roles_of_ai_platform,
      vertex_numbers_its_pools_and_leaves_out_the_skipped,
      one_replica_of_vertex_has_no_tf_config,
      addresses_may_be_words_of_the_launcher)
