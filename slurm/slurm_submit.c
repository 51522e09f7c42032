/* Submits what waits with us, within the window. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_submit.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "slurm/slurm_call.h"
#include "slurm/slurm_script.h"

enum {
    SUBMITS = 4, /* at once */
    FIRST_WAIT_MS = 2000,
    MOST_WAIT_MS = 30000, /* before a full queue is tried again */
    FASTEST_MS = 1000,    /* between two looks at the queue, at least */
    WORDS = 64            /* options for sbatch */
};

/* ---- the site's limits ---- */

static void configured(void *ctx, const struct child_end *end)
{
    struct slurm *l = ctx;
    char *text = mem_copy_text(end->out);
    char *rest = NULL;
    struct text sentence;

    l->config = NULL;
    text_init(&sentence);
    l->met = l->met || end->exit_code == 0;
    if (end->exit_code == 0 ||
        slurm_call_failed(l, end, &sentence) == SLURM_NEVER)
        l->configured = true; /* with its limits, or without any */
    for (char *line = strtok_r(text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *equals = strchr(line, '=');
        int64_t n = equals ? strtoll(equals + 1, NULL, 10) : 0;

        if (n > 1 && strncmp(line, "MaxJobCount ", 12) == 0 &&
            n / 2 < l->most_window)
            l->window = l->most_window = (int)(n / 2);
        if (n > 0 && strncmp(line, "MinJobAge ", 10) == 0 &&
            n * 500 < l->slowest_ms)
            l->slowest_ms = n * 500 > FASTEST_MS ? n * 500 : FASTEST_MS;
    }
    text_clear(&sentence);
    free(text);
    l->due(l);
}

/* Without its answer nothing is submitted; without the command there is no
 * Slurm, as sbatch will say. */
static void ask_config(struct slurm *l)
{
    char *argv[] = {"scontrol", "show", "config", NULL};

    if (slurm_call_run(l, &l->config, argv, configured, l, NULL))
        l->configured = true;
}

/* ---- submitting ---- */

/* The site takes no more: those that are in the queue are the most, for a
 * while. Each time that it says so again the while is longer; what several
 * sbatch are told at once is one time. */
static void take_limit(struct slurm *l, const char *why)
{
    int64_t now = slurm_job_now();

    slurm_call_text(&l->limit_text, why);
    l->window = slurm_job_submitted(l);
    if (now < l->window_at)
        return;
    l->window_ms = l->window_ms ? l->window_ms * 2 : FIRST_WAIT_MS;
    if (l->window_ms > MOST_WAIT_MS)
        l->window_ms = MOST_WAIT_MS;
    l->window_at = now + l->window_ms;
    log_write(LOG_LEVEL_INFO, "slurm_full", "jobs=%d wait_ms=%lld why=\"%s\"",
              l->window, (long long)l->window_ms, why);
}

/* Whether a full queue may be tried again. When one of ours leaves it, soon:
 * Slurm counts it for a moment after its end. */
static bool may_try(struct slurm *l, int in_queue, int64_t now)
{
    if (!l->limit_text)
        return true;
    if (in_queue < l->window && l->window_at > now + FIRST_WAIT_MS) {
        l->window_ms = 0;
        l->window_at = now + FIRST_WAIT_MS;
    }
    if (now < l->window_at || l->submits)
        return false;
    if (in_queue >= l->window)
        l->window = in_queue + 1;
    return true;
}

static void widen(struct slurm *l)
{
    if (l->window < l->most_window)
        l->window++;
    l->window_ms = 0;
    free(l->limit_text);
    l->limit_text = NULL;
}

/* sbatch failed: what becomes of the job. */
static void not_submitted(struct slurm_job *j, const struct child_end *end)
{
    struct text said, why;

    text_init(&said);
    text_init(&why);
    switch (slurm_call_failed(j->slurm, end, &said)) {
    case SLURM_UNSURE:
        slurm_job_step(j, SLURM_UNSEEN);
        break;
    case SLURM_LIMIT:
        slurm_job_step(j, SLURM_HELD);
        take_limit(j->slurm, text_str(&said));
        break;
    case SLURM_NEVER:
        text_addf(&why, "Slurm refused the job: %s", text_str(&said));
        j->hopeless = text_take(&why);
        slurm_job_step(j, SLURM_HELD);
        break;
    case SLURM_NONE:
    case SLURM_AWAY:
        slurm_job_step(j, SLURM_HELD);
    }
    text_clear(&said);
}

static void submitted(void *ctx, const struct child_end *end)
{
    struct slurm_job *j = ctx;
    struct slurm *l = j->slurm;

    j->child = NULL;
    l->submits--;
    j->id = end->exit_code == 0 ? strtoll(end->out, NULL, 10) : 0;
    if (j->id > 0) {
        slurm_job_step(j, SLURM_KNOWN);
        widen(l);
    } else {
        not_submitted(j, end);
    }
    slurm_job_decide(j);
    l->due(l);
}

void slurm_submit_none(struct slurm *l)
{
    const char *said = l->away_text;
    const char *more;
    struct slurm_job *next;
    char *why;

    while ((more = strstr(said, "; ")))
        said = more + 2;
    why = mem_format("no Slurm cluster is configured here: start hypertuned "
                     "with SLURM_CONF, or write /etc/slurm/slurm.conf (Slurm "
                     "says: %s)",
                     said);
    l->unmet = 0;
    l->away = false;
    for (struct slurm_job *j = l->first; j; j = next) {
        next = j->next;
        if (j->step != SLURM_HELD || j->over || j->hopeless)
            continue;
        j->hopeless = mem_copy_text(why);
        slurm_job_decide(j);
    }
    free(why);
}

/* argv: sbatch, the words of the script, the script. They are lines of `words`,
 * which are cut here. */
static void submit(struct slurm_job *j)
{
    struct slurm *l = j->slurm;
    char *argv[WORDS + 4] = {"sbatch", "--parsable"};
    char *script = mem_format("%s/" SLURM_SCRIPT_FILE, j->folder);
    char tag[SLURM_SCRIPT_NAME];
    struct text words;
    char *rest = NULL;
    bool tasks;
    size_t n = 2;
    struct err e;

    text_init(&words);
    if (slurm_script_read(j->folder, tag, &words, &tasks))
        for (char *w = strtok_r(words.data, "\n", &rest); w && n < WORDS + 2;
             w = strtok_r(NULL, "\n", &rest))
            argv[n++] = w;
    argv[n] = script;
    if (j->apart && !slurm_files_ask(j->folder)) {
        j->hopeless = mem_format("%s/slurm.asked cannot be written", j->folder);
    } else if (n == 2) {
        j->hopeless = mem_format("%s cannot be read", script);
    } else if (slurm_call_run(l, &j->child, argv, submitted, j, &e)) {
        j->hopeless = mem_format(
            "%s: a service that uses launcher: slurm needs Slurm's commands "
            "on its PATH",
            e.text);
    } else {
        l->submits++;
        slurm_job_step(j, SLURM_SUBMITTING);
    }
    text_clear(&words);
    free(script);
}

void slurm_submit_due(struct slurm *l, int64_t now)
{
    int in_queue;

    if (!l->configured && !l->config)
        ask_config(l);
    if (!l->configured || l->submits >= SUBMITS)
        return;
    in_queue = slurm_job_submitted(l);
    if (!may_try(l, in_queue, now))
        return;
    for (struct slurm_job *j = l->first; j && l->submits < SUBMITS; j = j->next)
        if (j->step == SLURM_HELD && j->tag && !j->over && !j->child &&
            !j->hopeless && !(j->has_began && !j->began.id)) {
            if (in_queue++ >= l->window)
                return;
            submit(j);
        }
}
