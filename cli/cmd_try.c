/* `try FILE`: runs the corners of the space before the study does. Each trial
 * is stopped once it has shown what there is to see; the real study and its
 * state directory are not touched. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/number.h"
#include "cli/cmd.h"
#include "cli/corners.h"
#include "cli/interrupt.h"
#include "cli/peak.h"
#include "cli/print.h"
#include "cli/rehearsal.h"
#include "cli/source.h"
#include "cli/tried.h"
#include "cli/values.h"
#include "cli/view.h"

enum {
    FOR_MS = 60000,  /* a trial's time, unless --for says it */
    MORE_MS = 1000,  /* after its first report: it may be ending anyway */
    LONG_MS = 10000, /* the same of the first one, so that the time of a step
                        or a whole trial is known */
    ENOUGH = 2000,   /* reports, also of the first one */
    LOOK_MS = 100,   /* from one look to the next */
    WHY_MS = 5000,   /* after so long without a running trial we say why */
    TAIL_BYTES = 2000,
    TAIL_LINES = 6,
    LINE_MOST = 300 /* characters */
};

struct trying {
    struct rehearsal at;
    struct corners corners;
    struct tried *tried; /* one for each corner */
    bool *stopped;       /* we asked it to end */
    bool *told;          /* it has been printed */
    int64_t *peaks;
    struct tried_plan plan;
    char *folder;       /* of all its trials */
    char *why;          /* what was said last of a study that waits */
    int64_t idle_since; /* steady clock; 0 = something runs */
    bool paused;        /* by us: all corners are under way */
    json_t *study;
};

static const char *string_of(const json_t *map, const char *key)
{
    const char *s = json_string_value(json_object_get(map, key));

    return s ? s : "";
}

static int64_t integer_of(const json_t *map, const char *key)
{
    return json_integer_value(json_object_get(map, key));
}

/* ---- one corner ---- */

/* The last lines that the trial wrote to that stream, if any. */
static void add_output(struct trying *t, size_t i, const char *stream,
                       struct text *out)
{
    struct client *c = t->at.client;
    struct text bytes;
    char *lines[TAIL_LINES + 1] = {0}, *rest, *line;
    int64_t next;
    size_t n = 0;
    bool ended;
    struct err e;

    text_init(&bytes);
    if (!client_log(c,
                    client_study(c, t->at.study,
                                 "/trials/%zu/log?stream=%s&offset=-%d", i + 1,
                                 stream, TAIL_BYTES),
                    &bytes, &next, &ended, &e) &&
        bytes.len) {
        rest = bytes.data;
        while ((line = strsep(&rest, "\n"))) {
            if (!line[strspn(line, " \r\t")])
                continue;
            if (n == TAIL_LINES)
                memmove(lines, lines + 1, --n * sizeof *lines);
            lines[n++] = line;
        }
    }
    for (size_t k = 0; k < n; k++) {
        print_cut(lines[k], LINE_MOST, out);
        text_add(out, "\n");
    }
    text_clear(&bytes);
}

static void print_corner(struct trying *t, size_t i, const json_t *trial)
{
    struct tried *one = &t->tried[i];
    struct text out;

    if (one->how != TRIED_FINE)
        add_output(t, i, "stderr", &one->output);
    if (one->how != TRIED_FINE && !one->output.len)
        add_output(t, i, "stdout", &one->output);
    one->memory = t->peaks[i];
    text_init(&out);
    text_addf(&out, "%s: ", t->corners.items[i].name);
    values_params(json_object_get(trial, "params"), &out);
    text_add(&out, "\n  ");
    tried_print(one, t->plan.metric, &out);
    (void)fputs(text_str(&out), stdout);
    (void)fflush(stdout);
    text_clear(&out);
    t->told[i] = true;
}

/* It has shown enough. */
static bool has_shown(const struct trying *t, size_t i)
{
    int64_t first = t->tried[i].first_at;
    int64_t now = clock_wall_ms(&clock_real);

    return t->tried[i].reports > ENOUGH ||
           (first && now - first >= (i ? MORE_MS : LONG_MS));
}

static int look_at(struct trying *t, size_t i, struct err *e)
{
    struct client *c = t->at.client;
    json_t *trial = NULL;
    struct err ended;

    if (client_get(c, client_study(c, t->at.study, "/trials/%zu", i + 1),
                   &trial, e))
        return -1;
    tried_learn(&t->tried[i], trial, t->plan.metric);
    if (t->tried[i].ended) {
        print_corner(t, i, trial);
    } else if (has_shown(t, i) && !t->stopped[i]) {
        t->stopped[i] = true; /* it may just have ended: then that is told */
        (void)client_post(
            c, client_study(c, t->at.study, "/trials/%zu:stop", i + 1), NULL,
            NULL, &ended);
    }
    json_decref(trial);
    return 0;
}

/* ---- all of them ---- */

static bool waits(const json_t *trial)
{
    return !strcmp(string_of(trial, "state"), "PENDING");
}

/* Keeps the search from choosing points of its own in place of failed ones:
 * pauses the study once no corner waits, and resumes it if one does again. */
static void pause_or_resume(struct trying *t, size_t known, size_t waiting)
{
    struct client *c = t->at.client;
    bool all = known == t->corners.n && !waiting;
    struct err e;

    if (all == t->paused)
        return;
    if (!client_post(c,
                     client_study(c, t->at.study, all ? ":pause" : ":resume"),
                     NULL, NULL, &e))
        t->paused = all;
}

static int look_at_trials(struct trying *t, struct err *e)
{
    struct client *c = t->at.client;
    size_t known = 0, waiting = 0;
    json_t *answer = NULL;
    const json_t *list;
    int rc = client_get(
        c, client_study(c, t->at.study, "/trials?limit=%zu", t->corners.n),
        &answer, e);

    list = json_object_get(answer, "trials");
    for (size_t k = 0; !rc && k < json_array_size(list); k++) {
        const json_t *trial = json_array_get(list, k);
        size_t number = (size_t)integer_of(trial, "number");

        if (number < 1 || number > t->corners.n)
            continue;
        known++;
        waiting += waits(trial);
        if (!waits(trial) && !t->told[number - 1])
            rc = look_at(t, number - 1, e);
    }
    json_decref(answer);
    if (!rc)
        pause_or_resume(t, known, waiting);
    return rc;
}

/* Where nothing runs for a while, a person wants to know why. */
static void say_why(struct trying *t)
{
    struct client *c = t->at.client;
    int64_t now = clock_steady_ms(&clock_real);
    json_t *answer = NULL;
    const char *why;
    struct err e;

    if (view_count(t->study, "RUNNING")) {
        t->idle_since = 0;
        return;
    }
    if (!t->idle_since)
        t->idle_since = now;
    if (now - t->idle_since < WHY_MS)
        return;
    t->idle_since = now;
    if (!client_get(c, client_study(c, t->at.study, "/why"), &answer, &e) &&
        (why = json_string_value(json_object_get(answer, "why"))) &&
        (!t->why || strcmp(t->why, why) != 0)) {
        free(t->why);
        t->why = mem_copy_text(why);
        (void)fprintf(stderr, "%s\n", why);
    }
    json_decref(answer);
}

static int look(struct trying *t, struct err *e)
{
    struct client *c = t->at.client;

    json_decref(t->study);
    t->study = NULL;
    if (client_get(c, client_study(c, t->at.study, "%s", ""), &t->study, e) ||
        look_at_trials(t, e))
        return -1;
    if (integer_of(t->study, "parallel") > 0)
        t->plan.parallel = integer_of(t->study, "parallel");
    peak_look(t->folder, t->peaks, t->corners.n);
    return 0;
}

static bool all_told(const struct trying *t)
{
    for (size_t i = 0; i < t->corners.n; i++)
        if (!t->told[i])
            return false;
    return true;
}

/* The study was ended, or held up by the breaker: no more will come. */
static bool is_over(const struct trying *t)
{
    const char *state = string_of(t->study, "state");

    if (view_running(t->study))
        return false;
    if (!strcmp(state, "PAUSED"))
        return !t->paused;
    return strcmp(state, "ACTIVE") != 0 && strcmp(state, "ENDING") != 0;
}

/* The reason, without its advice to resume the study. */
static void say_not_tried(const struct trying *t)
{
    const char *reason = string_of(t->study, "reason");
    const char *advice = strstr(reason, "; mend it");
    size_t n = advice ? (size_t)(advice - reason) : strlen(reason);
    char *why = mem_copy_bytes(reason, n);
    struct text out;

    text_init(&out);
    print_safe(why, &out);
    (void)printf("The other corners are not tried: %s\n", text_str(&out));
    text_clear(&out);
    free(why);
}

/* Returns an exit code, or -1; also -1 once we are interrupted. */
static int watch(struct trying *t, struct err *e)
{
    struct text out;

    for (;;) {
        if (look(t, e))
            return client_lost(t->at.client) && service_gone(&t->at.service)
                       ? service_explain(&t->at.service, e)
                       : -1;
        if (interrupt_count())
            return -1;
        if (all_told(t))
            break;
        if (is_over(t)) {
            say_not_tried(t);
            break;
        }
        say_why(t);
        interrupt_sleep(LOOK_MS);
    }
    text_init(&out);
    text_add(&out, "\n");
    tried_sum(t->tried, t->corners.n, &t->plan, &out);
    (void)fputs(text_str(&out), stdout);
    text_clear(&out);
    return tried_fine(t->tried, t->corners.n) == t->corners.n ? CMD_DONE
                                                              : CMD_NOTHING;
}

/* ---- beginning ---- */

static void begin(struct trying *t, const struct source *s)
{
    const struct study *study = &s->study;

    corners_init(&t->corners, &study->space);
    t->tried = mem_new(t->corners.n, sizeof *t->tried);
    t->stopped = mem_new(t->corners.n, sizeof *t->stopped);
    t->told = mem_new(t->corners.n, sizeof *t->told);
    t->peaks = mem_new(t->corners.n, sizeof *t->peaks);
    for (size_t i = 0; i < t->corners.n; i++)
        tried_init(&t->tried[i]);
    t->plan = (struct tried_plan){.metric = study->metric,
                                  .trials = study->trials,
                                  .parallel = study->parallel,
                                  .limit_ms = study->trial_limit_ms};
}

static void end(struct trying *t)
{
    for (size_t i = 0; i < t->corners.n; i++)
        tried_clear(&t->tried[i]);
    corners_clear(&t->corners);
    json_decref(t->study);
    free(t->tried);
    free(t->stopped);
    free(t->told);
    free(t->peaks);
    free(t->folder);
    free(t->why);
}

static int rehearse(struct trying *t, const struct options *o,
                    struct source *source, int64_t for_ms, struct err *e)
{
    int64_t limit = source->study.trial_limit_ms;
    char *name = mem_copy_text(source->study.name);
    struct text time;
    int rc;

    text_init(&time);
    limit = limit && limit < for_ms ? limit : for_ms;
    print_duration(limit, &time);
    (void)printf("Rehearsing %s: %zu corners%s, %s each at most, launcher "
                 "%s\n",
                 name, t->corners.n, t->corners.cut ? " (and no more)" : "",
                 text_str(&time), source->study.job.launcher);
    (void)fflush(stdout);
    text_clear(&time);
    free(name);
    rc = rehearsal_open(&t->at, o, source, &t->corners, limit, e);
    if (!rc) {
        t->folder = mem_format("%s/trials/%s", t->at.state, t->at.study);
        rc = watch(t, e);
    }
    if (interrupt_count()) {
        (void)fprintf(stderr, "hypertune: interrupted\n");
        rc = CMD_INTERRUPTED;
    }
    rehearsal_close(&t->at, interrupt_count() > 1);
    return rc;
}

int cmd_try(const struct options *o, struct err *e)
{
    int64_t for_ms = FOR_MS;
    struct trying t = {0};
    struct source source;
    int rc;

    if (o->text[OPTION_FOR] && options_ms(o, OPTION_FOR, &for_ms, e))
        return -1;
    if (source_read(&source, o->words[0], e))
        return -1;
    if (!study_launches(&source.study)) {
        err_set(e, ERR_INVALID,
                "%s: study %s launches nothing, so there is nothing to "
                "rehearse",
                source.path, source.study.name);
        source_clear(&source);
        return -1;
    }
    interrupt_catch();
    begin(&t, &source);
    rc = rehearse(&t, o, &source, for_ms, e);
    end(&t);
    source_clear(&source);
    return rc;
}
