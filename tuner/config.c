/* How hypertuned is set up: one table. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/config.h"

#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <pwd.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/number.h"

enum { MOST_PLACES = 1024, MOST_PID = 1 << 22 };

/* ---- the table ---- */

enum kind {
    KIND_PATH,   /* made absolute */
    KIND_WHOLE,  /* from least to most */
    KIND_BYTES,  /* a whole number, perhaps with K, M, G or T */
    KIND_LEVEL,  /* of the log */
    KIND_FLAG,   /* stands alone; =yes or =no */
    KIND_REFUSED /* known, and not in this version */
};

#define AT(member) offsetof(struct config, member)

static const struct setting {
    const char *name;     /* --name; HYPERTUNE_NAME in the environment */
    const char *value;    /* what --help calls it */
    const char *fallback; /* NULL: found by looking at the machine */
    const char *sentence;
    size_t offset;
    int64_t least, most;
    enum kind kind;
    bool flag_only; /* not read from the environment */
} settings[] = {
    {"state", "DIR", NULL, "where studies, trials and the socket are kept",
     AT(state), 0, 0, KIND_PATH, false},
    {"listen", "ADDRESS", "",
     "not supported by this version; the state directory's socket listens", 0,
     0, 0, KIND_REFUSED, false},
    {"processors", "N", NULL, "trials at once where a study does not say",
     AT(processors), 1, MOST_PLACES, KIND_WHOLE, false},
    {"gpus", "N", NULL, "the same for trials that ask for GPUs", AT(gpus), 0,
     MOST_PLACES, KIND_WHOLE, false},
    {"least-free", "BYTES", "64M",
     "with less disk space than this nothing is launched", AT(least_free), 0, 0,
     KIND_BYTES, false},
    {"shim", "FILE", NULL, "the program hypertune-shim that watches over a job",
     AT(shim), 0, 0, KIND_PATH, false},
    {"log-level", "LEVEL", "info", "error, warn, info or debug", AT(log_level),
     0, 0, KIND_LEVEL, false},
    {"private-for", "PID", "0",
     "end after that process has ended; running trials go on", AT(private_for),
     0, MOST_PID, KIND_WHOLE, true},
    {"look-only", NULL, NULL,
     "answer what is stored and run nothing; wants --private-for",
     AT(look_only), 0, 0, KIND_FLAG, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static const struct {
    const char *name;
    enum config_wish wish;
    const char *sentence;
} wishes[] = {
    {"help", CONFIG_HELP, "say this"},
    {"version", CONFIG_VERSION, "say which version this is"},
    {"print-config", CONFIG_PRINT, "say what every setting is, and end"},
};
enum { WISHES = sizeof wishes / sizeof wishes[0] };

static const char *const levels[] = {"error", "warn", "info", "debug"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

static void *place(struct config *c, const struct setting *s)
{
    return (char *)c + s->offset;
}

/* ---- values ---- */

static int set_path(struct config *c, const struct setting *s,
                    const char *value, struct err *e)
{
    char **path = place(c, s);
    char here[PATH_MAX];

    if (!*value)
        return err_set(e, ERR_INVALID, "--%s wants a path", s->name);
    if (*value != '/' && !getcwd(here, sizeof here))
        return err_set(e, ERR_INVALID, "--%s must be an absolute path here",
                       s->name);
    free(*path);
    *path =
        *value == '/' ? mem_copy_text(value) : mem_format("%s/%s", here, value);
    return 0;
}

static int set_whole(struct config *c, const struct setting *s,
                     const char *value, struct err *e)
{
    int64_t n = 0;

    if (!number_read_int(value, &n) || n < s->least || n > s->most)
        return err_set(e, ERR_INVALID,
                       "--%s must be a whole number from %lld to %lld, not "
                       "\"%.100s\"",
                       s->name, (long long)s->least, (long long)s->most, value);
    *(int64_t *)place(c, s) = n;
    return 0;
}

static int set_bytes(struct config *c, const struct setting *s,
                     const char *value, struct err *e)
{
    static const char units[] = "KMGT";
    char digits[NUMBER_TEXT];
    size_t n = strlen(value);
    const char *unit =
        n ? strchr(units, toupper((unsigned char)value[n - 1])) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    int64_t bytes = 0;

    snprintf(digits, sizeof digits, "%.*s", (int)(unit ? n - 1 : n), value);
    if (n >= sizeof digits || !number_read_int(digits, &bytes) || bytes < 0 ||
        bytes > INT64_MAX >> shift)
        return err_set(e, ERR_INVALID,
                       "--%s must be a number of bytes such as 64M, not "
                       "\"%.100s\"",
                       s->name, value);
    *(int64_t *)place(c, s) = bytes * ((int64_t)1 << shift);
    return 0;
}

static int set_level(struct config *c, const struct setting *s,
                     const char *value, struct err *e)
{
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(value, levels[i]) == 0) {
            *(enum log_level *)place(c, s) = (enum log_level)i;
            return 0;
        }
    return err_set(e, ERR_INVALID, "--%s must be %s, not \"%.100s\"", s->name,
                   s->sentence, value);
}

/* Alone it means yes. */
static int set_flag(struct config *c, const struct setting *s,
                    const char *value, struct err *e)
{
    bool yes = !value || strcmp(value, "yes") == 0;

    if (!yes && strcmp(value, "no") != 0)
        return err_set(e, ERR_INVALID,
                       "--%s stands alone or is yes or no, not \"%.100s\"",
                       s->name, value);
    *(bool *)place(c, s) = yes;
    return 0;
}

static int set_refused(struct config *c, const struct setting *s,
                       const char *value, struct err *e)
{
    (void)c;
    if (!*value)
        return 0;
    return err_set(e, ERR_INVALID, "--%s: %s", s->name, s->sentence);
}

static int (*const setters[])(struct config *c, const struct setting *s,
                              const char *value, struct err *e) = {
    [KIND_PATH] = set_path,   [KIND_WHOLE] = set_whole,
    [KIND_BYTES] = set_bytes, [KIND_LEVEL] = set_level,
    [KIND_FLAG] = set_flag,   [KIND_REFUSED] = set_refused,
};

/* ---- the machine's defaults ---- */

static int64_t count_processors(void)
{
    cpu_set_t set;

    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
}

static int64_t count_gpus(void)
{
    glob_t found = {0};
    int64_t n = 0;

    if (glob("/dev/nvidia[0-9]*", 0, NULL, &found) == 0)
        n = (int64_t)found.gl_pathc;
    globfree(&found);
    return n < MOST_PLACES ? n : MOST_PLACES;
}

static char *beside_program(const char *name)
{
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    self[n > 0 ? n : 0] = 0;
    slash = strrchr(self, '/');
    if (!slash)
        return mem_copy_text(name);
    *slash = 0;
    return mem_format("%s/%s", self, name);
}

static int default_state(char **out, struct err *e)
{
    const char *base = getenv("XDG_STATE_HOME");
    const char *home = getenv("HOME");
    const struct passwd *self = NULL;

    if (base && *base == '/') {
        *out = mem_format("%s/hypertune", base);
        return 0;
    }
    if ((!home || !*home) && (self = getpwuid(getuid())))
        home = self->pw_dir;
    if (!home || !*home)
        return err_set(e, ERR_INVALID,
                       "HOME is not set: name the state directory by --state");
    *out = mem_format("%s/.local/state/hypertune", home);
    return 0;
}

/* ---- reading ---- */

static int read_defaults(struct config *out, struct err *e)
{
    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].fallback &&
            setters[settings[i].kind](out, &settings[i], settings[i].fallback,
                                      e))
            return -1;
    out->processors = count_processors();
    out->gpus = count_gpus();
    out->shim = beside_program("hypertune-shim");
    return 0; /* `state` comes last: HOME may be missing if it is named */
}

static int read_environment(struct config *out, struct err *e)
{
    char name[64];

    for (size_t i = 0; i < SETTINGS; i++) {
        const char *value;

        snprintf(name, sizeof name, "HYPERTUNE_%s", settings[i].name);
        for (char *c = name; *c; c++)
            *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
        value = settings[i].flag_only ? NULL : getenv(name);
        if (value && *value &&
            setters[settings[i].kind](out, &settings[i], value, e))
            return err_wrap(e, "%s in the environment", name);
    }
    return 0;
}

static int unknown(const char *word, size_t n, struct err *e)
{
    const char *names[SETTINGS + WISHES];
    char *name = mem_copy_bytes(word, n);
    const char *near;

    for (size_t i = 0; i < SETTINGS; i++)
        names[i] = settings[i].name;
    for (size_t i = 0; i < WISHES; i++)
        names[SETTINGS + i] = wishes[i].name;
    near = fault_near(name, names, SETTINGS + WISHES);
    if (near)
        err_set(e, ERR_INVALID, "there is no --%.100s; did you mean --%s?",
                name, near);
    else
        err_set(e, ERR_INVALID, "there is no --%.100s; try --help", name);
    free(name);
    return -1;
}

static bool read_wish(const char *word, enum config_wish *wish)
{
    if (strcmp(word, "h") == 0)
        word = "help";
    for (size_t i = 0; i < WISHES; i++)
        if (strcmp(wishes[i].name, word) == 0) {
            *wish = wishes[i].wish;
            return true;
        }
    return false;
}

/* One flag at argv[*i]; its value may be the word after it. */
static int read_flag(struct config *out, int argc, char *const *argv, int *i,
                     struct err *e)
{
    const char *word = argv[*i] + 2;
    size_t n = strcspn(word, "=");
    const struct setting *s = settings;
    const char *value;

    while (s < settings + SETTINGS &&
           (strlen(s->name) != n || strncmp(s->name, word, n) != 0))
        s++;
    if (s == settings + SETTINGS)
        return unknown(word, n, e);
    value = word[n] ? word + n + 1 : NULL;
    if (!value && s->kind != KIND_FLAG && *i + 1 < argc)
        value = argv[++*i];
    if (!value && s->kind != KIND_FLAG)
        return err_set(e, ERR_INVALID, "--%s wants %s after it", s->name,
                       s->value);
    return setters[s->kind](out, s, value, e);
}

static int read_flags(struct config *out, int argc, char *const *argv,
                      enum config_wish *wish, struct err *e)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];

        if (word[0] == '-' && read_wish(word + (word[1] == '-' ? 2 : 1), wish))
            continue;
        if (strncmp(word, "--", 2) != 0)
            return err_set(e, ERR_INVALID,
                           "\"%.100s\" is no flag; hypertuned takes flags "
                           "only, try --help",
                           word);
        if (read_flag(out, argc, argv, &i, e))
            return -1;
    }
    return 0;
}

/* A private one has a socket of its own, named after whom it is for. */
static int check_together(const struct config *c, struct err *e)
{
    if (c->look_only && !c->private_for)
        return err_set(e, ERR_INVALID,
                       "--look-only wants --private-for PID beside it");
    return 0;
}

int config_read(struct config *out, int argc, char *const *argv,
                enum config_wish *wish, struct err *e)
{
    *out = (struct config){0};
    *wish = CONFIG_RUN;
    if (read_defaults(out, e) || read_environment(out, e) ||
        read_flags(out, argc, argv, wish, e) || check_together(out, e) ||
        (!out->state && default_state(&out->state, e))) {
        config_clear(out);
        return -1;
    }
    return 0;
}

void config_clear(struct config *c)
{
    free(c->state);
    free(c->shim);
    *c = (struct config){0};
}

/* ---- saying ---- */

static void print_value(const struct config *c, const struct setting *s,
                        struct text *out)
{
    const char *at = (const char *)c + s->offset;

    switch (s->kind) {
    case KIND_PATH:
        text_add(out, *(char *const *)at);
        break;
    case KIND_WHOLE:
    case KIND_BYTES:
        text_addf(out, "%lld", (long long)*(const int64_t *)at);
        break;
    case KIND_LEVEL:
        text_add(out, levels[*(const enum log_level *)at]);
        break;
    case KIND_FLAG:
        text_add(out, *(const bool *)at ? "yes" : "no");
        break;
    case KIND_REFUSED:
        break;
    }
}

void config_print(const struct config *c, struct text *out)
{
    for (size_t i = 0; i < SETTINGS; i++) {
        text_addf(out, "%s=", settings[i].name);
        print_value(c, &settings[i], out);
        text_add(out, "\n");
    }
}

void config_help(struct text *out)
{
    text_add(out, "usage: hypertuned [--SETTING VALUE]...\n\n"
                  "The Hypertune service: runs studies, and answers hypertune "
                  "on the socket in its\nstate directory.\n\n");
    for (size_t i = 0; i < SETTINGS; i++) {
        const struct setting *s = &settings[i];

        text_addf(out, "  --%s%s%s\n        %s", s->name, s->value ? " " : "",
                  s->value ? s->value : "", s->sentence);
        if (s->fallback && *s->fallback && strcmp(s->fallback, "0") != 0)
            text_addf(out, " (%s)", s->fallback);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < WISHES; i++)
        text_addf(out, "  --%s\n        %s\n", wishes[i].name,
                  wishes[i].sentence);
    text_add(out,
             "\nEach setting but the last two may stand in the environment "
             "too: --log-level as\nHYPERTUNE_LOG_LEVEL. Flags go over the "
             "environment.\n");
}
