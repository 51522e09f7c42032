/* What is known of a job becomes news. The job's own words come first, then
 * those of the queue; and without either nothing is said. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_job.h"

#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "slurm/slurm_script.h"

enum {
    SOON_MS = 3000,  /* a start that takes no longer needs no explanation */
    WORD_MS = 30000, /* so long the queue may take to say what was to blame */
    BACK_MS = 60000  /* a job that ran is in the queue again: so long */
};

int64_t slurm_job_now(void)
{
    return clock_steady_ms(&clock_real);
}

/* ---- the list ---- */

static int by_tag(const void *a, const void *b)
{
    const struct slurm_job *x = a;
    const struct slurm_job *y = b;

    return strcmp(x->tag, y->tag);
}

struct slurm_job *slurm_job_new(struct slurm *l, const char *name,
                                const char *folder)
{
    struct slurm_job *j = mem_new(1, sizeof *j);

    j->slurm = l;
    j->name = mem_copy_text(name);
    j->folder = mem_copy_text(folder);
    j->reason = mem_copy_text("");
    j->node = mem_copy_text("");
    j->since = slurm_job_now();
    j->prev = l->last;
    if (l->last)
        l->last->next = j;
    else
        l->first = j;
    l->last = j;
    l->stirred = j->since;
    return j;
}

void slurm_job_set_tag(struct slurm_job *j, const char *tag)
{
    if (j->tag)
        return;
    j->tag = mem_copy_text(tag);
    tsearch(j, &j->slurm->by_tag, by_tag);
}

void slurm_job_free(struct slurm_job *j)
{
    struct slurm *l = j->slurm;

    if (j->prev)
        j->prev->next = j->next;
    else
        l->first = j->next;
    if (j->next)
        j->next->prev = j->prev;
    else
        l->last = j->prev;
    if (j->tag)
        tdelete(j, &l->by_tag, by_tag);
    l->stirred = slurm_job_now();
    child_free(j->child);
    free(j->name);
    free(j->folder);
    free(j->tag);
    free(j->reason);
    free(j->node);
    free(j->waiting);
    free(j->hopeless);
    free(j);
}

struct slurm_job *slurm_job_find(const struct slurm *l, const char *name)
{
    struct slurm_job *j = l->first;

    while (j && (j->over || strcmp(j->name, name) != 0))
        j = j->next;
    return j;
}

struct slurm_job *slurm_job_by_tag(const struct slurm *l, const char *tag)
{
    struct slurm_job key = {.tag = (char *)(uintptr_t)tag};
    struct slurm_job **found = tfind(&key, (void *const *)&l->by_tag, by_tag);

    return found ? *found : NULL;
}

void slurm_job_step(struct slurm_job *j, enum slurm_step step)
{
    j->step = step;
    j->since = slurm_job_now();
    j->slurm->stirred = j->since;
}

int slurm_job_submitted(const struct slurm *l)
{
    int n = 0;

    for (const struct slurm_job *j = l->first; j; j = j->next)
        n += j->step != SLURM_HELD && !j->has_ended &&
             (!j->state || j->state->phase != SLURM_OVER);
    return n;
}

/* ---- news ---- */

static const char *node_of(const struct slurm_job *j)
{
    const char *node = j->has_ended && *j->ended.node   ? j->ended.node
                       : j->has_began && *j->began.node ? j->began.node
                                                        : j->node;

    return *node ? node : NULL;
}

/* It ended, and is in the queue once more: somebody requeued it, though Slurm
 * was told not to. */
static bool is_requeued(const struct slurm_job *j)
{
    return j->has_ended && j->final && j->looked > j->final && j->state &&
           j->state->phase == SLURM_WAITS;
}

/* Whether nothing of it can be in the queue any more. */
static bool is_out(const struct slurm_job *j)
{
    return j->step == SLURM_HELD || j->missing ||
           (j->has_ended && !is_requeued(j)) ||
           (j->state && j->state->phase == SLURM_OVER);
}

/* The job is forgotten before its last news, or kept for what is left of it
 * in the queue. */
static void tell_last(struct slurm_job *j, struct launcher_news *news)
{
    struct slurm *l = j->slurm;
    char *name = mem_copy_text(j->name);
    char *text = mem_copy_text(news->text);
    char *node = mem_copy_text(node_of(j));
    char *replica = mem_copy_text(news->replica);

    if (is_out(j) && !j->child) {
        slurm_job_free(j);
    } else {
        j->over = true;
        j->wish = SLURM_STOP_CANCEL;
        j->sent = SLURM_STOP_KILL; /* it never ran, or ran to its end */
        j->stop_at = 0;
    }
    news->job_name = name;
    news->text = text;
    news->node = node;
    news->replica = replica;
    l->news(l->ctx, news);
    free(name);
    free(text);
    free(node);
    free(replica);
}

static void tell_alive(struct slurm_job *j)
{
    struct launcher_news news = {
        .job_name = j->name, .word = LAUNCHER_ALIVE, .node = node_of(j)};

    j->told_alive = true;
    free(j->waiting);
    j->waiting = NULL;
    j->slurm->news(j->slurm->ctx, &news);
}

void slurm_job_refuse(struct slurm_job *j, enum launcher_word word,
                      const char *why)
{
    struct launcher_news news = {.word = word, .text = why};

    tell_last(j, &news);
}

void slurm_job_lose(struct slurm_job *j, const char *why)
{
    struct launcher_news news = {.word = LAUNCHER_LOST,
                                 .blame =
                                     j->has_began ? BLAME_NODE : BLAME_NOBODY,
                                 .text = why};

    tell_last(j, &news);
}

/* By the script's own words; the blame by Slurm's. */
static void tell_ended(struct slurm_job *j, enum launcher_blame blame)
{
    struct launcher_news news = {.word = LAUNCHER_ENDED,
                                 .exit_code = j->ended.exit_code,
                                 .signal_number = j->ended.signal_number,
                                 .ran_ms = j->ended.ran_ms,
                                 .blame = blame};

    if (*j->ended.replica && strncmp(j->ended.replica, "master", 6) != 0 &&
        j->tasks)
        news.replica = j->ended.replica;
    tell_last(j, &news);
}

void slurm_job_end(struct slurm_job *j, const struct slurm_state *state,
                   int exit_code, int signal_number)
{
    struct launcher_news news = {.word = LAUNCHER_ENDED,
                                 .exit_code = exit_code,
                                 .signal_number = signal_number,
                                 .blame =
                                     j->wish ? BLAME_NOBODY : state->blame};
    char text[200];

    snprintf(text, sizeof text, "Slurm says %s of job %lld", state->name,
             (long long)j->id);
    news.text = text;
    if (state->lost) {
        news.word = LAUNCHER_LOST;
        news.exit_code = news.signal_number = 0;
    } else if (exit_code < 0 && !signal_number) {
        news.signal_number = j->has_began ? SIGKILL : SIGTERM;
    }
    tell_last(j, &news);
}

/* It was stopped before it began, and never will. */
static void tell_kept_back(struct slurm_job *j)
{
    struct launcher_news news = {
        .word = LAUNCHER_ENDED, .exit_code = -1, .signal_number = SIGTERM};

    tell_last(j, &news);
}

/* ---- waiting ---- */

static void waits_with_us(const struct slurm_job *j, struct text *out)
{
    const struct slurm *l = j->slurm;

    if (l->limit_text)
        text_addf(out,
                  "to be submitted to Slurm, which takes no more jobs now"
                  ": %s",
                  l->limit_text);
    else
        text_addf(out,
                  "to be submitted to Slurm (%d jobs of this service are "
                  "in its queue)",
                  slurm_job_submitted(l));
}

static void tell_waiting(struct slurm_job *j)
{
    const struct slurm *l = j->slurm;
    struct launcher_news news = {.job_name = j->name, .word = LAUNCHER_WAITING};
    struct text text;

    text_init(&text);
    if (l->away)
        text_addf(&text, "for the Slurm controller, which does not answer: %s",
                  l->away_text);
    else if (j->step == SLURM_KNOWN &&
             (*j->reason || slurm_job_now() - j->since > SOON_MS))
        slurm_words_waiting(&text, j->id, j->reason);
    else if (j->step == SLURM_HELD &&
             (l->limit_text || slurm_job_now() - j->since > SOON_MS))
        waits_with_us(j, &text);
    if (text.len && (!j->waiting || strcmp(j->waiting, text.data) != 0)) {
        free(j->waiting);
        j->waiting = text_take(&text);
        news.text = j->waiting;
        l->news(l->ctx, &news);
    }
    text_clear(&text);
}

/* ---- deciding ---- */

/* Of two submissions under its name, it is the one that began. */
static void take_began(struct slurm_job *j)
{
    if (!j->began.id || j->id == j->began.id)
        return;
    j->id = j->began.id;
    j->state = NULL;
    j->missing = j->final = 0;
    slurm_job_step(j, SLURM_KNOWN);
}

/* What the queue shows says that its script has begun. */
static void peek_apart(struct slurm_job *j)
{
    if (j->has_began || !j->state ||
        (j->state->phase != SLURM_RUNS && j->state->phase != SLURM_ENDING))
        return;
    j->has_began = true;
    j->began.id = j->id;
    snprintf(j->began.node, sizeof j->began.node, "%s", j->node);
}

void slurm_job_peek(struct slurm_job *j)
{
    if (j->over || j->hopeless || j->absent)
        return;
    if (j->apart) {
        peek_apart(j);
        return;
    }
    if (!j->has_began && slurm_files_began(j->folder, &j->began)) {
        j->has_began = true;
        take_began(j);
    }
    if (j->has_began && !j->has_ended)
        j->has_ended = slurm_files_ended(j->folder, &j->ended);
}

/* An end in which nobody but the program had a hand. */
static bool is_clean(const struct slurm_job *j)
{
    return j->ended.exit_code == 0 && !j->ended.terminated;
}

bool slurm_job_needs_word(const struct slurm_job *j)
{
    if (j->over || !j->has_ended)
        return j->wish != SLURM_STOP_NOT;
    return !*j->ended.refused && !is_clean(j) && !j->wish;
}

static void decide_ended(struct slurm_job *j)
{
    int64_t now = slurm_job_now();
    bool said = j->state && j->state->phase == SLURM_OVER;
    bool nobody_knows = j->missing && j->asked >= SLURM_JOB_ASKS && !j->child;

    if (!j->final)
        j->final = now;
    if (*j->ended.refused)
        slurm_job_refuse(j, LAUNCHER_REFUSED, j->ended.refused);
    else if (!slurm_job_needs_word(j))
        tell_ended(j, BLAME_NOBODY);
    else if (is_requeued(j))
        tell_ended(j, BLAME_PREEMPTED);
    else if (said || nobody_knows || now - j->final > WORD_MS)
        tell_ended(j, said ? j->state->blame : BLAME_NOBODY);
}

/* Given a node and cancelled before its script could say a word: by Slurm, not
 * by a person. So it is after a controller lost its memory: it gives numbers
 * out again, and a node refuses a job whose number it still knows. */
static bool was_not_launched(struct slurm_job *j)
{
    if (j->state->blame != BLAME_PERSON || j->wish || !*j->node)
        return false;
    slurm_job_peek(j);
    return !j->has_began;
}

/* The queue says that it ended, and its script says nothing. Of an own end it
 * may come; then scontrol is asked for the exit status (slurm_calls). */
static void decide_over(struct slurm_job *j)
{
    bool own = j->state->blame == BLAME_NOBODY;

    if (!j->final)
        j->final = slurm_job_now();
    if (strcmp(j->reason, "BadConstraints") == 0)
        slurm_job_refuse(j, LAUNCHER_HOPELESS,
                         "Slurm has no node with what the trial asks for "
                         "(BadConstraints)");
    else if (j->forgotten)
        slurm_job_lose(j, "Slurm forgot that it ran");
    else if (was_not_launched(j))
        slurm_job_lose(j, "Slurm gave it a node and cancelled it before it "
                          "began");
    else if (j->state && ((j->wish && !j->apart) || !own))
        slurm_job_end(j, j->state, -1, 0);
}

/* A controller that lost its memory may want to begin a running job again:
 * what runs goes on, but nobody would know of its end. */
static void decide_back(struct slurm_job *j)
{
    int64_t now = slurm_job_now();

    if (!j->final)
        j->final = now;
    if (now - j->final < BACK_MS || j->wish)
        return;
    j->forgotten = true;
    j->wish = SLURM_STOP_CANCEL;
    j->sent = SLURM_STOP_KILL;
}

void slurm_job_decide(struct slurm_job *j)
{
    if (j->over) {
        if (is_out(j) && !j->child)
            slurm_job_free(j);
        return;
    }
    if (j->hopeless) {
        slurm_job_refuse(j, LAUNCHER_HOPELESS, j->hopeless);
        return;
    }
    if (j->absent) {
        slurm_job_lose(j, NULL);
        return;
    }
    if (j->has_began && !j->began.id) {
        tell_kept_back(j);
        return;
    }
    if (!j->told_alive &&
        (j->has_began || (j->state && j->state->phase == SLURM_RUNS)))
        tell_alive(j);
    if (j->has_ended)
        decide_ended(j);
    else if (j->state && j->state->phase == SLURM_OVER)
        decide_over(j);
    else if (j->has_began && j->state && j->state->phase == SLURM_WAITS)
        decide_back(j);
    else if (!j->told_alive)
        tell_waiting(j);
    else
        j->final = 0;
}
