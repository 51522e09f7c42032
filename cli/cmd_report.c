/* `report METRIC=VALUE…`: inside a trial, from a shell script. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <hypertune.h>
#include <stdlib.h>

#include "cli/cmd.h"

static int report_word(hypertune *h, const char *word, int64_t step,
                       struct err *e)
{
    char *metric;
    double value;
    int rc = 0;

    if (cmd_metric(word, &metric, &value, e))
        return -1;
    if (h && hypertune_report(h, metric, value, step))
        rc = err_set(e, ERR_IO, "%s could not be written to %s", metric,
                     getenv("HYPERTUNE_REPORT_FILE"));
    free(metric);
    return rc;
}

/* Twice over the words: a wrong one is found before anything is reported. */
static int report_words(hypertune *h, const struct options *o, struct err *e)
{
    for (size_t i = 0; i < o->n_words; i++)
        if (report_word(NULL, o->words[i], 0, e))
            return -1;
    for (size_t i = 0; h && i < o->n_words; i++)
        if (report_word(h, o->words[i], o->number[OPTION_STEP], e))
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
