/* The service, as the command line asks it. The happy path is one request, one
 * JSON answer; all else becomes one sentence here. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/client.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/place.h"
#include "cli/service.h"
#include "io/fetch.h"

enum { LOOK_MS = 30000, LOOK_REST_MS = 1 };

struct client {
    struct fetch *fetch;
    struct fetch_answer answer;
    struct text path;
    char *where;
    int told;
    bool lost;
    char *state;           /* of client_look: the state directory; else NULL */
    struct service looker; /* ours, if its pid is not 0 */
};

int client_open(struct client **out, const struct options *o, struct err *e)
{
    struct client *c = mem_new(1, sizeof *c);
    char *token = NULL;
    int rc = -1;

    fetch_answer_init(&c->answer);
    text_init(&c->path);
    if (place_server(o, &c->where, &c->told, e))
        goto out;
    if (strncmp(c->where, "unix:", 5) != 0)
        token = place_token(o, c->where);
    rc = fetch_open(&c->fetch, c->where, token, e);
    if (!rc)
        fetch_trust(c->fetch, place_ca(o));
out:
    free(token);
    if (rc)
        client_close(c);
    else
        *out = c;
    return rc;
}

int client_look(struct client **out, const struct options *o, struct err *e)
{
    char *state;

    if (place_state(o, &state, e))
        return -1;
    if (client_open(out, o, e)) {
        free(state);
        return -1;
    }
    (*out)->state = state;
    return 0;
}

void client_close(struct client *c)
{
    if (!c)
        return;
    service_stop(&c->looker, true);
    service_clear(&c->looker);
    free(c->state);
    fetch_close(c->fetch);
    fetch_answer_clear(&c->answer);
    text_clear(&c->path);
    free(c->where);
    free(c);
}

const char *client_where(const struct client *c)
{
    return c->where;
}

bool client_told(const struct client *c)
{
    return c->told;
}

const char *client_study(struct client *c, const char *study, const char *fmt,
                         ...)
{
    char *name = fetch_escape(study), *rest = NULL;
    va_list args;

    va_start(args, fmt);
    if (vasprintf(&rest, fmt, args) < 0)
        rest = NULL;
    va_end(args);
    text_reset(&c->path);
    text_add(&c->path, "/api/studies/");
    text_add(&c->path, name);
    text_add(&c->path, rest ? rest : "");
    free(name);
    free(rest);
    return text_str(&c->path);
}

/* One request; whatever the service answers is in c->answer. */
static int ask_once(struct client *c, const char *method, const char *path,
                    const char *body, size_t n, const char *type, struct err *e)
{
    struct err why = {0};

    c->lost = false;
    if (!fetch_do(c->fetch, method, path, body, n, type, &c->answer, &why)) {
        c->lost = c->answer.status == 503;
        return 0;
    }
    c->lost = why.code != ERR_BUSY;
    if (why.code == ERR_ABSENT && strncmp(c->where, "unix:", 5) != 0)
        return err_set(e, ERR_OUTSIDE,
                       "no service answers at %s: it is not running, or "
                       "listens elsewhere (hypertuned --listen)",
                       c->where);
    if (why.code == ERR_ABSENT)
        return err_set(e, ERR_OUTSIDE,
                       "no service answers at %s: start one with `hypertune "
                       "serve` on another terminal, or use `hypertune run "
                       "FILE`",
                       c->where);
    if (why.code == ERR_BUSY)
        return err_set(e, ERR_BUSY, "interrupted");
    return err_set(e, ERR_OUTSIDE, "%s", why.text);
}

static int wait_for_looker(struct client *c, struct err *e)
{
    int64_t until = clock_steady_ms(&clock_real) + LOOK_MS;

    while (ask_once(c, "GET", "/healthz", NULL, 0, NULL, e) || c->lost) {
        if (service_gone(&c->looker))
            return service_explain(&c->looker, e);
        if (clock_steady_ms(&clock_real) > until)
            return err_set(e, ERR_OUTSIDE, "no answer in time from %s",
                           c->where);
        interrupt_sleep(LOOK_REST_MS);
    }
    return 0;
}

/* Starts a service that only looks, and asks that one from now on. */
static int start_looker(struct client *c, struct err *e)
{
    struct fetch *fetch;
    char *where;

    service_init(&c->looker, c->state);
    c->looker.look_only = true;
    where = service_where(&c->looker);
    if (fetch_open(&fetch, where, NULL, e)) {
        free(where);
        return -1;
    }
    fetch_close(c->fetch);
    c->fetch = fetch;
    free(c->where);
    c->where = where;
    return service_start(&c->looker, e) ? -1 : wait_for_looker(c, e);
}

/* Whether what is stored can be looked at without the service; if there is
 * nothing yet, *e says so. */
static bool may_look(const struct client *c, struct err *e)
{
    char *path;
    bool may;
    int why;

    if (!c->lost || !c->state || c->told || c->looker.state)
        return false;
    path = mem_format("%s/hypertune.db", c->state);
    may = !access(path, R_OK | W_OK);
    why = may ? 0 : errno;
    if (why == EROFS)
        err_set(e, ERR_OUTSIDE,
                "no service answers at %s, and %s cannot be written: look at a "
                "copy of that folder",
                c->where, c->state);
    if (why == ENOTDIR)
        err_set(e, ERR_OUTSIDE, "the state directory %s is no folder",
                c->state);
    if (why == ENOENT)
        err_set(e, ERR_ABSENT,
                "there are no studies yet in %s: begin with `hypertune run "
                "FILE`",
                c->state);
    free(path);
    return may;
}

/* The request, to a service of our own if nobody else answers. */
static int ask(struct client *c, const char *method, const char *path,
               const char *body, size_t n, const char *type, struct err *e)
{
    int rc = ask_once(c, method, path, body, n, type, e);

    if (!may_look(c, e))
        return rc;
    if (start_looker(c, e))
        return -1;
    return ask_once(c, method, path, body, n, type, e);
}

static enum err_code code_of(int status)
{
    static const struct {
        int status;
        enum err_code code;
    } codes[] = {{400, ERR_INVALID}, {404, ERR_ABSENT}, {409, ERR_CONFLICT},
                 {413, ERR_INVALID}, {503, ERR_BUSY},   {507, ERR_IO}};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].status == status)
            return codes[i].code;
    return ERR_OUTSIDE;
}

/* Sets *e from an answer that is no success. */
static int refused(const struct client *c, const json_t *answer, struct err *e)
{
    const json_t *error = json_object_get(answer, "error");
    const char *says = json_string_value(json_object_get(error, "message"));
    int status = c->answer.status;

    if (status == 401)
        return err_set(e, ERR_OUTSIDE,
                       "%s refused us: set HYPERTUNE_TOKEN to a token of its "
                       "(it says: %s)",
                       c->where, says ? says : "401");
    if (says)
        return err_set(e, code_of(status), "%s", says);
    if (status == 403)
        return err_set(e, ERR_OUTSIDE,
                       "%s refused us: set HYPERTUNE_TOKEN to its token",
                       c->where);
    return err_set(e, code_of(status), "%s answered with HTTP status %d",
                   c->where, status);
}

static void copy_faults(const json_t *answer, struct faults *f)
{
    const json_t *list =
        json_object_get(json_object_get(answer, "error"), "faults");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *text = json_string_value(json_object_get(one, "text"));

        faults_add(f, (int)json_integer_value(json_object_get(one, "line")),
                   (int)json_integer_value(json_object_get(one, "column")),
                   "%s", text ? text : "wrong");
    }
}

/* Whole numbers that were read as reals become whole again; those that 64 bits
 * do not hold stay as they are. Recursive: answers are flat. */
static json_t *with_integers(const json_t *value)
{
    const double most = 9007199254740992.0; /* 2^53: exact in a double */
    double x = json_real_value(value);
    const char *key;
    json_t *out, *item;
    json_t *all = (json_t *)(uintptr_t)value;

    if (json_is_array(value)) {
        out = json_array();
        for (size_t i = 0; i < json_array_size(value); i++)
            json_array_append_new(out, with_integers(json_array_get(value, i)));
        return out;
    }
    if (json_is_object(value)) {
        out = json_object();
        json_object_foreach(all, key, item)
            json_object_set_new(out, key, with_integers(item));
        return out;
    }
    if (json_is_real(value) && x >= -most && x <= most && x == floor(x))
        return json_integer((json_int_t)x);
    return json_incref(all);
}

/* The answer as JSON, or NULL. A seed may be larger than jansson's integers. */
static json_t *parse(const struct text *body)
{
    json_error_t why;
    json_t *answer =
        json_loadb(text_str(body), body->len, JSON_DECODE_ANY, &why);
    json_t *rough;

    if (answer || json_error_code(&why) != json_error_numeric_overflow)
        return answer;
    rough = json_loadb(text_str(body), body->len,
                       JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL);
    answer = rough ? with_integers(rough) : NULL;
    json_decref(rough);
    return answer;
}

/* Reads c->answer as JSON into *out, or its error into *e (and *f). */
static int understand(struct client *c, struct json_t **out, struct faults *f,
                      struct err *e)
{
    json_t *answer = parse(&c->answer.body);
    int rc = 0;

    if (c->answer.status / 100 != 2) {
        rc = refused(c, answer, e);
        if (f)
            copy_faults(answer, f);
    } else if (!answer) {
        rc = err_set(e, ERR_OUTSIDE, "%s does not speak like a hypertuned",
                     c->where);
    } else if (out) {
        *out = json_incref(answer);
    }
    json_decref(answer);
    return rc;
}

int client_get(struct client *c, const char *path, struct json_t **out,
               struct err *e)
{
    if (ask(c, "GET", path, NULL, 0, NULL, e))
        return -1;
    return understand(c, out, NULL, e);
}

int client_post(struct client *c, const char *path, struct json_t *body,
                struct json_t **out, struct err *e)
{
    char *bytes = body ? json_dumps(body, JSON_COMPACT) : mem_copy_text("{}");
    int rc = ask(c, "POST", path, bytes, strlen(bytes), "application/json", e);

    free(bytes);
    json_decref(body);
    return rc ? -1 : understand(c, out, NULL, e);
}

int client_delete(struct client *c, const char *path, struct err *e)
{
    if (ask(c, "DELETE", path, NULL, 0, NULL, e))
        return -1;
    return understand(c, NULL, NULL, e);
}

int client_log(struct client *c, const char *path, struct text *out,
               int64_t *next_offset, bool *ended, struct err *e)
{
    if (ask(c, "GET", path, NULL, 0, NULL, e))
        return -1;
    if (c->answer.status / 100 != 2)
        return understand(c, NULL, NULL, e);
    text_reset(out);
    if (c->answer.body.len)
        text_add_bytes(out, c->answer.body.data, c->answer.body.len);
    *next_offset = c->answer.next_offset;
    *ended = c->answer.ended;
    return 0;
}

int client_submit(struct client *c, const char *bytes, size_t n,
                  const char *file, const char *dir, struct json_t **out,
                  struct faults *f, struct err *e)
{
    char *name = fetch_escape(file), *folder = fetch_escape(dir);
    char *path = mem_format("/api/studies?file=%s&dir=%s", name, folder);
    int rc = ask(c, "POST", path, bytes, n, "application/yaml", e);

    free(path);
    free(folder);
    free(name);
    return rc ? -1 : understand(c, out, f, e);
}

int client_give(struct client *c, const char *study, const char *source,
                const char *bytes, size_t n, struct json_t **out,
                struct faults *f, struct err *e)
{
    const char *path = client_study(c, study, "/trials?source=%s", source);

    if (ask(c, "POST", path, bytes, n, "application/octet-stream", e))
        return -1;
    return understand(c, out, f, e);
}

bool client_lost(const struct client *c)
{
    return c->lost;
}

void client_abort_on(struct client *c, const volatile sig_atomic_t *flag)
{
    fetch_abort_on(c->fetch, flag);
}
