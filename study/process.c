/* How AI Platform and Vertex files say what a job runs. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "study/dialects.h"
#include "study/program.h"

void dialect_algorithm(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    int which;

    (void)into;
    if (reading_choice(r, k->name, v, k->choices, &which) == 0)
        r->s->algorithm = study_algorithms[which];
}

const struct choice dialect_goals[] = {
    {"MAXIMIZE", 1, 1},
    {"MINIMIZE", 0, 2},
    {"GOAL_TYPE_UNSPECIFIED", 1, 0},
    {NULL, 0, 0},
};

const struct choice dialect_scales[] = {
    {"UNIT_LINEAR_SCALE", SCALE_LINEAR, 1},
    {"UNIT_LOG_SCALE", SCALE_LOG, 2},
    {"UNIT_REVERSE_LOG_SCALE", SCALE_REVLOG, 3},
    {"SCALE_TYPE_UNSPECIFIED", -1, 0},
    {"NONE", -1, 0},
    {NULL, 0, 0},
};

void dialect_scale(struct reading *r, const struct node *v, struct draft *d)
{
    int scale;

    if (!v || reading_choice(r, "scaleType", v, dialect_scales, &scale) < 0 ||
        scale < 0)
        return;
    d->scale = (enum param_scale)scale;
    d->has_scale = true;
}

void dialect_number(struct reading *r, const char *key, const struct node *v,
                    const struct draft *d, struct word *out)
{
    static const char zero[] = "0";

    if (!v)
        word_set(out, zero, 1, d->name.line, d->name.column, false);
    else if (reading_text(r, key, v))
        word_set(out, v->text, strlen(v->text), v->line, v->column, false);
}

void dialect_values(struct reading *r, const char *key, const struct node *v,
                    bool numbers, struct word_list *out)
{
    char printed[NUMBER_TEXT];
    double x;

    if (!v)
        return;
    if (v->kind != NODE_LIST) {
        reading_fault(r, v, "%s must be a list", key);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node *one = v->items[i].value;
        const char *text = reading_text(r, key, one);

        if (!text)
            continue;
        if (numbers && number_read(text, &x))
            text = number_print(x, printed);
        word_list_add(out, text, strlen(text), one->line, one->column, true);
    }
}

void dialect_failed(struct reading *r, int64_t failed)
{
    if (failed > 0) /* theirs ends with the N-th, ours after it */
        r->s->max_failed = failed - 1;
}

bool dialect_is_tpu(struct reading *r, const struct node *type)
{
    static const int64_t numbers[] = {6, 7, 10, 12};
    const char *text = type ? reading_text(r, "acceleratorType", type) : NULL;
    int64_t number;

    if (!text || !number_read_int(text, &number))
        return text && strncmp(text, "TPU", 3) == 0;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i] == number)
            return true;
    return false;
}

struct variable {
    const struct node *name, *value;
};

static const struct key variable_keys[] = {
    {.name = "name",
     .read = key_node,
     .offset = offsetof(struct variable, name)},
    {.name = "value",
     .read = key_node,
     .offset = offsetof(struct variable, value)},
    {0},
};

/* A list of {name, value}, as containers have it, or a map. */
static void read_env(struct reading *r, const struct key *k,
                     const struct node *v, void *into)
{
    (void)into;
    if (v->kind == NODE_SCALAR) {
        reading_fault(r, v, "%s must be a list of {name, value}", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct node *one = v->items[i].value;
        struct variable var = {0};
        const char *name = v->items[i].key, *value = "";

        if (v->kind == NODE_MAP) {
            var.value = one->kind == NODE_NULL ? NULL : one;
        } else {
            reading_keys(r, one, variable_keys, &var, "a variable of env");
            name = var.name ? reading_text(r, "name", var.name) : "";
        }
        if (var.value)
            value = reading_text(r, "value", var.value);
        if (name && value)
            program_env(r, one, name, value);
    }
}

struct process {
    const struct node *image, *command, *args;
};

static void read_workdir(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    char *folder = reading_folder(r, k->name, v);

    (void)into;
    if (!folder)
        return;
    free(r->task->workdir);
    r->task->workdir = folder;
}

static const struct key process_keys[] = {
    {.name = "command",
     .read = key_node,
     .offset = offsetof(struct process, command)},
    {.name = "args",
     .read = key_node,
     .offset = offsetof(struct process, args)},
    {.name = "env", .read = read_env},
    {.name = "workdir", .read = read_workdir},
    {0},
};

void process_read(struct reading *r, const struct node *v)
{
    struct study_task *j = r->task;
    struct process p = {0};
    size_t before = r->f->n;

    reading_keys(r, v, process_keys, &p, "processSpec");
    if (p.command)
        program_words(r, "command", p.command);
    if (p.args)
        program_words(r, "args", p.args);
    if (j->n_argv == 0 && r->f->n == before)
        reading_fault(r, v,
                      "processSpec: command is missing; it is the list "
                      "of words to run");
    program_check(r, "processSpec", v, before);
}

static const struct key container_keys[] = {
    {.name = "imageUri",
     .read = key_node,
     .offset = offsetof(struct process, image)},
    {.name = "command",
     .read = key_node,
     .offset = offsetof(struct process, command)},
    {.name = "args",
     .read = key_node,
     .offset = offsetof(struct process, args)},
    {.name = "env", .read = read_env},
    {0},
};

void process_image_words(struct reading *r, const char *command_key,
                         const struct node *command, const char *args_key,
                         const struct node *args)
{
    size_t before = r->f->n;

    if (command) {
        program_words(r, command_key, command);
        if (command->n)
            program_check(r, command_key, command, before);
        program_entry(r, command_key, command);
    }
    if (args)
        program_words(r, args_key, args);
}

void process_container(struct reading *r, const struct node *v)
{
    struct process p = {0};

    reading_keys(r, v, container_keys, &p, "containerSpec");
    if (v->kind != NODE_MAP)
        return;
    if (p.image)
        program_image(r, "imageUri", p.image);
    else
        reading_fault(r, v, "containerSpec: imageUri is missing");
    process_image_words(r, "command", p.command, "args", p.args);
}
