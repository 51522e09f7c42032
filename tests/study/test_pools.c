/* Vertex's worker pools. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define POOLS                                                                  \
    "studySpec: {metrics: [{metricId: a}], parameters: [{parameterId: x, "     \
    "doubleValueSpec: {maxValue: 1}}]}\n"                                      \
    "trialJobSpec:\n"                                                          \
    "  workerPoolSpecs:\n"                                                     \
    "%s"

#define MASTER "  - containerSpec: {imageUri: i}\n"

START_TEST(pools_are_master_workers_servers_and_evaluators)
{
    static const struct {
        const char *lines;
        const char *tasks[STUDY_ROLES];
    } rows[] = {
        {MASTER, {"1 i  - 0 0 0"}},
        {"  - replicaCount: '1'\n"
         "    machineSpec: {machineType: n1, acceleratorType: NVIDIA_L4, "
         "acceleratorCount: 2}\n"
         "    containerSpec:\n"
         "      imageUri: gcr.io/p/i:1\n"
         "      command: [sh, -c]\n"
         "      args: [a, 'b c']\n"
         "      env: [{name: A, value: '1'}, {name: A, value: '2'}]\n",
         {"1 gcr.io/p/i:1 <sh><-c>[a][b c] A=2 - 0 2 0"}},
        {MASTER "  - {}\n  - {replica_count: 1, container_spec: {image_uri: r, "
                "args: [x]}}\n  - {}\n",
         {"1 i  - 0 0 0", NULL, "1 r [x] - 0 0 0"}},
        {MASTER "  - null\n  - {replicaCount: 0}\n"
                "  - {replicaCount: 1, containerSpec: {imageUri: e}, "
                "machineSpec: {acceleratorType: 6, acceleratorCount: 8}}\n",
         {"1 i  - 0 0 0", NULL, NULL, "1 e  - 0 0 0"}},
        {"  - {replicaCount: 1, processSpec: {command: [m], env: [{name: A, "
         "value: 1}], workdir: w}}\n"
         "  - {replicaCount: 3, processSpec: {command: [w, '{args}']}}\n"
         "  - {replicaCount: 2, processSpec: {command: [p, '{args}', z]}}\n"
         "  - {replicaCount: 1, processSpec: {command: [e]}}\n",
         {"1 - [m] A=1 w 0 0 0", "3 - [w][{args}] - 0 0 0",
          "2 - [p][{args}][z] - 0 0 0", "1 - [e] - 0 0 0"}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(POOLS, rows[i].lines);

        check_roles(file, rows[i].tasks);
        free(file);
    }
}
END_TEST

static const struct {
    const char *lines, *faults;
} bad[] = {
    {MASTER "  - {containerSpec: {imageUri: i}}\n",
     "5:5: the worker pool has no replicaCount; write how many replicas it "
     "has\n"},
    {"  - {replicaCount: 2, containerSpec: {imageUri: i}}\n",
     "4:20: replicaCount of the first worker pool must be 1; write the others "
     "into the second pool\n"},
    {MASTER "  - {replicaCount: -1, containerSpec: {imageUri: i}}\n",
     "5:20: replicaCount is -1, and must be from 0 to 1000\n"},
    {MASTER "  - {replicaCount: 1, processSpec: {command: [t]}}\n",
     "3:3: a trial is all containers or all programs of this machine, but the "
     "master is a container and the worker is a program\n"},
    {MASTER "  - {}\n  - {}\n  - {}\n  - {}\n",
     "8:5: there are at most 4 worker pools: the master, workers, parameter "
     "servers and evaluators\n"},
    {"  - {}\n", "4:5: the worker pool says nothing to run; write "
                 "containerSpec, or processSpec: {command: [...]}\n"},
    {MASTER "  - {replicaCount: 1}\n",
     "5:5: the worker pool says nothing to run; write containerSpec, or "
     "processSpec: {command: [...]}\n"},
    {"  - {pythonPackageSpec: {pythonModule: x}}\n",
     "4:25: Python packages are not supported by this version; write "
     "containerSpec, or processSpec: {command: [...], args: [...]} in their "
     "place\n"},
    {"  - {containerSpec: {}}\n", "4:21: containerSpec: imageUri is missing\n"},
    {"  - {containerSpec: {imageUri: ''}}\n",
     "4:32: imageUri: \"\" is no name of an image; write one such as "
     "registry/name:tag\n"},
    {"  - {containerSpec: {imageUri: i, arg: []}}\n",
     "4:35: there is no key \"arg\" in containerSpec; did you mean args?\n"},
    {"  - {containerSpec: {imageUri: i, command: ['{args}']}}\n",
     "4:44: command: the word {args} belongs among the arguments, not into "
     "the entrypoint\n"},
    {"  - {containerSpec: {imageUri: i, command: ['']}}\n",
     "4:44: command: there is no program to run\n"},
    {"  - {containerSpec: {imageUri: i}, machineSpec: {gpus: 1}}\n",
     "4:50: there is no key \"gpus\" in machineSpec\n"},
};

START_TEST(a_fault_of_a_pool_names_its_place)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *file = mem_format(POOLS, bad[i].lines);
        char *said = read_faults(file);

        ck_assert_msg(strcmp(said, bad[i].faults) == 0, "%s\ngives\n%s", file,
                      said);
        free(said);
        free(file);
    }
}
END_TEST

SUITE("study/pools", pools_are_master_workers_servers_and_evaluators,
      a_fault_of_a_pool_names_its_place)
