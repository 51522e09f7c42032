/* Where the folders of a trial are. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/places.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

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

static const char of_trial[] = "{trial}";

char *places_lines(const struct study *s, const struct places *at)
{
    const char *rest = s->job.lines_file, *hole;
    struct text out;

    if (!rest)
        return NULL;
    text_init(&out);
    while ((hole = strstr(rest, of_trial))) {
        text_add_bytes(&out, rest, (size_t)(hole - rest));
        text_addf(&out, "%lld", (long long)at->trial);
        rest = hole + strlen(of_trial);
    }
    text_add(&out, rest);
    return text_take(&out);
}

int places_check_lines(const struct study *s, struct err *e)
{
    const char *file = s->job.lines_file;

    if (!file || !study_launches(s) || s->parallel == 1 || s->trials == 1 ||
        strstr(file, of_trial))
        return 0;
    return err_set(e, ERR_INVALID,
                   "metrics: trials that run at once would all write to "
                   "\"%.200s\"; put {trial} into the name, or write parallel: "
                   "1",
                   file);
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
