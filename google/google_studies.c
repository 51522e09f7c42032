/* VizierService's studies. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_studies.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "google/google_show.h"
#include "store/store_google.h"
#include "study/codec.h"
#include "study/proto.h"

enum {
    PAGE = 1000,
    DISPLAY_NAME = 128,    /* characters */
    SAME_NAME_MOST = 1000, /* studies whose names differ by a number only */
    OWN_NAME = 128
};

static const char kind[] = "studies";

/* ---- the fields ---- */

static const char no_safety[] =
    "safety metrics are not supported by this version; take safetyConfig away";

#define END                                                                    \
    {                                                                          \
        .kind = GOOGLE_END                                                     \
    }

static const struct google_message metric[] = {
    {.name = "metricId", .kind = GOOGLE_TEXT},
    {.name = "goal", .kind = GOOGLE_ENUM, .names = proto_goals},
    {.name = "safetyConfig", .kind = GOOGLE_REFUSED, .why = no_safety},
    END,
};

static const struct google_message double_values[] = {
    {.name = "minValue", .kind = GOOGLE_DOUBLE},
    {.name = "maxValue", .kind = GOOGLE_DOUBLE},
    {.name = "defaultValue", .kind = GOOGLE_DOUBLE},
    END,
};

static const struct google_message integer_values[] = {
    {.name = "minValue", .kind = GOOGLE_INT64},
    {.name = "maxValue", .kind = GOOGLE_INT64},
    {.name = "defaultValue", .kind = GOOGLE_INT64},
    END,
};

static const struct google_message categories[] = {
    {.name = "values", .kind = GOOGLE_TEXT, .many = true},
    {.name = "defaultValue", .kind = GOOGLE_TEXT},
    END,
};

static const struct google_message discretes[] = {
    {.name = "values", .kind = GOOGLE_DOUBLE, .many = true},
    {.name = "defaultValue", .kind = GOOGLE_DOUBLE},
    END,
};

static const struct google_message parent_numbers[] = {
    {.name = "values", .kind = GOOGLE_DOUBLE, .many = true},
    END,
};

static const struct google_message parent_integers[] = {
    {.name = "values", .kind = GOOGLE_INT64, .many = true},
    END,
};

static const struct google_message parent_words[] = {
    {.name = "values", .kind = GOOGLE_TEXT, .many = true},
    END,
};

static const struct google_message child[] = {
    {.name = "parameterSpec",
     .kind = GOOGLE_MESSAGE,
     .message = google_parameter},
    {.name = "parentDiscreteValues",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = parent_numbers},
    {.name = "parentIntValues",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = parent_integers},
    {.name = "parentCategoricalValues",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = parent_words},
    END,
};

const struct google_message google_parameter[] = {
    {.name = "parameterId", .kind = GOOGLE_TEXT},
    {.name = "doubleValueSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = double_values},
    {.name = "integerValueSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = integer_values},
    {.name = "categoricalValueSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = categories},
    {.name = "discreteValueSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = discretes},
    {.name = "scaleType", .kind = GOOGLE_ENUM, .names = proto_scales},
    {.name = "conditionalParameterSpecs",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = child},
    END,
};

static const struct google_message elapsed_rule[] = {
    {.name = "useElapsedDuration", .kind = GOOGLE_BOOL},
    END,
};

static const struct google_message convex_rule[] = {
    {.name = "maxStepCount", .kind = GOOGLE_INT64},
    {.name = "minStepCount", .kind = GOOGLE_INT64},
    {.name = "minMeasurementCount", .kind = GOOGLE_INT64},
    {.name = "learningRateParameterName", .kind = GOOGLE_TEXT},
    {.name = "useElapsedDuration", .kind = GOOGLE_BOOL},
    {.name = "updateAllStoppedTrials", .kind = GOOGLE_BOOL},
    END,
};

static const struct google_message runtime[] = {
    {.name = "maxDuration", .kind = GOOGLE_DURATION, .oneof = 1},
    {.name = "endTime", .kind = GOOGLE_TIME, .oneof = 1},
    END,
};

static const struct google_message ending[] = {
    {.name = "shouldStopAsap", .kind = GOOGLE_BOOL},
    {.name = "minimumRuntimeConstraint",
     .kind = GOOGLE_MESSAGE,
     .message = runtime},
    {.name = "maximumRuntimeConstraint",
     .kind = GOOGLE_MESSAGE,
     .message = runtime},
    {.name = "minNumTrials", .kind = GOOGLE_INT32},
    {.name = "maxNumTrials", .kind = GOOGLE_INT32},
    {.name = "maxNumTrialsNoProgress", .kind = GOOGLE_INT32},
    {.name = "maxDurationNoProgress", .kind = GOOGLE_DURATION},
    END,
};

static const struct google_message spec_fields[] = {
    {.name = "metrics",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = metric},
    {.name = "parameters",
     .kind = GOOGLE_MESSAGE,
     .many = true,
     .message = google_parameter},
    {.name = "algorithm", .kind = GOOGLE_ENUM, .names = proto_algorithms},
    {.name = "observationNoise", .kind = GOOGLE_ENUM, .names = proto_noises},
    {.name = "measurementSelectionType",
     .kind = GOOGLE_ENUM,
     .names = proto_selections},
    {.name = "decayCurveStoppingSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = elapsed_rule},
    {.name = "medianAutomatedStoppingSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = elapsed_rule},
    {.name = "convexAutomatedStoppingSpec",
     .kind = GOOGLE_MESSAGE,
     .oneof = 1,
     .message = convex_rule},
    {.name = "convexStopConfig", .kind = GOOGLE_ANY, .oneof = 1},
    {.name = "studyStoppingConfig", .kind = GOOGLE_MESSAGE, .message = ending},
    {.name = "transferLearningConfig", .kind = GOOGLE_ANY},
    END,
};

static const struct google_message study_fields[] = {
    {.name = "name", .kind = GOOGLE_OUTPUT},
    {.name = "displayName", .kind = GOOGLE_TEXT},
    {.name = "studySpec", .kind = GOOGLE_MESSAGE, .message = spec_fields},
    {.name = "state", .kind = GOOGLE_OUTPUT},
    {.name = "createTime", .kind = GOOGLE_OUTPUT},
    {.name = "inactiveReason", .kind = GOOGLE_OUTPUT},
    END,
};

/* ---- showing ---- */

struct found {
    struct google_call *call;
    json_t *out;
    struct err *e;
};

static bool show_found(void *ctx, const struct google_row *row)
{
    struct found *found = ctx;

    found->out =
        google_show_study(found->call->call->face->store, row, found->e);
    return false;
}

static int answer_study(struct google_call *g, int64_t id, struct err *e)
{
    struct found found = {.call = g, .e = e};

    if (store_google_get(g->call->face->store, id, show_found, &found, e) ||
        !found.out)
        return -1;
    google_answer(g, found.out);
    return 0;
}

static int get(struct google_call *g, struct err *e)
{
    int64_t id = google_resource(g, kind, e);

    return id ? answer_study(g, id, e) : -1;
}

/* ---- creating ---- */

static int check_display_name(struct google_call *g, const char *name,
                              struct err *e)
{
    size_t n = 0;

    for (const char *c = name; *c; c++)
        n += (*c & 0xc0) != 0x80; /* UTF-8's first bytes */
    if (n == 0)
        return google_field(g, "study.displayName", e,
                            "a name of the study is wanted");
    if (n > DISPLAY_NAME)
        return google_field(g, "study.displayName", e,
                            "it has %zu characters; at most %d are taken", n,
                            DISPLAY_NAME);
    return 0;
}

static bool has_blank(const char *s)
{
    for (; *s; s++)
        if (isspace((unsigned char)*s))
            return true;
    return false;
}

static bool named_before(const json_t *metrics, size_t i, const char *id)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(google_text(json_array_get(metrics, k), "metricId"), id) ==
            0)
            return true;
    return false;
}

static int check_metrics(struct google_call *g, const json_t *spec,
                         struct err *e)
{
    static const char field[] = "study.studySpec.metrics";
    const json_t *metrics = json_object_get(spec, "metrics");

    if (json_array_size(metrics) == 0)
        return google_field(g, field, e, "at least one metric is wanted");
    for (size_t i = 0; i < json_array_size(metrics); i++) {
        const char *id = google_text(json_array_get(metrics, i), "metricId");

        if (!*id || has_blank(id))
            return google_field(g, field, e,
                                "metric %zu needs a metricId without blanks",
                                i + 1);
        if (named_before(metrics, i, id))
            return google_field(g, field, e, "\"%.60s\" stands there twice",
                                id);
    }
    return 0;
}

/* The engine's own name of the study: the display name as far as it is one,
 * with a number where another study has it. Yours. */
static char *free_name(struct store *s, const char *name)
{
    char *out = mem_copy_text(name);
    struct err e;
    int64_t id;

    for (int i = 2;
         i < SAME_NAME_MOST && store_study_find(s, out, &id, &e) == 0; i++) {
        free(out);
        out = mem_format("%.*s-%d", OWN_NAME - 6, name, i);
    }
    return out;
}

/* The study of the message; *out is to be cleared. */
static int decode(struct google_call *g, const json_t *body, char **source,
                  struct study *out, struct err *e)
{
    char *file = mem_format("%s.", google_text(body, "displayName"));
    struct faults faults;
    int rc;

    *source = json_dumps(body, JSON_REAL_PRECISION(17) | JSON_COMPACT);
    faults_init(&faults);
    rc = codec_decode_vizier(*source, strlen(*source), file, out, &faults);
    if (rc)
        google_faults(g, &faults, e);
    faults_clear(&faults);
    free(file);
    return rc;
}

static int submit(struct google_call *g, struct study *study,
                  const char *source, int64_t *id, struct err *e)
{
    struct face *face = g->call->face;
    struct engine_submitted out;
    char *name = free_name(face->store, study->name);

    free(study->name);
    study->name = name;
    if (engine_submit_take(face->engine, study, source, face->state_dir, &out,
                           e))
        return -1;
    *id = out.id;
    return 0;
}

static int add_study(struct google_call *g, const json_t *body, int64_t *id,
                     struct err *e)
{
    struct google_row row = {.kind = kind,
                             .project = g->project,
                             .location = g->location,
                             .display_name = google_text(body, "displayName"),
                             .labels = ""};
    char *source = NULL, *spec = NULL;
    struct study study;
    int rc = decode(g, body, &source, &study, e);

    if (!rc)
        rc = submit(g, &study, source, id, e);
    if (!rc) {
        spec = json_dumps(json_object_get(body, "studySpec"),
                          JSON_REAL_PRECISION(17) | JSON_COMPACT);
        row.study_id = *id;
        row.body = spec;
        rc = store_google_add(g->call->face->store, &row, e);
    }
    free(spec);
    free(source);
    return rc;
}

struct comparing {
    const json_t *spec;
    bool same;
};

static bool compare(void *ctx, const struct google_row *row)
{
    struct comparing *comparing = ctx;
    json_t *spec = json_loads(row->body, 0, NULL);

    comparing->same = json_equal(spec, comparing->spec);
    json_decref(spec);
    return false;
}

/* One of that display name is there: the same study, or a conflict. */
static int meet(struct google_call *g, int64_t id, const json_t *body,
                struct err *e)
{
    struct comparing comparing = {.spec = json_object_get(body, "studySpec")};

    if (store_google_get(g->call->face->store, id, compare, &comparing, e))
        return -1;
    if (comparing.same)
        return answer_study(g, id, e);
    return google_err(g, GOOGLE_EXISTS, e,
                      "a study with the display name \"%.100s\" is there "
                      "already with another study_spec: "
                      "projects/%.60s/locations/%.40s/studies/%lld",
                      google_text(body, "displayName"), g->project, g->location,
                      (long long)id);
}

/* Looks for the display name; *id is 0 if no study has it. */
static int find(struct google_call *g, const char *display_name, int64_t *id,
                struct err *e)
{
    struct google_row of = {.kind = kind,
                            .project = g->project,
                            .location = g->location,
                            .display_name = display_name};

    *id = 0;
    if (store_google_find(g->call->face->store, &of, id, e) &&
        e->code != ERR_ABSENT)
        return -1;
    return 0;
}

static int create(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, study_fields, e);
    const char *name = google_text(body, "displayName");
    const json_t *spec = json_object_get(body, "studySpec");
    int64_t id;
    int rc = -1;

    if (!body)
        return -1;
    if (!spec)
        google_field(g, "study.studySpec", e, "it is wanted");
    else if (check_display_name(g, name, e) || check_metrics(g, spec, e) ||
             google_begin(g, e) || find(g, name, &id, e))
        rc = -1;
    else if (id)
        rc = meet(g, id, body, e);
    else if (add_study(g, body, &id, e) == 0)
        rc = answer_study(g, id, e);
    json_decref(body);
    return rc;
}

/* ---- looking up ---- */

static const struct google_message lookup_fields[] = {
    {.name = "displayName", .kind = GOOGLE_TEXT},
    {.name = "parent", .kind = GOOGLE_OUTPUT},
    END,
};

static int lookup(struct google_call *g, struct err *e)
{
    json_t *body = google_body(g, lookup_fields, e);
    const char *name = google_text(body, "displayName");
    int64_t id;
    int rc = -1;

    if (!body)
        return -1;
    if (!*name)
        google_field(g, "displayName", e, "the study's name is wanted");
    else if (find(g, name, &id, e) == 0)
        rc = id ? answer_study(g, id, e)
                : google_err(g, GOOGLE_ABSENT, e,
                             "no study here has the display name \"%.100s\"",
                             name);
    json_decref(body);
    return rc;
}

/* ---- listing ---- */

struct listing {
    struct google_call *call;
    json_t *out;
    struct err *e;
    int left;
    int64_t last;
    bool more, failed;
};

static bool list_row(void *ctx, const struct google_row *row)
{
    struct listing *l = ctx;
    json_t *shown;

    l->more = l->left == 0;
    if (l->more)
        return false;
    shown = google_show_study(l->call->call->face->store, row, l->e);
    l->failed = !shown;
    if (!shown)
        return false;
    json_array_append_new(l->out, shown);
    l->last = row->study_id;
    l->left--;
    return true;
}

static int list(struct google_call *g, struct err *e)
{
    struct google_row of = {
        .kind = kind, .project = g->project, .location = g->location};
    struct listing l = {.call = g, .e = e};
    char name[2 * GOOGLE_NAME + 64], parent[2 * GOOGLE_NAME + 32];
    struct google_page page;
    json_t *out;

    snprintf(name, sizeof name, "%s/studies", google_parent(g, parent));
    if (google_page_read(g, name, PAGE, PAGE, &page, e))
        return -1;
    l.left = page.size;
    l.out = json_array();
    if (store_google_list(g->call->face->store, &of, page.after, page.size + 1,
                          list_row, &l, e) ||
        l.failed) {
        json_decref(l.out);
        return -1;
    }
    out = json_object();
    if (json_array_size(l.out))
        json_object_set(out, "studies", l.out);
    json_decref(l.out);
    if (l.more)
        json_object_set_new(out, "nextPageToken",
                            google_page_token(name, l.last));
    google_answer(g, out);
    return 0;
}

/* ---- deleting ---- */

static int forget(struct google_call *g, struct err *e)
{
    struct engine *engine = g->call->face->engine;
    int64_t id = google_resource(g, kind, e);
    struct err over;

    if (!id)
        return -1;
    /* its clients' trials end with it */
    if (engine_cancel(engine, id, &over) && over.code != ERR_CONFLICT) {
        *e = over;
        return -1;
    }
    if (engine_delete(engine, id, e))
        return -1;
    google_answer(g, json_object());
    return 0;
}

#define STUDIES "projects/*/locations/*/studies"

const struct google_route google_studies_routes[] = {
    {"POST", STUDIES, "creates a study", create, ROLE_SUBMITTER},
    {"GET", STUDIES, "lists studies, newest first", list, ROLE_READER},
    {"POST", STUDIES ":lookup", "finds a study by its display name", lookup,
     ROLE_READER},
    {"GET", STUDIES "/*", "shows a study", get, ROLE_READER},
    {"DELETE", STUDIES "/*", "deletes a study and its trials", forget,
     ROLE_ADMIN},
    {0},
};
