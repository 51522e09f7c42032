/* Where things are: flags over environment over defaults. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/place.h"

#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/mem.h"

/* The variable's value, or NULL if it is unset or empty. */
static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

static char *absolute(const char *path)
{
    char here[PATH_MAX];

    if (*path == '/' || !getcwd(here, sizeof here))
        return mem_copy_text(path);
    return mem_format("%s/%s", here, path);
}

int place_state(const struct options *o, char **out, struct err *e)
{
    const char *path = o->text[OPTION_STATE], *home = environment("HOME");
    const struct passwd *self;

    if (path && !*path)
        return err_set(e, ERR_INVALID, "--state wants a folder");
    if (!path)
        path = environment("HYPERTUNE_STATE");
    if (path) {
        *out = absolute(path);
        return 0;
    }
    path = environment("XDG_STATE_HOME");
    if (path && *path == '/') {
        *out = mem_format("%s/hypertune", path);
        return 0;
    }
    if (!home && (self = getpwuid(getuid())))
        home = self->pw_dir;
    if (!home)
        return err_set(e, ERR_INVALID,
                       "HOME is not set: name the state directory by --state");
    *out = mem_format("%s/.local/state/hypertune", home);
    return 0;
}

int place_server(const struct options *o, char **out, int *told, struct err *e)
{
    const char *url = o->text[OPTION_SERVER];
    char *state = NULL;

    if (!url && !o->text[OPTION_STATE])
        url = environment("HYPERTUNE_SERVER");
    if (told)
        *told = url != NULL;
    if (url) {
        *out = mem_copy_text(url);
        return 0;
    }
    if (place_state(o, &state, e))
        return -1;
    *out = mem_format("unix:%s/hypertuned.sock", state);
    free(state);
    return 0;
}

/* Whether the host of a URL is this machine. */
static bool is_here(const char *url)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    const char *host = strstr(url, "://");
    size_t n;

    if (!host)
        return false;
    host += 3;
    n = *host == '[' ? strcspn(host, "]/") + 1 : strcspn(host, ":/?#");
    if (memchr(host, '@', strcspn(host, "/?#")))
        return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == n && !strncasecmp(host, names[i], n))
            return strchr(":/?#", host[n]) != NULL; /* or the end */
    return false;
}

const char *place_ca(const struct options *o)
{
    const char *path = o->text[OPTION_CA];

    return path && *path ? path : environment("HYPERTUNE_CA");
}

char *place_token(const struct options *o, const char *server)
{
    const char *token = environment("HYPERTUNE_TOKEN");
    char *state = NULL, *path, line[256];
    FILE *file;
    struct err e;

    if (token)
        return mem_copy_text(token);
    if (!is_here(server) || place_state(o, &state, &e))
        return NULL;
    path = mem_format("%s/token", state);
    free(state);
    file = fopen(path, "re");
    free(path);
    if (!file)
        return NULL;
    if (!fgets(line, sizeof line, file))
        *line = 0;
    (void)fclose(file);
    line[strcspn(line, "\r\n")] = 0;
    return *line ? mem_copy_text(line) : NULL;
}
