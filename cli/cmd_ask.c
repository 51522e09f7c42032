/* `ask` and `tell`: drive a study that launches nothing, from any language. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/rows.h"

int cmd_ask(const struct options *o, struct err *e)
{
    const char *who = o->text[OPTION_CLIENT];
    long long count = o->number[OPTION_ASK_COUNT];
    struct client *c;
    json_t *answer = NULL;
    const json_t *trials;
    int rc = -1;

    if (client_open(&c, o, e))
        return -1;
    if (client_post(c, client_study(c, o->words[0], ":ask"),
                    json_pack("{s:s, s:I}", "client", who ? who : "", "count",
                              (json_int_t)(count ? count : 1)),
                    &answer, e))
        goto out;
    trials = json_object_get(answer, "trials");
    if (!json_array_size(trials))
        err_set(e, ERR_ABSENT,
                "study %s gives out no trial now; `hypertune why %s` says why",
                o->words[0], o->words[0]);
    else
        rc = rows_print(c, o->words[0], o->format, trials, e);
out:
    json_decref(answer);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}

int cmd_metric(const char *word, char **metric, double *value, struct err *e)
{
    const char *equals = strrchr(word, '=');

    if (!equals || equals == word)
        return err_set(e, ERR_INVALID,
                       "\"%s\" is no report: write METRIC=VALUE", word);
    if (!number_read(equals + 1, value))
        return err_set(e, ERR_INVALID, "the value of %.*s is no number: \"%s\"",
                       (int)(equals - word), word, equals + 1);
    *metric = mem_copy_bytes(word, (size_t)(equals - word));
    return 0;
}

/* A number as the API takes it: what JSON has no word for is a text. */
static json_t *json_number(double x)
{
    char text[NUMBER_TEXT];

    return isfinite(x) ? json_real(x) : json_string(number_print(x, text));
}

struct telling {
    struct client *client;
    const char *study;
    char *goal;
    int64_t number;
};

static int report(const struct telling *t, const char *metric, double value,
                  struct err *e)
{
    return client_post(t->client,
                       client_study(t->client, t->study, "/trials/%lld:report",
                                    (long long)t->number),
                       json_pack("{s:s, s:o, s:i}", "metric", metric, "value",
                                 json_number(value), "step", 0),
                       NULL, e);
}

/* Reports the metrics that are not the goal; what is to be told of the goal
 * becomes *body. */
static int read_metrics(const struct telling *t, const struct options *o,
                        json_t *body, struct err *e)
{
    for (size_t i = 2; i < o->n_words; i++) {
        char *metric = NULL;
        double value;
        int rc = 0;

        if (cmd_metric(o->words[i], &metric, &value, e))
            return -1;
        if (!strcmp(metric, t->goal))
            json_object_set_new(body, "value", json_number(value));
        else
            rc = report(t, metric, value, e);
        free(metric);
        if (rc)
            return -1;
    }
    return 0;
}

/* NAME=VALUE,NAME=VALUE... as a map of texts, or a JSON object as it is. */
static int read_params(const char *list, json_t **out, struct err *e)
{
    char *copy, *rest, *one;
    int rc = 0;

    if (*list == '{') {
        *out = json_loads(list, JSON_REJECT_DUPLICATES, NULL);
        if (*out)
            return 0;
        return err_set(e, ERR_INVALID, "--params is no JSON object: %.100s",
                       list);
    }
    rest = copy = mem_copy_text(list);
    *out = json_object();
    while (!rc && (one = strsep(&rest, ","))) {
        char *equals = strchr(one, '=');

        if (!equals || equals == one) {
            rc = err_set(e, ERR_INVALID,
                         "--params wants NAME=VALUE,NAME=VALUE..., or a JSON "
                         "object where a value holds a comma: \"%.60s\"",
                         one);
            break;
        }
        *equals = 0;
        if (json_object_get(*out, one))
            rc = err_set(e, ERR_INVALID, "--params names %.60s twice", one);
        else if (json_object_set_new(*out, one, json_string(equals + 1)))
            rc = err_set(e, ERR_INVALID, "--params is not UTF-8 text");
    }
    free(copy);
    return rc;
}

/* The words of `tell STUDY --params` as the members of an ended trial. */
static int read_result(const struct options *o, json_t *trial, struct err *e)
{
    const char *why = o->text[OPTION_INFEASIBLE];

    if (why ? o->n_words != 1 : o->n_words < 2)
        return err_set(e, ERR_INVALID,
                       "tell --params wants METRIC=VALUE, of each objective, "
                       "or --infeasible WHY");
    for (size_t i = 1; i < o->n_words; i++) {
        char *metric = NULL;
        double value = 0;

        if (cmd_metric(o->words[i], &metric, &value, e))
            return -1;
        json_object_set_new(trial, metric, json_number(value));
        free(metric);
    }
    if (why) {
        json_object_set_new(trial, "state", json_string("INFEASIBLE"));
        json_object_set_new(trial, "detail", json_string(why));
    }
    return 0;
}

/* A trial that was never asked for. */
static int tell_new(const struct options *o, struct err *e)
{
    struct client *c = NULL;
    json_t *trial = json_object(), *params = NULL, *answer = NULL;
    char *bytes = NULL;
    int rc = -1;

    if (read_result(o, trial, e) ||
        read_params(o->text[OPTION_PARAMS], &params, e))
        goto out;
    json_object_set(trial, "params", params);
    bytes = json_dumps(trial, JSON_COMPACT);
    if (client_open(&c, o, e) || client_give(c, o->words[0], "told", bytes,
                                             strlen(bytes), &answer, NULL, e))
        goto out;
    (void)printf(
        "Trial %lld was put in\n",
        (long long)json_integer_value(json_object_get(answer, "first")));
    rc = CMD_DONE;
out:
    free(bytes);
    json_decref(answer);
    json_decref(params);
    json_decref(trial);
    client_close(c);
    return rc;
}

/* Every word is looked at before anything is sent. */
static int check_words(const struct options *o, int64_t *number, struct err *e)
{
    if (o->n_words < 2)
        return err_set(e, ERR_INVALID,
                       "tell wants the number of a trial that was asked for, "
                       "or --params LIST");
    if (cmd_number(o->words[1], number, e))
        return -1;
    if (o->n_words == 2 && !o->text[OPTION_INFEASIBLE])
        return err_set(e, ERR_INVALID,
                       "tell wants METRIC=VALUE or --infeasible WHY");
    for (size_t i = 2; i < o->n_words; i++) {
        char *metric = NULL;
        double value;

        if (cmd_metric(o->words[i], &metric, &value, e))
            return -1;
        free(metric);
    }
    return 0;
}

static int find_goal(struct telling *t, struct err *e)
{
    json_t *study;

    if (client_get(t->client, client_study(t->client, t->study, "%s", ""),
                   &study, e))
        return -1;
    t->goal =
        mem_copy_text(json_string_value(json_object_get(study, "metric")));
    json_decref(study);
    if (!t->goal)
        return err_set(e, ERR_OUTSIDE, "study %s names no metric", t->study);
    return 0;
}

int cmd_tell(const struct options *o, struct err *e)
{
    const char *why = o->text[OPTION_INFEASIBLE];
    struct telling t = {.study = o->words[0]};
    json_t *body, *answer = NULL;
    int rc = -1;

    if (o->text[OPTION_PARAMS])
        return tell_new(o, e);
    body = json_object();
    if (check_words(o, &t.number, e) || client_open(&t.client, o, e) ||
        find_goal(&t, e) || read_metrics(&t, o, body, e))
        goto out;
    if (why) {
        json_object_clear(body);
        json_object_set_new(body, "infeasible", json_string(why));
    }
    rc = client_post(t.client,
                     client_study(t.client, t.study, "/trials/%lld:tell",
                                  (long long)t.number),
                     json_incref(body), &answer, e);
    if (!rc)
        (void)printf("Trial %lld is %s\n", (long long)t.number,
                     json_string_value(json_object_get(answer, "state")));
out:
    json_decref(answer);
    json_decref(body);
    free(t.goal);
    client_close(t.client);
    return rc ? -1 : CMD_DONE;
}
