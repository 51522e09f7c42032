/* Fuzzes what reads files and bodies: study files of every dialect, files of
 * ended trials, and requests. What is accepted must survive being written and
 * read again. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/node.h"
#include "base/text.h"
#include "face/body.h"
#include "study/codec.h"
#include "study/given.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_seeds[] = {
    "study: a\nmaximize: m\nparams:\n  x: log 1e-4 .. 1e-1\n"
    "  y: int 8 .. 256 step 8 default 16\n  z: [a, b]\n"
    "  w: 0.1 .. 0.9 if z = a\nrun: ./t {args}\ntrials: 4\n",
    "maximize: m\nparams: {x: 0 .. 1}\nrun: [t, '{args}']\nlauncher: slurm\n"
    "slurm: {time: 1-2:30, setup: [a, b], options: [--x=y], modules: m}\n"
    "replicas: {worker: 2, ps: {count: 3, run: p -l{x}, env: {A: b}, gpus: 1}, "
    "evaluator: {inherit: no, run: e, workdir: w, memory: 1G, cpus: .5}}\n",
    "maximize: m\nparams: {x: 0 .. 1}\nimage: i\nentrypoint: [a]\nrun: b\n"
    "chief: no\ncontainer: {volumes: ['/a:/b:ro'], shm_size: 1G, pull: "
    "never}\n",
    "studySpec: {metrics: [{metricId: a}], parameters: [{parameterId: x, "
    "doubleValueSpec: {maxValue: 1}}]}\ntrialJobSpec: {workerPoolSpecs: "
    "[{containerSpec: {imageUri: i, command: [c], args: [$(A)], env: [{name: "
    "A, value: $(B)}]}}, {}, {replicaCount: '2', machineSpec: "
    "{acceleratorType: 6, acceleratorCount: 2}, containerSpec: {imageUri: "
    "j}}]}\n",
    "trainingInput: {scaleTier: CUSTOM, masterConfig: {imageUri: i}, "
    "workerCount: 2, evaluatorCount: '1', evaluatorConfig: {containerArgs: "
    "[a]}, runtimeVersion: 2.11, hyperparameters: {params: [{parameterName: x, "
    "type: DOUBLE, maxValue: 1}]}}\n",
    "{\"study\":\"a\",\"minimize\":\"l\",\"params\":{\"x\":{\"type\":\"float\","
    "\"min\":0,\"max\":1,\"scale\":\"log\"}}}",
    "[{\"params\":{\"x\":0.5,\"z\":\"a\"},\"value\":1,\"state\":\"SUCCEEDED\"},"
    "{\"params\":{\"x\":0.25},\"loss\":\"nan\",\"reason\":\"told\"}]",
    "x,z,value,state\n0.5,a,1,SUCCEEDED\n\"0.25\",b,,INFEASIBLE\n",
    "{\"metric\":\"loss\",\"value\":\"-inf\",\"step\":12,\"sure\":true}",
    "a: &x [1, 2]\nb: *x\nc: {<<: *x}\n? [k]\n: v\n--- !!str\n|2-\n  text\n",
    NULL};

const char *const fuzz_words[] = {"..",
                                  "log ",
                                  "int ",
                                  "step ",
                                  "default ",
                                  "if ",
                                  "revlog ",
                                  "params:",
                                  "run: ",
                                  "trials: ",
                                  "parallel: ",
                                  "null",
                                  "true",
                                  "~",
                                  "1e999",
                                  "-0",
                                  "0x1p-3",
                                  "nan",
                                  "inf",
                                  "1e-320",
                                  "99999999999999999999",
                                  "\\u0000",
                                  "\\ud800",
                                  "\xef\xbb\xbf",
                                  "\xc3",
                                  "&a ",
                                  "*a",
                                  "<<: ",
                                  "!!binary ",
                                  "|",
                                  ">",
                                  "---\n",
                                  "...\n",
                                  "[[[[[[[[",
                                  "{{{{{{{{",
                                  "\t",
                                  "\r\n",
                                  "\"",
                                  "{args}",
                                  "['']",
                                  "{trial}",
                                  "studySpec:",
                                  "trialJobSpec:",
                                  "trainingInput:",
                                  "goal: MAXIMIZE",
                                  "conditionalParameterSpecs:",
                                  "- ",
                                  "start:",
                                  "env:",
                                  "when:",
                                  "stop_early: median after 3",
                                  "objectives: {a: max, b: min}",
                                  NULL};

/* For files of trials: one parameter of each sort. */
static struct study trials_of;

static void broken(const char *promise, const char *text)
{
    fprintf(stderr, "broken: %s\n%s\n", promise, text);
    abort();
}

static char *written(const struct study *s)
{
    struct text out;

    text_init(&out);
    codec_write_json(s, &out);
    return text_take(&out);
}

typedef int decoder_fn(const char *bytes, size_t n, const char *file,
                       struct study *out, struct faults *f);

static void try_study(decoder_fn *decode, const char *bytes, size_t n)
{
    struct study s, again;
    struct faults f;
    char *first, *second;

    faults_init(&f);
    if (decode(bytes, n, "file", &s, &f)) {
        if (f.n == 0)
            broken("a refusal names a fault", "");
        faults_clear(&f);
        return;
    }
    first = written(&s);
    if (codec_decode(first, strlen(first), s.name, &again, &f)) {
        fprintf(stderr, "%s\n", f.items[0].text);
        broken("what is written can be read", first);
    }
    second = written(&again);
    if (strcmp(first, second) != 0)
        broken("what is read again is the same", first);
    free(first);
    free(second);
    study_clear(&again);
    study_clear(&s);
    faults_clear(&f);
}

static void try_trials(const char *bytes, size_t n)
{
    struct given g = {0};
    struct faults f;

    faults_init(&f);
    if (!trials_of.name &&
        codec_decode(fuzz_seeds[0], strlen(fuzz_seeds[0]), "a", &trials_of, &f))
        broken("the first example can be read", f.items[0].text);
    if (given_read(bytes, n, &trials_of, &g, &f) == 0)
        given_clear(&g);
    else if (f.n == 0)
        broken("a refusal names a fault", "");
    faults_clear(&f);
}

static void try_body(const char *bytes, size_t n)
{
    struct all {
        struct body_bool sure;
        struct body_whole step;
        struct body_number value;
        struct body_text metric;
    } in = {0};
    static const struct body_field fields[] = {
        {"sure", BODY_BOOL, false, offsetof(struct all, sure)},
        {"step", BODY_WHOLE, false, offsetof(struct all, step)},
        {"value", BODY_NUMBER, false, offsetof(struct all, value)},
        {"metric", BODY_TEXT, true, offsetof(struct all, metric)},
    };
    struct err e;

    if (body_read(bytes, n, fields, 4, &in, &e) && e.code != ERR_INVALID)
        broken("a bad body is invalid", e.text);
    body_clear(fields, 4, &in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;

    try_study(codec_decode, bytes, size);
    try_study(codec_decode_job, bytes, size);
    try_study(codec_decode_vizier, bytes, size);
    try_trials(bytes, size);
    try_body(bytes, size);
    return 0;
}
