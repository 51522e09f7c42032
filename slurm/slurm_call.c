/* Runs commands, and keeps from running them while nobody answers. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_call.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

enum {
    LIMIT_MS = 30000, /* for each command */
    MOST_AWAY_MS = 30000,
    MOST_BYTES = 64 << 20 /* of the answer of a squeue */
};

/* ---- the environment ---- */

/* What is not handed on, by its beginning; and what is, all the same. */
static const char *const dropped[] = {
    "HYPERTUNE_", "SLURM_",       "SQUEUE_",        "SCANCEL_",
    "SCONTROL_",  "SACCT_",       "SBATCH_",        "NOTIFY_SOCKET=",
    "LISTEN_",    "CREDENTIALS_", "INVOCATION_ID=", "JOURNAL_STREAM="};
static const char *const kept[] = {
    "SLURM_CONF=",        "SLURM_CONF_SERVER=", "SBATCH_ACCOUNT=",
    "SBATCH_PARTITION=",  "SBATCH_QOS=",        "SBATCH_RESERVATION=",
    "SBATCH_CONSTRAINT=", "SBATCH_TIMELIMIT="};

static bool begins(const char *variable, const char *const *with, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strncmp(variable, with[i], strlen(with[i])) == 0)
            return true;
    return false;
}

char **slurm_call_environ(char *const *environ_)
{
    size_t n = 0;
    char **out;

    while (environ_[n])
        n++;
    out = mem_new(n + 1, sizeof *out);
    n = 0;
    for (char *const *v = environ_; *v; v++)
        if (begins(*v, kept, sizeof kept / sizeof kept[0]) ||
            !begins(*v, dropped, sizeof dropped / sizeof dropped[0]))
            out[n++] = mem_copy_text(*v);
    return out;
}

/* ---- a controller that is away ---- */

void slurm_call_text(char **text, const char *to)
{
    free(*text);
    *text = mem_copy_text(to);
}

void slurm_call_away(struct slurm *l, const char *why)
{
    if (!l->away)
        log_write(LOG_LEVEL_WARN, "slurm_away", "text=\"%s\"", why);
    l->away_ms = l->away ? l->away_ms * 2 : SLURM_CALL_AGAIN_MS;
    if (l->away_ms > MOST_AWAY_MS)
        l->away_ms = MOST_AWAY_MS;
    l->away = true;
    l->away_until = slurm_job_now() + l->away_ms;
    slurm_call_text(&l->away_text, why);
}

void slurm_call_back(struct slurm *l)
{
    if (l->away)
        log_write(LOG_LEVEL_INFO, "slurm_back", "jobs=%d",
                  slurm_job_submitted(l));
    l->away = false;
    l->met = true;
}

/* What a command that failed said: whether the controller is to blame. */
enum slurm_refusal slurm_call_failed(struct slurm *l,
                                     const struct child_end *end,
                                     struct text *sentence)
{
    enum slurm_refusal is = slurm_words_refusal(end->err, sentence);

    if (end->timed_out && is != SLURM_LIMIT && is != SLURM_NONE) {
        /* it tries again for ever */
        text_reset(sentence);
        text_addf(sentence, "no answer within %d s", LIMIT_MS / 1000);
        is = SLURM_UNSURE;
    }
    if (!sentence->len)
        text_addf(sentence, "it ended with status %d and said nothing",
                  end->exit_code);
    if (is == SLURM_NONE && !l->met)
        l->unmet += end->timed_out ? SLURM_CALL_UNMET : 1;
    if (is == SLURM_AWAY || is == SLURM_UNSURE || is == SLURM_NONE)
        slurm_call_away(l, text_str(sentence));
    return is;
}

int slurm_call_run(struct slurm *l, struct child **out, char *const *argv,
                   child_fn *fn, void *ctx, struct err *e)
{
    struct child_order order = {.argv = argv,
                                .environ_ = l->environ_,
                                .limit_ms = LIMIT_MS,
                                .most_open = l->most_open,
                                .most_bytes = MOST_BYTES,
                                .fn = fn,
                                .ctx = ctx};

    return child_start(out, l->loop, &order, e);
}

void slurm_call_environ_free(char **environ_)
{
    for (char **v = environ_; *v; v++)
        free(*v);
    free(environ_);
}
