/* Rows of the store as the JSON objects of docs/api.md. */
/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef FACE_SHOW_H
#define FACE_SHOW_H

#include "base/text.h"
#include "store/store.h"
#include "tuner/engine.h"

/* All functions append to out. */

void show_trial(struct text *out, const struct trial_row *row);

/* The trial without its closing brace, for those who add members. */
void show_trial_open(struct text *out, const struct trial_row *row);

/* The study, its best trial read from the store, without its closing brace. */
void show_study_open(struct text *out, const struct study_row *row,
                     struct store *store, const struct engine *engine);
void show_study(struct text *out, const struct study_row *row,
                struct store *store, const struct engine *engine);

/* What a table of studies shows: id, name, state, metric, trials, created, the
 * counts of states that have trials, number and value of the best. Reads
 * nothing but the row. */
void show_study_brief(struct text *out, const struct study_row *row);

void show_event(struct text *out, const struct event_row *row);
void show_attempt(struct text *out, const struct attempt_row *row);
void show_report(struct text *out, const struct report_row *row);

/* `, "NAME": "text"` */
void show_text(struct text *out, const char *name, const char *text);

#endif
