/* Vertex AI's HyperparameterTuningJob, in YAML or JSON. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "study/dialects.h"

#define OF(type, member) .offset = offsetof(struct type, member)

static const char not_yet[] =
    "this is not supported by this version; take the key away";

/* --- parameters ---------------------------------------------------------- */

struct value_spec {
    const struct node *min, *max, *values, *fallback;
};

static const struct key range_keys[] = {
    {.name = "minValue", .read = key_node, OF(value_spec, min)},
    {.name = "maxValue", .read = key_node, OF(value_spec, max)},
    {.name = "defaultValue", .read = key_node, OF(value_spec, fallback)},
    {0},
};

static const struct key list_keys[] = {
    {.name = "values", .read = key_node, OF(value_spec, values)},
    {.name = "defaultValue", .read = key_node, OF(value_spec, fallback)},
    {0},
};

enum { KINDS = 4 };

struct param_spec {
    const struct node *id, *scale, *children;
    const struct node *kinds[KINDS]; /* by enum param_kind */
};

static const struct key param_keys[] = {
    {.name = "parameterId", .read = key_node, OF(param_spec, id)},
    {.name = "scaleType", .read = key_node, OF(param_spec, scale)},
    {.name = "doubleValueSpec",
     .read = key_node,
     OF(param_spec, kinds[PARAM_DOUBLE])},
    {.name = "integerValueSpec",
     .read = key_node,
     OF(param_spec, kinds[PARAM_INTEGER])},
    {.name = "discreteValueSpec",
     .read = key_node,
     OF(param_spec, kinds[PARAM_DISCRETE])},
    {.name = "categoricalValueSpec",
     .read = key_node,
     OF(param_spec, kinds[PARAM_CATEGORICAL])},
    {.name = "conditionalParameterSpecs",
     .read = key_node,
     OF(param_spec, children)},
    {0},
};

enum { PARENTS = 3 };

struct condition_spec {
    const struct node *spec;
    const struct node *parents[PARENTS];
};

static const struct key condition_keys[] = {
    {.name = "parameterSpec", .read = key_node, OF(condition_spec, spec)},
    {.name = "parentDiscreteValues",
     .read = key_node,
     OF(condition_spec, parents[0])},
    {.name = "parentIntValues",
     .read = key_node,
     OF(condition_spec, parents[1])},
    {.name = "parentCategoricalValues",
     .read = key_node,
     OF(condition_spec, parents[2])},
    {0},
};

static const struct key parent_keys[] = {
    {.name = "values", .read = key_node, OF(value_spec, values)},
    {0},
};

/* Which of n alternatives is there: -1 for none or several. */
static int only_one(const struct node *const *of, int n)
{
    int found = -1;

    for (int i = 0; i < n; i++) {
        if (!of[i])
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

static bool same_tree(const struct node *a, const struct node *b)
{
    if (a->kind != b->kind || a->n != b->n)
        return false;
    if (a->kind == NODE_SCALAR)
        return strcmp(a->text, b->text) == 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->kind == NODE_MAP &&
            strcmp(a->items[i].key, b->items[i].key) != 0)
            return false;
        if (!same_tree(a->items[i].value, b->items[i].value))
            return false;
    }
    return true;
}

static void read_kind(struct reading *r, const struct param_spec *spec,
                      const struct node *v, struct draft *d)
{
    int kind = only_one(spec->kinds, KINDS);
    struct value_spec values = {0};
    bool list = kind == PARAM_DISCRETE || kind == PARAM_CATEGORICAL;

    if (kind < 0) {
        reading_fault(r, v,
                      "%.100s: exactly one of doubleValueSpec, "
                      "integerValueSpec, discreteValueSpec and "
                      "categoricalValueSpec must be there",
                      d->name.text);
        d->broken = true;
        return;
    }
    d->kind = (enum param_kind)kind;
    reading_keys(r, spec->kinds[kind], list ? list_keys : range_keys, &values,
                 "a parameter's values");
    if (list) {
        dialect_values(r, "values", values.values, kind == PARAM_DISCRETE,
                       &d->values);
    } else {
        dialect_number(r, "minValue", values.min, d, &d->min);
        dialect_number(r, "maxValue", values.max, d, &d->max);
    }
    if (values.fallback)
        dialect_number(r, "defaultValue", values.fallback, d, &d->fallback);
}

static void copy_when(const struct word_list *from, struct word_list *to)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct word *w = &from->items[i];

        word_list_add(to, w->text, strlen(w->text), w->line, w->column,
                      w->quoted);
    }
}

static bool overlap(const struct word_list *a, const struct word_list *b)
{
    for (size_t i = 0; i < a->n; i++)
        for (size_t k = 0; k < b->n; k++)
            if (strcmp(a->items[i].text, b->items[k].text) == 0)
                return true;
    return false;
}

/* One parameter may stand under several values of its parent: with the same
 * spec, it is one with all of these conditions. Returns whether it was that. */
static bool merge(struct reading *r, const struct node *v, const char *name,
                  const char *parent, const struct word_list *when)
{
    for (size_t i = 0; i < r->drafts.n && parent; i++) {
        struct draft *d = &r->drafts.items[i];

        if (strcmp(d->name.text, name) != 0 || !d->parent.text ||
            strcmp(d->parent.text, parent) != 0)
            continue;
        if (!same_tree(d->source, v))
            reading_fault(r, v,
                          "%.100s stands under %.100s twice with different "
                          "ranges; give one of them another name",
                          name, parent);
        else if (overlap(&d->when, when))
            reading_fault(r, v, "%.100s stands under one value of %.100s twice",
                          name, parent);
        else
            copy_when(when, &d->when);
        return true;
    }
    return false;
}

static void read_children(struct reading *r, const struct node *list,
                          const char *parent);

static void read_param(struct reading *r, const struct node *v,
                       const char *parent, const struct word_list *when)
{
    struct param_spec spec = {0};
    struct draft *d;
    const char *name;

    reading_keys(r, v, param_keys, &spec, "a parameter");
    if (v->kind != NODE_MAP)
        return;
    if (!spec.id) {
        reading_fault(r, v, "the parameter has no parameterId");
        return;
    }
    name = reading_text(r, "parameterId", spec.id);
    if (!name || merge(r, v, name, parent, when))
        return;
    d = drafts_add(&r->drafts, name, spec.id->line, spec.id->column);
    d->source = v;
    dialect_scale(r, spec.scale, d);
    read_kind(r, &spec, v, d);
    if (parent) {
        word_set(&d->parent, parent, strlen(parent), v->line, v->column, false);
        copy_when(when, &d->when);
    }
    if (spec.children)
        read_children(r, spec.children, name);
}

static void read_child(struct reading *r, const struct node *v,
                       const char *parent)
{
    struct condition_spec spec = {0};
    struct value_spec values = {0};
    struct word_list when = {0};
    int which;

    reading_keys(r, v, condition_keys, &spec, "a conditional parameter");
    if (v->kind != NODE_MAP)
        return;
    which = only_one(spec.parents, PARENTS);
    if (!spec.spec || which < 0) {
        reading_fault(r, v,
                      "a conditional parameter of %.100s needs parameterSpec "
                      "and exactly one of parentDiscreteValues, "
                      "parentIntValues and parentCategoricalValues",
                      parent);
        return;
    }
    reading_keys(r, spec.parents[which], parent_keys, &values, "a condition");
    dialect_values(r, "values", values.values, false, &when);
    read_param(r, spec.spec, parent, &when);
    word_list_clear(&when);
}

static void read_children(struct reading *r, const struct node *list,
                          const char *parent)
{
    if (list->kind != NODE_LIST) {
        reading_fault(r, list, "conditionalParameterSpecs must be a list");
        return;
    }
    for (size_t i = 0; i < list->n; i++)
        read_child(r, list->items[i].value, parent);
}

static void read_params(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    (void)into;
    if (v->kind != NODE_LIST) {
        reading_fault(r, v, "%s must be a list", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        read_param(r, v->items[i].value, NULL, NULL);
}

/* --- the study ----------------------------------------------------------- */

struct metric_spec {
    const struct node *id, *goal;
};

static const struct key metric_keys[] = {
    {.name = "metricId", .read = key_node, OF(metric_spec, id)},
    {.name = "goal", .read = key_node, OF(metric_spec, goal)},
    {.name = "safetyConfig",
     .read = key_refuse,
     .why = "safety metrics are not supported by this version"},
    {0},
};

static void read_metric(struct reading *r, const struct node *v)
{
    struct metric_spec spec = {0};
    const char *name;
    int goal = 1;

    reading_keys(r, v, metric_keys, &spec, "a metric");
    name = spec.id ? reading_text(r, "metricId", spec.id) : NULL;
    if (spec.goal)
        reading_choice(r, "goal", spec.goal, dialect_goals, &goal);
    if (!spec.id || (name && !*name))
        reading_fault(r, v, "the metric has no metricId");
    else if (name)
        goals_add(r, v, name, goal == 1);
}

static void read_metrics(struct reading *r, const struct key *k,
                         const struct node *v, void *into)
{
    (void)into;
    r->goal = v;
    if (v->kind != NODE_LIST || v->n == 0) {
        reading_fault(r, v, "%s must be a list of metrics", k->name);
        return;
    }
    for (size_t i = 0; i < v->n; i++)
        read_metric(r, v->items[i].value);
}

static const struct choice algorithms[] = {
    {"ALGORITHM_UNSPECIFIED", 0, 0},
    {"GRID_SEARCH", 1, 2},
    {"RANDOM_SEARCH", 2, 3},
    {NULL, 0, 0},
};

static const struct choice noises[] = {
    {"OBSERVATION_NOISE_UNSPECIFIED", 0, 0},
    {"LOW", 0, 1},
    {"HIGH", 1, 2},
    {NULL, 0, 0},
};

static void read_noise(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    int high;

    (void)into;
    if (reading_choice(r, k->name, v, noises, &high) == 0)
        r->s->noisy = high == 1;
}

static const struct choice selections[] = {
    {"MEASUREMENT_SELECTION_TYPE_UNSPECIFIED", SELECT_LAST, 0},
    {"LAST_MEASUREMENT", SELECT_LAST, 1},
    {"BEST_MEASUREMENT", SELECT_BEST, 2},
    {NULL, 0, 0},
};

static const char no_stopping[] =
    "this rule of stopping trials is not supported by this version; "
    "medianAutomatedStoppingSpec is";

static const struct key median_keys[] = {
    {.name = "useElapsedDuration",
     .read = key_refuse_set,
     .why = "trials of a job are compared by their steps, not by time; take "
            "the key away"},
    {0},
};

static void read_median_steps(struct reading *r, const struct key *k,
                              const struct node *v, void *into)
{
    r->s->stop = "median";
    reading_keys(r, v, median_keys, into, k->name);
}

static const struct key study_keys[] = {
    {.name = "metrics", .read = read_metrics},
    {.name = "parameters", .read = read_params},
    {.name = "algorithm", .read = dialect_algorithm, .choices = algorithms},
    {.name = "observationNoise", .read = read_noise},
    {.name = "measurementSelectionType",
     .read = key_choice,
     OF(study, selection),
     .choices = selections},
    {.name = "decayCurveStoppingSpec", .read = key_refuse, .why = no_stopping},
    {.name = "medianAutomatedStoppingSpec", .read = read_median_steps},
    {.name = "convexAutomatedStoppingSpec",
     .read = key_refuse,
     .why = no_stopping},
    {.name = "convexStopConfig", .read = key_refuse, .why = no_stopping},
    {.name = "studyStoppingConfig",
     .read = key_refuse,
     .why = "use maxTrialCount and maxFailedTrialCount; further rules of "
            "stopping are not supported by this version"},
    {.name = "transferLearningConfig", .read = key_refuse_set, .why = not_yet},
    {0},
};

static void read_study(struct reading *r, const struct key *k,
                       const struct node *v, void *into)
{
    reading_keys(r, v, study_keys, into, k->name);
}

/* --- a Study of Vizier --------------------------------------------------- */

static const struct key no_spec[] = {
    {.name = "useElapsedDuration", .read = key_ignore},
    {0},
};

/* Clients ask whether a trial should stop; the service answers by the median
 * of others (tuner/early.h). */
static void read_median(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    reading_keys(r, v, no_spec, into, k->name);
}

static const char no_rule[] =
    "this rule of stopping a study is not supported by this version; "
    "maxNumTrials and maxNumTrialsNoProgress are";

static const struct key ending_keys[] = {
    {.name = "maxNumTrials",
     .read = key_whole,
     OF(study, trials),
     .low = 1,
     .high = STUDY_MOST_TRIALS},
    {.name = "maxNumTrialsNoProgress",
     .read = key_whole,
     OF(study, patience),
     .low = 0,
     .high = STUDY_MOST_TRIALS},
    {.name = "shouldStopAsap", .read = key_refuse_set, .why = no_rule},
    {.name = "minimumRuntimeConstraint", .read = key_refuse, .why = no_rule},
    {.name = "maximumRuntimeConstraint", .read = key_refuse, .why = no_rule},
    {.name = "minNumTrials", .read = key_refuse_set, .why = no_rule},
    {.name = "maxDurationNoProgress", .read = key_refuse, .why = no_rule},
    {0},
};

static void read_ending(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    reading_keys(r, v, ending_keys, into, k->name);
}

static const char no_curve[] =
    "this rule of stopping trials is not supported by this version; "
    "medianAutomatedStoppingSpec is";

static const struct key vizier_keys[] = {
    {.name = "metrics", .read = read_metrics},
    {.name = "parameters", .read = read_params},
    {.name = "algorithm", .read = dialect_algorithm, .choices = algorithms},
    {.name = "observationNoise", .read = read_noise},
    {.name = "measurementSelectionType",
     .read = key_choice,
     OF(study, selection),
     .choices = selections},
    {.name = "medianAutomatedStoppingSpec", .read = read_median},
    {.name = "decayCurveStoppingSpec", .read = key_refuse, .why = no_curve},
    {.name = "convexAutomatedStoppingSpec",
     .read = key_refuse,
     .why = no_curve},
    {.name = "convexStopConfig", .read = key_refuse, .why = no_curve},
    {.name = "studyStoppingConfig", .read = read_ending},
    {.name = "transferLearningConfig", .read = key_refuse_set, .why = not_yet},
    {0},
};

static void read_vizier(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    reading_keys(r, v, vizier_keys, into, k->name);
}

static void read_name(struct reading *r, const struct key *k,
                      const struct node *v, void *into)
{
    (void)k, (void)into;
    r->name = v;
}

static const struct key vizier_top_keys[] = {
    {.name = "displayName", .read = read_name},
    {.name = "studySpec", .read = read_vizier},
    {.name = "name", .read = key_ignore},
    {.name = "state", .read = key_ignore},
    {.name = "createTime", .read = key_ignore},
    {.name = "inactiveReason", .read = key_ignore},
    {0},
};

/* --- the file ------------------------------------------------------------ */

static void read_failed(struct reading *r, const struct key *k,
                        const struct node *v, void *into)
{
    int64_t failed = 0;

    (void)into;
    reading_whole(r, k->name, v, 0, INT32_MAX, &failed);
    dialect_failed(r, failed);
}

/* What Vertex itself fills in is passed over: a job that was fetched can be
 * submitted again. */
static const struct key top_keys[] = {
    {.name = "displayName", .read = read_name},
    {.name = "studySpec", .read = read_study},
    {.name = "trialJobSpec", .read = pools_job},
    {.name = "maxTrialCount",
     .read = key_whole,
     OF(study, trials),
     .low = 1,
     .high = INT32_MAX},
    {.name = "parallelTrialCount",
     .read = key_int,
     OF(study, parallel),
     .low = 1,
     .high = 10000},
    {.name = "maxFailedTrialCount", .read = read_failed},
    {.name = "labels", .read = key_ignore},
    {.name = "encryptionSpec", .read = key_ignore},
    {.name = "name", .read = key_ignore},
    {.name = "trials", .read = key_ignore},
    {.name = "state", .read = key_ignore},
    {.name = "createTime", .read = key_ignore},
    {.name = "startTime", .read = key_ignore},
    {.name = "endTime", .read = key_ignore},
    {.name = "updateTime", .read = key_ignore},
    {.name = "error", .read = key_ignore},
    {.name = "satisfiesPzs", .read = key_ignore},
    {.name = "satisfiesPzi", .read = key_ignore},
    {0},
};

static void read_vizier_study(struct reading *r)
{
    r->s->trials = STUDY_MOST_TRIALS;
    r->s->parallel = 0;
    reading_keys(r, r->doc, vizier_top_keys, r->s, "a Study");
}

void vertex_read(struct reading *r)
{
    if (r->vizier) {
        read_vizier_study(r);
        return;
    }
    r->s->trials = 1;
    r->s->parallel = 1;
    reading_keys(r, r->doc, top_keys, r->s, "a HyperparameterTuningJob");
    if (!r->command)
        reading_fault(r, r->doc,
                      "trialJobSpec is missing; it says what each trial runs");
}
