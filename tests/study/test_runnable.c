/* Jobs of Google's interfaces become documents that the decoder reads. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/runnable.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "study/codec.h"
#include "study/command.h"
#include "study/environ.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

static const char map_text[] = "gcr.io/acme/digits:\n"
                               "  entrypoint: [./train, --fast]\n"
                               "  prefix: [nice]\n"
                               "  workdir: digits\n"
                               "  env: {THREADS: 1}\n"
                               "gcr.io/acme/py*: [/opt/venv/bin/env]\n"
                               "gcr.io/acme/bare: {workdir: /srv}\n";

static void read_map(struct image_map *map)
{
    struct err e;

    ck_assert_msg(!image_map_read(map, map_text, strlen(map_text), "images",
                                  "/etc/ht", &e),
                  "%s", e.text);
}

/* Makes the job runnable; the first fault, or "". */
static char *make(enum runnable_kind kind, const struct image_map *map,
                  const char *json, struct text *out)
{
    struct runnable with = {kind, "unique-2", map, "/var/gcs"};
    struct faults f;
    struct node *doc;
    char *said;

    faults_init(&f);
    ck_assert_int_eq(node_parse(json, strlen(json), &doc, &f), 0);
    text_reset(out);
    ck_assert_int_eq(runnable_write(&with, doc, out, &f), f.n ? -1 : 0);
    said = strdup(f.n ? f.items[0].text : "");
    node_free(doc);
    faults_clear(&f);
    return said;
}

static void made(enum runnable_kind kind, const struct image_map *map,
                 const char *json, struct text *out)
{
    char *said = make(kind, map, json, out);

    ck_assert_str_eq(said, "");
    free(said);
}

static void decode(const struct text *doc, bool alone, struct study *s)
{
    struct faults f;
    int rc;

    faults_init(&f);
    rc = (alone ? codec_decode_job : codec_decode)(doc->data, doc->len, "job",
                                                   s, &f);
    ck_assert_msg(rc == 0, "%s", f.n ? f.items[0].text : "?");
    faults_clear(&f);
    read_again(s);
}

#define CONTAINER(spec)                                                        \
    "{\"display_name\": \"Mine\", \"jobSpec\": {\"workerPoolSpecs\": "         \
    "[{\"replicaCount\": \"1\", \"containerSpec\": " spec "}]}}"

#define PACKAGE(spec)                                                          \
    "{\"jobSpec\": {\"workerPoolSpecs\": [{\"pythonPackageSpec\": " spec "}]}" \
    "}"

START_TEST(a_container_runs_what_the_map_says)
{
    struct image_map map;
    struct study s;
    struct text out;

    text_init(&out);
    read_map(&map);
    made(RUNNABLE_CUSTOM, &map,
         CONTAINER("{\"imageUri\": \"gcr.io/acme/digits\", \"args\": [\"--x\", "
                   "1], \"env\": [{\"name\": \"A\", \"value\": \"b\"}]}"),
         &out);
    decode(&out, true, &s);
    ck_assert_str_eq(s.name, "unique-2");
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 5);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[0], "nice");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[1], "./train");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[4], "1");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].workdir, "/etc/ht/digits");
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_env, 2);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].env[0].name, "THREADS");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].env[1].value, "b");
    study_clear(&s);
    made(RUNNABLE_CUSTOM, &map,
         CONTAINER("{\"image_uri\": \"gcr.io/acme/digits\", \"command\": "
                   "[\"sh\"]}"),
         &out);
    decode(&out, true, &s);
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 2);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[1], "sh");
    study_clear(&s);
    image_map_clear(&map);
    text_clear(&out);
}
END_TEST

START_TEST(a_python_package_runs_as_a_module)
{
    static const char job[] =
        "{\"jobSpec\": {\"workerPoolSpecs\": [{\"pythonPackageSpec\": "
        "{\"executorImageUri\": \"gcr.io/acme/py:3\", \"packageUris\": "
        "[\"gs://b/p.tar.gz\"], \"pythonModule\": \"trainer.task\", "
        "\"args\": [\"--e\"]}}]}}";
    struct image_map map;
    struct study s;
    struct text out;

    text_init(&out);
    read_map(&map);
    made(RUNNABLE_CUSTOM, &map, job, &out);
    decode(&out, true, &s);
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 5);
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[0], "/opt/venv/bin/env");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[3], "trainer.task");
    ck_assert_str_eq(s.job.tasks[ROLE_MASTER].argv[4], "--e");
    study_clear(&s);
    image_map_clear(&map);
    text_clear(&out);
}
END_TEST

START_TEST(what_cannot_run_is_refused_by_name)
{
    static const struct {
        bool map;
        const char *json, *says;
    } rows[] = {
        {false, PACKAGE("{\"executorImageUri\": \"gcr.io/acme/py:3\"}"),
         "--image-map FILE"},
        {true, PACKAGE("{\"executorImageUri\": \"gcr.io/acme/none\"}"),
         "gcr.io/acme/none is not in the service's image map"},
        {true, PACKAGE("{}"), "executorImageUri must be named"},
        {true, CONTAINER("{\"imageUri\": \"gcr.io/acme/bare\"}"),
         "must say its command"},
        {true, CONTAINER("{\"imageUri\": \"gcr.io/acme/digits\", \"arg\": []}"),
         "arg: containerSpec has no such field"},
        {true,
         CONTAINER("{\"imageUri\": \"gcr.io/acme/digits\", \"args\": \"x\"}"),
         "args must be a list of words"},
        {true,
         CONTAINER("{\"imageUri\": \"gcr.io/acme/digits\", \"env\": \"x\"}"),
         "env must be a list"},
        {true, CONTAINER("7"), "containerSpec must be a map"},
    };
    struct image_map map;
    struct text out;

    text_init(&out);
    read_map(&map);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *said = make(RUNNABLE_CUSTOM, rows[i].map ? &map : NULL,
                          rows[i].json, &out);

        ck_assert_msg(strstr(said, rows[i].says), "row %zu says: %s", i, said);
        free(said);
    }
    image_map_clear(&map);
    text_clear(&out);
}
END_TEST

START_TEST(a_container_that_the_map_does_not_know_stays_one)
{
    struct image_map map;
    struct study s;
    struct text out;

    text_init(&out);
    read_map(&map);
    for (int with_map = 0; with_map < 2; with_map++) {
        made(RUNNABLE_CUSTOM, with_map ? &map : NULL,
             CONTAINER("{\"image_uri\": \"gcr.io/acme/none\", \"command\": "
                       "[\"sh\", \"-c\"], \"args\": [\"x\"], \"env\": "
                       "[{\"name\": \"A_b\", \"value\": \"c\"}]}"),
             &out);
        decode(&out, true, &s);
        ck_assert_str_eq(s.job.launcher, "container");
        ck_assert_str_eq(s.job.tasks[ROLE_MASTER].image, "gcr.io/acme/none");
        ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 3);
        ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_entry, 2);
        ck_assert_str_eq(s.job.tasks[ROLE_MASTER].env[0].name, "A_b");
        study_clear(&s);
    }
    image_map_clear(&map);
    text_clear(&out);
}
END_TEST

#define TRAINING(members)                                                      \
    "{\"jobId\": \"j\", \"trainingInput\": {\"workerCount\": \"2\", "          \
    "\"evaluatorCount\": 1, " members "}}"

START_TEST(each_role_of_ai_platform_runs_what_the_map_says)
{
    struct image_map map;
    struct study s;
    struct text out;
    const struct study_task *t = s.job.tasks;

    text_init(&out);
    read_map(&map);
    made(RUNNABLE_PLATFORM, &map,
         TRAINING("\"masterConfig\": {\"imageUri\": \"gcr.io/acme/digits\", "
                  "\"acceleratorConfig\": {\"count\": \"2\", \"type\": "
                  "\"NVIDIA_TESLA_T4\"}}, \"workerConfig\": "
                  "{\"containerArgs\": [\"w\"]}, \"evaluatorConfig\": "
                  "{\"imageUri\": \"gcr.io/acme/bare\", "
                  "\"containerCommand\": [\"e\"]}, \"args\": [\"z\"]"),
         &out);
    decode(&out, true, &s);
    ck_assert_str_eq(s.job.launcher, "local");
    ck_assert_uint_eq(t[ROLE_MASTER].n_argv, 4); /* nice ./train --fast z */
    ck_assert_int_eq(t[ROLE_MASTER].gpus, 2);
    ck_assert_uint_eq(t[ROLE_WORKER].n_argv, 5);
    ck_assert_str_eq(t[ROLE_WORKER].argv[3], "w");
    ck_assert_int_eq(t[ROLE_WORKER].replicas, 2);
    ck_assert_str_eq(t[ROLE_WORKER].workdir, "/etc/ht/digits");
    ck_assert_uint_eq(t[ROLE_EVALUATOR].n_argv, 2);
    ck_assert_str_eq(t[ROLE_EVALUATOR].argv[0], "e");
    ck_assert_str_eq(t[ROLE_EVALUATOR].workdir, "/srv");
    study_clear(&s);
    made(RUNNABLE_PLATFORM, &map,
         TRAINING("\"masterConfig\": {\"imageUri\": \"none\"}"), &out);
    decode(&out, true, &s);
    ck_assert_str_eq(s.job.launcher, "container");
    ck_assert_str_eq(t[ROLE_WORKER].image, "none");
    study_clear(&s);
    image_map_clear(&map);
    text_clear(&out);
}
END_TEST

START_TEST(folders_of_a_bucket_are_folders_here)
{
    struct study s;
    struct text out;

    text_init(&out);
    made(RUNNABLE_CUSTOM, NULL,
         "{\"jobSpec\": {\"workerPoolSpecs\": [{\"processSpec\": {\"command\": "
         "[\"a\"]}}], \"baseOutputDirectory\": {\"outputUriPrefix\": "
         "\"gs://b/out\"}}}",
         &out);
    decode(&out, true, &s);
    ck_assert_str_eq(s.job.output_dir, "/var/gcs/b/out");
    study_clear(&s);
    made(RUNNABLE_PLATFORM, NULL,
         "{\"trainingInput\": {\"pythonModule\": \"m\", \"jobDir\": "
         "\"gs://b/../x/../../etc\"}}",
         &out);
    ck_assert_ptr_nonnull(strstr(out.data, "gs://b/../x"));
    made(RUNNABLE_PLATFORM, NULL,
         "{\"trainingInput\": {\"pythonModule\": \"m\", \"jobDir\": "
         "\"gs://b/..\"}}",
         &out);
    ck_assert_ptr_nonnull(strstr(out.data, "gs://b/.."));
    text_clear(&out);
}
END_TEST

START_TEST(a_job_that_tunes_nothing_is_kept_in_long_form)
{
    struct text out, once, twice;
    struct study s;

    text_init(&out);
    text_init(&once);
    text_init(&twice);
    made(RUNNABLE_PLATFORM, NULL,
         "{\"jobId\": \"theirs\", \"trainingInput\": {\"pythonModule\": "
         "\"trainer.task\", \"args\": [\"--n\", 3], \"region\": \"us\"}}",
         &out);
    decode(&out, true, &s);
    ck_assert_uint_eq(s.space.n, 0);
    ck_assert_int_eq(s.trials, 1);
    ck_assert_int_eq(s.max_failed, 0);
    ck_assert_uint_eq(s.job.tasks[ROLE_MASTER].n_argv, 5);
    codec_write_json(&s, &once);
    study_clear(&s);
    decode(&once, false, &s);
    ck_assert_int_eq(s.dialect, DIALECT_AI_PLATFORM);
    codec_write_json(&s, &twice);
    ck_assert_str_eq(once.data, twice.data);
    study_clear(&s);
    text_clear(&out);
    text_clear(&once);
    text_clear(&twice);
}
END_TEST

START_TEST(a_job_that_tunes_nothing_is_told_of_no_trial)
{
    static const char *const addresses[] = {"127.0.0.1:2222"};
    static const struct places place = {.trial = 1,
                                        .attempt = 1,
                                        .folder = "/s/trials/j/1/1",
                                        .base_dir = "/s",
                                        .addresses = addresses};
    struct words env, argv;
    struct point p;
    struct text out;
    struct study s;

    text_init(&out);
    words_init(&env);
    words_init(&argv);
    words_set_env(&env, "CLOUD_ML_TRIAL_ID", "9"); /* of our own service */
    made(RUNNABLE_PLATFORM, NULL,
         "{\"trainingInput\": {\"pythonModule\": \"m\", \"jobDir\": "
         "\"gs://b/out\"}}",
         &out);
    decode(&out, true, &s);
    point_init(&p, &s.space);
    environ_set(&s, &p, &place, &env);
    for (size_t i = 0; i < env.n; i++) {
        ck_assert_msg(strncmp(env.items[i], "CLOUD_ML_TRIAL_ID", 17) != 0, "%s",
                      env.items[i]);
        ck_assert_msg(strncmp(env.items[i], "CLOUD_ML_HP_", 12) != 0, "%s",
                      env.items[i]);
        ck_assert_msg(!strstr(env.items[i], "\"trial\""), "%s", env.items[i]);
    }
    command_argv(&s, &p, &place, &argv);
    ck_assert_uint_eq(argv.n, 5);
    ck_assert_str_eq(argv.items[3], "--job-dir");
    ck_assert_str_eq(argv.items[4], "/var/gcs/b/out");
    point_clear(&p);
    words_clear(&env);
    words_clear(&argv);
    study_clear(&s);
    text_clear(&out);
}
END_TEST

START_TEST(a_file_that_forgets_its_parameters_is_still_refused)
{
    static const char *const files[] = {
        "study: x\nmaximize: a\nrun: ./a\n",
        "study: x\nmaximize: a\nparams: {}\nrun: ./a\n",
        ("displayName: x\nmaxTrialCount: 1\ntrialJobSpec: {workerPoolSpecs: "
         "[{processSpec: {command: [a]}}]}\n"),
        "trainingInput: {pythonModule: m, region: us}\n",
    };

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct faults f;
        struct study s;

        faults_init(&f);
        ck_assert_int_eq(
            codec_decode(files[i], strlen(files[i]), "file", &s, &f), -1);
        ck_assert_uint_gt(f.n, 0);
        faults_clear(&f);
    }
}
END_TEST

START_TEST(names_of_people_become_names_of_studies)
{
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"digits", "digits"},
        {"My job / 7", "My-job---7"},
        {"7", "job-7"},
        {"", "job-"},
        {"\xc3\xa9t\xc3\xa9", "job---t--"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *name = runnable_name(rows[i].from);

        ck_assert_str_eq(name, rows[i].to);
        free(name);
    }
}
END_TEST

SUITE("study/runnable", a_container_runs_what_the_map_says,
      a_python_package_runs_as_a_module, what_cannot_run_is_refused_by_name,
      a_container_that_the_map_does_not_know_stays_one,
      each_role_of_ai_platform_runs_what_the_map_says,
      folders_of_a_bucket_are_folders_here,
      a_job_that_tunes_nothing_is_kept_in_long_form,
      a_job_that_tunes_nothing_is_told_of_no_trial,
      a_file_that_forgets_its_parameters_is_still_refused,
      names_of_people_become_names_of_studies)
