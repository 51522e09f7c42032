/* The table of hypertuned's settings, and how the text of each is read. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/settings.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"

enum { MOST_PID = 1 << 22, MOST_CONNECTIONS = 60000 };

void settings_list_clear(struct settings_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct settings_list){0};
}

/* ---- the table ---- */

#define AT(member) offsetof(struct config, member)

static const struct setting settings[] = {
    {"state", "DIR", NULL, "where studies, trials and the socket are kept",
     AT(state), 0, 0, SETTING_PATH, false},
    {"config", "FILE", NULL, "a file of settings, one a line: NAME: VALUE",
     AT(config), 0, 0, SETTING_FILE, false},
    {"listen", "ADDRESS:PORT", NULL,
     "listen there too, for those who have a token; may be given again",
     AT(listen), 0, 0, SETTING_LIST, false},
    {"allow-host", "NAME", NULL,
     "a name by which this service may be called; may be given again",
     AT(allow_hosts), 0, 0, SETTING_LIST, false},
    {"tls-cert", "FILE", NULL, "speak TLS there, with this certificate (PEM)",
     AT(tls_certificate), 0, 0, SETTING_FILE, false},
    {"tls-key", "FILE", NULL, "the key of that certificate (PEM)", AT(tls_key),
     0, 0, SETTING_FILE, false},
    {"insecure-plain-http", NULL, NULL,
     "let other machines ask without TLS: whoever listens in gets the tokens",
     AT(insecure_plain_http), 0, 0, SETTING_FLAG, false},
    {"report-url", "URL", NULL,
     "where trials report over HTTP; else the first address listened on",
     AT(report_url), 0, 0, SETTING_TEXT, false},
    {"lease", "TIME", "0",
     "a client that holds a trial and is silent for so long is suspect, and "
     "the "
     "trial may go to another too; 0 = never",
     AT(lease_ms), 0, 0, SETTING_TIME, false},
    {"max-connections", "N", "10000",
     "connections to each such address; more of them wait",
     AT(most_connections), 1, MOST_CONNECTIONS, SETTING_WHOLE, false},
    {"image-map", "FILE", NULL,
     "what to run in place of the container images that jobs name",
     AT(image_map), 0, 0, SETTING_FILE, false},
    {"processors", "N", NULL,
     "trials at once where a study does not say, and processors for those that "
     "ask for some",
     AT(processors), 1, SETTINGS_MOST_PLACES, SETTING_WHOLE, false},
    {"memory", "BYTES", NULL, "what trials that ask for some may have together",
     AT(memory), 0, 0, SETTING_BYTES, false},
    {"gpus", "IDS", NULL,
     "indices or UUIDs of the GPUs that trials may have, or none", AT(gpus), 0,
     0, SETTING_LIST, false},
    {"least-free", "BYTES", "64M",
     "with less disk space than this nothing is launched", AT(least_free), 0, 0,
     SETTING_BYTES, false},
    {"container-host", "URL", NULL,
     "the socket of Docker or podman; else DOCKER_HOST, else one that is there",
     AT(container_host), 0, 0, SETTING_TEXT, false},
    {"shim", "FILE", NULL, "the program hypertune-shim that watches over a job",
     AT(shim), 0, 0, SETTING_PATH, false},
    {"log-level", "LEVEL", "info", "error, warn, info or debug", AT(log_level),
     0, 0, SETTING_LEVEL, false},
    {"private-for", "PID", "0",
     "end after that process has ended; running trials go on", AT(private_for),
     0, MOST_PID, SETTING_WHOLE, true},
    {"look-only", NULL, NULL,
     "answer what is stored and run nothing; wants --private-for",
     AT(look_only), 0, 0, SETTING_FLAG, true},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };
static_assert((int)SETTINGS <= (int)SETTINGS_MOST, "see settings.h");

const struct setting *settings_row(size_t i)
{
    return i < SETTINGS ? &settings[i] : NULL;
}

static const char *const levels[] = {"error", "warn", "info", "debug"};
enum { LEVELS = sizeof levels / sizeof levels[0] };

/* ---- values ---- */

static void *place(const struct settings_source *from, const struct setting *s)
{
    return (char *)from->out + s->offset;
}

static int set_file(struct settings_source *from, const struct setting *s,
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

static int set_path(struct settings_source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    if (!*value)
        return err_set(e, ERR_INVALID, "--%s wants a path", s->name);
    return set_file(from, s, value, e);
}

static int set_text(struct settings_source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    char **text = place(from, s);

    (void)e;
    free(*text);
    *text = *value ? mem_copy_text(value) : NULL;
    return 0;
}

static int set_whole(struct settings_source *from, const struct setting *s,
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

static int set_bytes(struct settings_source *from, const struct setting *s,
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

static int set_time(struct settings_source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    static const struct {
        char name;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    char digits[NUMBER_TEXT];
    size_t n = strlen(value);
    int64_t count = 0, ms = 0;

    for (size_t i = 0; n && i < sizeof units / sizeof units[0]; i++)
        if (value[n - 1] == units[i].name)
            ms = units[i].ms;
    snprintf(digits, sizeof digits, "%.*s", (int)(ms ? n - 1 : n), value);
    if (n >= sizeof digits || !number_read_int(digits, &count) || count < 0 ||
        (!ms && count) || (ms && count > INT64_MAX / 2 / ms))
        return err_set(e, ERR_INVALID,
                       "--%s must be a time such as 90s, 30m, 2h or 7d, not "
                       "\"%.100s\"",
                       s->name, value);
    *(int64_t *)place(from, s) = count * ms;
    return 0;
}

static int set_level(struct settings_source *from, const struct setting *s,
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
static int set_flag(struct settings_source *from, const struct setting *s,
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

static int set_list(struct settings_source *from, const struct setting *s,
                    const char *value, struct err *e)
{
    struct settings_list *list = place(from, s);

    (void)e;
    if (!from->listed[s - settings])
        settings_list_clear(list);
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

static int (*const setters[])(struct settings_source *from,
                              const struct setting *s, const char *value,
                              struct err *e) = {
    [SETTING_PATH] = set_path,   [SETTING_FILE] = set_file,
    [SETTING_TEXT] = set_text,   [SETTING_WHOLE] = set_whole,
    [SETTING_BYTES] = set_bytes, [SETTING_TIME] = set_time,
    [SETTING_LEVEL] = set_level, [SETTING_FLAG] = set_flag,
    [SETTING_LIST] = set_list,
};

int settings_set(struct settings_source *from, const struct setting *s,
                 const char *value, struct err *e)
{
    return setters[s->kind](from, s, value, e);
}

/* ---- saying ---- */

static void print_list(const struct settings_list *list, struct text *out)
{
    for (size_t i = 0; i < list->n; i++)
        text_addf(out, "%s%s", i ? "," : "", list->items[i]);
}

void settings_print(const struct config *c, const struct setting *s,
                    struct text *out)
{
    const void *at = (const char *)c + s->offset;

    switch (s->kind) {
    case SETTING_PATH:
    case SETTING_FILE:
    case SETTING_TEXT:
        text_add(out, *(char *const *)at ? *(char *const *)at : "");
        break;
    case SETTING_WHOLE:
    case SETTING_BYTES:
        text_addf(out, "%lld", (long long)*(const int64_t *)at);
        break;
    case SETTING_TIME:
        text_addf(out, "%llds", (long long)*(const int64_t *)at / 1000);
        break;
    case SETTING_LEVEL:
        text_add(out, levels[*(const enum log_level *)at]);
        break;
    case SETTING_FLAG:
        text_add(out, *(const bool *)at ? "yes" : "no");
        break;
    case SETTING_LIST:
        print_list(at, out);
        break;
    }
}
