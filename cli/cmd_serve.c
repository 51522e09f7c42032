/* `serve`: hypertuned in the foreground. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/cmd.h"
#include "cli/place.h"
#include "cli/service.h"

/* The words are hypertuned's own options, passed on as they are. */
int cmd_serve(const struct options *o, struct err *e)
{
    const char **argv = mem_new(o->n_words + 4, sizeof *argv);
    char *program = service_program(), *state = NULL;
    size_t n = 0;
    int rc = -1;

    argv[n++] = program;
    for (size_t i = 0; i < o->n_words; i++)
        if (!strncmp(o->words[i], "--state", 7))
            state = mem_copy_text("");
    if (!state) {
        if (place_state(o, &state, e))
            goto out;
        argv[n++] = "--state";
        argv[n++] = state;
    }
    for (size_t i = 0; i < o->n_words; i++)
        argv[n++] = o->words[i];
    (void)execvp(program, (char *const *)(uintptr_t)argv);
    rc = err_errno(e, errno, "%s cannot be started", program);
    e->code = ERR_OUTSIDE;
out:
    free(state);
    free(program);
    free(argv);
    return rc;
}
