/* What a trainer is told of its place: trial, task, stop file, checkpoints. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <fcntl.h>

#include "hypertune-c/include/hypertune.h"
#include "tests/hypertune-c/folder.h"
#include "tests/lib/suite.h"

START_TEST(the_trial_and_its_checkpoints_come_from_the_environment)
{
    static const struct {
        const char *name, *value, *trial, *folder;
    } rows[] = {
        {"HYPERTUNE_TRIAL", "12", "12", ""},
        {"CLOUD_ML_TRIAL_ID", "3", "3", ""},
        {"HYPERTUNE_CHECKPOINT_DIR", "/a/b/", "", "/a/b/"},
        {"AIP_CHECKPOINT_DIR", "/c", "", "/c/"},
        {"AIP_CHECKPOINT_DIR", "gs://bucket/c/", "", "/gcs/bucket/c/"},
        {"HOME", "/", "", ""},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hypertune *h;

        forget_trial();
        setenv(rows[i].name, rows[i].value, 1);
        ck_assert_int_eq(hypertune_open(&h), 0);
        ck_assert_str_eq(hypertune_trial_id(h), rows[i].trial);
        ck_assert_str_eq(hypertune_checkpoint_dir(h), rows[i].folder);
        hypertune_close(h);
    }
}
END_TEST

START_TEST(the_task_comes_from_cluster_spec_however_odd_it_is)
{
    static const struct {
        const char *spec, *type;
        int index;
    } rows[] = {
        {"", "master", 0},
        {"{\"cluster\":{\"worker\":[\"a:1\",\"b:2\"]},\"task\":{\"type\":"
         "\"worker\",\"index\":1,\"trial\":\"3\"},\"job\":{}}",
         "worker", 1},
        {" { \"job\" : \"{\\\"task\\\":{\\\"type\\\":\\\"ps\\\"}}\" , "
         "\"environment\":\"cloud\", \"n\": [1, {\"task\": 2}, -3.5e2, null], "
         "\"task\" : { \"index\" : 2 , \"type\" : \"workerpool1\" } }",
         "workerpool1", 2},
        {"{\"task\":{\"type\":\"evaluator\"}}", "evaluator", 0},
        {"{\"task\":{\"type\":7,\"index\":-1}}", "master", 0},
        {"{\"task\":\"worker\"}", "master", 0},
        {"{\"a\" 1,\"task\":{\"type\":\"ps\"}}", "master", 0},
        {"{\"task\":{\"type\":\"wor", "master", 0},
        {"{\"a\":\"\\", "master", 0},
        {"{\"a\"", "master", 0},
        {"{", "master", 0},
        {"[[[[", "master", 0},
        {"{\"a\":", "master", 0},
        {"{\"a\":[[[[[[[[", "master", 0},
        {"not json", "master", 0},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        hypertune *h;

        forget_trial();
        setenv("CLUSTER_SPEC", rows[i].spec, 1);
        ck_assert_int_eq(hypertune_open(&h), 0);
        ck_assert_msg(strcmp(hypertune_task_type(h), rows[i].type) == 0,
                      "%s: %s", rows[i].spec, hypertune_task_type(h));
        ck_assert_int_eq(hypertune_task_index(h), rows[i].index);
        hypertune_close(h);
    }
}
END_TEST

START_TEST(a_trial_should_stop_once_its_stop_file_is_there)
{
    struct folder f;
    char stop[320];
    hypertune *h;

    folder_make(&f);
    snprintf(stop, sizeof stop, "%s/stop", f.path);
    setenv("HYPERTUNE_STOP_FILE", stop, 1);
    ck_assert_int_eq(hypertune_open(&h), 0);
    ck_assert_int_eq(hypertune_should_stop(h), 0);
    close(open(stop, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    ck_assert_int_eq(hypertune_should_stop(h), 1);
    hypertune_close(h);
    unlink(stop);
    folder_drop(&f);
}
END_TEST

START_TEST(without_a_handle_every_answer_is_the_quiet_one)
{
    ck_assert_str_eq(hypertune_trial_id(NULL), "");
    ck_assert_str_eq(hypertune_task_type(NULL), "master");
    ck_assert_int_eq(hypertune_task_index(NULL), 0);
    ck_assert_str_eq(hypertune_checkpoint_dir(NULL), "");
}
END_TEST

SUITE("hypertune-c/place",
      the_trial_and_its_checkpoints_come_from_the_environment,
      the_task_comes_from_cluster_spec_however_odd_it_is,
      a_trial_should_stop_once_its_stop_file_is_there,
      without_a_handle_every_answer_is_the_quiet_one)
