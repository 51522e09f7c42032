/* `trials STUDY` and `export STUDY`: every trial, as rows. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/rows.h"

static int print(const struct options *o, enum format format, struct err *e)
{
    struct client *c;
    int rc;

    if (client_look(&c, o, e))
        return -1;
    rc = rows_print_all(c, o->words[0], format, o->text[OPTION_ONLY], e);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}

int cmd_trials(const struct options *o, struct err *e)
{
    return print(o, o->format, e);
}

int cmd_export(const struct options *o, struct err *e)
{
    return print(o, o->text[OPTION_FORMAT] ? o->format : FORMAT_CSV, e);
}
