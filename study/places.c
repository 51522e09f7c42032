/* Where the folders of a trial are. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

char *places_absolute(const char *path, const struct places *at)
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
                      const struct places *at)
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

char *places_workdir(const struct study *s, const struct places *at)
{
    const struct study_task *t;
    enum study_role role;
    int index;

    study_replica(s, at->rank, &role, &index);
    t = &s->job.tasks[role];
    return t->image ? mem_copy_text(t->workdir)
                    : places_absolute(t->workdir, at);
}

char *places_folder(const struct study *s, const struct places *at)
{
    enum study_role role;
    int index;

    if (at->rank == 0)
        return mem_copy_text(at->folder);
    study_replica(s, at->rank, &role, &index);
    return mem_format("%s/%s-%d", at->folder, study_role_name(role), index);
}
