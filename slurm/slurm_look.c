/* One squeue for all jobs: what it shows, and what it does not. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_look.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "slurm/slurm_call.h"

enum {
    LOOK_MS = 1000,     /* between two looks, at least */
    STIRRED_MS = 30000, /* so long after something happened they are frequent */
    UNSEEN_MS = 3000    /* a job that was submitted is in the queue by then */
};

/* ---- looking at the queue ---- */

static void take_text(char **text, const char *to)
{
    if (strcmp(*text, to) != 0)
        slurm_call_text(text, to);
}

/* A second job under the same name: a submission of which we had not heard.
 * Only one of the two can run; the other goes while it waits. */
static bool is_second(const struct slurm_job *j, const struct slurm_row *row)
{
    return j->id && j->id != row->id &&
           (j->step != SLURM_UNSEEN || row->state->phase == SLURM_OVER);
}

static void take_row(struct slurm *l, char *line)
{
    struct slurm_row row;
    struct slurm_job *j;

    if (!slurm_words_row(line, &row) || !(j = slurm_job_by_tag(l, row.name)) ||
        j->step == SLURM_HELD)
        return;
    if (is_second(j, &row)) {
        if (row.state->phase == SLURM_WAITS)
            j->second = row.id;
        return;
    }
    j->missing = 0;
    j->looked = l->look_began;
    if (j->id == row.id && j->state == row.state &&
        strcmp(j->reason, row.reason) == 0)
        return;
    if (j->step == SLURM_UNSEEN)
        slurm_job_step(j, SLURM_KNOWN);
    l->stirred = l->look_began;
    j->id = row.id;
    j->state = row.state;
    take_text(&j->reason, row.reason);
    take_text(&j->node, row.node);
    slurm_job_peek(j);
}

/* What a job is that a look, begun at that time, did not show. */
static void not_there(struct slurm_job *j, int64_t began)
{
    if (j->looked == began || j->step == SLURM_HELD ||
        j->step == SLURM_SUBMITTING || j->since > began)
        return;
    if (j->step == SLURM_UNSEEN && began - j->since < UNSEEN_MS)
        return;
    slurm_job_peek(j);
    if (!j->missing)
        j->missing = began;
    if (j->step == SLURM_UNSEEN && !j->has_began)
        slurm_job_step(j, j->apart && slurm_files_asked(j->folder)
                              ? SLURM_KNOWN /* and may have run: it is lost */
                              : SLURM_HELD);
}

static void looked(void *ctx, const struct child_end *end)
{
    struct slurm *l = ctx;
    struct text sentence;
    struct slurm_job *next;
    char *text, *rest = NULL;

    l->look = NULL;
    text_init(&sentence);
    if (end->exit_code != 0 || end->cut) {
        slurm_call_failed(l, end, &sentence);
        if (!l->away)
            slurm_call_away(l, text_str(&sentence));
    } else {
        slurm_call_back(l);
        text = mem_copy_text(end->out);
        for (char *line = strtok_r(text, "\n", &rest); line;
             line = strtok_r(NULL, "\n", &rest))
            take_row(l, line);
        free(text);
        for (struct slurm_job *j = l->first; j; j = j->next)
            not_there(j, l->look_began);
    }
    text_clear(&sentence);
    for (struct slurm_job *j = l->first; j; j = next) {
        next = j->next;
        slurm_job_decide(j);
    }
    l->due(l);
}

/* Whether somebody waits for what the queue says. */
static bool is_eager(const struct slurm *l)
{
    for (const struct slurm_job *j = l->first; j; j = j->next)
        if (j->step == SLURM_UNSEEN || j->wish || j->final || j->missing ||
            slurm_job_needs_word(j))
            return true;
    return slurm_job_now() - l->stirred < STIRRED_MS;
}

static void look(struct slurm *l)
{
    char *user = mem_format("--user=%u", (unsigned)getuid());
    char *argv[] = {"squeue",           "--noheader", "--all", "--states=all",
                    SLURM_WORDS_FORMAT, user,         NULL};
    struct err e;

    l->look_began = slurm_job_now();
    l->next_look = l->look_began + (is_eager(l) ? LOOK_MS : l->slowest_ms);
    if (slurm_call_run(l, &l->look, argv, looked, l, &e))
        slurm_call_away(l, e.text);
    free(user);
}

static bool any_submitted(const struct slurm *l)
{
    for (const struct slurm_job *j = l->first; j; j = j->next)
        if (j->step == SLURM_UNSEEN || j->step == SLURM_KNOWN)
            return true;
    return false;
}

void slurm_look_due(struct slurm *l, int64_t now)
{
    if (!l->look && now >= l->next_look && (l->away || any_submitted(l)))
        look(l);
}
