/* `pause`, `resume`, `cancel`, `stop`, `retry`, `delete`: what a person does to
 * a study or to a trial of it. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/client.h"
#include "cli/cmd.h"

int cmd_number(const char *word, int64_t *out, struct err *e)
{
    int64_t number = 0;

    if (!number_read_int(word, &number) || number < 1)
        return err_set(e, ERR_INVALID,
                       "a trial is named by its number, 1 or more, not \"%s\"",
                       word);
    *out = number;
    return 0;
}

/* Tells of the study or trial that the service answered with. */
static void tell_state(const json_t *answer)
{
    const char *name = json_string_value(json_object_get(answer, "name"));
    const char *state = json_string_value(json_object_get(answer, "state"));

    if (name)
        (void)printf("Study %s is %s\n", name, state ? state : "?");
    else
        (void)printf(
            "Trial %lld is %s\n",
            (long long)json_integer_value(json_object_get(answer, "number")),
            state ? state : "?");
}

/* The verb is the API's word too. */
int cmd_act(const struct options *o, struct err *e)
{
    struct client *c;
    json_t *answer = NULL;
    int rc;

    if (client_open(&c, o, e))
        return -1;
    rc = client_post(c, client_study(c, o->words[0], ":%s", o->verb), NULL,
                     &answer, e);
    if (!rc)
        tell_state(answer);
    json_decref(answer);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}

int cmd_stop(const struct options *o, struct err *e)
{
    struct client *c;
    json_t *answer = NULL;
    int64_t number = 0;
    int rc;

    if (cmd_number(o->words[1], &number, e) || client_open(&c, o, e))
        return -1;
    rc = client_post(
        c, client_study(c, o->words[0], "/trials/%lld:stop", (long long)number),
        NULL, &answer, e);
    if (!rc)
        tell_state(answer);
    json_decref(answer);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}

int cmd_retry(const struct options *o, struct err *e)
{
    bool all = o->text[OPTION_FAILED] != NULL;
    struct client *c;
    json_t *answer = NULL;
    int64_t number = 0;
    long long n;
    int rc;

    if (all == (o->n_words == 2))
        return err_set(e, ERR_INVALID,
                       "retry wants either --failed or one trial: hypertune "
                       "retry STUDY --failed | TRIAL");
    if ((!all && cmd_number(o->words[1], &number, e)) || client_open(&c, o, e))
        return -1;
    rc = client_post(c, client_study(c, o->words[0], ":retry"),
                     json_pack("{s:I}", "number", (json_int_t)number), &answer,
                     e);
    n = json_integer_value(json_object_get(answer, "retried"));
    json_decref(answer);
    client_close(c);
    if (rc)
        return -1;
    (void)printf("%lld trial%s tried again\n", n, n == 1 ? " is" : "s are");
    return n ? CMD_DONE : CMD_NOTHING;
}

/* Asks the person at the terminal. */
static bool agrees(const char *study)
{
    char line[16] = "";

    (void)fprintf(
        stderr, "Delete study %s, its trials and their output? [y/N] ", study);
    if (!fgets(line, sizeof line, stdin))
        return false;
    return *line == 'y' || *line == 'Y';
}

int cmd_delete(const struct options *o, struct err *e)
{
    struct client *c;
    int rc;

    if (!o->text[OPTION_YES] && isatty(STDIN_FILENO) && !agrees(o->words[0]))
        return CMD_INTERRUPTED;
    if (client_open(&c, o, e))
        return -1;
    rc = client_delete(c, client_study(c, o->words[0], "%s", ""), e);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}
