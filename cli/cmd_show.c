/* `show STUDY` and `trial STUDY ID`: the facts of one thing. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/listing.h"
#include "cli/print.h"
#include "cli/rows.h"
#include "cli/values.h"
#include "cli/view.h"

enum {
    MOST_MEASUREMENTS = 20, /* the last ones, in the table */
    MOST_SHARES = 10        /* the largest ones, likewise */
};

static const char *string_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));

    return s ? s : "";
}

static long long integer_of(const json_t *map, const char *key)
{
    return json_integer_value(json_object_get(map, key));
}

/* A fact from a cell, if the cell says anything. */
static void cell_fact(struct text *out, int column, const char *name,
                      listing_cell_fn *cell, const json_t *row, const char *key)
{
    struct text what;

    text_init(&what);
    cell(row, key, false, &what);
    if (what.len)
        print_fact_at(out, column, name, "%s", what.data);
    text_clear(&what);
}

/* Of several objectives: a line for each trial of the front. */
static void front_facts(const json_t *study, const json_t *front,
                        struct text *out)
{
    struct text lines;
    char *copy, *rest, *line;
    const char *name = "best";

    text_init(&lines);
    values_front(study, front, "", &lines);
    rest = copy = mem_copy_text(text_str(&lines));
    while ((line = strsep(&rest, "\n"))) {
        if (*line)
            print_fact(out, name, "%s", line);
        name = "";
    }
    free(copy);
    text_clear(&lines);
}

static void best_fact(const json_t *study, struct text *out)
{
    const json_t *best = json_object_get(study, "best");
    const json_t *front = json_object_get(study, "front");
    struct text line;

    if (json_array_size(front)) {
        front_facts(study, front, out);
        return;
    }
    if (!json_is_object(best)) {
        print_fact(out, "best", "none yet");
        return;
    }
    text_init(&line);
    text_addf(&line, "trial %lld  %s=", integer_of(best, "number"),
              string_of(study, "metric"));
    print_plain(json_object_get(best, "value"), false, &line);
    text_add(&line, "  ");
    values_params(json_object_get(best, "params"), &line);
    print_fact(out, "best", "%s", text_str(&line));
    text_clear(&line);
}

/* Each line of "why" is a fact of its own; the state stands above already. */
static void why_facts(const json_t *study, struct text *out)
{
    char *why = mem_copy_text(string_of(study, "why")), *rest = why, *line;
    char *known = mem_format("study %s is ", string_of(study, "name"));
    const char *name = "why";

    while ((line = strsep(&rest, "\n"))) {
        if (!*line || !strncmp(line, known, strlen(known)))
            continue;
        print_fact(out, name, "%s", line);
        name = "";
    }
    free(known);
    free(why);
}

/* One line a parameter, the largest share first, in columns. */
static void share_facts(const json_t *list, struct text *out)
{
    size_t n = json_array_size(list), width = 0;
    const char *title = "importance";

    for (size_t i = 0; i < n && i < MOST_SHARES; i++) {
        size_t w = print_width(string_of(json_array_get(list, i), "name"));

        width = w > width ? w : width;
    }
    for (size_t i = 0; i < n && i < MOST_SHARES; i++) {
        const json_t *one = json_array_get(list, i);
        const char *name = string_of(one, "name");

        print_fact(out, title, "%s%*s  %.2f  [%.2f, %.2f]", name,
                   (int)(width - print_width(name)), "",
                   json_number_value(json_object_get(one, "share")),
                   json_number_value(json_object_get(one, "low")),
                   json_number_value(json_object_get(one, "high")));
        title = "";
    }
    if (n > MOST_SHARES)
        print_fact(out, "", "and %zu more: --format json", n - MOST_SHARES);
}

static void importance_facts(const json_t *study, struct text *out)
{
    const json_t *importance = json_object_get(study, "importance");

    if (!importance) /* an older service */
        return;
    if (*string_of(importance, "why"))
        print_fact(out, "importance", "%s", string_of(importance, "why"));
    else
        share_facts(json_object_get(importance, "params"), out);
}

static void study_facts(const json_t *study, struct text *out)
{
    struct text counts, goals;

    text_init(&counts);
    text_init(&goals);
    values_goals(study, &goals);
    view_counts(study, &counts);
    text_add(&counts, "; ");
    view_wanted(study, &counts);
    print_fact(out, "study", "%s", string_of(study, "name"));
    print_fact(out, "state", "%s%s%s", string_of(study, "state"),
               *string_of(study, "reason") ? ": " : "",
               string_of(study, "reason"));
    print_fact(out, "goal", "%s", text_str(&goals));
    print_fact(out, "algorithm", "%s", string_of(study, "algorithm"));
    print_fact(out, "trials", "%s", text_str(&counts));
    if (integer_of(study, "given") > 0)
        print_fact(out, "put in", "%lld from outside, with their results",
                   integer_of(study, "given"));
    if (integer_of(study, "parallel") > 0) /* it has not ended */
        print_fact(out, "parallel", "%lld at a time",
                   integer_of(study, "parallel"));
    best_fact(study, out);
    importance_facts(study, out);
    cell_fact(out, PRINT_COLUMN, "created", listing_time, study, "created");
    cell_fact(out, PRINT_COLUMN, "ended", listing_time, study, "ended");
    why_facts(study, out);
    text_clear(&goals);
    text_clear(&counts);
}

static void param_facts(const json_t *trial, int column, struct text *out)
{
    json_t *params = json_object_get(trial, "params"), *value;
    const char *name;
    struct text what;

    text_init(&what);
    json_object_foreach(params, name, value)
    {
        text_reset(&what);
        print_plain(value, true, &what);
        print_fact_at(out, column, name, "%s", text_str(&what));
    }
    text_clear(&what);
}

/* "1 exit 2, class own, on node7", in the words of `why`. */
static void attempt_facts(const json_t *trial, int column, struct text *out)
{
    static const char *const more[][2] = {
        {"blame", ", class "}, {"node", ", on "}, {"gpus", ", GPUs "}};
    const json_t *list = json_object_get(trial, "attempts");
    struct text line;

    text_init(&line);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *outcome = string_of(one, "outcome");

        text_reset(&line);
        text_add(&line, *outcome ? outcome : "goes on");
        for (size_t j = 0; j < sizeof more / sizeof more[0]; j++)
            if (*string_of(one, more[j][0]))
                text_addf(&line, "%s%s", more[j][1],
                          string_of(one, more[j][0]));
        print_fact_at(out, column, "attempt", "%lld %s",
                      integer_of(one, "attempt"), text_str(&line));
    }
    text_clear(&line);
}

static void measurement_facts(const json_t *trial, int column, struct text *out)
{
    const json_t *list = json_object_get(trial, "measurements");
    size_t n = json_array_size(list);
    struct text what;

    text_init(&what);
    if (n > MOST_MEASUREMENTS)
        print_fact_at(out, column, "reports", "%zu; the last %d:", n,
                      MOST_MEASUREMENTS);
    for (size_t i = n > MOST_MEASUREMENTS ? n - MOST_MEASUREMENTS : 0; i < n;
         i++) {
        const json_t *one = json_array_get(list, i);

        text_reset(&what);
        print_plain(json_object_get(one, "value"), false, &what);
        print_fact_at(out, column, "report", "step %lld  %s=%s",
                      integer_of(one, "step"), string_of(one, "metric"),
                      text_str(&what));
    }
    text_clear(&what);
}

static void value_facts(const json_t *trial, int column, struct text *out)
{
    json_t *values = json_object_get(trial, "values"), *value;
    const char *name;

    if (!values)
        cell_fact(out, column, "value", listing_plain, trial, "value");
    json_object_foreach(values, name, value)
        cell_fact(out, column, name, listing_plain, values, name);
}

static void trial_facts(const json_t *trial, struct text *out)
{
    int column = print_column(json_object_get(trial, "params"));

    print_fact_at(out, column, "trial", "%lld", integer_of(trial, "number"));
    print_fact_at(out, column, "state", "%s", string_of(trial, "state"));
    cell_fact(out, column, "reason", listing_plain, trial, "reason");
    cell_fact(out, column, "detail", listing_plain, trial, "detail");
    value_facts(trial, column, out);
    param_facts(trial, column, out);
    cell_fact(out, column, "client", listing_plain, trial, "client");
    cell_fact(out, column, "created", listing_time, trial, "created");
    cell_fact(out, column, "started", listing_time, trial, "started");
    cell_fact(out, column, "ended", listing_time, trial, "ended");
    cell_fact(out, column, "output", listing_plain, trial, "folder");
    attempt_facts(trial, column, out);
    measurement_facts(trial, column, out);
}

/* Adds the trials that no other beats, where there are several objectives. */
static int add_front(struct client *c, const char *name, json_t *study,
                     struct err *e)
{
    json_t *answer = NULL;

    if (!values_several(study))
        return 0;
    if (client_get(c, client_study(c, name, "%s", "/best"), &answer, e))
        return -1;
    json_object_set(study, "front", json_object_get(answer, "trials"));
    json_decref(answer);
    return 0;
}

/* Every format but CSV. */
static void print_thing(enum format format, const json_t *thing,
                        void (*facts)(const json_t *thing, struct text *out))
{
    struct text out;

    text_init(&out);
    if (format == FORMAT_YAML) {
        print_yaml(thing, &out);
    } else if (format == FORMAT_JSON) {
        print_json(thing, 0, &out);
        text_add(&out, "\n");
    } else {
        facts(thing, &out);
    }
    (void)fputs(text_str(&out), stdout);
    text_clear(&out);
}

static const struct listing_column csv[] = {
    {"id", "id", listing_plain, true},
    {"name", "name", listing_plain, false},
    {"state", "state", listing_plain, false},
    {"reason", "reason", listing_plain, false},
    {"metric", "metric", listing_plain, false},
    {"goal", "goal", listing_plain, false},
    {"algorithm", "algorithm", listing_plain, false},
    {"seed", "seed", listing_plain, true},
    {"trials", "trials", listing_plain, true},
    {"parallel", "parallel", listing_plain, true},
    {"created", "created", listing_time, false},
    {"ended", "ended", listing_time, false}};

int cmd_show(const struct options *o, struct err *e)
{
    struct client *c;
    json_t *study = NULL;
    struct listing l;
    int rc;

    if (client_look(&c, o, e))
        return -1;
    rc =
        client_get(c,
                   client_study(c, o->words[0], "%s",
                                o->format == FORMAT_CSV ? "" : "?importance=1"),
                   &study, e);
    if (!rc && o->format != FORMAT_CSV)
        rc = add_front(c, o->words[0], study, e);
    if (!rc && o->format == FORMAT_CSV) {
        listing_begin(&l, o->format, csv, sizeof csv / sizeof *csv);
        listing_row(&l, study);
        listing_end(&l);
    } else if (!rc) {
        print_thing(o->format, study, study_facts);
    }
    json_decref(study);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}

static int print_trial(struct client *c, const struct options *o, json_t *trial,
                       struct err *e)
{
    json_t *rows;
    int rc;

    if (o->format != FORMAT_CSV) {
        print_thing(o->format, trial, trial_facts);
        return 0;
    }
    rows = json_pack("[O]", trial);
    rc = rows_print(c, o->words[0], o->format, rows, e);
    json_decref(rows);
    return rc;
}

int cmd_trial(const struct options *o, struct err *e)
{
    struct client *c;
    json_t *trial = NULL;
    int64_t number = 0;
    int rc;

    if (cmd_number(o->words[1], &number, e) || client_look(&c, o, e))
        return -1;
    rc = client_get(
        c, client_study(c, o->words[0], "/trials/%lld", (long long)number),
        &trial, e);
    if (!rc)
        rc = print_trial(c, o, trial, e);
    json_decref(trial);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}
