/* scancel, and the questions to scontrol and sacct how a job ended. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_finish.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "slurm/slurm_call.h"
#include "slurm/slurm_script.h"

enum {
    CANCELS = 4,        /* at once */
    MISSING_MS = 20000, /* a job that is not in the queue is looked for */
    LOST_MS = 60000,    /* and is lost */
    FILE_MS = 2000,     /* the script's last word may take so long */
    KILL_MS = 2000,     /* the script may take so long to kill its program */
    AGAIN_MS = 5000,    /* between two scancels of the same job */
    BY_SIGNAL = 128,
    SIGNALS = 64,
    NO_OUTPUT = 53 /* Slurm's "signal" where it could not open the log */
};

/* ---- cancelling ---- */

static void cancelled(void *ctx, const struct child_end *end)
{
    struct slurm_job *j = ctx;
    struct slurm *l = j->slurm;
    struct text sentence;

    j->child = NULL;
    l->cancels--;
    text_init(&sentence);
    if (end->exit_code != 0) {
        slurm_call_failed(l, end, &sentence);
        j->sent = j->sent > SLURM_STOP_NOT ? j->sent - 1 : SLURM_STOP_NOT;
        j->stop_at = slurm_job_now() + SLURM_CALL_AGAIN_MS;
    } else if (j->over && j->sent == SLURM_STOP_CANCEL) {
        j->missing = slurm_job_now();
    }
    text_clear(&sentence);
    slurm_job_decide(j);
    l->due(l);
}

/* Nothing in its folder could keep its script from beginning; so it is taken
 * off the queue as long as it waits there, and told to end if it was faster. */
static bool waits_apart(const struct slurm_job *j)
{
    return j->apart && !j->second && j->wish && !j->over && j->state &&
           j->state->phase == SLURM_WAITS;
}

/* SIGQUIT tells our script to kill its program and to say so; where it cannot,
 * cancelling the job takes longer (KillWait) but reaches everything.
 * Always by name and number: a number alone may be another's by now. */
static void cancel(struct slurm_job *j, enum slurm_stop how)
{
    static const char *const words[SLURM_STOPS][2] = {
        [SLURM_STOP_TERM] = {"--signal=TERM", "--batch"},
        [SLURM_STOP_KILL] = {"--signal=QUIT", "--batch"},
    };
    char *name = mem_format("--name=%s", j->tag);
    char *id = mem_format("%lld", (long long)(j->second ? j->second : j->id));
    char *argv[6] = {"scancel", name, id};

    if (waits_apart(j)) {
        argv[3] = "--state=PENDING";
    } else if (words[how][0] && !j->second) {
        argv[3] = (char *)(uintptr_t)words[how][0];
        if (!j->tasks)
            argv[4] = (char *)(uintptr_t)words[how][1];
    }
    if (slurm_call_run(j->slurm, &j->child, argv, cancelled, j, NULL) == 0)
        j->slurm->cancels++;
    if (!j->second) {
        j->sent = waits_apart(j) ? SLURM_STOP_NOT : how;
        j->stop_at =
            slurm_job_now() + (how == SLURM_STOP_KILL ? KILL_MS : AGAIN_MS);
    }
    j->second = 0;
    free(name);
    free(id);
}

/* The next step towards what is wished; the last one may be repeated. */
static enum slurm_stop next_step(const struct slurm_job *j)
{
    if (j->second)
        return SLURM_STOP_CANCEL;
    if (j->missing || (j->state && j->state->phase >= SLURM_ENDING))
        return SLURM_STOP_NOT;
    if (waits_apart(j))
        return SLURM_STOP_CANCEL;
    if (j->wish == SLURM_STOP_TERM)
        return j->sent ? SLURM_STOP_NOT : SLURM_STOP_TERM;
    return j->sent < SLURM_STOP_KILL ? SLURM_STOP_KILL : SLURM_STOP_CANCEL;
}

static void cancel_if_due(struct slurm_job *j, int64_t now)
{
    enum slurm_stop step = next_step(j);

    if (j->step != SLURM_KNOWN || j->child || now < j->stop_at || !step)
        return;
    cancel(j, step);
}

/* ---- asking how a job ended ---- */

/* The line "17|NAME|FAILED|7:0" of that job, cut in place. */
static bool find_record(const struct slurm_job *j, char *line, char *cells[4])
{
    cells[0] = line;
    for (int i = 1; i < 4; i++) {
        cells[i] = strchr(cells[i - 1], '|');
        if (!cells[i])
            return false;
        *cells[i]++ = '\0';
    }
    return strcmp(cells[1], j->tag) == 0 &&
           slurm_words_state(cells[2])->phase == SLURM_OVER;
}

/* What the script itself says of a job whose folder nobody else sees. */
static bool end_apart(struct slurm_job *j, int code)
{
    switch (code) {
    case SLURM_SCRIPT_NO_FOLDER:
        slurm_job_refuse(j, LAUNCHER_REFUSED,
                         "its node cannot make a folder below TMPDIR, or /tmp");
        return true;
    case SLURM_SCRIPT_NO_COURIER:
        slurm_job_refuse(j, LAUNCHER_REFUSED,
                         "its node has no program hypertune to send its "
                         "reports with: install it there, or say where it is "
                         "with slurm: {courier: PATH}");
        return true;
    case SLURM_SCRIPT_UNSENT:
        slurm_job_lose(j, "what it reported could not be sent from its node");
        return true;
    default:
        return false;
    }
}

static void end_by(struct slurm_job *j, const struct slurm_state *state,
                   const char *word)
{
    int code = -1;
    int number = 0;

    slurm_words_exit(word, &code, &number);
    if (code == SLURM_SCRIPT_SECOND)
        slurm_job_lose(j, "Slurm began it a second time");
    else if (number == NO_OUTPUT && !j->has_began && !j->apart)
        slurm_job_refuse(j, LAUNCHER_REFUSED,
                         "its node cannot write into the trial's folder: the "
                         "state folder of this service must be on a file "
                         "system that the nodes share, or the study says "
                         "slurm: {shared: false}");
    else if (j->apart && code > BY_SIGNAL && code <= BY_SIGNAL + SIGNALS)
        slurm_job_end(j, state, -1, code - BY_SIGNAL); /* as a shell says it */
    else if (!j->apart || !end_apart(j, code))
        slurm_job_end(j, state, code, number);
}

/* sacct's answer, about a job that the queue has forgotten. */
static void accounted(void *ctx, const struct child_end *end)
{
    struct slurm_job *j = ctx;
    struct slurm *l = j->slurm;
    char *text = mem_copy_text(end->out);
    char *rest = NULL;
    char *cells[4];
    bool found = false;

    j->child = NULL;
    l->asks--;
    for (char *line = strtok_r(text, "\n", &rest); line && !found;
         line = strtok_r(NULL, "\n", &rest))
        found = find_record(j, line, cells);
    slurm_job_peek(j);
    if (found && j->has_ended)
        j->state = slurm_words_state(cells[2]); /* who was to blame */
    if (j->over || j->has_ended)
        slurm_job_decide(j);
    else if (found)
        end_by(j, slurm_words_state(cells[2]), cells[3]);
    free(text);
    l->due(l);
}

/* scontrol's, about one that it still lists. */
static void shown(void *ctx, const struct child_end *end)
{
    struct slurm_job *j = ctx;
    struct slurm *l = j->slurm;
    char word[SLURM_SCRIPT_NAME];
    bool ours = slurm_words_value(end->out, "JobName", word, sizeof word) &&
                strcmp(word, j->tag) == 0;

    j->child = NULL;
    l->asks--;
    slurm_job_peek(j);
    if (j->over || j->has_ended)
        slurm_job_decide(j);
    else if (ours && slurm_words_value(end->out, "ExitCode", word, sizeof word))
        end_by(j, j->state, word);
    else
        j->stop_at = slurm_job_now() + AGAIN_MS;
    l->due(l);
}

static void ask(struct slurm_job *j, char *const *argv, child_fn *fn)
{
    if (slurm_call_run(j->slurm, &j->child, argv, fn, j, NULL) == 0)
        j->slurm->asks++;
}

static void ask_accounting(struct slurm_job *j)
{
    char *id = mem_format("%lld", (long long)j->id);
    char *database[] = {
        "sacct", "-n", "-P", "-X",
        "-j",    id,   "-o", "JobIDRaw,JobName%255,State,ExitCode",
        NULL};
    char *file[] = {"sacct", "-c", "-n", "-P",
                    "-j",    id,   "-o", "jobid,jobname,state,exitcode",
                    NULL};

    ask(j, j->asked++ ? file : database, accounted);
    free(id);
}

static void ask_queue(struct slurm_job *j)
{
    char *id = mem_format("%lld", (long long)j->id);
    char *argv[] = {"scontrol", "-o", "show", "job", id, NULL};

    ask(j, argv, shown);
    free(id);
}

/* The queue does not have it. What nobody knows of and never began is
 * submitted again; what began is given up after a while. */
static void miss(struct slurm_job *j, int64_t now)
{
    if (now - j->missing < MISSING_MS)
        return;
    if (j->asked < SLURM_JOB_ASKS && j->id) {
        ask_accounting(j);
        return;
    }
    slurm_job_peek(j);
    if (j->has_ended) {
        slurm_job_decide(j);
    } else if (!j->has_began && !j->apart) {
        log_write(LOG_LEVEL_WARN, "slurm_forgot", "job=%s id=%lld", j->name,
                  (long long)j->id);
        j->id = j->missing = j->asked = 0;
        j->state = NULL;
        slurm_job_step(j, SLURM_HELD);
    } else if (now - j->missing > LOST_MS) {
        slurm_job_lose(j, "Slurm has forgotten the job, and its script has "
                          "not said how it ended");
    }
}

static void ask_if_due(struct slurm_job *j, int64_t now)
{
    if (j->over || j->child || j->step != SLURM_KNOWN)
        return;
    if (j->has_ended) {
        if (j->missing && j->asked < SLURM_JOB_ASKS && slurm_job_needs_word(j))
            ask_accounting(j);
    } else if (j->missing)
        miss(j, now);
    else if (j->state && j->state->phase == SLURM_OVER && j->final &&
             (j->apart || now - j->final > FILE_MS) && now >= j->stop_at)
        ask_queue(j);
}

void slurm_finish_due(struct slurm *l, int64_t now)
{
    struct slurm_job *next;

    for (struct slurm_job *j = l->first; j; j = next) {
        next = j->next;
        if ((j->second || j->wish) && l->cancels < CANCELS)
            cancel_if_due(j, now);
        if (!l->asks)
            ask_if_due(j, now);
    }
}
