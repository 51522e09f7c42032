/* Our own dialect: what the replicas of each role run, and need. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "study/dialects.h"
#include "study/program.h"

/* ---- words ---- */

/* One word of a command line, by the shell's rules of quoting. Returns where
 * it ends, or NULL if a quote is not closed. *bare is set if no part of it was
 * quoted. */
static const char *take_word(const char *s, struct text *out, bool *bare)
{
    char quote = 0;

    *bare = true;
    text_reset(out);
    text_add(out, "");
    for (; *s && (quote || !isspace((unsigned char)*s)); s++) {
        if (*s == '\\' && quote != '\'' && s[1] &&
            (!quote || strchr("$`\"\\\n", s[1]))) {
            s++;
            *bare = false;
            if (*s != '\n')
                text_add_bytes(out, s, 1);
        } else if (*s == quote) {
            quote = 0;
        } else if (!quote && (*s == '\'' || *s == '"')) {
            quote = *s;
            *bare = false;
        } else {
            text_add_bytes(out, s, 1);
        }
    }
    return quote ? NULL : s;
}

/* What only a shell could do. */
static bool wants_shell(const char *word)
{
    size_t n = strspn(word, "|&;<>()");

    return n > 0 && (word[n] == '\0' || strchr("<>", word[0]));
}

static void split_command(struct reading *r, const char *key,
                          const struct node *v)
{
    const char *s = v->text;
    struct text word;
    bool bare;

    text_init(&word);
    while (s && *(s += strspn(s, " \t\r\n"))) {
        s = take_word(s, &word, &bare);
        if (!s)
            reading_fault(r, v, "%s: a quote is not closed", key);
        else if (bare && wants_shell(text_str(&word)))
            reading_fault(r, v,
                          "%s: \"%.20s\" needs a shell, and none is used; "
                          "write %s: [sh, -c, '...'] if you want one",
                          key, text_str(&word), key);
        else
            program_word(r, key, v, text_str(&word));
    }
    text_clear(&word);
}

/* Of an image there may be none. */
static void read_command(struct reading *r, const char *key,
                         const struct node *v, bool needed)
{
    size_t before = r->f->n;

    if (v->kind == NODE_SCALAR)
        split_command(r, key, v);
    else if (v->kind == NODE_MAP)
        reading_fault(r, v,
                      "%s must be a text or a list of words; a text that "
                      "begins with { needs quotes",
                      key);
    else
        program_words(r, key, v);
    if (needed)
        program_check(r, key, v, before);
}

static void keep(struct reading *r, const struct study_task *was, size_t from,
                 size_t to, const char *key, const struct node *v)
{
    for (size_t i = from; i < to; i++)
        program_word(r, key, v, was->argv[i]);
}

/* The words in two parts, each said or as they were. */
static void read_words(struct reading *r, struct study_task *t,
                       const struct role_form *f)
{
    const struct node *at = f->run ? f->run : f->entrypoint;
    struct study_task was = {
        .argv = t->argv, .n_argv = t->n_argv, .n_entry = t->n_entry};

    if (!at)
        return;
    t->argv = NULL;
    t->n_argv = t->n_entry = 0;
    if (f->entrypoint)
        read_command(r, "entrypoint", f->entrypoint, true);
    else
        keep(r, &was, 0, was.n_entry, "entrypoint", at);
    if (t->image)
        program_entry(r, "entrypoint", at);
    if (f->run)
        read_command(r, "run", f->run, !t->image);
    else
        keep(r, &was, was.n_entry, was.n_argv, "run", at);
    study_task_clear(&was);
    if (f->entrypoint && !t->image)
        reading_fault(r, f->entrypoint,
                      "entrypoint: only an image has one; write run");
}

/* ---- the rest of a role ---- */

static void read_env(struct reading *r, const struct node *v)
{
    if (v->kind != NODE_MAP) {
        reading_fault(r, v, "env must be a map of names and values");
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node *value = v->items[i].value;

        if (value->kind == NODE_NULL)
            program_env(r, value, v->items[i].key, "");
        else if (reading_text(r, v->items[i].key, value))
            program_env(r, value, v->items[i].key, value->text);
    }
}

#define OF_TASK(member) .offset = offsetof(struct study_task, member)

static const struct key workdir_key = {.name = "workdir", OF_TASK(workdir)};
static const struct key cpus_key = {
    .name = "cpus", OF_TASK(cpus), .low = 0, .high = 100000};
static const struct key gpus_key = {
    .name = "gpus", OF_TASK(gpus), .low = 0, .high = 10000};
static const struct key memory_key = {.name = "memory", OF_TASK(memory)};

static void read_role(struct reading *r, struct study_task *t,
                      const struct role_form *f)
{
    program_begin(r, t);
    if (f->image)
        program_image(r, "image", f->image);
    read_words(r, t, f);
    if (f->env)
        read_env(r, f->env);
    if (f->workdir) {
        key_text(r, &workdir_key, f->workdir, t);
        program_check_workdir(r, "workdir", f->workdir);
    } else if (f->image) {
        program_check_workdir(r, "image", f->image);
    }
    if (f->cpus)
        key_real(r, &cpus_key, f->cpus, t);
    if (f->gpus)
        key_int(r, &gpus_key, f->gpus, t);
    if (f->memory)
        key_bytes(r, &memory_key, f->memory, t);
}

/* ---- replicas ---- */

#define OF_FORM(member) .offset = offsetof(struct role_form, member)

static const struct key role_keys[] = {
    {.name = "count",
     .read = key_int,
     OF_FORM(count),
     .low = 0,
     .high = STUDY_MOST_REPLICAS},
    {.name = "inherit", .read = key_flag, OF_FORM(inherit)},
    {.name = "image", .read = key_node, OF_FORM(image)},
    {.name = "entrypoint", .read = key_node, OF_FORM(entrypoint)},
    {.name = "run", .read = key_node, OF_FORM(run)},
    {.name = "env", .read = key_node, OF_FORM(env)},
    {.name = "workdir", .read = key_node, OF_FORM(workdir)},
    {.name = "cpus", .read = key_node, OF_FORM(cpus)},
    {.name = "gpus", .read = key_node, OF_FORM(gpus)},
    {.name = "memory", .read = key_node, OF_FORM(memory)},
    {0},
};

static void read_replicas(struct reading *r, const struct key *k,
                          const struct node *v, void *into)
{
    const struct study_task *master = &r->s->job.tasks[ROLE_MASTER];
    struct study_task *t = &r->s->job.tasks[k->low];
    struct role_form f = {.count = 1, .inherit = true};
    int64_t count = 0;

    (void)into;
    if (v->kind == NODE_MAP) {
        reading_keys(r, v, role_keys, &f, k->name);
    } else {
        reading_whole(r, k->name, v, 0, STUDY_MOST_REPLICAS, &count);
        f.count = (int)count;
    }
    if (f.count == 0)
        return;
    if (f.inherit)
        study_task_copy(t, master);
    t->replicas = f.count;
    read_role(r, t, &f);
    if (!t->argv && !t->image && !f.run)
        reading_fault(r, v, "%s: there is nothing to run; write run or image%s",
                      k->name,
                      f.inherit ? " for the whole study" : " for this role");
}

static const char one_master[] =
    "the master is one, and is what the file itself says: run, image, cpus "
    "and so on; take the key away";

static const struct key replicas_keys[] = {
    {.name = "worker", .read = read_replicas, .low = ROLE_WORKER},
    {.name = "ps", .read = read_replicas, .low = ROLE_PS},
    {.name = "evaluator", .read = read_replicas, .low = ROLE_EVALUATOR},
    {.name = "master", .read = key_refuse, .why = one_master},
    {.name = "chief", .read = key_refuse, .why = one_master},
    {0},
};

static const struct key chief_key = {
    .name = "chief", .offset = offsetof(struct study_job, chief)};

void roles_settle(struct reading *r)
{
    struct study_job *job = &r->s->job;

    read_role(r, &job->tasks[ROLE_MASTER], &r->master);
    if (r->replicas)
        reading_keys(r, r->replicas, replicas_keys, job, "replicas");
    job->chief = r->s->dialect == DIALECT_SHORT && study_replicas(r->s) > 1;
    if (r->chief)
        key_flag(r, &chief_key, r->chief, job);
}
