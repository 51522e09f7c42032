/* Study files: which dialect, and what every dialect must fulfil. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/codec.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/node.h"
#include "study/dialects.h"
#include "study/draft.h"
#include "study/launching.h"
#include "study/program.h"

static bool has_any(const struct node *doc, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (node_get(doc, names[i]))
            return true;
    return false;
}

#define HAS(doc, names) has_any(doc, names, sizeof(names) / sizeof((names)[0]))

/* Reads by the top keys; a study of ours has none of theirs. Returns false if
 * it is no study file at all. */
static bool read_dialect(struct reading *r)
{
    static const char *const vertex[] = {
        "studySpec",           "study_spec",    "trialJobSpec",
        "trial_job_spec",      "maxTrialCount", "max_trial_count",
        "displayName",         "display_name",  "parallelTrialCount",
        "parallel_trial_count"};
    static const char *const platform[] = {"trainingInput", "training_input",
                                           "jobId", "job_id"};
    static const char *const custom[] = {"workerPoolSpecs", "worker_pool_specs",
                                         "jobSpec", "job_spec"};

    if (r->doc->kind != NODE_MAP) {
        reading_fault(r, r->doc,
                      "a study file is a map of keys and values, "
                      "such as study: digits");
        return false;
    }
    if (HAS(r->doc, custom)) {
        reading_fault(r, r->doc,
                      "this is the file of a single custom job and names no "
                      "parameters to tune; a tuning job has studySpec and "
                      "trialJobSpec, and this belongs into the latter");
        return false;
    }
    if (HAS(r->doc, platform)) {
        r->s->dialect = DIALECT_AI_PLATFORM;
        r->proto = true;
        platform_read(r);
    } else if (HAS(r->doc, vertex)) {
        r->s->dialect = DIALECT_VERTEX;
        r->proto = true;
        vertex_read(r);
    } else {
        short_read(r);
    }
    return true;
}

/* All start points together hold so many values at most. */
enum { MOST_START_VALUES = 100000 };

static void read_start_point(struct reading *r, const struct node *v)
{
    struct study *s = r->s;
    struct point p;
    struct err e;

    if ((s->n_start + 1) * s->space.n > MOST_START_VALUES) {
        if (!r->too_many)
            reading_fault(r, v, "start: the points have more than %d values",
                          MOST_START_VALUES);
        r->too_many = true;
        return;
    }
    if (point_read_node(&p, &s->space, v, true, &e) < 0) {
        reading_fault(r, v, "start: %s", e.text);
        return;
    }
    s->start = mem_resize(s->start, s->n_start + 1, sizeof *s->start);
    s->start[s->n_start++] = p;
}

static void read_start(struct reading *r)
{
    if (r->start->kind == NODE_MAP) { /* one point needs no list */
        read_start_point(r, r->start);
        return;
    }
    if (r->start->kind != NODE_LIST) {
        reading_fault(r, r->start,
                      "start must be a list of points, such as [{lr: 0.1}]");
        return;
    }
    for (size_t i = 0; i < r->start->n; i++)
        read_start_point(r, r->start->items[i].value);
}

/* A grid has an end, and a range of real numbers without steps has none. */
static void check_grid(struct reading *r)
{
    const struct space *space = &r->s->space;

    if (strcmp(r->s->algorithm, "grid") != 0)
        return;
    for (size_t i = 0; i < space->n; i++) {
        const struct param *p = &space->params[i];

        if (param_count(p) == UINT64_MAX)
            faults_add(r->f, r->drafts.items[i].name.line,
                       r->drafts.items[i].name.column,
                       "%.100s: a grid cannot try every real number of a "
                       "range; give it a step or a list of values, or take "
                       "another algorithm",
                       p->name);
    }
}

/* The evolution strategy moves a cloud of numbers; words and parameters that
 * come and go have no place in it. */
static void check_cmaes(struct reading *r)
{
    const struct space *space = &r->s->space;

    if (strcmp(r->s->algorithm, "cma-es") != 0)
        return;
    for (size_t i = 0; i < space->n; i++) {
        const struct param *p = &space->params[i];
        const char *fault = NULL;

        if (p->parent >= 0)
            fault = "needs parameters that always exist; remove the condition, "
                    "or";
        else if (p->kind == PARAM_CATEGORICAL && p->n_values > 1)
            fault = "searches numbers, not words;";
        if (fault)
            faults_add(r->f, r->drafts.items[i].name.line,
                       r->drafts.items[i].name.column,
                       "%.100s: cma-es %s take tpe or bayesian", p->name,
                       fault);
    }
}

/* Whether the command holds {args}, and which parameters it names. Returns
 * whether there is any of them. */
static bool find_holes(const struct study *s, bool *args, bool *named)
{
    bool any = false;

    *args = false;
    for (size_t i = 0; i < s->job.tasks[ROLE_MASTER].n_argv; i++) {
        *args = *args || strstr(s->job.tasks[ROLE_MASTER].argv[i], "{args}");
        for (const char *at = s->job.tasks[ROLE_MASTER].argv[i]; *at; at++) {
            size_t n;
            int which = space_named(&s->space, at, &n);

            if (which < 0)
                continue;
            named[which] = true;
            any = true;
        }
    }
    return any;
}

/* A command that names some parameters must name all of them, or hold {args}:
 * what is passed nowhere would be tuned for nothing. */
static void check_passed(struct reading *r)
{
    const struct study *s = r->s;
    bool *named = mem_new(s->space.n, sizeof *named), args;

    if (s->job.args != ARGS_ENV && find_holes(s, &args, named) && !args)
        for (size_t i = 0; i < s->space.n; i++)
            if (!named[i])
                faults_add(r->f, r->drafts.items[i].name.line,
                           r->drafts.items[i].name.column,
                           "%.100s: the command names other parameters but "
                           "not this one; write {%.100s} or {args} into it",
                           s->space.params[i].name, s->space.params[i].name);
    free(named);
}

/* What is accepted must be read again from the store. */
static void check_size(struct reading *r)
{
    const struct study *s = r->s;
    size_t values = s->n_start * (s->space.n + 1) + s->job.n_options +
                    16 * (s->space.n + STUDY_ROLES + 8);
    struct text whole;

    for (size_t i = 0; i < STUDY_ROLES; i++)
        values += s->job.tasks[i].n_argv + s->job.tasks[i].n_env;
    for (size_t i = 0; i < s->space.n; i++)
        values += s->space.params[i].n_values + s->space.params[i].n_when;
    text_init(&whole);
    codec_write_json(s, &whole);
    if (values > NODE_MOST_NODES || whole.len > NODE_MOST_BYTES)
        reading_fault(r, r->doc,
                      "the study is too large: written in its long form it "
                      "has more than %d values or %d bytes",
                      NODE_MOST_NODES, NODE_MOST_BYTES);
    text_clear(&whole);
}

/* A job of theirs may; our own long form keeps what codec_decode_job has
 * read. */
static bool tunes_nothing(const struct reading *r)
{
    return r->s->dialect != DIALECT_SHORT &&
           (r->alone || node_get(r->doc, "dialect"));
}

/* One trial, at the one point that there is, and no second chance. */
static void settle_alone(struct study *s)
{
    if (!s->metric)
        s->metric = mem_copy_text("training/hptuning/metric");
    s->algorithm = "random";
    s->trials = 1;
    s->parallel = 1;
    s->max_failed = 0;
    s->retries = 0;
}

static void check_whole(struct reading *r)
{
    struct study *s = r->s;
    size_t before = r->f->n;

    if (r->alone)
        settle_alone(s);
    if (!s->metric && !r->goal)
        reading_fault(r, r->doc,
                      "no goal: write maximize: METRIC or minimize: METRIC");
    if (r->drafts.n == 0 && !tunes_nothing(r))
        reading_fault(r, r->doc,
                      "no parameters to tune: params needs at least one");
    drafts_build(&r->drafts, &s->space, r->f);
    if (r->f->n > before)
        return;
    for (size_t i = 0; i < r->drafts.n; i++)
        if (r->drafts.items[i].broken)
            return;
    goals_check(r);
    check_grid(r);
    check_cmaes(r);
    check_passed(r);
    if (r->start)
        read_start(r);
}

static int by_place(const void *a, const void *b)
{
    const struct fault *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->column != y->column)
        return x->column < y->column ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* r says into what, and what is to be read: f, s, alone, vizier. */
static int decode(struct reading *r, const char *bytes, size_t n,
                  const char *file)
{
    struct study *out = r->s;
    struct faults *f = r->f;
    struct node *doc;
    size_t before = f->n;

    if (node_parse(bytes, n, &doc, f) < 0)
        return -1;
    study_init(out);
    r->doc = doc;
    program_begin(r, &out->job.tasks[ROLE_MASTER]);
    if (read_dialect(r)) {
        reading_name(r, file);
        launching_settle(r);
        check_whole(r);
        if (f->n == before)
            check_size(r);
    }
    drafts_clear(&r->drafts);
    node_free(doc);
    if (f->n == before)
        return 0;
    qsort(f->items + before, f->n - before, sizeof *f->items, by_place);
    study_clear(out);
    return -1;
}

bool codec_knows_key(const char *key)
{
    const struct key *k = short_keys;

    while (k->name && strcmp(k->name, key) != 0)
        k++;
    return k->name != NULL;
}

int codec_decode(const char *bytes, size_t n, const char *file,
                 struct study *out, struct faults *f)
{
    struct reading r = {.f = f, .s = out};

    return decode(&r, bytes, n, file);
}

int codec_decode_job(const char *bytes, size_t n, const char *file,
                     struct study *out, struct faults *f)
{
    struct reading r = {.f = f, .s = out, .alone = true};

    return decode(&r, bytes, n, file);
}

int codec_decode_vizier(const char *bytes, size_t n, const char *file,
                        struct study *out, struct faults *f)
{
    struct reading r = {.f = f, .s = out, .vizier = true};

    return decode(&r, bytes, n, file);
}
