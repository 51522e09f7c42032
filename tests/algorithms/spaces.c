/* The studies that tests search. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/algorithms/spaces.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

struct param *spaces_add(struct study *s, enum param_kind kind,
                         const char *name)
{
    struct param *p = NULL;

    s->space.params =
        mem_resize(s->space.params, s->space.n + 1, sizeof *s->space.params);
    p = &s->space.params[s->space.n++];
    *p = (struct param){
        .kind = kind, .name = mem_copy_text(name), .int_step = 1, .parent = -1};
    return p;
}

static struct param *add_double(struct study *s, const char *name, double min,
                                double max, double step)
{
    struct param *p = spaces_add(s, PARAM_DOUBLE, name);

    p->min = min;
    p->max = max;
    p->step = step;
    return p;
}

static struct param *add_integer(struct study *s, const char *name, int64_t low,
                                 int64_t high, int64_t step)
{
    struct param *p = spaces_add(s, PARAM_INTEGER, name);

    p->low = low;
    p->high = high;
    p->int_step = step;
    return p;
}

/* A list of n: of words if `numbers` is NULL. */
static struct param *add_list(struct study *s, const char *name, size_t n,
                              const double *numbers)
{
    struct param *p =
        spaces_add(s, numbers ? PARAM_DISCRETE : PARAM_CATEGORICAL, name);

    p->n_values = n;
    p->words = mem_new(n, sizeof *p->words);
    if (numbers)
        p->numbers = mem_new(n, sizeof *p->numbers);
    for (size_t i = 0; i < n; i++) {
        if (numbers)
            p->numbers[i] = numbers[i];
        p->words[i] = mem_format("%zu", i);
    }
    return p;
}

/* Makes p exist where parameter `parent` has that choice. */
static void hang(struct param *p, int parent, size_t choice)
{
    p->parent = parent;
    p->when = mem_resize(p->when, p->n_when + 1, sizeof *p->when);
    p->when[p->n_when++] = (struct value){.active = true, .choice = choice};
}

static void begin(struct study *s, const char *name)
{
    study_init(s);
    s->name = mem_copy_text(name);
    s->metric = mem_copy_text("loss");
    s->trials = 100;
    s->seed = 7;
    s->maximize = false;
}

void spaces_continuous(struct study *s)
{
    struct param *p = NULL;

    begin(s, "continuous");
    add_double(s, "x", -5, 5, 0);
    p = add_double(s, "rate", 1e-6, 1, 0);
    p->scale = SCALE_LOG;
    p->has_scale = true;
    p = add_double(s, "keep", 0.5, 0.999, 0);
    p->scale = SCALE_REVLOG;
    p->has_scale = true;
}

void spaces_stepped(struct study *s)
{
    static const double batches[] = {16, 32, 64, 128};

    begin(s, "stepped");
    add_double(s, "dropout", 0, 0.45, 0.05);
    add_integer(s, "layers", 2, 18, 2);
    add_list(s, "batch", 4, batches);
}

void spaces_mixed(struct study *s)
{
    static const double batches[] = {16, 32, 64, 128, 4096};

    begin(s, "mixed");
    add_double(s, "x", -1, 1, 0);
    add_integer(s, "hidden", 8, 256, 1)->scale = SCALE_LOG;
    add_list(s, "batch", 5, batches);
    add_list(s, "optimizer", 3, NULL);
    add_double(s, "dropout", 0, 0.5, 0.05);
}

void spaces_conditional(struct study *s)
{
    begin(s, "conditional");
    add_list(s, "optimizer", 3, NULL);
    hang(add_double(s, "momentum", 0.5, 0.99, 0), 0, 1);
    hang(add_list(s, "schedule", 2, NULL), 0, 1);
    add_double(s, "rate", 1e-4, 1e-1, 0)->scale = SCALE_LOG;
    hang(add_integer(s, "period", 1, 50, 1), 2, 0);
}

void spaces_tiny(struct study *s)
{
    begin(s, "tiny");
    add_list(s, "a", 2, NULL);
    add_integer(s, "b", -1, 1, 1);
}

void spaces_huge(struct study *s)
{
    begin(s, "huge");
    add_integer(s, "k", 1, INT64_C(1) << 60, 1);
    add_integer(s, "log", 1, INT64_C(1) << 60, 1)->scale = SCALE_LOG;
    add_integer(s, "all", INT64_MIN, INT64_MAX, 1);
    add_double(s, "wide", -1e308, 1e308, 0);
}

void spaces_single(struct study *s)
{
    begin(s, "single");
    add_double(s, "x", 3, 3, 0);
    add_list(s, "w", 1, NULL);
}

void spaces_cube(struct study *s, size_t n)
{
    begin(s, "cube");
    for (size_t i = 0; i < n; i++) {
        char name[32];

        snprintf(name, sizeof name, "x%zu", i);
        add_double(s, name, -5, 5, 0);
    }
}

void spaces_words(struct study *s)
{
    begin(s, "words");
    add_list(s, "word", 1000, NULL);
    add_double(s, "x", 0, 1, 0);
}

void spaces_clear(struct study *s)
{
    study_clear(s);
}
