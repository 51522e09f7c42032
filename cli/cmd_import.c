/* `import STUDY FILE`: trials that were run elsewhere, put into a study. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/source.h"
#include "io/serve.h"

static void say(const char *study, const json_t *answer)
{
    long long n = json_integer_value(json_object_get(answer, "given"));
    long long first = json_integer_value(json_object_get(answer, "first"));
    long long unfinished =
        json_integer_value(json_object_get(answer, "unfinished"));

    if (!n)
        (void)printf("%s was given no trial\n", study);
    else if (n == 1)
        (void)printf("%s was given 1 trial, number %lld\n", study, first);
    else
        (void)printf("%s was given %lld trials, numbers %lld to %lld\n", study,
                     n, first, first + n - 1);
    if (unfinished)
        (void)printf("%lld %s left out: not ended yet\n", unfinished,
                     unfinished == 1 ? "was" : "were");
}

int cmd_import(const struct options *o, struct err *e)
{
    const char *study = o->words[0], *path = o->words[1];
    struct client *c = NULL;
    struct faults faults;
    struct text bytes;
    json_t *answer = NULL;
    int rc = -1;

    faults_init(&faults);
    text_init(&bytes);
    if (source_bytes(path, SERVE_MOST_BODY_BYTES, &bytes, e) ||
        client_open(&c, o, e))
        goto out;
    if (client_give(c, study, "imported", text_str(&bytes), bytes.len, &answer,
                    &faults, e)) {
        if (faults.n)
            source_faults(path, &faults, e);
        goto out;
    }
    say(study, answer);
    rc = CMD_DONE;
out:
    json_decref(answer);
    client_close(c);
    text_clear(&bytes);
    faults_clear(&faults);
    return rc;
}
