/* Trials as rows of a listing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/rows.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/print.h"
#include "io/fetch.h"
#include "study/codec.h"
#include "study/front.h"

enum { PAGE = 1000 };

static int64_t integer_of(const json_t *map, const char *key)
{
    return json_integer_value(json_object_get(map, key));
}

static void duration_cell(const json_t *row, const char *key, bool exact,
                          struct text *out)
{
    int64_t from = integer_of(row, "started"), to = integer_of(row, key);

    (void)exact;
    if (from)
        print_duration((to ? to : clock_wall_ms(&clock_real)) - from, out);
}

/* What says more: the detail if there is one. */
static void reason_cell(const json_t *row, const char *key, bool exact,
                        struct text *out)
{
    const char *detail = json_string_value(json_object_get(row, "detail"));
    struct text cut;

    text_init(&cut);
    print_cut(detail && *detail ? detail : "", 60, &cut);
    if (cut.len)
        text_add(out, cut.data);
    else
        listing_plain(row, key, exact, out);
    text_clear(&cut);
}

static const struct listing_column csv_before[] = {
    {"number", "number", listing_plain, true},
    {"state", "state", listing_plain, false},
    {"reason", "reason", listing_plain, false},
    {"value", "value", listing_plain, true},
    {"step", "step", listing_plain, true},
    {"attempt", "attempt", listing_plain, true},
    {"created", "created", listing_time, false},
    {"started", "started", listing_time, false},
    {"ended", "ended", listing_time, false}};
static const struct listing_column table_before[] = {
    {"trial", "number", listing_plain, true},
    {"state", "state", listing_plain, false}};
static const struct listing_column table_value[] = {
    {"value", "value", listing_plain, true}};
static const struct listing_column table_after[] = {
    {"took", "ended", duration_cell, true},
    {"reason", "reason", reason_cell, false}};

static void add_columns(struct rows *r, const struct listing_column *columns,
                        size_t n)
{
    for (size_t i = 0; i < n; i++)
        r->columns[r->n++] = columns[i];
}

static char *add_name_take(struct rows *r, char *name)
{
    r->names[r->n_names++] = name;
    return name;
}

static bool is_taken(const char *name)
{
    for (size_t i = 0; i < sizeof csv_before / sizeof *csv_before; i++)
        if (!strcmp(csv_before[i].title, name))
            return true;
    return false;
}

/* A column for each objective, where there are several. */
static void add_values(struct rows *r, const struct study *s,
                       enum format format)
{
    for (size_t k = 0; s->n_others && k <= s->n_others; k++) {
        char *name = add_name_take(r, mem_copy_text(front_name(s, k)));
        char *title = name;

        if (format == FORMAT_CSV)
            title = add_name_take(r, mem_format("values.%s", name));
        r->columns[r->n++] =
            (struct listing_column){title, name, listing_value, true};
    }
}

static void add_params(struct rows *r, const struct space *space,
                       enum format format)
{
    for (size_t i = 0; i < space->n; i++) {
        char *name = add_name_take(r, mem_copy_text(space->params[i].name));
        char *title = name;

        if (format == FORMAT_CSV && is_taken(name))
            title = add_name_take(r, mem_format("params.%s", name));
        r->columns[r->n++] =
            (struct listing_column){title, name, listing_param,
                                    space->params[i].kind != PARAM_CATEGORICAL};
    }
}

/* The study's specification, which may be written as a text or as a map. */
static void decode(const json_t *answer, struct study *out)
{
    const json_t *spec = json_object_get(answer, "spec");
    char *text = json_is_string(spec) ? mem_copy_text(json_string_value(spec))
                                      : json_dumps(spec, JSON_COMPACT);
    struct faults faults;

    faults_init(&faults);
    if (!text || codec_decode(text, strlen(text), "study", out, &faults))
        study_init(out); /* of another version: no columns for parameters */
    faults_clear(&faults);
    free(text);
}

int rows_open(struct rows *r, struct client *c, const char *study,
              enum format format, struct err *e)
{
    json_t *answer;
    struct study s;

    *r = (struct rows){0};
    if (client_get(c, client_study(c, study, "%s", ""), &answer, e))
        return -1;
    decode(answer, &s);
    json_decref(answer);
    r->columns = mem_new(s.space.n + 16 + s.n_others, sizeof *r->columns);
    r->names = mem_new(2 * (s.space.n + s.n_others + 1), sizeof *r->names);
    if (format == FORMAT_CSV) {
        add_columns(r, csv_before, sizeof csv_before / sizeof *csv_before);
        add_values(r, &s, format);
        add_params(r, &s.space, format);
    } else {
        add_columns(r, table_before,
                    sizeof table_before / sizeof *table_before);
        if (s.n_others)
            add_values(r, &s, format);
        else
            add_columns(r, table_value, 1);
        add_params(r, &s.space, format);
        add_columns(r, table_after, sizeof table_after / sizeof *table_after);
    }
    study_clear(&s);
    return 0;
}

void rows_close(struct rows *r)
{
    for (size_t i = 0; i < r->n_names; i++)
        free(r->names[i]);
    free(r->names);
    free(r->columns);
    *r = (struct rows){0};
}

static int print_page(struct client *c, const char *study, const char *filter,
                      long long *after, struct listing *l, struct err *e)
{
    const json_t *trials;
    json_t *answer;

    if (client_get(c,
                   client_study(c, study, "/trials?after=%lld&limit=%d%s",
                                *after, PAGE, filter),
                   &answer, e))
        return -1;
    trials = json_object_get(answer, "trials");
    for (size_t i = 0; i < json_array_size(trials); i++)
        listing_row(l, json_array_get(trials, i));
    *after = integer_of(answer, "next");
    json_decref(answer);
    return 0;
}

int rows_print_all(struct client *c, const char *study, enum format format,
                   const char *only, struct err *e)
{
    char *states = only ? fetch_escape(only) : NULL;
    char *filter = states ? mem_format("&state=%s", states) : mem_copy_text("");
    long long after = 0;
    struct rows r;
    struct listing l;
    int rc = rows_open(&r, c, study, format, e);

    if (!rc) {
        listing_begin(&l, format, r.columns, r.n);
        do
            rc = print_page(c, study, filter, &after, &l, e);
        while (!rc && after);
        if (rc)
            listing_drop(&l);
        else
            listing_end(&l);
    }
    rows_close(&r);
    free(filter);
    free(states);
    return rc;
}

int rows_print(struct client *c, const char *study, enum format format,
               const struct json_t *trials, struct err *e)
{
    struct rows r;

    if (rows_open(&r, c, study, format, e))
        return -1;
    listing_print(format, r.columns, r.n, trials);
    rows_close(&r);
    return 0;
}
