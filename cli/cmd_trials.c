/* `trials STUDY` and `export STUDY`: every trial, as rows. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/mem.h"
#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/rows.h"
#include "study/trial.h"

static int unknown_state(const char *written, const char *word, struct err *e)
{
    const char *names[TRIAL_STATES], *near;
    struct text all;

    text_init(&all);
    for (int s = 0; s < TRIAL_STATES; s++) {
        names[s] = trial_state_name((enum trial_state)s);
        text_addf(&all, "%s%s", s ? ", " : "", names[s]);
    }
    near = fault_near(word, names, TRIAL_STATES);
    err_set(e, ERR_INVALID,
            "--only names no state of a trial: \"%s\"%s%s%s; the states are %s",
            written, near ? "; did you mean " : "", near ? near : "",
            near ? "?" : "", text_str(&all));
    text_clear(&all);
    return -1;
}

static int add_state(const char *written, struct text *out, struct err *e)
{
    char *word = mem_copy_text(written);
    enum trial_state state;
    int rc = 0;

    for (char *c = word; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    if (trial_state_read(word, &state))
        text_addf(out, "%s%s", out->len ? "," : "", word);
    else
        rc = unknown_state(written, word, e);
    free(word);
    return rc;
}

/* "failed,Stopped" as the service has it: "FAILED,STOPPED". */
static int read_states(const char *only, struct text *out, struct err *e)
{
    char *words = mem_copy_text(only), *rest = words, *word;
    int rc = 0;

    while (!rc && (word = strsep(&rest, ",")))
        rc = add_state(word, out, e);
    free(words);
    return rc;
}

static int print(const struct options *o, enum format format, struct err *e)
{
    const char *only = o->text[OPTION_ONLY];
    struct client *c = NULL;
    struct text states;
    int rc = -1;

    text_init(&states);
    if ((!only || !read_states(only, &states, e)) && !client_look(&c, o, e))
        rc = rows_print_all(c, o->words[0], format,
                            only ? text_str(&states) : NULL, e);
    client_close(c);
    text_clear(&states);
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
