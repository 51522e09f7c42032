/* A study's launcher, and its options. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/launching.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define GOOD "maximize: a\nparams: {x: 0 .. 1}\n"

/* The launcher and its options as "slurm name=value|name=value". */
static char *told(const struct study_job *j)
{
    struct text out;

    text_init(&out);
    text_add(&out, j->launcher);
    for (size_t i = 0; i < j->n_options; i++)
        text_addf(&out, "%s%s=%s", i ? "|" : " ", j->options[i].name,
                  j->options[i].value);
    return text_take(&out);
}

static const struct {
    const char *lines, *says;
} good[] = {
    {"", "lease"},
    {"launcher: local", "lease"},
    {"run: ./t", "local"},
    {"run: ./t\nlauncher: local\nlocal: {}", "local"},
    {"image: i", "container"},
    {"image: i\nlauncher: container", "container"},
    {"run: ./t\nlauncher: slurm", "slurm"},
    {"run: ./t\nlauncher: SLURM\nslurm: {partition: gpu, time: 90m}",
     "slurm partition=gpu|time=1:30:00"},
    {"run: ./t\nlauncher: slurm\nslurm: {account: a, qos: q, gres: 'gpu:a:2', "
     "constraint: 'a&b|c', nodelist: 'n[1-3]', exclude: n2, reservation: r}",
     "slurm account=a|qos=q|gres=gpu:a:2|constraint=a&b|c|nodelist=n[1-3]|"
     "exclude=n2|reservation=r"},
    {"run: ./t\nlauncher: slurm\nslurm:\n  modules: [cuda/12, gcc]\n"
     "  setup: |\n    set -e\n    . venv/bin/activate\n"
     "  options: [--exclusive, --mail-type=END]",
     "slurm modules=cuda/12|modules=gcc|setup=set -e\n. venv/bin/activate\n|"
     "options=--exclusive|options=--mail-type=END"},
    {"run: ./t\nlauncher: slurm\nslurm: {shared: true}", "slurm"},
    {"run: ./t\nlauncher: slurm\nslurm: {shared: no, courier: /opt/ht}",
     "slurm shared=false|courier=/opt/ht"},
    {"run: ./t\nlauncher: slurm\nslurm: {modules: gcc, setup: [a b, c], "
     "options: -N1}",
     "slurm modules=gcc|setup=a b|setup=c|options=-N1"},
    {"image: i\ncontainer: {network: host, user: '1000:1000', volumes: "
     "['/a/b:/c', 'vol_1.x:/d:ro'], shm_size: 1G, pull: MISSING, runtime: "
     "nvidia}",
     "container network=host|user=1000:1000|volumes=/a/b:/c|"
     "volumes=vol_1.x:/d:ro|shm_size=1073741824|pull=missing|runtime=nvidia"},
};

START_TEST(the_launcher_is_what_is_said_or_what_fits)
{
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        char *file = mem_format(GOOD "%s\n", good[i].lines), *said;
        struct study s;

        read_good(file, &s);
        said = told(&s.job);
        ck_assert_msg(strcmp(said, good[i].says) == 0, "%s\nis %s", file, said);
        free(said);
        free(file);
        study_clear(&s);
    }
}
END_TEST

static const struct {
    const char *text, *made;
} times[] = {
    {"2:00:00", "2:00:00"},
    {"30:00", "30:00"},
    {"1-12", "1-12"},
    {"1-12:30", "1-12:30"},
    {"7-00:00:01", "7-00:00:01"},
    {"90s", "0:01:30"},
    {"2h", "2:00:00"},
    {"1.5d", "36:00:00"},
    {"500ms", "0:00:01"},
    {"unlimited", "unlimited"},
    {"90", NULL},
    {"1.5", NULL},
    {"1:2:3:4", NULL},
    {"1-", NULL},
    {"1-1-1", NULL},
    {"soon", NULL},
    {"-5", NULL},
    {":30", NULL},
    {"30:", NULL},
    {"", NULL},
    {"0s", NULL},
};

START_TEST(a_time_of_slurm_says_its_unit)
{
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char *file = mem_format(GOOD "run: ./t\nlauncher: slurm\n"
                                     "slurm: {time: '%s'}\n",
                                times[i].text);
        struct study s;
        char *said;

        if (times[i].made) {
            read_good(file, &s);
            ck_assert_uint_eq(s.job.n_options, 1);
            ck_assert_str_eq(s.job.options[0].value, times[i].made);
            study_clear(&s);
        } else {
            said = read_faults(file);
            ck_assert_msg(strncmp(said, "5:15: time", 10) == 0, "%s%s", file,
                          said);
            free(said);
        }
        free(file);
    }
}
END_TEST

#define SLURM "run: ./t\nlauncher: slurm\nslurm: "
#define CONTAINER "image: i\ncontainer: "

static const struct {
    const char *lines, *faults;
} bad[] = {
    {"run: ./t\nlauncher: kubernetes\n",
     "4:11: launcher: Kubernetes is not supported; take local, container or "
     "slurm\n"},
    {"run: ./t\nkubernetes: {}\n",
     "4:13: kubernetes: Kubernetes is not supported; take launcher local, "
     "container or slurm\n"},
    {"run: ./t\nlauncher: pbs\n",
     "4:11: launcher must be local, container or slurm, not \"pbs\"\n"},
    {"run: ./t\nlauncher: [slurm]\n",
     "4:11: launcher must be one value, not a list\n"},
    {"launcher: slurm\n",
     "3:11: launcher: there is nothing to run; write run\n"},
    {"run: ./t\nlauncher: container\n",
     "4:11: launcher: container starts images, and there is none; write image, "
     "or take local or slurm\n"},
    {"image: i\nlauncher: local\n",
     "4:11: launcher: local starts programs of this machine, and there is an "
     "image; write container, or take image away\n"},
    {"image: i\nlauncher: slurm\n",
     "4:11: launcher: containers on Slurm are not supported; take image away "
     "and run apptainer in `run`\n"},
    {"run: ./t\nslurm: {partition: p}\n",
     "4:8: slurm: these are options of a launcher that this study does not "
     "use; write launcher: slurm, or take them away\n"},
    {SLURM "{partitoin: p}\n",
     "5:9: there is no key \"partitoin\" in slurm; did you mean partition?\n"},
    {SLURM "{partition: 'a b'}\n",
     "5:20: partition: \"a b\" must be one word, without blanks\n"},
    {SLURM "{partition: [a, b]}\n",
     "5:20: partition must be one value, not a list\n"},
    {SLURM "{partition: ''}\n", "5:20: partition is empty\n"},
    {SLURM "{options: exclusive}\n",
     "5:18: options: \"exclusive\" must be an option of sbatch, such as "
     "--exclusive or --mail-type=END\n"},
    {SLURM "{options: [--job-name=x, -ofile, --output o]}\n",
     "5:19: options: --job-name=x is what Hypertune says itself; take it "
     "away\n"
     "5:33: options: -ofile is what Hypertune says itself; take it away\n"
     "5:41: options: --output o is what Hypertune says itself; take it "
     "away\n"},
    {SLURM "{options: \"--a\\nb\"}\n",
     "5:18: options: an option must be on one line\n"},
    {SLURM "{setup: \"a\\eb\"}\n",
     "5:16: setup: it holds a control character\n"},
    {SLURM "{modules: [a/1.0+x_y-z, 'a; b']}\n",
     "5:32: modules: \"a; b\" is no name of a module\n"},
    {SLURM "{shared: perhaps}\n",
     "5:17: shared must be true, false, yes, no, on or off, not "
     "\"perhaps\"\n"},
    {SLURM "{courier: hypertune}\n",
     "5:18: courier: \"hypertune\" must be the absolute path of a program, "
     "without blanks\n"},
    {SLURM "{shared: false}\nreplicas: {worker: 2}\n",
     "6:11: slurm: shared: false goes with trials of one process only, and "
     "there are 3 replicas; let them share the state folder\n"},
    {SLURM "5\n", "5:8: slurm must be a map of keys and values\n"},
    {"run: ./t\nlocal: {cgroup: no}\n",
     "4:9: there is no key \"cgroup\" in local\n"},
    {"image: i\nmetrics: {file: m.jsonl}\n",
     "4:10: metrics: file is \"m.jsonl\" inside a container; write an absolute "
     "path in a volume that has the same path there\n"},
    {CONTAINER "{volumes: data}\n",
     "4:22: volumes: \"data\" must be HOST:CONTAINER or HOST:CONTAINER:ro, "
     "where HOST is an absolute path or the name of a volume and CONTAINER an "
     "absolute path\n"},
    {CONTAINER "{pull: always}\n",
     "4:19: pull must be never or missing, not \"always\"\n"},
    {CONTAINER "{shm_size: much}\n",
     "4:23: shm_size must be a size such as 512M or 4G, not \"much\"\n"},
};

START_TEST(what_no_launcher_can_do_is_refused)
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

START_TEST(a_volume_names_both_of_its_ends)
{
    static const struct {
        const char *volume;
        bool good;
    } rows[] = {
        {"/a:/b", true},   {"/a:/b:ro", true}, {"/a:/b:rw,Z", true},
        {"data:/b", true}, {"./a:/b", false},  {"a/b:/c", false},
        {"/a:b", false},   {"/a:", false},     {":/b", false},
        {"/a:/b:", false}, {"/a:/b:x", false}, {"-a:/b", false},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file =
            mem_format(GOOD CONTAINER "{volumes: ['%s']}\n", rows[i].volume);
        char *said = read_faults(file);

        ck_assert_msg((*said == '\0') == rows[i].good, "%s: %s", file, said);
        free(said);
        free(file);
    }
}
END_TEST

SUITE("study/launching", the_launcher_is_what_is_said_or_what_fits,
      a_time_of_slurm_says_its_unit, what_no_launcher_can_do_is_refused,
      a_volume_names_both_of_its_ends)
