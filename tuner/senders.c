/* Senders: their counts are in the marks, which are written in the transaction
 * of their reports. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tuner/senders.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"

/* NULL: there are too many. */
static struct live_sender *sender_of(struct live_trial *t, const char *name)
{
    struct live_sender *found;

    for (size_t i = 0; i < t->n_senders; i++)
        if (strcmp(t->senders[i].name, name) == 0)
            return &t->senders[i];
    if (t->n_senders == SENDERS_MOST)
        return NULL;
    t->senders = mem_resize(t->senders, t->n_senders + 1, sizeof *t->senders);
    found = &t->senders[t->n_senders++];
    *found = (struct live_sender){0};
    snprintf(found->name, sizeof found->name, "%s", name);
    return found;
}

void senders_write(const struct live_trial *t, json_t *marks)
{
    json_t *all = t->n_senders ? json_object() : NULL;

    for (size_t i = 0; i < t->n_senders; i++)
        json_object_set_new(all, t->senders[i].name,
                            json_integer(t->senders[i].n));
    if (all)
        json_object_set_new(marks, "senders", all);
}

void senders_read(struct live_trial *t, const json_t *marks)
{
    const char *name;
    json_t *n;

    json_object_foreach(json_object_get(marks, "senders"), name, n)
    {
        struct live_sender *s = sender_of(t, name);

        if (s)
            s->n = json_integer_value(n);
    }
}

/* ---- outputs ---- */

/* The folder of the replica that sends, where it has one. */
static char *folder_of(const struct live_trial *t, const char *sender)
{
    char *own = mem_format("%s/%s", t->folder, sender);
    struct stat st;

    if (stat(own, &st) == 0 && S_ISDIR(st.st_mode))
        return own;
    free(own);
    return strncmp(sender, "master", 6) == 0 ? mem_copy_text(t->folder) : NULL;
}

/* Logs are for people: one that cannot be written fails no trial. */
static void keep_output(const char *folder, const char *file, const char *text)
{
    char *path = mem_format("%s/%s", folder, file);
    int fd =
        open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        log_write(LOG_LEVEL_WARN, "output", "path=%s text=\"%s\"", path,
                  strerror(errno));
    if (fd >= 0)
        close(fd);
    free(path);
}

static void keep_outputs(const struct live_trial *t,
                         const struct engine_batch *batch)
{
    static const char *const files[] = {"stdout.log", "stderr.log"};
    char *folder;

    if (!t->folder || study_shares(&t->study->study))
        return;
    folder = folder_of(t, batch->sender);
    for (size_t i = 0; folder && i < 2; i++)
        if (batch->outputs[i])
            keep_output(folder, files[i], batch->outputs[i]);
    free(folder);
}

/* ---- reports ---- */

size_t senders_hear(struct live_trial *t, const struct engine_batch *batch,
                    struct engine_heard *out)
{
    struct live_sender *s = sender_of(t, batch->sender);
    int64_t known, n = (int64_t)batch->n;

    *out = (struct engine_heard){.next = batch->from + n,
                                 .stop = t->trial.state == TRIAL_STOPPING};
    keep_outputs(t, batch);
    if (!s)
        return batch->n;
    known = s->n - batch->from;
    if (known < 0 || known >= n) {
        out->next = s->n;
        return batch->n;
    }
    s->n = out->next;
    return (size_t)known;
}
