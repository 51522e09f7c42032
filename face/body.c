/* What a request asks for, read strictly. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "face/body.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "base/number.h"

enum { MOST_FIELDS = 16 };

static void *place(void *out, const struct body_field *field)
{
    return (char *)out + field->offset;
}

static int read_bool(const json_t *value, void *out)
{
    struct body_bool *b = out;

    if (!json_is_boolean(value))
        return -1;
    *b = (struct body_bool){true, json_is_true(value)};
    return 0;
}

static int read_whole(const json_t *value, void *out)
{
    struct body_whole *w = out;

    if (!json_is_integer(value))
        return -1;
    *w = (struct body_whole){true, json_integer_value(value)};
    return 0;
}

static int read_number(const json_t *value, void *out)
{
    struct body_number *number = out;
    double x = 0;

    if (json_is_number(value))
        x = json_number_value(value);
    else if (!json_is_string(value) ||
             !number_read(json_string_value(value), &x) || isfinite(x))
        return -1;
    *number = (struct body_number){true, x};
    return 0;
}

static int read_text(const json_t *value, void *out)
{
    struct body_text *text = out;

    if (!json_is_string(value))
        return -1;
    *text = (struct body_text){true, mem_copy_text(json_string_value(value))};
    return 0;
}

static const struct {
    const char *words; /* "must be …" */
    int (*read)(const json_t *value, void *out);
} kinds[] = {
    [BODY_BOOL] = {"true or false", read_bool},
    [BODY_WHOLE] = {"a whole number", read_whole},
    [BODY_NUMBER] = {"a number, or \"nan\", \"inf\" or \"-inf\"", read_number},
    [BODY_TEXT] = {"text", read_text},
};

static int unknown(const char *key, const struct body_field *fields,
                   size_t n_fields, struct err *e)
{
    const char *names[MOST_FIELDS];
    const char *near;
    size_t n = 0;

    for (; n < n_fields && n < MOST_FIELDS; n++)
        names[n] = fields[n].name;
    near = fault_near(key, names, n);
    if (near)
        return err_set(e, ERR_INVALID,
                       "the request has no field \"%.100s\"; did you mean "
                       "\"%s\"?",
                       key, near);
    return err_set(e, ERR_INVALID, "the request has no field \"%.100s\"", key);
}

static int read_field(const char *key, const json_t *value,
                      const struct body_field *fields, size_t n_fields,
                      void *out, struct err *e)
{
    const struct body_field *field = fields;

    while (field < fields + n_fields && strcmp(field->name, key) != 0)
        field++;
    if (field == fields + n_fields)
        return unknown(key, fields, n_fields, e);
    if (!json_is_null(value) &&
        kinds[field->kind].read(value, place(out, field)))
        return err_set(e, ERR_INVALID, "\"%s\" must be %s", field->name,
                       kinds[field->kind].words);
    return 0;
}

/* `given` is the first member of every struct body_…. */
static bool given(void *out, const struct body_field *field)
{
    const bool *first = place(out, field);

    return *first;
}

static int read_object(json_t *object, const struct body_field *fields,
                       size_t n_fields, void *out, struct err *e)
{
    const char *key;
    json_t *value;

    if (object && !json_is_object(object))
        return err_set(e, ERR_INVALID,
                       "the body of the request must be a JSON object");
    json_object_foreach(object, key, value)
    {
        if (read_field(key, value, fields, n_fields, out, e))
            return -1;
    }
    for (size_t i = 0; i < n_fields; i++)
        if (fields[i].required && !given(out, &fields[i]))
            return err_set(e, ERR_INVALID, "the request lacks \"%s\": %s",
                           fields[i].name, kinds[fields[i].kind].words);
    return 0;
}

int body_read(const char *bytes, size_t n, const struct body_field *fields,
              size_t n_fields, void *out, struct err *e)
{
    json_error_t where;
    json_t *object = NULL;
    int rc;

    if (n > 0) {
        object = json_loadb(bytes, n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY,
                            &where);
        if (!object)
            return err_set(e, ERR_INVALID,
                           "the body of the request is no JSON: %s (line %d, "
                           "column %d)",
                           where.text, where.line, where.column);
    }
    rc = read_object(object, fields, n_fields, out, e);
    json_decref(object);
    return rc;
}

void body_clear(const struct body_field *fields, size_t n_fields, void *out)
{
    for (size_t i = 0; i < n_fields; i++)
        if (fields[i].kind == BODY_TEXT) {
            struct body_text *text = place(out, &fields[i]);

            free(text->value);
            *text = (struct body_text){0};
        }
}

int body_query(const char *name, const char *text, int64_t least, int64_t most,
               int64_t *out, struct err *e)
{
    int64_t value = 0;

    if (!text)
        return 0;
    if (!number_read_int(text, &value) || value < least || value > most)
        return err_set(e, ERR_INVALID,
                       "\"%s\" must be a whole number from %lld to %lld, not "
                       "\"%.100s\"",
                       name, (long long)least, (long long)most, text);
    *out = value;
    return 0;
}
