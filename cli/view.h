/* What run and watch show of a study that is under way: one block that is drawn
 * again and again on a terminal, one line an event elsewhere. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef CLI_VIEW_H
#define CLI_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

struct json_t; /* jansson's */

/* How long a study has run so far, by its events: without the time in which it
 * was paused or had ended. */
struct view_span {
    int64_t ran_ms;   /* up to the last stop */
    int64_t since_ms; /* wall clock; 0 = it stands still */
};
void view_span_event(struct view_span *s, const struct json_t *event);
int64_t view_span_ms(const struct view_span *s, int64_t now_ms);

struct view {
    bool live;        /* stdout is a terminal that can move its cursor */
    int lines;        /* of the block that stands on the screen */
    int64_t drawn_ms; /* when; steady clock */
    int64_t began_ms; /* the first look; steady clock */
    int64_t done_at_first;
    struct view_span span;
};

void view_open(struct view *v);
/* One event of docs/api.md, told where it is worth a line. */
void view_event(struct view *v, const struct json_t *event,
                const struct json_t *study);
/* The study as it is now: draws the block, at most ten times a second. */
void view_study(struct view *v, const struct json_t *study);
/* A sentence of our own, above the block. */
void view_say(struct view *v, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void view_close(struct view *v); /* takes the block away */

/* ---- the words, without a screen ---- */

/* What it means that a study which is submitted was there: it goes on, or has
 * ended, and what to do then. */
void view_resumed(const struct json_t *study, struct text *out);

/* "Trial 7 SUCCEEDED accuracy=0.97 hidden=64  best: trial 5 0.98", or nothing
 * if the event is worth no line. */
void view_event_line(const struct json_t *event, const struct json_t *study,
                     struct text *out);

/* The block: lines of at most `width` characters. The study has run for ran_ms;
 * done_at_first trials were done when the watch began, watched_ms ago. */
struct view_clock {
    int64_t ran_ms, watched_ms, done_at_first;
};
void view_block(const struct json_t *study, const struct view_clock *clock,
                size_t width, struct text *out);

/* The end: the study's state and counts, how long it ran if it has ended, the
 * best trial, where its output lies (folder may be NULL); with several
 * objectives `best` is a list, of the trials that no other beats. */
void view_summary(const struct json_t *study, const struct json_t *best,
                  const char *folder, const struct view_span *span,
                  struct text *out);

/* "1 running, 12 succeeded, 1 failed": every state that has trials. */
void view_counts(const struct json_t *study, struct text *out);
int64_t view_count(const struct json_t *study, const char *state);
/* How many trials are done, of those wanted: "12/40", or "12, no limit". */
void view_done(const struct json_t *study, struct text *out);
/* How many are wanted: "40 wanted", or "no limit". */
void view_wanted(const struct json_t *study, struct text *out);
/* Trials that are under way: LAUNCHING, RUNNING, STOPPING. */
int64_t view_running(const struct json_t *study);

#endif
