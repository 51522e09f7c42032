/* `best STUDY`: the best trial, or the best few; of several objectives the
 * trials that no other beats. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "cli/rows.h"

/* The goal's metric is known by the study only. */
static int show_block(struct client *c, const char *study, const json_t *trial,
                      struct err *e)
{
    json_t *answer, *params = json_object_get(trial, "params"), *value;
    const char *metric, *name;
    struct text out, line;
    int column = print_column(params);

    if (client_get(c, client_study(c, study, "%s", ""), &answer, e))
        return -1;
    text_init(&out);
    text_init(&line);
    metric = json_string_value(json_object_get(answer, "metric"));
    print_fact_at(
        &out, column, "trial", "%lld",
        (long long)json_integer_value(json_object_get(trial, "number")));
    print_plain(json_object_get(trial, "value"), true, &line);
    print_fact_at(&out, column, metric ? metric : "value", "%s",
                  text_str(&line));
    json_object_foreach(params, name, value)
    {
        text_reset(&line);
        print_plain(value, true, &line);
        print_fact_at(&out, column, name, "%s", text_str(&line));
    }
    (void)fputs(text_str(&out), stdout);
    text_clear(&line);
    text_clear(&out);
    json_decref(answer);
    return 0;
}

static void show_object(enum format format, const json_t *trial)
{
    struct text out;

    text_init(&out);
    if (format == FORMAT_YAML)
        print_yaml(trial, &out);
    else
        print_json(trial, 0, &out);
    (void)fputs(text_str(&out), stdout);
    (void)fputs(format == FORMAT_YAML ? "" : "\n", stdout);
    text_clear(&out);
}

/* Without --count one trial is one thing, with it they are rows; so is the
 * front of a study of several objectives. */
static int show(struct client *c, const struct options *o, const json_t *trials,
                struct err *e)
{
    const char *study = o->words[0];

    bool front = json_object_get(json_array_get(trials, 0), "values") != NULL;

    if (front || o->number[OPTION_COUNT] || o->format == FORMAT_CSV)
        return rows_print(c, study, o->format, trials, e);
    if (o->format == FORMAT_TABLE)
        return show_block(c, study, json_array_get(trials, 0), e);
    show_object(o->format, json_array_get(trials, 0));
    return 0;
}

int cmd_best(const struct options *o, struct err *e)
{
    const char *study = o->words[0];
    long long count = o->number[OPTION_COUNT];
    const json_t *trials;
    json_t *answer = NULL;
    struct client *c;
    int rc = -1;

    if (client_look(&c, o, e))
        return -1;
    if (client_get(c,
                   count ? client_study(c, study, "/best?count=%lld", count)
                         : client_study(c, study, "%s", "/best"),
                   &answer, e))
        goto out;
    trials = json_object_get(answer, "trials");
    if (!json_array_size(trials)) {
        err_set(e, ERR_ABSENT,
                "no trial of study %s has succeeded with a value yet; "
                "`hypertune why %s` "
                "says how it stands",
                study, study);
        goto out;
    }
    rc = show(c, o, trials, e);
out:
    json_decref(answer);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}
