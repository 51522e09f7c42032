/* `report METRIC=VALUE…`: inside a trial, from a shell script. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <hypertune.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"

/* A step among the metrics would be one, and every report at step 0. */
static int refuse_step(const struct options *o, const char *metric,
                       struct err *e)
{
    const char *goal = getenv("HYPERTUNE_METRIC");

    if ((strcmp(metric, "step") != 0 && strcmp(metric, "global_step") != 0) ||
        (goal && !strcmp(goal, metric)) || o->text[OPTION_STEP])
        return 0;
    return err_set(e, ERR_INVALID, "%s would be a metric: write --step N",
                   metric);
}

static int report_word(hypertune *h, const struct options *o, const char *word,
                       struct err *e)
{
    char *metric;
    double value;
    int rc = 0;

    if (cmd_metric(word, &metric, &value, e))
        return -1;
    if (!h)
        rc = refuse_step(o, metric, e);
    else if (hypertune_report(h, metric, value, o->number[OPTION_STEP]))
        rc = err_set(e, ERR_IO, "%s could not be written to %s", metric,
                     getenv("HYPERTUNE_REPORT_FILE"));
    free(metric);
    return rc;
}

/* Twice over the words: a wrong one is found before anything is reported. */
static int report_words(hypertune *h, const struct options *o, struct err *e)
{
    for (size_t i = 0; i < o->n_words; i++)
        if (report_word(NULL, o, o->words[i], e))
            return -1;
    for (size_t i = 0; h && i < o->n_words; i++)
        if (report_word(h, o, o->words[i], e))
            return -1;
    return 0;
}

int cmd_report(const struct options *o, struct err *e)
{
    const char *file = getenv("HYPERTUNE_REPORT_FILE");
    hypertune *h = NULL;
    int rc;

    if (!file || !*file) {
        if (report_words(NULL, o, e))
            return -1;
        if (o->text[OPTION_QUIET])
            return CMD_DONE;
        return err_set(e, ERR_ABSENT,
                       "not inside a trial, nothing was reported; --quiet "
                       "makes this no error");
    }
    if (hypertune_open(&h))
        return err_set(e, ERR_IO, "the report file %s cannot be opened", file);
    rc = report_words(h, o, e);
    hypertune_close(h);
    return rc ? -1 : CMD_DONE;
}
