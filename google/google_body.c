/* Bodies of Google's interfaces, read through tables of fields. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "google/google_body.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"

enum { PATH = 240, NANOS_DIGITS = 9, MOST_NAMES = 40 };

/* Where a value lies, for sentences: "studySpec.metrics[0].goal". */
struct at {
    struct google_call *call;
    char path[PATH];
};

static struct at inside(const struct at *at, const char *name, int64_t index)
{
    struct at in = {.call = at->call};

    if (name)
        snprintf(in.path, sizeof in.path, "%.*s%s%.60s", PATH - 64, at->path,
                 *at->path ? "." : "", name);
    else
        snprintf(in.path, sizeof in.path, "%.*s[%lld]", PATH - 64, at->path,
                 (long long)index);
    return in;
}

static json_t *refuse(const struct at *at, struct err *e, const char *what)
{
    google_field(at->call, *at->path ? at->path : "body", e, "%s", what);
    return NULL;
}

/* ---- names ---- */

/* Whether trial_count is trialCount. */
static bool same_name(const char *sent, const char *camel)
{
    if (strcmp(sent, camel) == 0)
        return true;
    for (; *sent; sent++, camel++) {
        bool up = *sent == '_' && islower((unsigned char)sent[1]);

        sent += up;
        if ((up ? toupper((unsigned char)*sent) : *sent) != *camel)
            return false;
    }
    return *camel == '\0';
}

static const struct google_message *find(const struct google_message *m,
                                         const char *name)
{
    for (; m->kind != GOOGLE_END; m++)
        if (same_name(name, m->name))
            return m;
    return NULL;
}

static json_t *refuse_unknown(const struct at *at,
                              const struct google_message *m, const char *key,
                              struct err *e)
{
    const char *names[MOST_NAMES], *near;
    struct at in = inside(at, key, 0);
    char sentence[200];
    size_t n = 0;

    for (; m->kind != GOOGLE_END && n < MOST_NAMES; m++)
        names[n++] = m->name;
    near = fault_near(key, names, n);
    snprintf(sentence, sizeof sentence, "there is no such field%s%s%s",
             near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return refuse(&in, e, sentence);
}

/* ---- values ---- */

static json_t *read_text(const struct at *at, const struct google_message *m,
                         const json_t *v, struct err *e)
{
    (void)m;
    if (!json_is_string(v))
        return refuse(at, e, "text is wanted");
    return json_string(json_string_value(v));
}

static json_t *read_bool(const struct at *at, const struct google_message *m,
                         const json_t *v, struct err *e)
{
    (void)m;
    if (!json_is_boolean(v))
        return refuse(at, e, "true or false is wanted");
    return json_boolean(json_is_true(v));
}

/* A whole number in any spelling that proto allows: 3, 3.0, "3". */
static bool whole(const json_t *v, int64_t *out)
{
    double x;

    if (json_is_integer(v)) {
        *out = json_integer_value(v);
        return true;
    }
    if (json_is_string(v) && number_read_int(json_string_value(v), out))
        return true;
    if (!google_double_of(v, &x) || floor(x) != x || fabs(x) > 0x1p62)
        return false;
    *out = (int64_t)x;
    return true;
}

static json_t *read_int32(const struct at *at, const struct google_message *m,
                          const json_t *v, struct err *e)
{
    int64_t x;

    (void)m;
    if (!whole(v, &x) || x < INT32_MIN || x > INT32_MAX)
        return refuse(at, e, "a whole number of 32 bits is wanted");
    return json_integer(x);
}

static json_t *read_int64(const struct at *at, const struct google_message *m,
                          const json_t *v, struct err *e)
{
    int64_t x;

    (void)m;
    if (!whole(v, &x))
        return refuse(at, e, "a whole number of 64 bits is wanted");
    return google_whole(x);
}

static json_t *read_double(const struct at *at, const struct google_message *m,
                           const json_t *v, struct err *e)
{
    double x;

    (void)m;
    if (!google_double_of(v, &x))
        return refuse(at, e,
                      "a number is wanted, or \"NaN\", \"Infinity\" or "
                      "\"-Infinity\"");
    return google_number(x);
}

static json_t *read_enum(const struct at *at, const struct google_message *m,
                         const json_t *v, struct err *e)
{
    const char *name = json_string_value(v);
    char sentence[320] = "one of ";
    size_t n = strlen(sentence);
    int64_t number = -1;

    if (json_is_number(v) && !whole(v, &number))
        number = -1;
    for (int64_t i = 0; m->names[i]; i++) {
        if (!*m->names[i])
            continue;
        if (number == i || (name && strcmp(name, m->names[i]) == 0))
            return json_string(m->names[i]);
        if (n < sizeof sentence)
            n += (size_t)snprintf(sentence + n, sizeof sentence - n, "%s%s",
                                  i ? ", " : "", m->names[i]);
    }
    if (n < sizeof sentence)
        snprintf(sentence + n, sizeof sentence - n, " is wanted");
    return refuse(at, e, sentence);
}

static json_t *read_message(const struct at *at, const struct google_message *m,
                            const json_t *v, struct err *e);

/* Digits and perhaps a fraction of up to nine, with a sign: seconds. */
static bool read_nanos(const char *text, int64_t *out)
{
    bool minus = *text == '-';
    int64_t seconds = 0, nanos = 0, unit = 1000000000;
    int digits = 0;

    text += minus;
    for (; isdigit((unsigned char)*text) && digits < 10; text++, digits++)
        seconds = seconds * 10 + (*text - '0');
    if (!digits || seconds > INT32_MAX)
        return false;
    if (*text == '.') {
        for (text++; isdigit((unsigned char)*text) && unit > 1; text++) {
            unit /= 10;
            nanos += unit * (*text - '0');
        }
    }
    if (strcmp(text, "s") != 0)
        return false;
    *out = (seconds * 1000000000 + nanos) * (minus ? -1 : 1);
    return true;
}

static json_t *read_duration(const struct at *at,
                             const struct google_message *m, const json_t *v,
                             struct err *e)
{
    int64_t nanos;

    (void)m;
    if (!json_is_string(v) || !read_nanos(json_string_value(v), &nanos) ||
        nanos < 0)
        return refuse(at, e, "a time span such as \"3.5s\" is wanted");
    return json_string(json_string_value(v));
}

/* "+01:30" in minutes. */
static bool read_offset(const char *text, int64_t *minutes)
{
    struct tm tm = {0};
    const char *end;

    if ((*text != '+' && *text != '-') || strlen(text) != 6)
        return false;
    end = strptime(text + 1, "%H:%M", &tm);
    *minutes = (*text == '-' ? -1 : 1) * ((int64_t)tm.tm_hour * 60 + tm.tm_min);
    return end && !*end;
}

/* RFC 3339 with any offset, in milliseconds since 1970. */
static bool read_wall(const char *text, int64_t *out)
{
    struct tm tm = {0};
    const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &tm);
    int64_t ms = 0, unit = 100, minutes;

    if (!at)
        return false;
    if (*at == '.')
        for (at++; isdigit((unsigned char)*at); at++, unit /= 10)
            ms += unit * (*at - '0');
    ms += (int64_t)timegm(&tm) * 1000;
    if (strcmp(at, "Z") == 0 || strcmp(at, "z") == 0) {
        *out = ms;
        return true;
    }
    if (!read_offset(at, &minutes))
        return false;
    *out = ms - minutes * 60000;
    return true;
}

static json_t *read_time(const struct at *at, const struct google_message *m,
                         const json_t *v, struct err *e)
{
    int64_t ms;

    (void)m;
    if (!json_is_string(v) || !read_wall(json_string_value(v), &ms))
        return refuse(at, e,
                      "a time such as \"2026-01-02T03:04:05Z\" is wanted");
    return json_string(json_string_value(v));
}

static json_t *read_value(const struct at *at, const struct google_message *m,
                          const json_t *v, struct err *e)
{
    (void)m;
    if (json_is_object(v) || json_is_array(v))
        return refuse(at, e, "a number or text is wanted");
    return json_copy((json_t *)v);
}

static json_t *read_any(const struct at *at, const struct google_message *m,
                        const json_t *v, struct err *e)
{
    (void)at, (void)m, (void)e;
    return json_deep_copy(v);
}

static json_t *read_map(const struct at *at, const struct google_message *m,
                        const json_t *v, struct err *e)
{
    const char *key;
    json_t *value;

    (void)m;
    if (!json_is_object(v))
        return refuse(at, e, "a map of texts is wanted");
    json_object_foreach((json_t *)v, key, value)
    {
        struct at in = inside(at, key, 0);

        if (!json_is_string(value))
            return refuse(&in, e, "text is wanted");
    }
    return json_deep_copy(v);
}

typedef json_t *read_fn(const struct at *at, const struct google_message *m,
                        const json_t *v, struct err *e);

static read_fn *const readers[] = {
    [GOOGLE_TEXT] = read_text,         [GOOGLE_BOOL] = read_bool,
    [GOOGLE_INT32] = read_int32,       [GOOGLE_INT64] = read_int64,
    [GOOGLE_DOUBLE] = read_double,     [GOOGLE_ENUM] = read_enum,
    [GOOGLE_MESSAGE] = read_message,   [GOOGLE_TIME] = read_time,
    [GOOGLE_DURATION] = read_duration, [GOOGLE_VALUE] = read_value,
    [GOOGLE_ANY] = read_any,           [GOOGLE_MAP] = read_map,
};

/* ---- messages ---- */

static json_t *read_many(const struct at *at, const struct google_message *m,
                         const json_t *v, struct err *e)
{
    json_t *out, *item, *read;
    size_t i;

    if (!json_is_array(v))
        return refuse(at, e, "a list is wanted");
    out = json_array();
    json_array_foreach((json_t *)v, i, item)
    {
        struct at in = inside(at, NULL, (int64_t)i);

        read = readers[m->kind](&in, m, item, e);
        if (!read) {
            json_decref(out);
            return NULL;
        }
        json_array_append_new(out, read);
    }
    return out;
}

/* What proto3 takes for not sent. */
static bool says_nothing(const json_t *v)
{
    return json_is_null(v) || json_is_false(v) ||
           (json_is_number(v) && json_number_value(v) == 0) ||
           (json_is_string(v) && !*json_string_value(v)) ||
           (json_is_array(v) && json_array_size(v) == 0);
}

/* -1 if another member of the field's oneof is there already. */
static int check_oneof(const struct at *at, const struct google_message *table,
                       const struct google_message *m, const json_t *out,
                       struct err *e)
{
    char sentence[120];

    for (; m->oneof && table->kind != GOOGLE_END; table++)
        if (table != m && table->oneof == m->oneof &&
            json_object_get(out, table->name)) {
            snprintf(sentence, sizeof sentence,
                     "this and %s exclude each other; send one of them",
                     table->name);
            refuse(at, e, sentence);
            return -1;
        }
    return 0;
}

static int read_field(const struct at *at, const struct google_message *table,
                      const char *key, const json_t *v, json_t *out,
                      struct err *e)
{
    const struct google_message *m = find(table, key);
    struct at in;
    json_t *read;

    if (!m) {
        refuse_unknown(at, table, key, e);
        return -1;
    }
    if (m->kind == GOOGLE_OUTPUT || json_is_null(v))
        return 0;
    in = inside(at, m->name, 0);
    if (m->kind == GOOGLE_REFUSED) {
        if (says_nothing(v))
            return 0;
        refuse(&in, e, m->why);
        return -1;
    }
    if (json_object_get(out, m->name)) {
        refuse(&in, e, "it was sent twice, in both spellings");
        return -1;
    }
    if (check_oneof(&in, table, m, out, e))
        return -1;
    read = m->many ? read_many(&in, m, v, e) : readers[m->kind](&in, m, v, e);
    return read ? json_object_set_new(out, m->name, read) : -1;
}

static json_t *read_table(const struct at *at, const struct google_message *m,
                          const json_t *v, struct err *e)
{
    const char *key;
    json_t *value, *out;

    if (!json_is_object(v))
        return refuse(at, e, "an object is wanted");
    out = json_object();
    json_object_foreach((json_t *)v, key, value)
    {
        if (read_field(at, m, key, value, out, e)) {
            json_decref(out);
            return NULL;
        }
    }
    return out;
}

static json_t *read_message(const struct at *at, const struct google_message *m,
                            const json_t *v, struct err *e)
{
    return read_table(at, m->message, v, e);
}

json_t *google_body_of(struct google_call *g, const struct google_message *m,
                       const json_t *value, const char *path, struct err *e)
{
    struct at at = {.call = g};

    snprintf(at.path, sizeof at.path, "%s", path);
    return read_table(&at, m, value, e);
}

json_t *google_body(struct google_call *g, const struct google_message *m,
                    struct err *e)
{
    enum { FLAGS = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY };
    json_error_t where;
    json_t *sent, *out;
    size_t n;
    const char *bytes = request_body(g->call->request, &n);

    if (n == 0)
        return json_object();
    sent = json_loadb(bytes, n, FLAGS, &where);
    if (!sent && json_error_code(&where) == json_error_numeric_overflow)
        sent = json_loadb(bytes, n, FLAGS | JSON_DECODE_INT_AS_REAL, &where);
    if (!sent) {
        google_err(g, GOOGLE_INVALID, e,
                   "the body is no JSON: %s (line %d, column %d)", where.text,
                   where.line, where.column);
        return NULL;
    }
    out = google_body_of(g, m, sent, "", e);
    json_decref(sent);
    return out;
}

/* ---- reading what came out ---- */

const char *google_text(const json_t *m, const char *name)
{
    const char *text = json_string_value(json_object_get(m, name));

    return text ? text : "";
}

int64_t google_int(const json_t *m, const char *name)
{
    int64_t x = 0;

    whole(json_object_get(m, name), &x);
    return x;
}

bool google_double_of(const json_t *value, double *out)
{
    static const struct {
        const char *name;
        double value;
    } odd[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    const char *text = json_string_value(value);
    double x;

    if (json_is_number(value)) {
        *out = json_number_value(value);
        return true;
    }
    for (size_t i = 0; text && i < sizeof odd / sizeof odd[0]; i++)
        if (strcmp(text, odd[i].name) == 0) {
            *out = odd[i].value;
            return true;
        }
    if (!text || !number_read(text, &x) || !isfinite(x))
        return false;
    *out = x;
    return true;
}

double google_double(const json_t *m, const char *name)
{
    double x = 0;

    google_double_of(json_object_get(m, name), &x);
    return x;
}

bool google_bool(const json_t *m, const char *name)
{
    return json_is_true(json_object_get(m, name));
}

int64_t google_nanos(const json_t *m, const char *name)
{
    const char *text = google_text(m, name);
    int64_t nanos = 0;

    return read_nanos(text, &nanos) ? nanos : 0;
}

int64_t google_wall(const json_t *m, const char *name)
{
    int64_t ms = 0;

    return read_wall(google_text(m, name), &ms) ? ms : 0;
}
