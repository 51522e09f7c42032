/* What a trial's process is given: its words and its folders. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/command.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/environ.h"

/* ---- parameters as words ---- */

static char *value_text(const struct study *s, const struct point *p, size_t i)
{
    struct text text;

    text_init(&text);
    value_print(&s->space.params[i], &p->values[i], &text);
    return text_take(&text);
}

static bool says(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

/* One parameter in the study's style; name and value are the caller's. */
static void add_param(enum study_args style, const char *name,
                      const char *value, struct words *out)
{
    switch (style) {
    case ARGS_SPACE:
        words_add_take(out, mem_format("--%s", name));
        words_add_take(out, mem_copy_text(value));
        return;
    case ARGS_HYDRA:
        words_add_take(out, mem_format("%s=%s", name, value));
        return;
    case ARGS_FLAGS:
        if (says(value, "true", "True"))
            words_add_take(out, mem_format("--%s", name));
        else if (!says(value, "false", "False"))
            words_add_take(out, mem_format("--%s=%s", name, value));
        return;
    default:
        words_add_take(out, mem_format("--%s=%s", name, value));
    }
}

static void add_params(const struct study *s, const struct point *p,
                       struct words *out)
{
    struct text json;

    if (s->job.args == ARGS_ENV)
        return;
    if (s->job.args == ARGS_JSON) {
        text_init(&json);
        point_write_json(p, &s->space, &json);
        words_add_take(out, text_take(&json));
        return;
    }
    for (size_t i = 0; i < s->space.n; i++) {
        char *value;

        if (!p->values[i].active)
            continue;
        value = value_text(s, p, i);
        add_param(s->job.args, s->space.params[i].name, value, out);
        free(value);
    }
}

/* ---- argv ---- */

static void add_for_shell(const char *word, struct text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./,:@%";

    if (*word && word[strspn(word, plain)] == '\0') {
        text_add(out, word);
        return;
    }
    text_add(out, "'");
    for (; *word; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_bytes(out, word, 1);
    text_add(out, "'");
}

/* A command being filled in for one trial. */
struct filling {
    const struct study *s;
    const struct point *p;
    struct words params; /* the arguments */
    bool said;           /* one of {args} and {NAME} stands in the command */
};

static void add_joined(const struct words *words, struct text *out)
{
    for (size_t i = 0; i < words->n; i++) {
        text_add(out, i ? " " : "");
        add_for_shell(words->items[i], out);
    }
}

/* The word with {args} and every {NAME} replaced. */
static char *fill_in(struct filling *f, const char *word)
{
    static const char args[] = "{args}";
    struct text out;

    text_init(&out);
    text_add(&out, "");
    while (*word) {
        size_t n = 1;
        int i = space_named(&f->s->space, word, &n);

        if (i >= 0 && f->p->values[i].active) {
            value_print(&f->s->space.params[i], &f->p->values[i], &out);
        } else if (i < 0 && strncmp(word, args, strlen(args)) == 0) {
            add_joined(&f->params, &out);
            i = 0;
            n = strlen(args);
        } else if (i < 0) {
            text_add_bytes(&out, word, 1);
        }
        f->said = f->said || i >= 0;
        word += n;
    }
    return text_take(&out);
}

static void add_all(const struct words *words, struct words *out)
{
    for (size_t i = 0; i < words->n; i++)
        words_add_take(out, mem_copy_text(words->items[i]));
}

/* `known` are the variables of $(NAME), NULL where that is no rule. */
static void add_word(struct filling *f, const char *word,
                     const struct words *known, struct words *out)
{
    char *expanded;

    if (strcmp(word, "{args}") == 0) {
        add_all(&f->params, out);
        f->said = true;
        return;
    }
    expanded = known ? words_expand(known, word) : mem_copy_text(word);
    words_add_take(out, fill_in(f, expanded));
    free(expanded);
}

void command_argv(const struct study *s, const struct point *p,
                  const struct places *at, struct words *out)
{
    struct filling f = {.s = s, .p = p};
    bool expands = s->dialect == DIALECT_VERTEX;
    const struct study_task *t;
    enum study_role role;
    struct words known;
    int index;

    study_replica(s, at->rank, &role, &index);
    t = &s->job.tasks[role];
    words_init(&known);
    words_init(&f.params);
    add_params(s, p, &f.params);
    if (expands)
        environ_set(s, p, at, &known);
    for (size_t i = 0; i < t->n_argv; i++)
        add_word(&f, t->argv[i], expands ? &known : NULL, out);
    if (!f.said)
        add_all(&f.params, out);
    if (s->job.job_dir) {
        words_add_take(out, mem_copy_text("--job-dir"));
        words_add_take(out, places_of_trial(s, s->job.job_dir, at));
    }
    words_clear(&f.params);
    words_clear(&known);
}
