/* Options: every one is a row of one table, so that the parser, the help and
 * the completions cannot disagree. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/options.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/number.h"
#include "study/codec.h"

enum takes { NOTHING, TEXT, NUMBER };

static const struct row {
    const char *name; /* NULL: has a letter only */
    char letter;      /* 0: has a name only */
    enum takes takes;
    int64_t least; /* of a number */
    const char *value;
    const char *sentence;
} rows[OPTIONS] = {
    [OPTION_HELP] = {"help", 'h', NOTHING, 0, "", "say how the verb is used"},
    [OPTION_SERVER] = {"server", 0, TEXT, 0, "URL",
                       "the service: http://…, https://… or unix:/path"},
    [OPTION_STATE] = {"state", 0, TEXT, 0, "DIR",
                      "the state directory whose service is meant"},
    [OPTION_FORMAT] = {"format", 0, TEXT, 0, "FORMAT",
                       "table, json, csv or yaml"},
    [OPTION_PRINT] = {"print", 0, NOTHING, 0, "",
                      "show the long form that the file stands for"},
    [OPTION_ARGV] = {"argv", 0, NOTHING, 0, "",
                     "show the command line and environment of one trial"},
    [OPTION_ONLY] = {"only", 0, TEXT, 0, "STATES",
                     "only trials in these states, such as SUCCEEDED,FAILED"},
    [OPTION_COUNT] = {"count", 'k', NUMBER, 1, "K",
                      "how many; the best, or newest, come first"},
    [OPTION_ASK_COUNT] = {"count", 'n', NUMBER, 1, "K", "how many trials"},
    [OPTION_CLIENT] = {"client", 0, TEXT, 0, "ID",
                       "who asks: the same client is given what it holds"},
    [OPTION_INFEASIBLE] = {"infeasible", 0, TEXT, 0, "WHY",
                           "the point cannot give a value, and why"},
    [OPTION_PARAMS] = {"params", 0, TEXT, 0, "LIST",
                       "the point of a trial that nobody asked for: "
                       "NAME=VALUE,NAME=VALUE... or a JSON object"},
    [OPTION_FOLLOW] = {"follow", 'f', NOTHING, 0, "",
                       "go on until the trial has ended"},
    [OPTION_STDERR] = {"stderr", 0, NOTHING, 0, "",
                       "standard error in place of standard output"},
    [OPTION_ATTEMPT] = {"attempt", 0, NUMBER, 1, "N",
                        "of this attempt; else the latest"},
    [OPTION_FAILED] = {"failed", 0, NOTHING, 0, "", "every FAILED trial"},
    [OPTION_YES] = {"yes", 'y', NOTHING, 0, "", "do not ask"},
    [OPTION_STEP] = {"step", 0, NUMBER, 0, "N",
                     "what the program counts by, such as the epoch"},
    [OPTION_QUIET] = {"quiet", 'q', NOTHING, 0, "",
                      "outside a trial do nothing, and call that success"},
    [OPTION_CA] = {"ca", 0, TEXT, 0, "FILE",
                   "trust the certificates in it; for https://…"},
    [OPTION_ROLE] = {"role", 0, TEXT, 0, "ROLE",
                     "what the token may do: reader, submitter or admin"},
    [OPTION_DAYS] = {"days", 0, NUMBER, 1, "N",
                     "the token expires then; else it does not"},
    [OPTION_FOR] = {"for", 0, TEXT, 0, "TIME",
                    "how long a trial may run, such as 5m; else 60s"},
    [OPTION_REPLICA] = {"replica", 0, TEXT, 0, "NAME",
                        "of this replica only, such as worker-0"},
    [OPTION_EVERY] = {"every", 0, TEXT, 0, "TIME",
                      "how often to look for reports; else 1s"},
    [OPTION_PATTERN] = {"pattern", 0, TEXT, 0, "PATTERN",
                        "what printed lines report by, as in a study file"},
    [OPTION_LINES] = {"lines", 0, TEXT, 0, "FILE",
                      "JSON lines of the trainer's own"},
};

static const char *const formats[] = {"table", "json", "csv", "yaml"};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool is_allowed(unsigned allowed, int o)
{
    return o == OPTION_HELP || (allowed & OPTION_SET(o));
}

/* The allowed option of that name (n bytes), or -1. */
static int by_name(unsigned allowed, const char *name, size_t n)
{
    for (int o = 0; o < OPTIONS; o++)
        if (is_allowed(allowed, o) && strlen(rows[o].name) == n &&
            !memcmp(rows[o].name, name, n))
            return o;
    return -1;
}

static int by_letter(unsigned allowed, char letter)
{
    for (int o = 0; o < OPTIONS; o++)
        if (is_allowed(allowed, o) && rows[o].letter == letter)
            return o;
    return -1;
}

/* What other programs call it. */
static const struct {
    const char *word, *ours;
    enum option option;
} elsewhere[] = {
    {"--json", "format json", OPTION_FORMAT},
    {"--csv", "format csv", OPTION_FORMAT},
    {"--yaml", "format yaml", OPTION_FORMAT},
    {"-o", "format", OPTION_FORMAT},
    {"--output", "format", OPTION_FORMAT},
    {"-n", "count", OPTION_COUNT},
    {"--limit", "count", OPTION_COUNT},
    {"--top", "count", OPTION_COUNT},
    {"--force", "yes", OPTION_YES},
    {"-f", "yes", OPTION_YES},
    {"--status", "only", OPTION_ONLY},
    {"--timeout", "for", OPTION_FOR},
};

static const char *from_elsewhere(unsigned allowed, const char *word)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (is_allowed(allowed, (int)elsewhere[i].option) &&
            !strcmp(elsewhere[i].word, word))
            return elsewhere[i].ours;
    return NULL;
}

/* Whether it is a key of the study file, and the verb reads one. */
static bool is_key(const char *verb, const char *word)
{
    static const char *const verbs[] = {"run", "submit", "try", "validate"};
    bool reads = false;

    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        reads = reads || !strcmp(verbs[i], verb);
    return reads && !strncmp(word, "--", 2) && codec_knows_key(word + 2);
}

static int unknown(const char *verb, unsigned allowed, const char *word,
                   struct err *e)
{
    const char *names[OPTIONS];
    size_t n = 0, len = strcspn(word, "=");
    char *name = mem_copy_bytes(word, len);
    const char *near = from_elsewhere(allowed, name);

    for (int o = 0; o < OPTIONS; o++)
        if (is_allowed(allowed, o))
            names[n++] = rows[o].name;
    if (!near && !strncmp(name, "--", 2))
        near = fault_near(name + 2, names, n);
    if (is_key(verb, name))
        err_set(e, ERR_INVALID,
                "%s has no option %s; it is a key of the study file, %s: …",
                verb, name, name + 2);
    else if (near)
        err_set(e, ERR_INVALID, "%s has no option %s; did you mean --%s?", verb,
                name, near);
    else
        err_set(e, ERR_INVALID,
                "%s has no option %s; `hypertune help %s` lists them", verb,
                name, verb);
    free(name);
    return -1;
}

static int read_format(struct options *o, const char *value, struct err *e)
{
    for (int i = 0; i < FORMATS; i++)
        if (!strcmp(value, formats[i])) {
            o->format = (enum format)i;
            return 0;
        }
    return err_set(e, ERR_INVALID,
                   "--format is table, json, csv or yaml, not \"%s\"", value);
}

static int take(struct options *out, int o, const char *value, struct err *e)
{
    int64_t number;

    out->text[o] = value;
    if (o == OPTION_FORMAT)
        return read_format(out, value, e);
    if (rows[o].takes != NUMBER)
        return 0;
    if (!number_read_int(value, &number) || number < rows[o].least)
        return err_set(e, ERR_INVALID,
                       "--%s wants a whole number of at least %d, not \"%s\"",
                       rows[o].name, (int)rows[o].least, value);
    out->number[o] = number;
    return 0;
}

/* Reads the option at argv[*i] and moves *i past a value of its own. */
static int read_option(struct options *out, unsigned allowed, char *const *argv,
                       size_t n, size_t *i, struct err *e)
{
    const char *word = argv[*i], *value = NULL;
    int o;

    if (word[1] == '-') {
        size_t len = strcspn(word + 2, "=");

        o = by_name(allowed, word + 2, len);
        if (word[2 + len] == '=')
            value = word + 2 + len + 1;
    } else {
        o = by_letter(allowed, word[1]);
        if (word[2])
            value = word + 2;
    }
    if (o < 0)
        return unknown(out->verb, allowed, word, e);
    if (rows[o].takes == NOTHING) {
        if (value)
            return err_set(e, ERR_INVALID, "--%s takes no value", rows[o].name);
        value = "";
    } else if (!value) {
        if (*i + 1 == n)
            return err_set(e, ERR_INVALID, "--%s wants a value: --%s %s",
                           rows[o].name, rows[o].name, rows[o].value);
        value = argv[++*i];
    }
    return take(out, o, value, e);
}

int options_read(struct options *out, const char *verb, unsigned allowed,
                 char *const *argv, size_t n, struct err *e)
{
    bool only_words = false;

    *out = (struct options){.verb = verb};
    out->words = mem_new(n + 1, sizeof *out->words);
    for (size_t i = 0; i < n; i++) {
        if (only_words || argv[i][0] != '-' || !argv[i][1])
            out->words[out->n_words++] = argv[i];
        else if (!strcmp(argv[i], "--"))
            only_words = true;
        else if (read_option(out, allowed, argv, n, &i, e))
            return -1;
    }
    return 0;
}

void options_clear(struct options *o)
{
    free(o->words);
    o->words = NULL;
    o->n_words = 0;
}

int options_ms(const struct options *o, enum option which, int64_t *out,
               struct err *e)
{
    static const struct {
        const char *unit;
        double ms;
    } units[] = {{"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}, {"", 1e3}};
    const char *text = o->text[which];
    size_t n = strlen(text);
    double x;

    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t len = strlen(units[i].unit);
        char *number;
        bool is;

        if (len >= n || strcmp(text + n - len, units[i].unit) != 0)
            continue;
        number = mem_copy_bytes(text, n - len);
        is = number_read(number, &x) && x > 0 && x * units[i].ms < 1e12;
        free(number);
        if (!is)
            break;
        *out = (int64_t)(x * units[i].ms) + (x * units[i].ms < 1);
        return 0;
    }
    return err_set(e, ERR_INVALID,
                   "--%s wants a time such as 60s, 5m or 2h, not \"%s\"",
                   rows[which].name, text);
}

void options_explain(unsigned allowed, struct text *out)
{
    for (int o = 0; o < OPTIONS; o++) {
        const struct row *r = &rows[o];
        size_t used;

        if (!is_allowed(allowed, o))
            continue;
        used = strlen(r->name) + strlen(r->value) + (*r->value ? 1 : 0);
        text_addf(out, "  %c%c%s --%s%s%s%*s  %s\n", r->letter ? '-' : ' ',
                  r->letter ? r->letter : ' ', r->letter ? "," : " ", r->name,
                  *r->value ? " " : "", r->value,
                  used < 18 ? (int)(18 - used) : 0, "", r->sentence);
    }
}
