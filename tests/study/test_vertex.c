/* Vertex AI's HyperparameterTuningJob: read by proto3's rules of JSON, and
 * refused with a sentence where it asks for what is not there. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define METRICS "studySpec:\n  metrics: [{metricId: a}]\n"
#define PARAMETER "  - {parameterId: x, doubleValueSpec: {maxValue: 1}}\n"
#define JOB                                                                    \
    "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: [./t]}}]}\n"

/* A file around the line that is tried. */
#define TOP METRICS "  parameters:\n" PARAMETER JOB "%s"
#define PARAMETERS METRICS "  parameters:\n%s" JOB
#define STUDY                                                                  \
    METRICS "  parameters: [{parameterId: x, doubleValueSpec: {maxValue: "     \
            "1}}]\n  %s\n" JOB
#define TRIAL METRICS "  parameters:\n" PARAMETER "trialJobSpec: %s\n"
#define WHOLE "%s"

static const struct {
    const char *around, *line, *faults;
} bad[] = {
    {TOP, "maxTrails: 3\n",
     "6:1: there is no key \"maxTrails\" in a HyperparameterTuningJob\n"},
    {TOP, "maxTrialCount: 0\n",
     "6:16: maxTrialCount is 0, and must be from 1 to 2147483647\n"},
    {TOP, "maxTrialCount: many\n",
     "6:16: maxTrialCount must be an integer, not \"many\"\n"},
    {TOP, "bogus: 1\n",
     "6:1: there is no key \"bogus\" in a HyperparameterTuningJob\n"},
    {PARAMETERS, "  - {doubleValueSpec: {maxValue: 1}}\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "4:5: the parameter has no parameterId\n"},
    {PARAMETERS, "  - {parameterId: x}\n",
     "4:5: x: exactly one of doubleValueSpec, integerValueSpec, "
     "discreteValueSpec and categoricalValueSpec must be there\n"},
    {PARAMETERS,
     "  - {parameterId: x, doubleValueSpec: {}, integerValueSpec: "
     "{}}\n",
     "4:5: x: exactly one of doubleValueSpec, integerValueSpec, "
     "discreteValueSpec and categoricalValueSpec must be there\n"},
    {PARAMETERS, "  - {parameterId: x, doubleValueSpec: {minValue: 2}}\n",
     "4:50: x: min 2 is above max 0\n"},
    {PARAMETERS, "  - {parameterId: x, doubleValueSpec: {minValue: low}}\n",
     "4:50: x: min must be a number, not \"low\"\n"},
    {PARAMETERS, "  - {parameterId: x, doubleValueSpec: {minValue: [1]}}\n",
     "4:19: x: min is missing\n"
     "4:50: minValue must be one value, not a list\n"},
    {PARAMETERS,
     "  - {parameterId: x, scaleType: UNIT_LOG_SCALE, "
     "doubleValueSpec: {maxValue: 1}}\n",
     "4:19: x: a log scale needs numbers above 0; begin at a small "
     "one such as 1e-6, or leave out the scale\n"},
    {PARAMETERS,
     "  - {parameterId: x, scaleType: LOG, doubleValueSpec: "
     "{maxValue: 1}}\n",
     "4:33: scaleType must be UNIT_LINEAR_SCALE, UNIT_LOG_SCALE, "
     "UNIT_REVERSE_LOG_SCALE, SCALE_TYPE_UNSPECIFIED or NONE, not "
     "\"LOG\"\n"},
    {PARAMETERS,
     "  - {parameterId: x, doubleValueSpec: {min_value: 0, "
     "maxvalue: 1}}\n",
     "4:54: there is no key \"maxvalue\" in a parameter's values; did "
     "you mean maxValue?\n"},
    {PARAMETERS, "  - {parameterId: x, categoricalValueSpec: {values: []}}\n",
     "4:19: x: the list of values is empty\n"},
    {PARAMETERS, "  - {parameterId: x, discreteValueSpec: {values: [a]}}\n",
     "4:51: x: a value must be a number, not \"a\"\n"},
    {PARAMETERS, "  - {parameterId: x, integerValueSpec: {maxValue: 1.5}}\n",
     "4:51: x: max must be an integer, not \"1.5\"\n"},
    {PARAMETERS,
     "  - {parameterId: x, doubleValueSpec: {maxValue: 1}, "
     "conditionalParameterSpecs: [{parentIntValues: {values: [1]}, "
     "parameterSpec: {parameterId: y, doubleValueSpec: {}}}]}\n",
     "4:130: y: it hangs on x, which is a range of real numbers; "
     "only integers and lists can be conditions\n"},
    {PARAMETERS,
     "  - {parameterId: x, categoricalValueSpec: {values: [p, q]}, "
     "conditionalParameterSpecs: [{parameterSpec: {parameterId: y, "
     "doubleValueSpec: {}}}]}\n",
     "4:90: a conditional parameter of x needs parameterSpec and "
     "exactly one of parentDiscreteValues, parentIntValues and "
     "parentCategoricalValues\n"},
    {PARAMETERS,
     "  - {parameterId: x, categoricalValueSpec: {values: [p, q]}, "
     "conditionalParameterSpecs: [{parentCategoricalValues: "
     "{values: [r]}, parameterSpec: {parameterId: y, "
     "doubleValueSpec: {}}}]}\n",
     "4:126: y: its condition names r, which is not a value of x\n"},
    {PARAMETERS,
     "  - {parameterId: x, doubleValueSpec: {maxValue: 1}}\n"
     "  - {parameterId: x, doubleValueSpec: {maxValue: 1}}\n",
     "5:19: x: there are two parameters of this name\n"},
    {STUDY, "algorithm: GRID_SEARCH",
     "3:30: x: a grid cannot try every real number of a range; give "
     "it a step or a list of values, or take another algorithm\n"},
    {STUDY, "algorithm: 1",
     "4:14: algorithm must be ALGORITHM_UNSPECIFIED, GRID_SEARCH or "
     "RANDOM_SEARCH, not \"1\"\n"},
    {STUDY, "algorithm: BAYES",
     "4:14: algorithm must be ALGORITHM_UNSPECIFIED, GRID_SEARCH or "
     "RANDOM_SEARCH, not \"BAYES\"\n"},
    {STUDY, "medianAutomatedStoppingSpec: {useElapsedDuration: true}",
     "4:53: useElapsedDuration: trials of a job are compared by their "
     "steps, not by time; take the key away\n"},
    {STUDY, "decayCurveStoppingSpec: {}",
     "4:27: decayCurveStoppingSpec: this rule of stopping trials is not "
     "supported by this version; medianAutomatedStoppingSpec is\n"},
    {STUDY, "studyStoppingConfig: {maxNumTrials: 3}",
     "4:24: studyStoppingConfig: use maxTrialCount and "
     "maxFailedTrialCount; further rules of stopping are not "
     "supported by this version\n"},
    {STUDY, "convexAutomatedStoppingSpec: {maxStepCount: 3}",
     "4:32: convexAutomatedStoppingSpec: this rule of stopping trials is "
     "not supported by this version; medianAutomatedStoppingSpec is\n"},
    {TRIAL, "{}", "5:15: workerPoolSpecs is missing in trialJobSpec\n"},
    {TRIAL, "{workerPoolSpecs: []}",
     "5:33: workerPoolSpecs must be a list with one worker pool or more\n"},
    {TRIAL, "{workerPoolSpecs: [{processSpec: {}}]}",
     "5:48: processSpec: command is missing; it is the list of "
     "words to run\n"},
    {TRIAL, "{workerPoolSpecs: [{}]}",
     "5:34: the worker pool says nothing to run; write containerSpec, or "
     "processSpec: {command: [...]}\n"},
    {TRIAL, "{workerPoolSpecs: [{processSpec: {command: ./t}}]}",
     "5:58: command must be a list of words\n"},
    {TRIAL,
     "{workerPoolSpecs: [{processSpec: {command: [./t], env: "
     "[{name: HYPERTUNE_X, value: 1}]}}]}",
     "5:71: env: HYPERTUNE_X: names that begin with HYPERTUNE_ are "
     "Hypertune's own; choose another\n"},
    {TRIAL,
     "{workerPoolSpecs: [{processSpec: {command: [./t]}}], "
     "baseOutputDirectory: {outputUriPrefix: \"gs://b\"}}",
     "5:107: outputUriPrefix is gs://b, which this version cannot "
     "write to; write a folder, such as out or file:///srv/out\n"},
    {TRIAL,
     "{workerPoolSpecs: [{processSpec: {command: [./t]}}], "
     "scheduling: {timeout: soon}}",
     "5:90: timeout must be a time such as 90s, 2h or 1h30m, not "
     "\"soon\"\n"},
    {WHOLE,
     "studySpec: {metrics: [{metricId: a}, {metricId: a}], "
     "parameters: [{parameterId: x, doubleValueSpec: {maxValue: 1}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:38: a is an objective already\n"},
    {WHOLE,
     "studySpec: {metrics: [{metricId: a}, {metricId: b}], "
     "measurementSelectionType: BEST_MEASUREMENT, "
     "parameters: [{parameterId: x, doubleValueSpec: {maxValue: 1}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:22: with several objectives a trial's result is what it measured "
     "last; take the selection of the best away\n"},
    {WHOLE,
     "studySpec: {metrics: [{metricId: a}, {metricId: b}], "
     "medianAutomatedStoppingSpec: {}, "
     "parameters: [{parameterId: x, doubleValueSpec: {maxValue: 1}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:22: medianAutomatedStoppingSpec judges trials by one objective, and "
     "would stop some that no other beats; take it away\n"},
    {WHOLE,
     "studySpec: {metrics: [{goal: MAXIMIZE}], parameters: "
     "[{parameterId: x, doubleValueSpec: {}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:23: the metric has no metricId\n"},
    {WHOLE,
     "studySpec: {metrics: [], parameters: [{parameterId: x, "
     "doubleValueSpec: {}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:22: metrics must be a list of metrics\n"},
    {WHOLE,
     "studySpec: {metrics: [{metricId: a, goal: UP}], parameters: "
     "[{parameterId: x, doubleValueSpec: {}}]}\n"
     "trialJobSpec: {workerPoolSpecs: [{processSpec: {command: "
     "[./t]}}]}\n",
     "1:43: goal must be MAXIMIZE, MINIMIZE or "
     "GOAL_TYPE_UNSPECIFIED, not \"UP\"\n"},
    {TRIAL,
     "{workerPoolSpecs: [{processSpec: {command: [./t, '{args}'], args: "
     "[a, 'b {args}']}}]}",
     "5:85: args: {args} may stand there once\n"},
    {TRIAL, "{workerPoolSpecs: [{processSpec: {command: ['{args}{args}']}}]}",
     "5:59: command: {args} may stand there once\n"},
    {TRIAL, "{workerPoolSpecs: [{processSpec: {command: ['', a]}}]}",
     "5:48: processSpec: there is no program to run\n"},
    {WHOLE,
     "studySpec:\n"
     "  metrics: [{metricId: a}]\n"
     "  parameters:\n"
     "  - {parameterId: x, doubleValueSpec: {maxValue: 1}}\n",
     "1:1: trialJobSpec is missing; it says what each trial runs\n"},
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

static void read_file(const char *path, struct study *s)
{
    char *bytes = read_source(path);

    read_good(bytes, s);
    free(bytes);
}

START_TEST(proto3_json_is_read_as_its_clients_write_it)
{
    struct study s;

    read_file("tests/study/files/vertex.json", &s);
    ck_assert_int_eq(s.dialect, DIALECT_VERTEX);
    ck_assert_str_eq(s.name, "file"); /* the displayName is none for us */
    ck_assert_str_eq(s.metric, "loss");
    ck_assert(!s.maximize && s.noisy && s.selection == SELECT_BEST);
    ck_assert_str_eq(s.algorithm, "random");
    ck_assert_int_eq(s.trials, 9);
    ck_assert_int_eq(s.parallel, 3);
    ck_assert_int_eq(s.trial_limit_ms, 3500);
    ck_assert_str_eq(s.job.output_dir, "/srv/out/");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].workdir, "sub");
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 3);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[2], "\U0001f600");
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_env, 2);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].env[1].value, "");
    study_clear(&s);
}
END_TEST

START_TEST(trials_are_stopped_by_the_median_of_others)
{
    struct study s;
    char *bytes = mem_format(STUDY, "medianAutomatedStoppingSpec: "
                                    "{useElapsedDuration: false}");

    read_good(bytes, &s);
    ck_assert_str_eq(s.stop, "median");
    ck_assert_int_eq(s.stop_after, 0);
    study_clear(&s);
    free(bytes);
}
END_TEST

START_TEST(parameters_nest_and_absent_numbers_are_zero)
{
    struct study s;
    const struct param *p;

    read_file("tests/study/files/vertex.json", &s);
    p = s.space.params;
    ck_assert_uint_eq(s.space.n, 6);
    ck_assert_str_eq(p[1].name, "depth");
    ck_assert_int_eq(p[1].parent, 0);
    ck_assert_uint_eq(p[1].when[0].choice, 1);
    ck_assert_str_eq(p[2].name, "drop");
    ck_assert_int_eq(p[2].parent, 1);
    ck_assert_uint_eq(p[2].n_when, 2);
    ck_assert_int_eq(p[2].when[1].whole, 4);
    ck_assert(p[2].min == 0 && p[2].max == 0.5);
    ck_assert(p[3].scale == SCALE_LOG && p[3].min == 1e-4 && p[3].max == 0.1);
    ck_assert(p[3].fallback.active && p[3].fallback.real == 0.01);
    ck_assert_str_eq(p[4].words[1], "16"); /* 16.0, as a program wants it */
    ck_assert_uint_eq(param_count(&p[5]), 1);
    ck_assert_double_eq(p[5].numbers[0], 0);
    study_clear(&s);
}
END_TEST

/* The study ends with the N-th failed trial; ours says "more than". */
START_TEST(failed_trials_are_counted_as_vertex_does)
{
    static const struct {
        const char *line;
        int64_t max_failed;
    } rows[] = {{"", -1},
                {"maxFailedTrialCount: 0\n", -1},
                {"maxFailedTrialCount: 1\n", 0},
                {"maxFailedTrialCount: 5\n", 4}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(TOP, rows[i].line);
        struct study s;

        read_good(file, &s);
        ck_assert_int_eq(s.max_failed, rows[i].max_failed);
        ck_assert_int_eq(s.trials, 1);
        ck_assert_int_eq(s.parallel, 1);
        study_clear(&s);
        free(file);
    }
}
END_TEST

#define CHILD(values, spec)                                                    \
    "{parentCategoricalValues: {values: [" values "]}, parameterSpec: " spec "}"

/* Vertex lists a child under each value of its parent. */
START_TEST(a_child_under_several_values_is_one_parameter)
{
    static const char with[] =
        METRICS "  parameters:\n"
                "  - {parameterId: m, categoricalValueSpec: {values: [p, q, "
                "r]}, conditionalParameterSpecs: [%s, %s]}\n" JOB;
    static const char same[] =
        CHILD("p", "{parameterId: y, doubleValueSpec: {maxValue: 1}}");
    static const char again[] =
        CHILD("r", "{parameterId: y, doubleValueSpec: {maxValue: 1}}");
    static const char other[] =
        CHILD("r", "{parameterId: y, doubleValueSpec: {maxValue: 2}}");
    char *file = mem_format(with, same, again), *told;
    struct study s;

    read_good(file, &s);
    ck_assert_uint_eq(s.space.n, 2);
    ck_assert_uint_eq(s.space.params[1].n_when, 2);
    study_clear(&s);
    free(file);
    file = mem_format(with, same, other);
    told = read_faults(file);
    ck_assert_ptr_nonnull(strstr(told, "y stands under m twice with different "
                                       "ranges; give one of them another "
                                       "name"));
    free(told);
    free(file);
    file = mem_format(with, same, same);
    told = read_faults(file);
    ck_assert_ptr_nonnull(strstr(told, "y stands under one value of m twice"));
    free(told);
    free(file);
}
END_TEST

SUITE("study/vertex", what_cannot_be_had_is_refused_with_its_place,
      proto3_json_is_read_as_its_clients_write_it,
      trials_are_stopped_by_the_median_of_others,
      parameters_nest_and_absent_numbers_are_zero,
      failed_trials_are_counted_as_vertex_does,
      a_child_under_several_values_is_one_parameter)
