/* Jobs of Google's interfaces made runnable here. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/runnable.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "study/proto.h"

enum { NAME_BYTES = 100 };

/* One document being written. */
struct making {
    const struct runnable *with;
    struct faults *f;
    const struct node *master_image; /* of AI Platform; the others' too */
};

char *runnable_name(const char *display_name)
{
    bool letter = isalpha((unsigned char)*display_name);
    char *out = mem_format("%s%.*s", letter ? "" : "job-", NAME_BYTES - 4,
                           display_name);

    for (char *c = out; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '-')
            *c = '-';
    return out;
}

/* ---- lists ---- */

/* The words of a list, after those that came before. */
static void add_words(struct making *m, struct text *out, const char *key,
                      const struct node *list)
{
    if (!list)
        return;
    if (list->kind != NODE_LIST) {
        faults_add(m->f, list->line, list->column, "%s must be a list of words",
                   key);
        return;
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct node *word = list->items[i].value;

        if (word->kind != NODE_SCALAR) {
            faults_add(m->f, word->line, word->column,
                       "%s must be a list of words", key);
            continue;
        }
        text_add(out, out->data[out->len - 1] == '[' ? "" : ", ");
        quote_json(out, word->text);
    }
}

static void add_variables(const struct node *map, struct text *out)
{
    for (size_t i = 0; map && i < map->n; i++) {
        text_add(out, i ? ", {\"name\": " : "{\"name\": ");
        quote_json(out, map->items[i].key);
        text_add(out, ", \"value\": ");
        quote_json(out, map->items[i].value->text);
        text_add(out, "}");
    }
}

/* The image's variables, then the job's own, which win. */
static void put_env(struct making *m, struct proto_writer *w,
                    const struct image *image, const struct node *env)
{
    struct text own;

    if (!image->env && !env)
        return;
    if (env && env->kind != NODE_LIST) {
        faults_add(m->f, env->line, env->column,
                   "env must be a list of {name, value}");
        return;
    }
    proto_key(w, "env");
    text_add(w->out, "[");
    add_variables(image->env, w->out);
    text_init(&own);
    if (env && env->n) {
        proto_write(env, &own, NULL, NULL);
        text_add(w->out, image->env && image->env->n ? ", " : "");
        text_add_bytes(w->out, own.data + 1, own.len - 2);
    }
    text_clear(&own);
    text_add(w->out, "]");
}

/* ---- containers ---- */

/* What a container runs, whichever message says it. */
struct container {
    const struct node *image, *command, *args, *module, *env;
};

static const struct image *find_image(const struct making *m,
                                      const struct node *name)
{
    const struct image_map *map = m->with->images;

    if (!map || !name || name->kind != NODE_SCALAR)
        return NULL;
    return image_map_find(map, name->text);
}

/* A package runs in an image that knows how, and only the map does here. */
static void refuse_package(struct making *m, const struct node *at,
                           const struct node *name)
{
    if (!name || name->kind != NODE_SCALAR)
        faults_add(m->f, at->line, at->column,
                   "the package's executorImageUri must be named");
    else if (!m->with->images)
        faults_add(m->f, name->line, name->column,
                   "%.200s: this service runs no Python packages; start it "
                   "with --image-map FILE, which says what runs in an image's "
                   "place, or write containerSpec or processSpec instead",
                   name->text);
    else
        faults_add(m->f, name->line, name->column,
                   "%.200s is not in the service's image map; add it there, "
                   "or write containerSpec or processSpec instead",
                   name->text);
}

static void put_process(struct making *m, struct proto_writer *w,
                        const struct node *at, const struct image *image,
                        const struct container *c)
{
    if (!c->command && !c->module && !image->entrypoint && !image->prefix) {
        faults_add(m->f, at->line, at->column,
                   "%.200s has no entrypoint in the image map, so the job "
                   "must say its command",
                   c->image->text);
        return;
    }
    proto_key(w, "processSpec");
    text_add(w->out, "{");
    w->begun = false;
    proto_key(w, "command");
    text_add(w->out, "[");
    add_words(m, w->out, "prefix", image->prefix);
    if (c->module) {
        text_add(w->out, image->prefix ? ", " : "");
        text_add(w->out, "\"python3\", \"-m\", ");
        quote_json(w->out, c->module->text ? c->module->text : "");
    } else {
        add_words(m, w->out, "command",
                  c->command ? c->command : image->entrypoint);
    }
    add_words(m, w->out, "args", c->args);
    text_add(w->out, "]");
    put_env(m, w, image, c->env);
    if (image->workdir) {
        proto_key(w, "workdir");
        quote_json(w->out, image->workdir);
    }
    text_add(w->out, "}");
    w->begun = true;
}

/* ---- messages ---- */

/* A member of a container's message, and where it goes. */
struct member {
    const char *name;
    size_t offset;
};

#define PUT(name, what)                                                        \
    {                                                                          \
        name, offsetof(struct container, what)                                 \
    }

static const struct member container_members[] = {PUT("imageUri", image),
                                                  PUT("command", command),
                                                  PUT("args", args),
                                                  PUT("env", env),
                                                  {NULL, 0}};
static const struct member package_members[] = {PUT("executorImageUri", image),
                                                PUT("pythonModule", module),
                                                PUT("args", args),
                                                PUT("env", env),
                                                {NULL, 0}};
static const struct member config_members[] = {PUT("imageUri", image),
                                               PUT("containerCommand", command),
                                               PUT("containerArgs", args),
                                               {NULL, 0}};

/* An empty list is none. */
static void read_members(const struct node *v, const struct member *members,
                         struct container *out)
{
    for (const struct member *k = members; k->name; k++) {
        const struct node *one = proto_get(v, k->name);

        if (one && (one->kind == NODE_SCALAR ? *one->text != '\0' : one->n > 0))
            *(const struct node **)((char *)out + k->offset) = one;
    }
}

static bool known(const char *name, const struct member *members)
{
    static const char *const passed[] = {"packageUris", "acceleratorConfig",
                                         "diskConfig", "tpuTfVersion"};

    for (const struct member *k = members; k->name; k++)
        if (strcmp(k->name, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof passed / sizeof passed[0]; i++)
        if (strcmp(passed[i], name) == 0)
            return true;
    return false;
}

static void check_fields(struct making *m, const char *key,
                         const struct node *v, const struct member *members)
{
    for (size_t i = 0; i < v->n; i++) {
        char *name = proto_camel(v->items[i].key);

        if (!known(name, members))
            faults_add(m->f, v->items[i].line, v->items[i].column,
                       "%.100s: %s has no such field", v->items[i].key, key);
        free(name);
    }
}

/* What the map knows becomes a process. A container that it does not know
 * stays one: false. */
static bool put_container(struct making *m, struct proto_writer *w,
                          const char *key, const struct node *v,
                          const struct member *members)
{
    const struct image *image;
    struct container c = {0};

    if (v->kind != NODE_MAP) {
        faults_add(m->f, v->line, v->column, "%s must be a map", key);
        return true;
    }
    read_members(v, members, &c);
    image = find_image(m, c.image);
    if (image || members == package_members)
        check_fields(m, key, v, members);
    if (image)
        put_process(m, w, v, image, &c);
    else if (members == package_members)
        refuse_package(m, v, c.image);
    return image || members == package_members;
}

/* masterConfig and so on; what it says of accelerators stays. */
static bool put_config(struct making *m, struct proto_writer *w,
                       const char *key, const struct node *v)
{
    const struct node *gpus = proto_get(v, "acceleratorConfig");
    const struct image *image;
    struct container c = {.image = m->master_image};

    if (v->kind != NODE_MAP)
        return false;
    read_members(v, config_members, &c);
    image = find_image(m, c.image);
    if (!image)
        return false;
    check_fields(m, key, v, config_members);
    proto_key(w, key);
    text_add(w->out, "{");
    w->begun = false;
    put_process(m, w, v, image, &c);
    if (gpus) {
        proto_key(w, "acceleratorConfig");
        proto_value(w, "acceleratorConfig", gpus);
    }
    text_add(w->out, "}");
    w->begun = true;
    return true;
}

static bool put_folder(const struct making *m, struct proto_writer *w,
                       const char *key, const struct node *v)
{
    static const char scheme[] = "gs://";
    size_t n = strlen(scheme);
    struct text path;

    if (v->kind != NODE_SCALAR || strncmp(v->text, scheme, n) != 0 ||
        strstr(v->text, "/..") || !v->text[n] || v->text[n] == '/' ||
        v->text[n] == '.')
        return false; /* the decoder says what it thinks of it */
    text_init(&path);
    text_addf(&path, "%s/%s", m->with->bucket_root, v->text + n);
    proto_key(w, key);
    quote_json(w->out, text_str(&path));
    text_clear(&path);
    return true;
}

static bool is_config(const char *key)
{
    static const char *const configs[] = {"masterConfig", "workerConfig",
                                          "parameterServerConfig",
                                          "evaluatorConfig"};

    for (size_t i = 0; i < sizeof configs / sizeof configs[0]; i++)
        if (strcmp(configs[i], key) == 0)
            return true;
    return false;
}

static bool hook(void *ctx, struct proto_writer *w, const char *key,
                 const struct node *v)
{
    struct making *m = ctx;

    if (strcmp(key, "containerSpec") == 0)
        return put_container(m, w, key, v, container_members);
    if (strcmp(key, "pythonPackageSpec") == 0)
        return put_container(m, w, key, v, package_members);
    if (is_config(key))
        return put_config(m, w, key, v);
    if (strcmp(key, "outputUriPrefix") == 0 || strcmp(key, "jobDir") == 0)
        return put_folder(m, w, key, v);
    return false;
}

/* NULL if it is none, or empty. */
static const struct node *master_image(const struct node *job)
{
    const struct node *at = proto_get(job, "trainingInput");

    at = at && at->kind == NODE_MAP ? proto_get(at, "masterConfig") : NULL;
    at = at && at->kind == NODE_MAP ? proto_get(at, "imageUri") : NULL;
    return at && at->kind == NODE_SCALAR && *at->text ? at : NULL;
}

/* ---- documents ---- */

/* Which members of the request go over, under which name; the name comes
 * first. */
static const struct {
    const char *name;
    struct {
        const char *from, *to;
    } members[6];
} documents[] = {
    [RUNNABLE_TUNING] = {"displayName",
                         {{"studySpec", "studySpec"},
                          {"trialJobSpec", "trialJobSpec"},
                          {"maxTrialCount", "maxTrialCount"},
                          {"parallelTrialCount", "parallelTrialCount"},
                          {"maxFailedTrialCount", "maxFailedTrialCount"}}},
    [RUNNABLE_CUSTOM] = {"displayName", {{"jobSpec", "trialJobSpec"}}},
    [RUNNABLE_PLATFORM] = {"jobId", {{"trainingInput", "trainingInput"}}},
};
enum { MEMBERS = sizeof documents[0].members / sizeof documents[0].members[0] };

int runnable_write(const struct runnable *with, const struct node *job,
                   struct text *out, struct faults *f)
{
    struct making m = {with, f, master_image(job)};
    struct proto_writer w = {.out = out, .hook = hook, .ctx = &m};
    size_t before = f->n;

    text_add(out, "{");
    proto_key(&w, documents[with->kind].name);
    quote_json(out, with->name);
    for (size_t i = 0; i < MEMBERS; i++) {
        const char *from = documents[with->kind].members[i].from;
        const struct node *v = from ? proto_get(job, from) : NULL;

        if (!v)
            continue;
        proto_key(&w, documents[with->kind].members[i].to);
        proto_value(&w, from, v);
    }
    text_add(out, "}");
    return f->n > before ? -1 : 0;
}
