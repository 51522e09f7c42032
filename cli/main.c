/* hypertune: the command line. A table of verbs, and what an error becomes. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/options.h"
#include "cli/print.h"

#define HAS(o) OPTION_SET(OPTION_##o)
#define SERVICE (HAS(SERVER) | HAS(STATE) | HAS(CA))
#define LOOKS (SERVICE | HAS(FORMAT))
#define ANY 1000 /* words */

static cmd_fn help, version;

static const struct verb {
    const char *name;
    cmd_fn *run;
    int least, most; /* words */
    unsigned options;
    const char *usage; /* after the name */
    const char *sentence;
} verbs[] = {
    {"run", cmd_run, 1, 1, SERVICE, "FILE",
     "Tune: submit the study and watch it to its end"},
    {"try", cmd_try, 1, 1, HAS(STATE) | HAS(FOR), "FILE [--for TIME]",
     "Rehearse: run the corners of the space for a moment"},
    {"best", cmd_best, 1, 1, LOOKS | HAS(COUNT), "STUDY [--count K]",
     "Show the best trial, the best K, or those that no other beats"},
    {"watch", cmd_watch, 1, 1, SERVICE, "STUDY",
     "Watch a study that is under way"},
    {"list", cmd_list, 0, 0, LOOKS | HAS(COUNT), "[--count K]",
     "List the studies, newest first"},
    {"show", cmd_show, 1, 1, LOOKS, "STUDY", "Show how a study stands"},
    {"trials", cmd_trials, 1, 1, LOOKS | HAS(ONLY), "STUDY [--only STATES]",
     "List the trials of a study"},
    {"trial", cmd_trial, 2, 2, LOOKS, "STUDY TRIAL",
     "Show one trial and what it reported"},
    {"logs", cmd_logs, 2, 2,
     SERVICE | HAS(FOLLOW) | HAS(STDERR) | HAS(ATTEMPT) | HAS(REPLICA),
     "STUDY TRIAL [-f] [--stderr] [--attempt N] [--replica NAME]",
     "Print what a trial printed"},
    {"why", cmd_why, 1, 2, SERVICE, "STUDY [TRIAL]",
     "Say why a study or a trial is as it is"},
    {"export", cmd_export, 1, 1, LOOKS | HAS(ONLY),
     "STUDY [--format FORMAT] [--only STATES]",
     "Print every trial, for other programs"},
    {"import", cmd_import, 2, 2, SERVICE, "STUDY FILE",
     "Put in trials that were run elsewhere"},
    {"validate", cmd_validate, 1, 1,
     HAS(STATE) | HAS(PRINT) | HAS(ARGV) | HAS(REPLICA),
     "FILE [--print] [--argv [--replica NAME]]", "Check a study file"},
    {"submit", cmd_submit, 1, 1, SERVICE, "FILE",
     "Give a study to the service and return"},
    {"pause", cmd_act, 1, 1, SERVICE, "STUDY",
     "Start no more trials; running ones go on"},
    {"resume", cmd_act, 1, 1, SERVICE, "STUDY", "Go on with a paused study"},
    {"cancel", cmd_act, 1, 1, SERVICE, "STUDY",
     "End a study and the trials that run"},
    {"stop", cmd_stop, 2, 2, SERVICE, "STUDY TRIAL",
     "Stop one trial; what it reported is kept"},
    {"retry", cmd_retry, 1, 2, SERVICE | HAS(FAILED), "STUDY --failed | TRIAL",
     "Try failed trials again"},
    {"delete", cmd_delete, 1, 1, SERVICE | HAS(YES), "STUDY [--yes]",
     "Delete a study and the output of its trials"},
    {"ask", cmd_ask, 1, 1, LOOKS | HAS(ASK_COUNT) | HAS(CLIENT),
     "STUDY [-n K] [--client ID]", "Get trials to evaluate by yourself"},
    {"tell", cmd_tell, 1, ANY, SERVICE | HAS(INFEASIBLE) | HAS(PARAMS),
     "STUDY TRIAL|--params LIST METRIC=VALUE... [--infeasible WHY]",
     "Tell how a trial ended: one that was asked for, or any other"},
    {"report", cmd_report, 1, ANY, HAS(STEP) | HAS(QUIET),
     "METRIC=VALUE... [--step N] [--quiet]",
     "Report metrics, from inside a trial"},
    {"courier", cmd_courier, 1, 1,
     HAS(CA) | HAS(EVERY) | HAS(PATTERN) | HAS(LINES),
     "FOLDER [--every TIME] [--pattern PATTERN] [--lines FILE]",
     "Send a trial's reports to a service that does not see its folder"},
    {"token", cmd_token, 1, 2, LOOKS | HAS(ROLE) | HAS(DAYS),
     "new NAME --role ROLE [--days N] | list | delete NAME",
     "Let others ask the service, each with a token of their own"},
    {"serve", cmd_serve, 0, ANY, 0, "[--state DIR] [OPTION...]",
     "Run the service, hypertuned, in the foreground"},
    {"version", version, 0, 0, 0, "", "Say which version this is"},
    {"help", help, 0, 1, 0, "[VERB]", "Explain a verb"},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };

/* Words of later versions, and of the manual's. */
static const char *const later[] = {"dashboard"};

static const struct verb *find(const char *name)
{
    for (int i = 0; i < VERBS; i++)
        if (!strcmp(verbs[i].name, name))
            return &verbs[i];
    return NULL;
}

static int unknown(const char *name, struct err *e)
{
    const char *names[VERBS], *near;

    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++)
        if (!strcmp(later[i], name))
            return err_set(e, ERR_INVALID,
                           "%s is not supported by this version (%s)", name,
                           HYPERTUNE_VERSION);
    if (name[0] == '-')
        return err_set(e, ERR_INVALID,
                       "options come after the verb: hypertune VERB [WORDS] "
                       "[OPTIONS], not hypertune %s",
                       name);
    for (int i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;
    near = fault_near(name, names, VERBS);
    if (near)
        return err_set(e, ERR_INVALID, "there is no verb %s; did you mean %s?",
                       name, near);
    return err_set(e, ERR_INVALID,
                   "there is no verb %s; `hypertune help` lists them", name);
}

static void print_verbs(FILE *out)
{
    (void)fprintf(out, "Usage: hypertune VERB [WORDS] [OPTIONS]\n\n");
    for (int i = 0; i < VERBS; i++)
        (void)fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].sentence);
    (void)fprintf(out,
                  "\nSTUDY is a study's name, or `last`. `hypertune help VERB` "
                  "says more.\n"
                  "Begin with: hypertune run FILE\n");
}

static void explain(const struct verb *v)
{
    struct text out;

    text_init(&out);
    text_addf(&out, "Usage: hypertune %s%s%s\n\n%s.\n\n", v->name,
              *v->usage ? " " : "", v->usage, v->sentence);
    options_explain(v->options, &out);
    if (v->run == cmd_serve)
        text_add(&out, "\nIts options are those of hypertuned: `hypertuned "
                       "--help` lists them.\n");
    (void)fputs(text_str(&out), stdout);
    text_clear(&out);
}

static int help(const struct options *o, struct err *e)
{
    const struct verb *v;

    if (!o->n_words) {
        print_verbs(stdout);
        return CMD_DONE;
    }
    v = find(o->words[0]);
    if (!v)
        return unknown(o->words[0], e);
    explain(v);
    return CMD_DONE;
}

static int version(const struct options *o, struct err *e)
{
    (void)o;
    (void)e;
    (void)printf("hypertune %s\n", HYPERTUNE_VERSION);
    return CMD_DONE;
}

static int exit_of(enum err_code code)
{
    static const int exits[] = {
        [ERR_NONE] = CMD_DONE,       [ERR_INVALID] = CMD_WRONG,
        [ERR_ABSENT] = CMD_NOTHING,  [ERR_CONFLICT] = CMD_REFUSED,
        [ERR_BUSY] = CMD_REFUSED,    [ERR_IO] = CMD_REFUSED,
        [ERR_OUTSIDE] = CMD_REFUSED,
    };

    return exits[code];
}

static int call(const struct verb *v, const struct options *o, struct err *e)
{
    if (o->text[OPTION_HELP]) {
        explain(v);
        return CMD_DONE;
    }
    if (o->n_words < (size_t)v->least)
        return err_set(e, ERR_INVALID, "%s wants more: hypertune %s %s",
                       v->name, v->name, v->usage);
    if (o->n_words > (size_t)v->most)
        return err_set(e, ERR_INVALID,
                       "%s does not know what to do with \"%s\": hypertune %s "
                       "%s",
                       v->name, o->words[v->most], v->name, v->usage);
    for (size_t i = 0; i < o->n_words; i++)
        if (!*o->words[i]) /* "$study" of a script, where it is not set */
            return err_set(e, ERR_INVALID,
                           "%s was given an empty word: hypertune %s %s",
                           v->name, v->name, v->usage);
    return v->run(o, e);
}

/* serve hands all its words on to hypertuned. */
static int call_raw(const struct verb *v, char **argv, size_t n, struct err *e)
{
    struct options o = {
        .verb = v->name, .words = (const char **)argv, .n_words = n};

    if (n && (!strcmp(argv[0], "--help") || !strcmp(argv[0], "-h"))) {
        explain(v);
        return CMD_DONE;
    }
    return v->run(&o, e);
}

static int run_verb(const char *name, char **argv, size_t n, struct err *e)
{
    const struct verb *v = find(name);
    struct options o;
    int rc;

    if (!strcmp(name, "--help") || !strcmp(name, "-h"))
        v = find("help");
    if (!strcmp(name, "--version"))
        v = find("version");
    if (!v)
        return unknown(name, e);
    if (v->run == cmd_serve)
        return call_raw(v, argv, n, e);
    rc = options_read(&o, v->name, v->options, argv, n, e);
    if (!rc)
        rc = call(v, &o, e);
    options_clear(&o);
    return rc;
}

int main(int argc, char **argv)
{
    struct err e = {0};
    struct text safe;
    int rc;

    if (argc < 2) {
        print_verbs(stderr);
        return CMD_WRONG;
    }
    rc = run_verb(argv[1], argv + 2, (size_t)argc - 2, &e);
    if (rc < 0) {
        text_init(&safe);
        print_safe(e.text, &safe);
        if (safe.len)
            (void)fprintf(stderr, "hypertune: %s\n", text_str(&safe));
        text_clear(&safe);
        rc = exit_of(e.code);
    }
    if (fflush(stdout) && rc == CMD_DONE) {
        (void)fprintf(stderr, "hypertune: the output could not be written\n");
        rc = CMD_REFUSED;
    }
    return rc;
}
