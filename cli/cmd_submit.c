/* `submit FILE`: checked here, sent to the service, which goes on by itself. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>

#include "cli/client.h"
#include "cli/cmd.h"
#include "cli/source.h"
#include "cli/view.h"

int cmd_submit(const struct options *o, struct err *e)
{
    struct source s;
    struct client *c = NULL;
    struct faults faults;
    struct text news;
    json_t *study = NULL;
    int rc = -1;

    if (source_read(&s, o->words[0], e))
        return -1;
    faults_init(&faults);
    text_init(&news);
    if (client_open(&c, o, e))
        goto out;
    if (client_submit(c, text_str(&s.bytes), s.bytes.len, s.file, s.dir, &study,
                      &faults, e)) {
        if (faults.n)
            source_faults(s.path, &faults, e);
        goto out;
    }
    (void)printf("%s\n", json_string_value(json_object_get(study, "name")));
    if (json_is_true(json_object_get(study, "resumed"))) {
        view_resumed(study, &news);
        (void)fprintf(stderr, "hypertune: %s\n", text_str(&news));
    }
    rc = CMD_DONE;
out:
    json_decref(study);
    text_clear(&news);
    client_close(c);
    faults_clear(&faults);
    source_clear(&s);
    return rc;
}
