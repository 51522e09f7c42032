/* Jobs over HTTP, from their submission to their end: Vertex AI's, AI
 * Platform's, and what they wrote. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_jobs.h"

#include <check.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "io/fetch.h"
#include "service/daemon.h"
#include "tests/lib/suite.h"

enum { PATIENCE = 6000, PAUSE_MS = 10 };

#define PLACE "/v1/projects/p/locations/l"
#define CUSTOM PLACE "/customJobs"
#define TUNING PLACE "/hyperparameterTuningJobs"
#define JOBS "/v1/projects/p/jobs"

/* A service in a process of its own, and a client. */
static struct {
    char dir[64], socket[96];
    pid_t pid;
    struct fetch *client;
} service;

static void nap(void)
{
    nanosleep(&(struct timespec){0, PAUSE_MS * 1000000L}, NULL);
}

/* hypertune-shim lies in the build folder, two above this program. */
static char *shim(void)
{
    char self[PATH_MAX] = "";

    ck_assert_int_gt(readlink("/proc/self/exe", self, sizeof self - 1), 0);
    for (int i = 0; i < 2; i++)
        *strrchr(self, '/') = '\0';
    return mem_format("%s/hypertune-shim", self);
}

static void serve(void)
{
    char *argv[] = {strdup("hypertuned"),
                    strdup("--state"),
                    strdup(service.dir),
                    strdup("--shim"),
                    shim(),
                    strdup("--log-level"),
                    strdup("error")};
    struct config config;
    enum config_wish wish;
    struct err e;
    int rc = config_read(&config, sizeof argv / sizeof *argv, argv, &wish, &e);

    for (size_t i = 0; i < sizeof argv / sizeof *argv; i++)
        free(argv[i]);
    if (!rc) {
        rc = daemon_run(&config, &e);
        config_clear(&config);
    }
    if (rc)
        fprintf(stderr, "%s\n", e.text);
    exit(rc ? 4 : 0);
}

static void begin(void)
{
    struct fetch_answer a;
    char where[128];
    struct err e;
    int tries = 0;

    snprintf(service.dir, sizeof service.dir, "/tmp/ht-jobs.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(service.dir));
    snprintf(service.socket, sizeof service.socket, "%s/hypertuned.sock",
             service.dir);
    fflush(NULL);
    service.pid = fork();
    ck_assert_int_ge(service.pid, 0);
    if (service.pid == 0)
        serve();
    snprintf(where, sizeof where, "unix:%s", service.socket);
    ck_assert_int_eq(fetch_open(&service.client, where, NULL, &e), 0);
    fetch_answer_init(&a);
    while (fetch_do(service.client, "GET", "/healthz", NULL, 0, NULL, &a, &e)) {
        ck_assert_msg(++tries < PATIENCE, "%s", e.text);
        nap();
    }
    fetch_answer_clear(&a);
}

static void end(void)
{
    char *command[] = {(char[]){"rm"}, (char[]){"-rf"}, service.dir, NULL};
    int status = -1;
    pid_t pid;

    kill(service.pid, SIGTERM);
    ck_assert_int_eq(waitpid(service.pid, &status, 0), service.pid);
    ck_assert_int_eq(status, 0);
    fetch_close(service.client);
    pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(1);
    }
    waitpid(pid, NULL, 0);
}

/* The answer, which must have that status; to be json_decref'ed. */
static json_t *ask(int status, const char *method, const char *path,
                   const char *body)
{
    struct fetch_answer a;
    struct err e;
    json_t *got;

    fetch_answer_init(&a);
    ck_assert_msg(!fetch_do(service.client, method, path, body,
                            body ? strlen(body) : 0, "application/json", &a,
                            &e),
                  "%s %s: %s", method, path, e.text);
    ck_assert_msg(a.status == status, "%s %s: %d %s", method, path, a.status,
                  text_str(&a.body));
    got = json_loadb(text_str(&a.body), a.body.len, 0, NULL);
    ck_assert_msg(got != NULL, "%s %s: %s", method, path, text_str(&a.body));
    fetch_answer_clear(&a);
    return got;
}

static const char *text(const json_t *map, const char *key)
{
    const char *value = json_string_value(json_object_get(map, key));

    return value ? value : "";
}

/* The request is refused with that status, and that is said. */
static void refused(int status, const char *method, const char *path,
                    const char *body, const char *says)
{
    json_t *got = ask(status, method, path, body);
    const json_t *error = json_object_get(got, "error");

    ck_assert_int_eq(json_integer_value(json_object_get(error, "code")),
                     status);
    ck_assert_msg(strstr(text(error, "message"), says), "%s: %s", body,
                  text(error, "message"));
    json_decref(got);
}

/* A custom job that runs a line of shell. */
static char *custom(const char *name, const char *line)
{
    return mem_format("{\"displayName\": \"%s\", \"jobSpec\": "
                      "{\"workerPoolSpecs\": [{\"processSpec\": {\"command\": "
                      "[\"/bin/sh\", \"-c\", \"%s\"]}}]}}",
                      name, line);
}

/* An AI Platform job that does; more: further members of trainingInput. */
static char *platform(const char *id, const char *line, const char *more)
{
    return mem_format("{\"jobId\": \"%s\", \"trainingInput\": "
                      "{\"processSpec\": {\"command\": [\"/bin/sh\", \"-c\", "
                      "\"%s\"]}%s}}",
                      id, line, more);
}

/* Submits it. Its path, which is the caller's. */
static char *submit(const char *list, char *body_take)
{
    json_t *got = ask(200, "POST", list, body_take);
    const char *id = text(got, "jobId");
    char *path = *id ? mem_format("%s/%s", list, id)
                     : mem_format("/v1/%s", text(got, "name"));

    free(body_take);
    json_decref(got);
    return path;
}

/* Waits for its end. The job, to be json_decref'ed. */
static json_t *wait_for(const char *path)
{
    for (int tries = 0; tries < PATIENCE; tries++) {
        json_t *got = ask(200, "GET", path, NULL);

        if (*text(got, "endTime"))
            return got;
        json_decref(got);
        nap();
    }
    ck_abort_msg("%s does not end", path);
}

static void ends(const char *path, const char *state)
{
    json_t *got = wait_for(path);

    ck_assert_str_eq(text(got, "state"), state);
    json_decref(got);
}

/* How the command line sees the job, whose id is its study's, and its only
 * trial. */
static void reads(const char *path, const char *study, const char *trial)
{
    char *id = mem_format("/api/studies/id:%s", strrchr(path, '/') + 1);
    char *first = mem_format("%s/trials/1", id);
    json_t *got;

    while (!json_integer_value(
        json_object_get(got = ask(200, "GET", id, NULL), "ended"))) {
        json_decref(got);
        nap();
    }
    ck_assert_str_eq(text(got, "state"), study);
    json_decref(got);
    got = ask(200, "GET", first, NULL);
    ck_assert_str_eq(text(got, "state"), trial);
    ck_assert(json_is_null(json_object_get(got, "value")));
    json_decref(got);
    free(first);
    free(id);
}

START_TEST(a_custom_job_has_the_end_of_its_process)
{
    char *good, *bad;
    json_t *got;

    begin();
    good = submit(CUSTOM, custom("same", "true"));
    bad = submit(CUSTOM, custom("same", "echo why >&2; exit 3"));
    ck_assert_str_ne(good, bad);
    ends(good, "JOB_STATE_SUCCEEDED");
    reads(good, "SUCCEEDED", "SUCCEEDED");
    ends(bad, "JOB_STATE_FAILED");
    reads(bad, "FAILED", "FAILED");
    got = wait_for(bad);
    ck_assert_str_eq(text(got, "state"), "JOB_STATE_FAILED");
    ck_assert_str_eq(text(json_object_get(got, "error"), "message"),
                     "The replica workerpool0-0 exited with a non-zero status "
                     "of 3. why");
    json_decref(got);
    refused(404, "GET", TUNING "/1", NULL, "there is nothing");
    refused(404, "GET", "/v1/projects/q/locations/l/customJobs/1", NULL,
            "there is nothing");
    free(good);
    free(bad);
    end();
}
END_TEST

START_TEST(a_job_is_cancelled_and_deleted)
{
    char *path, *cancel;
    json_t *got;

    begin();
    path = submit(CUSTOM, custom("slow", "exec sleep 600"));
    cancel = mem_format("%s:cancel", path);
    refused(400, "DELETE", path, NULL, "cancel it first");
    refused(400, "POST", cancel, "{\"now\": true}", "now");
    json_decref(ask(200, "POST", cancel, "{}"));
    ends(path, "JOB_STATE_CANCELLED");
    json_decref(ask(200, "POST", cancel, "{}"));
    got = ask(200, "DELETE", path, NULL);
    ck_assert(json_is_true(json_object_get(got, "done")));
    free(cancel);
    cancel = mem_format("/ui/%s", text(got, "name"));
    json_decref(got);
    json_decref(ask(200, "GET", cancel, NULL));
    refused(404, "GET", path, NULL, "there is nothing");
    free(path);
    free(cancel);
    end();
}
END_TEST

#define STUDY                                                                  \
    "\"studySpec\": {\"metrics\": [{\"metricId\": \"m\"}], \"parameters\": "   \
    "[{\"parameterId\": \"x\", \"doubleValueSpec\": {\"maxValue\": 1}}]}"
#define SPEC                                                                   \
    "{\"workerPoolSpecs\": [{\"processSpec\": {\"command\": [\"a\"]}}]}"
#define COUNTS "\"maxTrialCount\": 1, \"parallelTrialCount\": 1"

START_TEST(what_is_wrong_is_refused_by_name)
{
    static const struct {
        const char *path, *body, *says;
    } rows[] = {
        {TUNING, "", "displayName"},
        {TUNING, "{", "no JSON"},
        {TUNING, "[]", "an object is wanted"},
        {TUNING, "{\"displayName\": 7}", "displayName"},
        {TUNING, "{\"displayName\": \"\"}", "displayName"},
        {TUNING, "{\"displayName\": \"x\"}", "studySpec"},
        {TUNING, "{\"displayName\": \"x\", \"colour\": 1}", "colour"},
        {TUNING, "{\"displayName\": \"x\", " STUDY "}", "trialJobSpec"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": " SPEC "}",
         "maxTrialCount"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": " SPEC
         ", \"maxTrialCount\": 0, \"parallelTrialCount\": 1}",
         "maxTrialCount"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": " SPEC
         ", \"maxTrialCount\": 99999999999, \"parallelTrialCount\": 1}",
         "maxTrialCount"},
        {TUNING,
         "{\"displayName\": \"x\", \"studySpec\": 3, \"trialJobSpec\": " SPEC
         ", " COUNTS "}",
         "studySpec"},
        {TUNING,
         "{\"displayName\": \"x\", \"studySpec\": {\"metric\": []}, "
         "\"trialJobSpec\": " SPEC ", " COUNTS "}",
         "metric"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": "
         "{\"workerPoolSpecs\": [{\"pythonPackageSpec\": "
         "{\"executorImageUri\": \"i\", \"pythonModule\": \"m\"}}]}, " COUNTS
         "}",
         "--image-map FILE"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": "
         "{\"workerPoolSpecs\": [{\"containerSpec\": {\"args\": [\"a\"]}}]}, "
         "" COUNTS "}",
         "imageUri is missing"},
        {TUNING,
         "{\"displayName\": \"x\", " STUDY ", \"trialJobSpec\": "
         "{\"workerPoolSpecs\": [{\"containerSpec\": {\"imageUri\": \"i\"}}, "
         "{\"replicaCount\": 1, \"processSpec\": {\"command\": [\"a\"]}}]}, "
         "" COUNTS "}",
         "all containers or all programs"},
        {CUSTOM, "{\"displayName\": \"x\"}", "jobSpec"},
        {CUSTOM, "{\"displayName\": \"x\", \"jobSpec\": {}}",
         "workerPoolSpecs"},
        {CUSTOM,
         "{\"displayName\": \"x\", \"jobSpec\": " SPEC
         ", \"labels\": {\"A\": \"b\"}}",
         "labels"},
        {CUSTOM,
         "{\"displayName\": \"x\", \"jobSpec\": " SPEC
         ", \"labels\": {\"a\": 1}}",
         "labels"},
        {JOBS, "{\"trainingInput\": {}}", "job.job_id"},
        {JOBS, "{\"jobId\": \"9\"}", "job.job_id"},
        {JOBS, "{\"jobId\": \"a-b\"}", "job.job_id"},
        {JOBS, "{\"jobId\": \"a\"}", "training_input"},
        {JOBS, "{\"jobId\": \"a\", \"trainingInput\": {}}", "nothing to run"},
        {JOBS,
         "{\"jobId\": \"a\", \"trainingInput\": {\"pythonModule\": \"m\", "
         "\"bogus\": 1}}",
         "bogus"},
        {JOBS,
         "{\"jobId\": \"a\", \"trainingInput\": {\"pythonModule\": \"m\", "
         "\"hyperparameters\": {}}}",
         "no parameters"},
        {JOBS, "{\"jobId\": \"a\", \"predictionInput\": {\"x\": 1}}",
         "trainingInput"},
    };
    json_t *got;

    begin();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(400, "POST", rows[i].path, rows[i].body, rows[i].says);
    got = ask(200, "GET", "/api/studies", NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(got, "studies")), 0);
    json_decref(got);
    end();
}
END_TEST

/* Whether an engine of containers is there is found out when the first trial
 * starts; the study is kept whatever comes of it. */
START_TEST(containers_are_taken_without_an_image_map)
{
    static const struct {
        const char *path, *body;
    } rows[] = {
        {CUSTOM, "{\"displayName\": \"alone\", \"jobSpec\": "
                 "{\"workerPoolSpecs\": [{\"containerSpec\": {\"imageUri\": "
                 "\"localhost/none\"}}, {\"replicaCount\": \"2\", "
                 "\"containerSpec\": {\"imageUri\": \"localhost/none\"}}]}}"},
        {JOBS, "{\"jobId\": \"alone\", \"trainingInput\": {\"masterConfig\": "
               "{\"imageUri\": \"localhost/none\"}, \"workerCount\": 2}}"},
    };

    begin();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *path = submit(rows[i].path, strdup(rows[i].body));
        char *study = mem_format("/api/studies/id:%zu", i + 1);
        json_t *got = ask(200, "GET", study, NULL);

        ck_assert(json_is_true(json_object_get(got, "launches")));
        json_decref(got);
        got = ask(200, "GET", path, NULL);
        ck_assert_str_ne(text(got, "state"), "SUCCEEDED");
        json_decref(got);
        free(study);
        free(path);
    }
    end();
}
END_TEST

START_TEST(a_list_is_filtered_masked_and_in_pages)
{
    char *path = mem_format("%s", CUSTOM "?pageSize=2&readMask=display_name");
    size_t seen = 0;

    begin();
    for (int i = 0; i < 5; i++)
        free(submit(CUSTOM, custom(i % 2 ? "odd" : "even", "true")));
    while (*path) {
        json_t *got = ask(200, "GET", path, NULL);
        const json_t *jobs = json_object_get(got, "customJobs");
        const char *token = text(got, "nextPageToken");

        seen += json_array_size(jobs);
        ck_assert_uint_eq(json_object_size(json_array_get(jobs, 0)), 1);
        free(path);
        path = *token ? mem_format(CUSTOM "?pageSize=2&readMask=display_name&"
                                          "pageToken=%s",
                                   token)
                      : mem_format("%s", "");
        if (*token) {
            char *other = mem_format(TUNING "?pageToken=%s", token);

            refused(400, "GET", other, NULL, "no token");
            free(other);
        }
        json_decref(got);
    }
    ck_assert_uint_eq(seen, 5);
    {
        json_t *got =
            ask(200, "GET", CUSTOM "?filter=display_name%3Dodd", NULL);

        ck_assert_uint_eq(json_array_size(json_object_get(got, "customJobs")),
                          2);
        json_decref(got);
    }
    refused(400, "GET", CUSTOM "?filter=odd", NULL, "filter");
    refused(400, "GET", CUSTOM "?pageSize=-1", NULL, "page_size");
    free(path);
    end();
}
END_TEST

START_TEST(an_ai_platform_job_keeps_its_id_for_ever)
{
    char *path, *body;
    json_t *got;

    begin();
    path = submit(JOBS, platform("mine_1", "test -z $CLOUD_ML_TRIAL_ID", ""));
    ends(path, "SUCCEEDED");
    body = platform("mine_1", "true", "");
    refused(409, "POST", JOBS, body, "never used again");
    got = ask(200, "POST", "/v1/projects/other/jobs", body);
    json_decref(got);
    free(body);
    refused(404, "GET", JOBS "/none", NULL, "no job");
    got = ask(200, "GET", JOBS "?filter=jobId:mine*%20AND%20state:SUCCEEDED",
              NULL);
    ck_assert_uint_eq(json_array_size(json_object_get(got, "jobs")), 1);
    json_decref(got);
    got = ask(200, "GET", JOBS "?filter=state:FAILED", NULL);
    ck_assert_uint_eq(json_object_size(got), 0);
    json_decref(got);
    json_decref(ask(200, "POST", JOBS "/mine_1:cancel", "{}"));
    ends(path, "SUCCEEDED");
    free(path);
    end();
}
END_TEST

START_TEST(labels_of_an_ai_platform_job_are_changed_by_etag)
{
    char *path, *body;
    json_t *got;

    begin();
    path = submit(JOBS, platform("mine", "true", ""));
    got = ask(200, "GET", path, NULL);
    body = mem_format("{\"labels\": {\"a\": \"b\"}, \"etag\": \"%s\"}",
                      text(got, "etag"));
    json_decref(got);
    got = ask(200, "PATCH", JOBS "/mine?updateMask=labels,etag", body);
    ck_assert_str_eq(text(json_object_get(got, "labels"), "a"), "b");
    json_decref(got);
    refused(409, "PATCH", JOBS "/mine?updateMask=labels", body, "meanwhile");
    refused(400, "PATCH", JOBS "/mine?updateMask=state", "{}", "only labels");
    refused(400, "PATCH", JOBS "/mine", "{}", "updateMask");
    got = ask(200, "GET", path, NULL);
    ck_assert_str_eq(text(json_object_get(got, "labels"), "a"), "b");
    json_decref(got);
    free(body);
    free(path);
    end();
}
END_TEST

#define TUNED                                                                  \
    ", \"hyperparameters\": {\"goal\": \"MINIMIZE\", "                         \
    "\"hyperparameterMetricTag\": \"m\", \"maxTrials\": 3, \"algorithm\": "    \
    "\"GRID_SEARCH\", \"params\": [{\"parameterName\": \"k\", \"type\": "      \
    "\"INTEGER\", \"minValue\": 1.0, \"maxValue\": 3.0}]}"

/* A trainer that reports its k as the Python package does. */
static char *trainer(void)
{
    static const char lines[] =
        "printf '{\"checkpoint_path\": \"\", \"global_step\": \"1\", "
        "\"m\": \"%s\", \"timestamp\": 1.5, \"trial\": \"1\"}\\n' "
        "\"${1#--k=}\" >\"$CLOUD_ML_HP_METRIC_FILE\"\n";
    char *path = mem_format("%s/train.sh", service.dir);
    FILE *f = fopen(path, "we");

    ck_assert_ptr_nonnull(f);
    fputs(lines, f);
    fclose(f);
    return path;
}

START_TEST(an_ai_platform_tuning_job_ends_with_the_best_first)
{
    char *path, *program;
    json_t *got;
    const json_t *output, *trials;

    begin();
    program = trainer();
    path =
        submit(JOBS, mem_format("{\"jobId\": \"tuned\", \"trainingInput\": "
                                "{\"processSpec\": {\"command\": [\"/bin/sh\", "
                                "\"%s\"]}" TUNED "}}",
                                program));
    free(program);
    got = wait_for(path);
    output = json_object_get(got, "trainingOutput");
    trials = json_object_get(output, "trials");
    ck_assert_str_eq(text(got, "state"), "SUCCEEDED");
    ck_assert_str_eq(text(output, "completedTrialCount"), "3");
    ck_assert_uint_eq(json_array_size(trials), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *trial = json_array_get(trials, i);

        ck_assert_double_eq(
            json_number_value(json_object_get(
                json_object_get(trial, "finalMetric"), "objectiveValue")),
            (double)(i + 1));
    }
    json_decref(got);
    free(path);
    end();
}
END_TEST

/* ---- logs ---- */

#define WHOSE "resource.labels.job_id=\\\"talk\\\""

static json_t *entries(const char *filter, int size, const char *token)
{
    char *body = mem_format("{\"resourceNames\": [\"projects/p\"], \"filter\": "
                            "\"%s\", \"orderBy\": \"timestamp asc\", "
                            "\"pageSize\": %d, \"pageToken\": \"%s\"}",
                            filter, size, token);
    json_t *got = ask(200, "POST", "/v2/entries:list", body);

    free(body);
    return got;
}

START_TEST(a_log_is_read_in_pages_without_gap)
{
    char *path, *token = strdup("");
    int next = 0;

    begin();
    path = submit(JOBS, platform("talk",
                                 "i=0; while [ $i -lt 30 ]; do echo line $i; "
                                 "i=$((i+1)); done",
                                 ""));
    ends(path, "SUCCEEDED");
    do {
        json_t *got = entries(WHOSE, 7, token);
        json_t *list = json_object_get(got, "entries");

        for (size_t i = 0; i < json_array_size(list); i++) {
            char *line = mem_format("line %d", next++);

            ck_assert_str_eq(text(json_array_get(list, i), "textPayload"),
                             line);
            free(line);
        }
        free(token);
        token = strdup(text(got, "nextPageToken"));
        json_decref(got);
    } while (*token);
    ck_assert_int_eq(next, 30);
    free(token);
    free(path);
    end();
}
END_TEST

START_TEST(a_log_goes_on_from_a_time_and_an_entry)
{
    char *path, *filter;
    json_t *got;
    const json_t *entry;

    begin();
    path = submit(JOBS, platform("talk", "echo a; echo b; echo c", ""));
    ends(path, "SUCCEEDED");
    got = entries(WHOSE, 1, "");
    entry = json_array_get(json_object_get(got, "entries"), 0);
    filter = mem_format(
        WHOSE " AND timestamp<\\\"2200-01-01\\\" AND ((timestamp=\\\"%s\\\" "
              "AND insertId>\\\"%s\\\") OR timestamp>\\\"%s\\\")",
        text(entry, "timestamp"), text(entry, "insertId"),
        text(entry, "timestamp"));
    json_decref(got);
    got = entries(filter, 1000, "");
    ck_assert_uint_eq(json_array_size(json_object_get(got, "entries")), 2);
    ck_assert_str_eq(
        text(json_array_get(json_object_get(got, "entries"), 0), "textPayload"),
        "b");
    json_decref(got);
    free(filter);
    free(path);
    end();
}
END_TEST

START_TEST(lines_say_their_severity)
{
    char *path;
    json_t *got;
    const json_t *list;

    begin();
    path = submit(JOBS, platform("talk",
                                 "echo '{\\\"severity\\\": \\\"WARNING\\\", "
                                 "\\\"message\\\": \\\"hm\\\"}'; echo bad >&2",
                                 ""));
    ends(path, "SUCCEEDED");
    got = entries(WHOSE " AND severity=WARNING", 10, "");
    list = json_object_get(got, "entries");
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(
        text(json_object_get(json_array_get(list, 0), "jsonPayload"),
             "message"),
        "hm");
    json_decref(got);
    got = entries(WHOSE " AND severity=ERROR", 10, "");
    list = json_object_get(got, "entries");
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(text(json_array_get(list, 0), "textPayload"), "bad");
    json_decref(got);
    got = entries("resource.labels.job_id=none", 10, "");
    ck_assert_uint_eq(json_object_size(got), 0);
    json_decref(got);
    free(path);
    end();
}
END_TEST

/* The master waits until the worker has printed: its end is theirs. */
START_TEST(a_log_has_the_lines_of_every_replica)
{
    static const char body[] =
        "{\"displayName\": \"talk\", \"jobSpec\": {\"workerPoolSpecs\": ["
        "{\"processSpec\": {\"command\": [\"/bin/sh\", \"-c\", \"echo first; "
        "until [ -s \\\"${HYPERTUNE_STOP_FILE%/stop}/worker-0/stdout.log\\\" "
        "]; "
        "do sleep 0.1; done\"]}},"
        "{\"replicaCount\": 1, \"processSpec\": {\"command\": [\"/bin/sh\", "
        "\"-c\", \"echo second; sleep 1000\"]}}]}}";
    static const char *const rows[][2] = {{"workerpool0-0", "first"},
                                          {"workerpool1-0", "second"}};
    char *path, *filter;
    json_t *got;

    begin();
    path = submit(CUSTOM, strdup(body));
    ends(path, "JOB_STATE_SUCCEEDED");
    for (size_t i = 0; i < 2; i++) {
        const json_t *entry;

        filter = mem_format("resource.labels.job_id=\\\"%s\\\" AND "
                            "resource.labels.task_name=\\\"%s\\\"",
                            strrchr(path, '/') + 1, rows[i][0]);
        got = entries(filter, 10, "");
        ck_assert_uint_eq(json_array_size(json_object_get(got, "entries")), 1);
        entry = json_array_get(json_object_get(got, "entries"), 0);
        ck_assert_str_eq(text(entry, "textPayload"), rows[i][1]);
        json_decref(got);
        free(filter);
    }
    free(path);
    end();
}
END_TEST

START_TEST(a_log_says_last_why_its_job_failed)
{
    const json_t *list, *last;
    char *path, *filter, *token;
    json_t *got;

    begin();
    path = submit(CUSTOM, custom("talk", "echo no such data >&2; exit 3"));
    ends(path, "JOB_STATE_FAILED");
    filter = mem_format("resource.labels.job_id=%s", strrchr(path, '/') + 1);
    got = entries(filter, 1, "");
    list = json_object_get(got, "entries");
    ck_assert_uint_eq(json_array_size(list), 1);
    ck_assert_str_eq(text(json_array_get(list, 0), "textPayload"),
                     "no such data");
    token = strdup(text(got, "nextPageToken"));
    json_decref(got);
    got = entries(filter, 1, token);
    list = json_object_get(got, "entries");
    ck_assert_uint_eq(json_array_size(list), 1);
    last = json_array_get(list, 0);
    ck_assert_str_eq(text(last, "textPayload"),
                     "The replica workerpool0-0 exited with a non-zero status "
                     "of 3. no such data");
    ck_assert_str_eq(text(last, "severity"), "ERROR");
    last = json_object_get(json_object_get(last, "resource"), "labels");
    ck_assert_str_eq(text(last, "task_name"), "service");
    free(token);
    token = strdup(text(got, "nextPageToken"));
    json_decref(got);
    got = entries(filter, 1, token);
    ck_assert_uint_eq(json_object_size(got), 0);
    json_decref(got);
    free(token);
    free(path);
    free(filter);
    end();
}
END_TEST

START_TEST(numbers_reach_a_trial_as_they_were_written)
{
    char *path;
    json_t *got;

    begin();
    path = submit(JOBS, platform("talk", "echo $1 $2",
                                 ", \"args\": [\"-\"], \"hyperparameters\": "
                                 "{\"goal\": \"MINIMIZE\", \"params\": [{"
                                 "\"parameterName\": \"x\", \"type\": "
                                 "\"DOUBLE\", \"minValue\": 0.1, "
                                 "\"maxValue\": 0.1}]}"));
    json_decref(wait_for(path));
    got = entries(WHOSE, 10, "");
    ck_assert_str_eq(
        text(json_array_get(json_object_get(got, "entries"), 0), "textPayload"),
        "--x=0.1");
    json_decref(got);
    free(path);
    end();
}
END_TEST

START_TEST(a_wrong_question_about_a_log_is_refused)
{
    static const struct {
        const char *body, *says;
    } rows[] = {
        {"{}", "resourceNames"},
        {"{\"resourceNames\": [\"p\"]}", "resourceNames"},
        {"{\"resourceNames\": [\"projects/p\"]}", "must name a job"},
        {"{\"resourceNames\": [\"projects/p\"], \"filter\": \"colour=red\"}",
         "colour"},
        {"{\"resourceNames\": [\"projects/p\"], \"filter\": "
         "\"timestamp>now\"}",
         "is no time"},
        {"{\"resourceNames\": [\"projects/p\"], \"orderBy\": \"severity\"}",
         "orderBy"},
        {"{\"resourceNames\": [\"projects/p\"], \"pageSize\": -1}", "pageSize"},
        {"{\"resourceNames\": [\"projects/p\"], \"pageToken\": \"x\"}",
         "pageToken"},
    };

    begin();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        refused(400, "POST", "/v2/entries:list", rows[i].body, rows[i].says);
    end();
}
END_TEST

SUITE_WITHIN(300, "service/google_jobs",
             a_custom_job_has_the_end_of_its_process,
             a_job_is_cancelled_and_deleted, what_is_wrong_is_refused_by_name,
             containers_are_taken_without_an_image_map,
             a_list_is_filtered_masked_and_in_pages,
             an_ai_platform_job_keeps_its_id_for_ever,
             labels_of_an_ai_platform_job_are_changed_by_etag,
             an_ai_platform_tuning_job_ends_with_the_best_first,
             a_log_is_read_in_pages_without_gap,
             a_log_goes_on_from_a_time_and_an_entry, lines_say_their_severity,
             a_log_has_the_lines_of_every_replica,
             a_log_says_last_why_its_job_failed,
             numbers_reach_a_trial_as_they_were_written,
             a_wrong_question_about_a_log_is_refused)
