/* Jobs of Vertex AI. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_jobs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "google/google_body.h"
#include "google/google_filter.h"
#include "google/google_operations.h"
#include "store/store_google.h"
#include "study/codec.h"
#include "study/proto.h"

enum {
    PAGE = 100,
    PAGE_MOST = 1000,
    MOST_NAME = 128,
    MOST_LABEL = 64,
    SHORT_NUMBER = 15 /* letters; shorter ones are as they should be */
};

/* ---- what is sent ---- */

#define FILLED_IN                                                              \
    {.name = "name", .kind = GOOGLE_OUTPUT},                                   \
        {.name = "state", .kind = GOOGLE_OUTPUT},                              \
        {.name = "createTime", .kind = GOOGLE_OUTPUT},                         \
        {.name = "startTime", .kind = GOOGLE_OUTPUT},                          \
        {.name = "endTime", .kind = GOOGLE_OUTPUT},                            \
        {.name = "updateTime", .kind = GOOGLE_OUTPUT},                         \
        {.name = "error", .kind = GOOGLE_OUTPUT},                              \
        {.name = "satisfiesPzs", .kind = GOOGLE_OUTPUT},                       \
    {                                                                          \
        .name = "satisfiesPzi", .kind = GOOGLE_OUTPUT                          \
    }

/* What lies deeper is read by the decoder of study files. */
static const struct google_message tuning_fields[] = {
    {.name = "displayName", .kind = GOOGLE_TEXT},
    {.name = "studySpec", .kind = GOOGLE_ANY},
    {.name = "maxTrialCount", .kind = GOOGLE_INT32},
    {.name = "parallelTrialCount", .kind = GOOGLE_INT32},
    {.name = "maxFailedTrialCount", .kind = GOOGLE_INT32},
    {.name = "trialJobSpec", .kind = GOOGLE_ANY},
    {.name = "labels", .kind = GOOGLE_MAP},
    {.name = "encryptionSpec", .kind = GOOGLE_ANY},
    {.name = "trials", .kind = GOOGLE_OUTPUT},
    FILLED_IN,
    {0},
};

static const struct google_message custom_fields[] = {
    {.name = "displayName", .kind = GOOGLE_TEXT},
    {.name = "jobSpec", .kind = GOOGLE_ANY},
    {.name = "labels", .kind = GOOGLE_MAP},
    {.name = "encryptionSpec", .kind = GOOGLE_ANY},
    {.name = "webAccessUris", .kind = GOOGLE_OUTPUT},
    FILLED_IN,
    {0},
};

static bool has_bad_letter(const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;

        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' &&
            c != '-' && c < 0x80)
            return true;
    }
    return false;
}

char *google_jobs_labels(struct google_call *g, const json_t *labels,
                         struct err *e)
{
    const char *key;
    json_t *value;

    if (!labels || !json_object_size(labels))
        return mem_copy_text("");
    json_object_foreach((json_t *)labels, key, value)
    {
        const char *text = json_string_value(value);

        if (!*key || strlen(key) > MOST_LABEL || has_bad_letter(key) || !text ||
            strlen(text) > MOST_LABEL || has_bad_letter(text)) {
            google_field(g, "labels", e,
                         "%.100s: names and values are small letters, digits, "
                         "'_' and '-', %d at most",
                         key, MOST_LABEL);
            return NULL;
        }
    }
    return json_dumps(labels, JSON_COMPACT);
}

static bool is_taken(struct call *c, const char *name)
{
    int64_t id;

    return store_study_find(c->face->store, name, &id, NULL) == 0;
}

static bool note_id(void *ctx, const struct study_row *row)
{
    *(int64_t *)ctx = row->id;
    return false;
}

/* A study's name that nobody has; jobs may share what people call them. */
static char *free_name(struct call *c, const char *display_name)
{
    char *name = runnable_name(display_name);
    char *tried = mem_copy_text(name);
    int64_t n = 0;

    store_study_list(c->face->store, 0, 1, note_id, &n, NULL);
    while (is_taken(c, tried) || strcmp(tried, "last") == 0) {
        free(tried);
        tried = mem_format("%s-%" PRId64, name, ++n);
    }
    free(name);
    return tried;
}

/* ---- submitting ---- */

/* A request on its way to be a study. */
struct submission {
    struct google_jobs_request *r;
    struct node *doc;
    struct text body; /* as it will be said back */
    struct text job;  /* as the decoder reads it */
    char *name, *labels, *buckets;
    struct faults faults;
    struct engine_submitted got;
};

static void submission_clear(struct submission *s)
{
    node_free(s->doc);
    text_clear(&s->body);
    text_clear(&s->job);
    free(s->name);
    free(s->labels);
    free(s->buckets);
    faults_clear(&s->faults);
}

/* Writes each number as short as it can be: jansson knows 17 digits only, and
 * these would come back to people and to trials. */
static void shorten(struct node *node)
{
    char printed[NUMBER_TEXT];
    double x;

    if (node->text && !node->quoted && strlen(node->text) > SHORT_NUMBER &&
        strpbrk(node->text, ".e") && number_read(node->text, &x)) {
        free(node->text);
        node->text = mem_copy_text(number_print(x, printed));
    }
    for (size_t i = 0; i < node->n; i++)
        shorten(node->items[i].value);
}

/* The request's tree, without what is kept apart. */
static int read_tree(struct submission *s)
{
    json_t *body = s->r->body;
    char *bytes;
    int rc;

    json_object_del(body, "labels");
    json_object_del(body, "displayName");
    json_object_del(body, "jobId");
    bytes = json_dumps(body, JSON_REAL_PRECISION(17));
    rc = bytes ? node_parse(bytes, strlen(bytes), &s->doc, &s->faults) : -1;
    free(bytes);
    if (!rc)
        shorten(s->doc);
    return rc;
}

/* What tunes nothing goes to the engine in long form. */
static int write_alone(struct submission *s)
{
    struct study study;

    if (codec_decode_job(s->job.data, s->job.len, s->name, &study, &s->faults))
        return -1;
    text_reset(&s->job);
    codec_write_json(&study, &s->job);
    study_clear(&study);
    return 0;
}

static int write_job(struct google_call *g, struct submission *s)
{
    struct face *face = g->call->face;
    struct runnable with = {
        .kind = s->r->runs,
        .name = s->name = free_name(g->call, s->r->display_name),
        .images = face->images,
        .bucket_root = s->buckets = mem_format("%s/gcs", face->state_dir)};

    proto_write(s->doc, &s->body, NULL, NULL);
    if (runnable_write(&with, s->doc, &s->job, &s->faults))
        return -1;
    return s->r->alone ? write_alone(s) : 0;
}

static int keep(struct google_call *g, struct submission *s, struct err *e)
{
    struct face *face = g->call->face;
    struct google_row row = {.kind = s->r->kind,
                             .project = g->project,
                             .location = g->location,
                             .display_name = s->r->display_name,
                             .body = text_str(&s->body),
                             .labels = s->labels};

    if (engine_submit(face->engine, s->job.data, s->job.len, s->name,
                      face->state_dir, &s->got, &s->faults, e))
        return s->faults.n ? google_faults(g, &s->faults, e) : -1;
    row.study_id = s->got.id;
    return store_google_add(face->store, &row, e);
}

int google_jobs_submit(struct google_call *g, struct google_jobs_request *r,
                       struct google_job *out, struct err *e)
{
    struct submission s = {.r = r};
    char *display_name = mem_copy_text(r->display_name);
    int rc = -1;

    r->display_name = display_name; /* the body's goes */
    faults_init(&s.faults);
    s.labels = google_jobs_labels(g, json_object_get(r->body, "labels"), e);
    if (s.labels) {
        if (read_tree(&s) || write_job(g, &s))
            rc = google_faults(g, &s.faults, e);
        else
            rc = keep(g, &s, e);
    }
    if (!rc)
        rc = google_job_load(g->call->face->store, s.got.id, out, e);
    submission_clear(&s);
    free(display_name);
    return rc;
}

void google_jobs_answer(struct google_call *g, const struct google_job *j)
{
    google_answer(g, google_job_say(j));
}

/* ---- create ---- */

/* The kinds of Vertex's jobs. */
struct kind {
    const char *name;
    enum runnable_kind runs;
    const struct google_message *fields;
    const char *required[4];
};

static const struct kind tuning = {
    GOOGLE_JOB_TUNING,
    RUNNABLE_TUNING,
    tuning_fields,
    {"studySpec", "trialJobSpec", "maxTrialCount", "parallelTrialCount"}};
static const struct kind custom = {
    GOOGLE_JOB_CUSTOM, RUNNABLE_CUSTOM, custom_fields, {"jobSpec"}};

static int check_required(struct google_call *g, const struct kind *kind,
                          const json_t *body, struct err *e)
{
    const char *display_name = google_text(body, "displayName");

    if (!*display_name)
        return google_field(g, "displayName", e, "it is missing");
    if (strlen(display_name) > 4 * (size_t)MOST_NAME)
        return google_field(g, "displayName", e, "%d letters at most",
                            MOST_NAME);
    for (size_t i = 0; i < 4 && kind->required[i]; i++) {
        const char *name = kind->required[i];
        const json_t *value = json_object_get(body, name);

        if (!value)
            return google_field(g, name, e, "it is missing");
        if (json_is_integer(value) && json_integer_value(value) < 1)
            return google_field(g, name, e, "at least 1 is wanted");
    }
    return 0;
}

static int create(struct google_call *g, const struct kind *kind, struct err *e)
{
    struct google_jobs_request r = {.kind = kind->name, .runs = kind->runs};
    struct google_job job;
    int rc;

    r.body = google_body(g, kind->fields, e);
    if (!r.body)
        return -1;
    r.alone = kind->runs == RUNNABLE_CUSTOM;
    r.display_name = google_text(r.body, "displayName");
    rc = check_required(g, kind, r.body, e);
    if (!rc)
        rc = google_jobs_submit(g, &r, &job, e);
    json_decref(r.body);
    if (rc)
        return -1;
    google_jobs_answer(g, &job);
    google_job_clear(&job);
    return 0;
}

/* ---- look ---- */

/* The job that the path names; to be cleared on success. */
static int named(struct google_call *g, const struct kind *kind,
                 struct google_job *out, struct err *e)
{
    int64_t id = google_id(g, 0);

    if (!id)
        return google_absent(g, e);
    if (google_job_load(g->call->face->store, id, out, e))
        return e->code == ERR_ABSENT ? google_absent(g, e) : -1;
    if (strcmp(out->kind, kind->name) == 0 &&
        strcmp(out->project, g->project) == 0 &&
        strcmp(out->location, g->location) == 0)
        return 0;
    google_job_clear(out);
    return google_absent(g, e);
}

static int get(struct google_call *g, const struct kind *kind, struct err *e)
{
    struct google_job job;

    if (named(g, kind, &job, e))
        return -1;
    google_jobs_answer(g, &job);
    google_job_clear(&job);
    return 0;
}

struct listing {
    struct google_call *call;
    const char *filter, *mask;
    json_t *out;
    int64_t last;
    int left;
    bool more;
    struct err *e;
    int rc;
};

/* Whether the mask, "name,state" or "display_name", asks for that field. */
static bool in_mask(const char *mask, const char *field)
{
    while (*mask) {
        size_t n = strcspn(mask, ",");
        char *path = mem_copy_bytes(mask, n), *camel;
        bool same;

        path[strcspn(path, ".")] = '\0';
        camel = proto_camel(path);
        same = strcmp(camel, field) == 0 || strcmp(camel, "*") == 0;
        free(camel);
        free(path);
        if (same)
            return true;
        mask += n + (mask[n] == ',');
    }
    return false;
}

static json_t *masked(json_t *job, const char *mask)
{
    const char *key;
    json_t *value, *out;

    if (!mask || !*mask)
        return job;
    out = json_object();
    json_object_foreach(job, key, value)
    {
        if (in_mask(mask, key))
            json_object_set(out, key, value);
    }
    json_decref(job);
    return out;
}

static bool matches(struct listing *l, const struct google_job *j)
{
    struct google_filter_of of = {.display_name = j->display_name,
                                  .job_id = j->display_name,
                                  .state = google_job_state_name(j),
                                  .created_ms = j->created_ms,
                                  .labels = j->labels};
    bool match = false;

    l->rc = google_filter_match(l->filter, &of, &match, l->e);
    return match;
}

static bool list_row(void *ctx, const struct google_row *row)
{
    struct listing *l = ctx;
    struct google_job job;

    l->rc =
        google_job_load(l->call->call->face->store, row->study_id, &job, l->e);
    if (l->rc)
        return false;
    if (matches(l, &job) && !l->rc) {
        l->more = l->left == 0;
        if (!l->more) {
            l->left--;
            l->last = row->study_id;
            json_array_append_new(l->out,
                                  masked(google_job_say(&job), l->mask));
        }
    }
    google_job_clear(&job);
    return !l->rc && !l->more;
}

/* A filter that is wrong is refused, though there be nothing to look at. */
static int check_filter(const char *filter, struct err *e)
{
    struct google_filter_of nothing = {"", "", "", 0, ""};
    bool match;

    return google_filter_match(filter, &nothing, &match, e);
}

static int list_page(struct listing *l, const char *list,
                     const struct google_row *of, int size, int most)
{
    struct google_page page;
    json_t *out;

    if (check_filter(l->filter, l->e) ||
        google_page_read(l->call, list, size, most, &page, l->e))
        return -1;
    l->left = page.size;
    l->out = json_array();
    if (store_google_list(l->call->call->face->store, of, page.after, 0,
                          list_row, l, l->e) ||
        l->rc) {
        json_decref(l->out);
        return -1;
    }
    out = json_object();
    if (json_array_size(l->out))
        json_object_set(out, of->kind, l->out);
    if (l->more)
        json_object_set_new(out, "nextPageToken",
                            google_page_token(list, l->last));
    json_decref(l->out);
    google_answer(l->call, out);
    return 0;
}

int google_jobs_list(struct google_call *g, const char *kind, int size,
                     int most, struct err *e)
{
    struct listing l = {.call = g,
                        .filter = google_query(g, "filter"),
                        .mask = google_query(g, "readMask"),
                        .e = e};
    struct google_row of = {
        .kind = kind, .project = g->project, .location = g->location};
    char *list = mem_format("%s/%s/%s?%s", g->project, g->location, kind,
                            l.filter ? l.filter : "");
    int rc = list_page(&l, list, &of, size, most);

    free(list);
    return rc;
}

/* ---- act ---- */

int google_jobs_cancel(struct google_call *g, const struct google_job *j,
                       struct err *e)
{
    if (study_state_ended(j->state) ||
        google_job_state(j) >= GOOGLE_JOB_SUCCEEDED)
        return 0;
    return engine_cancel(g->call->face->engine, j->id, e);
}

static const struct google_message nothing[] = {{0}};

static int cancel(struct google_call *g, const struct kind *kind, struct err *e)
{
    json_t *body = google_body(g, nothing, e);
    struct google_job job;
    int rc;

    json_decref(body);
    if (!body || named(g, kind, &job, e))
        return -1;
    rc = google_jobs_cancel(g, &job, e);
    google_job_clear(&job);
    if (!rc)
        google_answer(g, json_object());
    return rc;
}

static int forget(struct google_call *g, const struct kind *kind, struct err *e)
{
    struct google_operation done = {.metadata_type = "DeleteOperationMetadata",
                                    .response_type = "google.protobuf.Empty"};
    enum google_job_state state;
    struct google_job job;
    char *on;
    int rc;

    if (named(g, kind, &job, e))
        return -1;
    state = google_job_state(&job);
    google_job_clear(&job);
    if (state < GOOGLE_JOB_SUCCEEDED && state != GOOGLE_JOB_PAUSED)
        return google_err(g, GOOGLE_PRECONDITION, e,
                          "the job has not ended; cancel it first");
    if (engine_delete(g->call->face->engine, google_id(g, 0), e))
        return -1;
    done.on = on = mem_format("projects/%s/locations/%s/%s/%s", g->project,
                              g->location, kind->name, g->ids[0]);
    rc = google_operations_done(g, &done, e);
    free(on);
    return rc;
}

/* ---- routes ---- */

#define BOTH(verb)                                                             \
    static int verb##_tuning(struct google_call *g, struct err *e)             \
    {                                                                          \
        return verb(g, &tuning, e);                                            \
    }                                                                          \
    static int verb##_custom(struct google_call *g, struct err *e)             \
    {                                                                          \
        return verb(g, &custom, e);                                            \
    }

static int list(struct google_call *g, const struct kind *kind, struct err *e)
{
    return google_jobs_list(g, kind->name, PAGE, PAGE_MOST, e);
}

BOTH(create)
BOTH(get)
BOTH(list)
BOTH(cancel)
BOTH(forget)

#define AT(kind) "projects/*/locations/*/" kind
#define ROUTES(kind, of)                                                       \
    {"POST", AT(kind), "creates a job", create_##of, ROLE_SUBMITTER},          \
        {"GET", AT(kind), "lists jobs", list_##of, ROLE_READER},               \
        {"GET", AT(kind) "/*", "shows a job", get_##of, ROLE_READER},          \
        {"POST", AT(kind) "/*:cancel", "cancels a job", cancel_##of,           \
         ROLE_SUBMITTER},                                                      \
    {                                                                          \
        "DELETE", AT(kind) "/*", "deletes a job", forget_##of, ROLE_ADMIN      \
    }

const struct google_route google_jobs_routes[] = {
    ROUTES(GOOGLE_JOB_TUNING, tuning),
    ROUTES(GOOGLE_JOB_CUSTOM, custom),
    {0},
};
