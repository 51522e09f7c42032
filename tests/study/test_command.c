/* What a trial's process is given, byte for byte, in every dialect. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/command.h"
#include "study/environ.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

static const char *const addresses[] = {"127.0.0.1:29500"};
static const struct places place = {.trial = 7,
                                    .attempt = 2,
                                    .folder = "/state/trials/s/7/2",
                                    .base_dir = "/home/me/digits",
                                    .addresses = addresses};

static void read_point(const struct study *s, const char *json, struct point *p)
{
    struct err e = {.code = ERR_NONE};

    ck_assert_msg(point_read_json(p, &s->space, json, &e) == 0, "%s", e.text);
}

/* The words, each in brackets. Yours to free. */
static char *argv_of(const char *file, const char *json)
{
    struct study s;
    struct point p;
    struct words argv;
    struct text out;

    read_good(file, &s);
    read_point(&s, json, &p);
    words_init(&argv);
    command_argv(&s, &p, &place, &argv);
    ck_assert_ptr_null(argv.items[argv.n]);
    text_init(&out);
    for (size_t i = 0; i < argv.n; i++)
        text_addf(&out, "[%s]", argv.items[i]);
    words_clear(&argv);
    point_clear(&p);
    study_clear(&s);
    return text_take(&out);
}

static void environ_of(const char *file, const char *json, struct words *env)
{
    struct study s;
    struct point p;

    read_good(file, &s);
    read_point(&s, json, &p);
    environ_set(&s, &p, &place, env);
    point_clear(&p);
    study_clear(&s);
}

/* The value of a variable, or NULL. */
static const char *value_of(const struct words *env, const char *name)
{
    size_t n = strlen(name);

    for (size_t i = 0; i < env->n; i++)
        if (strncmp(env->items[i], name, n) == 0 && env->items[i][n] == '=')
            return env->items[i] + n + 1;
    return NULL;
}

struct variable {
    const char *name, *value;
};

static void check_environ(const struct words *env, const struct variable *rows,
                          size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *value = value_of(env, rows[i].name);

        ck_assert_msg((value == NULL) == (rows[i].value == NULL), "%s is %s",
                      rows[i].name, value ? value : "not set");
        if (value)
            ck_assert_msg(strcmp(value, rows[i].value) == 0, "%s=%s",
                          rows[i].name, value);
    }
}

#define CHECK_ENVIRON(env, rows)                                               \
    check_environ(env, rows, sizeof(rows) / sizeof(rows)[0])

static const char space[] = "maximize: a\n"
                            "params:\n"
                            "  lr: 0.0 .. 1.0\n"
                            "  n: int -9 .. 9\n"
                            "  batch: [016, 32]\n"
                            "  fast: [true, false]\n"
                            "  opt: [adam, it's a dog]\n"
                            "  m: 0 .. 1 if opt = adam\n";
static const char point[] = "{\"lr\": 1e-7, \"n\": -3, \"batch\": 16, "
                            "\"fast\": \"true\", \"opt\": \"it's a dog\"}";

START_TEST(arguments_are_written_in_the_style_that_is_asked_for)
{
    static const struct {
        const char *lines, *words;
    } rows[] = {
        {"run: ./t -v {args} --last",
         "[./t][-v][--lr=1e-07][--n=-3][--batch=016][--fast=true]"
         "[--opt=it's a dog][--last]"},
        {"run: ./t", "[./t][--lr=1e-07][--n=-3][--batch=016][--fast=true]"
                     "[--opt=it's a dog]"},
        {"run: ./t\nargs: space",
         "[./t][--lr][1e-07][--n][-3][--batch][016][--fast][true]"
         "[--opt][it's a dog]"},
        {"run: ./t\nargs: hydra",
         "[./t][lr=1e-07][n=-3][batch=016][fast=true][opt=it's a dog]"},
        {"run: ./t\nargs: flags",
         "[./t][--lr=1e-07][--n=-3][--batch=016][--fast][--opt=it's a dog]"},
        {"run: ./t {args} x\nargs: env", "[./t][x]"},
        {"run: ./t\nargs: json",
         "[./t][{\"lr\": 1e-07, \"n\": -3, \"batch\": 16, \"fast\": "
         "\"true\", \"opt\": \"it's a dog\"}]"},
        {"run: sh -c './t {args} > log'",
         "[sh][-c][./t --lr=1e-07 --n=-3 --batch=016 --fast=true "
         "'--opt=it'\\''s a dog' > log]"},
        {"run: [./t, '-l{lr}', '{opt}', '{n}{batch}', '{m}', '{fast}', '{x}']",
         "[./t][-l1e-07][it's a dog][-3016][][true][{x}]"},
        {"run: mkdir out/{lr} {args}",
         "[mkdir][out/1e-07][--lr=1e-07][--n=-3][--batch=016][--fast=true]"
         "[--opt=it's a dog]"},
        {"run: ./t '' \"a b\" c\\ d 'e\"f' \"g\\\"h\"\nargs: env",
         "[./t][][a b][c d][e\"f][g\"h]"},
        {"run: ./t\nargs: env\njob_dir: out/",
         "[./t][--job-dir][/home/me/digits/out/7]"},
        {"run: ./t\nargs: env\njob_dir: file:///srv/out",
         "[./t][--job-dir][/srv/out/7]"},
        {"run: [./t, $(HOME)]\nargs: env", "[./t][$(HOME)]"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format("%s%s\n", space, rows[i].lines);
        char *words = argv_of(file, point);

        ck_assert_msg(strcmp(words, rows[i].words) == 0, "%s\n%s",
                      rows[i].lines, words);
        free(words);
        free(file);
    }
}
END_TEST

START_TEST(false_flags_are_left_out)
{
    char *words = argv_of("maximize: a\nrun: ./t\nargs: flags\n"
                          "params: {fast: [true, false]}\n",
                          "{\"fast\": \"false\"}");

    ck_assert_str_eq(words, "[./t]");
    free(words);
}
END_TEST

static const char short_file[] =
    "study: digits\nmaximize: accuracy\nrun: ./t --x=1 -l{lr} {args} '{y}'\n"
    "params: {lr: 0.0 .. 1.0}\nworkdir: sub\nenv: {A: '$(B)', LANG: C}\n";

START_TEST(a_short_study_sets_roles_and_all_that_programs_look_for)
{
    static const struct variable rows[] = {
        {"CLUSTER_SPEC",
         "{\"cluster\":{\"master\":[\"127.0.0.1:29500\"]},\"task\":{\"type\":"
         "\"master\",\"index\":0,\"trial\":\"7\"},\"job\":{\"scale_tier\":"
         "\"BASIC\",\"args\":[\"--x=1\",\"{y}\"]}}"},
        {"TF_CONFIG",
         "{\"cluster\":{\"master\":[\"127.0.0.1:29500\"]},\"environment\":"
         "\"cloud\",\"job\":{\"scale_tier\":\"BASIC\",\"args\":[\"--x=1\","
         "\"{y}\"]},\"task\":{\"type\":\"master\",\"index\":0,\"trial\":"
         "\"7\"}}"},
        {"CLOUD_ML_TRIAL_ID", "7"},
        {"CLOUD_ML_HP_METRIC_FILE", "/state/trials/s/7/2/output.metrics"},
        {"CLOUD_ML_HP_METRIC_TAG", "accuracy"},
        {"CLOUD_ML_JOB_ID", "digits"},
        {"MASTER_ADDR", "127.0.0.1"},
        {"MASTER_PORT", "29500"},
        {"RANK", "0"},
        {"WORLD_SIZE", "1"},
        {"HYPERTUNE_STUDY", "digits"},
        {"HYPERTUNE_TRIAL", "7"},
        {"HYPERTUNE_ATTEMPT", "2"},
        {"HYPERTUNE_REPORT_FILE", "/state/trials/s/7/2/reports"},
        {"HYPERTUNE_STOP_FILE", "/state/trials/s/7/2/stop"},
        {"HYPERTUNE_CHECKPOINT_DIR", "/state/trials/s/7/checkpoints/"},
        {"AIP_MODEL_DIR", NULL},
        {"A", "$(B)"},
        {"LANG", "C"},
        {"PATH", "/bin"},
    };
    struct words env;

    words_init(&env);
    words_set_env(&env, "PATH", "/bin");
    words_set_env(&env, "LANG", "de_DE");
    words_set_env(&env, "AIP_MODEL_DIR", "/of/another/job/");
    environ_of(short_file, "{\"lr\": 0.5}", &env);
    CHECK_ENVIRON(&env, rows);
    words_clear(&env);
}
END_TEST

START_TEST(the_process_starts_in_the_work_folder)
{
    static const struct variable rows[] = {{"sub", "/home/me/digits/sub"},
                                           {"/abs", "/abs"},
                                           {".", "/home/me/digits"},
                                           {NULL, "/home/me/digits"}};
    struct study s;

    read_good(short_file, &s);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *folder;

        free(s.job.tasks[ROLE_MASTER].workdir);
        s.job.tasks[ROLE_MASTER].workdir = mem_copy_text(rows[i].name);
        folder = places_workdir(&s, &place);
        ck_assert_str_eq(folder, rows[i].value);
        free(folder);
    }
    study_clear(&s);
}
END_TEST

static const char platform_file[] =
    "jobId: tune_1\n"
    "trainingInput:\n"
    "  pythonModule: trainer.task\n"
    "  args: [--epochs=5, 'a b']\n"
    "  jobDir: /srv/out\n"
    "  hyperparameters:\n"
    "    params:\n"
    "    - {parameterName: lr, type: DOUBLE, maxValue: 1}\n"
    "    - {parameterName: units, type: INTEGER, minValue: 1.0, maxValue: "
    "9.0}\n";

START_TEST(an_ai_platform_trial_is_started_as_ai_platform_does)
{
    static const struct variable rows[] = {
        {"CLUSTER_SPEC",
         "{\"cluster\":{\"master\":[\"127.0.0.1:29500\"]},\"task\":{\"type\":"
         "\"master\",\"index\":0,\"trial\":\"7\"},\"job\":{\"scale_tier\":"
         "\"BASIC\",\"args\":[\"--epochs=5\",\"a b\"]}}"},
        {"TF_CONFIG",
         "{\"cluster\":{\"master\":[\"127.0.0.1:29500\"]},\"environment\":"
         "\"cloud\",\"job\":{\"scale_tier\":\"BASIC\",\"args\":["
         "\"--epochs=5\",\"a b\"]},\"task\":{\"type\":"
         "\"master\",\"index\":0,\"trial\":\"7\"}}"},
        {"CLOUD_ML_HP_METRIC_TAG", "training/hptuning/metric"},
        {"CLOUD_ML_JOB_ID", "tune_1"},
        {"AIP_MODEL_DIR", NULL},
    };
    static const char json[] = "{\"lr\": 0.25, \"units\": 4}";
    char *words = argv_of(platform_file, json);
    struct words env;

    ck_assert_str_eq(words, "[python3][-m][trainer.task][--epochs=5][a b]"
                            "[--lr=0.25][--units=4][--job-dir][/srv/out/7]");
    free(words);
    words_init(&env);
    environ_of(platform_file, json, &env);
    CHECK_ENVIRON(&env, rows);
    words_clear(&env);
}
END_TEST

static const char vertex_file[] =
    "displayName: tune\n"
    "studySpec:\n"
    "  metrics: [{metricId: loss, goal: MINIMIZE}]\n"
    "  parameters:\n"
    "  - parameterId: lr\n"
    "    doubleValueSpec: {maxValue: 1}\n"
    "trialJobSpec:\n"
    "  baseOutputDirectory: {outputUriPrefix: /srv/out}\n"
    "  workerPoolSpecs:\n"
    "  - processSpec:\n"
    "      command: [./t, $(DATA)/x]\n"
    "      args: ['$$(DATA)', '$(NONE)', '--id=$(CLOUD_ML_TRIAL_ID)', $(, "
    "$()]\n"
    "      env:\n"
    "      - {name: ROOT, value: /data}\n"
    "      - {name: DATA, value: $(ROOT)/$(CLOUD_ML_TRIAL_ID)}\n"
    "      - {name: ESCAPED, value: $$(ROOT) $(NOT_THERE) $( $(ROOT}\n";

START_TEST(a_vertex_trial_is_started_as_vertex_does)
{
    static const struct variable rows[] = {
        {"CLUSTER_SPEC",
         "{\"cluster\":{\"workerpool0\":[\"127.0.0.1:29500\"]},"
         "\"environment\":\"cloud\",\"task\":{\"type\":\"workerpool0\","
         "\"index\":0,\"trial\":\"7\"},\"job\":\"{\\\"python_module\\\":"
         "\\\"\\\",\\\"package_uris\\\":[],\\\"job_args\\\":[]}\"}"},
        {"TF_CONFIG", NULL},
        {"CLOUD_ML_HP_METRIC_TAG", "loss"},
        {"AIP_MODEL_DIR", "/srv/out/7/model/"},
        {"AIP_CHECKPOINT_DIR", "/srv/out/7/checkpoints/"},
        {"AIP_TENSORBOARD_LOG_DIR", "/srv/out/7/logs/"},
        {"HYPERTUNE_CHECKPOINT_DIR", "/srv/out/7/checkpoints/"},
        {"DATA", "/data/7"},
        {"ESCAPED", "$(ROOT) $(NOT_THERE) $( $(ROOT"},
    };
    static const char json[] = "{\"lr\": 0.25}";
    char *words = argv_of(vertex_file, json);
    struct words env;

    ck_assert_str_eq(words, "[./t][/data/7/x][$(DATA)][$(NONE)][--id=7][$(]"
                            "[$()][--lr=0.25]");
    free(words);
    words_init(&env);
    words_set_env(&env, "TF_CONFIG", "{\"of\": \"another job\"}");
    words_set_env(&env, "ROOT", "/stale");
    environ_of(vertex_file, json, &env);
    CHECK_ENVIRON(&env, rows);
    words_clear(&env);
}
END_TEST

START_TEST(the_arguments_of_a_python_package_are_said)
{
    static const struct variable rows[] = {
        {"CLOUD_ML_JOB",
         "{\"python_module\":\"trainer.task\",\"package_uris\":[],"
         "\"job_args\":[\"--epochs=5\"]}"},
    };
    struct words env;

    words_init(&env);
    environ_of("studySpec: {metrics: [{metricId: m}], parameters: "
               "[{parameterId: lr, doubleValueSpec: {maxValue: 1}}]}\n"
               "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
               "[python3, -m, trainer.task], args: [--epochs=5, '{args}']}}]}",
               "{\"lr\": 0.25}", &env);
    CHECK_ENVIRON(&env, rows);
    words_clear(&env);
}
END_TEST

START_TEST(parameters_may_be_variables)
{
    static const struct variable rows[] = {
        {"lr", "1e-07"}, {"batch", "016"}, {"opt", "it's a dog"}, {"m", NULL}};
    char *file = mem_format("%srun: ./t\nargs: env\nenv: {lr: 5}\n", space);
    struct words env;

    words_init(&env);
    words_set_env(&env, "m", "of an outer trial");
    environ_of(file, point, &env);
    CHECK_ENVIRON(&env, rows);
    words_clear(&env);
    free(file);
}
END_TEST

/* What that replica is given: its words, each in brackets, yours to free. */
static char *replica_of(const struct study *s, int rank, struct words *env)
{
    static const char *const several[] = {"h:1", "h:2", "h:3", "h:4"};
    struct places at = place;
    struct words argv;
    struct point p;
    struct text out;

    at.rank = rank;
    at.addresses = several;
    read_point(s, "{\"lr\": 0.5}", &p);
    words_init(env);
    words_init(&argv);
    words_set_env(env, "AIP_USE_CUSTOM_CONTAINER", "of another job");
    environ_set(s, &p, &at, env);
    command_argv(s, &p, &at, &argv);
    text_init(&out);
    for (size_t i = 0; i < argv.n; i++)
        text_addf(&out, "[%s]", argv.items[i]);
    words_clear(&argv);
    point_clear(&p);
    return text_take(&out);
}

static const char replicas_file[] =
    "study: digits\nmaximize: accuracy\nrun: ./t -l{lr}\n"
    "params: {lr: 0.0 .. 1.0}\nenv: {A: m, B: m}\njob_dir: /out\n"
    "replicas: {worker: {count: 2, env: {A: w}}, evaluator: {run: ./e}}\n";

START_TEST(each_replica_is_given_its_own)
{
    static const struct {
        const char *argv;
        struct variable rows[11]; /* NULL ends them */
    } rows[] = {
        {"[./t][-l0.5][--job-dir][/out/7]",
         {{"RANK", "0"},
          {"WORLD_SIZE", "4"},
          {"MASTER_ADDR", "h"},
          {"MASTER_PORT", "1"},
          {"A", "m"},
          {"HYPERTUNE_REPLICA", "master-0"},
          {"HYPERTUNE_REPORT_FILE", "/state/trials/s/7/2/reports"},
          {"CLOUD_ML_HP_METRIC_FILE", "/state/trials/s/7/2/output.metrics"},
          {"HYPERTUNE_STOP_FILE", "/state/trials/s/7/2/stop"},
          {"AIP_USE_CUSTOM_CONTAINER", NULL}}},
        {"[./t][-l0.5][--job-dir][/out/7]",
         {{"RANK", "1"},
          {"WORLD_SIZE", "4"},
          {"MASTER_ADDR", "h"},
          {"MASTER_PORT", "1"},
          {"A", "w"},
          {"B", "m"},
          {"HYPERTUNE_REPLICA", "worker-0"},
          {"HYPERTUNE_REPORT_FILE", "/state/trials/s/7/2/worker-0/reports"},
          {"CLOUD_ML_HP_METRIC_FILE",
           "/state/trials/s/7/2/worker-0/output.metrics"},
          {"HYPERTUNE_STOP_FILE", "/state/trials/s/7/2/stop"}}},
        {"[./t][-l0.5][--job-dir][/out/7]",
         {{"RANK", "2"},
          {"HYPERTUNE_REPLICA", "worker-1"},
          {"HYPERTUNE_REPORT_FILE", "/state/trials/s/7/2/worker-1/reports"},
          {"HYPERTUNE_CHECKPOINT_DIR", "/state/trials/s/7/checkpoints/"},
          {"CLOUD_ML_TRIAL_ID", "7"}}},
        {"[./e][--lr=0.5][--job-dir][/out/7]",
         {{"RANK", "3"},
          {"A", "m"},
          {"HYPERTUNE_REPLICA", "evaluator-0"},
          {"HYPERTUNE_REPORT_FILE",
           "/state/trials/s/7/2/evaluator-0/reports"}}},
    };
    struct study s;

    read_good(replicas_file, &s);
    for (int i = 0; i < study_replicas(&s); i++) {
        struct words env;
        char *argv = replica_of(&s, i, &env);

        ck_assert_str_eq(argv, rows[i].argv);
        for (const struct variable *v = rows[i].rows; v->name; v++)
            check_environ(&env, v, 1);
        free(argv);
        words_clear(&env);
    }
    study_clear(&s);
}
END_TEST

START_TEST(a_container_of_vertex_is_told_that_it_is_one)
{
    static const struct variable rows[] = {
        {"AIP_USE_CUSTOM_CONTAINER", "true"},
        {"WHO", "0 of 2"},
    };
    struct study s;
    struct words env;
    char *argv, *folder;

    read_good("studySpec: {metrics: [{metricId: a}], parameters: "
              "[{parameterId: lr, doubleValueSpec: {maxValue: 1}}]}\n"
              "trialJobSpec:\n"
              "  workerPoolSpecs:\n"
              "  - containerSpec:\n"
              "      imageUri: i\n"
              "      command: [python, $(WHO)]\n"
              "      args: ['$$(RANK)']\n"
              "      env: [{name: WHO, value: $(RANK) of $(WORLD_SIZE)}]\n"
              "  - replicaCount: 1\n"
              "    containerSpec: {imageUri: i, args: [$(HYPERTUNE_REPLICA)]}",
              &s);
    argv = replica_of(&s, 0, &env);
    ck_assert_str_eq(argv, "[python][0 of 2][$(RANK)][--lr=0.5]");
    CHECK_ENVIRON(&env, rows);
    free(argv);
    words_clear(&env);
    argv = replica_of(&s, 1, &env);
    ck_assert_str_eq(argv, "[worker-0][--lr=0.5]");
    free(argv);
    words_clear(&env);
    folder = places_workdir(&s, &place);
    ck_assert_ptr_null(folder); /* the image's own */
    study_clear(&s);
}
END_TEST

SUITE("study/command", arguments_are_written_in_the_style_that_is_asked_for,
      false_flags_are_left_out,
      a_short_study_sets_roles_and_all_that_programs_look_for,
      the_process_starts_in_the_work_folder,
      an_ai_platform_trial_is_started_as_ai_platform_does,
      a_vertex_trial_is_started_as_vertex_does,
      the_arguments_of_a_python_package_are_said, parameters_may_be_variables,
      each_replica_is_given_its_own,
      a_container_of_vertex_is_told_that_it_is_one)
