/* Objectives and values as a person reads them. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/values.h"

#include <jansson.h>
#include <stdint.h>

#include "cli/print.h"

enum { MOST_SHOWN = 20 };

static const char *string_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));

    return s ? s : "";
}

bool values_several(const struct json_t *study)
{
    return json_array_size(json_object_get(study, "objectives")) > 1;
}

void values_goals(const struct json_t *study, struct text *out)
{
    const json_t *list = json_object_get(study, "objectives");

    if (!values_several(study))
        text_addf(out, "%s %s", string_of(study, "goal"),
                  string_of(study, "metric"));
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);

        text_addf(out, "%s%s %s", i ? ", " : "", string_of(one, "goal"),
                  string_of(one, "metric"));
    }
}

void values_print(const struct json_t *study, const struct json_t *trial,
                  struct text *out)
{
    json_t *values = json_object_get(trial, "values"), *value;
    const char *name, *blank = "";

    if (!values) {
        value = json_object_get(trial, "value");
        if (!value || json_is_null(value))
            return;
        text_addf(out, "%s=", string_of(study, "metric"));
        print_plain(value, false, out);
    }
    json_object_foreach(values, name, value)
    {
        text_addf(out, "%s%s=", blank, name);
        print_plain(value, false, out);
        blank = " ";
    }
}

void values_params(const struct json_t *params, struct text *out)
{
    json_t *all = (json_t *)(uintptr_t)params, *value;
    const char *name, *blank = "";

    json_object_foreach(all, name, value)
    {
        text_addf(out, "%s%s=", blank, name);
        if (json_is_string(value))
            print_shell(json_string_value(value), out);
        else
            print_plain(value, false, out);
        blank = " ";
    }
}

void values_front(const struct json_t *study, const struct json_t *trials,
                  const char *indent, struct text *out)
{
    size_t n = json_array_size(trials);

    for (size_t i = 0; i < n && i < MOST_SHOWN; i++) {
        const json_t *trial = json_array_get(trials, i);

        text_addf(
            out, "%strial %lld  ", indent,
            (long long)json_integer_value(json_object_get(trial, "number")));
        values_print(study, trial, out);
        text_add(out, "  ");
        values_params(json_object_get(trial, "params"), out);
        text_add(out, "\n");
    }
    if (n > MOST_SHOWN)
        text_addf(out, "%sand %zu more: hypertune best %s\n", indent,
                  n - MOST_SHOWN, string_of(study, "name"));
}
