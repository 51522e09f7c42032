/* Reads batches of reports strictly: every fault names the field. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/batch.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

#define FIELD "\"reports\""
#define LATEST 253402300800000.0 /* ms: the year 10000 */

bool batch_is(const char *bytes, size_t n)
{
    return n > 0 && memmem(bytes, n, FIELD, strlen(FIELD)) != NULL;
}

/* ---- one report ---- */

static int read_metric(const json_t *v, struct report *r)
{
    size_t n = json_string_length(v); /* 0 of anything else */

    if (n == 0 || n >= sizeof r->metric)
        return -1;
    memcpy(r->metric, json_string_value(v), n + 1);
    return 0;
}

static int read_value(const json_t *v, struct report *r)
{
    r->value = json_number_value(v);
    if (json_is_number(v))
        return 0;
    if (!json_is_string(v) || !number_read(json_string_value(v), &r->value) ||
        isfinite(r->value))
        return -1;
    return 0;
}

static int read_step(const json_t *v, struct report *r)
{
    r->step = json_integer_value(v);
    return v && !json_is_integer(v) ? -1 : 0;
}

static int read_time(const json_t *v, struct report *r)
{
    double ms = json_number_value(v);

    r->time_s = ms / 1000;
    return (v && !json_is_number(v)) || ms < 0 || ms > LATEST ? -1 : 0;
}

static const struct {
    const char *name, *words; /* "must be …" */
    int (*read)(const json_t *v, struct report *r);
} parts[] = {
    {"metric", "a name of 1 to 255 bytes", read_metric},
    {"value", "a number, or \"nan\", \"inf\" or \"-inf\"", read_value},
    {"step", "a whole number", read_step},
    {"time", "milliseconds since 1970", read_time},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

static int read_report(const json_t *one, size_t i, struct report *r,
                       struct err *e)
{
    size_t known = 0;

    if (!json_is_object(one))
        return err_set(e, ERR_INVALID, "\"reports[%zu]\" must be an object", i);
    for (size_t k = 0; k < PARTS; k++) {
        const json_t *v = json_object_get(one, parts[k].name);

        known += v != NULL;
        if (json_is_null(v))
            v = NULL;
        if (parts[k].read(v, r))
            return err_set(e, ERR_INVALID, "\"reports[%zu].%s\" must be %s", i,
                           parts[k].name, parts[k].words);
    }
    if (known != json_object_size(one))
        return err_set(e, ERR_INVALID,
                       "\"reports[%zu]\" may have metric, value, step and time "
                       "only",
                       i);
    return 0;
}

/* ---- the batch ---- */

static int read_reports(struct batch *b, const json_t *list, struct err *e)
{
    size_t n = json_array_size(list);

    if (!json_is_array(list))
        return err_set(e, ERR_INVALID, "\"reports\" must be a list");
    b->reports = mem_new(n ? n : 1, sizeof *b->reports);
    b->engine.reports = b->reports;
    b->engine.n = n;
    for (size_t i = 0; i < n; i++)
        if (read_report(json_array_get(list, i), i, &b->reports[i], e))
            return -1;
    return 0;
}

static bool is_name(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    size_t n = strlen(name);

    return n > 0 && n < ENGINE_SENDER && name[strspn(name, letters)] == '\0';
}

static int read_sender(struct batch *b, const json_t *object, struct err *e)
{
    const json_t *name = json_object_get(object, "replica");
    const json_t *from = json_object_get(object, "from");

    b->engine.sender = name ? json_string_value(name) : "master-0";
    if (!b->engine.sender || !is_name(b->engine.sender))
        return err_set(e, ERR_INVALID,
                       "\"replica\" must be a name such as worker-0");
    b->engine.from = json_integer_value(from);
    if (!json_is_integer(from) || b->engine.from < 0)
        return err_set(e, ERR_INVALID,
                       "\"from\" must be how many reports were sent before");
    return 0;
}

static int read_outputs(struct batch *b, const json_t *object, struct err *e)
{
    static const char *const names[] = {"stdout", "stderr"};

    for (size_t i = 0; i < 2; i++) {
        const json_t *v = json_object_get(object, names[i]);

        b->engine.outputs[i] = json_string_value(v);
        if (v &&
            (!json_is_string(v) || json_string_length(v) > ENGINE_OUTPUT_BYTES))
            return err_set(e, ERR_INVALID,
                           "\"%s\" must be text of at most %d bytes", names[i],
                           ENGINE_OUTPUT_BYTES);
    }
    return 0;
}

static int check_keys(json_t *object, struct err *e)
{
    static const char *const names[] = {"replica", "from", "reports", "stdout",
                                        "stderr"};
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        size_t i = 0;

        while (i < sizeof names / sizeof names[0] && strcmp(key, names[i]) != 0)
            i++;
        if (i == sizeof names / sizeof names[0])
            return err_set(e, ERR_INVALID,
                           "a batch of reports has no field \"%.100s\"", key);
    }
    return 0;
}

int batch_read(struct batch *out, const char *bytes, size_t n, struct err *e)
{
    json_error_t where;

    *out = (struct batch){0};
    out->json = json_loadb(bytes, n, JSON_REJECT_DUPLICATES, &where);
    if (!json_is_object(out->json))
        return err_set(e, ERR_INVALID,
                       "the body of the request is no JSON object: %s (line "
                       "%d, column %d)",
                       where.text, where.line, where.column);
    if (check_keys(out->json, e) || read_sender(out, out->json, e) ||
        read_outputs(out, out->json, e))
        return -1;
    return read_reports(out, json_object_get(out->json, "reports"), e);
}

void batch_clear(struct batch *b)
{
    free(b->reports);
    json_decref(b->json);
    *b = (struct batch){0};
}
