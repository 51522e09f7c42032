/* docs/openapi.yaml and the service say the same: every route, every field of
 * every answer, every error; and what the document forbids is refused. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/node.h"
#include "face/api.h"
#include "tests/lib/suite.h"
#include "tests/service/lib/served.h"

enum { DOCUMENT = 200000, MOST_OPERATIONS = 100 };

static struct served service;
static struct node *doc;
static const struct node *walked[MOST_OPERATIONS]; /* operations */
static size_t n_walked;
static char why[400]; /* the last misfit */

/* ---- the document ---- */

static void read_document(void)
{
    const char *root = getenv("HYPERTUNE_SOURCE");
    char *path = mem_format("%s/docs/openapi.yaml", root ? root : ".");
    FILE *f = fopen(path, "re");
    char *bytes = mem_new(DOCUMENT, 1);
    struct faults faults;
    size_t n;

    ck_assert_msg(f != NULL, "%s", path);
    n = fread(bytes, 1, DOCUMENT, f);
    fclose(f);
    ck_assert_uint_lt(n, DOCUMENT);
    faults_init(&faults);
    ck_assert_msg(node_parse(bytes, n, &doc, &faults) == 0, "%s:%d: %s", path,
                  faults.items[0].line, faults.items[0].text);
    faults_clear(&faults);
    free(bytes);
    free(path);
}

static const struct node *must(const struct node *map, const char *key)
{
    const struct node *found = map ? node_get(map, key) : NULL;

    ck_assert_msg(found != NULL, "no %s", key);
    return found;
}

static const char *text_of(const struct node *map, const char *key)
{
    const struct node *found =
        map->kind == NODE_MAP ? node_get(map, key) : NULL;

    return found && found->kind == NODE_SCALAR ? found->text : NULL;
}

/* "#/components/schemas/Trial"; others as they are. */
static const struct node *resolve(const struct node *n)
{
    const char *ref;

    while ((ref = text_of(n, "$ref")) != NULL) {
        char *words = mem_copy_text(ref), *rest = words, *word;

        ck_assert_msg(strsep(&rest, "/") != NULL && rest, "%s", ref);
        for (n = doc; (word = strsep(&rest, "/"));)
            n = must(n, word);
        free(words);
    }
    return n;
}

/* ---- whether a value fits a schema ---- */

static bool misfit(const char *at, const char *what)
{
    snprintf(why, sizeof why, "%.200s: %.150s", at, what);
    return false;
}

static bool is_of_type(const char *type, const json_t *v)
{
    return (strcmp(type, "string") == 0 && json_is_string(v)) ||
           (strcmp(type, "integer") == 0 && json_is_integer(v)) ||
           (strcmp(type, "number") == 0 && json_is_number(v)) ||
           (strcmp(type, "boolean") == 0 && json_is_boolean(v)) ||
           (strcmp(type, "null") == 0 && json_is_null(v)) ||
           (strcmp(type, "object") == 0 && json_is_object(v)) ||
           (strcmp(type, "array") == 0 && json_is_array(v));
}

/* `is` of a scalar, or of one of a list. */
static bool one_of(const struct node *n,
                   bool (*is)(const char *text, const json_t *v),
                   const json_t *v)
{
    if (n->kind == NODE_SCALAR)
        return is(n->text, v);
    for (size_t i = 0; i < n->n; i++)
        if (is(n->items[i].value->text ? n->items[i].value->text : "null", v))
            return true;
    return false;
}

static bool is_text(const char *text, const json_t *v)
{
    return json_is_string(v) && strcmp(json_string_value(v), text) == 0;
}

/* The schema of a member, looked for in what the schema extends too. */
static const struct node *member_of(const struct node *schema, const char *name)
{
    const struct node *all = node_get(schema, "allOf");
    const struct node *members = node_get(schema, "properties");
    const struct node *found = members ? node_get(members, name) : NULL;

    for (size_t i = 0; all && i < all->n && !found; i++)
        found = member_of(resolve(all->items[i].value), name);
    return found;
}

static bool has_required(const struct node *schema, const json_t *v,
                         const char *at)
{
    const struct node *all = node_get(schema, "allOf");
    const struct node *names = node_get(schema, "required");

    for (size_t i = 0; names && i < names->n; i++)
        if (!json_object_get(v, names->items[i].value->text)) {
            misfit(at, "lacks ");
            strncat(why, names->items[i].value->text, 100);
            return false;
        }
    for (size_t i = 0; all && i < all->n; i++)
        if (!has_required(resolve(all->items[i].value), v, at))
            return false;
    return true;
}

static bool fits(const struct node *schema, const json_t *v, const char *at);

static bool fits_object(const struct node *schema, const json_t *v,
                        const char *at)
{
    const struct node *others = node_get(schema, "additionalProperties");
    const char *name;
    json_t *value;

    if (!has_required(schema, v, at))
        return false;
    json_object_foreach((json_t *)v, name, value)
    {
        const struct node *of = member_of(schema, name);
        char *below = mem_format("%.300s.%.60s", at, name);
        bool good = of ? fits(of, value, below) : others != NULL;

        if (!of && !others)
            misfit(below, "is not in the document");
        if (!of && others && others->kind == NODE_MAP)
            good = fits(others, value, below);
        free(below);
        if (!good)
            return false;
    }
    return true;
}

static bool fits_one(const struct node *choices, const json_t *v,
                     const char *at)
{
    size_t n = 0;

    for (size_t i = 0; i < choices->n; i++)
        n += fits(choices->items[i].value, v, at);
    return n == 1 || misfit(at, "fits none of them, or several");
}

static bool fits(const struct node *schema, const json_t *v, const char *at)
{
    const struct node *n;

    schema = resolve(schema);
    if ((n = node_get(schema, "oneOf")))
        return fits_one(n, v, at);
    if ((n = node_get(schema, "type")) && !one_of(n, is_of_type, v))
        return misfit(at, "is of another type");
    if ((n = node_get(schema, "enum")) && !one_of(n, is_text, v))
        return misfit(at, "is none of the words");
    if ((n = node_get(schema, "const")) && !one_of(n, is_text, v))
        return misfit(at, "is another word");
    if (json_is_object(v))
        return fits_object(schema, v, at);
    n = node_get(schema, "items");
    for (size_t i = 0; n && i < json_array_size(v); i++)
        if (!fits(n, json_array_get(v, i), at))
            return false;
    return true;
}

/* ---- operations ---- */

/* Whether a path, up to its query, is one of the template. */
static bool is_path_of(const char *template, const char *path)
{
    while (*template && *path && *path != '?') {
        if (*template == '{') {
            template += strcspn(template, "}") + 1;
            while (*path && !strchr("/?", *path) &&
                   !(*path == ':' && isalpha((unsigned char)path[1])))
                path++;
        } else if (*template ++ != *path++) {
            return false;
        }
    }
    return !*template && (!*path || *path == '?');
}

static const struct node *operation(const char *method, const char *path)
{
    const struct node *paths = must(doc, "paths");
    char *word = mem_copy_text(method);
    const struct node *found = NULL;

    for (char *c = word; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < paths->n && !found; i++)
        if (is_path_of(paths->items[i].key, path))
            found = node_get(paths->items[i].value, word);
    free(word);
    ck_assert_msg(found != NULL, "%s %s is not in the document", method, path);
    return found;
}

/* The schema of an answer as JSON; NULL if it is no JSON. */
static const struct node *answer_of(const struct node *op, const char *status)
{
    const struct node *answer = resolve(must(must(op, "responses"), status));
    const struct node *json =
        node_get(must(answer, "content"), "application/json");

    return json ? must(json, "schema") : NULL;
}

/* Asks, and holds the answer against the document. */
static json_t *walk(int status, const char *method, const char *path,
                    const char *body)
{
    const struct node *op = operation(method, path);
    json_t *got = served_ask(&service, status, method, path, body);
    const struct node *schema = answer_of(op, status < 300 ? "200" : "default");

    why[0] = 0;
    ck_assert_msg(schema && fits(schema, got, "answer"), "%s %s: %s", method,
                  path, why);
    if (status < 300 && n_walked < MOST_OPERATIONS)
        walked[n_walked++] = op;
    return got;
}

static void just(int status, const char *method, const char *path,
                 const char *body)
{
    json_decref(walk(status, method, path, body));
}

/* One whose answer is text. */
static void walk_text(const char *path, const char *holds)
{
    struct fetch_answer a;

    served_fetch(&service, "GET", path, NULL, 0, &a);
    ck_assert_msg(a.status == 200 && strstr(text_str(&a.body), holds),
                  "%s: %d %s", path, a.status, text_str(&a.body));
    fetch_answer_clear(&a);
    walked[n_walked++] = operation("GET", path);
}

static void begin(void)
{
    read_document();
    served_begin(&service);
}

static void end(void)
{
    served_end(&service);
    node_free(doc);
}

/* ---- tests ---- */

#define STUDY "/api/studies/walk"

static const char file[] = "study: walk\nminimize: loss\nparams:\n"
                           "  x: 0.0 .. 1.0\n  kind: [a, b]\n"
                           "trials: 6\n";

static void submit(void)
{
    just(200, "POST", "/api/studies?file=walk.yaml&dir=/tmp", file);
}

/* As the document writes a pattern. */
static char *written(const char *pattern)
{
    struct text out;

    text_init(&out);
    while (*pattern) {
        if (strncmp(pattern, "STUDY", 5) == 0) {
            text_add(&out, "{study}");
            pattern += 5;
        } else if (strncmp(pattern, "/N", 2) == 0 &&
                   !isalpha((unsigned char)pattern[2])) {
            text_add(&out, "/{number}");
            pattern += 2;
        } else {
            text_add_bytes(&out, pattern++, 1);
        }
    }
    return text_take(&out);
}

static bool is_method(const char *key)
{
    return strcmp(key, "get") == 0 || strcmp(key, "post") == 0 ||
           strcmp(key, "delete") == 0 || strcmp(key, "patch") == 0;
}

START_TEST(the_routes_are_those_of_the_document)
{
    const struct node *paths;
    size_t documented = 0, served = 0;

    read_document();
    paths = must(doc, "paths");
    for (size_t i = 0; i < paths->n; i++)
        for (size_t j = 0; j < paths->items[i].value->n; j++)
            documented += is_method(paths->items[i].value->items[j].key);
    for (; api_line(served); served++) {
        const struct api_line *line = api_line(served);
        char *path = written(line->pattern);
        char *method = mem_copy_text(line->method);

        for (char *c = method; *c; c++)
            *c = (char)tolower((unsigned char)*c);
        ck_assert_msg(node_get(paths, path) != NULL, "%s", path);
        ck_assert_msg(node_get(node_get(paths, path), method) != NULL, "%s %s",
                      method, path);
        free(method);
        free(path);
    }
    ck_assert_uint_eq(documented, served);
    node_free(doc);
}
END_TEST

/* Twelve results, so that there is something to weigh. */
static void put_in_results(void)
{
    struct text body;

    text_init(&body);
    text_add(&body, "[");
    for (int i = 0; i < 12; i++)
        text_addf(&body,
                  "%s{\"params\": {\"x\": 0.%02d, \"kind\": \"%c\"}, "
                  "\"loss\": %d}",
                  i ? "," : "", i * 7 + 3, 'a' + i % 2, i);
    text_add(&body, "]");
    just(200, "POST", STUDY "/trials", text_str(&body));
    text_clear(&body);
}

static void walk_trials(void)
{
    just(200, "POST", STUDY ":ask", "{\"client\": \"me\", \"count\": 4}");
    just(200, "POST", STUDY "/trials/13:report",
         "{\"metric\": \"loss\", \"value\": 0.5, \"step\": 3}");
    just(200, "POST", STUDY "/trials/13:report",
         "{\"metric\": \"other\", \"value\": \"nan\"}");
    just(200, "POST", STUDY "/trials/13:report",
         "{\"from\": 0, \"reports\": [{\"metric\": \"other\", "
         "\"value\": \"inf\", \"step\": 4, \"time\": 1795232315702}]}");
    just(200, "POST", STUDY "/trials/13:tell", "{}");
    just(200, "POST", STUDY "/trials/14:tell", "{\"infeasible\": \"no\"}");
    just(200, "POST", STUDY "/trials/15:stop", "");
    just(200, "GET", STUDY "/trials/13", NULL);
    just(200, "GET", STUDY "/trials?limit=3&state=SUCCEEDED", NULL);
    just(200, "GET", STUDY "/trials?changed_after=0", NULL);
    just(200, "GET", STUDY "/best?count=3", NULL);
    walk_text(STUDY "/trials/13/log", "");
    walk_text(STUDY "/export", "number,state");
    walk_text(STUDY "/export?format=json", "\"number\": 13");
    walk_text(STUDY "/export?format=jsonl", "\"number\": 13");
}

static void walk_study(void)
{
    just(200, "GET", "/api/studies", NULL);
    just(200, "GET", "/api/studies?brief=1", NULL);
    just(200, "GET", STUDY, NULL);
    just(200, "GET", STUDY "?importance=1", NULL);
    just(200, "GET", STUDY "/importance", NULL);
    just(200, "GET", STUDY "/why", NULL);
    just(200, "GET", STUDY "/why?trial=13", NULL);
    just(200, "POST", STUDY ":pause", "{\"interrupt\": true}");
    just(200, "POST", STUDY ":resume", NULL);
    just(200, "POST", "/api/studies?dir=/tmp",
         "study: runs\nminimize: loss\nparams: {x: 0 .. 1}\nrun: /bin/true\n");
    just(200, "POST", "/api/studies/runs:retry", "{}");
    just(200, "POST", STUDY ":cancel", NULL);
    just(200, "GET", STUDY "/events", NULL);
    just(200, "GET", "/api/events?limit=5", NULL);
    just(200, "DELETE", STUDY, NULL);
}

static void walk_service(void)
{
    just(200, "GET", "/healthz", NULL);
    just(200, "GET", "/readyz", NULL);
    walk_text("/metrics", "\nhypertune_trials{state=\"PENDING\"} ");
    just(200, "GET", "/api/status", NULL);
    just(200, "POST", "/api/tokens", "{\"name\": \"t\", \"role\": \"reader\"}");
    just(200, "GET", "/api/tokens", NULL);
    just(200, "DELETE", "/api/tokens?name=t", NULL);
}

static void was_walked(const struct node *op, const char *method,
                       const char *path)
{
    for (size_t i = 0; i < n_walked; i++)
        if (walked[i] == op)
            return;
    ck_abort_msg("nothing here asks for %s %s", method, path);
}

START_TEST(every_answer_has_the_fields_of_the_document)
{
    const struct node *paths;

    begin();
    walk_service();
    submit();
    put_in_results();
    walk_trials();
    walk_study();
    paths = must(doc, "paths");
    for (size_t i = 0; i < paths->n; i++) {
        const struct node *path = paths->items[i].value;

        for (size_t j = 0; j < path->n; j++)
            if (is_method(path->items[j].key))
                was_walked(path->items[j].value, path->items[j].key,
                           paths->items[i].key);
    }
    end();
}
END_TEST

static void refused(int status, const char *code, const char *method,
                    const char *path, const char *body)
{
    json_t *got = walk(status, method, path, body);
    const char *is = json_string_value(
        json_object_get(json_object_get(got, "error"), "code"));

    ck_assert_msg(is && strcmp(is, code) == 0, "%s %s: %s", method, path, is);
    json_decref(got);
}

START_TEST(every_error_has_the_shape_of_the_document)
{
    begin();
    submit();
    refused(400, "invalid", "POST", "/api/studies?dir=/tmp", "study: [x");
    refused(400, "invalid", "POST", "/api/studies", file);
    refused(404, "absent", "GET", "/api/studies/none", NULL);
    refused(404, "absent", "GET", STUDY "/trials/99", NULL);
    refused(409, "conflict", "POST", "/api/studies?dir=/tmp",
            "study: walk\nmaximize: other\nparams: {x: 0 .. 1}\n");
    just(200, "POST", STUDY ":ask", "{\"client\": \"a\", \"count\": 6}");
    refused(503, "busy", "POST", STUDY ":ask", "{\"client\": \"b\"}");
    just(200, "POST", STUDY "/trials/1:tell", "{\"value\": 1}");
    refused(409, "conflict", "POST", STUDY "/trials/1:tell", "{\"value\": 1}");
    refused(409, "conflict", "DELETE", STUDY, NULL);
    end();
}
END_TEST

/* ---- what the document forbids ---- */

/* A path that is there, of a template. */
static char *filled(const char *template)
{
    struct text out;

    text_init(&out);
    while (*template) {
        size_t n = strcspn(template, "{");

        text_add_bytes(&out, template, n);
        template += n;
        if (*template == '{') {
            text_add(&out, template[1] == 's' ? "walk" : "1");
            template += strcspn(template, "}") + 1;
        }
    }
    return text_take(&out);
}

/* Refused with a sentence that names it. */
static void names(const char *method, const char *path, const char *body,
                  const char *name)
{
    json_t *got = walk(400, method, path, body);
    const char *says = json_string_value(
        json_object_get(json_object_get(got, "error"), "message"));

    ck_assert_msg(says && strstr(says, name), "%s %s %s: %s", method, path,
                  body ? body : "", says);
    json_decref(got);
}

static void try_query(const char *method, const char *path,
                      const struct node *of)
{
    static const char *const wrong[] = {
        "x",  "1.5", "-99999999999999999999", "1e99", "99999999999999999999",
        "0x1"};
    const struct node *schema = must(of, "schema");
    const char *name = text_of(of, "name");
    const char *type = text_of(schema, "type");
    const char *least = text_of(schema, "minimum");

    if (strcmp(text_of(of, "in"), "query") != 0)
        return;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        char *asked = mem_format("%s?%s=%s", path, name, wrong[i]);

        if (strcmp(type, "integer") == 0)
            names(method, asked, NULL, name);
        else if (node_get(schema, "enum"))
            names(method, asked, strcmp(method, "POST") ? NULL : "[]", name);
        free(asked);
    }
    /* -1 is for streams only */
    if (least && strcmp(type, "integer") == 0) {
        char *asked =
            mem_format("%s?%s=%ld", path, name, strtol(least, NULL, 10) - 1);

        names(method, asked, NULL, name);
        free(asked);
    }
}

/* What fits the field: a list, a number or a word. */
static const char *good_value(const struct node *field)
{
    const char *type = text_of(resolve(field), "type");

    if (type && strcmp(type, "array") == 0)
        return "[]";
    return type && strcmp(type, "string") == 0 ? "\"reader\"" : "1";
}

/* A body with a good value for each required field but `bad`, which has that
 * text. */
static char *body_with(const struct node *schema, const char *bad,
                       const char *text)
{
    const struct node *fields = must(schema, "properties");
    const struct node *required = node_get(schema, "required");
    struct text out;

    text_init(&out);
    text_addf(&out, "{\"%s\": %s", bad, text);
    for (size_t i = 0; i < fields->n; i++) {
        const char *name = fields->items[i].key;
        bool needed = false;

        for (size_t j = 0; required && j < required->n; j++)
            needed |= strcmp(required->items[j].value->text, name) == 0;
        if (needed && strcmp(name, bad) != 0)
            text_addf(&out, ", \"%s\": %s", name,
                      good_value(fields->items[i].value));
    }
    text_add(&out, "}");
    return text_take(&out);
}

static void try_field(const char *path, const struct node *schema,
                      const char *name)
{
    static const char *const wrong[] = {"[]",
                                        "{}",
                                        "{\"a\": [1, {}]}",
                                        "[[[[]]]]",
                                        "1e999",
                                        "-1e999",
                                        "123456789012345678901234567890"};
    const struct node *field = must(must(schema, "properties"), name);
    char *body, *twice;

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        if (strcmp(wrong[i], good_value(field)) == 0)
            continue;
        body = body_with(schema, name, wrong[i]);
        json_decref(walk(400, "POST", path, body));
        free(body);
    }
    body = body_with(schema, name, "null");
    body[strlen(body) - 1] = 0;
    twice = mem_format("%s, \"%s\": null}", body, name);
    json_decref(walk(400, "POST", path, twice));
    free(twice);
    free(body);
}

static void try_fields(const char *path, const struct node *schema)
{
    const struct node *several = node_get(schema, "oneOf");
    const struct node *fields = node_get(schema, "properties");

    for (size_t i = 0; several && i < several->n; i++)
        try_fields(path, resolve(several->items[i].value));
    for (size_t i = 0; fields && i < fields->n; i++)
        try_field(path, schema, fields->items[i].key);
}

static void try_body(const char *path, const struct node *of)
{
    static const char *const odd[] = {"[]",        "1",    "\"x\"",
                                      "{",         "{}{}", "{\"",
                                      "{\"a\" 1}", "nul",  "{\"\\u0000\": 1}"};
    const struct node *json =
        node_get(must(resolve(of), "content"), "application/json");
    const struct node *schema = json ? node_get(json, "schema") : NULL;

    if (!schema)
        return;
    schema = resolve(schema);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++)
        json_decref(walk(400, "POST", path, odd[i]));
    names("POST", path, "{\"unheard_of\": 1}", "unheard_of");
    try_fields(path, schema);
}

static void try_operation(const char *template, const char *method,
                          const struct node *op)
{
    const struct node *queries = node_get(op, "parameters");
    const struct node *body = node_get(op, "requestBody");
    char *path = filled(template);
    char *word = mem_copy_text(method);

    for (char *c = word; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    for (size_t i = 0; queries && i < queries->n; i++)
        try_query(word, path, resolve(queries->items[i].value));
    if (body)
        try_body(path, body);
    free(word);
    free(path);
}

static char *state_of(void)
{
    json_t *study = served_ask(&service, 200, "GET", STUDY, NULL);
    json_t *trials = served_ask(&service, 200, "GET", STUDY "/trials", NULL);
    char *a = json_dumps(study, JSON_SORT_KEYS);
    char *b = json_dumps(trials, JSON_SORT_KEYS);
    char *both = mem_format("%s%s", a, b);

    free(a);
    free(b);
    json_decref(study);
    json_decref(trials);
    return both;
}

START_TEST(every_field_that_is_wrong_is_refused_and_changes_nothing)
{
    const struct node *paths;
    char *before, *after;

    begin();
    submit();
    just(200, "POST", STUDY ":ask", "{\"client\": \"me\"}");
    before = state_of();
    paths = must(doc, "paths");
    for (size_t i = 0; i < paths->n; i++) {
        const struct node *path = paths->items[i].value;

        for (size_t j = 0; j < path->n; j++)
            if (is_method(path->items[j].key))
                try_operation(paths->items[i].key, path->items[j].key,
                              path->items[j].value);
    }
    after = state_of();
    ck_assert_str_eq(before, after);
    free(before);
    free(after);
    end();
}
END_TEST

SUITE_WITHIN(240, "service/api_openapi", the_routes_are_those_of_the_document,
             every_answer_has_the_fields_of_the_document,
             every_error_has_the_shape_of_the_document,
             every_field_that_is_wrong_is_refused_and_changes_nothing)
