/* What an engine is told of a replica. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "container/container_spec.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/suite.h"

static char *args[] = {"train", "--at=127.0.0.1:7001", NULL};
static char *environ_[] = {"CLUSTER=127.0.0.1:7001,127.0.0.1:70010",
                           "MASTER_ADDR=127.0.0.1", "CUDA_VISIBLE_DEVICES=4,7",
                           NULL};
static char *names[] = {"box-master-0", "box-worker-0"};
static const int ports[] = {7001, 70010};
static struct loop *loop;
static struct container_host *host;

/* A job of two, with that option if there is one; what its replica is told. */
static json_t *told(const struct job_replica *replica, size_t n,
                    const char *option, const char *value, struct err *e)
{
    char *outputs[] = {"/out/7", "/state/s/7/2/model", NULL};
    struct job_replica replicas[] = {*replica, *replica};
    struct job_option given = {option, value};
    struct job job = {.name = "s/7/2",
                      .folder = "/state/s/7/2",
                      .replicas = replicas,
                      .n_replicas = n,
                      .options = &given,
                      .n_options = option ? 1 : 0,
                      .outputs = outputs};
    struct container_options o;
    struct container_frame frame = {
        .job = &job, .options = &o, .names = names, .ports = ports};
    json_t *out;

    if (container_options_read(&o, &job, e))
        return NULL;
    out = container_spec_new(&frame, n - 1);
    container_options_clear(&o);
    return out;
}

static struct job_replica plain(void)
{
    return (struct job_replica){.name = "worker-0",
                                .folder = "/state/s/7/2",
                                .image = "digits:1",
                                .argv = args,
                                .environ_ = environ_};
}

static const char *text_at(const json_t *spec, const char *key, size_t i)
{
    const char *text =
        json_string_value(json_array_get(json_object_get(spec, key), i));

    return text ? text : "(none)";
}

static const json_t *host_of(const json_t *spec)
{
    return json_object_get(spec, "HostConfig");
}

START_TEST(a_command_takes_the_place_of_both_and_arguments_of_one)
{
    struct job_replica r = plain();
    struct err e;
    json_t *spec;

    for (r.n_entry = 0; r.n_entry < 3; r.n_entry++) {
        spec = told(&r, 1, NULL, NULL, &e);
        ck_assert_uint_eq(json_array_size(json_object_get(spec, "Entrypoint")),
                          r.n_entry);
        ck_assert_uint_eq(json_array_size(json_object_get(spec, "Cmd")),
                          2 - r.n_entry);
        ck_assert_int_eq(json_object_get(spec, "Entrypoint") != NULL,
                         r.n_entry > 0);
        json_decref(spec);
    }
    r.argv = args + 2;
    r.n_entry = 0;
    spec = told(&r, 1, NULL, NULL, &e);
    ck_assert_ptr_null(json_object_get(spec, "Entrypoint"));
    ck_assert_ptr_null(json_object_get(spec, "Cmd"));
    json_decref(spec);
}
END_TEST

START_TEST(the_trials_folder_and_its_outputs_are_mounted)
{
    struct job_replica r = plain();
    struct err e;
    json_t *spec = told(&r, 1, "volumes", "/usr:/usr:ro", &e);
    const json_t *host_part = host_of(spec);

    ck_assert_str_eq(text_at(host_part, "Binds", 0), "/state/s/7:/state/s/7:z");
    ck_assert_str_eq(text_at(host_part, "Binds", 1), "/out/7:/out/7:z");
    ck_assert_str_eq(text_at(host_part, "Binds", 2), "/usr:/usr:ro");
    ck_assert_uint_eq(json_array_size(json_object_get(host_part, "Binds")), 3);
    json_decref(spec);
}
END_TEST

START_TEST(limits_are_given_as_the_engine_counts_them)
{
    struct job_replica r = plain();
    struct err e;
    json_t *spec;

    r.cpus = 1.5;
    r.memory = 64 << 20;
    spec = told(&r, 1, NULL, NULL, &e);
    ck_assert_int_eq(
        json_integer_value(json_object_get(host_of(spec), "NanoCpus")),
        1500000000);
    ck_assert_int_eq(
        json_integer_value(json_object_get(host_of(spec), "Memory")), 64 << 20);
    ck_assert_int_eq(
        json_integer_value(json_object_get(host_of(spec), "MemorySwap")),
        64 << 20);
    ck_assert_int_eq(
        json_integer_value(json_object_get(host_of(spec), "ShmSize")),
        64 << 20);
    json_decref(spec);
    r.memory = 0;
    spec = told(&r, 1, "shm_size", "2G", &e);
    ck_assert_ptr_null(json_object_get(host_of(spec), "Memory"));
    ck_assert_int_eq(
        json_integer_value(json_object_get(host_of(spec), "ShmSize")),
        (json_int_t)2 << 30);
    json_decref(spec);
}
END_TEST

START_TEST(in_a_network_of_their_own_replicas_have_names)
{
    struct job_replica r = plain();
    struct err e;
    json_t *spec = told(&r, 2, NULL, NULL, &e);

    ck_assert_str_eq(text_at(spec, "Env", 0), environ_[0]);
    ck_assert_str_eq(text_at(spec, "Cmd", 1), args[1]);
    json_decref(spec);
    spec = told(&r, 2, "network", "mine", &e);
    ck_assert_str_eq(text_at(spec, "Env", 0),
                     "CLUSTER=box-master-0:7001,box-worker-0:70010");
    ck_assert_str_eq(text_at(spec, "Env", 1), "MASTER_ADDR=box-master-0");
    ck_assert_str_eq(text_at(spec, "Cmd", 1), "--at=box-master-0:7001");
    json_decref(spec);
    ck_assert_ptr_null(told(&r, 2, "network", "none", &e));
    ck_assert_int_eq(e.code, ERR_INVALID);
    spec = told(&r, 1, "network", "none", &e);
    ck_assert_ptr_nonnull(spec);
    json_decref(spec);
}
END_TEST

/* Docker is not asked: what is not known to be podman is it. */
static json_t *for_docker(json_t *spec, int gpus, const char *ids)
{
    struct container_host_parts parts = {0};
    struct err e = {0};
    char *text;
    json_t *out;

    ck_assert_int_eq(loop_open(&loop, &e), 0);
    parts.loop = loop;
    ck_assert_int_eq(container_host_open(&host, &parts, &e), 0);
    text = container_spec_print(spec, host, true, gpus, ids, &e);
    ck_assert_msg(text != NULL, "%s", e.text);
    out = json_loads(text, 0, NULL);
    free(text);
    container_host_close(host);
    loop_close(loop);
    json_decref(spec);
    return out;
}

START_TEST(gpus_are_asked_for_by_name_or_by_number)
{
    struct job_replica r = plain();
    struct err e;
    json_t *spec;
    const json_t *ask;

    r.gpus = 2;
    spec = for_docker(told(&r, 1, NULL, NULL, &e), 2, NULL);
    ask = json_array_get(json_object_get(host_of(spec), "DeviceRequests"), 0);
    ck_assert_int_eq(json_integer_value(json_object_get(ask, "Count")), 2);
    ck_assert_ptr_null(json_object_get(ask, "DeviceIDs"));
    json_decref(spec);

    r.gpu_ids = "4,7"; /* inside they are counted anew */
    spec = for_docker(told(&r, 1, NULL, NULL, &e), 2, r.gpu_ids);
    ask = json_array_get(json_object_get(host_of(spec), "DeviceRequests"), 0);
    ck_assert_str_eq(text_at(ask, "DeviceIDs", 1), "7");
    ck_assert_str_eq(text_at(spec, "Env", 2), "CUDA_VISIBLE_DEVICES=0,1");
    json_decref(spec);

    r.gpu_ids = "GPU-aa,GPU-bb";
    spec = for_docker(told(&r, 1, NULL, NULL, &e), 2, r.gpu_ids);
    ask = json_array_get(json_object_get(host_of(spec), "DeviceRequests"), 0);
    ck_assert_str_eq(text_at(ask, "DeviceIDs", 0), "GPU-aa");
    ck_assert_str_eq(text_at(spec, "Env", 2), environ_[2]);
    json_decref(spec);
}
END_TEST

START_TEST(what_is_no_address_of_an_engine_is_refused)
{
    static const char *const bad[] = {"ssh://me@there", "here",
                                      "npipe:////./pipe/docker"};
    struct container_host_parts parts = {0};
    struct err e;

    ck_assert_int_eq(loop_open(&loop, &e), 0);
    parts.loop = loop;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        parts.where = bad[i];
        ck_assert_int_eq(container_host_open(&host, &parts, &e), -1);
        ck_assert_int_eq(e.code, ERR_INVALID);
        ck_assert_ptr_nonnull(strstr(e.text, bad[i]));
    }
    parts.where = "tcp://127.0.0.1:9";
    ck_assert_int_eq(container_host_open(&host, &parts, &e), 0);
    ck_assert(container_host_is_remote(host));
    container_host_close(host);
    container_host_close(NULL);
    loop_close(loop);
}
END_TEST

SUITE("container/container_spec",
      a_command_takes_the_place_of_both_and_arguments_of_one,
      the_trials_folder_and_its_outputs_are_mounted,
      limits_are_given_as_the_engine_counts_them,
      in_a_network_of_their_own_replicas_have_names,
      gpus_are_asked_for_by_name_or_by_number,
      what_is_no_address_of_an_engine_is_refused)
