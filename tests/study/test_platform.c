/* AI Platform Training's job files, as its users have them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define BEGIN "trainingInput:\n  pythonModule: t\n  hyperparameters:\n"
#define PARAMETER "    - {parameterName: x, type: DOUBLE, maxValue: 1}\n"

/* A file around the line that is tried. */
#define PARAMETERS BEGIN "    params:\n%s"
#define HYPER BEGIN "    params:\n" PARAMETER "    %s\n"
#define INPUT BEGIN "    params:\n" PARAMETER "  %s\n"
#define TOP BEGIN "    params:\n" PARAMETER "%s\n"
#define WHOLE "%s"

static const struct {
    const char *around, *line, *faults;
} bad[] = {
    {PARAMETERS, "    - {type: DOUBLE, maxValue: 1}\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "5:7: the parameter has no parameterName\n"},
    {PARAMETERS, "    - {parameterName: x, maxValue: 1}\n",
     "5:7: x: type is missing\n"},
    {PARAMETERS, "    - {parameterName: x, type: FLOAT, maxValue: 1}\n",
     "5:32: type must be DOUBLE, INTEGER, CATEGORICAL or DISCRETE, "
     "not \"FLOAT\"\n"},
    {PARAMETERS, "    - {parameterName: x, type: PARAMETER_TYPE_UNSPECIFIED}\n",
     "5:32: type must be DOUBLE, INTEGER, CATEGORICAL or DISCRETE, "
     "not \"PARAMETER_TYPE_UNSPECIFIED\"\n"},
    {PARAMETERS,
     "    - {parameterName: x, type: INTEGER, minValue: 1.5, "
     "maxValue: 3}\n",
     "5:51: x: min must be an integer, not \"1.5\"\n"},
    {PARAMETERS,
     "    - {parameterName: x, type: DOUBLE, minValue: 2, maxValue: "
     "1}\n",
     "5:50: x: min 2 is above max 1\n"},
    {PARAMETERS, "    - {parameterName: x, type: CATEGORICAL}\n",
     "5:23: x: the list of values is empty\n"},
    {PARAMETERS,
     "    - {parameterName: x, type: DISCRETE, discreteValues: [1, "
     "1.0]}\n",
     "5:62: x: the value 1 stands in the list twice\n"},
    {PARAMETERS, "    - {parameterName: x, type: DOUBLE, maxvalue: 1}\n",
     "5:40: there is no key \"maxvalue\" in a parameter; did you mean "
     "maxValue?\n"},
    {PARAMETERS,
     "    - {parameterName: x, type: DOUBLE, maxValue: 1, "
     "scaleType: UNIT_LOG_SCALE}\n",
     "5:23: x: a log scale needs numbers above 0; begin at a small "
     "one such as 1e-6, or leave out the scale\n"},
    {HYPER, "goal: UP",
     "6:11: goal must be MAXIMIZE, MINIMIZE or "
     "GOAL_TYPE_UNSPECIFIED, not \"UP\"\n"},
    {HYPER, "maxTrials: 0",
     "6:16: maxTrials is 0, and must be from 1 to 2147483647\n"},
    {HYPER, "maxFailedTrials: -1",
     "6:22: maxFailedTrials is -1, and must be from 0 to 2147483647\n"},
    {HYPER, "enableTrialEarlyStopping: perhaps",
     "6:31: enableTrialEarlyStopping must be true, false, yes, no, on or "
     "off, not \"perhaps\"\n"},
    {HYPER, "resumePreviousJobId: job",
     "6:26: resumePreviousJobId: going on from another job is not "
     "supported by this version; take the key away\n"},
    {HYPER, "algorithm: GRID_SEARCH",
     "5:23: x: a grid cannot try every real number of a range; give "
     "it a step or a list of values, or take another algorithm\n"},
    {HYPER, "algorithm: POPULATION_BASED_TRAINING",
     "6:16: algorithm must be ALGORITHM_UNSPECIFIED, GRID_SEARCH or "
     "RANDOM_SEARCH, not \"POPULATION_BASED_TRAINING\"\n"},
    {INPUT, "masterConfig: {imageUri: x}",
     "2:17: pythonModule: an image says itself what runs; take pythonModule "
     "or imageUri away\n"},
    {INPUT, "masterConfig: {containerCommand: [x]}",
     "6:36: masterConfig has no imageUri to run this in; write it, or "
     "processSpec: {command: [...], args: [...]}\n"},
    {INPUT, "workerCount: 1\n  workerConfig: {containerArgs: [x]}",
     "7:33: there is no imageUri to run this in; write it, or processSpec: "
     "{command: [...], args: [...]}\n"},
    {INPUT, "workerCount: 1\n  workerConfig: {imageUri: i}",
     "2:3: a trial is all containers or all programs of this machine, but the "
     "master is a program and the worker is a container\n"},
    {INPUT, "workerCount: 1001",
     "6:16: workerCount is 1001, and must be from 0 to 1000\n"},
    {INPUT, "workerCount: 600\n  parameterServerCount: 600",
     "2:3: a trial has 1201 replicas, and may have 1000\n"},
    {INPUT, "evaluatorCount: 1\n  scaleTier: STANDARD_1",
     "6:19: scaleTier STANDARD_1 says how many replicas there are; write "
     "scaleTier: CUSTOM to say it yourself\n"},
    {INPUT, "masterConfig: {acceleratorConfig: {number: 1}}",
     "6:38: there is no key \"number\" in acceleratorConfig\n"},
    {INPUT, "scaleTier: HUGE",
     "6:14: scaleTier must be BASIC, STANDARD_1, PREMIUM_1, "
     "BASIC_GPU, BASIC_TPU or CUSTOM, not \"HUGE\"\n"},
    {INPUT, "jobDir: gs://b/x",
     "6:11: jobDir is gs://b/x, which this version cannot write to; "
     "write a folder, such as out or file:///srv/out\n"},
    {INPUT, "nasJobSpec: {}",
     "6:15: nasJobSpec: architecture search is not supported; take "
     "the key away\n"},
    {INPUT, "bogus: 1", "6:3: there is no key \"bogus\" in trainingInput\n"},
    {INPUT, "args: --a", "6:9: args must be a list of words\n"},
    {INPUT, "scheduling: {maxRunningTime: soon}",
     "6:32: maxRunningTime must be a time such as 90s, 2h or 1h30m, "
     "not \"soon\"\n"},
    {TOP, "jobId: 7up",
     "6:8: jobId: \"7up\" is no name; it begins with a letter, and "
     "letters, digits, _ and - follow, at most 128 in all\n"},
    {TOP, "jobId: last",
     "6:8: jobId: \"last\" is what the newest study is called by; "
     "give this one another name\n"},
    {TOP, "predictionInput: {}",
     "6:18: predictionInput: only training jobs with "
     "hyperparameters can be run here\n"},
    {WHOLE,
     "trainingInput: {hyperparameters: {params: [{parameterName: x, "
     "type: DOUBLE, maxValue: 1}]}}\n",
     "1:16: trainingInput says nothing to run; write pythonModule, "
     "masterConfig.imageUri, or processSpec: {command: [...]}\n"},
    {WHOLE, "jobId: x\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "1:1: trainingInput is missing\n"},
    {WHOLE, "trainingInput: {pythonModule: t}\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "1:16: trainingInput has no hyperparameters: this job tunes "
     "nothing\n"},
};

START_TEST(what_cannot_be_had_is_refused_with_its_place)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *file = mem_format(bad[i].around, bad[i].line);
        char *told = read_faults(file);

        ck_assert_msg(strcmp(told, bad[i].faults) == 0, "%s\ngives\n%s", file,
                      told);
        free(told);
        free(file);
    }
}
END_TEST

START_TEST(a_job_file_is_read_as_it_is)
{
    static const char *const argv[] = {"python3",  "-m", "trainer.task",
                                       "--epochs", "5",  "--name=no"};
    char *bytes = read_source("tests/study/files/ai-platform.yaml");
    struct study s;

    read_good(bytes, &s);
    ck_assert_int_eq(s.dialect, DIALECT_AI_PLATFORM);
    ck_assert_str_eq(s.name, "file");
    ck_assert_str_eq(s.metric, "training/hptuning/metric");
    ck_assert(!s.maximize);
    ck_assert_str_eq(s.algorithm, "random");
    ck_assert_int_eq(s.trials, 10);
    ck_assert_int_eq(s.parallel, 2);
    ck_assert_int_eq(s.max_failed, 0);
    ck_assert_int_eq(s.trial_limit_ms, 7200000);
    ck_assert_str_eq(s.job.job_dir, "/srv/out");
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv,
                      sizeof argv / sizeof argv[0]);
    for (size_t i = 0; i < s.job.tasks[ROLE_MASTER].n_argv; i++)
        ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[i], argv[i]);
    study_clear(&s);
    free(bytes);
}
END_TEST

START_TEST(hopeless_trials_are_stopped_where_that_is_enabled)
{
    for (int early = 0; early < 2; early++) {
        char *bytes =
            mem_format(HYPER, early ? "enableTrialEarlyStopping: true"
                                    : "enableTrialEarlyStopping: false");
        struct study s;

        read_good(bytes, &s);
        ck_assert_str_eq(s.stop, early ? "median" : "none");
        study_clear(&s);
        free(bytes);
    }
}
END_TEST

START_TEST(parameters_mean_what_ai_platform_says)
{
    char *bytes = read_source("tests/study/files/ai-platform.yaml");
    const struct param *p;
    struct study s;

    read_good(bytes, &s);
    p = s.space.params;
    ck_assert_uint_eq(s.space.n, 4);
    ck_assert(p[0].kind == PARAM_INTEGER && p[0].low == 1 && p[0].high == 9);
    ck_assert(p[1].kind == PARAM_DOUBLE && p[1].min == 0 && !p[1].has_scale);
    ck_assert_str_eq(p[1].name, "a/b.c-d");
    ck_assert_str_eq(p[2].words[0], "16");
    ck_assert_str_eq(p[3].name, "on");
    ck_assert_str_eq(p[3].words[0], "yes");
    ck_assert_str_eq(p[3].words[1], "010");
    study_clear(&s);
    free(bytes);
}
END_TEST

START_TEST(what_is_not_written_has_the_formats_defaults)
{
    char *file = mem_format(HYPER, "hyperparameterMetricTag: ''");
    struct study s;

    read_good(file, &s);
    ck_assert_int_eq(s.trials, 1);
    ck_assert_int_eq(s.parallel, 1);
    ck_assert_int_eq(s.max_failed, -1);
    ck_assert(s.maximize);
    ck_assert_str_eq(s.metric, "training/hptuning/metric");
    ck_assert_str_eq(s.algorithm, "bayesian");
    study_clear(&s);
    free(file);
}
END_TEST

/* A process of this machine stands in the place of a container. */
START_TEST(a_process_may_stand_beside_what_cannot_be_run)
{
    char *file = mem_format(INPUT, "processSpec: {command: [./t], args: [a], "
                                   "env: {A: 1}, workdir: sub}");
    struct study s;

    read_good(file, &s);
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 2);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[0], "./t");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].workdir, "sub");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].env[0].value, "1");
    study_clear(&s);
    free(file);
}
END_TEST

#define MODULE "[python3][-m][t]"
#define TUNED                                                                  \
    "trainingInput:\n  hyperparameters: {params: [{parameterName: x, type: "   \
    "DOUBLE, maxValue: 1}]}\n%s\n"

START_TEST(replicas_are_counted_or_implied_by_the_tier)
{
    static const struct {
        const char *lines;
        const char *tasks[STUDY_ROLES];
    } rows[] = {
        {"scaleTier: STANDARD_1",
         {"1 - " MODULE " - 0 0 0", "4 - " MODULE " - 0 0 0",
          "3 - " MODULE " - 0 0 0"}},
        {"scaleTier: PREMIUM_1\n  workerCount: 0",
         {"1 - " MODULE " - 0 0 0", "19 - " MODULE " - 0 0 0",
          "11 - " MODULE " - 0 0 0"}},
        {"scaleTier: BASIC_GPU", {"1 - " MODULE " - 0 1 0"}},
        {"scaleTier: BASIC_TPU", {"1 - " MODULE " - 0 0 0"}},
        {"workerCount: '2'\n  evaluatorCount: 1",
         {"1 - " MODULE " - 0 0 0", "2 - " MODULE " - 0 0 0", NULL,
          "1 - " MODULE " - 0 0 0"}},
        {"scaleTier: CUSTOM\n  masterType: n1-standard-4\n"
         "  args: [--e, 1]\n  parameterServerCount: 2\n"
         "  masterConfig: {acceleratorConfig: {count: '2', type: "
         "NVIDIA_TESLA_K80}}\n"
         "  parameterServerConfig: {acceleratorConfig: {count: 4, type: "
         "TPU_V2}}",
         {"1 - " MODULE "[--e][1] - 0 2 0", NULL,
          "2 - " MODULE "[--e][1] - 0 0 0"}},
        {"processSpec: {command: [./t], env: {A: 1}, workdir: w}\n"
         "  args: [b]\n  workerCount: 1\n  evaluatorCount: 1\n"
         "  evaluatorConfig: {processSpec: {command: [./e, '{args}']}}",
         {"1 - [./t][b] A=1 w 0 0 0", "1 - [./t][b] A=1 w 0 0 0", NULL,
          "1 - [./e][{args}][b] - 0 0 0"}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(INPUT, rows[i].lines);

        check_roles(file, rows[i].tasks);
        free(file);
    }
}
END_TEST

/* Each role says its own words; only the image falls back to the master's. */
START_TEST(a_role_without_an_image_has_the_masters)
{
    static const struct {
        const char *lines;
        const char *tasks[STUDY_ROLES];
    } rows[] = {
        {"  masterConfig: {imageUri: gcr.io/p/i:1}",
         {"1 gcr.io/p/i:1  - 0 0 0"}},
        {"  masterConfig: {imageUri: i}\n  args: [--e, '5']",
         {"1 i [--e][5] - 0 0 0"}},
        {"  masterConfig: {imageUri: i, containerCommand: [python, -u], "
         "containerArgs: [t.py]}",
         {"1 i <python><-u>[t.py] - 0 0 0"}},
        {"  masterConfig: {imageUri: i, containerCommand: [], "
         "containerArgs: [a]}\n  workerCount: 2\n  parameterServerCount: 1\n"
         "  evaluatorCount: 1\n  args: [z]\n"
         "  workerConfig: {containerArgs: [w], acceleratorConfig: {count: 1}}\n"
         "  parameterServerConfig: {imageUri: ps, containerCommand: [run]}\n",
         {"1 i [a][z] - 0 0 0", "2 i [w][z] - 0 1 0", "1 ps <run>[z] - 0 0 0",
          "1 i [z] - 0 0 0"}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(TUNED, rows[i].lines);

        check_roles(file, rows[i].tasks);
        free(file);
    }
}
END_TEST

START_TEST(the_master_is_called_chief_where_ai_platform_does)
{
    static const struct {
        const char *lines;
        bool chief;
    } rows[] = {
        {"  pythonModule: t", false},
        {"  pythonModule: t\n  useChiefInTfConfig: true", false},
        {"  pythonModule: t\n  runtimeVersion: '2.11'", false},
        {"  pythonModule: t\n  runtimeVersion: '2.11'\n  workerCount: 1", true},
        {"  pythonModule: t\n  runtimeVersion: '2.0'\n  workerCount: 1", false},
        {"  pythonModule: t\n  runtimeVersion: '1.15'\n  workerCount: 1",
         false},
        {"  masterConfig: {imageUri: i}", false},
        {"  masterConfig: {imageUri: i}\n  workerCount: 3", false},
        {"  masterConfig: {imageUri: i}\n  useChiefInTfConfig: true", true},
        {"  masterConfig: {imageUri: i}\n  evaluatorCount: 1", true},
        {"  processSpec: {command: [t]}\n  evaluatorCount: 1", true},
        {"  processSpec: {command: [t]}\n  useChiefInTfConfig: true", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(TUNED, rows[i].lines);
        struct study s;

        read_good(file, &s);
        ck_assert_msg(s.job.chief == rows[i].chief, "%s", file);
        ck_assert_str_eq(s.job.launcher, s.job.tasks[ROLE_MASTER].image
                                             ? "container"
                                             : "local");
        study_clear(&s);
        free(file);
    }
}
END_TEST

SUITE("study/platform", what_cannot_be_had_is_refused_with_its_place,
      a_job_file_is_read_as_it_is,
      hopeless_trials_are_stopped_where_that_is_enabled,
      parameters_mean_what_ai_platform_says,
      what_is_not_written_has_the_formats_defaults,
      a_process_may_stand_beside_what_cannot_be_run,
      replicas_are_counted_or_implied_by_the_tier,
      a_role_without_an_image_has_the_masters,
      the_master_is_called_chief_where_ai_platform_does)
