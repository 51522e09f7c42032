/* Where the folders of a trial are. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *places_absolute(const char *path, const struct command_place *at)
{
    if (!path || !*path || strcmp(path, ".") == 0)
        return mem_copy_text(at->base_dir);
    if (path[0] == '/')
        return mem_copy_text(path);
    return mem_format("%s/%s", at->base_dir, path);
}

static void trim_slashes(char *path)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        path[--n] = '\0';
}

char *places_of_trial(const struct study *s, const char *dir,
                      const struct command_place *at)
{
    char *base = places_absolute(dir, at);
    char *out;

    trim_slashes(base);
    if (!study_tunes(s))
        return base;
    out = mem_format("%s/%lld", base, (long long)at->trial);
    free(base);
    return out;
}

char *places_above(const char *path)
{
    char *out = mem_copy_text(path), *slash;

    trim_slashes(out);
    slash = strrchr(out, '/');
    if (slash && slash != out)
        *slash = '\0';
    return out;
}
