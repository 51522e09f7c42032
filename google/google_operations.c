/* Long-running operations, kept in the store. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_operations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "google/google_body.h"
#include "store/store_google.h"

enum { PAGE = 100, PAGE_MOST = 1000 };

/* ---- their bodies ---- */

static json_t *typed(const char *type, json_t *members)
{
    json_t *out = json_object();

    json_object_set_new(out, "@type", json_string(type));
    if (members) {
        json_object_update(out, members);
        json_decref(members);
    }
    return out;
}

static json_t *error_of(const struct err *why)
{
    return json_pack("{s:i, s:s, s:[]}", "code",
                     google_grpc(google_code_of(why)), "message", why->text,
                     "details");
}

/* What is stored: types without the version, which the one who asks says. */
static char *body_of(const struct face *face, const struct google_operation *o,
                     const struct err *why)
{
    int64_t now = engine_now(face->engine);
    json_t *metadata = typed(o->metadata_type, o->metadata);
    json_t *body = json_object();
    char *out;

    json_object_set_new(metadata, "genericMetadata",
                        json_pack("{s:o, s:o}", "createTime", google_time(now),
                                  "updateTime", google_time(now)));
    json_object_set_new(body, "metadata", metadata);
    if (o->response_type)
        json_object_set_new(body, "response",
                            typed(o->response_type, o->response));
    else if (why)
        json_object_set_new(body, "error", error_of(why));
    out = json_dumps(body, JSON_REAL_PRECISION(17) | JSON_COMPACT);
    json_decref(body);
    return out;
}

/* "SuggestTrialsMetadata" becomes a full name of that version. */
static void name_type(json_t *part, const char *version)
{
    const char *type = json_string_value(json_object_get(part, "@type"));

    if (!type)
        return;
    json_object_set_new(
        part, "@type",
        strchr(type, '.')
            ? json_sprintf("type.googleapis.com/%s", type)
            : json_sprintf("type.googleapis.com/google.cloud.aiplatform.%s.%s",
                           version, type));
}

/* Whether the service that began it has ended. */
static bool is_orphan(const struct face *face, const json_t *body)
{
    const json_t *metadata =
        json_object_get(json_object_get(body, "metadata"), "genericMetadata");

    return google_wall(metadata, "createTime") < engine_since(face->engine);
}

static json_t *show(const struct face *face, const char *version,
                    const struct google_operation_row *row)
{
    json_t *body = json_loads(row->body, 0, NULL);
    json_t *out = json_object();
    bool orphan = !row->done && is_orphan(face, body);
    struct err gone = {.code = ERR_BUSY,
                       .text = "the service was started again meanwhile; ask "
                               "once more"};

    if (orphan)
        json_object_set_new(body, "error", error_of(&gone));
    name_type(json_object_get(body, "metadata"), version);
    name_type(json_object_get(body, "response"), version);
    json_object_set_new(
        out, "name",
        json_sprintf("%s/operations/%" PRId64, row->parent, row->id));
    if (body)
        json_object_update(out, body);
    if (row->done || orphan)
        json_object_set_new(out, "done", json_true());
    json_decref(body);
    return out;
}

/* ---- for others ---- */

int google_operations_begin(struct face *face, const struct google_operation *o,
                            int64_t *id, const struct err *why, struct err *e)
{
    bool done = o->response_type || why;
    char *body = body_of(face, o, why);
    int rc = engine_begin(face->engine, e) ||
             store_google_operation_add(face->store, o->on, done, body, id, e);

    free(body);
    return rc ? -1 : 0;
}

int google_operations_end(struct face *face, int64_t id,
                          const struct google_operation *o,
                          const struct err *why, struct err *e)
{
    char *body = body_of(face, o, why);
    int rc = engine_begin(face->engine, e) ||
             store_google_operation_end(face->store, id, body, e);

    free(body);
    return rc ? -1 : 0;
}

struct showing {
    const struct face *face;
    const char *version;
    json_t *out;
};

static bool show_row(void *ctx, const struct google_operation_row *row)
{
    struct showing *showing = ctx;

    showing->out = show(showing->face, showing->version, row);
    return false;
}

json_t *google_operations_show(struct face *face, const char *version,
                               const char *on, int64_t id, struct err *e)
{
    struct showing showing = {.face = face, .version = version};

    if (store_google_operation_get(face->store, on, id, show_row, &showing, e))
        return NULL;
    return showing.out;
}

int google_operations_done(struct google_call *g,
                           const struct google_operation *o, struct err *e)
{
    struct face *face = g->call->face;
    json_t *out;
    int64_t id;

    if (google_operations_begin(face, o, &id, NULL, e))
        return -1;
    out = google_operations_show(face, g->version, o->on, id, e);
    if (!out)
        return -1;
    google_answer(g, out);
    return 0;
}

/* ---- the routes ---- */

/* The path without version, up to /operations. Yours to free. */
static char *path_on(const struct google_call *g)
{
    const char *path = strchr(request_path(g->call->request) + 1, '/') + 1;
    const char *end = path;

    for (const char *at = path; (at = strstr(at, "/operations")); at++)
        end = at;
    return mem_format("%.*s", (int)(end - path), path);
}

/* The operation that the path names; NULL with *e. */
static json_t *named(struct google_call *g, struct err *e)
{
    int64_t id = google_id(g, g->n_ids - 1);
    char *on = path_on(g);
    json_t *out = NULL;

    if (id)
        out = google_operations_show(g->call->face, g->version, on, id, e);
    else
        google_absent(g, e);
    free(on);
    return out;
}

static int get(struct google_call *g, struct err *e)
{
    json_t *out = named(g, e);

    if (!out)
        return -1;
    google_answer(g, out);
    return 0;
}

static int cancel(struct google_call *g, struct err *e)
{
    json_t *out = named(g, e);

    if (!out)
        return -1;
    json_decref(out);
    google_answer(g, json_object());
    return 0;
}

static int forget(struct google_call *g, struct err *e)
{
    json_t *out = named(g, e);

    if (!out)
        return -1;
    json_decref(out);
    if (google_begin(g, e) ||
        store_google_operation_delete(g->call->face->store,
                                      google_id(g, g->n_ids - 1), e))
        return -1;
    google_answer(g, json_object());
    return 0;
}

struct listing {
    const struct face *face;
    const char *version;
    json_t *out;
    int64_t last;
    int left;
    bool more;
};

static bool list_row(void *ctx, const struct google_operation_row *row)
{
    struct listing *l = ctx;

    l->more = l->left == 0;
    if (l->more)
        return false;
    l->left--;
    l->last = row->id;
    json_array_append_new(l->out, show(l->face, l->version, row));
    return true;
}

static int list_on(struct google_call *g, const char *on, struct err *e)
{
    struct listing l = {.face = g->call->face, .version = g->version};
    struct google_page page;
    json_t *out;

    if (google_page_read(g, on, PAGE, PAGE_MOST, &page, e))
        return -1;
    l.out = json_array();
    l.left = page.size;
    if (store_google_operation_list(g->call->face->store, on, page.after,
                                    page.size + 1, list_row, &l, e)) {
        json_decref(l.out);
        return -1;
    }
    out = json_pack("{s:o}", "operations", l.out);
    if (l.more)
        json_object_set_new(out, "nextPageToken",
                            google_page_token(on, l.last));
    google_answer(g, out);
    return 0;
}

static int list(struct google_call *g, struct err *e)
{
    char *on = path_on(g);
    int rc = list_on(g, on, e);

    free(on);
    return rc;
}

#define PLACE "projects/*/locations/*"
#define ON(what)                                                               \
    {"GET", what "/operations", "lists operations", list, ROLE_READER},        \
        {"GET", what "/operations/*", "shows one", get, ROLE_READER},          \
        {"POST", what "/operations/*:wait", "shows it too", get, ROLE_READER}, \
        {"POST", what "/operations/*:cancel", "lets it go on", cancel,         \
         ROLE_SUBMITTER},                                                      \
    {                                                                          \
        "DELETE", what "/operations/*", "forgets it", forget, ROLE_SUBMITTER   \
    }

const struct google_route google_operations_routes[] = {
    ON(PLACE),
    ON(PLACE "/studies/*"),
    ON(PLACE "/studies/*/trials/*"),
    ON(PLACE "/hyperparameterTuningJobs/*"),
    ON(PLACE "/customJobs/*"),
    {0},
};
