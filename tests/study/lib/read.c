/* Study files as texts, for tests. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/study/lib/read.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/codec.h"

static char *told(const struct faults *f)
{
    struct text out;

    text_init(&out);
    for (size_t i = 0; i < f->n; i++)
        text_addf(&out, "%d:%d: %s\n", f->items[i].line, f->items[i].column,
                  f->items[i].text);
    return text_take(&out);
}

static void must_decode(const char *text, struct study *s)
{
    struct faults f;
    char *sentences;
    int rc;

    faults_init(&f);
    rc = codec_decode(text, strlen(text), "file.yaml", s, &f);
    sentences = told(&f);
    ck_assert_msg(rc == 0, "%s\n%s", text, sentences);
    ck_assert_uint_eq(f.n, 0);
    free(sentences);
    faults_clear(&f);
}

void read_again(const struct study *s)
{
    char *stored = write_json(s), *again;
    struct study then;

    must_decode(stored, &then);
    again = write_json(&then);
    ck_assert_str_eq(stored, again);
    free(again);
    free(stored);
    study_clear(&then);
}

void read_good(const char *text, struct study *s)
{
    must_decode(text, s);
    read_again(s);
}

char *read_faults(const char *text)
{
    struct faults f;
    struct study s;
    char *sentences;

    faults_init(&f);
    if (codec_decode(text, strlen(text), "file.yaml", &s, &f) == 0)
        study_clear(&s);
    sentences = told(&f);
    faults_clear(&f);
    return sentences;
}

char *write_json(const struct study *s)
{
    struct text out;

    text_init(&out);
    codec_write_json(s, &out);
    return text_take(&out);
}

char *write_yaml(const struct study *s)
{
    struct text out;

    text_init(&out);
    codec_write_yaml(s, &out);
    return text_take(&out);
}

static char *role_line(const struct study_task *t)
{
    struct text out;

    text_init(&out);
    text_addf(&out, "%d %s ", t->replicas, t->image ? t->image : "-");
    for (size_t i = 0; i < t->n_argv; i++)
        text_addf(&out, i < t->n_entry ? "<%s>" : "[%s]", t->argv[i]);
    for (size_t i = 0; i < t->n_env; i++)
        text_addf(&out, " %s=%s", t->env[i].name, t->env[i].value);
    text_addf(&out, " %s %g %d %lld", t->workdir ? t->workdir : "-", t->cpus,
              t->gpus, (long long)t->memory);
    return text_take(&out);
}

void check_roles(const char *text, const char *const *lines)
{
    struct study s;

    read_good(text, &s);
    for (int i = 0; i < STUDY_ROLES; i++) {
        const char *line = lines[i] ? lines[i] : "0 -  - 0 0 0";
        char *is = role_line(&s.job.tasks[i]);

        ck_assert_msg(strcmp(line, is) == 0, "%s\n%s is %s", text,
                      study_role_name((enum study_role)i), is);
        free(is);
    }
    study_clear(&s);
}

char *read_source(const char *path)
{
    const char *root = getenv("HYPERTUNE_SOURCE");
    char *whole = mem_format("%s/%s", root ? root : ".", path);
    FILE *file = fopen(whole, "rb");
    char block[4096];
    struct text out;
    size_t n;

    ck_assert_msg(file != NULL, "%s cannot be opened", whole);
    text_init(&out);
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        text_add_bytes(&out, block, n);
    (void)fclose(file);
    free(whole);
    return text_take(&out);
}
