/* How hypertuned is set up: where its settings are read from. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <pwd.h>
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
#include "service/settings.h"
#include "trials/gpus.h"
#include "trials/machine.h"

enum {
    MOST_FILE = 1 << 20, /* bytes */
    MOST_HOST = 256
};

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

/* ---- the machine's defaults ---- */

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
    struct settings_source from = {.out = out};
    const struct setting *s;

    for (size_t i = 0; (s = settings_row(i)); i++)
        if (s->fallback && settings_set(&from, s, s->fallback, e))
            return -1;
    out->processors = machine_processors("");
    out->memory = machine_memory("");
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
    struct settings_source from = {.out = out};
    const struct setting *s;
    char name[64];

    for (size_t i = 0; (s = settings_row(i)); i++) {
        const char *value;

        variable(s, name, sizeof name);
        value = s->flag_only ? NULL : getenv(name);
        if (value && *value && settings_set(&from, s, value, e))
            return err_wrap(e, "%s in the environment", name);
    }
    return 0;
}

/* ---- the file ---- */

static int at(const char *path, int line, int column, struct err *e)
{
    return err_wrap(e, "%s:%d:%d", path, line, column);
}

static int read_value(struct settings_source *from, const struct setting *s,
                      const struct node *value, struct err *e)
{
    if (value->kind == NODE_NULL)
        return 0;
    if (value->kind == NODE_SCALAR)
        return settings_set(from, s, value->text, e);
    if (value->kind != NODE_LIST || s->kind != SETTING_LIST)
        return err_set(e, ERR_INVALID, "%s wants %s", s->name,
                       s->value ? s->value : "yes or no");
    for (size_t i = 0; i < value->n; i++)
        if (value->items[i].value->kind != NODE_SCALAR)
            return err_set(e, ERR_INVALID, "%s wants a list of words", s->name);
        else if (settings_set(from, s, value->items[i].value->text, e))
            return -1;
    return 0;
}

static int read_item(struct settings_source *from, const struct node_item *item,
                     struct err *e)
{
    const char *names[SETTINGS_MOST];
    const struct setting *s;
    const char *near;
    size_t n = 0;

    for (size_t i = 0; (s = settings_row(i)); i++) {
        if (s->flag_only || s->offset == offsetof(struct config, config))
            continue;
        if (strcmp(s->name, item->key) == 0)
            return read_value(from, s, item->value, e);
        names[n++] = s->name;
    }
    near = fault_near(item->key, names, n);
    if (near)
        return err_set(e, ERR_INVALID,
                       "there is no setting %.100s; did you mean %s?",
                       item->key, near);
    return err_set(e, ERR_INVALID,
                   "there is no setting %.100s here; try --help", item->key);
}

static int read_document(struct settings_source *from, const char *path,
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

static int parse_file(struct settings_source *from, const char *path,
                      const char *bytes, size_t n, struct err *e)
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
    struct settings_source from = {.out = out, .folder = folder};
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
    const char *names[SETTINGS_MOST + WISHES];
    const struct setting *s;
    char *name = mem_copy_bytes(word, n);
    const char *near;
    size_t known = 0;

    for (size_t i = 0; (s = settings_row(i)); i++)
        names[known++] = s->name;
    for (size_t i = 0; i < WISHES; i++)
        names[known++] = wishes[i].name;
    near = fault_near(name, names, known);
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

static const struct setting *find(const char *name, size_t n)
{
    const struct setting *s;

    for (size_t i = 0; (s = settings_row(i)); i++)
        if (strlen(s->name) == n && strncmp(s->name, name, n) == 0)
            return s;
    return NULL;
}

/* One flag at argv[*i]; its value may be the word after it. */
static int read_flag(struct settings_source *from, int argc, char *const *argv,
                     int *i, struct err *e)
{
    const char *word = argv[*i] + 2;
    size_t n = strcspn(word, "=");
    const struct setting *s = find(word, n);
    const char *value;

    if (!s)
        return unknown(word, n, e);
    value = word[n] ? word + n + 1 : NULL;
    if (!value && s->kind != SETTING_FLAG && *i + 1 < argc)
        value = argv[++*i];
    if (!value && s->kind != SETTING_FLAG)
        return err_set(e, ERR_INVALID, "--%s wants %s after it", s->name,
                       s->value);
    return settings_set(from, s, value, e);
}

static int read_flags(struct config *out, int argc, char *const *argv,
                      enum config_wish *wish, struct err *e)
{
    struct settings_source from = {.out = out};

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

/* Whether it listens at all is said first: the Unix socket asks for no token,
 * and nothing should lead there from other machines. */
static int check_report_url(const struct config *c, struct err *e)
{
    char host[MOST_HOST];

    if (!c->report_url)
        return 0;
    if (!c->listen.n)
        return err_set(e, ERR_INVALID, "--report-url wants --listen beside it");
    for (char *end = c->report_url + strlen(c->report_url);
         end > c->report_url && end[-1] == '/';)
        *--end = 0;
    if (address_url_host(c->report_url, host, sizeof host))
        return 0;
    return err_set(e, ERR_INVALID,
                   "--report-url %.100s is no URL such as "
                   "https://tune.example.org:8470",
                   c->report_url);
}

int config_gpus(const struct config *c, struct gpus *out, struct err *e)
{
    struct text all;
    int rc = 0;

    *out = (struct gpus){0};
    text_init(&all);
    for (size_t i = 0; i < c->gpus.n; i++)
        text_addf(&all, "%s%s", i ? "," : "", c->gpus.items[i]);
    if (all.len && gpus_read(out, text_str(&all), e))
        rc = err_wrap(e, "--gpus");
    text_clear(&all);
    return rc;
}

static int check_together(const struct config *c, struct err *e)
{
    struct gpus gpus;

    if (config_gpus(c, &gpus, e))
        return -1;
    gpus_clear(&gpus);
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
    return check_report_url(c, e);
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
    settings_list_clear(&c->listen);
    settings_list_clear(&c->allow_hosts);
    settings_list_clear(&c->gpus);
    free(c->state);
    free(c->config);
    free(c->tls_certificate);
    free(c->tls_key);
    free(c->image_map);
    free(c->report_url);
    free(c->container_host);
    free(c->shim);
    *c = (struct config){0};
}

/* ---- saying ---- */

void config_print(const struct config *c, struct text *out)
{
    const struct setting *s;

    for (size_t i = 0; (s = settings_row(i)); i++) {
        text_addf(out, "%s=", s->name);
        settings_print(c, s, out);
        text_add(out, "\n");
    }
}

void config_help(struct text *out)
{
    const struct setting *s;

    text_add(out, "usage: hypertuned [--SETTING VALUE]...\n\n"
                  "The Hypertune service: runs studies, and answers hypertune "
                  "on the socket in its\nstate directory.\n\n");
    for (size_t i = 0; (s = settings_row(i)); i++) {
        text_addf(out, "  --%s%s%s\n        %s", s->name, s->value ? " " : "",
                  s->value ? s->value : "", s->sentence);
        if (s->fallback && *s->fallback && strcmp(s->fallback, "0") != 0)
            text_addf(out, " (%s)", s->fallback);
        text_add(out, "\n");
    }
    for (size_t i = 0; i < WISHES; i++)
        text_addf(out, "  --%s\n        %s\n", wishes[i].name,
                  wishes[i].sentence);
    text_add(
        out,
        "\nEach setting but --private-for and --look-only may stand in the "
        "environment\ntoo: --log-level as HYPERTUNE_LOG_LEVEL, and in the "
        "file of --config: log-level:\ninfo. Flags go over the "
        "environment, and that over the file.\n");
}
