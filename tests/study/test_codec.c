/* Whatever is accepted, in any dialect, is written and read again unchanged;
 * whatever is hostile is refused at once. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/codec.h"

#include <check.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

/* decode(write(decode(x))) = decode(x), for both languages. What is written is
 * compared, since it holds all that there is. */
static void keeps_the_law(const char *name, const char *bytes)
{
    struct study s, from_json, from_yaml;
    char *json, *yaml, *again;

    read_good(bytes, &s);
    json = write_json(&s);
    yaml = write_yaml(&s);
    read_good(json, &from_json);
    again = write_json(&from_json);
    ck_assert_msg(strcmp(json, again) == 0, "%s:\n%s\n%s", name, json, again);
    free(again);
    again = write_yaml(&from_json);
    ck_assert_msg(strcmp(yaml, again) == 0, "%s:\n%s\n%s", name, yaml, again);
    free(again);
    read_good(yaml, &from_yaml);
    again = write_json(&from_yaml);
    ck_assert_msg(strcmp(json, again) == 0, "%s:\n%s\n%s", name, yaml, again);
    free(again);
    ck_assert_ptr_null(strstr(json, " \n"));
    ck_assert_ptr_null(strstr(yaml, " \n"));
    free(yaml);
    free(json);
    study_clear(&from_yaml);
    study_clear(&from_json);
    study_clear(&s);
}

static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);

    return n > m && strcmp(name + n - m, end) == 0;
}

/* Tries every study file of a folder of the sources; returns how many. */
static int keep_the_law_in(const char *folder)
{
    const char *root = getenv("HYPERTUNE_SOURCE");
    char *path = mem_format("%s/%s", root ? root : ".", folder);
    DIR *dir = opendir(path);
    struct dirent *entry;
    int n = 0;

    ck_assert_msg(dir != NULL, "%s cannot be opened", path);
    while ((entry = readdir(dir))) {
        char *file, *bytes;

        if (!ends_in(entry->d_name, ".yaml") &&
            !ends_in(entry->d_name, ".json"))
            continue;
        file = mem_format("%s/%s", folder, entry->d_name);
        bytes = read_source(file);
        keeps_the_law(file, bytes);
        free(bytes);
        free(file);
        n++;
    }
    (void)closedir(dir);
    free(path);
    return n;
}

START_TEST(what_was_written_reads_back_as_the_same_study)
{
    ck_assert_int_ge(keep_the_law_in("tests/study/files"), 5);
    ck_assert_int_ge(keep_the_law_in("examples/digits"), 3);
    ck_assert_int_ge(keep_the_law_in("examples/shell"), 1);
    ck_assert_int_ge(keep_the_law_in("examples/replicas"), 3);
}
END_TEST

START_TEST(the_three_dialects_say_the_same_of_the_digits)
{
    static const char *const files[] = {"examples/digits/study.yaml",
                                        "examples/digits/vertex.yaml",
                                        "examples/digits/ai-platform.yaml"};
    static const enum study_dialect dialects[] = {DIALECT_SHORT, DIALECT_VERTEX,
                                                  DIALECT_AI_PLATFORM};

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char *bytes = read_source(files[i]);
        struct study s;

        read_good(bytes, &s);
        ck_assert_int_eq(s.dialect, dialects[i]);
        ck_assert_str_eq(s.metric, "accuracy");
        ck_assert_int_eq(s.trials, 40);
        ck_assert_uint_eq(s.space.n, 6);
        ck_assert(s.space.params[0].min == 0.001 &&
                  s.space.params[0].scale == SCALE_LOG);
        ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[0], "./train");
        ck_assert_uint_eq(s.space.params[2].n_values, 4);
        study_clear(&s);
        free(bytes);
    }
}
END_TEST

START_TEST(the_dialect_is_seen_by_the_top_keys)
{
    static const struct {
        const char *file, *part;
    } rows[] = {
        {"trainingInput: {}\n", "1:16: trainingInput has no hyperparameters"},
        {"training_input: {}\n", "1:17: trainingInput has no hyper"},
        {"jobId: x\n", "1:1: no parameters to tune"},
        {"studySpec: {}\n", "1:1: no goal"},
        {"displayName: x\n", "1:1: no goal"},
        {"workerPoolSpecs: []\n", "1:1: this is the file of a single custom"},
        {"{\"job_spec\": {}}", "1:1: this is the file of a single custom"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *told = read_faults(rows[i].file);

        ck_assert_msg(strstr(told, rows[i].part) != NULL, "%s\n%s",
                      rows[i].file, told);
        free(told);
    }
}
END_TEST

START_TEST(a_name_that_is_open_is_made_of_the_files)
{
    static const struct {
        const char *file, *name;
    } rows[] = {{"digits.yaml", "digits"}, {"my study.v2.json", "my-study-v2"},
                {"7up.yaml", "study-7up"}, {"last.yaml", "study-last"},
                {".yaml", "study--yaml"},  {"", "study"}};
    static const char text[] = "maximize: a\nparams: {x: 0 .. 1}\n";

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct faults f;
        struct study s;

        faults_init(&f);
        ck_assert_int_eq(codec_decode(text, strlen(text), rows[i].file, &s, &f),
                         0);
        ck_assert_str_eq(s.name, rows[i].name);
        study_clear(&s);
    }
}
END_TEST

START_TEST(only_a_job_of_theirs_may_tune_nothing)
{
    static const struct {
        const char *text;
        int rc;
    } rows[] = {
        {"study: a\n", -1},
        {"study: a\ndialect: vertex\nrun: ./t\n", 0},
        {"trialJobSpec: {workerPoolSpecs: [{processSpec: {command: [t]}}]}", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct faults f;
        struct study s;

        faults_init(&f);
        ck_assert_int_eq(
            codec_decode_job(rows[i].text, strlen(rows[i].text), "job", &s, &f),
            rows[i].rc);
        ck_assert_uint_eq(f.n, rows[i].rc ? 1 : 0);
        if (!rows[i].rc) {
            read_again(&s);
            study_clear(&s);
        }
        faults_clear(&f);
    }
}
END_TEST

START_TEST(documents_that_are_none_are_refused)
{
    static const struct {
        const char *file, *fault;
    } rows[] = {
        {"", "1:1: the document is empty\n"},
        {"study: \xff\xfe\n", "1:8: this is not UTF-8 text\n"},
        {"maximize: a\nmaximize: b\nparams: {x: 0 .. 1}\n",
         "2:1: the key \"maximize\" stands here twice (first on line 1)\n"},
        {"maximize: a\nparams: {x: 0 .. 1, x: 0 .. 2}\n",
         "2:21: the key \"x\" stands here twice (first on line 2)\n"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *told = read_faults(rows[i].file);

        ck_assert_str_eq(told, rows[i].fault);
        free(told);
    }
}
END_TEST

/* A few bytes each that stand for very much. */
START_TEST(a_file_cannot_stand_for_more_than_is_kept)
{
    struct text file;
    char *told;

    text_init(&file);
    text_add(&file, "maximize: a\nparams:\n");
    for (int i = 0; i < 1000; i++)
        text_addf(&file, "  p%d: 0 .. 1 default 0\n", i);
    text_add(&file, "start: [");
    for (int i = 0; i < 100000; i++)
        text_add(&file, "{},");
    text_add(&file, "]\n");
    told = read_faults(text_str(&file));
    ck_assert_ptr_nonnull(
        strstr(told, "start: the points have more than 100000 values\n"));
    ck_assert_uint_lt(strlen(told), 200);
    free(told);
    text_reset(&file);
    text_add(&file, "maximize: a\nparams:\n");
    for (int i = 0; i < 1001; i++)
        text_addf(&file, "  p%d: 0 .. 1\n", i);
    told = read_faults(text_str(&file));
    ck_assert_str_eq(told, "1003:3: there are more than 1000 parameters\n");
    free(told);
    text_clear(&file);
}
END_TEST

/* Control characters become six bytes each in the long form. */
START_TEST(what_grows_too_large_when_written_is_refused)
{
    size_t n = 1000000;
    char *filler = mem_new(n + 1, 1), *file, *told;

    for (size_t i = 0; i < n; i++)
        filler[i] = i % 2 ? 'a' : '\\';
    file = mem_format("maximize: a\nparams: {x: 0 .. 1}\nenv: {A: \"%s%s\"}\n",
                      filler, filler);
    told = read_faults(file);
    ck_assert_str_eq(told, "1:1: the study is too large: written in its long "
                           "form it has more than 200000 values or 4194304 "
                           "bytes\n");
    free(told);
    free(file);
    free(filler);
}
END_TEST

SUITE_WITHIN(240, "study/codec", what_was_written_reads_back_as_the_same_study,
             the_three_dialects_say_the_same_of_the_digits,
             the_dialect_is_seen_by_the_top_keys,
             a_name_that_is_open_is_made_of_the_files,
             only_a_job_of_theirs_may_tune_nothing,
             documents_that_are_none_are_refused,
             a_file_cannot_stand_for_more_than_is_kept,
             what_grows_too_large_when_written_is_refused)
