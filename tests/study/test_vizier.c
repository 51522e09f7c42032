/* A Study of Vizier: what is read of it, and what is refused. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/codec.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define X "parameters: [{parameterId: x, doubleValueSpec: {maxValue: 1}}]"
#define ONE "metrics: [{metricId: m}]"
#define TWO "metrics: [{metricId: m}, {metricId: n, goal: MINIMIZE}]"

/* The faults, "; " between them; "" if there are none, and *s is the study. */
static char *decode(const char *spec, struct study *s)
{
    char *text = mem_format("{displayName: a b, studySpec: {%s}}", spec);
    struct faults f;
    struct text all;

    faults_init(&f);
    text_init(&all);
    codec_decode_vizier(text, strlen(text), "a b.", s, &f);
    for (size_t i = 0; i < f.n; i++)
        text_addf(&all, "%s%s", i ? "; " : "", f.items[i].text);
    faults_clear(&f);
    free(text);
    return all.data ? text_take(&all) : mem_copy_text("");
}

static void must_decode(const char *spec, struct study *s)
{
    char *faults = decode(spec, s);

    ck_assert_str_eq(faults, "");
    free(faults);
    read_again(s);
}

START_TEST(a_study_of_vizier_runs_nothing_and_ends_of_itself_never)
{
    struct study s, again;
    char *json;

    must_decode(ONE ", " X, &s);
    ck_assert_str_eq(s.name, "a-b");
    ck_assert_str_eq(s.metric, "m");
    ck_assert(s.maximize); /* where no goal is said */
    ck_assert_ptr_null(s.job.tasks[ROLE_MASTER].argv);
    ck_assert_str_eq(s.job.launcher, "lease");
    ck_assert_int_ge(s.trials, 1000000);
    ck_assert_int_eq(s.parallel, 0);
    json = write_json(&s); /* what the store keeps */
    read_good(json, &again);
    ck_assert_int_eq(again.trials, s.trials);
    ck_assert_ptr_null(again.job.tasks[ROLE_MASTER].argv);
    free(json);
    study_clear(&again);
    study_clear(&s);
}
END_TEST

START_TEST(limits_of_the_study_are_taken)
{
    struct study s;

    must_decode(ONE ", " X ", studyStoppingConfig: {maxNumTrials: 7, "
                    "max_num_trials_no_progress: 3}, "
                    "medianAutomatedStoppingSpec: {useElapsedDuration: true}",
                &s);
    ck_assert_int_eq(s.trials, 7);
    ck_assert_int_eq(s.patience, 3);
    study_clear(&s);
}
END_TEST

START_TEST(several_metrics_are_several_objectives)
{
    struct study s;

    must_decode(TWO ", " X, &s);
    ck_assert_str_eq(s.metric, "m");
    ck_assert(s.maximize);
    ck_assert_uint_eq(s.n_others, 1);
    ck_assert_str_eq(s.others[0].name, "n");
    ck_assert(!s.others[0].maximize);
    study_clear(&s);
}
END_TEST

static const struct {
    const char *spec, *word;
} refused[] = {
    {TWO ", " X ", measurementSelectionType: BEST_MEASUREMENT",
     "several objectives"},
    {"metrics: [{metricId: m, safetyConfig: {}}], " X, "safety"},
    {ONE ", " X ", decayCurveStoppingSpec: {}", "decayCurveStoppingSpec"},
    {ONE ", " X ", convexAutomatedStoppingSpec: {}",
     "convexAutomatedStoppingSpec"},
    {ONE ", " X ", studyStoppingConfig: {maxDurationNoProgress: 5s}",
     "maxDurationNoProgress"},
    {ONE ", " X ", studyStoppingConfig: {shouldStopAsap: true}",
     "shouldStopAsap"},
    {ONE ", " X ", algorithm: GRID_SEARCH", "grid"},
    {ONE ", " X ", bogus: 1", "bogus"},
    {ONE, "parameters"},
    {X, "goal"},
};

START_TEST(what_cannot_be_used_is_refused_by_name)
{
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct study s;
        char *faults = decode(refused[i].spec, &s);

        ck_assert_msg(strstr(faults, refused[i].word), "%s: %s",
                      refused[i].spec, faults);
        free(faults);
    }
}
END_TEST

START_TEST(a_file_of_it_is_no_job)
{
    char *faults = read_faults("{displayName: a, studySpec: {" ONE ", " X "}}");

    ck_assert_msg(strstr(faults, "trialJobSpec"), "%s", faults);
    free(faults);
}
END_TEST

SUITE("study/vizier", a_study_of_vizier_runs_nothing_and_ends_of_itself_never,
      limits_of_the_study_are_taken, several_metrics_are_several_objectives,
      what_cannot_be_used_is_refused_by_name, a_file_of_it_is_no_job)
