/* Replicas and images of our own dialect. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define GOOD "maximize: a\nparams: {x: 0 .. 1}\n"
#define RUN GOOD "run: ./t a\n"

static void check_lines(const char *lines, const char *const *tasks)
{
    char *file = mem_format(GOOD "%s", lines);

    check_roles(file, tasks);
    free(file);
}

START_TEST(a_role_is_as_the_master_but_for_what_it_says)
{
    static const struct {
        const char *lines;
        const char *tasks[STUDY_ROLES];
    } rows[] = {
        {"run: ./t a", {"1 - [./t][a] - 0 0 0"}},
        {"run: ./t a\nreplicas: {}", {"1 - [./t][a] - 0 0 0"}},
        {"run: ./t a\nreplicas: {worker: 0}", {"1 - [./t][a] - 0 0 0"}},
        {"run: ./t a\nenv: {A: 1, B: 2}\ncpus: 2\ngpus: 1\nmemory: 1k\n"
         "workdir: w\nreplicas: {evaluator: 1, worker: 2}",
         {"1 - [./t][a] A=1 B=2 w 2 1 1024", "2 - [./t][a] A=1 B=2 w 2 1 1024",
          NULL, "1 - [./t][a] A=1 B=2 w 2 1 1024"}},
        {"run: ./t a\nenv: {A: 1, B: 2}\ncpus: 2\ngpus: 1\nmemory: 1k\n"
         "replicas:\n"
         "  worker: {count: 3, cpus: 4, env: {B: 3, C: 4}}\n"
         "  ps: {run: [./ps, '{args}'], gpus: 0, memory: 0, cpus: 0, workdir: "
         "p}\n",
         {"1 - [./t][a] A=1 B=2 - 2 1 1024",
          "3 - [./t][a] A=1 B=3 C=4 - 4 1 1024",
          "1 - [./ps][{args}] A=1 B=2 p 0 0 0"}},
        {"run: ./t a\nenv: {A: 1}\ngpus: 1\nworkdir: w\n"
         "replicas: {ps: {inherit: no, run: ./ps}}",
         {"1 - [./t][a] A=1 w 0 1 0", NULL, "1 - [./ps] - 0 0 0"}},
        {"run: ./t {args}\nreplicas: {worker: {run: './w {args}'}}",
         {"1 - [./t][{args}] - 0 0 0", "1 - [./w][{args}] - 0 0 0"}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_lines(rows[i].lines, rows[i].tasks);
}
END_TEST

START_TEST(of_an_image_run_is_its_arguments)
{
    static const struct {
        const char *lines;
        const char *tasks[STUDY_ROLES];
    } rows[] = {
        {"image: reg.io/a/b:1", {"1 reg.io/a/b:1  - 0 0 0"}},
        {"image: i\nrun: --x 1", {"1 i [--x][1] - 0 0 0"}},
        {"image: i\nrun: []", {"1 i  - 0 0 0"}},
        {"run: --x 1\nentrypoint: python -u\nimage: i\nworkdir: /app",
         {"1 i <python><-u>[--x][1] /app 0 0 0"}},
        {"image: i\nentrypoint: [sh, -c, 't {args} {x}']",
         {"1 i <sh><-c><t {args} {x}> - 0 0 0"}},
        {"image: i\nentrypoint: [e]\nrun: a {args}\n"
         "replicas: {worker: 2, ps: {run: b}, evaluator: {entrypoint: f g}}",
         {"1 i <e>[a][{args}] - 0 0 0", "2 i <e>[a][{args}] - 0 0 0",
          "1 i <e>[b] - 0 0 0", "1 i <f><g>[a][{args}] - 0 0 0"}},
        {"image: i\nentrypoint: [e]\nreplicas: {ps: {image: j, inherit: no}, "
         "worker: {image: k}}",
         {"1 i <e> - 0 0 0", "1 k <e> - 0 0 0", "1 j  - 0 0 0"}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_lines(rows[i].lines, rows[i].tasks);
}
END_TEST

START_TEST(several_replicas_have_a_chief)
{
    static const struct {
        const char *file;
        bool chief;
    } rows[] = {
        {RUN, false},
        {RUN "chief: true\n", true},
        {RUN "replicas: {worker: 1}\n", true},
        {RUN "replicas: {worker: 1}\nchief: false\n", false},
        {RUN "replicas: {worker: 1}\ndialect: ai-platform\n", false},
        {RUN "replicas: {worker: 1}\ndialect: ai-platform\nchief: yes\n", true},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct study s;

        read_good(rows[i].file, &s);
        ck_assert_msg(s.job.chief == rows[i].chief, "%s", rows[i].file);
        study_clear(&s);
    }
}
END_TEST

START_TEST(ranks_count_the_roles_in_order)
{
    static const struct {
        enum study_role role;
        int index;
    } ranks[] = {{ROLE_MASTER, 0}, {ROLE_WORKER, 0}, {ROLE_WORKER, 1},
                 {ROLE_PS, 0},     {ROLE_PS, 1},     {ROLE_EVALUATOR, 0}};
    struct study s;

    read_good(RUN "replicas: {evaluator: 1, ps: 2, worker: 2}\n", &s);
    ck_assert_int_eq(study_replicas(&s), 6);
    for (int i = 0; i < 6; i++) {
        enum study_role role;
        int index;

        study_replica(&s, i, &role, &index);
        ck_assert_int_eq(role, ranks[i].role);
        ck_assert_int_eq(index, ranks[i].index);
    }
    study_clear(&s);
}
END_TEST

static const struct {
    const char *lines, *faults;
} bad[] = {
    {"run: ./t\nreplicas: 2\n",
     "4:11: replicas must be a map of keys and values\n"},
    {"run: ./t\nreplicas: {workers: 2}\n",
     "4:12: there is no key \"workers\" in replicas; did you mean worker?\n"},
    {"run: ./t\nreplicas: {master: 1}\n",
     "4:20: master: the master is one, and is what the file itself says: run, "
     "image, cpus and so on; take the key away\n"},
    {"run: ./t\nreplicas: {worker: -1}\n",
     "4:20: worker is -1, and must be from 0 to 1000\n"},
    {"run: ./t\nreplicas: {worker: some}\n",
     "4:20: worker must be an integer, not \"some\"\n"},
    {"run: ./t\nreplicas: {worker: {counts: 1}}\n",
     "4:21: there is no key \"counts\" in worker; did you mean count?\n"},
    {"run: ./t\nreplicas: {worker: {count: 1, run: ''}}\n",
     "4:36: run: there is no program to run\n"},
    {"run: ./t\nreplicas: {worker: 600, ps: 600}\n",
     "4:11: a trial has 1201 replicas, and may have 1000\n"},
    {"run: ./t\nreplicas: {worker: {inherit: no}}\n",
     "4:20: worker: there is nothing to run; write run or image for this "
     "role\n"},
    {"replicas: {worker: 2}\n",
     "3:20: worker: there is nothing to run; write run or image for the whole "
     "study\n"},
    {"run: ./t\nreplicas: {worker: {run: '{args} {args}'}}\n",
     "4:26: run: {args} may stand there once\n"},
    {"run: ./t\nreplicas: {worker: {image: i}}\n",
     "4:11: a trial is all containers or all programs of this machine, but the "
     "master is a program and the worker is a container\n"},
    {"image: i\nreplicas: {ps: {run: ./p, inherit: no}}\n",
     "4:11: a trial is all containers or all programs of this machine, but the "
     "master is a container and the ps is a program\n"},
    {"run: ./t\nentrypoint: ./e\n",
     "4:13: entrypoint: only an image has one; write run\n"},
    {"image: i\nentrypoint: ''\n",
     "4:13: entrypoint: there is no program to run\n"},
    {"image: i\nentrypoint: [e, '{args}']\n",
     "4:13: entrypoint: the word {args} belongs among the arguments, not into "
     "the entrypoint\n"},
    {"image: i\nentrypoint: [sh, -c, 'a {args}']\nrun: '{args}'\n",
     "5:6: run: {args} may stand there once\n"},
    {"image: a b\n", "3:8: image: \"a b\" is no name of an image; write one "
                     "such as registry/name:tag\n"},
    {"image: ''\n", "3:8: image: \"\" is no name of an image; write one such "
                    "as registry/name:tag\n"},
    {"image: i\nworkdir: sub\n",
     "4:10: workdir: workdir is \"sub\"; of an image it is a folder inside "
     "it, such as /app\n"},
    {"run: ./t\nchief: maybe\n",
     "4:8: chief must be true, false, yes, no, on or off, not \"maybe\"\n"},
};

START_TEST(a_fault_of_a_role_names_its_place)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *file = mem_format(GOOD "%s", bad[i].lines);
        char *said = read_faults(file);

        ck_assert_msg(strcmp(said, bad[i].faults) == 0, "%s\ngives\n%s", file,
                      said);
        free(said);
        free(file);
    }
}
END_TEST

START_TEST(people_see_a_role_that_is_as_the_master_as_a_number)
{
    struct study s;
    char *yaml;

    read_good(RUN "env: {A: 1}\nreplicas: {worker: {count: 2}, ps: {gpus: 1}}",
              &s);
    yaml = write_yaml(&s);
    ck_assert_ptr_nonnull(
        strstr(yaml, "\nreplicas: {worker: 2, ps: {count: 1, inherit: false, "
                     "run: [\"./t\", a], env: {A: \"1\"}, gpus: 1}}\n"
                     "launcher: local\n"));
    free(yaml);
    study_clear(&s);
}
END_TEST

SUITE("study/roles", a_role_is_as_the_master_but_for_what_it_says,
      of_an_image_run_is_its_arguments, several_replicas_have_a_chief,
      ranks_count_the_roles_in_order, a_fault_of_a_role_names_its_place,
      people_see_a_role_that_is_as_the_master_as_a_number)
