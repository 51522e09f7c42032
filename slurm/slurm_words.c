/* Tables of Slurm's words; the names have been the same since Slurm 17. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slurm/slurm_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- states ---- */

static const struct slurm_state states[] = {
    {"RUNNING", SLURM_RUNS, BLAME_NOBODY, false}, /* and any other */
    {"PENDING", SLURM_WAITS, BLAME_NOBODY, false},
    {"CONFIGURING", SLURM_WAITS, BLAME_NOBODY, false},
    {"REQUEUED", SLURM_WAITS, BLAME_NOBODY, false},
    {"REQUEUE_HOLD", SLURM_WAITS, BLAME_NOBODY, false},
    {"REQUEUE_FED", SLURM_WAITS, BLAME_NOBODY, false},
    {"SPECIAL_EXIT", SLURM_WAITS, BLAME_NOBODY, false},
    {"RESV_DEL_HOLD", SLURM_WAITS, BLAME_NOBODY, false},
    {"COMPLETING", SLURM_ENDING, BLAME_NOBODY, false},
    {"COMPLETED", SLURM_OVER, BLAME_NOBODY, false},
    {"FAILED", SLURM_OVER, BLAME_NOBODY, false},
    {"LAUNCH_FAILED", SLURM_OVER, BLAME_NODE, true},
    {"CANCELLED", SLURM_OVER, BLAME_PERSON, false},
    {"TIMEOUT", SLURM_OVER, BLAME_TIME_LIMIT, false},
    {"DEADLINE", SLURM_OVER, BLAME_TIME_LIMIT, false},
    {"OUT_OF_MEMORY", SLURM_OVER, BLAME_MEMORY, false},
    {"PREEMPTED", SLURM_OVER, BLAME_PREEMPTED, false},
    {"NODE_FAIL", SLURM_OVER, BLAME_NODE, true},
    {"BOOT_FAIL", SLURM_OVER, BLAME_NODE, true},
    {"REVOKED", SLURM_OVER, BLAME_NODE, true},
};

const struct slurm_state *slurm_words_state(const char *word)
{
    size_t n = strcspn(word, " +");

    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (strlen(states[i].name) == n && !strncmp(states[i].name, word, n))
            return &states[i];
    return &states[0];
}

bool slurm_words_row(char *line, struct slurm_row *out)
{
    char *cells[5] = {line};
    char *after;

    for (int i = 1; i < 5; i++) {
        char *bar = strchr(cells[i - 1], '|');

        if (!bar)
            return false;
        *bar = '\0';
        cells[i] = bar + 1;
    }
    out->id = strtoll(cells[0], &after, 10);
    out->state = slurm_words_state(cells[1]);
    out->reason = strcmp(cells[2], "None") == 0 ? "" : cells[2];
    out->node = strcmp(cells[3], "n/a") == 0 ? "" : cells[3];
    out->name = cells[4];
    return after != cells[0] && out->id > 0;
}

/* ---- reasons to wait ---- */

static const struct {
    const char *begins; /* Slurm's word, or how it begins */
    const char *means;
} reasons[] = {
    {"Priority", "others come first"},
    {"Resources", "its nodes are busy"},
    {"PartitionNodeLimit", "it asks for more nodes than its partition allows, "
                           "so it will never begin as it is"},
    {"PartitionTimeLimit", "it asks for more time than its partition allows, "
                           "so it will never begin as it is"},
    {"PartitionDown", "its partition is down"},
    {"PartitionInactive", "its partition is inactive"},
    {"QOSMax", "a limit of its QOS is reached"},
    {"QOSGrp", "a limit of its QOS is reached by the whole group"},
    {"QOSMin", "its QOS wants it to ask for more"},
    {"QOSUsage", "the usage of its QOS is used up"},
    {"QOSNotAllowed", "its QOS may not be used here"},
    {"QOSJobLimit", "a limit of its QOS is reached"},
    {"QOSResourceLimit", "a limit of its QOS is reached"},
    {"QOSTimeLimit", "a limit of its QOS on time is reached"},
    {"AssocMax", "a limit of its account is reached"},
    {"AssocGrp", "a limit of its account is reached by the whole group"},
    {"Association", "a limit of its account is reached"},
    {"MaxMem", "it asks for more memory than the partition gives"},
    {"MaxCpu", "it asks for more processors than the partition gives"},
    {"ReqNodeNotAvail", "nodes that it needs are down, drained or reserved"},
    {"Nodes_required_for_job", "nodes that it needs are down, drained or "
                               "reserved"},
    {"Nodes required for job", "nodes that it needs are down, drained or "
                               "reserved"},
    {"NodeDown", "a node that it needs is down"},
    {"BadConstraints", "no node has what it asks for"},
    {"Reservation", "its reservation has not begun"},
    {"ReservationDeleted", "its reservation is gone"},
    {"BeginTime", "its time to begin has not come"},
    {"JobHeldUser", "it is held; `scontrol release` lets it go"},
    {"JobHeldAdmin", "an administrator holds it"},
    {"job_requeued_in_held_state", "it is held; `scontrol release` lets it go"},
    {"launch_failed", "its node could not start it, and it is held"},
    {"Licenses", "licences that it needs are in use"},
    {"Dependency", "it waits for another job"},
    {"InvalidAccount", "its account is not valid"},
    {"InvalidQOS", "its QOS is not valid"},
    {"Prolog", "its node is being prepared"},
    {"Cleaning", "its node is being cleaned"},
};

void slurm_words_waiting(struct text *out, int64_t id, const char *reason)
{
    const char *word = *reason == '(' ? reason + 1 : reason;

    text_addf(out, "in Slurm's queue as job %lld", (long long)id);
    if (!*reason)
        return;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (strncmp(word, reasons[i].begins, strlen(reasons[i].begins)) == 0) {
            text_addf(out, ": %s (%s)", reasons[i].means, reason);
            return;
        }
    text_addf(out, " (%s)", reason);
}

/* ---- refusals ---- */

static const struct {
    const char *has;
    enum slurm_refusal is;
} refusals[] = {
    {"PerJob", SLURM_NEVER}, /* a limit of each job's own size */
    {"Could not establish a configuration source", SLURM_NONE},
    {"Unable to process configuration file", SLURM_NONE},
    {"cannot stat file", SLURM_NONE}, /* and tries again for a minute */
    {"unable to status file", SLURM_NONE},
    {"Unable to contact slurm controller", SLURM_AWAY},
    {"Unable to connect to slurm daemon", SLURM_AWAY},
    {"backup controller in standby", SLURM_AWAY},
    {"controller in standby mode", SLURM_AWAY},
    {"Connection refused", SLURM_AWAY},
    {"No route to host", SLURM_AWAY},
    {"Socket timed out", SLURM_UNSURE},
    {"Zero Bytes were transmitted", SLURM_UNSURE},
    {"Connection reset", SLURM_UNSURE},
    {"Connection timed out", SLURM_UNSURE},
    {"Transport endpoint", SLURM_UNSURE},
    {"Unexpected message received", SLURM_UNSURE},
    {"Insane message length", SLURM_UNSURE},
    {"Communication connection failure", SLURM_UNSURE},
    {"Protocol authentication error", SLURM_AWAY},
    {"Munge encode failed", SLURM_AWAY},
    {"Invalid authentication credential", SLURM_AWAY},
    {"temporarily unable", SLURM_LIMIT},
    {"Resource temporarily unavailable", SLURM_LIMIT},
    {"MaxSubmit", SLURM_LIMIT},
    {"GrpSubmit", SLURM_LIMIT},
    {"SubmitJobs", SLURM_LIMIT},
    {"Job violates accounting/QOS policy", SLURM_LIMIT},
    {"Required partition not available", SLURM_LIMIT},
    {"too many jobs", SLURM_LIMIT},
    {"Rate limit exceeded", SLURM_LIMIT},
};

/* "sbatch: error: invalid partition" -> "invalid partition". */
static const char *without_program(const char *line)
{
    const char *colon = strchr(line, ':');

    if (colon && colon[1] == ' ' && strcspn(line, " ") > (size_t)(colon - line))
        line = colon + 2;
    if (strncmp(line, "error: ", 7) == 0)
        line += 7;
    return line;
}

enum slurm_refusal slurm_words_refusal(const char *said, struct text *sentence)
{
    char line[300];

    while (*said) {
        size_t n = strcspn(said, "\n");

        snprintf(line, sizeof line, "%.*s", (int)n, said);
        said += n + (said[n] == '\n');
        while (n && line[0] && isspace((unsigned char)line[strlen(line) - 1]))
            line[strlen(line) - 1] = '\0';
        if (!line[0])
            continue;
        text_add(sentence, sentence->len ? "; " : "");
        text_add(sentence, without_program(line));
    }
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
        if (strstr(text_str(sentence), refusals[i].has))
            return refusals[i].is;
    return SLURM_NEVER;
}

/* ---- values ---- */

bool slurm_words_exit(const char *word, int *exit_code, int *signal_number)
{
    char *colon, *end;
    long code = strtol(word, &colon, 10);
    long number;

    if (colon == word || *colon != ':')
        return false;
    number = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || code < 0 || code > 255 || number < 0)
        return false;
    *signal_number = (int)number;
    *exit_code = number ? -1 : (int)code;
    return true;
}

bool slurm_words_value(const char *text, const char *key, char *out, size_t n)
{
    size_t len = strlen(key);

    for (const char *at = strstr(text, key); at; at = strstr(at + 1, key))
        if (at[len] == '=' && (at == text || isspace((unsigned char)at[-1]))) {
            at += len + 1;
            snprintf(out, n, "%.*s", (int)strcspn(at, " \n"), at);
            return true;
        }
    return false;
}
