/* Google's interfaces: finds the route, calls its function, answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google.h"

#include <stdio.h>
#include <string.h>

#include "google/google_jobs.h"
#include "google/google_logs.h"
#include "google/google_marks.h"
#include "google/google_measure.h"
#include "google/google_operations.h"
#include "google/google_platform.h"
#include "google/google_studies.h"
#include "google/google_suggest.h"
#include "google/google_trials.h"

static const struct google_route *const tables[] = {
    google_operations_routes, google_studies_routes, google_trials_routes,
    google_suggest_routes,    google_measure_routes, google_jobs_routes,
    google_platform_routes,   google_logs_routes,
};
enum { TABLES = sizeof tables / sizeof tables[0] };

const struct google_route *google_route(size_t i)
{
    for (size_t t = 0; t < TABLES; t++) {
        const struct google_route *route = tables[t];

        for (; route->method; route++, i--)
            if (i == 0)
                return route;
    }
    return NULL;
}

/* ---- paths ---- */

/* What a path may begin with. Python's client asks for operations under /ui. */
static const struct {
    const char *prefix, *version;
} prefixes[] = {
    {"/v1/", "v1"},
    {"/v1beta1/", "v1beta1"},
    {"/ui/", "v1"},
    {"/v2/", "v2"},
};
enum { PREFIXES = sizeof prefixes / sizeof prefixes[0] };

/* The one it begins with, or -1. */
static int prefix_of(const char *path)
{
    for (int i = 0; i < PREFIXES; i++)
        if (strncmp(path, prefixes[i].prefix, strlen(prefixes[i].prefix)) == 0)
            return i;
    return -1;
}

static bool owns(const char *path)
{
    return prefix_of(path) >= 0;
}

/* Where the segment at `at` ends. */
static const char *segment_end(const char *at)
{
    return at + strcspn(at, "/");
}

/* The text of a star, n bytes, goes where the word before it says. */
static bool take_star(struct google_call *g, const char *word, const char *text,
                      size_t n)
{
    char *to = g->n_ids < GOOGLE_IDS ? g->ids[g->n_ids] : NULL;

    if (strncmp(word, "projects/", 9) == 0)
        to = g->project;
    else if (strncmp(word, "locations/", 10) == 0)
        to = g->location;
    else
        g->n_ids++;
    if (!to || n == 0 || n >= GOOGLE_NAME)
        return false;
    for (size_t i = 0; i < n; i++) /* names are said in answers */
        if (text[i] <= ' ' || text[i] == '"' || (text[i] & 0x80))
            return false;
    memcpy(to, text, n);
    to[n] = '\0';
    return true;
}

/* One segment against one of the pattern: a word, or a star and perhaps a
 * verb behind it. */
static bool match_segment(struct google_call *g, const char *word,
                          const char *pattern, size_t p, const char *path,
                          size_t n)
{
    size_t verb = p - 1; /* ":complete" */

    if (*pattern != '*')
        return p == n && strncmp(pattern, path, n) == 0;
    if (n < verb || strncmp(path + n - verb, pattern + 1, verb) != 0)
        return false;
    return take_star(g, word, path, n - verb);
}

static bool match(struct google_call *g, const char *pattern, const char *path)
{
    const char *word = pattern;

    g->n_ids = 0;
    *g->project = *g->location = '\0';
    for (;;) {
        const char *p_end = segment_end(pattern);
        const char *end = segment_end(path);

        if (!match_segment(g, word, pattern, (size_t)(p_end - pattern), path,
                           (size_t)(end - path)))
            return false;
        if (!*p_end || !*end)
            return !*p_end && !*end;
        word = pattern;
        pattern = p_end + 1;
        path = end + 1;
    }
}

/* ---- serving ---- */

static const char *method_name(const struct request *r)
{
    static const char *const names[] = {
        [SERVE_GET] = "GET",       [SERVE_POST] = "POST",
        [SERVE_DELETE] = "DELETE", [SERVE_PATCH] = "PATCH",
        [SERVE_OTHER] = "another",
    };

    return names[request_method(r)];
}

/* The route of the call, or NULL; the path's names are in *g. A star with a
 * verb comes before one without: id:verb would be an id too. */
static const struct google_route *find(struct google_call *g, const char *path,
                                       const char *rest)
{
    const char *method = method_name(g->call->request);
    const struct google_route *route, *found = NULL;
    struct google_call tried = *g;

    for (size_t i = 0; (route = google_route(i)); i++) {
        bool whole = *route->pattern == '/';

        if (strcmp(route->method, method) != 0 ||
            !match(&tried, route->pattern, whole ? path : rest) ||
            (found && !strchr(route->pattern, ':')))
            continue;
        found = route;
        *g = tried;
    }
    return found;
}

/* What goes wrong after the route has answered: nothing could be kept, or the
 * service ends. */
static void complain(struct call *c, const struct err *e)
{
    struct google_call g = {.call = c};

    google_fail(&g, e);
}

static void serve(struct call *c)
{
    const char *path = request_path(c->request);
    int prefix = prefix_of(path);
    struct google_call g = {.call = c, .version = prefixes[prefix].version};
    const struct google_route *route =
        find(&g, path, path + strlen(prefixes[prefix].prefix));
    struct err e;

    c->complain = complain;
    if (!route) {
        google_err(&g, GOOGLE_ABSENT, &e,
                   "there is no %s %.200s here; docs/vertex.md lists what "
                   "there is",
                   request_method(c->request) == SERVE_OTHER
                       ? "such method for"
                       : method_name(c->request),
                   path);
        google_fail(&g, &e);
    } else if (!role_allows(c->request, route->role)) {
        c->status = role_refuse(c->request, route->role, &c->out);
    } else if (route->fn(&g, &e)) {
        google_fail(&g, &e);
    }
}

static void leave(struct face *f)
{
    google_marks_free(f->guest_keeps);
    f->guest_keeps = NULL;
}

const struct face_guest google_guest = {owns, serve, leave};
