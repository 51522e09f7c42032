/* How hypertuned is set up: one table. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/config.h"

#include <ctype.h>
#include <errno.h>
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
#include "base/node.h"
#include "base/number.h"
#include "face/address.h"

enum {
    MOST_PLACES = 1024,
    MOST_PID = 1 << 22,
    MOST_CONNECTIONS = 60000,
    MOST_FILE = 1 << 20, /* bytes */
    MOST_HOST = 256
};

/* ---- the table ---- */

enum kind {
    KIND_PATH,  /* made absolute */
    KIND_FILE,  /* the same; may be empty */
    KIND_WHOLE, /* from least to most */
    KIND_BYTES, /* a whole number, perhaps with K, M, G or T */
    KIND_LEVEL, /* of the log */
    KIND_FLAG,  /* stands alone; =yes or =no */
    KIND_LIST   /* with commas, or given again and again */
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
    {"config", "FILE", NULL, "a file of settings, one a line: NAME: VALUE",
     AT(config), 0, 0, KIND_FILE, false},
    {"listen", "ADDRESS:PORT", NULL,
     "listen there too, for those who have a token; may be given again",
     AT(listen), 0, 0, KIND_LIST, false},
    {"allow-host", "NAME", NULL,
     "a name by which this service may be called; may be given again",
     AT(allow_hosts), 0, 0, KIND_LIST, false},
    {"tls-cert", "FILE", NULL, "speak TLS there, with this certificate (PEM)",
     AT(tls_certificate), 0, 0, KIND_FILE, false},
    {"tls-key", "FILE", NULL, "the key of that certificate (PEM)", AT(tls_key),
     0, 0, KIND_FILE, false},
    {"insecure-plain-http", NULL, NULL,
     "let other machines ask without TLS: whoever listens in gets the tokens",
     AT(insecure_plain_http), 0, 0, KIND_FLAG, false},
    {"max-connections", "N", "10000",
     "connections to each such address; more of them wait",
     AT(most_connections), 1, MOST_CONNECTIONS, KIND_WHOLE, false},
    {"image-map", "FILE", NULL,
     "what to run in place of the container images that jobs name",
     AT(image_map), 0, 0, KIND_FILE, false},
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

/* One place that settings come from. */
struct source {
    struct config *out;
    const char *folder;    /* relative paths hang on it; NULL = where we are */
    bool listed[SETTINGS]; /* lists that it has begun anew */
};

static void *place(const struct source *from, const struct setting *s)
{
    return (char *)from->out + s->offset;
}

/* ---- values ---- */

static int set_file(struct source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    char **path = place(from, s);
    const char *folder = from->folder;
    char here[PATH_MAX];

    if (*value && *value != '/' && !folder &&
        !(folder = getcwd(here, PATH_MAX)))
        return err_set(e, ERR_INVALID, "--%s must be an absolute path here",
                       s->name);
    free(*path);
    *path = !*value         ? NULL
            : *value == '/' ? mem_copy_text(value)
                            : mem_format("%s/%s", folder, value);
    return 0;
}

static int set_path(struct source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    if (!*value)
        return err_set(e, ERR_INVALID, "--%s wants a path", s->name);
    return set_file(from, s, value, e);
}

static int set_whole(struct source *from, const struct setting *s,
                     const char *value, struct err *e)
{
    int64_t n = 0;

    if (!number_read_int(value, &n) || n < s->least || n > s->most)
        return err_set(e, ERR_INVALID,
                       "--%s must be a whole number from %lld to %lld, not "
                       "\"%.100s\"",
                       s->name, (long long)s->least, (long long)s->most, value);
    *(int64_t *)place(from, s) = n;
    return 0;
}

static int set_bytes(struct source *from, const struct setting *s,
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
    *(int64_t *)place(from, s) = bytes * ((int64_t)1 << shift);
    return 0;
}

static int set_level(struct source *from, const struct setting *s,
                     const char *value, struct err *e)
{
    for (int i = 0; i < LEVELS; i++)
        if (strcmp(value, levels[i]) == 0) {
            *(enum log_level *)place(from, s) = (enum log_level)i;
            return 0;
        }
    return err_set(e, ERR_INVALID, "--%s must be %s, not \"%.100s\"", s->name,
                   s->sentence, value);
}

/* Alone it means yes. */
static int set_flag(struct source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    bool yes =
        !value || strcmp(value, "yes") == 0 || strcmp(value, "true") == 0;

    if (!yes && strcmp(value, "no") != 0 && strcmp(value, "false") != 0)
        return err_set(e, ERR_INVALID,
                       "--%s stands alone or is yes or no, not \"%.100s\"",
                       s->name, value);
    *(bool *)place(from, s) = yes;
    return 0;
}

static void list_clear(struct config_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct config_list){0};
}

/* The first of a source takes the place of what was listed before it. */
static int set_list(struct source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    struct config_list *list = place(from, s);

    (void)e;
    if (!from->listed[s - settings])
        list_clear(list);
    from->listed[s - settings] = true;
    while (*value) {
        size_t n = strcspn(value, ", ");

        if (n > 0) {
            list->items =
                mem_resize(list->items, list->n + 1, sizeof *list->items);
            list->items[list->n++] = mem_copy_bytes(value, n);
        }
        value += n + (value[n] != 0);
    }
    return 0;
}

static int (*const setters[])(struct source *from, const struct setting *s,
                              const char *value, struct err *e) = {
    [KIND_PATH] = set_path,   [KIND_FILE] = set_file,
    [KIND_WHOLE] = set_whole, [KIND_BYTES] = set_bytes,
    [KIND_LEVEL] = set_level, [KIND_FLAG] = set_flag,
    [KIND_LIST] = set_list,
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
    struct source from = {.out = out};

    for (size_t i = 0; i < SETTINGS; i++)
        if (settings[i].fallback &&
            setters[settings[i].kind](&from, &settings[i], settings[i].fallback,
                                      e))
            return -1;
    out->processors = count_processors();
    out->gpus = count_gpus();
    out->shim = beside_program("hypertune-shim");
    return 0; /* `state` comes last: HOME may be missing if it is named */
}

/* What it is called in the environment. */
static void variable(const struct setting *s, char *out, size_t size)
{
    snprintf(out, size, "HYPERTUNE_%s", s->name);
    for (char *c = out; *c; c++)
        *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
}

static int read_environment(struct config *out, struct err *e)
{
    struct source from = {.out = out};
    char name[64];

    for (size_t i = 0; i < SETTINGS; i++) {
        const char *value;

        variable(&settings[i], name, sizeof name);
        value = settings[i].flag_only ? NULL : getenv(name);
        if (value && *value &&
            setters[settings[i].kind](&from, &settings[i], value, e))
            return err_wrap(e, "%s in the environment", name);
    }
    return 0;
}

/* ---- the file ---- */

static int at(const char *path, int line, int column, struct err *e)
{
    return err_wrap(e, "%s:%d:%d", path, line, column);
}

static int read_value(struct source *from, const struct setting *s,
                      const struct node *value, struct err *e)
{
    if (value->kind == NODE_NULL)
        return 0;
    if (value->kind == NODE_SCALAR)
        return setters[s->kind](from, s, value->text, e);
    if (value->kind != NODE_LIST || s->kind != KIND_LIST)
        return err_set(e, ERR_INVALID, "%s wants %s", s->name,
                       s->value ? s->value : "yes or no");
    for (size_t i = 0; i < value->n; i++)
        if (value->items[i].value->kind != NODE_SCALAR)
            return err_set(e, ERR_INVALID, "%s wants a list of words", s->name);
        else if (set_list(from, s, value->items[i].value->text, e))
            return -1;
    return 0;
}

static int read_item(struct source *from, const struct node_item *item,
                     struct err *e)
{
    const char *names[SETTINGS];
    const char *near;
    size_t n = 0;

    for (size_t i = 0; i < SETTINGS; i++) {
        if (settings[i].flag_only || settings[i].offset == AT(config))
            continue;
        if (strcmp(settings[i].name, item->key) == 0)
            return read_value(from, &settings[i], item->value, e);
        names[n++] = settings[i].name;
    }
    near = fault_near(item->key, names, n);
    if (near)
        return err_set(e, ERR_INVALID,
                       "there is no setting %.100s; did you mean %s?",
                       item->key, near);
    return err_set(e, ERR_INVALID,
                   "there is no setting %.100s here; try --help", item->key);
}

static int read_document(struct source *from, const char *path,
                         const struct node *root, struct err *e)
{
    if (root->kind == NODE_NULL)
        return 0;
    if (root->kind != NODE_MAP) {
        err_set(e, ERR_INVALID, "settings are written as NAME: VALUE");
        return at(path, root->line, root->column, e);
    }
    for (size_t i = 0; i < root->n; i++)
        if (read_item(from, &root->items[i], e))
            return at(path, root->items[i].line, root->items[i].column, e);
    return 0;
}

/* Only blanks and comments: no document, but a good file. */
static bool says_nothing(const char *bytes)
{
    while (*bytes) {
        bytes += strspn(bytes, " \t\r\n");
        if (*bytes && *bytes != '#')
            return false;
        bytes += strcspn(bytes, "\n");
    }
    return true;
}

static int parse_file(struct source *from, const char *path, const char *bytes,
                      size_t n, struct err *e)
{
    struct node *root = NULL;
    struct faults f;
    int rc = 0;

    if (says_nothing(bytes))
        return 0;
    faults_init(&f);
    if (node_parse(bytes, n, &root, &f)) {
        err_set(e, ERR_INVALID, "%s", f.items[0].text);
        rc = at(path, f.items[0].line, f.items[0].column, e);
    } else {
        rc = read_document(from, path, root, e);
    }
    node_free(root);
    faults_clear(&f);
    return rc;
}

/* Relative paths in it hang on its own folder. */
static int read_file(struct config *out, struct err *e)
{
    char *path = mem_copy_text(out->config);
    char *folder = mem_copy_bytes(path, (size_t)(strrchr(path, '/') - path));
    char *bytes = mem_new(MOST_FILE + 1, 1);
    struct source from = {.out = out, .folder = folder};
    FILE *file = fopen(path, "re");
    size_t n = 0;
    int rc = -1;

    if (file)
        n = fread(bytes, 1, MOST_FILE + 1, file);
    if (!file || ferror(file)) {
        err_errno(e, errno, "cannot read %s", path);
        e->code = ERR_INVALID;
    } else if (n > MOST_FILE) {
        err_set(e, ERR_INVALID, "%s is too large for a file of settings", path);
    } else {
        rc = parse_file(&from, path, bytes, n, e);
    }
    if (file)
        (void)fclose(file);
    free(bytes);
    free(folder);
    free(path);
    return rc;
}

/* ---- flags ---- */

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
static int read_flag(struct source *from, int argc, char *const *argv, int *i,
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
    return setters[s->kind](from, s, value, e);
}

static int read_flags(struct config *out, int argc, char *const *argv,
                      enum config_wish *wish, struct err *e)
{
    struct source from = {.out = out};

    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];

        if (word[0] == '-' && read_wish(word + (word[1] == '-' ? 2 : 1), wish))
            continue;
        if (strncmp(word, "--", 2) != 0)
            return err_set(e, ERR_INVALID,
                           "\"%.100s\" is no flag; hypertuned takes flags "
                           "only, try --help",
                           word);
        if (read_flag(&from, argc, argv, &i, e))
            return -1;
    }
    return 0;
}

/* ---- what must fit together ---- */

static int check_address(const struct config *c, const char *text,
                         struct err *e)
{
    struct address a;

    if (address_read(&a, text, e))
        return err_wrap(e, "--listen");
    if (a.loopback || c->tls_certificate || c->insecure_plain_http)
        return 0;
    return err_set(e, ERR_INVALID,
                   "--listen %.100s can be reached from other machines: give "
                   "--tls-cert and --tls-key too, or --insecure-plain-http if "
                   "nobody can listen in on the network",
                   text);
}

static int check_host(const char *text, struct err *e)
{
    char host[MOST_HOST];

    if (address_host(text, host, sizeof host) && !strpbrk(text, "/*@[]"))
        return 0;
    return err_set(e, ERR_INVALID,
                   "--allow-host %.100s is no name of a host, such as "
                   "tune.example.org",
                   text);
}

static int check_together(const struct config *c, struct err *e)
{
    /* A private one has a socket of its own, named after whom it is for. */
    if (c->look_only && !c->private_for)
        return err_set(e, ERR_INVALID,
                       "--look-only wants --private-for PID beside it");
    if (!c->tls_certificate != !c->tls_key)
        return err_set(e, ERR_INVALID, "--%s wants --%s beside it",
                       c->tls_key ? "tls-key" : "tls-cert",
                       c->tls_key ? "tls-cert" : "tls-key");
    for (size_t i = 0; i < c->listen.n; i++)
        if (check_address(c, c->listen.items[i], e))
            return -1;
    for (size_t i = 0; i < c->allow_hosts.n; i++)
        if (check_host(c->allow_hosts.items[i], e))
            return -1;
    return 0;
}

/* Which file is read is looked up first; what it says counts least. */
static int find_file(struct config *out, int argc, char *const *argv,
                     enum config_wish *wish, struct err *e)
{
    struct config first = {0};
    int rc =
        read_environment(&first, e) || read_flags(&first, argc, argv, wish, e);

    out->config = first.config;
    first.config = NULL;
    config_clear(&first);
    return rc;
}

int config_read(struct config *out, int argc, char *const *argv,
                enum config_wish *wish, struct err *e)
{
    *out = (struct config){0};
    *wish = CONFIG_RUN;
    if (find_file(out, argc, argv, wish, e) || read_defaults(out, e) ||
        (out->config && read_file(out, e)) || read_environment(out, e) ||
        read_flags(out, argc, argv, wish, e) || check_together(out, e) ||
        (!out->state && default_state(&out->state, e))) {
        config_clear(out);
        return -1;
    }
    return 0;
}

void config_clear(struct config *c)
{
    list_clear(&c->listen);
    list_clear(&c->allow_hosts);
    free(c->state);
    free(c->config);
    free(c->tls_certificate);
    free(c->tls_key);
    free(c->image_map);
    free(c->shim);
    *c = (struct config){0};
}

/* ---- saying ---- */

static void print_list(const struct config_list *list, struct text *out)
{
    for (size_t i = 0; i < list->n; i++)
        text_addf(out, "%s%s", i ? "," : "", list->items[i]);
}

static void print_value(const struct config *c, const struct setting *s,
                        struct text *out)
{
    const void *at = (const char *)c + s->offset;

    switch (s->kind) {
    case KIND_PATH:
    case KIND_FILE:
        text_add(out, *(char *const *)at ? *(char *const *)at : "");
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
    case KIND_LIST:
        print_list(at, out);
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
             "too: --log-level as\nHYPERTUNE_LOG_LEVEL, and in the file of "
             "--config: log-level: info. Flags go over\nthe environment, and "
             "that over the file.\n");
}
