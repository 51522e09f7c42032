/* What the replicas of one role run, word by word, out of a document. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LONGEST_VARIABLE = 256, LONGEST_IMAGE = 1000 };

static const char all_args[] = "{args}";

void program_begin(struct reading *r, struct study_task *task)
{
    r->task = task;
    r->holes = 0;
}

/* ---- words ---- */

static size_t count_holes(const char *word)
{
    size_t n = 0;

    for (; (word = strstr(word, all_args)); word += strlen(all_args))
        n++;
    return n;
}

void program_word(struct reading *r, const char *key, const struct node *v,
                  const char *word)
{
    struct study_task *t = r->task;
    size_t before = r->holes;

    r->holes += count_holes(word);
    if (before <= 1 && r->holes > 1)
        reading_fault(r, v, "%s: {args} may stand there once", key);
    t->argv = mem_resize(t->argv, t->n_argv + 1, sizeof *t->argv);
    t->argv[t->n_argv++] = mem_copy_text(word);
}

void program_words(struct reading *r, const char *key, const struct node *v)
{
    if (v->kind != NODE_LIST) {
        reading_fault(r, v, "%s must be a list of words", key);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node *word = v->items[i].value;

        if (word->kind == NODE_SCALAR)
            program_word(r, key, word, word->text);
        else
            reading_fault(r, word,
                          "%s must be a list of words; put this one "
                          "in quotes",
                          key);
    }
}

void program_entry(struct reading *r, const char *key, const struct node *v)
{
    struct study_task *t = r->task;

    t->n_entry = t->n_argv;
    for (size_t i = 0; i < t->n_entry; i++)
        if (strcmp(t->argv[i], all_args) == 0)
            reading_fault(r, v,
                          "%s: the word {args} belongs among the arguments, "
                          "not into the entrypoint",
                          key);
}

void program_check(struct reading *r, const char *key, const struct node *v,
                   size_t before)
{
    const struct study_task *t = r->task;

    if (r->f->n == before && (t->n_argv == 0 || !*t->argv[0]))
        reading_fault(r, v, "%s: there is no program to run", key);
}

/* ---- variables ---- */

static bool is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

void program_env(struct reading *r, const struct node *at, const char *name,
                 const char *value)
{
    struct study_task *t = r->task;
    size_t i = 0;

    if (!is_identifier(name) || strlen(name) > LONGEST_VARIABLE) {
        reading_fault(r, at,
                      "env: \"%.60s\" is no name of a variable (letters, "
                      "digits and _, at most %d)",
                      name, LONGEST_VARIABLE);
        return;
    }
    if (strncmp(name, "HYPERTUNE_", 10) == 0) {
        reading_fault(r, at,
                      "env: %.60s: names that begin with HYPERTUNE_ are "
                      "Hypertune's own; choose another",
                      name);
        return;
    }
    while (i < t->n_env && strcmp(t->env[i].name, name) != 0)
        i++;
    if (i < t->n_env) {
        free(t->env[i].value);
        t->env[i].value = mem_copy_text(value);
        return;
    }
    t->env = mem_resize(t->env, t->n_env + 1, sizeof *t->env);
    t->env[t->n_env++] =
        (struct study_env){mem_copy_text(name), mem_copy_text(value)};
}

/* ---- images ---- */

void program_image(struct reading *r, const char *key, const struct node *v)
{
    const char *name = reading_text(r, key, v);

    if (!name)
        return;
    if (!*name || strlen(name) > LONGEST_IMAGE ||
        name[strcspn(name, " \t\r\n\"'\\")] || *name == '-') {
        reading_fault(r, v,
                      "%s: \"%.60s\" is no name of an image; write one such "
                      "as registry/name:tag",
                      key, name);
        return;
    }
    free(r->task->image);
    r->task->image = mem_copy_text(name);
}

void program_check_workdir(struct reading *r, const char *key,
                           const struct node *v)
{
    const struct study_task *t = r->task;

    if (t->image && t->workdir && t->workdir[0] != '/')
        reading_fault(r, v,
                      "%s: workdir is \"%.60s\"; of an image it is a folder "
                      "inside it, such as /app",
                      key, t->workdir);
}
