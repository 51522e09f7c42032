/* `why STUDY [TRIAL]`: why it waits, stopped, failed, or is as it is. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"

int cmd_why(const struct options *o, struct err *e)
{
    struct client *c;
    json_t *answer = NULL;
    int64_t number = 0;
    const char *path, *why;
    int rc;

    if (o->n_words == 2 && cmd_number(o->words[1], &number, e))
        return -1;
    if (client_look(&c, o, e))
        return -1;
    path = number ? client_study(c, o->words[0], "/why?trial=%lld",
                                 (long long)number)
                  : client_study(c, o->words[0], "/why");
    rc = client_get(c, path, &answer, e);
    why = json_string_value(json_object_get(answer, "why"));
    if (!rc)
        (void)printf("%s\n", why ? why : "");
    json_decref(answer);
    client_close(c);
    return rc ? -1 : CMD_DONE;
}
