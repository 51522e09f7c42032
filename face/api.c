/* The native HTTP interface: finds the route, calls its function, answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/api.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "face/api_ask.h"
#include "face/api_events.h"
#include "face/api_export.h"
#include "face/api_importance.h"
#include "face/api_log.h"
#include "face/api_metrics.h"
#include "face/api_studies.h"
#include "face/api_tokens.h"
#include "face/api_trials.h"
#include "face/call.h"
#include "face/role.h"
#include "face/show.h"

struct api {
    struct face face;
};

/* ---- the service itself ---- */

static bool count_study(void *ctx, const struct study_row *row)
{
    int64_t *n = ctx;

    (void)row;
    ++*n;
    return true;
}

static int status(struct call *c, struct err *e)
{
    int64_t n = 0;

    if (store_study_list(c->face->store, 0, INT_MAX, count_study, &n, e))
        return -1;
    text_addf(&c->out, "{\"version\": \"%s\", \"pid\": %ld", HYPERTUNE_VERSION,
              (long)getpid());
    show_text(&c->out, "state_dir", c->face->state_dir);
    text_addf(&c->out, ", \"studies\": %lld}", (long long)n);
    return 0;
}

/* ---- the table ---- */

#define STUDIES "/api/studies"
#define TOKENS "/api/tokens"
#define STUDY STUDIES "/STUDY"
#define TRIAL STUDY "/trials/N"

static const struct {
    struct api_line line;
    call_fn *fn;
    enum role role; /* the least that may call it */
} routes[] = {
    {{"GET", "/healthz", "says that the service answers"},
     api_metrics_healthz,
     ROLE_ANYONE},
    {{"GET", "/readyz", "says whether new work is taken"},
     api_metrics_readyz,
     ROLE_ANYONE},
    {{"GET", "/metrics", "gives figures to Prometheus"},
     api_metrics,
     ROLE_READER},
    {{"GET", "/api/status", "says which service this is"}, status, ROLE_READER},
    {{"POST", STUDIES, "submits a study file"},
     api_studies_submit,
     ROLE_SUBMITTER},
    {{"GET", STUDIES, "lists studies, newest first"},
     api_studies_list,
     ROLE_READER},
    {{"GET", STUDY, "shows a study"}, api_studies_show, ROLE_READER},
    {{"DELETE", STUDY, "forgets a study and its files"},
     api_studies_delete,
     ROLE_ADMIN},
    {{"POST", STUDY ":pause", "starts nothing more"},
     api_studies_pause,
     ROLE_SUBMITTER},
    {{"POST", STUDY ":resume", "goes on"}, api_studies_resume, ROLE_SUBMITTER},
    {{"POST", STUDY ":cancel", "ends a study for good"},
     api_studies_cancel,
     ROLE_SUBMITTER},
    {{"POST", STUDY ":retry", "tries ended trials again"},
     api_studies_retry,
     ROLE_SUBMITTER},
    {{"POST", STUDY ":ask", "gives trials to a client"},
     api_ask,
     ROLE_SUBMITTER},
    {{"GET", STUDY "/best", "lists the best trials"},
     api_trials_best,
     ROLE_READER},
    {{"GET", STUDY "/trials", "lists trials"}, api_trials_list, ROLE_READER},
    {{"POST", STUDY "/trials", "takes ended trials"},
     api_trials_give,
     ROLE_SUBMITTER},
    {{"GET", TRIAL, "shows a trial"}, api_trials_show, ROLE_READER},
    {{"POST", TRIAL ":stop", "stops a trial"}, api_trials_stop, ROLE_SUBMITTER},
    {{"POST", TRIAL ":report", "takes measurements"},
     api_trials_report,
     ROLE_SUBMITTER},
    {{"POST", TRIAL ":tell", "ends a client's trial"},
     api_trials_tell,
     ROLE_SUBMITTER},
    {{"GET", TRIAL "/log", "gives what a trial printed"}, api_log, ROLE_READER},
    {{"GET", STUDY "/why", "says why a thing is as it is"},
     api_studies_why,
     ROLE_READER},
    {{"GET", STUDY "/importance", "says which parameters matter"},
     api_importance,
     ROLE_READER},
    {{"GET", STUDY "/export", "gives all trials as a file"},
     api_export,
     ROLE_READER},
    {{"GET", STUDY "/events", "follows a study"}, api_events, ROLE_READER},
    {{"GET", "/api/events", "follows all studies"}, api_events, ROLE_READER},
    {{"POST", TOKENS, "makes a token"}, api_tokens_new, ROLE_ADMIN},
    {{"GET", TOKENS, "lists tokens"}, api_tokens_list, ROLE_ADMIN},
    {{"DELETE", TOKENS, "deletes a token"}, api_tokens_delete, ROLE_ADMIN},
};
enum { ROUTES = sizeof routes / sizeof routes[0] };

const struct api_line *api_line(size_t i)
{
    return i < ROUTES ? &routes[i].line : NULL;
}

/* ---- matching ---- */

enum { STUDY_TEXT = 200, NUMBER_DIGITS = 32 };

/* What a path names. */
struct named {
    char study[STUDY_TEXT]; /* "" if the route names none */
    char number[NUMBER_DIGITS];
};

/* Where the verb of a path or pattern begins: at the last ':' of its last
 * segment if a letter follows (the 7 of id:7 is no verb); else at its end. */
static size_t verb_at(const char *path)
{
    const char *colon = strrchr(path, ':');

    if (colon && !strchr(colon, '/') && isalpha((unsigned char)colon[1]))
        return (size_t)(colon - path);
    return strlen(path);
}

/* Takes one segment of n bytes into out; one that is too long matches too,
 * and names nothing that is there. */
static void take(char *out, size_t size, const char *segment, size_t n)
{
    if (n >= size)
        n = size - 1;
    memcpy(out, segment, n);
    out[n] = 0;
}

static bool match_segment(const char *pattern, size_t p, const char *path,
                          size_t n, struct named *out)
{
    if (p == strlen("STUDY") && strncmp(pattern, "STUDY", p) == 0)
        take(out->study, sizeof out->study, path, n);
    else if (p == strlen("N") && *pattern == 'N')
        take(out->number, sizeof out->number, path, n);
    else
        return p == n && strncmp(pattern, path, n) == 0;
    return n > 0;
}

/* Segments from '/' to '/', up to the verb; the verbs are equal already. */
static bool match_path(const char *pattern, size_t p_end, const char *path,
                       size_t end, struct named *out)
{
    size_t p = 0;
    size_t i = 0;

    while (p < p_end && i < end) {
        size_t p_n = strcspn(pattern + p + 1, "/");
        size_t n = strcspn(path + i + 1, "/");

        p_n = p + 1 + p_n > p_end ? p_end - p - 1 : p_n;
        n = i + 1 + n > end ? end - i - 1 : n;
        if (!match_segment(pattern + p + 1, p_n, path + i + 1, n, out))
            return false;
        p += p_n + 1;
        i += n + 1;
    }
    return p >= p_end && i >= end;
}

static bool match(const char *pattern, const char *path, struct named *out)
{
    size_t p_end = verb_at(pattern);
    size_t end = verb_at(path);

    memset(out, 0, sizeof *out);
    return strcmp(pattern + p_end, path + end) == 0 &&
           match_path(pattern, p_end, path, end, out);
}

/* ---- serving ---- */

static bool is_there(void *ctx, const struct study_row *row)
{
    *(int64_t *)ctx = row->id;
    return false;
}

static int find_study(struct call *c, const char *name, struct err *e)
{
    int64_t id = 0;

    if (strncmp(name, "id:", 3) != 0)
        return store_study_find(c->face->store, name, &c->study, e);
    if (!number_read_int(name + 3, &id))
        return err_set(e, ERR_ABSENT, "\"%s\" is no study's id", name);
    return store_study_get(c->face->store, id, is_there, &c->study, e);
}

/* Looks up what the path names. */
static int find_named(struct call *c, const struct named *named, struct err *e)
{
    if (*named->study && find_study(c, named->study, e))
        return -1;
    if (*named->number &&
        (!number_read_int(named->number, &c->number) || c->number < 1))
        return err_set(e, ERR_ABSENT, "there is no trial \"%s\"",
                       named->number);
    return 0;
}

static const char *method_name(const struct request *r)
{
    static const char *const names[] = {
        [SERVE_GET] = "GET",       [SERVE_POST] = "POST",
        [SERVE_DELETE] = "DELETE", [SERVE_PATCH] = "PATCH",
        [SERVE_OTHER] = "another",
    };

    return names[request_method(r)];
}

/* Right path, wrong method: 405 with what would be right. */
static void refuse_method(struct call *c, const struct text *methods)
{
    struct err e;

    err_set(&e, ERR_INVALID, "%.150s takes %s, and no other method",
            request_path(c->request), text_str(methods));
    call_fail(c, &e, NULL);
    c->status = 405;
    request_header_add(c->request, "Allow", text_str(methods));
}

static void refuse_path(struct call *c, const char *path)
{
    struct err e;

    err_set(&e, ERR_ABSENT,
            "there is nothing at %.200s; docs/api.md lists "
            "what there is",
            path);
    call_fail(c, &e, NULL);
}

static call_fn *forbid(struct call *c, enum role wanted)
{
    c->status = role_refuse(c->request, wanted, &c->out);
    return NULL;
}

/* The call's function, or NULL with the refusal as its answer. */
static call_fn *route(struct call *c, struct named *named)
{
    const char *path = request_path(c->request);
    const char *method = method_name(c->request);
    struct text methods;
    call_fn *fn = NULL;
    bool found = false;

    text_init(&methods);
    for (size_t i = 0; i < ROUTES && !found; i++) {
        if (!match(routes[i].line.pattern, path, named))
            continue;
        found = strcmp(routes[i].line.method, method) == 0;
        if (!found)
            text_addf(&methods, "%s%s", methods.len ? ", " : "",
                      routes[i].line.method);
        else
            fn = role_allows(c->request, routes[i].role)
                     ? routes[i].fn
                     : forbid(c, routes[i].role);
    }
    if (!found && methods.len)
        refuse_method(c, &methods);
    else if (!found)
        refuse_path(c, path);
    text_clear(&methods);
    return fn;
}

static void refuse_ending(struct call *c)
{
    struct err e;

    err_set(&e, ERR_BUSY, "the service is ending");
    call_fail(c, &e, NULL);
}

void api_serve(void *ctx, struct request *r)
{
    struct api *a = ctx;
    struct call *c = call_new(&a->face, r);
    struct named named;
    call_fn *fn = NULL;
    struct err e;
    int rc = 0;

    if (a->face.ending)
        refuse_ending(c);
    else if (a->face.guest && a->face.guest->owns(request_path(r)))
        a->face.guest->serve(c);
    else
        fn = route(c, &named);
    if (fn)
        rc = find_named(c, &named, &e) || fn(c, &e) ? -1 : 0;
    call_served(c, rc, &e);
}

void api_changed(void *ctx, int64_t study)
{
    struct api *a = ctx;

    api_events_changed(&a->face, study);
}

int64_t api_unkept(const struct api *a)
{
    return a->face.counts.unkept;
}

void api_ending(struct api *a)
{
    a->face.ending = true;
    api_events_release(&a->face);
    api_log_release(&a->face);
}

struct api *api_new(const struct api_parts *parts)
{
    struct api *a = mem_new(1, sizeof *a);

    a->face = (struct face){.engine = parts->engine,
                            .store = parts->store,
                            .loop = parts->loop,
                            .state_dir = parts->state_dir,
                            .images = parts->images,
                            .least_free_bytes = parts->least_free_bytes,
                            .timed = parts->timed,
                            .guest = parts->guest,
                            .look_only = parts->look_only};
    return a;
}

void api_free(struct api *a)
{
    if (!a)
        return;
    api_importance_close(&a->face);
    call_end_all(&a->face);
    if (a->face.guest)
        a->face.guest->leave(&a->face);
    free(a);
}
