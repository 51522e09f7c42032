/* What all functions behind Google's routes share. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_call.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/quote.h"
#include "store/store_google.h"

/* ---- errors ---- */

static const struct {
    const char *status;
    int http, grpc;
} codes[GOOGLE_CODES] = {
    [GOOGLE_OF_ERR] = {"UNKNOWN", 500, 2},
    [GOOGLE_INVALID] = {"INVALID_ARGUMENT", 400, 3},
    [GOOGLE_PRECONDITION] = {"FAILED_PRECONDITION", 400, 9},
    [GOOGLE_ABSENT] = {"NOT_FOUND", 404, 5},
    [GOOGLE_EXISTS] = {"ALREADY_EXISTS", 409, 6},
    [GOOGLE_ABORTED] = {"ABORTED", 409, 10},
    [GOOGLE_EXHAUSTED] = {"RESOURCE_EXHAUSTED", 429, 8},
    [GOOGLE_CANCELLED] = {"CANCELLED", 499, 1},
    [GOOGLE_INTERNAL] = {"INTERNAL", 500, 13},
    [GOOGLE_UNSUPPORTED] = {"UNIMPLEMENTED", 501, 12},
    [GOOGLE_UNAVAILABLE] = {"UNAVAILABLE", 503, 14},
};

enum google_code google_code_of(const struct err *e)
{
    static const enum google_code of[] = {
        [ERR_NONE] = GOOGLE_INTERNAL,      [ERR_INVALID] = GOOGLE_INVALID,
        [ERR_ABSENT] = GOOGLE_ABSENT,      [ERR_CONFLICT] = GOOGLE_PRECONDITION,
        [ERR_BUSY] = GOOGLE_UNAVAILABLE,   [ERR_IO] = GOOGLE_INTERNAL,
        [ERR_OUTSIDE] = GOOGLE_UNAVAILABLE};

    return of[e->code];
}

int google_grpc(enum google_code code)
{
    assert(code < GOOGLE_CODES);
    return codes[code].grpc;
}

int google_err(struct google_call *g, enum google_code code, struct err *e,
               const char *fmt, ...)
{
    char sentence[sizeof e->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    g->code = code;
    return err_set(e, ERR_INVALID, "%s", sentence);
}

int google_field(struct google_call *g, const char *field, struct err *e,
                 const char *fmt, ...)
{
    char sentence[sizeof e->text];
    va_list args;

    va_start(args, fmt);
    vsnprintf(sentence, sizeof sentence, fmt, args);
    va_end(args);
    g->code = GOOGLE_INVALID;
    snprintf(g->field, sizeof g->field, "%s", field);
    return err_set(e, ERR_INVALID, "%.200s: %s", field, sentence);
}

int google_faults(struct google_call *g, const struct faults *f, struct err *e)
{
    struct text all;

    text_init(&all);
    for (size_t i = 0; i < f->n; i++)
        text_addf(&all, "%s%s", i ? "; " : "", f->items[i].text);
    google_err(g, GOOGLE_INVALID, e, "%s", text_str(&all));
    text_clear(&all);
    return -1;
}

int google_absent(struct google_call *g, struct err *e)
{
    return google_err(g, GOOGLE_ABSENT, e, "there is nothing at %.300s",
                      request_path(g->call->request));
}

static json_t *details(const struct google_call *g, const struct err *e,
                       enum google_code code)
{
    json_t *list = json_array();

    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:{}}", "@type",
                        "type.googleapis.com/google.rpc.ErrorInfo", "reason",
                        codes[code].status, "domain", "hypertune", "metadata"));
    if (*g->field)
        json_array_append_new(
            list, json_pack("{s:s, s:[{s:s, s:s}]}", "@type",
                            "type.googleapis.com/google.rpc.BadRequest",
                            "fieldViolations", "field", g->field, "description",
                            e->text));
    return list;
}

void google_fail(struct google_call *g, const struct err *e)
{
    enum google_code code = g->code ? g->code : google_code_of(e);
    json_t *error;

    error = json_pack("{s:i, s:s, s:s, s:o}", "code", codes[code].http,
                      "message", e->text, "status", codes[code].status,
                      "details", details(g, e, code));
    if (!error) /* a sentence that is not UTF-8 */
        error = json_pack("{s:i, s:s, s:s, s:[]}", "code", codes[code].http,
                          "message", codes[code].status, "status",
                          codes[code].status, "details");
    g->call->status = codes[code].http;
    google_answer(g, json_pack("{s:o}", "error", error));
}

/* ---- answers ---- */

void google_write(struct call *c, json_t *j)
{
    char *bytes = json_dumps(j, JSON_REAL_PRECISION(17) | JSON_INDENT(2));

    assert(bytes);
    text_reset(&c->out);
    text_add(&c->out, bytes);
    text_add(&c->out, "\n");
    free(bytes);
    json_decref(j);
}

void google_answer(struct google_call *g, json_t *j)
{
    google_write(g->call, j);
}

json_t *google_time(int64_t wall_ms)
{
    char text[CLOCK_TEXT];

    if (!wall_ms)
        return NULL;
    return json_string(clock_print(wall_ms, text));
}

json_t *google_number(double x)
{
    if (isnan(x))
        return json_string("NaN");
    if (isinf(x))
        return json_string(x > 0 ? "Infinity" : "-Infinity");
    return json_real(x);
}

json_t *google_whole(int64_t x)
{
    return json_sprintf("%" PRId64, x);
}

json_t *google_words(const char *bytes, size_t n)
{
    char *text = mem_copy_bytes(bytes, n);
    struct text quoted;
    json_t *out;

    text_init(&quoted);
    quote_json(&quoted, text);
    out = json_loads(text_str(&quoted), JSON_DECODE_ANY, NULL);
    text_clear(&quoted);
    free(text);
    return out ? out : json_string("");
}

const char *google_parent(const struct google_call *g,
                          char out[2 * GOOGLE_NAME + 32])
{
    snprintf(out, 2 * GOOGLE_NAME + 32, "projects/%s%s%s", g->project,
             *g->location ? "/locations/" : "", g->location);
    return out;
}

int64_t google_id(const struct google_call *g, size_t i)
{
    int64_t id;

    if (i >= g->n_ids || !isdigit((unsigned char)g->ids[i][0]) ||
        !number_read_int(g->ids[i], &id))
        return 0;
    return id;
}

struct owning {
    const struct google_call *call;
    const char *kind;
    bool is;
};

static bool see_owner(void *ctx, const struct google_row *row)
{
    struct owning *owning = ctx;

    owning->is = strcmp(row->kind, owning->kind) == 0 &&
                 strcmp(row->project, owning->call->project) == 0 &&
                 strcmp(row->location, owning->call->location) == 0;
    return false;
}

int64_t google_resource(struct google_call *g, const char *kind, struct err *e)
{
    struct owning owning = {.call = g, .kind = kind};
    int64_t id = google_id(g, 0);

    if (id &&
        store_google_get(g->call->face->store, id, see_owner, &owning, e) &&
        e->code != ERR_ABSENT)
        return 0;
    if (owning.is)
        return id;
    google_err(g, GOOGLE_ABSENT, e,
               "there is no projects/%.100s/locations/%.60s/%s/%.60s",
               g->project, g->location, kind, g->ids[0]);
    return 0;
}

const char *google_query(const struct google_call *g, const char *name)
{
    const char *value = request_query(g->call->request, name);
    char snake[64];
    size_t n = 0;

    if (value)
        return value;
    for (; *name && n + 2 < sizeof snake; name++) {
        if (isupper((unsigned char)*name))
            snake[n++] = '_';
        snake[n++] = (char)tolower((unsigned char)*name);
    }
    snake[n] = '\0';
    return request_query(g->call->request, snake);
}

int google_begin(struct google_call *g, struct err *e)
{
    return engine_begin(g->call->face->engine, e);
}

/* ---- pages ---- */

/* FNV-1a: which list a token is of. */
static uint64_t list_hash(const char *list)
{
    uint64_t h = 14695981039346656037U;

    for (; *list; list++)
        h = (h ^ (unsigned char)*list) * 1099511628211U;
    return h;
}

json_t *google_page_token(const char *list, int64_t last)
{
    return json_sprintf("%" PRIx64 ".%" PRId64, list_hash(list), last);
}

static int read_token(struct google_call *g, const char *list,
                      const char *token, int64_t *after, struct err *e)
{
    const char *dot = strchr(token, '.');
    char hash[32];

    snprintf(hash, sizeof hash, "%" PRIx64, list_hash(list));
    if (dot && (size_t)(dot - token) == strlen(hash) &&
        strncmp(token, hash, strlen(hash)) == 0 &&
        isdigit((unsigned char)dot[1]) && number_read_int(dot + 1, after))
        return 0;
    return google_field(g, "page_token", e,
                        "\"%.60s\" is no token that this list gave; begin "
                        "without one",
                        token);
}

int google_page_read(struct google_call *g, const char *list, int size,
                     int most, struct google_page *out, struct err *e)
{
    const char *token = google_query(g, "pageToken");
    const char *asked = google_query(g, "pageSize");
    int64_t wanted = 0;

    *out = (struct google_page){.size = size};
    if (asked && *asked &&
        (!number_read_int(asked, &wanted) || wanted < 0 || wanted > INT32_MAX))
        return google_field(g, "page_size", e,
                            "\"%.40s\" is not a whole number from 0 on", asked);
    if (wanted > 0)
        out->size = wanted > most ? most : (int)wanted;
    if (!token || !*token)
        return 0;
    return read_token(g, list, token, &out->after, e);
}
