/* Watching a study. The happy path is a long poll after another until the
 * study has ended; what can go wrong is a service that goes away, and a person
 * who has seen enough. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/watch.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/values.h"
#include "cli/view.h"

enum {
    PAGE = 500,
    LIVE_WAIT_MS = 1000, /* the block's clock goes on */
    WAIT_MS = 25000,
    PACE_MS = 100 /* between two polls, so that quick trials come in bunches */
};

struct watching {
    const struct watch *w;
    struct view view;
    json_t *study;   /* as it was last */
    long long after; /* the last event's id */
    size_t n_events; /* of the last poll */
    int interrupts;  /* that were answered */
    bool paused_by_us;
};

/* One poll; with `tell` the events are shown. */
static int look(struct watching *g, int wait_ms, bool tell, struct err *e)
{
    const json_t *events;
    json_t *answer = NULL;

    if (client_get(g->w->client,
                   client_study(g->w->client, g->w->study,
                                "/events?after=%lld&limit=%d&wait_ms=%d",
                                g->after, PAGE, wait_ms),
                   &answer, e))
        return -1;
    if (!g->study)
        g->view.span.since_ms = json_integer_value(
            json_object_get(json_object_get(answer, "study"), "created"));
    json_decref(g->study);
    g->study = json_incref(json_object_get(answer, "study"));
    events = json_object_get(answer, "events");
    g->n_events = json_array_size(events);
    for (size_t i = 0; i < g->n_events; i++) {
        const json_t *event = json_array_get(events, i);

        g->after = json_integer_value(json_object_get(event, "id"));
        view_span_event(&g->view.span, event);
        if (tell)
            view_event(&g->view, event, g->study);
    }
    json_decref(answer);
    return 0;
}

static bool is_in(const struct watching *g, const char *state)
{
    const char *now = json_string_value(json_object_get(g->study, "state"));

    return now && !strcmp(now, state);
}

static bool has_ended(const struct watching *g, enum watch_end *end)
{
    static const struct {
        const char *state;
        enum watch_end end;
    } ends[] = {{"SUCCEEDED", WATCH_SUCCEEDED},
                {"FAILED", WATCH_FAILED},
                {"CANCELLED", WATCH_CANCELLED}};

    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (is_in(g, ends[i].state)) {
            *end = ends[i].end;
            return true;
        }
    if (!is_in(g, "PAUSED") || view_running(g->study))
        return false;
    *end = g->paused_by_us ? WATCH_INTERRUPTED : WATCH_PAUSED;
    return true;
}

/* We were interrupted: whether that is the end of it. */
static bool interrupted(struct watching *g, enum watch_end *end)
{
    struct client *c = g->w->client;
    struct err e;

    interrupt_calm();
    g->interrupts++;
    if (!g->w->pauses) {
        *end = WATCH_INTERRUPTED;
        return true;
    }
    if (g->interrupts > 1) {
        *end = WATCH_LEFT;
        return true;
    }
    view_say(&g->view, "Interrupted: the running trials are ended in order; "
                       "Ctrl-C again leaves at once");
    if (client_post(c, client_study(c, g->w->study, ":pause"),
                    json_pack("{s:b}", "interrupt", 1), NULL, &e))
        view_say(&g->view, "The study could not be paused: %s", e.text);
    else
        g->paused_by_us = true;
    return false;
}

/* A poll failed: whether there is a way on. */
static bool recovers(struct watching *g, struct err *e)
{
    if (interrupt_count() > g->interrupts)
        return true;
    if (!client_lost(g->w->client) || !g->w->again)
        return false;
    view_say(&g->view, "The service has gone away; looking for it again");
    return g->w->again(g->w->ctx, e) == 0 || interrupt_count() > g->interrupts;
}

/* Passes by what has happened so far. */
static int catch_up(struct watching *g, struct err *e)
{
    do {
        if (look(g, 0, false, e))
            return -1;
    } while (g->n_events && interrupt_count() == g->interrupts);
    return 0;
}

static int follow(struct watching *g, enum watch_end *end, struct err *e)
{
    int wait = 0; /* it may be paused already, and nothing new to come */

    for (;;) {
        if (interrupt_count() > g->interrupts && interrupted(g, end))
            return 0;
        if (look(g, wait, true, e)) {
            if (!recovers(g, e))
                return -1;
            continue;
        }
        view_study(&g->view, g->study);
        if (g->n_events < PAGE && has_ended(g, end))
            return 0;
        if (ferror(stdout) && interrupt_count() == 0)
            interrupt_raise();
        interrupt_sleep(PACE_MS);
        wait = g->view.live || g->paused_by_us ? LIVE_WAIT_MS : WAIT_MS;
    }
}

/* Where the best trial's output lies; a new reference to the trial. */
static json_t *best_trial(const struct watching *g)
{
    const json_t *best = json_object_get(g->study, "best");
    struct client *c = g->w->client;
    json_t *trial = NULL;
    struct err e;

    if (!json_is_object(best) ||
        client_get(c,
                   client_study(c, g->w->study, "/trials/%lld",
                                (long long)json_integer_value(
                                    json_object_get(best, "number"))),
                   &trial, &e))
        return NULL;
    return trial;
}

/* With several objectives: the answer that lists the front; a new reference. */
static json_t *front_of(const struct watching *g)
{
    struct client *c = g->w->client;
    json_t *answer = NULL;
    struct err e;

    if (!values_several(g->study) ||
        client_get(c, client_study(c, g->w->study, "/best"), &answer, &e))
        return NULL;
    return answer;
}

static void summarise(const struct watching *g, enum watch_end end)
{
    json_t *front = front_of(g);
    const json_t *best = front ? json_object_get(front, "trials")
                               : json_object_get(g->study, "best");
    struct client *c = g->w->client;
    json_t *trial = best_trial(g), *why = NULL;
    const char *folder = json_string_value(json_object_get(trial, "folder"));
    struct text out;
    struct err e;

    text_init(&out);
    view_summary(g->study, best, folder, &g->view.span, &out);
    if ((end == WATCH_PAUSED || end == WATCH_FAILED) &&
        !client_get(c, client_study(c, g->w->study, "/why"), &why, &e) &&
        json_is_string(json_object_get(why, "why")))
        text_addf(&out, "%s\n", json_string_value(json_object_get(why, "why")));
    (void)fputs(text_str(&out), stdout);
    (void)fflush(stdout);
    text_clear(&out);
    json_decref(why);
    json_decref(trial);
    json_decref(front);
}

int watch_study(const struct watch *w, enum watch_end *end, struct err *e)
{
    struct watching g = {.w = w};
    int rc;

    client_abort_on(w->client, interrupt_flag());
    view_open(&g.view);
    rc = w->from_now ? catch_up(&g, e) : 0;
    if (rc && interrupt_count())
        rc = 0;
    if (!rc)
        rc = follow(&g, end, e);
    view_close(&g.view);
    client_abort_on(w->client, NULL);
    if (!rc && *end != WATCH_LEFT && g.study)
        summarise(&g, *end);
    json_decref(g.study);
    return rc;
}
