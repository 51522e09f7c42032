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

/* Every word is looked at before anything is sent. */
static int check_words(const struct options *o, int64_t *number, struct err *e)
{
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
    json_t *body = json_object(), *answer = NULL;
    int rc = -1;

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
