/* Our own dialect: what is wrong is told with its place and the way out, what
 * is right means what docs/study-file.md says. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "study/codec.h"
#include "study/dialects.h"
#include "tests/lib/suite.h"
#include "tests/study/lib/read.h"

#define GOOD "maximize: a\nparams: {x: 0 .. 1}\n"
#define PARAMS "maximize: a\nparams:\n"

#define NO_RULE(text)                                                          \
    "1:13: stop_early: there is no \"" text "\"; take none, median or asha\n"

#define NO_STEP(text)                                                          \
    "1:13: stop_early: \"" text                                                \
    "\" names no rule and step; write a step from 1 to 1000000000 so: median " \
    "after 5\n"

static const struct {
    const char *file, *faults;
} bad[] = {
    {GOOD "trails: 3\n",
     "3:1: there is no key \"trails\" in a study file; did you mean "
     "trials?\n"},
    {"maximize: a\nparameters: {x: 0 .. 1}\nn_trials: 3\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "2:1: there is no key \"parameters\" in a study file; did you mean "
     "params?\n"
     "3:1: there is no key \"n_trials\" in a study file; did you mean "
     "trials?\n"},
    {"maximize: a\nalgorithm: cma-es\nparams:\n  x: [1, 2]\n"
     "  y: [a, b]\n  z: 0 .. 1 if x = 1\n",
     "5:3: y: cma-es searches numbers, not words; take tpe or bayesian\n"
     "6:3: z: cma-es needs parameters that always exist; remove the condition, "
     "or take tpe or bayesian\n"},
    {"maximize: a\nparams: {x: 0 .. 1}\nrun: {args}\n",
     "3:6: run must be a text or a list of words; a text that begins with { "
     "needs quotes\n"},
    {PARAMS "  x: {low: 0, max: 1}\n",
     "3:3: x: min is missing\n"
     "3:7: there is no key \"low\" in a parameter; did you mean min?\n"},
    {GOOD "zzz: 3\n", "3:1: there is no key \"zzz\" in a study file\n"},
    {"maximise: a\n"
     "params: {x: 0 .. 1}\n",
     "1:1: no goal: write maximize: METRIC or minimize: METRIC\n"
     "1:1: there is no key \"maximise\" in a study file; did you mean "
     "maximize?\n"},
    {"params: {x: 0 .. 1}\n",
     "1:1: no goal: write maximize: METRIC or minimize: METRIC\n"},
    {"maximize: a\n",
     "1:1: no parameters to tune: params needs at least one\n"},
    {"maximize: a\n"
     "params: {}\n",
     "1:1: no parameters to tune: params needs at least one\n"},
    {"maximize: a\n"
     "params: [x]\n",
     "1:1: no parameters to tune: params needs at least one\n"
     "2:9: params must be a map of names and ranges\n"},
    {"- a\n", "1:1: a study file is a map of keys and values, such as study: "
              "digits\n"},
    {"null\n", "1:1: a study file is a map of keys and values, such as study: "
               "digits\n"},
    {"text\n", "1:1: a study file is a map of keys and values, such as study: "
               "digits\n"},
    {"maximize: a\n"
     "minimize: b\n"
     "params: {x: 0 .. 1}\n",
     "2:11: this is a second goal (the first is on line 1); write several as "
     "objectives: {accuracy: max, latency: min}\n"},
    {"objectives: {a: max, b: min}\n"
     "algorithm: tpe\n"
     "target: 3\n"
     "patience: 4\n"
     "selection: best\n"
     "stop_early: median\n"
     "params: {x: 0 .. 1}\n"
     "run: ./t\n",
     "1:17: algorithm: tpe searches for one objective, and this study has 2; "
     "take bayesian, quasi-random, random or grid\n"
     "1:17: patience is for studies of one objective; take it away\n"
     "1:17: stop_early judges trials by one objective, and would stop some "
     "that no other beats; take it away\n"
     "1:17: target is for studies of one objective; take it away\n"
     "1:17: with several objectives a trial's result is what it measured "
     "last; take the selection of the best away\n"},
    {"objectives: {a: max, b: min, c: min, d: min, e: max, f: max, g: max, "
     "h: max, i: max}\n"
     "params: {x: 0 .. 1}\n"
     "run: ./t\n",
     "1:81: a study has at most 8 objectives\n"},
    {"objectives: {}\n"
     "params: {x: 0 .. 1}\n"
     "run: ./t\n",
     "1:13: objectives must be a map such as {accuracy: max, latency: min}\n"},
    {"objectives: {a: up}\n"
     "params: {x: 0 .. 1}\n",
     "1:17: a must be max, min, maximize or minimize, not \"up\"\n"},
    {"maximize: ''\n"
     "params: {x: 0 .. 1}\n",
     "1:11: the goal's metric has no usable name\n"},
    {"study: 7up\n" GOOD,
     "1:8: study: \"7up\" is no name; it begins with a letter, and "
     "letters, digits, _ and - follow, at most 128 in all\n"},
    {"study: last\n" GOOD,
     "1:8: study: \"last\" is what the newest study is called by; "
     "give this one another name\n"},
    {"study:\n" GOOD,
     "1:1: study has no value; give it one, or take the key away\n"},
    {"study: [a]\n" GOOD, "1:8: study must be one value, not a list\n"},
    {PARAMS "  x: 2 .. 1\n", "3:6: x: min 2 is above max 1\n"},
    {PARAMS "  x: log 0 .. 1\n",
     "3:10: x: a log scale needs numbers above 0; begin at a small "
     "one such as 1e-6, or leave out the scale\n"},
    {PARAMS "  x: int log -1 .. 5\n",
     "3:14: x: a log scale needs numbers above 0; begin at a small "
     "one such as 1e-6, or leave out the scale\n"},
    {PARAMS "  x: 0.0 .. 1.0 step 0.3\n",
     "3:22: x: steps of 0.3 do not lead from 0.0 to 1.0; end at 0.9 "
     "or 1.2 instead\n"},
    {PARAMS "  x: int 0 .. 10 step 3\n",
     "3:23: x: steps of 3 do not lead from 0 to 10; end at 9 or 12 "
     "instead\n"},
    {PARAMS "  x: 0 .. 1 step 0\n", "3:18: x: step must be above 0\n"},
    {PARAMS "  x: int 0 .. 9 step -1\n", "3:22: x: step must be 1 or more\n"},
    {PARAMS "  x: int 1 .. 123456789012345678901234567890\n",
     "3:15: x: max is 123456789012345678901234567890, which does "
     "not fit into an integer of 64 bits\n"},
    {PARAMS "  x: int 1.5 .. 2\n",
     "3:10: x: min must be an integer, not \"1.5\"\n"},
    {PARAMS "  x: 0 .. nan\n",
     "3:11: x: max must be a finite number, not \"nan\"\n"},
    {PARAMS "  x: 0 .. 1e400\n",
     "3:11: x: max must be a finite number, not \"1e400\"\n"},
    {PARAMS "  x: -1e308 .. 1e308\n",
     "3:6: x: the range is wider than a number can say\n"},
    {PARAMS "  x: 1 .. one\n", "3:11: x: max must be a number, not \"one\"\n"},
    {PARAMS "  x: 0 ..\n",
     "3:10: x: a number is missing here (the upper end of the "
     "range)\n"},
    {PARAMS "  x: .. 1\n",
     "3:6: x: a number is missing here (a range is MIN .. MAX)\n"},
    {PARAMS "  x: 0.5\n",
     "3:6: x: \"0.5\" is no range; write MIN .. MAX, or a list in "
     "brackets; a value that does not change belongs into run\n"},
    {PARAMS "  x:\n",
     "3:3: x: a range such as 0.1 .. 1 or a list is missing\n"},
    {PARAMS "  x: frob 1 .. 2\n",
     "3:11: x: .. is missing between the two ends of the range\n"},
    {PARAMS "  x: 1 .. 2 frob\n",
     "3:13: x: \"frob\" is not understood; a range is [log] [int] MIN "
     ".. MAX [step N] [default N] [if NAME = VALUE]\n"},
    {PARAMS "  x: 0 .. 1 default 2\n",
     "3:21: x: the default 2 is not one of its values\n"},
    {PARAMS "  x: 0 .. 1 if y = a\n",
     "3:16: x: it hangs on y, and there is no such parameter\n"},
    {PARAMS "  x: 0 .. 1 if xx = a\n"
            "  xz: [a, b]\n",
     "3:16: x: it hangs on xx, and there is no such parameter; did "
     "you mean xz?\n"},
    {PARAMS "  x: 0 .. 1 if y = a\n"
            "  y: [a, b]\n",
     "3:16: x: it hangs on y, which stands after it; move y up\n"},
    {PARAMS "  x: 0 .. 1 if y = 1\n"
            "  y: 0 .. 1 if x = 1\n",
     "3:16: x: the conditions go round in a circle: x -> y -> x\n"
     "4:16: y: it hangs on x, which is a range of real numbers; "
     "only integers and lists can be conditions\n"},
    {PARAMS "  x: 0 .. 1 if x = 1\n",
     "3:16: x: the conditions go round in a circle: x -> x\n"},
    {PARAMS "  y: 0 .. 1\n"
            "  x: 0 .. 1 if y = 1\n",
     "4:16: x: it hangs on y, which is a range of real numbers; "
     "only integers and lists can be conditions\n"},
    {PARAMS "  y: [a, b]\n"
            "  x: 0 .. 1 if y = c\n",
     "4:20: x: its condition names c, which is not a value of y\n"},
    {PARAMS "  y: [a, b]\n"
            "  x: 0 .. 1 if y\n",
     "4:17: x: write a condition as \"if y = VALUE\" or \"in VALUE, "
     "VALUE\"\n"},
    {PARAMS "  y: [a, b]\n"
            "  x: 0 .. 1 if y = \n",
     "4:19: x: a value is missing in the condition on y\n"},
    {PARAMS "  y: [a, b]\n"
            "  x: 0 .. 1 if y in [a\n",
     "4:23: x: the [ of the condition is not closed\n"},
    {PARAMS "  x: []\n", "3:3: x: the list of values is empty\n"},
    {PARAMS "  x: [a, a]\n", "3:10: x: the value a stands in the list twice\n"},
    {PARAMS "  x: [1, 1.0]\n",
     "3:10: x: the value 1.0 stands in the list twice\n"},
    {PARAMS "  x: [a, null]\n",
     "3:10: x: a value of a list must be a number or a word; put a "
     "word such as null in quotes\n"},
    {PARAMS "  x: [a, [b]]\n",
     "3:10: x: a value of a list must be a number or a word; put a "
     "word such as null in quotes\n"},
    {PARAMS "  a b: 0 .. 1\n",
     "3:3: a b: the name may hold no blank, =, { or }\n"},
    {PARAMS "  '': 0 .. 1\n", "3:3: a parameter needs a name\n"},
    {PARAMS "  x: {min: 0}\n", "3:3: x: max is missing\n"},
    {PARAMS "  x: {typ: int, min: 0, max: 1}\n",
     "3:7: there is no key \"typ\" in a parameter; did you mean type?\n"},
    {PARAMS "  x: {type: real, min: 0, max: 1}\n",
     "3:13: type must be double, float, int, integer, discrete or "
     "categorical, not \"real\"\n"},
    {PARAMS "  x: {values: [a], min: 0}\n",
     "3:6: x: a list has values, not min and max\n"},
    {PARAMS "  x: {type: int, values: [1]}\n",
     "3:26: x: a range has min and max, not values\n"},
    {PARAMS "  x: {type: categorical}\n", "3:6: x: values is missing\n"},
    {PARAMS "  x: {values: [a, b], scale: log}\n",
     "3:3: x: a list of words has no scale; leave it out\n"},
    {PARAMS "  x: {values: [a, b], step: 1}\n",
     "3:29: x: a list has no step; leave it out\n"},
    {PARAMS "  x: {values: a}\n", "3:15: x: values must be a list\n"},
    {PARAMS "  x: {type: discrete, values: [a]}\n",
     "3:32: x: a value must be a number, not \"a\"\n"},
    {PARAMS "  x: {min: 0, max: 1, when: {y: a, z: b}}\n",
     "3:29: x: when must be one parameter and its values, such as "
     "{optimizer: [sgd]}\n"},
    {"algorithm: grid\n" GOOD,
     "3:10: x: a grid cannot try every real number of a range; give "
     "it a step or a list of values, or take another algorithm\n"},
    {"algorithm: bayesain\n" GOOD,
     "1:12: algorithm: there is no \"bayesain\"; did you mean "
     "bayesian?\n"},
    {"algorithm: magic\n" GOOD,
     "1:12: algorithm: there is no \"magic\"; take bayesian, tpe, cma-es, "
     "random, quasi-random or grid\n"},
    {"seed: -1\n" GOOD,
     "1:7: seed is -1, and must be from 0 to 9223372036854775807\n"},
    {"seed: 9223372036854775808\n" GOOD,
     "1:7: seed is 9223372036854775808, and must be from 0 to "
     "9223372036854775807\n"},
    {"seed: x\n" GOOD, "1:7: seed must be an integer, not \"x\"\n"},
    {"trials: 0\n" GOOD,
     "1:9: trials is 0, and must be from 1 to 1000000000\n"},
    {"trials: 1.5\n" GOOD, "1:9: trials must be an integer, not \"1.5\"\n"},
    {"trials: [1]\n" GOOD, "1:9: trials must be one value, not a list\n"},
    {"trials:\n" GOOD,
     "1:1: trials has no value; give it one, or take the key away\n"},
    {"parallel: -1\n" GOOD,
     "1:11: parallel is -1, and must be from 0 to 10000\n"},
    {"trial_limit: soon\n" GOOD,
     "1:14: trial_limit must be a time such as 90s, 2h or 1h30m, "
     "not \"soon\"\n"},
    {"trial_limit: -5\n" GOOD,
     "1:14: trial_limit must be a time such as 90s, 2h or 1h30m, "
     "not \"-5\"\n"},
    {"memory: 4X\n" GOOD,
     "1:9: memory must be a size such as 512M or 4G, not \"4X\"\n"},
    {"target: best\n" GOOD,
     "1:9: target must be a finite number, not \"best\"\n"},
    {"target: inf\n" GOOD,
     "1:9: target must be a finite number, not \"inf\"\n"},
    {"noisy: maybe\n" GOOD,
     "1:8: noisy must be true, false, yes, no, on or off, not "
     "\"maybe\"\n"},
    {"args: dashes\n" GOOD,
     "1:7: args must be equals, space, hydra, flags, env or json, "
     "not \"dashes\"\n"},
    {"run: ''\n" GOOD, "1:6: run: there is no program to run\n"},
    {"run: []\n" GOOD, "1:6: run: there is no program to run\n"},
    {"run: [[a]]\n" GOOD,
     "1:7: run must be a list of words; put this one in quotes\n"},
    {"run: ./t 'a\n"
     "\n" GOOD,
     "1:6: run: a quote is not closed\n"},
    {"run: './t \"a'\n" GOOD, "1:6: run: a quote is not closed\n"},
    {"run: ./t | tee log\n" GOOD,
     "1:6: run: \"|\" needs a shell, and none is used; write run: "
     "[sh, -c, '...'] if you want one\n"},
    {"run: ./t >log\n" GOOD,
     "1:6: run: \">log\" needs a shell, and none is used; write run: "
     "[sh, -c, '...'] if you want one\n"},
    {"run: ./t {args} x={args}\n" GOOD,
     "1:6: run: {args} may stand there once\n"},
    {"run: ./t --lr {x}\n"
     "maximize: a\n"
     "params:\n"
     "  x: 0 .. 1\n"
     "  y: 0 .. 1\n",
     "5:3: y: the command names other parameters but not this one; "
     "write {y} or {args} into it\n"},
    {"env: [A]\n" GOOD, "1:6: env must be a map of names and values\n"},
    {"env: {1A: x}\n" GOOD,
     "1:11: env: \"1A\" is no name of a variable (letters, digits and "
     "_, at most 256)\n"},
    {"env: {HYPERTUNE_TRIAL: 3}\n" GOOD,
     "1:24: env: HYPERTUNE_TRIAL: names that begin with HYPERTUNE_ "
     "are Hypertune's own; choose another\n"},
    {"start: 5\n" GOOD,
     "1:8: start must be a list of points, such as [{lr: 0.1}]\n"},
    {"start: [{x: 2}]\n" GOOD, "1:9: start: x cannot be 2; it can be 0 .. 1\n"},
    {"start: [{y: 0}]\n" GOOD, "1:9: start: there is no parameter y\n"},
    {"start: [{}]\n" GOOD, "1:9: start: the value of x is missing\n"},
    {"metrics: {tensorboard: logs}\n" GOOD,
     "1:24: tensorboard: TensorBoard files are not read by this "
     "version; report from the program, or with a pattern\n"},
    {"metrics: {patern: x}\n" GOOD,
     "1:11: there is no key \"patern\" in metrics; did you mean "
     "pattern?\n"},
    {"metrics: ''\n" GOOD, "1:10: metrics is empty\n"},
    {"stop_early: decay-curve\n" GOOD, NO_RULE("decay-curve")},
    {"stop_early: median after\n" GOOD, NO_STEP("median after")},
    {"stop_early: median after 0\n" GOOD, NO_STEP("median after 0")},
    {"stop_early: asha after 5 steps\n" GOOD, NO_STEP("asha after 5 steps")},
    {"stop_early: median 5\n" GOOD, NO_STEP("median 5")},
    {"stop_early: medians after 5\n" GOOD, NO_RULE("medians after 5")},
    {"stop_early: asha after 1e10\n" GOOD, NO_STEP("asha after 1e10")},
    {"stop_early: none after 5\n" GOOD, NO_STEP("none after 5")},
    {"job_dir: gs://bucket/x\n" GOOD,
     "1:10: job_dir is gs://bucket/x, which this version cannot "
     "write to; write a folder, such as out or file:///srv/out\n"},
    {"workdir: ''\n" GOOD, "1:10: workdir is empty\n"},
    {"workerPoolSpecs: []\n",
     "1:1: this is the file of a single custom job and names no "
     "parameters to tune; a tuning job has studySpec and "
     "trialJobSpec, and this belongs into the latter\n"},
    {"study: 7up\n"
     "maximize: a\n"
     "trails: 3\n"
     "params:\n"
     "  y: log 0 .. 1\n"
     "  x: 2 .. 1\n",
     "1:8: study: \"7up\" is no name; it begins with a letter, and "
     "letters, digits, _ and - follow, at most 128 in all\n"
     "3:1: there is no key \"trails\" in a study file; did you mean "
     "trials?\n"
     "5:10: y: a log scale needs numbers above 0; begin at a small "
     "one such as 1e-6, or leave out the scale\n"
     "6:6: x: min 2 is above max 1\n"},
};

START_TEST(every_fault_is_told_with_its_place_and_the_way_out)
{
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *told = read_faults(bad[i].file);

        ck_assert_msg(strcmp(told, bad[i].faults) == 0, "%s\ngives\n%s",
                      bad[i].file, told);
        free(told);
    }
}
END_TEST

/* One parameter, short and long. */
START_TEST(the_short_form_stands_for_the_long_one)
{
    static const struct {
        const char *param, *means;
    } rows[] = {
        {"0.1 .. 1", "{type: double, min: 0.1, max: 1}"},
        {"0.1..1", "{type: double, min: 0.1, max: 1}"},
        {"-1e-3 .. +2.", "{type: double, min: -0.001, max: 2}"},
        {"\"0 .. 1\"", "{type: double, min: 0, max: 1}"},
        {"log 1e-4 .. 1e-1",
         "{type: double, min: 0.0001, max: 0.1, scale: log}"},
        {"revlog 0.5 .. 0.9",
         "{type: double, min: 0.5, max: 0.9, scale: revlog}"},
        {"int 8 .. 010", "{type: int, min: 8, max: 10}"},
        {"int 1e1 .. 1e3", "{type: int, min: 10, max: 1000}"},
        {"log int 1 .. 8", "{type: int, min: 1, max: 8, scale: log}"},
        {"int log 1 .. 8", "{type: int, min: 1, max: 8, scale: log}"},
        {"0.0 .. 0.5 step 0.05", "{type: double, min: 0, max: 0.5, step: "
                                 "0.05}"},
        {"int 0 .. 8 step 2 default 4",
         "{type: int, min: 0, max: 8, step: 2, default: 4}"},
        {"0 .. 1 default 0.5 step 0.25",
         "{type: double, min: 0, max: 1, step: 0.25, default: 0.5}"},
        {"0 .. 1 if p = b", "{type: double, min: 0, max: 1, when: {p: [b]}}"},
        {"0 .. 1 if p == b", "{type: double, min: 0, max: 1, when: {p: [b]}}"},
        {"0 .. 1 if p in b, c d",
         "{type: double, min: 0, max: 1, when: {p: [b, \"c d\"]}}"},
        {"0 .. 1 if p = 'c d', b",
         "{type: double, min: 0, max: 1, when: {p: [\"c d\", b]}}"},
        {"0 .. 1 if p in [b, \"c d\"]",
         "{type: double, min: 0, max: 1, when: {p: [b, \"c d\"]}}"},
        {"[32, 16.0, 064]", "{type: discrete, values: [16.0, 32, \"064\"]}"},
        {"[adam, 5]", "{type: categorical, values: [adam, \"5\"]}"},
        {"['1', '2']", "{type: categorical, values: [\"1\", \"2\"]}"},
        {"[no, on, y]", "{type: categorical, values: [\"no\", \"on\", \"y\"]}"},
        {"5 .. 5", "{type: discrete, values: [5]}"},
        {"{min: 0, max: 1}", "{type: double, min: 0, max: 1}"},
        {"{type: float, min: 0, max: 1}", "{type: double, min: 0, max: 1}"},
        {"{type: integer, min: 0, max: 1, when: {p: b}}",
         "{type: int, min: 0, max: 1, when: {p: [b]}}"},
        {"{values: [a, b], default: b, when: p in b, c d}",
         "{type: categorical, values: [a, b], default: b, when: {p: [b, "
         "\"c d\"]}}"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format(
            "maximize: a\nparams:\n  p: [b, c d]\n  x: %s\n", rows[i].param);
        struct study s;
        char *yaml, *line, *end;

        /* {values: [...], when: p in b, c d} wants quotes in flow style */
        if (strstr(rows[i].param, "when: p in")) {
            free(file);
            file = mem_format("maximize: a\nparams:\n  p: [b, c d]\n  x:\n"
                              "    values: [a, b]\n    default: b\n"
                              "    when: p in b, c d\n");
        }
        read_good(file, &s);
        yaml = write_yaml(&s);
        line = strstr(yaml, "\n  x: ");
        ck_assert_ptr_nonnull(line);
        line += 6;
        end = strchr(line, '\n');
        *end = '\0';
        ck_assert_msg(strcmp(line, rows[i].means) == 0, "%s\nmeans\n%s",
                      rows[i].param, line);
        free(yaml);
        free(file);
        study_clear(&s);
    }
}
END_TEST

START_TEST(times_and_sizes_have_units)
{
    static const struct {
        const char *text;
        int64_t ms;
    } times[] = {{"90", 90000},
                 {"1.5", 1500},
                 {"90s", 90000},
                 {"2h", 7200000},
                 {"1h30m", 5400000},
                 {"1h 30m", 5400000},
                 {"2 h", 7200000},
                 {"500ms", 500},
                 {"1d", 86400000},
                 {"3min", 180000},
                 {"7200s", 7200000},
                 {"0.0001s", 1},
                 {"1D2H3M4S5MS", 93784005}};
    static const struct {
        const char *text;
        int64_t bytes;
    } sizes[] = {{"1024", 1024},         {"4G", 4LL << 30},
                 {"512M", 512LL << 20},  {"1.5GiB", 3LL << 29},
                 {"1kB", 1000},          {"1k", 1024},
                 {"2TB", 2000000000000}, {"1Ti", 1LL << 40}};
    struct study s;

    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char *file = mem_format(GOOD "time_limit: %s\n", times[i].text);

        read_good(file, &s);
        ck_assert_msg(s.time_limit_ms == times[i].ms, "%s", file);
        study_clear(&s);
        free(file);
    }
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char *file = mem_format(GOOD "memory: %s\n", sizes[i].text);

        read_good(file, &s);
        ck_assert_msg(s.job.tasks[ROLE_MASTER].memory == sizes[i].bytes, "%s",
                      file);
        study_clear(&s);
        free(file);
    }
}
END_TEST

START_TEST(what_is_not_written_has_its_default)
{
    struct study s;

    read_good(GOOD, &s);
    ck_assert_str_eq(s.name, "file");
    ck_assert_str_eq(s.job.launcher, "lease");
    ck_assert_str_eq(s.algorithm, "bayesian");
    ck_assert_int_eq(s.trials, 40);
    ck_assert_int_eq(s.max_failed, -1);
    ck_assert_int_eq(s.grace_ms, 10000);
    ck_assert(s.maximize && !s.has_target && s.seed == 0);
    study_clear(&s);
    read_good("objectives: {loss: min}\nparams: {x: 0 .. 1}\nrun: ./t\n", &s);
    ck_assert_str_eq(s.job.launcher, "local");
    ck_assert_str_eq(s.metric, "loss");
    ck_assert(!s.maximize);
    study_clear(&s);
}
END_TEST

START_TEST(objectives_are_the_goal_and_others_and_read_back)
{
    struct study s, again;
    struct text yaml;

    read_good("objectives: {accuracy: max, 'the latency': min, size: minimize}"
              "\nparams: {x: 0 .. 1}\nrun: ./t\n",
              &s);
    text_init(&yaml);
    codec_write_yaml(&s, &yaml);
    study_clear(&s);
    read_good(text_str(&yaml), &again);
    ck_assert_str_eq(again.metric, "accuracy");
    ck_assert(again.maximize);
    ck_assert_uint_eq(again.n_others, 2);
    ck_assert_str_eq(again.others[0].name, "the latency");
    ck_assert_str_eq(again.others[1].name, "size");
    ck_assert(!again.others[0].maximize && !again.others[1].maximize);
    text_reset(&yaml);
    codec_write_json(&again, &yaml);
    study_clear(&again);
    read_good(text_str(&yaml), &again);
    ck_assert_uint_eq(again.n_others, 2);
    study_clear(&again);
    text_clear(&yaml);
}
END_TEST

START_TEST(a_stopping_rule_may_wait)
{
    static const struct {
        const char *text, *rule;
        int64_t after;
    } rows[] = {{"none", "none", 0},
                {"median", "median", 0},
                {"asha", "asha", 0},
                {"asha after 81", "asha", 81},
                {"asha after 1e3", "asha", 1000},
                {"'median after 5'", "median", 5}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *file = mem_format("stop_early: %s\n" GOOD, rows[i].text), *json;
        struct study s;

        for (int again = 0; again < 2; again++) {
            read_good(file, &s);
            ck_assert_str_eq(s.stop, rows[i].rule);
            ck_assert_int_eq(s.stop_after, rows[i].after);
            ck_assert_int_eq(study_stops_early(&s), i > 0);
            json = write_json(&s);
            study_clear(&s);
            free(file);
            file = json;
        }
        free(file);
    }
}
END_TEST

START_TEST(a_pattern_may_hold_the_words_that_stand_for_values)
{
    struct study s;

    read_good(GOOD "metrics: 'epoch {step}: {metric} = {value}'\n", &s);
    ck_assert_str_eq(s.job.pattern, "epoch {step}: {metric} = {value}");
    study_clear(&s);
}
END_TEST

/* --- the page ------------------------------------------------------------ */

static bool is_key(const char *name)
{
    for (const struct key *k = short_keys; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return true;
    return false;
}

/* The next row "| `key` | default | ..." from *page on. */
static bool next_row(const char **page, char key[64], char fallback[64])
{
    const char *row;

    while ((row = strstr(*page, "\n| `"))) {
        *page = row + 1;
        fallback[0] = '\0';
        if (sscanf(row, "\n| `%63[a-z_]` | `%63[^`]`", key, fallback) >= 1)
            return true;
    }
    return false;
}

/* The table of keys ends at the next heading. */
static char *keys_of_page(void)
{
    char *page = read_source("docs/study-file.md");
    char *table = strstr(page, "\n## Every key\n"), *end;

    ck_assert_ptr_nonnull(table);
    table = mem_copy_text(table + 1);
    end = strstr(table, "\n## ");
    ck_assert_ptr_nonnull(end);
    *end = '\0';
    free(page);
    return table;
}

START_TEST(the_page_has_every_key_and_no_other)
{
    char *table = keys_of_page();
    char key[64], fallback[64];
    const char *at = table;
    size_t rows = 0, known = 0;

    while (next_row(&at, key, fallback)) {
        ck_assert_msg(is_key(key), "%s", key);
        rows++;
    }
    for (const struct key *k = short_keys; k->name; k++) {
        char *row = mem_format("\n| `%s` | ", k->name);

        ck_assert_msg(strstr(table, row), "%s is missing", k->name);
        free(row);
        known++;
    }
    ck_assert_uint_eq(rows, known);
    free(table);
}
END_TEST

/* A key written with the default of the page changes nothing. */
START_TEST(the_defaults_of_the_page_are_true)
{
    char *table = keys_of_page();
    char key[64], fallback[64], *plain;
    const char *at = table;
    struct study s;
    size_t tried = 0;

    read_good(GOOD "run: ./t\n", &s);
    plain = write_json(&s);
    study_clear(&s);
    while (next_row(&at, key, fallback)) {
        char *file, *written;

        if (!fallback[0])
            continue;
        file = mem_format(GOOD "run: ./t\n%s: %s\n", key, fallback);
        read_good(file, &s);
        written = write_json(&s);
        ck_assert_msg(strcmp(plain, written) == 0, "%s\n%s", file, written);
        study_clear(&s);
        free(written);
        free(file);
        tried++;
    }
    ck_assert_uint_ge(tried, 10);
    free(plain);
    free(table);
}
END_TEST

SUITE("study/short", every_fault_is_told_with_its_place_and_the_way_out,
      the_short_form_stands_for_the_long_one, times_and_sizes_have_units,
      what_is_not_written_has_its_default,
      objectives_are_the_goal_and_others_and_read_back,
      a_stopping_rule_may_wait,
      a_pattern_may_hold_the_words_that_stand_for_values,
      the_page_has_every_key_and_no_other, the_defaults_of_the_page_are_true)
